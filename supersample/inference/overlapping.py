"""Tests and intervals for two correlations that share a variable.

Variable 1 is the shared one (the human scores): r12 against r13, with r23 between the metrics.
"""

import numpy as np
from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    determinant,
    overlapping_correlations,
    sample_size,
)
from supersample.inference.intervals import fisher_interval
from supersample.inference.results import HypothesisTest, Interval
from supersample.inference.statistics import studentized, t_test


def williams1959(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Williams' t-test of r12 = r13, n - 3 degrees of freedom.

    ``t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 |R| (n - 1)/(n - 3) + m^2 (1 - r23)^3))`` with
    ``|R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23`` and ``m = (r12 + r13) / 2``

    Parameters
    ----------
    r12, r13, r23 : array_like
        Pearson correlations, the shared variable first.
    n : array_like
        How many systems (or hybrids) they rest on, at least 4.
    alternative : {"two-sided", "greater", "less"}
        "greater" is r12 > r13.

    Returns
    -------
    HypothesisTest
        t and its p-value. Where r12 = r13 exactly, t is 0; identical metrics (r23 = 1) included.
        Opposite metrics (r23 = -1, r12 = -r13 not 0) make the formula 0/0, with a limit that
        depends on the way there: NaN.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Williams (1959), "The comparison of regression variables", JRSS B 21; as Steiger (1980), "Tests
    for comparing elements of a correlation matrix", Psychological Bulletin 87, equation 7 gives it.

    Examples
    --------
    >>> t, p = williams1959(0.971, 0.881, 0.9, 12, alternative="greater")
    >>> print(f"t = {t:.3f}, p = {p:.4f}")
    t = 2.491, p = 0.0172
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="williams1959")
    det = np.maximum(determinant(a, b, c), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # r23 = -1, see Returns
        variance = (2 * det * (size - 1) / (size - 3) + ((a + b) / 2) ** 2 * (1 - c) ** 3) / (
            (size - 1) * (1 + c)
        )
    return t_test(studentized(a - b, variance), size - 3, alternative)


def zou2007(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Zou's interval for r12 - r13, from Fisher's interval for each.

    With Fisher's limits (l2, u2) for r12 and (l3, u3) for r13::

        lower = r12 - r13 - sqrt((r12 - l2)^2 + (u3 - r13)^2 - 2 c (r12 - l2)(u3 - r13))
        upper = r12 - r13 + sqrt((u2 - r12)^2 + (r13 - l3)^2 - 2 c (u2 - r12)(r13 - l3))
        c = ((r23 - r12 r13 / 2)(1 - r12^2 - r13^2 - r23^2) + r23^3) / ((1 - r12^2)(1 - r13^2))

    Parameters
    ----------
    r12, r13, r23 : array_like
        Pearson correlations, the shared variable first.
    n : array_like
        How many systems (or hybrids) they rest on, at least 4.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Where |r12| or |r13| is 1 its own limits coincide, and the term in c is 0 whatever c.
        Identical metrics get what the formula gives, an interval about 0 that is not [0, 0]:
        Fisher's limits are not symmetric about r.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        confidence level is not between 0 and 1.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, section on overlapping correlations.

    Examples
    --------
    >>> lower, upper = zou2007(0.396, 0.179, 0.088, 66)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    -0.093 to 0.517
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="zou2007")
    first = fisher_interval(a, size, confidence_level=confidence_level)
    second = fisher_interval(b, size, confidence_level=confidence_level)
    between = (1 - a**2) * (1 - b**2)
    covariance = (c - a * b / 2) * (1 - a**2 - b**2 - c**2) + c**3
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.where(between == 0, 0.0, covariance / between)
    below_a, above_a = a - first.lower, first.upper - a
    below_b, above_b = b - second.lower, second.upper - b
    lower = below_a**2 + above_b**2 - 2 * correlation * below_a * above_b
    upper = above_a**2 + below_b**2 - 2 * correlation * above_a * below_b
    return Interval(
        np.asarray(a - b - np.sqrt(np.maximum(lower, 0.0))),
        np.asarray(a - b + np.sqrt(np.maximum(upper, 0.0))),
    )
