"""Errors of predictions against gold labels, and predictions moved and rescaled.

Predictions have the shape (..., n), gold labels (n,), in the same units. Errors have the shape
(...), and are NaN where a prediction or label is.
"""

import numpy as np
from numpy.typing import ArrayLike

from supersample.errors import InputError
from supersample.inference.arguments import Floats


def mean_absolute_error(prediction: ArrayLike, gold: ArrayLike) -> Floats:
    """Mean absolute error, ``MAE = sum_i |p_i - g_i| / n``.

    Examples
    --------
    >>> float(mean_absolute_error([1, 2, 6], [1, 1, 1]))
    2.0
    """
    difference = np.asarray(prediction, dtype=np.float64) - np.asarray(gold, dtype=np.float64)
    return np.asarray(np.abs(difference).mean(axis=-1))


def root_mean_squared_error(prediction: ArrayLike, gold: ArrayLike) -> Floats:
    """Root mean squared error, ``RMSE = sqrt(sum_i (p_i - g_i)^2 / n)``.

    Examples
    --------
    >>> float(root_mean_squared_error([1, 2, 8], [1, 1, 1]).round(3))
    4.082
    """
    difference = np.asarray(prediction, dtype=np.float64) - np.asarray(gold, dtype=np.float64)
    return np.asarray(np.sqrt((difference**2).mean(axis=-1)))


def rescale_to_gold(prediction: ArrayLike, gold: ArrayLike, *, share: float = 0.5) -> Floats:
    """Move predictions to the mean of the gold labels and a share of their standard deviation.

    ``(p - mean(p)) / sd(p) share sd(g) + mean(g)``, sd with n - 1. With half the deviation these
    are the rescaled columns of Tables 2 and 3 of Graham (2015). NaN where the predictions do not
    vary. The share is positive, and n at least 2.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL,
    section 2.2.

    Examples
    --------
    >>> rescale_to_gold([10, 20, 30], [1, 2, 3])
    array([1.5, 2. , 2.5])
    """
    p, g = _vectors(prediction, share), _vectors(gold, share)
    target = share * g.std(axis=-1, ddof=1, keepdims=True)
    return np.asarray(_standard(p) * target + g.mean(axis=-1, keepdims=True))


def rescale_to_own(prediction: ArrayLike, *, share: float = 0.5) -> Floats:
    """Draw predictions towards their mean, to a share of their standard deviation.

    ``(p - mean(p)) share + mean(p)``. With half the deviation this is Figure 2b of Graham (2015).
    The share is positive, and n at least 2.

    References
    ----------
    Graham (2015), "Improving evaluation of machine translation quality estimation", ACL, Figure 2.

    Examples
    --------
    >>> rescale_to_own([10, 20, 30])
    array([15., 20., 25.])
    """
    p = _vectors(prediction, share)
    mean = p.mean(axis=-1, keepdims=True)
    return np.asarray((p - mean) * share + mean)


def _vectors(values: ArrayLike, share: float) -> Floats:
    if not share > 0:
        raise InputError(f"the share of a standard deviation is positive, not {share}")
    array = np.asarray(values, dtype=np.float64)
    if array.shape[-1] < 2:
        raise InputError("a standard deviation needs at least two numbers")
    return array


def _standard(values: Floats) -> Floats:
    """Z-scores along the last axis, NaN where nothing varies."""
    constant = np.ptp(values, axis=-1, keepdims=True) == 0
    deviation = np.where(constant, np.nan, values.std(axis=-1, ddof=1, keepdims=True))
    return np.asarray((values - values.mean(axis=-1, keepdims=True)) / deviation)
