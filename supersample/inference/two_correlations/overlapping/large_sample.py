"""Normal tests of r12 - r13 as it stands, by its large-sample variance."""

from numpy.typing import ArrayLike

from supersample.inference.arguments import Alternative, overlapping_correlations, sample_size
from supersample.inference.results import HypothesisTest
from supersample.inference.two_correlations.asymptotic import (
    overlapping_gap,
    variance_of_difference,
)
from supersample.inference.two_correlations.statistics import normal_test, studentized


def pearson1898(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Pearson and Filon's z-test of r12 = r13.

    ``z = (r12 - r13) sqrt(n) / sqrt((1 - r12^2)^2 + (1 - r13^2)^2 - 2 k)`` with
    ``k = r23 (1 - r12^2 - r13^2) - r12 r13 (1 - r12^2 - r13^2 - r23^2) / 2``

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
        z and its p-value. z is 0 where r12 = r13, identical metrics included, and infinite where
        r12 = -r13 = 1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Pearson and Filon (1898), Philosophical Transactions A 191, equation 37; in the form of Steiger
    (1980), Psychological Bulletin 87, equations 3 and 4.

    Examples
    --------
    >>> z, p = pearson1898(0.5, 0.2, 0.3, 50)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 2.004, p = 0.0450
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="pearson1898")
    variance = variance_of_difference(a, b, overlapping_gap(a, b, c)) / size
    return normal_test(studentized(a - b, variance), alternative)


def olkin1967(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Olkin's z-test of r12 = r13.

    ``z = (r12 - r13) sqrt(n) / sqrt((1 - r12^2)^2 + (1 - r13^2)^2 - 2 r23^3
    - (2 r23 - r12 r13)(1 - r12^2 - r13^2 - r23^2))``. Multiplied out this is `pearson1898`, and it
    is computed as such; both names are in use.

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
        z and its p-value. z is 0 where r12 = r13, identical metrics included, and infinite where
        r12 = -r13 = 1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Olkin (1967), "Correlations revisited", in Stanley (ed.), Improving Experimental Design and
    Statistical Analysis, p. 112, misprinted there; corrected by Hendrickson and Collins (1970),
    American Educational Research Journal 7, p. 639, who have n - 1 for n; with n in Hittner, May
    and Silver (2003), Journal of General Psychology 130, p. 152.

    Examples
    --------
    >>> z, p = olkin1967(0.5, 0.2, 0.3, 50)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 2.004, p = 0.0450
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="olkin1967")
    variance = variance_of_difference(a, b, overlapping_gap(a, b, c)) / size
    return normal_test(studentized(a - b, variance), alternative)
