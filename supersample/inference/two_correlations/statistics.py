"""From a difference and its variance to a statistic and a p-value."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from supersample.inference.arguments import Alternative, check_alternative
from supersample.inference.results import HypothesisTest


def difference_of_z(r_a: NDArray[np.float64], r_b: NDArray[np.float64]) -> NDArray[np.float64]:
    """``arctanh(r_a) - arctanh(r_b)``, 0 where both are equal and infinite where one |r| is 1.

    As ``log1p(2 (r_a - r_b) / ((1 - r_a)(1 + r_b))) / 2`` for the larger one first, which neither
    cancels for close correlations nor meets infinity minus infinity.
    """
    high, low = np.maximum(r_a, r_b), np.minimum(r_a, r_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.log1p(2 * (high - low) / ((1 - high) * (1 + low))) / 2
    return np.where(r_a == r_b, 0.0, np.sign(r_a - r_b) * size)


def mean_by_z(r_a: NDArray[np.float64], r_b: NDArray[np.float64]) -> NDArray[np.float64]:
    """``tanh((arctanh(r_a) + arctanh(r_b)) / 2)``, 0 where they are opposite, 1 and -1 included."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.tanh((np.arctanh(r_a) + np.arctanh(r_b)) / 2)
    return np.where(r_a == -r_b, 0.0, mean)


def studentized(
    difference: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``difference / sqrt(variance)``, 0 where there is no difference.

    A difference of exactly 0 is 0 standard errors, whatever the variance. Another difference is
    infinitely many where the variance is 0, and NaN where a formula gives a negative variance.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = difference / np.sqrt(variance)
    return np.where(difference == 0, 0.0, statistic)


def normal_test(statistic: NDArray[np.float64], alternative: Alternative) -> HypothesisTest:
    """Test of a statistic that is standard normal under the null hypothesis."""
    check_alternative(alternative)
    if alternative == "two-sided":
        p_value = 2 * ndtr(-np.abs(statistic))
    else:
        p_value = ndtr(-statistic if alternative == "greater" else statistic)
    return HypothesisTest(np.asarray(statistic), np.asarray(p_value))


def t_test(
    statistic: NDArray[np.float64],
    degrees_of_freedom: NDArray[np.float64],
    alternative: Alternative,
) -> HypothesisTest:
    """Test of a statistic that is Student's t under the null hypothesis."""
    check_alternative(alternative)
    if alternative == "two-sided":
        p_value = 2 * stdtr(degrees_of_freedom, -np.abs(statistic))
    else:
        p_value = stdtr(degrees_of_freedom, -statistic if alternative == "greater" else statistic)
    return HypothesisTest(np.asarray(statistic), np.asarray(p_value))
