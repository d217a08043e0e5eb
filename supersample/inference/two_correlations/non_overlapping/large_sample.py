"""Normal test of r12 - r34 as it stands, by its large-sample variance."""

from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    non_overlapping_correlations,
    sample_size,
)
from supersample.inference.results import HypothesisTest
from supersample.inference.two_correlations.asymptotic import (
    non_overlapping_gap,
    variance_of_difference,
)
from supersample.inference.two_correlations.statistics import normal_test, studentized


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
        z and its p-value. z is 0 where r12 = r34, and infinite where otherwise its
        large-sample variance is 0.

    Raises
    ------
    ValueError
        If a correlation lies outside [-1, 1], the six are impossible together, n < 4, or the
        alternative is unknown.

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
