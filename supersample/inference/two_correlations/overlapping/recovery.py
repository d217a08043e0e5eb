"""Zou's interval for r12 - r13, and the test that inverts it."""

from numpy.typing import ArrayLike

from supersample.inference.arguments import Alternative, overlapping_correlations, sample_size
from supersample.inference.results import HypothesisTest, Interval
from supersample.inference.two_correlations.asymptotic import overlapping_gap, uncorrelated_share
from supersample.inference.two_correlations.zou import zou_interval, zou_test


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
        Where |r12| or |r13| is 1 its own limits coincide with it, and the term in c is 0 whatever
        c. Identical metrics get what the formula gives, an interval about 0 that is not [0, 0]:
        Fisher's limits are not symmetric about r.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        confidence level is not between 0 and 1.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, p. 409.

    Examples
    --------
    >>> lower, upper = zou2007(0.396, 0.179, 0.088, 66)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    -0.093 to 0.517
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="zou2007")
    uncorrelated = uncorrelated_share(a, b, overlapping_gap(a, b, c))
    return zou_interval(a, b, size, size, uncorrelated, confidence_level)


def zou2007_test(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Test of r12 = r13 by inverting `zou2007`.

    The p-value is 1 minus the confidence level at which a limit of the interval meets 0.

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
        The normal quantile at which the interval has 0 as a limit, with the sign of r12 - r13, and
        its p-value: below 1 - confidence_level exactly where the interval excludes 0. The statistic
        is 0 where r12 = r13, and infinite where no interval reaches 0.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12, p. 409; the inversion is ours.

    Examples
    --------
    >>> z, p = zou2007_test(0.396, 0.179, 0.088, 66)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 1.371, p = 0.1705
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="zou2007")
    uncorrelated = uncorrelated_share(a, b, overlapping_gap(a, b, c))
    return zou_test(a, b, size, size, uncorrelated, alternative)
