"""Tests and intervals for two correlations from independent samples."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.inference.arguments import Alternative, correlations, sample_size
from supersample.inference.results import HypothesisTest, Interval
from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    normal_test,
    studentized,
)
from supersample.inference.two_correlations.zou import zou_interval, zou_test


def fisher1925(
    r1: ArrayLike,
    r2: ArrayLike,
    n1: ArrayLike,
    n2: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Fisher's z-test of r1 = r2.

    ``z = (arctanh(r1) - arctanh(r2)) / sqrt(1/(n1 - 3) + 1/(n2 - 3))``

    Parameters
    ----------
    r1, r2 : array_like
        Pearson correlations of two samples with nothing in common.
    n1, n2 : array_like
        How many systems (or hybrids) each rests on, at least 4.
    alternative : {"two-sided", "greater", "less"}
        "greater" is r1 > r2.

    Returns
    -------
    HypothesisTest
        z and its p-value. z is 0 where r1 = r2, and infinite where just one of them is 1 or -1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], n1 or n2 < 4, or the alternative is unknown.

    References
    ----------
    Fisher (1925), Statistical Methods for Research Workers, pp. 161-168.

    Examples
    --------
    >>> z, p = fisher1925(0.4, 0.5, 100, 100)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = -0.875, p = 0.3815
    """
    a, b, size_1, size_2 = _checked(r1, r2, n1, n2, "fisher1925")
    variance = 1 / (size_1 - 3) + 1 / (size_2 - 3)
    return normal_test(studentized(difference_of_z(a, b), variance), alternative)


def zou2007(
    r1: ArrayLike,
    r2: ArrayLike,
    n1: ArrayLike,
    n2: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Zou's interval for r1 - r2, from Fisher's interval for each.

    With Fisher's limits (l1, u1) and (l2, u2)::

        lower = r1 - r2 - sqrt((r1 - l1)^2 + (u2 - r2)^2)
        upper = r1 - r2 + sqrt((u1 - r1)^2 + (r2 - l2)^2)

    Parameters
    ----------
    r1, r2 : array_like
        Pearson correlations of two samples with nothing in common.
    n1, n2 : array_like
        How many systems (or hybrids) each rests on, at least 4.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Where |r1| or |r2| is 1 its own limits coincide with it.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], n1 or n2 < 4, or the confidence level is not between
        0 and 1.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, p. 409.

    Examples
    --------
    >>> lower, upper = zou2007(0.49, 0.36, 145, 87)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    -0.087 to 0.359
    """
    a, b, size_1, size_2 = _checked(r1, r2, n1, n2, "zou2007")
    return zou_interval(a, b, size_1, size_2, np.ones(()), confidence_level)


def zou2007_test(
    r1: ArrayLike,
    r2: ArrayLike,
    n1: ArrayLike,
    n2: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Test of r1 = r2 by inverting `zou2007`.

    The p-value is 1 minus the confidence level at which a limit of the interval meets 0.

    Parameters
    ----------
    r1, r2 : array_like
        Pearson correlations of two samples with nothing in common.
    n1, n2 : array_like
        How many systems (or hybrids) each rests on, at least 4.
    alternative : {"two-sided", "greater", "less"}
        "greater" is r1 > r2.

    Returns
    -------
    HypothesisTest
        The normal quantile at which the interval has 0 as a limit, with the sign of r1 - r2, and
        its p-value: below 1 - confidence_level exactly where the interval excludes 0. The statistic
        is 0 where r1 = r2, and infinite where no interval reaches 0.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], n1 or n2 < 4, or the alternative is unknown.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, p. 409; the inversion is ours.

    Examples
    --------
    >>> z, p = zou2007_test(0.49, 0.36, 145, 87)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 1.157, p = 0.2472
    """
    a, b, size_1, size_2 = _checked(r1, r2, n1, n2, "zou2007")
    return zou_test(a, b, size_1, size_2, np.ones(()), alternative)


def _checked(
    r1: ArrayLike, r2: ArrayLike, n1: ArrayLike, n2: ArrayLike, formula: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    a, b = correlations(r1=r1, r2=r2)
    sizes = [sample_size(n, smallest=4, formula=formula) for n in (n1, n2)]
    return a, b, sizes[0], sizes[1]
