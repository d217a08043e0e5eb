"""Zou's interval for a difference of correlations, and the test that inverts it."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from supersample.inference.arguments import Alternative, check_confidence_level
from supersample.inference.results import HypothesisTest, Interval
from supersample.inference.two_correlations.statistics import normal_test

_HALVINGS = 64  # of a range that starts below 20 sqrt(n): q to the last digits of a double
_SATURATED = 20.0  # tanh of it is 1 in doubles


def zou_interval(
    r_a: NDArray[np.float64],
    r_b: NDArray[np.float64],
    n_a: NDArray[np.float64],
    n_b: NDArray[np.float64],
    uncorrelated: NDArray[np.float64],
    confidence_level: float,
) -> Interval:
    """Interval for r_a - r_b, with ``uncorrelated`` = 1 - c (1 for independent correlations)."""
    check_confidence_level(confidence_level)
    q = np.asarray(ndtri((1 + confidence_level) / 2))
    below_a, above_a = _arms(r_a, n_a, q)
    below_b, above_b = _arms(r_b, n_b, q)
    return Interval(
        np.asarray(r_a - r_b - _joint(below_a, above_b, uncorrelated)),
        np.asarray(r_a - r_b + _joint(above_a, below_b, uncorrelated)),
    )


def zou_test(
    r_a: NDArray[np.float64],
    r_b: NDArray[np.float64],
    n_a: NDArray[np.float64],
    n_b: NDArray[np.float64],
    uncorrelated: NDArray[np.float64],
    alternative: Alternative,
) -> HypothesisTest:
    """Test whose statistic is the normal quantile at which the interval's limit is 0, signed.

    The limit nearer to 0 crosses it once as the quantile grows, so halving finds it.
    """
    swap = r_a < r_b
    high, low = np.maximum(r_a, r_b), np.minimum(r_a, r_b)
    n_high, n_low = np.where(swap, n_b, n_a), np.where(swap, n_a, n_b)
    most = _SATURATED * np.sqrt(np.maximum(n_high, n_low) - 3)
    shape = np.broadcast_shapes(high.shape, most.shape, uncorrelated.shape)
    left, right = np.zeros(shape), np.broadcast_to(most, shape).copy()

    def excludes_zero(q: NDArray[np.float64]) -> NDArray[np.bool_]:
        below, above = _arms(high, n_high, q)[0], _arms(low, n_low, q)[1]
        return np.asarray(high - low > _joint(below, above, uncorrelated))

    never = excludes_zero(right)
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        out = excludes_zero(middle)
        left, right = np.where(out, middle, left), np.where(out, right, middle)
    size = np.where(never, np.inf, np.where(high == low, 0.0, right))
    return normal_test(np.where(np.isnan(high), np.nan, np.sign(r_a - r_b) * size), alternative)


def _arms(
    r: NDArray[np.float64], n: NDArray[np.float64], q: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far Fisher's limits ``tanh(arctanh(r) -+ q / sqrt(n - 3))`` lie below and above r."""
    t = np.tanh(q / np.sqrt(n - 3))
    most = t * (1 - r**2)
    with np.errstate(invalid="ignore"):  # |r| = 1 and t = 1
        below = np.where(np.abs(r) == 1, 0.0, most / (1 - r * t))
        above = np.where(np.abs(r) == 1, 0.0, most / (1 + r * t))
    return below, above


def _joint(
    x: NDArray[np.float64], y: NDArray[np.float64], uncorrelated: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``sqrt(x^2 + y^2 - 2 c x y)``, with 1 - c given."""
    return np.asarray(np.sqrt((x - y) ** 2 + 2 * np.maximum(uncorrelated, 0.0) * (x * y)))
