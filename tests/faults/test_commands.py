"""Commands that fell through once: each is one line now, before any work."""

import pytest

BIG = "9" * 23
EXAMPLE = "example"

OUT_OF_RANGE = [
    ["rank", EXAMPLE, "-n", BIG],
    ["rank", EXAMPLE, "-n", f"-{BIG}"],
    ["rank", EXAMPLE, "--seed", BIG],
    ["rank", EXAMPLE, "-m", "pearson", "--method", "both", "--resamples", BIG],
    ["rank", EXAMPLE, "--random", "systems", "--method", "bca", "--resamples", BIG],
    ["plan", "--r", ".9", "--other-r", ".8", "--metric-r", ".8", "--systems", BIG],
    ["test", "overlapping", ".9", ".8", ".8", "--systems", BIG],
    ["simulate", "--r", ".5", "--systems", BIG],
    ["simulate", "--r", ".5", "--systems", "9", "--replicates", BIG],
    ["simulate", "--r", ".5", "--systems", "9", "--population", BIG],
    ["simulate", "--r", ".5", "--systems", "9", "--confidence-level", "0.9999999999999999"],
    ["simulate", "--r", ".5", "--systems", "9", "--confidence-level", "1e-300"],
    ["spa", EXAMPLE, "-m", f"SPA:unit={BIG}"],
    ["spa", EXAMPLE, "-m", f"SPA:p_values=monte_carlo,permutations={BIG}"],
    ["run", EXAMPLE, "--out", "r.zarr", "-n", BIG],
    ["run", EXAMPLE, "--out", "r.zarr", "-n", "1000000000000000"],
    ["run", EXAMPLE, "--out", "r.zarr", "-n", "10000000000000"],
    ["run", EXAMPLE, "--out", "r.zarr", "--chunk", BIG],
    ["run", EXAMPLE, "--out", "r.zarr", "--chunk", "10000000000000"],
    ["run", EXAMPLE, "--out", "r.zarr", "--workers", BIG],
    ["run", EXAMPLE, "--out", "r.zarr", "--chunk", "10", "--workers", "100000"],
    ["run", EXAMPLE, "--out", "r.zarr", "--part", f"1/{BIG}"],
]


def assert_one_line(result):
    assert result.status == 2, result
    assert result.err.startswith("error: ")
    assert result.err.count("\n") == 1
    assert len(result.err) < 1000
    assert result.out == ""


@pytest.mark.parametrize("arguments", OUT_OF_RANGE, ids=" ".join)
def test_numbers_out_of_range_are_refused(command, tmp_path, arguments):
    assert_one_line(command(*arguments))
    assert list(tmp_path.iterdir()) == []


CHOSEN = ["plan", "--r", ".9", "--other-r", ".8", "--metric-r", ".8"]
WITHOUT_EFFECT = [
    ["rank", EXAMPLE, "--overwrite"],
    [*CHOSEN, "--language-pair", "en-de"],
    [*CHOSEN, "--human", "mqm"],
    [*CHOSEN, "--metrics", "m"],
    [*CHOSEN, "--exclude", "a"],
    [*CHOSEN, "--ratings", "r.csv"],
    [*CHOSEN, "--add-metric", "m=f.csv"],
    [*CHOSEN, "--lower-is-better", "m"],
]


@pytest.mark.parametrize("arguments", WITHOUT_EFFECT, ids=" ".join)
def test_options_without_effect_are_refused(command, arguments):
    result = command(*arguments)
    assert_one_line(result)
    assert "with" in result.err
