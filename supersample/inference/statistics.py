"""From a difference and its variance to a statistic and a p-value."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from supersample.inference.arguments import Alternative, check_alternative
from supersample.inference.results import HypothesisTest


def studentized(
    difference: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``difference / sqrt(variance)``, 0 for no difference and infinite where nothing varies.

    A difference of exactly 0 is 0 standard errors whatever the standard error, 0 included; another
    difference at variance 0 (or below it, by rounding) is infinitely many. NaN stays NaN.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = difference / np.sqrt(np.maximum(variance, 0.0))
    return np.where((difference == 0) & ~np.isnan(variance), 0.0, statistic)


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
