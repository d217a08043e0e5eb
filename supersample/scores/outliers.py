"""Outlying systems, whose human scores are far from the others' (Mathur et al. 2020)."""

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from supersample.engine import Floats
from supersample.errors import InputError
from supersample.scores.system_level import system_level_scores

OUTLIER_CUTOFF = 2.5
# Scales the MAD of normal scores to their standard deviation; rounded as by Mathur et al.
CONSISTENCY = 1.483
WITHOUT_OUTLIERS = "systems without outliers"


def outlier_systems(scores: xr.Dataset, *, cutoff: float = OUTLIER_CUTOFF) -> xr.Dataset:
    """Flag systems whose human score is far from the others, by median and MAD.

    A system is an outlier if ``|h - median| / (1.483 MAD) > cutoff``, where MAD is the median
    absolute deviation from the median. A few such systems can determine a correlation.

    Parameters
    ----------
    scores : xarray.Dataset
        A sample, Scores, or system-level scores.
    cutoff : float, default 2.5
        Largest distance, in robust standard deviations; default as in Mathur et al. (2020).

    Returns
    -------
    xarray.Dataset
        ``human`` (system), ``distance`` (system) in robust standard deviations, and ``outlier``
        (system).

    Raises
    ------
    InputError
        If `scores` has no system-level scores, or the cutoff is not positive.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU: reevaluating the evaluation of automatic
    machine translation evaluation metrics", ACL.

    Examples
    --------
    >>> from supersample import make_system_scores
    >>> systems = make_system_scores(
    ...     [1.0, 1.2, 0.9, 1.1, -5.0], [[1, 2, 3, 4, 5]], systems=list("ABCDE"), metrics=["m"]
    ... )
    >>> outlier_systems(systems)["outlier"].values.tolist()
    [False, False, False, False, True]
    """
    if not cutoff > 0:
        raise InputError(f"the cutoff must be a positive number, not {cutoff}")
    systems = system_level_scores(scores)
    human = systems["system_human"].to_numpy()
    distance = distances_from_median(human)
    return xr.Dataset(
        {
            "human": ("system", human),
            "distance": ("system", distance),
            "outlier": ("system", distance > cutoff),
        },
        coords={"system": systems["system"].to_numpy()},
        attrs={**systems.attrs, "cutoff": cutoff},
    )


def outlier_names(data: xr.Dataset) -> str:
    """Name the outliers of `outlier_systems`, separated by commas."""
    found = outlier_systems(data)
    return ", ".join(found["system"].to_numpy()[found["outlier"].to_numpy()])


def distances_from_median(scores: ArrayLike) -> Floats:
    """Distance of each score from the median, in robust standard deviations.

    ``|s - median(s)| / (1.483 median(|s - median(s)|))``; NaN scores are ignored. If more
    than half of the scores are equal, it is 0 for those and infinite for the others.

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
    deviation = np.abs(s - np.nanmedian(s))
    with np.errstate(divide="ignore", invalid="ignore"):  # a MAD of 0
        distance = deviation / (CONSISTENCY * np.nanmedian(deviation))
    return np.where(deviation == 0, 0.0, distance)
