"""Tests of r12 - r13: Student's t of Hotelling and two successors, and large-sample z tests."""

import numpy as np
from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    HypothesisTest,
    determinant,
    overlapping_correlations,
    sample_size,
)
from supersample.inference.two_correlations.statistics import (
    normal_test,
    overlapping_gap,
    studentized,
    t_test,
    variance_of_difference,
)


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

    t is infinite where |R| is 0 and r12 differs from r13, and NaN for opposite metrics (r23 = -1,
    r12 = -r13 not 0), where the formula is 0/0 with a limit that depends on the path.

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
    with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 at r23 = -1
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

    t is NaN for opposite metrics (r23 = -1, r12 = -r13 not 0), where the formula is 0/0 with a
    limit that depends on the path. For r12 = 1 (so that r13 = r23 = r) it is ``2 sqrt((n -
    1)/(1 - r^2))``.

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
    with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 at r23 = -1
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

    t is 0 for opposite metrics too (r23 = -1), where 1 + r23 makes the numerator 0 whatever the
    difference.

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
    with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 at r23 = -1
        variance = (2 * det + (a - b) ** 2 * (1 - c) ** 3 / (4 * (size - 1))) / (
            (size - 3) * (1 + c)
        )
    return t_test(studentized(a - b, variance), size - 3, alternative)


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

    z is infinite where r12 = -r13 = 1.

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
    return pearson1898(r12, r13, r23, n, alternative=alternative)
