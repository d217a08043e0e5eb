"""Sources of scores on the command line, metrics of one's own, and inspect, which converts."""

import gzip

import pandas as pd
import pytest

import supersample as ss

EXAMPLE = ss.load_example()


@pytest.fixture
def mine(tmp_path):
    """Write scores of a metric that points downwards: lines of a system and a score."""
    own = -EXAMPLE["score"].sel(metric="good-90").values
    rows = zip(EXAMPLE["system"].values, own, strict=True)
    path = tmp_path / "mine.seg.score"
    path.write_text("".join(f"{system}\t{x!r}\n" for system, row in rows for x in row.tolist()))
    return path


SYSTEM_LEVEL = "METRIC LP DATA SYSTEM SCORE HUMAN\n" + "".join(
    f"{metric} xx-yy set {system} 0.{(i * 7 + 3 * j) % 10} {i}\n"
    for j, metric in enumerate(["m", "n"])
    for i, system in enumerate("ABCDEF")
)


@pytest.mark.parametrize("words", [["rank", "-n", "50"], ["compare"]])
def test_a_metric_is_added_in_every_command(command, mine, words):
    status, out, err = command(
        *words, "example", "--add-metric", f"mine={mine}", "--lower-is-better", "mine"
    )
    assert status == 0
    assert "warning" not in err
    assert "mine ◀" in out
    assert "◀ was added to" in out


def test_added_metrics_may_be_named_among_those_to_keep(command, mine):
    added = ["inspect", "example", "--add-metric", f"mine={mine}", "--lower-is-better", "mine"]
    status, out, err = command(*added, "--metrics", "mine,fair-70")
    assert (status, "fair-70" in out, "mine ◀" in out, "good-90" in out) == (0, True, True, False)
    status, out, _ = command(*added, "--metrics", "mine")
    assert (status, "fair-70" in out, "mine ◀" in out) == (0, False, True)
    status, out, _ = command("rank", *added[1:], "--metrics", "mine", "-n", "50")
    assert out.startswith("mine agrees with people here by r = ")
    assert " (12 systems; 95 % interval 0." in out.replace("\n", " ")
    assert (status, "best?" in out, "wins" in out, "behind best" in out) == (0, *[False] * 3)
    status, _, err = command(*added, "--metrics", "mine,fare-70")
    assert (status, "did you mean 'fair-70'?" in err) == (2, True)


def test_an_undeclared_orientation_is_inferred_with_a_printed_warning(command, mine):
    status, out, err = command("compare", "example", "--add-metric", f"mine={mine}", "-q")
    assert status == 0
    assert "warning: 'mine' was taken as lower-is-better, since r" in err
    assert "◀ was added to" in out


@pytest.mark.parametrize("name", ["mine.csv", "mine.seg.score"])
def test_declared_texts_stand_for_missing_scores_of_added_metrics(command, tmp_path, name):
    own = ss.load_example()["score"].sel(metric="good-90", drop=True).to_series()
    rows = own.reset_index(name="score").astype({"score": object})
    rows.loc[7, "score"] = "-"
    header = name.endswith(".csv")
    columns = ["system", "segment", "score"] if header else ["system", "score"]
    rows[columns].to_csv(tmp_path / name, index=False, header=header, sep="," if header else "\t")
    asked = ("compare", "example", "--add-metric", f"mine={name}", "--higher-is-better", "mine")
    refused = command(*asked)
    assert (refused.status, "say DATA:missing=-" in refused.err) == (2, True)
    found = command("compare", "example:missing=-", *asked[2:])
    assert found.status == 0, found.err
    assert "1 of 6000 scores missing" in found.err


@pytest.mark.parametrize(("mask", "header"), [("common", True), ("all", False)])
def test_a_metric_with_scores_of_whole_systems_is_ranked_by_r(command, tmp_path, mask, header):
    scores = ss.system_level_scores(EXAMPLE, mask=mask)
    own = scores["system_score"].sel(metric="good-90").to_series().rename("score")
    own.to_csv(tmp_path / "whole.csv", header=header)
    added = ("example", "--add-metric", "mine=whole.csv", "--higher-is-better", "mine")
    status, out, err = command(
        "compare", *added, "--mask", mask, "--out", "out", "--metrics", "mine,fair-70"
    )
    assert status == 0, err
    alone = "Nothing is known about these systems, new documents: mine has scores of whole systems"
    assert alone in out.replace("\n", " ")
    table = pd.read_csv(tmp_path / "out" / "ranking.csv").set_index("metric")
    r = ss.rank(scores)["value"].squeeze().to_series()
    assert table["value_systems"].to_dict() == pytest.approx(
        {"mine": r["good-90"], "fair-70": r["fair-70"]}
    )
    segments = EXAMPLE["score"].sel(metric="fair-70", drop=True).to_series()
    segments.to_csv(tmp_path / "segments.csv")
    both = command(
        "compare", *added, "--add-metric", "other=segments.csv", "--higher-is-better", "other", "-q"
    )
    assert both.status == 0, both.err  # whole systems first, then segments
    own.iloc[1:].to_csv(tmp_path / "whole.csv", header=header)
    lacking = command("compare", *added)
    assert f"no score of {own.index[0]}: leave systems out by --exclude" in lacking.err
    for words in (["spa"], ["rank", "--by", "document"], ["inspect"]):
        refused = command(*words, *added)
        assert (refused.status, "one score of each system, where" in refused.err) == (2, True)


def test_metrics_named_as_files_are_told_their_option(command):
    err = command("compare", "example", "good-90", "fair-70").err
    assert err == (
        "error: no file good-90, fair-70; metrics: compare example --metrics good-90,fair-70\n"
    )


def test_system_level_scores_are_compared_and_make_no_hybrids(command, tmp_path):
    path = tmp_path / "systems.csv"
    path.write_text(SYSTEM_LEVEL)
    for words in (["compare"], ["inspect"], ["rank", "--random", "systems"]):
        assert command(*words, path)[0] == 0


def test_example_is_the_embedded_one_also_beside_a_file_of_this_name(command, tmp_path):
    (tmp_path / "example").write_text(SYSTEM_LEVEL)
    status, out, err = command("inspect", "example")
    assert (status, "embedded example" in out + err) == (0, True)
    assert "embedded example" not in "".join(command("inspect", "./example:reader=table")[1:])


def test_scores_are_converted_and_inspected(command, mine):
    status, _, err = command("inspect", "example", "--to", "scores.zarr")
    assert (status, err) == (0, "written to scores.zarr: 12 systems, 500 segments, 8 metrics\n")
    status, out, _ = command("inspect", "scores.zarr", "--add-metric", f"mine={mine}")
    assert status == 0
    assert "463 of 500 segments (those rated for every system)" in out
    assert "mine ◀" in out
    status, _, err = command("inspect", "scores.zarr", "--to", "scores.csv")
    assert err.endswith(
        "not in the file, name again when you read it: --human simulated, "
        "--lower-is-better errors-85\n"
    )
    assert command("inspect", "example", "--to", "scores.csv")[0] == 2


def test_ratings_alone_are_inspected_in_any_wrapping(command, tmp_path):
    row = "ann,{},{},TGT,eng,ces,{},doc,False,[],1,2\n"
    rows = [row.format(s, i, 10 * i + k) for k, s in enumerate("ABC") for i in range(4)]
    (tmp_path / "esa.csv.gz").write_bytes(gzip.compress("".join(rows).encode()))
    result = command("inspect", "esa.csv.gz", "--all")
    assert result.status == 0, result.err
    assert "3 systems, 0 metrics, human scores 'human', 4 of 4 segments" in result.out
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress("".join(rows).encode())[:40])
    assert command("inspect", "cut.csv.gz").err.startswith("error: cut.csv.gz cannot be unpacked")


def test_names_with_a_comma_stand_in_quotes(command, tmp_path):
    people = {"metric": ["good, 90", *EXAMPLE["metric"].values[1:]]}
    systems = {"system": ["a, b", *EXAMPLE["system"].values[1:]]}
    ss.write_scores(EXAMPLE.assign_coords({**people, **systems}), tmp_path / "odd.csv")
    name = EXAMPLE.attrs["human"]
    kept = ("--metrics", '"good, 90",fair-70', "--exclude", '"a, b"', "--human", name)
    _, out, err = command("inspect", "odd.csv", *kept)
    assert ("good, 90" in out, "11 systems" in err + out) == (True, True)
    teams = ("--team", 't="a, b",system-02')
    assert "in 11 teams: t has 2" in command("compare", "odd.csv", "--human", name, *teams).err
    refused = command("inspect", "odd.csv", "--human", "good, 90").err
    assert "no scorer 'good' in odd.csv: did you mean 'good-90'?" in refused
    assert '"good, 90"' in refused
