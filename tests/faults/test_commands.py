"""Commands that fell through once: each is one line now, before any work."""

import pytest

from tests.long_tables import check_refused

BIG = "9" * 23
EXAMPLE = "example"
CHOSEN = ["plan", "--r", ".9", "--other-r", ".8", "--metric-r", ".8"]

OUT_OF_RANGE = [
    ["rank", EXAMPLE, "-n", BIG],
    ["rank", EXAMPLE, "-n", f"-{BIG}"],
    ["rank", EXAMPLE, "--seed", BIG],
    ["rank", EXAMPLE, "-m", "pearson", "--method", "both", "--resamples", BIG],
    ["rank", EXAMPLE, "--random", "systems", "--method", "bca", "--resamples", BIG],
    [*CHOSEN, "--systems", BIG],
    ["test", "overlapping", ".9", ".8", ".8", "--systems", BIG],
    [*CHOSEN, "--segments", BIG],
    [*CHOSEN, "--replicates", f"-{BIG}"],
    ["test", "independent", ".9", ".8", "--n2", "9", "--n1", BIG],
    ["spa", EXAMPLE, "--resamples", BIG],
    ["segments", EXAMPLE, "--resamples", f"-{BIG}"],
    ["segments", EXAMPLE, "--seed", BIG],
    ["simulate", "--r", ".5", "--systems", BIG],
    ["simulate", "--r", ".5", "--systems", "9", "--replicates", BIG],
    ["simulate", "--r", ".5", "--systems", "9", "--confidence-level", "0.9999999999999999"],
    ["simulate", "--r", ".5", "--systems", "9", "--confidence-level", "1e-300"],
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


@pytest.mark.parametrize("arguments", OUT_OF_RANGE, ids=" ".join)
def test_numbers_out_of_range_are_refused(command, tmp_path, arguments):
    check_refused(command(*arguments))
    assert list(tmp_path.iterdir()) == []
