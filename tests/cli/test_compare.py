"""``supersample compare``: every kind of method, and the options that it takes."""

import csv
from pathlib import Path

import supersample as ss
from supersample.inference.two_correlations.overlapping import williams1959
from supersample.inference.two_correlations.registry import (
    OVERLAPPING,
    ComparisonMethod,
    register_comparison,
)
from tests.toy_sets import write_test_set


def test_bootstrap_over_segments_and_documents(command):
    drawn = ["--method", "bootstrap-bca", "--resamples", "49", "--random"]
    for random in ("segments", "documents"):
        result = command("compare", "--example", *drawn, random, "--full")
        assert f"intervals (bootstrap-bca over {random})" in result.out
        assert f"(bootstrap-bca over {random}, 95 %)" in result.out
        assert result.out.count(f"Bootstrap over {random}: how far r of these systems") == 1
    both = command("compare", "--example", *drawn, "systems+segments", "--full").out
    assert "(bootstrap-bca over systems+segments, 95 %)" in both
    assert "how far r of these systems" not in both
    result = command(
        "compare", "--intervals", "--example", "--resamples", "49", "--random", "segments"
    )
    assert result.status == 0
    assert "bootstrap-percentile over segments from" in result.out
    assert result.out.count("Bootstrap over segments: ") == 1


def test_intervals_stand_side_by_side(command):
    asked = ("--intervals", "--example", "--resamples", "99", "--out", "out")
    result = command("compare", *asked)
    assert result.status == 0
    for name in ("Fisher", "bootstrap-bca", "human-only", "plus-minus"):
        assert name in result.out
    files = {f"intervals.{suffix}" for suffix in ("csv", "json", "md", "tex")} | {"report.html"}
    assert {path.name for path in Path("out").iterdir()} == files
    two = command("compare", "good-90", "weak-40", *asked[:-2]).out
    assert [name in two for name in ("good-90", "weak-40", "good-85")] == [True, True, False]


def test_registered_tests_and_coefficients_are_choices(command):
    method = ComparisonMethod("renamed1959", williams1959)
    register_comparison("overlapping", method)
    try:
        result = command("compare", "--example", "--method", "renamed1959", "--full")
        assert "differ significantly, unadjusted (renamed1959, 95 %)" in result.out
        assert "renamed1959" in command("compare", "--help").out
    finally:
        del OVERLAPPING["renamed1959"]


def test_two_metrics_are_compared_in_words(command, tmp_path):
    ss.write_scores(ss.load_example(), tmp_path / "scores.csv")
    table = ("compare", "scores.csv", "--human", "simulated", "-q")
    result = command(*table[:2], "good-85", "strong-95", *table[2:])
    assert result.status == 0
    found = ss.correlations.compare_correlations(
        ss.load_example(), method="williams-jackknife"
    ).sel(metric="strong-95", basis="systems")
    own = found.sel(other_metric="good-85")
    lower, upper = (f"{float(own[f'difference_{side}']):.3f}" for side in ("lower", "upper"))
    p = f"test: p = {float(own['p_value']):.3g}"
    numbers = f"(95 % interval {lower} to {upper}, {p})"
    assert result.out.splitlines()[0] == (
        "No difference shown on new systems (same segments); here strong-95's r is "
        f"{float(own['difference']):.3f} above good-85's {numbers}. If this lead is real, about "
        "30 systems in all would show it (80 % power)."
    )
    assert "weak-40" not in result.out
    lines = result.out.splitlines()
    values = ss.rank(ss.system_level_scores(ss.load_example()))["value"].sel(basis="systems")
    r = ", ".join(f"{x} {float(values.sel(metric=x)):.4f}" for x in ("strong-95", "good-85"))
    assert f"r with people: {r}." in lines
    assert lines[-1] == "All numbers: --full. Terms: --explain."
    assert len(lines) <= 5
    assert "behind best" not in result.out
    assert "behind best" in command(*table[:2], "good-85", "strong-95", *table[2:], "--all").out


def test_a_pair_is_not_told_of_metrics_that_others_lack(command, tmp_path):
    scores = ss.load_example().assign_attrs(metrics_left_out="slide (no scores)")
    ss.write_scores(scores, tmp_path / "scores.nc")
    assert "metrics left out: slide" in command("compare", "scores.nc").err
    assert "left out" not in command("compare", "scores.nc", "good-90", "weak-40").err


def test_a_metric_of_a_pair_may_be_a_file(command, tmp_path):
    ss.write_scores(ss.load_example(), tmp_path / "scores.csv")
    own = ss.load_example()["score"].sel(metric="good-90", drop=True).to_series()
    own.reset_index(name="score").to_csv(tmp_path / "mine.csv", index=False)
    asked = ("compare", "scores.csv", "--human", "simulated", "--higher-is-better", "mine")
    named = command(*asked, "mine", "fair-70", "--add-metric", "mine.csv")
    assert named.status == 0, named.err
    found = command(*asked[:2], "mine.csv", "fair-70", *asked[2:])
    assert (found.out, found.err) == (named.out, named.err)
    assert "mine" in found.out
    (tmp_path / "good-90").write_text("no scores")  # a bare name is that of a metric
    assert command(*asked[:4], "good-90", "fair-70").status == 0


def test_the_recommended_interval_is_printed_first(command):
    several = command("compare", "--example", "--intervals")
    assert "Fisher from" in several.out
    assert "bootstrap" not in several.out
    assert several.out.splitlines()[-1] == "All numbers: --full."
    one = command("compare", "--example", "--intervals", "--metrics", "good-90").out
    assert one.splitlines()[0] == (
        "good-90: r = 0.852 with people (95 % interval 0.544 to 0.958, Fisher, 12 systems)."
    )
    assert len(one.splitlines()) == 2
    whole = command("compare", "--example", "--intervals", "--full").out
    assert "bootstrap-bca" in whole
    assert "method:bootstrap-bca" in whole


def test_a_baseline_is_compared_with_every_metric(command):
    result = command("compare", "--example", "--baseline", "good-90")
    assert result.status == 0
    over = "r with people over 12 systems, 95 % intervals (projection)"
    assert f"Difference from good-90 (r = 0.852), {over}" in " ".join(result.out.split())
    found = ss.compare_to_baseline(
        ss.correlations.compare_correlations(ss.load_example(), method="williams-jackknife"),
        "good-90",
    )
    for metric in found["metric"].values:
        own = found.sel(metric=metric, basis="systems")
        row = next(
            line
            for line in result.out.splitlines()
            if line.startswith(f"{metric} ") and "[" in line
        )
        assert f" {float(own['p_value']):.3g} " in row
        assert f" {float(own['p_baseline']):.3g} " in row


def test_segments_that_decide_are_printed_with_their_translations(command, tmp_path):
    folder = write_test_set(tmp_path / "sets")
    source = ("--mtme", folder, "--test-set", "wmt23", "--language-pair", "zh-en")
    pair = ("COMET", "GEMBA-MQM")
    without = command("compare", *source, *pair, "--deciding", "segments")
    assert "Segments that decide between COMET and GEMBA-MQM" in without.out
    assert "translation" not in without.out
    for system in ss.read_mtme(folder, "wmt23", "zh-en")["system"].values:
        path = folder / "wmt23" / "system-outputs" / "zh-en" / f"{system}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{system} line {i}\n" for i in range(1, 31)))
    out = tmp_path / "out"
    options = ("--deciding", "segments", "--figures", "none", "--out", out)
    assert command("compare", *source, *pair, *options).status == 0
    with (out / "deciding.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 10
    for row in rows:
        assert row["text"] == f"{row['system']} line {int(row['segment']) + 1}"  # counted from 0
    ranks = ("--coefficient", "spearman", "--method", "bootstrap-percentile", "--resamples", "20")
    assert (
        "by spearman with the segment"
        in command("compare", *source, *pair, *ranks, *options[:2]).out
    )
    documents = command("compare", *source, *pair, "--deciding", "documents")
    assert "Documents that decide" in documents.out
    assert "needs two metrics" in command("compare", *source, "--deciding", "documents").err


def test_an_added_metric_may_be_the_baseline_beside_metrics_to_keep(command, tmp_path):
    scores = ss.load_example()
    own = scores["score"].sel(metric="good-90", drop=True).rename("score").to_dataframe()
    own.reset_index()[["system", "segment", "score"]].to_csv(tmp_path / "mine.csv", index=False)
    options = ("--metrics", "strong-95,fair-70", "--add-metric", "mine.csv")
    result = command("compare", "--example", *options, "--baseline", "mine")
    assert result.status == 0, result.err
    assert "Difference from mine" in result.out
