"""How far apart two sample correlations of normal variables vary, for large n.

Each function returns n times ``sqrt(var r_a var r_b) - cov(r_a, r_b)``, which is
``(1 - r_a^2)(1 - r_b^2)(1 - c)`` with c the correlation of the two sample correlations (and, to the
same order, of their Fisher z's). Every large-sample test of the family is built on it.
"""

import numpy as np
from numpy.typing import NDArray


def overlapping_gap(
    r12: NDArray[np.float64], r13: NDArray[np.float64], r23: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Gap of r12 and r13, which share variable 1.

    The covariance of Pearson and Filon (1898; Steiger 1980, equation 3; Olkin 1967),
    ``r23 (1 - r12^2 - r13^2) - r12 r13 (1 - r12^2 - r13^2 - r23^2) / 2``, is subtracted on paper
    here, so that nothing cancels between metrics that are nearly one.
    """
    product = r12 * r13
    squared_difference = (r12 - r13) ** 2
    squares = squared_difference + 2 * product
    shared = 1 - squares + product * (1 + r23) / 2
    return np.asarray((1 - r23) * shared - product * squared_difference / 2)


def non_overlapping_gap(
    r12: NDArray[np.float64],
    r34: NDArray[np.float64],
    r13: NDArray[np.float64],
    r14: NDArray[np.float64],
    r23: NDArray[np.float64],
    r24: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Gap of r12 and r34, which share no variable.

    With the covariance of Pearson and Filon (1898; Steiger 1980, equation 2), half of
    ``(r13 - r12 r23)(r24 - r23 r34) + (r14 - r13 r34)(r23 - r12 r13)
    + (r13 - r14 r34)(r24 - r12 r14) + (r14 - r12 r24)(r23 - r24 r34)``.
    """
    twice_covariance = (
        (r13 - r12 * r23) * (r24 - r23 * r34)
        + (r14 - r13 * r34) * (r23 - r12 * r13)
        + (r13 - r14 * r34) * (r24 - r12 * r14)
        + (r14 - r12 * r24) * (r23 - r24 * r34)
    )
    return np.asarray((1 - r12**2) * (1 - r34**2) - twice_covariance / 2)


def variance_of_difference(
    r_a: NDArray[np.float64], r_b: NDArray[np.float64], gap: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Large-sample variance of ``r_a - r_b``, times n.

    ``(1 - r_a^2)^2 + (1 - r_b^2)^2 - 2 cov``, as ``(r_a^2 - r_b^2)^2 + 2 gap``.
    """
    return np.asarray(((r_a - r_b) * (r_a + r_b)) ** 2 + 2 * gap)


def uncorrelated_share(
    r_a: NDArray[np.float64], r_b: NDArray[np.float64], gap: NDArray[np.float64]
) -> NDArray[np.float64]:
    """``1 - c``, c the correlation of the two sample correlations; 1 where |r_a| or |r_b| is 1.

    There c is 0/0, and no result depends on it: the difference of the z's is infinite, and the
    limits of Zou's interval lie at r itself.
    """
    scale = (1 - r_a**2) * (1 - r_b**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(scale == 0, 1.0, gap / scale)
