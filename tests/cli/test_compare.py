"""``supersample compare``: every kind of method, and the options that it takes."""

from pathlib import Path

import pytest

from supersample.inference.two_correlations.overlapping import williams1959
from supersample.inference.two_correlations.registry import (
    OVERLAPPING,
    ComparisonMethod,
    register_comparison,
)


def test_compare_runs_every_kind_of_method(command):
    for method in ("steiger1980", "bootstrap-percentile", "perm-systems"):
        extra = [] if method == "steiger1980" else ["--resamples", "49"]
        result = command("compare", "--example", "--method", method, *extra)
        assert result.status == 0
        assert f"differ significantly, unadjusted ({method}, 95 %)" in result.out


def test_bootstrap_over_segments_and_documents(command):
    drawn = ["--method", "bootstrap-bca", "--resamples", "49", "--unit"]
    for unit in ("segment", "document"):
        result = command("compare", "--example", *drawn, unit)
        assert f"intervals (bootstrap-bca over {unit}s)" in result.out
        assert f"(bootstrap-bca over {unit}s, 95 %)" in result.out
        assert result.out.count(f"Bootstrap over {unit}s: how far these very systems' r") == 1
    result = command("intervals", "--example", "--resamples", "49", "--unit", "segment")
    assert result.status == 0
    assert "bootstrap-percentile over segments from" in result.out
    assert result.out.count("Bootstrap over segments: ") == 1


def test_compare_writes_what_rank_writes_but_hybrids(command):
    result = command("compare", "--example", "--out", "out")
    assert result.status == 0
    names = {path.name for path in Path("out").iterdir()}
    assert {"ranking.csv", "comparisons.json", "ranking.tex", "significance-systems.png"} < names
    assert "hybrids.zarr" not in names


def test_absolute_orientation_says_so(command):
    result = command("compare", "--example", "--orientation", "absolute")
    assert "Absolute values of correlations" in result.out
    assert "orientation:absolute" in result.out


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "zou2007", "--resamples", "9"],
        ["--method", "zou2007", "--coefficient", "kendall"],
        ["--method", "bootstrap-bca", "--alternative", "less"],
        ["--method", "zou2007", "--unit", "segment"],
        ["--method", "perm-both", "--orientation", "absolute"],
    ],
)
def test_options_without_effect_are_refused(command, options):
    result = command("compare", "--example", *options)
    assert result.status == 2
    assert result.err.startswith(f"error: {options[2]} does not go with --method {options[1]}")
    assert result.err.count("\n") == 1


def test_registered_tests_and_coefficients_are_choices(command):
    method = ComparisonMethod("renamed1959", williams1959)
    register_comparison("overlapping", method)
    try:
        result = command("compare", "--example", "--method", "renamed1959")
        assert "differ significantly, unadjusted (renamed1959, 95 %)" in result.out
        assert "renamed1959" in command("compare", "--help").out
    finally:
        del OVERLAPPING["renamed1959"]
    refused = command("compare", "--example", "--method", "renamed1959")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "'renamed1959' is not one of 'pearson1898'" in refused.err
