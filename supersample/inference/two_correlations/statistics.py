"""Building blocks of the tests: variances, statistics with p-values, and Zou's interval."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    check_alternative,
    check_confidence_level,
)

_HALVINGS = 64  # of a range that starts below 20 sqrt(n): q to the last digits of a double
_SATURATED = 20.0  # tanh of it is 1 in doubles


def overlapping_gap(r12: Floats, r13: Floats, r23: Floats) -> Floats:
    """Gap of r12 and r13, which share variable 1.

    The covariance of Pearson and Filon (1898; Steiger 1980, equation 3; Olkin 1967),
    ``r23 (1 - r12^2 - r13^2) - r12 r13 (1 - r12^2 - r13^2 - r23^2) / 2``, is subtracted on paper
    here, so that nothing cancels between metrics that are nearly one.
    """
    product = r12 * r13
    squared_difference = (r12 - r13) ** 2
    squares = squared_difference + 2 * product
    shared = 1 - squares + product * (1 + r23) / 2
    return np.asarray((1 - r23) * shared - product * squared_difference / 2)


def non_overlapping_gap(
    r12: Floats, r34: Floats, r13: Floats, r14: Floats, r23: Floats, r24: Floats
) -> Floats:
    """Gap of r12 and r34, which share no variable.

    With the covariance of Pearson and Filon (1898; Steiger 1980, equation 2), half of
    ``(r13 - r12 r23)(r24 - r23 r34) + (r14 - r13 r34)(r23 - r12 r13)
    + (r13 - r14 r34)(r24 - r12 r14) + (r14 - r12 r24)(r23 - r24 r34)``.
    """
    twice_covariance = (
        (r13 - r12 * r23) * (r24 - r23 * r34)
        + (r14 - r13 * r34) * (r23 - r12 * r13)
        + (r13 - r14 * r34) * (r24 - r12 * r14)
        + (r14 - r12 * r24) * (r23 - r24 * r34)
    )
    return np.asarray((1 - r12**2) * (1 - r34**2) - twice_covariance / 2)


def variance_of_difference(r_a: Floats, r_b: Floats, gap: Floats) -> Floats:
    """Large-sample variance of ``r_a - r_b``, times n.

    ``(1 - r_a^2)^2 + (1 - r_b^2)^2 - 2 cov``, as ``(r_a^2 - r_b^2)^2 + 2 gap``.
    """
    return np.asarray(((r_a - r_b) * (r_a + r_b)) ** 2 + 2 * gap)


def uncorrelated_share(r_a: Floats, r_b: Floats, gap: Floats) -> Floats:
    """``1 - c``, c the correlation of the two sample correlations; 1 where |r_a| or |r_b| is 1.

    At |r| = 1 c is 0/0, and no result depends on it: the difference of the z's is infinite, and the
    limits of Zou's interval lie at r itself.
    """
    scale = (1 - r_a**2) * (1 - r_b**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale == 0, 1.0, gap / scale)


def difference_of_z(r_a: Floats, r_b: Floats) -> Floats:
    """``arctanh(r_a) - arctanh(r_b)``, 0 where both are equal and infinite where one |r| is 1.

    As ``log1p(2 (r_a - r_b) / ((1 - r_a)(1 + r_b))) / 2`` for the larger one first, which neither
    cancels for close correlations nor meets infinity minus infinity.
    """
    high, low = np.maximum(r_a, r_b), np.minimum(r_a, r_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.log1p(2 * (high - low) / ((1 - high) * (1 + low))) / 2
    return np.where(r_a == r_b, 0.0, np.sign(r_a - r_b) * size)


def mean_by_z(r_a: Floats, r_b: Floats) -> Floats:
    """``tanh((arctanh(r_a) + arctanh(r_b)) / 2)``, 0 where they are opposite, 1 and -1 included."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.tanh((np.arctanh(r_a) + np.arctanh(r_b)) / 2)
    return np.where(r_a == -r_b, 0.0, mean)


def studentized(difference: Floats, variance: Floats) -> Floats:
    """``difference / sqrt(variance)``, 0 where there is no difference.

    A difference of exactly 0 is 0 standard errors, whatever the variance. Another difference is
    infinitely many where the variance is 0, and NaN where a formula gives a negative variance.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = difference / np.sqrt(variance)
    return np.where(difference == 0, 0.0, statistic)


def normal_test(statistic: Floats, alternative: Alternative) -> HypothesisTest:
    """Test of a statistic that is standard normal under the null hypothesis."""
    check_alternative(alternative)
    if alternative == "two-sided":
        p_value = 2 * ndtr(-np.abs(statistic))
    else:
        p_value = ndtr(-statistic if alternative == "greater" else statistic)
    return HypothesisTest(np.asarray(statistic), np.asarray(p_value))


def t_test(
    statistic: Floats, degrees_of_freedom: Floats, alternative: Alternative
) -> HypothesisTest:
    """Test of a statistic that is Student's t under the null hypothesis."""
    check_alternative(alternative)
    if alternative == "two-sided":
        p_value = 2 * stdtr(degrees_of_freedom, -np.abs(statistic))
    else:
        p_value = stdtr(degrees_of_freedom, -statistic if alternative == "greater" else statistic)
    return HypothesisTest(np.asarray(statistic), np.asarray(p_value))


def zou_interval(
    r_a: Floats,
    r_b: Floats,
    n_a: Floats,
    n_b: Floats,
    uncorrelated: Floats,
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
    r_a: Floats,
    r_b: Floats,
    n_a: Floats,
    n_b: Floats,
    uncorrelated: Floats,
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

    def excludes_zero(q: Floats) -> NDArray[np.bool_]:
        below, above = _arms(high, n_high, q)[0], _arms(low, n_low, q)[1]
        return np.asarray(high - low > _joint(below, above, uncorrelated))

    never = excludes_zero(right)
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        out = excludes_zero(middle)
        left, right = np.where(out, middle, left), np.where(out, right, middle)
    size = np.where(never, np.inf, np.where(high == low, 0.0, right))
    return normal_test(np.where(np.isnan(high), np.nan, np.sign(r_a - r_b) * size), alternative)


def fisher_arms(r: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Distances of ``tanh(arctanh(r) -+ reach)`` below and above r."""
    t = np.tanh(reach)
    most = t * (1 - r**2)
    with np.errstate(invalid="ignore"):  # |r| = 1 and t = 1
        return most / (1 - r * t), most / (1 + r * t)


def _arms(r: Floats, n: Floats, q: Floats) -> tuple[Floats, Floats]:
    """Distances of Fisher's limits below and above r; 0 where |r| is 1."""
    below, above = fisher_arms(r, q / np.sqrt(n - 3))
    perfect = np.abs(r) == 1
    return np.where(perfect, 0.0, below), np.where(perfect, 0.0, above)


def _joint(x: Floats, y: Floats, uncorrelated: Floats) -> Floats:
    """``sqrt(x^2 + y^2 - 2 c x y)``, with 1 - c given."""
    return np.asarray(np.sqrt((x - y) ** 2 + 2 * np.maximum(uncorrelated, 0.0) * (x * y)))
