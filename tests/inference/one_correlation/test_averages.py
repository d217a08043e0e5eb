import numpy as np
import pytest

from supersample.inference.one_correlation.averages import mean_interval
from supersample.inference.one_correlation.intervals import fisher_interval


def test_symmetric_limits_give_the_usual_interval_of_a_mean():
    estimates, errors = np.array([1.0, 4.0, 2.5]), np.array([0.1, 0.2, 0.3])
    lower, upper = mean_interval(estimates, estimates - 1.96 * errors, estimates + 1.96 * errors)
    half = 1.96 * np.sqrt((errors**2).sum()) / 3
    np.testing.assert_allclose([lower, upper], [2.5 - half, 2.5 + half], rtol=1e-14)


def test_one_estimate_keeps_its_own_limits():
    lower, upper = mean_interval([[0.9, 0.1]], [[0.5, -0.4]], [[0.97, 0.6]])
    np.testing.assert_allclose([lower, upper], [[0.5, -0.4], [0.97, 0.6]])


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


def test_missing_limits_stay_missing_and_nothing_is_refused():
    lower, upper = mean_interval([0.5, 0.6], [np.nan, 0.2], [np.nan, 0.8])
    assert np.isnan(lower)
    assert np.isnan(upper)
    with pytest.raises(ValueError, match="no estimate"):
        mean_interval([], [], [])
    with pytest.raises(ValueError, match="differ in shape"):
        mean_interval([1.0], [[1.0]], [1.0])
