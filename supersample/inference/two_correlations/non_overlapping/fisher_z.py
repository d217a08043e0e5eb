"""Normal tests of r12 = r34 on Fisher's z scale."""

from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    non_overlapping_correlations,
    sample_size,
)
from supersample.inference.results import HypothesisTest
from supersample.inference.two_correlations.asymptotic import (
    non_overlapping_gap,
    uncorrelated_share,
)
from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    mean_by_z,
    normal_test,
    studentized,
)


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
        z and its p-value. z is 0 where r12 = r34, and infinite where just one of them is 1 or -1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        alternative is unknown.

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
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="dunn1969")
    share = uncorrelated_share(a, b, non_overlapping_gap(a, b, *cross))
    return normal_test(studentized(difference_of_z(a, b), 2 * share / (size - 3)), alternative)


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
        z and its p-value. z is 0 where r12 = r34, and infinite where just one of them is 1 or -1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        alternative is unknown.

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
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="steiger1980")
    m = (a + b) / 2
    share = uncorrelated_share(m, m, non_overlapping_gap(m, m, *cross))
    return normal_test(studentized(difference_of_z(a, b), 2 * share / (size - 3)), alternative)


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
        z and its p-value. z is 0 where r12 = r34, and infinite where just one of them is 1 or -1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        alternative is unknown.

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
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="raghunathan1996")
    share = uncorrelated_share(a, b, non_overlapping_gap(a, b, *cross))
    return normal_test(studentized(difference_of_z(a, b), 2 * share / (size - 3)), alternative)


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
        z and its p-value. z is 0 where r12 = r34, and infinite where just one of them is 1 or -1.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        alternative is unknown.

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
    a, b, *cross = non_overlapping_correlations(r12, r34, r13, r14, r23, r24)
    size = sample_size(n, smallest=4, formula="silver2004")
    m = mean_by_z(a, b)
    share = uncorrelated_share(m, m, non_overlapping_gap(m, m, *cross))
    return normal_test(studentized(difference_of_z(a, b), 2 * share / (size - 3)), alternative)
