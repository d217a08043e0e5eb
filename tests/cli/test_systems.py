"""``supersample systems``: the first screen, files, figures, and what cannot be answered."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import supersample as ss


@pytest.fixture
def scores(tmp_path):
    """A table of people's scores of 15 systems, with documents and domains."""
    made = ss.simulate_scores(
        systems=15, segments=60, correlations={"metric": 0.9}, segment_deviation=0.5, seed=5
    )
    labels = {"document": [f"d{k % 12}" for k in range(60)], "domain": ["a", "b"] * 30}
    made = made.assign_coords({name: ("segment", values) for name, values in labels.items()})
    ss.write_scores(made, tmp_path / "scores.csv")
    return "scores.csv", "--human", made.attrs["human"]


def test_the_first_screen_and_the_table_of_pairs_fit_a_terminal(command, scores, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = command("systems", *scores)
    lines = [*err.splitlines(), *out.splitlines()]
    assert status == 0
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert "15 systems, 60 segments, 12 documents" in lines[0]
    assert any("pairs of systems are shown to differ, also on" in line for line in lines[:10])
    shown = command("systems", *scores, "--full", "-q").out.partition("\nDifferences of ")[2]
    assert shown.count("other system") == 1  # in one piece
    told = " ".join(shown.split())
    assert "60 segments, 12 documents; above 0, the mean of the first is higher; interval" in told
    assert "over documents, and p, corrected, is for all 105 pairs at once (step-down" in told


def test_every_pair_and_figure_is_written(command, scores, tmp_path):
    status, _, err = command("systems", *scores, "--rule", "wmt24", "--out", "out")
    assert (status, "systems.png, system-pairs.tex, and" in " ".join(err.split())) == (0, True)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"systems.csv", "systems.tex", "systems.png", "system-pairs.csv", "report.html"} <= names
    pairs = json.loads((tmp_path / "out" / "system-pairs.json").read_text())
    assert len(pairs["rows"]) == 3 * 105
    page = (tmp_path / "out" / "report.html").read_text()
    assert "rule wmt24 calls" in page
    assert "Systems in a by their mean" in page
    rows = json.loads((tmp_path / "out" / "systems.json").read_text())["rows"]
    assert all(row["tie_groups"] for row in rows if row["group"] == "b")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--scorer", "nobody"), "no scorer 'nobody'"),
        (("--only", "system-01"), "at least 2"),
        (("--mask", "complete"), "complete"),
    ],
)
def test_what_cannot_be_answered_is_one_line(command, scores, options, told):
    status, out, err = command("systems", *scores, *options)
    assert (status, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("suffix", ["csv", "parquet", "zarr"])
def test_scores_of_people_alone_are_written_and_ranked(command, tmp_path, suffix):
    values = np.random.default_rng(0).normal(size=(4, 20))
    made = ss.make_scores(values, np.empty((0, 4, 20)), systems=list("ABCD"), metrics=[])
    ss.write_scores(made, tmp_path / f"people.{suffix}")
    status, out, err = command("systems", f"people.{suffix}")
    assert (status, "4 systems, 20 segments" in err, "could be the best" in out) == (0, True, True)
    assert "have no metric" in command("rank", f"people.{suffix}").err


def test_segments_that_lack_a_system_are_counted(command, tmp_path):
    values = np.random.default_rng(0).normal(size=(4, 20))
    values[0, :7] = np.nan
    made = ss.make_scores(values, np.empty((0, 4, 20)), systems=list("ABCD"), metrics=[])
    ss.write_scores(made, tmp_path / "people.csv")
    told = (
        "segments left out: 7 of 20 (not scored for every system, A lacks 7; --mask all takes them)"
    )
    assert told in command("systems", "people.csv").err
    assert "left out" not in command("systems", "people.csv", "--mask", "all").err
    twice = ss.rank_systems({"once": made, "again": made})  # whose segments are the same units
    assert twice.attrs["segments_left_out"].startswith("14 of 40 (")


def test_people_of_any_scale_count_equally_and_may_be_all_scorers(command, tmp_path):
    rows = [(f"{'ABCD'[k // 9]},{k % 9}", 50 + k + k % 2, 4 - k // 9 + k % 3) for k in range(36)]
    found = []
    for scale, mean, gap in ((1, "5.000", "-1.000"), (20, "100.0", "-20.0")):
        lines = ["system,segment,alice,bob", *(f"{x},{a},{scale * b}" for x, a, b in rows)]
        (tmp_path / "people.csv").write_text("\n".join(lines))
        asked = ("systems", "people.csv", "--human", "alice,bob")
        status, out, err = command(*asked)
        assert (status, "4 systems, 9 segments, human" in err) == (0, True)
        assert "standardised human scores" in out
        assert re.search(rf"(?s) {mean} \(1\).* a third .* {gap} \[", command(*asked, "--full").out)
        found.append(out)
    assert found[0] == found[1]


def test_the_scores_of_a_metric_rank_systems_too(command, scores):
    status, out, err = command("systems", *scores, "--scorer", "metric")
    assert status == 0
    assert "scores of metric" in err
    assert "by their mean of metric (higher is better): scores.csv" in out
    out = command("systems", *scores, "--scorer", "metric", "--lower-is-better", "metric").out
    assert "by their mean of metric (lower is better): scores.csv" in out


def test_a_small_part_that_counts_as_much_is_named(command, tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 40)) + np.arange(4)[:, np.newaxis]
    domain = ["news"] * 36 + ["talk"] * 4
    document = [f"n{k // 4}" for k in range(36)] + ["t0", "t0", "t1", "t1"]
    labels = {"document": document, "domain": domain}
    names = {"systems": list("ABCD"), "metrics": ["m"]}
    made = ss.make_scores(values, rng.normal(size=(1, 4, 40)), **names, **labels)
    ss.write_scores(made, tmp_path / "scores.zarr")
    shown = " ".join(command("systems", "scores.zarr", "--by", "domain").out.split())
    assert "in news (9 documents), 0 in talk (2 documents); each counts equally" in shown


def test_rankings_of_metrics_say_how_many_pairs_people_tell_apart(command, scores, tmp_path):
    differ, pairs = re.search(r"(\d+) of (\d+) pairs", command("systems", *scores).out).groups()
    line = f"people tell {differ} of {pairs} pairs of systems apart (for new documents"
    for verb in ("rank", "compare", "spa"):
        assert line in command(verb, *scores).err
    command("rank", *scores, "--out", "out", "--quiet")
    assert line in (tmp_path / "out" / "report.html").read_text()


def test_rankings_say_why_it_is_not_known_which_systems_people_tell_apart(command, tmp_path):
    made = ss.simulate_scores(systems=6, segments=40, correlations={"metric": 0.9}, seed=5)
    made = made.assign_coords(document=("segment", ["d1"] * 20 + ["d2"] * 20))
    ss.write_scores(made, tmp_path / "two.zarr")
    line = "by people is not known: scores of 2 documents (see `systems`)"
    assert line in command("rank", "two.zarr").err


@pytest.mark.real_data
@pytest.mark.parametrize(("pair", "waves"), [("en-cs", (2,)), ("en-zh", (2, 3))])
def test_the_rule_of_wmt24_is_met_by_the_released_files(command, data_root, tmp_path, pair, waves):
    folder = data_root / "wmt24-esa"
    files = ",".join(str(folder / f"esa.{pair}.wave{wave}.csv.gz") for wave in waves)
    asked = ("systems", folder / "wmt24" / pair, "--rule", "wmt24", "--ratings")
    shown = command(*asked, files, "--out", "out", "--figures", "none").done.out
    assert "The rule wmt24 takes" not in shown
    rows = json.loads((tmp_path / "out" / "systems.json").read_text())["rows"]
    found = {row["system"]: row for row in rows if row["group"] == "average"}
    published = json.loads((folder / "wmt24_rule.json").read_text())[pair]["systems"]
    assert {*found} == {*published}
    for system, expected in published.items():
        row = found[system]
        assert row["mean"] == pytest.approx(expected["mean"], abs=1e-6)
        assert [row["published_first"], row["published_last"]] == expected["rank"]
        assert row["published_cluster"] == expected["cluster"]
    shown = " ".join(command(*asked, f"{files}:scale=z", "--human-mean", "segments").out.split())
    assert "takes ratings as given, and all assessors; here they are z, none." in shown
    assert "The rule wmt24 takes the mean over ratings" in shown


def test_a_metric_that_is_a_part_of_the_human_scores_hinders_no_ranking_of_systems(
    command, tmp_path
):
    made = ss.simulate_scores(systems=6, segments=40, correlations={"metric": 0.9}, seed=5)
    part = made.assign(score=made["human"].expand_dims(metric=made["metric"]))
    ss.write_scores(part, tmp_path / "part.zarr")
    assert "agreement with a part is meaningless" in command("rank", "part.zarr").err
    assert command("systems", "part.zarr").status == 0


@pytest.mark.real_data
def test_a_released_file_has_one_answer_by_itself_and_beside_its_texts(
    command, data_root, tmp_path
):
    folder = data_root / "wmt24-esa"
    file = folder / "esa.en-cs.wave2.csv.gz"
    beside = (f"{folder / 'wmt24' / 'en-cs'}:include=refA", "--ratings", file)
    found = []
    for number, source in enumerate([(file,), beside]):
        out = f"out{number}"
        err = command("systems", *source, "--out", out, "--figures", "none").done.err
        assert "85 documents, 61 assessors" in " ".join(err.split())
        found.append(json.loads((tmp_path / out / "systems.json").read_text())["rows"])
    pd.testing.assert_frame_equal(*map(pd.DataFrame, found), rtol=1e-12)  # sums of another order


def test_a_table_of_single_ratings_has_assessors_as_a_second_unit(command, scores, tmp_path):
    rng = np.random.default_rng(0)
    rows = ["assessor,system,segment,document,score"]
    for system, document, segment in np.ndindex(4, 12, 2):
        who, score = f"a{rng.integers(5)}", rng.normal(80 - 5 * system, 5)
        rows.append(f"{who},S{system},{document}-{segment},d{document},{score:.3f}")
    (tmp_path / "people.csv").write_text("\n".join(rows))
    status, out, err = command("systems", "people.csv")
    assert (status, "12 documents, 5 assessors" in " ".join(err.split())) == (0, True)
    assert "each mean alone, on new documents and assessors. Compare" in " ".join(out.split())
    assert out == command("systems", "people.csv", "--ratings", "people.csv").out
    twice = command("systems", "people.csv", "people.csv")
    assert "systems SET --ratings people.csv,people.csv" in twice.err
    table = pd.read_csv("people.csv").drop_duplicates(["system", "segment"])
    table.drop(columns="assessor").rename(columns={"score": "human"}).to_csv("means.csv")
    told = "people.csv: means of its single ratings; given alone, this file would have"
    assert told in " ".join(command("systems", "means.csv", "people.csv").out.split())
