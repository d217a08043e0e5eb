"""``supersample rank``: what works, and one line where it cannot."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.presentation.figures import forests
from supersample.presentation.notes import PRECISION_NOTE
from tests.long_tables import HEADER, QUICK, SCORES, check_refused, table_text


def test_the_example_is_ranked(command, tmp_path):
    result = command("rank", "--example", *QUICK, "--out", "out", "--explain")
    assert result.status == 0
    left_out = "correlations, scatter"
    assert f"figures that --figures all adds: significance-hybrids, {left_out}" in result.err
    assert (
        "embedded example: 12 systems, 8 metrics, human scores 'simulated', segments common 463/500"
    ) in result.err.splitlines()
    assert "written to out: " in result.err
    for metric in ss.load_example()["metric"].values:
        assert f" {metric} " in result.out
    assert PRECISION_NOTE in result.out.splitlines()
    assert "60 hybrids: " in result.out
    assert "12 systems: " in result.out
    assert result.out.splitlines()[-1].startswith("statistic:difference of pearson|method:zou2007")
    with xr.open_zarr(tmp_path / "out" / "hybrids.zarr") as sample:
        expected = ss.hybrid_supersample(ss.load_example(), n=60, seed=0)
        xr.testing.assert_equal(sample.load(), expected)
    with (tmp_path / "out" / "ranking.csv").open(newline="", encoding="utf-8") as file:
        ranked = [row["metric"] for row in csv.DictReader(file)]
    assert ranked == list(ss.rank(ss.compare_correlations(expected))["metric"].values)


def test_a_baseline_reaches_the_files(command, tmp_path, monkeypatch):
    drawn = {}
    plot = forests.plot_differences

    def noted(*arguments, **options):
        drawn.update(options)
        return plot(*arguments, **options)

    monkeypatch.setattr(forests, "plot_differences", noted)
    asked = ["--baseline", "good-90", "--out", "out", "--figures", "differences"]
    result = command("rank", "--example", *QUICK, *asked)
    assert result.status == 0, result.err
    assert "good-90: " in result.out
    assert drawn["baseline"] == "good-90"
    out = tmp_path / "out"
    found = ss.compare_to_baseline(ss.compare_over_systems(ss.load_example()), "good-90")
    with (out / "baseline.csv").open(newline="", encoding="utf-8") as file:
        rows = {row["metric"]: row for row in csv.DictReader(file) if row["basis"] == "systems"}
    own = found.sel(basis="systems")
    for metric in own["metric"].values:
        for name in ("p_value", "p_baseline", "systems_needed"):
            written = float(rows[metric][name] or "nan")
            np.testing.assert_allclose(written, own[name].sel(metric=metric), rtol=1e-9)
    table = (out / "baseline.tex").read_text()
    assert "Difference to good-90" in table
    assert table.count(r"\\") == 1 + 7
    page = (out / "report.html").read_text()
    assert '<strong class="of-baseline">good-90</strong>' in page
    assert re.search('<p class="answer" id="answer">good-90: . of 7 metrics differ', page)


def test_widths_that_no_figure_has_are_refused(command, tmp_path):
    result = command("rank", "--example", *QUICK, "--out", "out", "--figure-width", "acl3")
    check_refused(result, "a figure's width is acl1, acl2 or 1.5 to 60 inches")
    assert not (tmp_path / "out").exists()


def test_figures_of_no_kind_are_refused_before_the_answer(command, tmp_path):
    result = command("rank", "--example", *QUICK, "--out", "out", "--figures", "forest,pie")
    check_refused(result, "no kind of figure 'pie'; there are forest, differences")
    result = command("rank", "--example", *QUICK, "--out", "out", "--figures", "all,forest")
    check_refused(result, "the figures 'all' are asked for alone, not among others")
    assert not (tmp_path / "out").exists()


def test_figures_that_this_result_lacks_are_refused_below_the_answer(command, tmp_path):
    result = command("rank", "--example", *QUICK, "--out", "out", "--figures", "forest,plan")
    assert (result.status, "agrees best with people" in result.out) == (2, True)
    last = result.err.splitlines()[-1]
    assert last.startswith("error: no figure 'plan'; there are all, none, forest")
    assert not (tmp_path / "out").exists()


def test_every_option_reaches_its_verb(command):
    result = command(
        "rank", "--example", "-n", "50", "--seed", "5", "--pairs", "random", "--share", "uniform",
        "--unit", "document", "--mask", "all", "--human-mean", "segments",
        "--method", "williams1959", "--confidence-level", "0.9", "--scheduler", "synchronous", "-q",
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
    assert "90 % intervals" in result.out
    assert result.err == ""


def test_a_table_is_ranked_from_standard_input(command):
    named = ["--human", "people", "--lower-is-better", "ter"]
    result = command("rank", "-", *named, *QUICK, stdin=table_text(SCORES, "\t"))
    assert result.status == 0
    assert result.err == (
        "standard input: 5 systems, 2 metrics, human scores 'people', segments common 6/6\n"
    )
    assert " ter ↓ " in result.out
    assert "lower is better; its scores were negated" in result.out


def test_a_table_and_its_systems_are_chosen(command, tmp_path):
    (tmp_path / "scores.csv").write_text(table_text(SCORES))
    chosen = ["--exclude", "system-1", "--only", "system-2", "--only", "system-3"]
    chosen += ["--metrics", "good"]
    result = command("rank", "scores.csv", "--human", "people", *chosen, *QUICK)
    assert result.status == 0
    assert "scores.csv: 2 systems, 1 metrics" in result.err
    left_out = "system-1, system-4 (not asked for), system-5 (not asked for)"
    assert f"systems left out: {left_out}" in result.err
    assert "No interval over 2 systems: at least 4 are needed." in result.out


def test_a_metric_without_variance_is_a_warning_and_no_failure(command):
    flat = SCORES.copy(deep=True)
    flat["score"].loc[{"metric": "good"}] = 1.0
    result = command("rank", "-", "--human", "people", *QUICK, stdin=table_text(flat))
    assert result.status == 0
    assert result.err.count("warning: no variance") == 2
    assert "undefined" in result.out


@pytest.mark.parametrize("n", [1, 3])
def test_few_hybrids_have_no_interval(command, n):
    result = command("rank", "--example", "--hybrids", n)
    assert result.status == 0
    assert f"No interval over {n} hybrids: at least 4 are needed." in result.out


def test_names_are_printed_as_they_are(command):
    text = table_text(SCORES).replace("good", "[/]").replace("ter", "[bold]x")
    result = command("rank", "-", "--human", "people", *QUICK, stdin=text)
    assert result.status == 0
    assert " [/] " in result.out
    assert " [bold]x " in result.out


def test_help_of_rank_names_every_option(command):
    result = command("rank", "--help")
    assert result.status == 0
    for option in ("--mtme", "--example", "--lower-is-better", "--hybrids", "--overwrite"):
        assert option in result.out


def good(text=""):
    return table_text(SCORES) + text


BAD = {
    "no source": ([], None, "name one source of scores"),
    "two sources": (["--example", "t.csv"], None, "name one source of scores"),
    "missing file": (["x.csv"], None, "there is no file x.csv"),
    "a folder": (["."], None, "is a folder"),
    "unknown kind": (["t.txt"], None, "no file"),
    "closed columns": (["-"], HEADER + "A,1,m\n", "standard input, line 2: 3 columns, the header"),
    "no number": (["-"], HEADER + "A,1,m,x\n", "standard input, line 2: the score 'x' is not a"),
    "infinite": (["-"], HEADER + "A,1,m,inf\n", "standard input, line 2: the score 'inf' is inf"),
    "not text": (["-"], b"\xff\xfe", "standard input, line 1: not UTF-8 text"),
    "empty": (["-"], "", "standard input, line 1: no columns; the first line"),
    "lines in names": (["-"], HEADER + '"A\nB",1,m,x\n', "standard input, line 3: the score 'x'"),
    "lines in the message": (["-"], HEADER + '"A",1,"m\n",1\n', "there are m"),
    "duplicate": (
        ["-", "--human", "people"], good("system-1,segment-1,good,1\n"), "line 92: a second score",
    ),
    "no human": (["-", "--human", "mqm"], good(), "no scorer 'mqm' in standard input; there are"),
    "no scores": (["-", "--human", "people"], good("system-1,segment-1,m,\n"), "metric 'm'"),
    "unknown metric": (
        ["-", "--human", "people", "--lower-is-better", "x"], good(), "no scorer 'x'",
    ),
    "unknown system": (["-", "--human", "people", "--exclude", "x"], good(), "no system 'x'"),
    "one system": (
        ["-", "--human", "people", "--only", "system-1"], good(), "at least 2 systems are",
    ),
    "include": (
        ["-", "--human", "people", "--include", "system-1"], good(),
        "--include does not go with a table, which leaves no system out by itself; --only names",
    ),
    "no metric": (["-", "--human", "people", "--metrics", "x"], good(), "no metric 'x'; there are"),
    "twice": (["-", "--human", "people", "--metrics", "good,good"], good(), "is named twice"),
    "kind": (["-", "--metrics", "reference"], good(), "--metrics reference needs --mtme"),
    "one segment": (
        ["-"], HEADER + "A,1,human,1\nB,1,human,2\nA,1,m,1\nB,1,m,1\n", "at least 2 segments are",
    ),
    "no hybrids": (["--example", "--hybrids", "0"], None, "n is the number of hybrids, at least 1"),
    "too many": (["--example", "--hybrids", 10**20], None, "fewer than 2**44 = 17,592,186,044,416"),
    "hybrids in words": (["--example", "--hybrids", "abc"], None, "Invalid value for '--hybrids'"),
    "negative seed": (["--example", "--seed", "-1"], None, "a seed is an integer from 0"),
    "share": (["--example", "--share", "2"], None, "the share lies between 0 and 1"),
    "share in words": (["--example", "--share", "half"], None, "the share is a number or 'uni"),
    "documents": (
        ["-", "--human", "people", "--unit", "document"], good(), "name no documents",
    ),
    "level": (["--example", "--confidence-level", "95"], None, "--confidence-level"),
    "level of one": (["--example", "--confidence-level", "1"], None, "between 0 and 1"),
    "choice": (["--example", "--method", "x"], None, "Invalid value for '--method'"),
    "unknown option": (["--example", "--nonsense"], None, "No such option: --nonsense"),
    "no value": (["--example", "--seed"], None, "--seed"),
    "two tables": (["a.csv", "b.csv"], None, "unexpected extra argument"),
    "without effect": (["--example", "--reference", "x"], None, "--reference does not go with"),
    "of mtme": (["t.csv", "--reference", "refB"], None, "--reference does not go with a table"),
    "half of mtme": (["--mtme", "."], None, "--mtme also needs --test-set and --language-pair"),
    "no test set": (
        ["--mtme", ".", "--test-set", "x", "--language-pair", "y"], None, "no test set 'x'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_one_line_and_nothing_is_written(command, tmp_path, case):
    arguments, stdin, message = BAD[case]
    result = command("rank", *arguments, "--out", "out", stdin=stdin)
    check_refused(result, message)
    assert list(tmp_path.iterdir()) == []


def test_results_are_not_written_over_unasked(command, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ranking.csv").write_text("mine")
    arguments = ["rank", "-", "--human", "people", *QUICK, "--out", "out", "--figures", "none"]
    refused = command(*arguments, stdin=good())
    check_refused(refused, "the folder out is not empty; name another, or use --overwrite")
    assert [path.read_text() for path in (tmp_path / "out").iterdir()] == ["mine"]
    assert command(*arguments, "--overwrite", stdin=good()).status == 0
    assert (tmp_path / "out" / "ranking.csv").read_text().startswith("metric,")


def test_a_file_in_place_of_the_folder_is_left_alone(command, tmp_path):
    (tmp_path / "out").write_text("mine")
    for out in ("out", "out/deeper"):
        result = command("rank", "--example", "--out", out, "--overwrite")
        check_refused(result, "is a file; name a folder")
    assert (tmp_path / "out").read_text() == "mine"


def test_outliers_are_shown_and_left_out_beside(command):
    rows = ["system,segment,scorer,score"]
    for i, level in enumerate([1.0, 2.0, 3.0, 2.5, 1.5, -90.0]):
        for segment in range(4):
            for scorer in ("human", "m"):
                score = level + 0.1 * segment * (i % 2)
                rows.append(f"s{i},{segment},{scorer},{score}")
    Path("scores.csv").write_text("\n".join(rows))
    result = command("rank", "scores.csv", "-n", "100")
    assert "Outliers by human score (median and MAD): s5." in result.out
    assert "5 systems without outliers" in result.out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--language-pair", "de-en"], "no language pair 'de-en' in"),
        (["--human", "esa"], "there are da-sqm, mqm"),
        (["--reference", "refB"], "there are refA, synthetic_ref"),
        (["--metrics", "BLEU,nonsense"], "no metric 'nonsense'"),
        (["--exclude", "nobody"], "no system 'nobody'; there are"),
    ],
)
@pytest.mark.real_data
def test_unknown_names_of_real_data_are_refused_with_what_there_is(
    command, data_root, change, message
):
    source = ["--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23"]
    check_refused(command("rank", *source, "--language-pair", "en-de", *change), message)


@pytest.mark.real_data
def test_wmt23_is_ranked(command, data_root, tmp_path):
    result = command(
        "rank", "--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23",
        "--language-pair", "en-de", "--human", "mqm", "--reference", "refA",
        "--hybrids", "200", "--seed", "0", "--out", "out", "--figures", "none",
    )  # fmt: skip
    assert result.status == 0
    assert "wmt23 en-de: 12 systems, 25 metrics, human scores 'mqm', segments common 460/557" in (
        result.err
    )
    assert "systems left out: refA (a reference)" in result.err
    assert "metrics left out: HuaweiTSC_EE_Metric (no segment-level scores)" in result.err
    facts = json.loads((tmp_path / "out" / "ranking.json").read_text(encoding="utf-8"))
    r = {row["metric"]: row["value_systems"] for row in facts["rows"]}
    assert len(r) == 25
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de")
    rated = scores.isel(segment=scores["human"].notnull().all("system").values)
    means = rated.mean("segment")
    for metric, value in r.items():
        expected = np.corrcoef(means["human"], means["score"].sel(metric=metric))[0, 1]
        assert value == pytest.approx(expected, abs=1e-9)


@pytest.mark.real_data
def test_names_of_metrics_may_have_spaces_between(command, data_root):
    result = command(
        "rank", "--mtme", data_root / "mt-metrics-eval-v2", "--test-set", "wmt23",
        "--language-pair", "en-de", "--metrics", "COMET, BLEU", *QUICK, "-q",
    )  # fmt: skip
    assert result.status == 0
    assert "of 1 pairs differ" in result.out


def test_streamed_rankings_are_those_of_kept_hybrids(command, tmp_path):
    status, kept, err = command("rank", "--example", "-n", 3000)
    assert status == 0, err
    status, streamed, err = command(
        "rank", "--example", "-n", 3000, "--stream", "--out", tmp_path / "o", "--figures", "none"
    )
    assert status == 0, err
    assert streamed == kept
    assert not (tmp_path / "o" / "hybrids.zarr").exists()
    status, _, err = command("rank", "--example", "--stream", "--import-hybrids", "scores.csv")
    assert status == 2
    assert err.count("\n") == 1


def test_a_metric_scored_on_part_of_the_segments_is_named(command, tmp_path):
    scores = ss.load_example()
    scores["score"][3, 2, 1:] = np.nan
    metric = str(scores["metric"].values[3])
    scores.to_netcdf(tmp_path / "scores.nc")
    for options in (["rank", *QUICK], ["compare"], ["rank", "--stream", *QUICK]):
        result = command(*options, "scores.nc")
        [line] = [line for line in result.err.splitlines() if "part of the segments" in line]
        assert f"{metric} on 1 to 463 of 463 segments of a system; 1 segments have" in line
    result = command("rank", *QUICK, "scores.nc", "--mask", "complete")
    assert result.err == (
        "error: fewer than two segments have the scores of every metric for every system; leave "
        "out some metrics\n"
    )
    scores["score"][3, 2, 1:400] = 1.0
    scores.to_netcdf(tmp_path / "more.nc")
    result = command("rank", *QUICK, "more.nc", "--mask", "complete")
    assert "part of the segments" not in result.err
    assert "mask:complete " in result.out.splitlines()[-1]
