import numpy as np
import pytest
from scipy import stats

from supersample.inference.coefficients import kendall, spearman

THEIRS = {
    spearman: lambda a, b: stats.spearmanr(a, b).statistic,
    kendall: lambda a, b: stats.kendalltau(a, b).statistic,
}
BOTH = pytest.mark.parametrize("coefficient", THEIRS)


@BOTH
@pytest.mark.parametrize("levels", [2, 3, 10, 10**6])
def test_agrees_with_scipy_ties_or_not(coefficient, levels):
    values = np.random.default_rng(levels).integers(levels, size=(12, 6)).astype(float)
    ours = coefficient(values)
    for j in range(6):
        for k in range(6):
            expected = THEIRS[coefficient](values[:, j], values[:, k])
            assert ours[j, k] == pytest.approx(expected, abs=1e-14)


@BOTH
def test_equal_and_opposite_orders_are_exact(coefficient):
    x = np.random.default_rng(3).integers(5, size=17).astype(float)
    other = np.random.default_rng(4).normal(size=17)
    ours = coefficient(np.stack([x, np.exp(x), -x, other], axis=-1))
    assert ours[0, 1] == 1
    assert ours[0, 2] == -1
    np.testing.assert_array_equal(ours[0], ours[1])
    np.testing.assert_array_equal(np.diag(ours), 1)
    np.testing.assert_array_equal(ours, ours.T)


@BOTH
def test_constant_and_missing_scores_are_nan_and_infinite_ones_rank(coefficient):
    values = np.random.default_rng(5).normal(size=(8, 4))
    values[:, 1] = 0.1
    values[3, 2] = np.nan
    values[[1, 5], 3] = np.inf
    ours = coefficient(values)
    nan = np.isnan(ours)
    assert nan[[1, 2]].all()
    assert nan[:, [1, 2]].all()
    values[[1, 5], 3] = 100.0
    np.testing.assert_array_equal(ours, coefficient(values))
