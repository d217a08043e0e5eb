import numpy as np
import pytest
from scipy import stats

from supersample.inference.intervals import fisher_interval


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_fisher_agrees_with_scipy(level):
    x, y = np.random.default_rng(1).normal(size=(2, 11))
    theirs = stats.pearsonr(x, y)
    ours = fisher_interval(theirs.statistic, 11, confidence_level=level)
    np.testing.assert_allclose(ours, theirs.confidence_interval(level), rtol=1e-12)


def test_fisher_meets_its_limits_and_passes_nan():
    lower, upper = fisher_interval([1, -1, np.nan, 0], [4, 10, 10, 4])
    np.testing.assert_array_equal(lower[:3], [1, -1, np.nan])
    np.testing.assert_array_equal(upper[:3], [1, -1, np.nan])
    assert lower[3] == -upper[3]


def test_fisher_broadcasts_r_against_n():
    assert fisher_interval([[0.1], [0.2]], [5, 6, 7]).lower.shape == (2, 3)


@pytest.mark.parametrize("n", [3, np.nan, [4, 3.9]])
def test_fisher_names_its_smallest_n(n):
    with pytest.raises(ValueError, match=r"Fisher's interval needs n >= 4"):
        fisher_interval(0.5, n)


def test_correlations_beyond_one_are_refused():
    with pytest.raises(ValueError, match=r"r = .*1\.0000001"):
        fisher_interval([0.5, 1.0000001], 10)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, np.nan])
def test_levels_outside_zero_to_one_are_refused(level):
    with pytest.raises(ValueError, match="confidence level"):
        fisher_interval(0.5, 10, confidence_level=level)
