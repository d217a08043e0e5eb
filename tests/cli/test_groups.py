"""Several language pairs, domains, masks and raw ratings on the command line."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import supersample as ss
from tests.long_tables import rows_of

EXAMPLE = ss.load_example()


@pytest.fixture
def tables(tmp_path):
    """Two long tables, with domains, and an added metric for each."""
    labels = np.where(np.arange(60) < 28, "news", "talks")
    parts = {"en-de": slice(0, 9), "zh-en": slice(2, 12)}
    for name, systems in parts.items():
        few = {"system": systems, "metric": slice(4), "segment": slice(60)}
        part = EXAMPLE.isel(few).drop_vars("document")
        part = part.assign_coords(domain=("segment", labels)).assign_attrs(human="human")
        ss.write_scores(part, tmp_path / f"{name}.csv")
        mine = part["score"].isel(metric=1).values
        rows = zip(part["system"].values, mine, strict=True)
        (tmp_path / f"mine.{name}.txt").write_text(
            "".join(f"{system}\t{x!r}\n" for system, row in rows for x in row.tolist())
        )
    return parts


MINE = ("--add-metric", "mine=mine.{pair}.txt", "--higher-is-better", "mine")
HUMAN = ("--human", "human")


def test_tables_of_several_pairs_are_ranked_and_averaged(command, tables, tmp_path):
    status, out, err = command(
        "rank",
        "en-de.csv",
        "zh-en.csv",
        *HUMAN,
        *MINE,
        "-n",
        "200",
        "--out",
        "out",
        "--figures",
        "forest,significance-systems:width=acl1",
        "--full",
    )
    assert status == 0, err
    assert "the average of 2 language pairs" in " ".join(out.split())
    assert "mine ◀" in out
    told = r"\n  new systems, these language pairs +(any|the best is one) of (the|\d of) 5 metrics"
    assert re.search(told, out)
    assert "systems: en-de 9, zh-en 10" in err
    rows = rows_of(tmp_path / "out" / "ranking.csv")
    assert {row["group"] for row in rows} == {"average", "en-de", "zh-en"}
    assert {row["metric"] for row in rows} >= {"mine"}  # without its mark
    of = {
        (basis, row["group"], row["metric"]): float(row[f"value_{basis}"])
        for row in rows
        for basis in ("systems", "hybrids")
    }
    for (basis, _, metric), r in of.items():
        pairs = [of[basis, pair, metric] for pair in tables]
        assert r in (pytest.approx(np.mean(pairs)), *pairs)
    facts = json.loads((tmp_path / "out" / "ranking.json").read_text())
    assert "n:2 groups, 200 hybrids each" in json.dumps(facts)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"forest.png", "significance-systems-average.pdf", "comparisons.csv"} <= written
    assert not any(name.startswith("significance-hybrids") for name in written)


@pytest.mark.parametrize("how", [("--by", "domain"), ("--stream",)])
def test_the_page_shows_the_scores_that_were_ranked(command, tmp_path, monkeypatch, how):
    scores = EXAMPLE.isel(metric=slice(0, 2), segment=slice(0, 24)).drop_vars("document")
    scores = scores.assign_coords(domain=("segment", ["news", "talks"] * 12))
    for i in range(24):  # no segment was rated for every system
        scores["human"][{"system": i // 2, "segment": i}] = np.nan
    ss.write_scores(scores, tmp_path / "scores.zarr")
    shown = {}
    monkeypatch.setattr("supersample.results.outputs.write_report", lambda *_, **x: shown.update(x))
    means = ("--mask", "all", "--human-mean", "segments")
    asked = ("-n", "20", "--out", "out", "--figures", "none", *means, *how)
    assert command("rank", "scores.zarr", *asked).done
    wanted = {"": scores}
    if "--by" in how:
        names = ("news", "talks")
        wanted = {name: scores.isel(segment=scores["domain"] == name) for name in names}
    found = shown["sample"]
    assert found.keys() == wanted.keys()
    for name, part in wanted.items():
        expected = ss.system_level_scores(part, mask="all", human_mean="segments")
        np.testing.assert_array_equal(found[name]["system_human"], expected["system_human"])


def test_the_page_of_spa_shows_the_segments_that_it_compares(command, tmp_path, monkeypatch):
    scores = EXAMPLE.isel(metric=slice(0, 3), segment=slice(0, 60)).copy(deep=True)
    scores = scores.assign_coords(domain=("segment", ["news", "talks"] * 30))
    for i in range(40):  # SPA leaves these segments out, and common does not
        scores["score"][{"metric": i % 3, "system": i % 12, "segment": i}] = np.nan
    counts = np.where(scores["human"].notnull(), np.arange(60) % 4 + 1, 0)
    scores["human_count"] = ("system", "segment"), counts  # ratings do not count
    ss.write_scores(scores, tmp_path / "scores.zarr")
    shown = {}
    monkeypatch.setattr("supersample.results.outputs.write_report", lambda *_, **x: shown.update(x))
    asked = ("--by", "domain", "--resamples", 9, "--out", "out", "--figures", "none")
    assert command("spa", "scores.zarr", *asked).done
    expected = ss.agreement(scores, "PA", by="domain").isel(measure=0, basis=0)
    for name, own in shown["sample"].items():
        human = own["system_human"].values
        assert own.attrs["mask"].startswith(
            f"complete {int(expected['segments'].sel(group=name))}/"
        )
        better = np.triu(human[:, None] > human, 1) | np.triu(human[:, None] < human, 1)
        for metric in own["metric"].values:
            sign = 1 if own["higher_is_better"].sel(metric=metric) else -1
            score = sign * own["system_score"].sel(metric=metric).values
            agree = (human[:, None] - human) * (score[:, None] - score) > 0
            assert agree[better].mean() == pytest.approx(
                expected["value"].sel(group=name, metric=metric)
            )


@pytest.mark.parametrize("words", [["compare"], ["rank", "--random", "systems"]])
def test_commands_on_systems_heed_the_mask(command, words):
    options = ["example", "--metrics", "good-90,weak-40", "--human-mean", "segments"]
    options += ["--full"]
    common = command(*words, *options)
    whole = command(*words, *options, "--mask", "all")
    assert "mask:common 463/500|" in common[1]
    assert "mask:all 500/500, human 480-485|" in whole[1]
    assert "human_mean:segments" in whole[1]
    assert common[1] != whole[1]


def test_raw_ratings_take_the_place_of_human_scores(command, tmp_path):
    rng = np.random.default_rng(1)
    lines = ["assessor,system,segment,score,type"]
    for i, system in enumerate(EXAMPLE["system"].values):
        for segment in EXAMPLE["segment"].values[:40]:
            rating = 50 + 3 * i + rng.normal(0, 9)
            lines.append(f"a{rng.integers(4)},{system},{segment},{rating:.1f},TGT")
            if i == 0:
                lines += [
                    f"{who},{system},{segment},{rating - off:.1f},{kind}"
                    for who in ("a0", "a1", "a2", "a3")
                    for kind, off in (("TGT", 0), ("BAD", 30))
                ]
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    source = ["example", "--ratings", "ratings.csv", "--mask", "all", "--metrics", "good-90"]
    status, _, err = command("rank", *source, "-n", "40")
    assert status == 0, err
    assert "human scores 'ratings (z, wilcoxon)', 40 of 500 segments (those rated)" in err
    assert "human scores: means of 800 ratings" in err
    raw = ["example", "--ratings", "ratings.csv:scale=raw,quality_control=none", *source[3:]]
    assert "human:ratings (raw, none)" in command("compare", *raw, "--full").out


@pytest.fixture
def sets(tmp_path):
    """System-level tables of three years, which share some systems and metrics."""
    rng = np.random.default_rng(4)
    for year, pairs in (("wmt21", ("en-de",)), ("wmt22", ("en-de", "en-cs")), ("small", ("x-y",))):
        lines = ["METRIC LP TESTSET SYSTEM SCORE HUMAN"]
        for pair in pairs:
            quality = rng.normal(size=3 if year == "small" else 8)
            metrics = ("old" if year == "wmt21" else "new", "b", "c", "d", f"only-{pair}")
            for metric in metrics:
                lines += [
                    f"{metric} {pair} {year} s{i} {q + rng.normal() / 3:.4f} {q:.4f}"
                    for i, q in enumerate(quality)
                ]
        (tmp_path / f"{year}.txt").write_text("\n".join(lines) + "\n")
    alone = (tmp_path / "wmt21.txt").read_text()
    for metric in ("old", "b", "c", "d", "only-en-de"):
        alone = alone.replace(f"\n{metric} ", f"\nother-{metric} ")
    (tmp_path / "alone.txt").write_text(alone)
    return tmp_path


def test_the_language_pairs_of_one_table_are_averaged(command, tables):
    parts = [pd.read_csv(f"{pair}.csv").assign(lp=pair) for pair in ("en-de", "zh-en")]
    parts[1] = parts[1][parts[1]["scorer"] != parts[1]["scorer"].iloc[-1]]
    pd.concat(parts).to_csv("both.csv", index=False)
    status, out, err = command("rank", "both.csv", "--language-pair", "all", *HUMAN, "-n", "20")
    assert status == 0, err
    assert "systems: both en-de 9, both zh-en 10" in err
    assert "new systems, these language pairs" in out
    for arguments, message in (
        (("both.csv", "--language-pair", "xx-en"), "no language pair 'xx-en'"),
        (("en-de.csv", "--language-pair", "all"), "en-de.csv has no column of language pairs"),
        (("-", "--language-pair", "all"), "standard input is read once"),
    ):
        status, _, err = command("rank", *arguments, *HUMAN)
        assert (status, message in err, err.count("\n")) == (2, True, 1), err


def test_human_scores_may_be_missing_in_a_language_pair(command, tmp_path):
    rng = np.random.default_rng(3)
    places = pd.MultiIndex.from_product([list("ABCDEF"), range(20)], names=["system", "segment"])
    human = rng.normal(size=len(places)) + places.codes[0]
    noise = rng.normal(size=(3, len(places)))
    wide = pd.DataFrame(dict(zip(["human", "m", "o"], human + noise, strict=True)), index=places)
    both = pd.concat([wide.assign(lp="en-de"), wide.assign(lp="zh-en", human=np.nan)])
    both.to_csv("both.csv")
    wide["human"].to_frame("score").to_csv("people.csv")
    chosen = ("rank", "both.csv", "--language-pair", "zh-en")
    options = ("--human", "people.csv", "--quiet", "-n", "50")
    for arguments, message in (
        (chosen, "there is no number in the human scores"),
        ((*chosen, *options, "--lower-is-better", "human"), "both.csv: human is not read, as"),
    ):
        status, _, err = command(*arguments)
        assert (status, message in err, err.count("\n")) == (2, True, 1), err
    of_file = command(*chosen, *options)
    of_column = command("rank", "both.csv", "--language-pair", "en-de", *options)
    assert of_file.status == of_column.status == 0, of_file.err
    assert of_file.out == of_column.out
    both.loc[both["lp"] == "zh-en", ["m", "o"]] = np.nan
    both.to_csv("none.csv")
    status, _, err = command("rank", "none.csv", *chosen[2:], *options)
    assert (status, err) == (2, "error: none.csv has no scores of zh-en\n")


YEARS = ("rank", "wmt21.txt,wmt22.txt")


def test_all_language_pairs_of_several_sets_are_averaged(command, sets):
    status, out, err = command(*YEARS, "--language-pair", "all")
    assert status == 0, err
    assert "systems: 8 in each of wmt21 en-de, wmt22 en-cs, wmt22 en-de" in err
    assert "metrics left out: new (not in all), old (not in all), only-en-cs (not in all)" in err
    assert "all groups have the same systems; each counts as one system" in err
    told = r"new systems, these language pairs +(any|the best is one) of (the|\d of) 3 metrics"
    assert re.search(told, out)
    assert "not known: 3 are too few; 5 are needed" in out
    assert "apart takes" not in out
    assert "One pair: compare DATA --metrics A,B." in out
    weight = ("--weight", "wmt21 en-de=2")
    status, out, err = command(*YEARS, "--language-pair", "all", *weight)
    assert (status, "weights in the average: wmt21 en-de 2" in out) == (0, True)


def test_metrics_of_part_of_the_sets_rest_on_those_that_have_them(command, sets):
    part = ("--language-pair", "all", "--in-at-least", "2")
    status, _, err = command(*YEARS, *part, "--out", "o")
    assert status == 0, err
    assert "fitted by metric and set): only-en-de 2 of 3, new 2 of 3" in err
    facts = xr.open_zarr(sets / "o" / "ranking.zarr").load()
    assert facts["sets"].sel(metric="b", other_metric="new").item() == 2
    own = facts.sel(basis="systems", metric="new")
    assert (own["in_sets"].item(), facts["in_sets"].sel(metric="b").item()) == (2, 3)
    values = facts["value"].sel(measure="pearson", basis="systems")
    every = values.sel(metric=["b", "c", "d"])
    np.testing.assert_allclose(every.isel(group=0), every.isel(group=slice(1, None)).mean("group"))
    known = values.isel(group=slice(1, None)).to_numpy()
    sets, metrics = np.nonzero(np.isfinite(known))
    design = np.concatenate([np.eye(3)[sets], np.eye(known.shape[1])[metrics]], axis=1)
    fitted = np.linalg.lstsq(design, known[sets, metrics], rcond=None)[0]
    np.testing.assert_allclose(values.isel(group=0), fitted[3:] + fitted[:3].mean())
    assert np.isnan(own["lower"].sel(group="average"))
    difference = own["difference"].sel(other_metric="b")
    np.testing.assert_allclose(
        difference.sel(group="average"),
        difference.sel(group=["wmt22 en-de", "wmt22 en-cs"]).mean("group"),
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--language-pair", "en-xx"), "no language pair 'en-xx'"),
        (("--language-pair", "all", "--human", "a,b"), "--human names several gold standards"),
        (("--language-pair", "all", "small.txt"), "small x-y has 3 systems, and a set"),
        (
            ("--language-pair", "all", "--in-at-least", "7"),
            "the least number of sets is 1 to 3, not",
        ),
        (
            ("--language-pair", "all", "alone.txt", "--in-at-least", "1"),
            "some sets share no metric with the others",
        ),
        (("--language-pair", "all", "--weight", "x"), "--weight takes NAME=VALUE, not 'x'"),
        (("--language-pair", "all", "--weight", "x=y"), "--weight takes NAME=VALUE, not 'x=y'"),
    ],
)
def test_sets_that_cannot_be_averaged_are_one_line(command, sets, arguments, message):
    status, _, err = command(*YEARS, *arguments)
    assert (status, message in err, err.count("\n")) == (2, True, 1), err


@pytest.mark.parametrize("measure", [(), ("--measure", "spearman", "--random", "systems")])
def test_a_table_of_segments_and_one_of_systems_are_averaged(command, sets, tables, measure):
    names = EXAMPLE["metric"].values[:2]
    of_systems = (sets / "wmt21.txt").read_text().replace("b ", f"{names[0]} ")
    (sets / "other.txt").write_text(of_systems.replace("c ", f"{names[1]} "))
    few = ("--resamples", "19") if measure else ("-n", "20")
    status, out, err = command("rank", "en-de.csv", *HUMAN, "other.txt", *measure, *few)
    assert status == 0, err
    assert "wmt21 en-de" in err
    assert all(name in out for name in names)


def test_figures_of_several_sets_are_written(command, sets):
    status, out, err = command(*YEARS, "--language-pair", "all", "--out", "o")
    assert status == 0, err
    assert "best with people on average" in out
    assert {"sets.png", "values.png"} <= {path.name for path in (sets / "o").iterdir()}


@pytest.fixture
def emptied(tmp_path):
    """A table without complete cases in a domain, and where one system lacks a document."""
    rng = np.random.default_rng(0)
    scores = EXAMPLE.isel(system=slice(0, 6), metric=slice(0, 3), segment=slice(0, 60)).copy()
    labels = [f"{name}{i}" for i in range(6) for name in ("talks", "news")]
    domains, documents = np.repeat(["news", "talks", "chat"], 20), np.repeat(labels, 5)
    scores = scores.assign_coords(domain=("segment", domains), document=("segment", documents))
    scores["human"][:] = scores["score"][0] + rng.normal(size=(6, 60))
    scores["human"][2, documents == "news3"] = np.nan
    scores["score"][1, :, 40::2] = scores["score"][2, :, 41::2] = np.nan
    ss.write_scores(scores.assign_attrs(human="human"), tmp_path / "emptied.csv")


MEASURES_BY = ("MAE", "SPA", "acc_eq/item")


@pytest.mark.parametrize("measure", MEASURES_BY)
def test_a_domain_that_complete_cases_empty_is_named(command, emptied, tmp_path, measure):
    written = () if "/" in measure else ("--out", "o", "--figures", "none")
    by = ("--by", "domain", *HUMAN, "--resamples", "99", "-q", *written)
    status, out, err = command("rank", "emptied.csv", "--measure", measure, *by)
    named = "domains left out of the average (too few scores): chat"
    assert (status, out.count(named)) == (0, 1), err
    for name in ("ranking.md", "ranking-notes.tex", "report.html")[: 3 * len(written)]:
        assert named in (tmp_path / "o" / name).read_text(), name
    if written:
        facts = json.loads((tmp_path / "o" / "ranking.json").read_text())
        assert facts["groups_left_out"] == "chat"


def test_a_metric_that_a_domain_lacks_is_left_out(command, emptied):
    table, name = pd.read_csv("emptied.csv"), EXAMPLE["metric"].values[1]
    table[(table["scorer"] != name) | (table["domain"] != "chat")].to_csv("gap.csv")
    asked = ("rank", "gap.csv", "--by", "domain", *HUMAN)
    for how in (("-n", "20"), ("--measure", "SPA", "--resamples", "9")):
        assert f"metrics left out: {name} (not in domain chat)" in command(*asked, *how).err
    told = "error: only r over systems of several sets takes in_at_least"
    assert told in command(*asked, "--in-at-least", "2").err
    told = f"error: no metric '{name}' in the ranking (left out: {name} (not in domain chat)); "
    assert told in command(*asked, "-n", "20", "--baseline", name).err
    table[(table["domain"] != "chat") | (table["scorer"] != HUMAN[1])].to_csv("gap.csv")
    assert "metrics left out" not in command(*asked, "-n", "20").err


@pytest.mark.parametrize("verb", ["rank", "rank --measure kendall", "segments"])
def test_a_document_that_the_mask_empties_is_named(command, emptied, verb):
    name, *options = verb.split()
    options += ["--mask", "common"] if name == "segments" else []
    kept = ("--metrics", ",".join(EXAMPLE["metric"].values[[0, 2]]))
    status, out, err = command(name, "emptied.csv", *options, *kept, "--by", "document", *HUMAN)
    assert status == 0, err
    assert re.search(r"documents left out of the average \(too few scores\): (.*, )?news3\b", out)
    assert "on new sets" not in out


def test_a_ranking_without_any_value_has_files_and_a_page(command, tmp_path):
    for name in ("a", "b"):
        constant = EXAMPLE.isel(system=slice(3), metric=slice(2), segment=slice(40))
        constant = constant.assign_attrs(human="human").copy(deep=True)
        if name == "a":
            constant["score"][:] = 1.0
        ss.write_scores(constant, tmp_path / f"{name}.csv")
    sets = ("a.csv", "b.csv", "--human", "human", "--out", "out", "--overwrite")
    for more in (("-n", "20"), ("--measure", "kendall", "--resamples", "9", "--figures", "all")):
        status, _, err = command("rank", *sets, *more)
        assert status == 0, err
        assert (
            "no r of strong-98, strong-95 in a" in err
            or "no kendall of strong-98, strong-95 in a" in err
        )
        assert "strong-98" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
