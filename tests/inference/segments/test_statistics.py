"""Pairs and ranks of translations that are drawn several times are those of so many copies."""

import numpy as np
import pytest
from scipy.stats import rankdata

from supersample.inference.translations_and_ties import FEW, _mid_ranks, pair_counts


@pytest.mark.parametrize("size", [2, FEW, FEW + 1, 3 * FEW])
@pytest.mark.parametrize("threshold", [0.0, 1.0, 2.5])
def test_pairs_are_counted_as_one_by_one(size, threshold):
    rng = np.random.default_rng([size, int(2 * threshold)])
    x, y = rng.integers(0, 6, (2, size)).astype(float)
    weights = rng.integers(0, 4, size).astype(float)
    expected = np.zeros(5)
    for i in range(size):
        for j in range(i):
            tied_x, tied_y = x[i] == x[j], abs(y[i] - y[j]) <= threshold
            kind = 4 if tied_x and tied_y else 2 if tied_x else 3 if tied_y else None
            if kind is None:
                kind = 0 if (x[i] > x[j]) == (y[i] > y[j]) else 1
            expected[kind] += weights[i] * weights[j]
    assert pair_counts(x, y, weights, threshold) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("size", [1, 5, 40])
def test_ranks_are_those_of_copies(size):
    rng = np.random.default_rng(size)
    x, copies = rng.integers(0, 7, size).astype(float), rng.integers(1, 4, size)
    ranks = rankdata(np.repeat(x, copies))[np.cumsum(copies) - 1]
    np.testing.assert_allclose(_mid_ranks(x, copies.astype(float)), ranks)
