"""Every test and interval against R: psych's r.test, and the formulas as their sources print them.

The values and the command that made them: tests/golden/correlation_differences.R.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from supersample.inference import two_correlations as registry

GOLDEN = Path(__file__).parents[1] / "golden" / "correlation_differences.csv"
ARGUMENTS = {
    "overlapping": ("r12", "rival", "r23", "n1"),
    "non_overlapping": ("r12", "rival", "r13", "r14", "r23", "r24", "n1"),
    "independent": ("r12", "rival", "n1", "n2"),
}
METHODS = {
    "overlapping": registry.OVERLAPPING,
    "non_overlapping": registry.NON_OVERLAPPING,
    "independent": registry.INDEPENDENT,
}
with GOLDEN.open(newline="") as file:
    ROWS = list(csv.DictReader(file))
GROUPS = sorted({(row["source"], row["family"], row["method"]) for row in ROWS})


def rows_of(group):
    names = ("source", "family", "method")
    return [row for row in ROWS if tuple(row[name] for name in names) == group]


def column(rows, name):
    return np.array([float(row[name]) for row in rows])


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_agrees_with_r(group):
    _, family, method = group
    rows = rows_of(group)
    arguments = [column(rows, name) for name in ARGUMENTS[family]]
    # The printed forms cancel where metrics are nearly one; 1e-10 is what doubles leave of them.
    if rows[0]["statistic"]:
        statistic, p_value = METHODS[family][method].test(*arguments)
        np.testing.assert_allclose(statistic, column(rows, "statistic"), rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(p_value, column(rows, "p_value"), rtol=1e-9, atol=1e-15)
    if rows[0]["lower"]:
        lower, upper = METHODS[family][method].interval(*arguments)
        np.testing.assert_allclose(lower, column(rows, "lower"), rtol=1e-10, atol=1e-13)
        np.testing.assert_allclose(upper, column(rows, "upper"), rtol=1e-10, atol=1e-13)


def test_every_method_has_golden_values():
    for family in ARGUMENTS:
        covered = {method for _, name, method in GROUPS if name == family}
        assert covered >= set(METHODS[family])
