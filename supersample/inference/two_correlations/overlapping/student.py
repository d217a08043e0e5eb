"""Student's t for r12 - r13: Hotelling's test and its two successors."""

import numpy as np
from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    determinant,
    overlapping_correlations,
    sample_size,
)
from supersample.inference.results import HypothesisTest
from supersample.inference.two_correlations.statistics import studentized, t_test


def hotelling1940(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Hotelling's t-test of r12 = r13, n - 3 degrees of freedom.

    ``t = (r12 - r13) sqrt((n - 3)(1 + r23) / (2 |R|))`` with
    ``|R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``. It supposes the metrics' scores fixed, and
    rejects too often where they are random; Williams' test was made for that.

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
        t and its p-value. t is 0 where r12 = r13, identical metrics included; infinite where |R| is
        0 otherwise; NaN for opposite metrics (r23 = -1, r12 = -r13 not 0), where the formula is 0/0
        with a limit that depends on the way there.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Hotelling (1940), "The selection of variates for use in prediction", Annals of Mathematical
    Statistics 11, equation 7.

    Examples
    --------
    >>> t, p = hotelling1940(0.5, 0.2, 0.3, 50)
    >>> print(f"t = {t:.3f}, p = {p:.4f}")
    t = 2.011, p = 0.0501
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="hotelling1940")
    det = np.maximum(determinant(a, b, c), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # r23 = -1, see Returns
        variance = 2 * det / ((size - 3) * (1 + c))
    return t_test(studentized(a - b, variance), size - 3, alternative)


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
        t and its p-value. t is 0 where r12 = r13, identical metrics included; NaN for opposite
        metrics (r23 = -1, r12 = -r13 not 0), where the formula is 0/0 with a limit that depends on
        the way there. For r12 = 1 (so that r13 = r23 = r) it is ``2 sqrt((n - 1)/(1 - r^2))``.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Williams (1959), "The comparison of regression variables", JRSS B 21; in the form of Steiger
    (1980), "Tests for comparing elements of a correlation matrix", Psychological Bulletin 87,
    equation 7. Several later printings drop the cube or misplace a bracket.

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


def hendrickson1970(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Hendrickson, Stanley and Hills' t-test of r12 = r13, n - 3 degrees of freedom.

    ``t = (r12 - r13) sqrt((n - 3)(1 + r23) / (2 |R| + (r12 - r13)^2 (1 - r23)^3 / (4 (n - 1))))``
    with ``|R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``. Their version of Williams' test: the
    difference stands where his formula has the sum, so that it lies close to Hotelling's.

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
        t and its p-value. t is 0 where r12 = r13, identical metrics included, and for opposite
        metrics (r23 = -1), where 1 + r23 makes the numerator 0 whatever the difference.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the three are impossible together, n < 4, or the
        alternative is unknown.

    References
    ----------
    Hendrickson, Stanley and Hills (1970), "Olkin's new formula for significance of r13 vs. r23
    compared with Hotelling's method", American Educational Research Journal 7, p. 193.

    Examples
    --------
    >>> t, p = hendrickson1970(0.5, 0.2, 0.3, 50)
    >>> print(f"t = {t:.3f}, p = {p:.4f}")
    t = 2.011, p = 0.0501
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="hendrickson1970")
    det = np.maximum(determinant(a, b, c), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # r23 = -1, see Returns
        variance = (2 * det + (a - b) ** 2 * (1 - c) ** 3 / (4 * (size - 1))) / (
            (size - 3) * (1 + c)
        )
    return t_test(studentized(a - b, variance), size - 3, alternative)
