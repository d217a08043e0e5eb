"""Meng, Rosenthal and Rubin's test and interval for two correlations that share a variable.

The package describes arguments, results and errors.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from supersample.errors import check_confidence_level
from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    overlapping_correlations,
    sample_size,
)
from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    normal_test,
    studentized,
)


def meng1992(
    r12: ArrayLike,
    r13: ArrayLike,
    r23: ArrayLike,
    n: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Meng, Rosenthal and Rubin's z-test of r12 = r13.

    ``z = (arctanh(r12) - arctanh(r13)) sqrt((n - 3) / (2 (1 - r23) h))`` with
    ``h = (1 - f s) / (1 - s)``, ``f = (1 - r23) / (2 (1 - s))`` but at most 1, and
    ``s = (r12^2 + r13^2) / 2``

    References
    ----------
    Meng, Rosenthal and Rubin (1992), "Comparing correlated correlation coefficients", Psychological
    Bulletin 111, equations 1 to 3.

    Examples
    --------
    >>> z, p = meng1992(0.63, -0.03, -0.19, 15, alternative="greater")
    >>> print(f"z = {z:.3f}, p = {p:.4f}")
    z = 1.679, p = 0.0465
    """
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="meng1992")
    variance = _meng_variance(a, b, c) / (size - 3)
    return normal_test(studentized(difference_of_z(a, b), variance), alternative)


def meng1992_interval(
    r12: ArrayLike, r13: ArrayLike, r23: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95
) -> Interval:
    """Meng, Rosenthal and Rubin's interval, for arctanh(r12) - arctanh(r13).

    ``arctanh(r12) - arctanh(r13) -+ q sqrt(2 (1 - r23) h / (n - 3))``, h as in `meng1992` and q the
    standard normal quantile of ``(1 + confidence_level) / 2``. Its limits are differences of z, not
    of r; it excludes 0 exactly where the two-sided test rejects.

    The limits are [0, 0] for identical metrics (r23 = 1), and both infinite where one of r12
    and r13 is 1 or -1 and the other differs.

    References
    ----------
    Meng, Rosenthal and Rubin (1992), "Comparing correlated correlation coefficients", Psychological
    Bulletin 111, equation 4.

    Examples
    --------
    >>> lower, upper = meng1992_interval(0.63, -0.03, -0.19, 15)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    -0.129 to 1.672
    """
    check_confidence_level(confidence_level)
    a, b, c = overlapping_correlations(r12, r13, r23)
    size = sample_size(n, smallest=4, formula="meng1992")
    margin = ndtri((1 + confidence_level) / 2) * np.sqrt(_meng_variance(a, b, c) / (size - 3))
    difference = difference_of_z(a, b)
    return Interval(np.asarray(difference - margin), np.asarray(difference + margin))


def _meng_variance(r12: Floats, r13: Floats, r23: Floats) -> Floats:
    """``2 (1 - r23) h``, with h written as ``1 + (1 - f) s / (1 - s)`` and 1 where f is capped."""
    s = (r12**2 + r13**2) / 2
    with np.errstate(divide="ignore", invalid="ignore"):  # s = 1
        f = np.minimum((1 - r23) / (2 * (1 - s)), 1.0)
        h = np.where((f == 1) | (s == 1), 1.0, 1 + (1 - f) * s / (1 - s))
    return np.asarray(2 * (1 - r23) * h)
