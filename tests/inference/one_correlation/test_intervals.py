"""Intervals of one correlation, and quantiles of r."""

import numpy as np
import pytest
from scipy import stats

from supersample.inference.one_correlation import (
    distribution_function_of_r,
    fisher_interval,
    mean_interval,
    quantile_of_r,
    symmetric_interval,
)


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


@pytest.mark.parametrize("n", [3, np.nan, [4, 3.9]])
def test_fisher_names_its_smallest_n(n):
    with pytest.raises(ValueError, match=r"Fisher's interval needs n of at least 4"):
        fisher_interval(0.5, n)


def test_correlations_beyond_one_are_refused():
    with pytest.raises(ValueError, match=r"r = .*1\.0000001"):
        fisher_interval([0.5, 1.0000001], 10)


def test_the_symmetric_interval_is_as_wide_above_as_below():
    r = np.array([-0.9, 0.0, 0.91])
    lower, upper = symmetric_interval(r, 10)
    np.testing.assert_allclose(r - lower, 1.959964 * (1 - r**2) / 3, rtol=1e-6)
    np.testing.assert_allclose(upper - r, r - lower, rtol=1e-13)
    assert upper[2] > 1
    np.testing.assert_array_equal(symmetric_interval([1, -1, np.nan], 4).lower, [1, -1, np.nan])
    with pytest.raises(ValueError, match="n of at least 4"):
        symmetric_interval(0.5, 3)
    with pytest.raises(ValueError, match="confidence level"):
        symmetric_interval(0.5, 5, confidence_level=0)


def test_the_critical_value_of_r_is_that_of_students_test():
    r = quantile_of_r(0.975, 0, 8)  # the critical value
    t = stats.t.ppf(0.975, 6)
    assert r == pytest.approx(t / np.sqrt(6 + t**2), abs=1e-12)


def test_symmetric_limits_give_the_usual_interval_of_a_mean():
    estimates, errors = np.array([1.0, 4.0, 2.5]), np.array([0.1, 0.2, 0.3])
    lower, upper = mean_interval(estimates, estimates - 1.96 * errors, estimates + 1.96 * errors)
    half = 1.96 * np.sqrt((errors**2).sum()) / 3
    np.testing.assert_allclose([lower, upper], [2.5 - half, 2.5 + half], rtol=1e-14)


def test_the_mean_of_correlations_is_covered_as_often_as_said():
    # 4,000 draws: the standard error of a coverage of 0.95 is 0.0034
    rng = np.random.default_rng(5)
    rhos, sizes, draws = (0.95, 0.7, 0.8), (12, 15, 9), 4_000
    found = []
    for rho, n in zip(rhos, sizes, strict=True):
        x, noise = rng.normal(size=(2, draws, n))
        y = rho * x + np.sqrt(1 - rho**2) * noise
        x, y = (v - v.mean(axis=1, keepdims=True) for v in (x, y))
        r = (x * y).sum(axis=1) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
        found.append((r, *fisher_interval(r, n)))
    lower, upper = mean_interval(*(np.stack(part) for part in zip(*found, strict=True)))
    covered = ((lower <= np.mean(rhos)) & (np.mean(rhos) <= upper)).mean()
    assert covered == pytest.approx(0.95, abs=0.0136)


def test_quantiles_near_one_are_found_element_by_element():
    near = 1 - np.array([1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-14])
    rho, n, p = np.meshgrid([*near, *-near], [4, 12, 1000, 100_000], [1e-4, 0.025, 0.5, 0.975])
    r = quantile_of_r(p, rho, n)
    assert (np.diff(np.arctanh(r[..., :3, :]), axis=-1) > 0).all()
    told_apart = np.abs(rho) < 1 - 1e-7
    below = distribution_function_of_r(r, rho, n)
    np.testing.assert_allclose(below[told_apart], p[told_apart], rtol=1e-5)
