"""The exact interval for rho inverts the distribution of r."""

import numpy as np
import pytest
from scipy import stats

from supersample.inference.one_correlation.distribution_of_r import (
    distribution_function_of_r,
    quantile_of_r,
)
from supersample.inference.one_correlation.exact_interval import exact_interval
from supersample.inference.one_correlation.intervals import fisher_interval

R = np.array([-0.999, -0.5, 0.0, 0.91])[:, np.newaxis]
N = np.array([4, 5, 12, 1000, 100_000])


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_its_limits_have_the_tails_they_promise(level):
    lower, upper = exact_interval(R, N, confidence_level=level)
    tail = (1 - level) / 2
    at_lower, at_upper = (distribution_function_of_r(R, rho, N) for rho in (lower, upper))
    np.testing.assert_allclose(at_lower, np.full(lower.shape, 1 - tail), atol=1e-9)
    np.testing.assert_allclose(at_upper, np.full(upper.shape, tail), atol=1e-9)


def test_in_large_samples_it_is_fishers():
    np.testing.assert_allclose(exact_interval(R, 10_000), fisher_interval(R, 10_000), atol=2e-4)


def test_it_excludes_zero_exactly_where_students_test_rejects():
    r = quantile_of_r(0.975, 0, 8)  # the critical value
    t = stats.t.ppf(0.975, 6)
    assert r == pytest.approx(t / np.sqrt(6 + t**2), abs=1e-12)
    assert exact_interval(r, 8).lower == pytest.approx(0, abs=1e-9)


def test_edges():
    lower, upper = exact_interval([1, -1, np.nan], 5)
    np.testing.assert_array_equal(lower, [1, -1, np.nan])
    np.testing.assert_array_equal(upper, lower)
    with pytest.raises(ValueError, match="n >= 4"):
        exact_interval(0.5, 3)
    with pytest.raises(ValueError, match="confidence level"):
        exact_interval(0.5, 5, confidence_level=1)
