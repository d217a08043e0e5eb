"""Tests and intervals for two correlations from one sample that share no variable.

Compared are r12 and r34; r13, r14, r23 and r24 are the correlations between their variables. The
package describes arguments, results and errors.
"""

from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    non_overlapping_correlations,
    sample_size,
)
from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    mean_by_z,
    non_overlapping_gap,
    normal_test,
    studentized,
    uncorrelated_share,
    variance_of_difference,
    zou_interval,
    zou_test,
)


def pearson1898(
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
    """Pearson and Filon's z-test of r12 = r34.

    With::

        z = (r12 - r34) sqrt(n) / sqrt((1 - r12^2)^2 + (1 - r34^2)^2 - k)
        k = (r13 - r12 r23)(r24 - r23 r34) + (r14 - r13 r34)(r23 - r12 r13)
            + (r13 - r14 r34)(r24 - r12 r14) + (r14 - r12 r24)(r23 - r24 r34)

    z is infinite where r12 differs from r34 and the large-sample variance is 0.

    References
    ----------
    Pearson and Filon (1898), Philosophical Transactions A 191, equation 40; in the form of
    Raghunathan, Rosenthal and Rubin (1996), Psychological Methods 1, equations 1 and 2.

    Examples
    --------
    >>> z, p = pearson1898(0.38, 0.25, 0.45, 0.53, 0.31, 0.55, 603)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 2.878, p = 0.0040
    """
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="pearson1898")
    gap = non_overlapping_gap(a, b, *cross)
    variance = variance_of_difference(a, b, gap) / size
    return normal_test(studentized(a - b, variance), alternative)


def dunn1969(
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
    """Dunn and Clark's z-test of r12 = r34.

    With k as in `pearson1898` of this family::

        z = (arctanh(r12) - arctanh(r34)) sqrt((n - 3) / (2 - 2 c))
        c = k / (2 (1 - r12^2)(1 - r34^2))

    References
    ----------
    Dunn and Clark (1969), "Correlation coefficients measured on the same individuals", JASA 64,
    equations 9 and 15.

    Examples
    --------
    >>> z, p = dunn1969(0.3, 0.4, 0.5, 0.8, 0.6, 0.7, 100)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = -1.072, p = 0.2836
    """
    six = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    return _z_test("dunn1969", six, (six[0], six[1]), n, alternative)


def steiger1980(
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
    """Steiger's z-test of r12 = r34: Dunn and Clark's with the mean of both correlations.

    As `dunn1969`, with ``(r12 + r34) / 2`` in place of both r12 and r34 in c.

    References
    ----------
    Steiger (1980), "Tests for comparing elements of a correlation matrix", Psychological Bulletin
    87, equations 11 (brackets missing in print) and 15.

    Examples
    --------
    >>> z, p = steiger1980(0.3, 0.4, 0.5, 0.8, 0.6, 0.7, 100)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = -1.074, p = 0.2827
    """
    six = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    m = (six[0] + six[1]) / 2
    return _z_test("steiger1980", six, (m, m), n, alternative)


def raghunathan1996(
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
    """Raghunathan, Rosenthal and Rubin's z-test of r12 = r34.

    With k as in `pearson1898` of this family::

        z = (arctanh(r12) - arctanh(r34)) sqrt((n - 3) / 2)
            / sqrt(1 - k / (2 (1 - r12^2)(1 - r34^2)))

    Multiplied out this is `dunn1969`, and it is computed as such; both names are in use.

    References
    ----------
    Raghunathan, Rosenthal and Rubin (1996), "Comparing correlated but nonoverlapping
    correlations", Psychological Methods 1, equation 3.

    Examples
    --------
    >>> z, p = raghunathan1996(0.38, 0.25, 0.45, 0.53, 0.31, 0.55, 603)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 2.869, p = 0.0041
    """
    six = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    return _z_test("raghunathan1996", six, (six[0], six[1]), n, alternative)


def silver2004(
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
    """Steiger's z-test with the mean taken on the z scale, by Silver, Hittner and May.

    As `dunn1969`, with ``tanh((arctanh(r12) + arctanh(r34)) / 2)`` in place of both r12 and r34 in
    c.

    References
    ----------
    Silver, Hittner and May (2004), "Testing dependent correlations with nonoverlapping variables",
    Journal of Experimental Education 73, equation 5.

    Examples
    --------
    >>> z, p = silver2004(0.3, 0.4, 0.5, 0.8, 0.6, 0.7, 100)
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = -1.074, p = 0.2830
    """
    six = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    m = mean_by_z(six[0], six[1])
    return _z_test("silver2004", six, (m, m), n, alternative)


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

    Where |r12| or |r34| is 1, its limits coincide with it, and the term in c is 0.

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


def _z_test(
    formula: str,
    six: list[Floats],
    plugged: tuple[Floats, Floats],
    n: ArrayLike,
    alternative: Alternative,
) -> HypothesisTest:
    """Test r12 = r34 on Fisher's scale, with the `plugged` values of the two in c."""
    size = sample_size(n, smallest=4, formula=formula)
    share = uncorrelated_share(*plugged, non_overlapping_gap(*plugged, *six[2:]))
    return normal_test(
        studentized(difference_of_z(six[0], six[1]), 2 * share / (size - 3)), alternative
    )
