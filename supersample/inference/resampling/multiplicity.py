"""p-values adjusted for how many there are."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control

from supersample.errors import InputError


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down adjustment, which bounds the chance of any false rejection.

    With the m p-values in order, ``adjusted_(i) = max_{j <= i} min(1, (m - j + 1) p_(j))``.

    Parameters
    ----------
    p_values : array_like
        One family of hypotheses, of any shape; NaN ones are not counted among the m.

    Returns
    -------
    ndarray of float64
        Of the same shape, NaN where the p-value is.

    Raises
    ------
    InputError
        If a p-value lies outside [0, 1].

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.06, 0.06,  nan])
    """
    p, counted = _family(p_values)
    family = p[counted]
    order = np.argsort(family, kind="stable")
    stepped = np.maximum.accumulate(family[order] * np.arange(family.size, 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    p[counted] = adjusted
    return p


def benjamini_hochberg(p_values: ArrayLike) -> NDArray[np.float64]:
    """Benjamini and Hochberg's step-up adjustment, which bounds the share of false rejections.

    With the m p-values in order, ``adjusted_(i) = min_{j >= i} min(1, m p_(j) / j)``.

    Parameters
    ----------
    p_values : array_like
        One family of hypotheses, of any shape; NaN ones are not counted among the m.

    Returns
    -------
    ndarray of float64
        Of the same shape, NaN where the p-value is.

    Raises
    ------
    InputError
        If a p-value lies outside [0, 1].

    References
    ----------
    Benjamini and Hochberg (1995), "Controlling the false discovery rate", JRSS B 57; computed by
    `scipy.stats.false_discovery_control`.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.04, 0.04,  nan])
    """
    p, counted = _family(p_values)
    if counted.any():
        p[counted] = false_discovery_control(p[counted], method="bh")
    return p


def _family(p_values: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Copy the p-values, and say which of them are defined."""
    p = np.array(p_values, dtype=np.float64)
    outside = (p < 0) | (p > 1)
    if outside.any():
        raise InputError(f"a p-value lies in [0, 1], not at {p[outside].flat[0]:g}")
    return p, np.asarray(~np.isnan(p))
