"""Zou's interval for r12 - r34, and the test that inverts it."""

from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    non_overlapping_correlations,
    sample_size,
)
from supersample.inference.results import HypothesisTest, Interval
from supersample.inference.two_correlations.asymptotic import (
    non_overlapping_gap,
    uncorrelated_share,
)
from supersample.inference.two_correlations.zou import zou_interval, zou_test


def zou2007(
    r12: ArrayLike,
    r34: ArrayLike,
    r13: ArrayLike,
    r14: ArrayLike,
    r23: ArrayLike,
    r24: ArrayLike,
    n: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Zou's interval for r12 - r34, from Fisher's interval for each.

    With Fisher's limits (l12, u12) and (l34, u34)::

        lower = r12 - r34 - sqrt((r12 - l12)^2 + (u34 - r34)^2 - 2 c (r12 - l12)(u34 - r34))
        upper = r12 - r34 + sqrt((u12 - r12)^2 + (r34 - l34)^2 - 2 c (u12 - r12)(r34 - l34))
        c = (r12 r34 (r13^2 + r14^2 + r23^2 + r24^2) / 2 + r13 r24 + r14 r23
             - (r12 r13 r14 + r12 r23 r24 + r13 r23 r34 + r14 r24 r34))
            / ((1 - r12^2)(1 - r34^2))

    Parameters
    ----------
    r12, r34 : array_like
        The two Pearson correlations compared.
    r13, r14, r23, r24 : array_like
        The four between their variables.
    n : array_like
        How many systems (or hybrids) they rest on, at least 4.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Where |r12| or |r34| is 1 its own limits coincide with it, and the term in c is 0.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        confidence level is not between 0 and 1.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, pp. 409-410; in the worked example c is
    0.0891, not 0.0917 as printed.

    Examples
    --------
    >>> lower, upper = zou2007(0.396, 0.189, 0.208, 0.143, 0.023, 0.423, 66)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    -0.096 to 0.501
    """
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="zou2007")
    uncorrelated = uncorrelated_share(a, b, non_overlapping_gap(a, b, *cross))
    return zou_interval(a, b, size, size, uncorrelated, confidence_level)


def zou2007_test(
    r12: ArrayLike,
    r34: ArrayLike,
    r13: ArrayLike,
    r14: ArrayLike,
    r23: ArrayLike,
    r24: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Test of r12 = r34 by inverting `zou2007`.

    The p-value is 1 minus the confidence level at which a limit of the interval meets 0.

    Parameters
    ----------
    r12, r34 : array_like
        The two Pearson correlations compared.
    r13, r14, r23, r24 : array_like
        The four between their variables.
    n : array_like
        How many systems (or hybrids) they rest on, at least 4.
    alternative : {"two-sided", "greater", "less"}
        "greater" is r12 > r34.

    Returns
    -------
    HypothesisTest
        The normal quantile at which the interval has 0 as a limit, with the sign of r12 - r34, and
        its p-value: below 1 - confidence_level exactly where the interval excludes 0. The statistic
        is 0 where r12 = r34, and infinite where no interval reaches 0.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, pp. 409-410; the inversion is ours.

    Examples
    --------
    >>> z, p = zou2007_test(0.396, 0.189, 0.208, 0.143, 0.023, 0.423, 66)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 1.337, p = 0.1812
    """
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="zou2007")
    uncorrelated = uncorrelated_share(a, b, non_overlapping_gap(a, b, *cross))
    return zou_test(a, b, size, size, uncorrelated, alternative)
