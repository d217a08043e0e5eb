"""Tests and intervals for two correlations from independent samples.

The package describes arguments, results and errors.
"""

import numpy as np
from numpy.typing import ArrayLike

from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    correlations,
    sample_size,
)
from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    normal_test,
    studentized,
    zou_interval,
    zou_test,
)


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
    r1: ArrayLike, r2: ArrayLike, n1: ArrayLike, n2: ArrayLike, *, confidence_level: float = 0.95
) -> Interval:
    """Zou's interval for r1 - r2, from Fisher's interval for each.

    With Fisher's limits (l1, u1) and (l2, u2)::

        lower = r1 - r2 - sqrt((r1 - l1)^2 + (u2 - r2)^2)
        upper = r1 - r2 + sqrt((u1 - r1)^2 + (r2 - l2)^2)

    Where |r1| or |r2| is 1, its limits coincide with it.

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
) -> tuple[Floats, Floats, Floats, Floats]:
    a, b = correlations(r1=r1, r2=r2)
    sizes = [sample_size(n, smallest=4, formula=formula) for n in (n1, n2)]
    return a, b, sizes[0], sizes[1]
