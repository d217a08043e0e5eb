import numpy as np
import pytest

from supersample.inference.pairs_of_systems import (
    count_narrow,
    count_sums,
    new_rows,
    range_of,
    subtract_rows,
)


def prepared(rows):
    """Rows in single precision, with their ranges and sizes."""
    narrowed, found = new_rows(*rows.shape, 3)
    with np.errstate(over="ignore"):
        narrowed[:, : rows.shape[1]] = rows
    for i, row in enumerate(rows):
        low, high = range_of(narrowed, i, row.size)
        found[i] = low, high, max(-low, high)
    return narrowed, found


def differences(totals):
    """Differences of each row and the next, formed in single precision."""
    narrowed, found = prepared(totals - totals[0])
    rows, of_rows = new_rows(len(totals) - 1, totals.shape[1], 3)
    subtract_rows(narrowed, found[:, 2:].copy(), 1, 0, 1, totals.shape[1], rows, of_rows)
    return rows, of_rows


def assert_counted(x, y, thresholds, slack, narrowed=None):
    """Count every pair of rows, and give the share of counts that single precision leaves open."""
    rows = narrowed or (prepared(x), prepared(y))
    left_open = []
    pairs = np.arange(len(x) * len(y)).reshape(len(x), len(y))
    for first in range(len(thresholds)):  # in the end each pair has had each threshold
        threshold = np.take(thresholds, first + pairs, mode="wrap")
        low, high = threshold - slack, threshold + slack
        counts = np.empty((2, *low.shape), np.int64)
        count_narrow(*rows[0], *rows[1], x.shape[1], low, high, counts)
        for i, row in enumerate(x):
            for j, other in enumerate(y):
                total = row + other
                expected = (total > high[i, j]).sum(), (total >= low[i, j]).sum()
                assert count_sums(row, other, low[i, j], high[i, j]) == expected
                found = tuple(counts[:, i, j])
                left_open.append(found[0] != found[1])
                assert left_open[-1] or found == expected
    return np.mean(left_open)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 1000])
@pytest.mark.parametrize("scale", [1e-46, 1e-40, 1e-6, 1.0, 1e9, 1e37, 1e38, 1e39])
def test_counts_are_those_of_double_precision(size, scale):
    x, y = scale * np.random.default_rng(size).normal(size=(2, 3, size))
    # beyond all sums, among them, and hair's breadths beside one of them
    one = x[0, 0] + y[0, 0]
    beside = [np.nextafter(one, side) for side in (-np.inf, np.inf)]
    thresholds = [-99 * scale, -scale, 0.0, one, *beside, one + 1e-9 * scale, 99 * scale]
    assert_counted(x, y, thresholds, 0.0)
    assert_counted(x, y, thresholds, 1e-11 * scale)


def test_ties_are_counted_exactly():
    x, y = np.random.default_rng(0).integers(-2, 3, size=(2, 3, 100)) / 10.0
    assert_counted(x, y, np.arange(-5, 6) / 10.0, 1e-12)
    zeros = np.zeros((1, 40))
    assert_counted(zeros, zeros, [0.0], 0.0)


def test_numbers_near_the_end_of_single_precision_are_left_open():
    totals = np.array([[3e38], [-3e38]])
    others = np.zeros((2, 1))
    rows, other_rows = totals[:1] - totals[1:], others[:1] - others[1:]
    left_open = assert_counted(
        rows, other_rows, [3e38, 7e38], 0.0, (differences(totals), differences(others))
    )
    assert left_open == 1


def test_differences_of_large_totals_are_counted_as_those_of_double_precision():
    rng = np.random.default_rng(1)
    common = 1e4 * rng.normal(size=1000)  # of all systems alike, as of easy and hard segments
    x, y = common + rng.normal(size=(2, 5, 1000))
    rows, others = x[:-1] - x[1:], y[:-1] - y[1:]
    narrowed = differences(x), differences(y)
    left_open = assert_counted(rows, others, rng.normal(size=200), 1e-11, narrowed)
    assert left_open < 0.02
