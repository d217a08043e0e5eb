"""Outlier systems, by the median and the median absolute deviation."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError
from supersample.inference.arguments import Floats

CONSISTENCY = 1.483
"""Makes the MAD of normal scores estimate their standard deviation, as Mathur et al. round it."""


def distances_from_median(scores: ArrayLike) -> Floats:
    """Distance of each score from the median, in robust standard deviations.

    ``|s - median(s)| / (1.483 median(|s - median(s)|))``, over the last axis, NaN scores left out.
    Where more than half of the scores are equal, 0 for those and infinite for the others.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU", ACL; Iglewicz and Hoaglin
    (1993), How to Detect and Handle Outliers.

    Examples
    --------
    >>> distances_from_median([1.0, 2.0, 3.0, 4.0, 30.0]).round(2)
    array([ 1.35,  0.67,  0.  ,  0.67, 18.21])
    """
    s = np.asarray(scores, dtype=np.float64)
    deviation = np.abs(s - _median(s))
    with np.errstate(divide="ignore", invalid="ignore"):  # a MAD of 0
        distance = deviation / (CONSISTENCY * _median(deviation))
    return np.where(deviation == 0, 0.0, distance)


def outliers(scores: ArrayLike, *, cutoff: float = 2.5) -> NDArray[np.bool_]:
    """Which scores lie further from the median than `cutoff` robust standard deviations.

    `distances_from_median` above the cutoff, 2.5 by default, as in Mathur et al. (2020); False
    where the score is NaN. A cutoff that is not above 0 is an InputError.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU", ACL.

    Examples
    --------
    >>> outliers([1.0, 2.0, 3.0, 4.0, 30.0])
    array([False, False, False, False,  True])
    """
    if not cutoff > 0:
        raise InputError(f"a cutoff lies above 0, not at {cutoff}")
    return np.asarray(distances_from_median(scores) > cutoff)


def _median(values: Floats) -> Floats:
    """Median along the last axis (kept) of what is not NaN; NaN where nothing is left."""
    nothing = np.isnan(values).all(axis=-1, keepdims=True)
    median = np.nanmedian(np.where(nothing, 0.0, values), axis=-1, keepdims=True)
    return np.where(nothing, np.nan, median)
