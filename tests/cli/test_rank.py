"""``supersample rank``: what works, and one line where it cannot."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.engine.hybrid_designs import DESIGNS
from supersample.presentation.figures import rankings
from supersample.presentation.notes import PRECISION_NOTE
from supersample.scores.system_level import prepare_scores
from tests.engine.test_new_design import TripleHybrids
from tests.long_tables import QUICK, SCORES, rows_of, table_text


def test_the_example_is_ranked(command, tmp_path):
    result = command("rank", "example", *QUICK, "--out", "out", "--full", "--explain")
    assert result.status == 0
    left_out = "correlations, scatter"
    assert f"further figures, by --figures all: {left_out}" in result.err
    assert (
        "embedded example: 12 systems, 8 metrics, human scores 'simulated', 463 of 500 segments "
        "(those rated for every system)"
    ) in result.err.splitlines()
    assert "written to out: " in result.err
    for metric in ss.load_example()["metric"].values:
        assert re.search(rf"^{metric} ", result.out, re.M)
    assert PRECISION_NOTE in result.out.splitlines()
    assert "60 hybrids: " in result.out
    assert "12 systems: " in result.out
    assert result.out.splitlines()[-1].startswith("statistic:difference of pearson|method:zou2007")
    with xr.open_zarr(tmp_path / "out" / "hybrids.zarr") as sample:
        expected = ss.hybrid_supersample(ss.load_example(), n=60, seed=0)
        xr.testing.assert_equal(sample.load(), expected)
    ranked = [row["metric"] for row in rows_of(tmp_path / "out" / "ranking.csv")]
    assert ranked == list(ss.rank(ss.correlations.compare_correlations(expected))["metric"].values)


@pytest.mark.parametrize("also", [[], ["--by", "document"]])
def test_of_two_metrics_the_one_with_smaller_errors_agrees_better(command, also):
    two = ["-m", "MAE", "--metrics", "strong-95,weak-40", "--resamples", "99"]
    for more in (["--baseline", "weak-40"], ["--baseline", "strong-95"], []):
        out = command("rank", "example", *two, *also, *more).out
        assert "weak-40 agrees better" not in out
        assert not (more or also) or "Yes: strong-95 agrees better with people than weak-40" in out


def test_metrics_beside_a_baseline_stand_from_the_smallest_error_on(command):
    out = command("rank", "example", "-m", "MAE", "--baseline", "weak-40", "--resamples", "99").out
    table = out[out.index("Difference from weak-40") :]
    assert table.index("strong-98 ") < table.index("fair-70 ") < table.index("useless-00 ")


def test_a_baseline_reaches_the_files(command, tmp_path, monkeypatch):
    drawn = {}
    plot = rankings.plot_differences

    def noted(*arguments, **options):
        drawn.update(options)
        return plot(*arguments, **options)

    monkeypatch.setattr(rankings, "plot_differences", noted)
    asked = ["--baseline", "good-90", "--out", "out", "--figures", "differences"]
    result = command("rank", "example", *QUICK, *asked)
    assert result.status == 0, result.err
    assert "metrics is shown to differ from good-90" in result.out
    assert drawn["baseline"] == "good-90"
    out = tmp_path / "out"
    found = ss.compare_to_baseline(
        ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife"),
        "good-90",
    )
    written = rows_of(out / "baseline.csv")
    rows = {row["metric"]: row for row in written if row["basis"] == "systems"}
    own = found.squeeze()
    for metric in own["metric"].values:
        for name in ("p_value", "p_baseline", "systems_needed"):
            written = float(rows[metric][name] or "nan")
            np.testing.assert_allclose(written, own[name].sel(metric=metric), rtol=1e-9)
    table = (out / "baseline.tex").read_text()
    assert "Difference from good-90" in table
    assert table.count(r"\\") == 1 + 7
    page = (out / "report.html").read_text()
    assert '<span class="of-baseline">good-90</span>' in page
    assert re.search('id="answer">\\s*<p>None of 7 metrics is shown to differ from good-90', page)


def test_every_option_reaches_its_verb(command):
    result = command(
        "rank", "example", "-n", "50", "--seed", "5", "--design",
        "pairs:pairs=random,share=uniform,unit=document", "--mask", "all",
        "--human-mean", "segments", "--method", "williams1959", "--confidence-level", "0.9",
        "--scheduler", "synchronous", "-q", "--full",
    )  # fmt: skip
    assert result.status == 0
    signature = result.out.splitlines()[-1]
    for fact in (
        "method:williams1959",
        "n:50 hybrids, 12 systems",
        "design:PairHybrids(random,uniform,document)",
        "seed:5",
        "mask:all 500/500, human 480-485",
        "human_mean:segments",
    ):
        assert fact in signature.split("|")
    assert "its own 90 % interval" in " ".join(result.out.split())
    assert result.err == ""


@pytest.mark.parametrize(
    ("design", "described"),
    [("mix", "MixHybrids(segment)"), ("triples:share=0.4", "TripleHybrids(0.4,segment)")],
)
def test_hybrids_are_of_any_registered_design(command, monkeypatch, design, described):
    monkeypatch.setitem(DESIGNS, "triples", TripleHybrids)
    result = command("rank", "example", *QUICK, "--design", design, "--full")
    assert result.status == 0, result.err
    assert f"|design:{described}|" in result.out
    streamed = command("rank", "example", *QUICK, "--design", design, "--full", "--stream")
    assert streamed.out == result.out


def test_a_written_ranking_prepares_scores_once(command, monkeypatch):
    prepared = []

    def prepare(scores, **options):
        prepared.append(options)
        return prepare_scores(scores, **options)

    for module in ("hybrids.samples", "hybrids.exact", "scores.system_level"):
        monkeypatch.setattr(f"supersample.{module}.prepare_scores", prepare)
    written = ("--out", "out", "--figures", "none")
    assert command("rank", "example", *QUICK, *written).status == 0
    assert len(prepared) == 1


def test_a_table_is_ranked_from_standard_input(command):
    named = ["-H", "people", "--lower-is-better", "ter"]
    result = command("rank", "-", *named, *QUICK, "--all", stdin=table_text(SCORES, "\t"))
    assert result.status == 0
    assert result.err == (
        "standard input: 5 systems, 2 metrics, human scores 'people', 6 of 6 segments "
        "(those rated for every system)\n"
        "people tell 0 of 10 pairs of systems apart (for new segments; see `systems`)\n"
    )
    assert " ter ↓ " in result.out
    assert "lower scores are better; they are counted that way" in result.out


def test_a_table_and_its_systems_are_chosen(command, tmp_path):
    (tmp_path / "scores.csv").write_text(table_text(SCORES))
    chosen = ["--exclude", "system-1", "--only", "system-2", "--only", "system-3"]
    chosen += ["--metrics", "good"]
    result = command("rank", "scores.csv", "--human", "people", *chosen, *QUICK)
    assert result.status == 0
    assert "scores.csv: 2 systems, 1 metric," in result.err
    left_out = "system-1, system-4 (not asked for), system-5 (not asked for)"
    assert f"systems left out: {left_out}" in result.err
    assert "about new systems: 2 systems, and at least 5 are needed." in result.out


def test_few_systems_are_told_once_and_no_option_that_is_in_use(command):
    four = ("--only", "system-01,system-02,system-03,system-04")
    out = command("rank", "example", "-q", *four).out
    assert out.count("4 systems, and at least 5 are needed") == 1
    assert "one measure at a time" not in out
    assert "Intervals of each metric: --full." in out


def test_sentences_compare_two_metrics_and_count_more(command):
    two = ("--metrics", "strong-95,good-90")
    out = command("rank", "example", "-q", *two, "--baseline", "good-90").out
    assert out == command("compare", "example", "-q", *two).out
    several = command("rank", "example", "-q", "--baseline", "weak-40").out
    assert several.startswith("2 of 7 metrics are shown to differ from weak-40 by r")


def test_beside_a_baseline_every_metric_can_be_told_from_the_first_sentence(command):
    out = command("spa", "example", "-q", "--baseline", "good-85", "--resamples", "199").out
    assert "2 more rows, and the tables of other measures: --all" in out
    assert "Permutation (perm-) swaps two metrics' scores" in out
    assert "0.035 is the least that 199 swaps can give" in out
    four, three = "strong-98, errors-85 ↓, strong-95, good-90", "fair-70, useless-00, weak-40"
    assert f" by SPA (Holm, 95 %): 4 better ({four}); 3 worse ({three})\n7 of 7 by PA: " in out
    assert " by PA: 4 better (strong-98, errors-85 ↓, strong-95 and 1 more); 3 worse\n" in out


def test_a_metric_without_variance_is_a_warning_and_no_failure(command):
    flat = SCORES.copy(deep=True)
    flat["score"].loc[{"metric": "good"}] = 1.0
    result = command("rank", "-", "--human", "people", *QUICK, "--full", stdin=table_text(flat))
    assert result.status == 0
    assert result.err.count("warning: no variance") == 2
    assert "undefined" in result.out


def test_outliers_are_shown_and_left_out_beside(command):
    rows = ["system,segment,human,m"]
    for i, level in enumerate([1.0, 2.0, 3.0, 2.5, 1.5, -90.0]):
        for segment in range(4):
            human = level + 0.1 * segment * (i % 2)
            rows.append(f"s{i},{segment},{human},{human + 0.01 * (segment == i % 4)}")
    Path("scores.csv").write_text("\n".join(rows))
    result = command("rank", "scores.csv", "-n", "100", "--full", "--out", "o")
    assert "outliers by human scores, which can change r: s5; " in Path("o/ranking.md").read_text()
    assert "outliers by human scores, which can change r: s5; --full" in result.err
    assert "5 systems without outliers" in result.out
    assert "can change r" in command("rank", "scores.csv", "-n", "100").err


@pytest.mark.real_data
def test_wmt23_is_ranked(command, data_root, tmp_path):
    result = command(
        "rank", f"{data_root / 'mt-metrics-eval-v2/wmt23/en-de'}:reference=refA",
        "--human", "mqm",
        "--metrics", "reference",
        "--hybrids", "200", "--seed", "0", "--out", "out", "--figures", "none",
    )  # fmt: skip
    assert result.status == 0
    assert "wmt23 en-de: 12 systems, 25 metrics, human scores 'mqm', 460 of 557 segments" in (
        result.err
    )
    assert "systems left out: refA (a reference)" in result.err
    assert "metrics left out: HuaweiTSC_EE_Metric (no segment-level scores)" in result.err
    facts = json.loads((tmp_path / "out" / "ranking.json").read_text(encoding="utf-8"))
    r = {row["metric"]: row["value_systems"] for row in facts["rows"]}
    assert len(r) == 25
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de", metrics="reference")
    rated = scores.isel(segment=scores["human"].notnull().all("system").values)
    means = rated.mean("segment")
    for metric, value in r.items():
        expected = np.corrcoef(means["human"], means["score"].sel(metric=metric))[0, 1]
        assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.real_data
def test_names_of_metrics_may_have_spaces_between(command, data_root):
    result = command(
        "rank", data_root / "mt-metrics-eval-v2" / "wmt23",
        "--language-pair", "en-de", "--metrics", "COMET, BLEU", *QUICK, "-q",
    )  # fmt: skip
    assert result.status == 0
    assert (
        "Yes: COMET agrees better with people than BLEU on new systems (same segments), by "
        in result.out
    )


def test_streamed_rankings_are_those_of_kept_hybrids(command, tmp_path):
    kept = command("rank", "example", "-n", 3000).done.out
    how = ("--stream", "--out", tmp_path / "o", "--figures", "none")
    assert command("rank", "example", "-n", 3000, *how).done.out == kept
    assert not (tmp_path / "o" / "hybrids.zarr").exists()


def test_a_metric_scored_on_part_of_the_segments_is_named(command, tmp_path):
    scores = ss.load_example()
    scores["score"][3, 2, 1:] = np.nan
    metric = str(scores["metric"].values[3])
    ss.write_scores(scores, tmp_path / "scores.zarr")
    for options in (["rank", *QUICK], ["compare"], ["rank", "--stream", *QUICK]):
        result = command(*options, "scores.zarr")
        [line] = [line for line in result.err.splitlines() if "metrics with gaps" in line]
        assert f"{metric} on 1 to 463 of 463 segments of a system; 1 segments have" in line
    result = command("rank", *QUICK, "scores.zarr", "--mask", "complete")
    assert result.err == (
        "error: fewer than two segments have the scores of every metric for every system; leave "
        "out some metrics\n"
    )
    scores["score"][3, 2, 1:400] = 1.0
    ss.write_scores(scores, tmp_path / "more.zarr")
    result = command("rank", *QUICK, "more.zarr", "--mask", "complete", "--full")
    assert "metrics with gaps" not in result.err
    assert "mask:complete " in result.out.splitlines()[-1]


def test_the_first_files_are_named_and_numbers_have_exponents(command, tmp_path):
    result = command("rank", "example", "-n", "1e2", "--out", "out")
    [told] = [line for line in result.err.splitlines() if line.startswith("written to ")]
    rest = len([*(tmp_path / "out").iterdir()]) - 3
    assert told == f"written to out: report.html, ranking.csv, forest.png, and {rest} more files"
    refused = command("rank", "example", "-n", "1.5")
    assert (refused.status, "a whole number is needed" in refused.err) == (2, True)
