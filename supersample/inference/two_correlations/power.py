"""Decide whether a comparison shows a difference, and how many systems are needed for it.

A difference is shown if `williams_jackknife` rejects equality, at a level divided by the number of
comparisons: this is what a ranking prints as a difference.

`systems_needed` uses normal scores. Both statistics of the test grow with the number n of systems:
Williams' t, divided by the temper of normal scores, and Fisher's difference divided by its standard
error. A share `power` of samples lies above the expected statistic minus the normal quantile of
`power`, because both statistics have a standard deviation of about 1. With Q_df the normal quantile
of a t with df degrees of freedom and q the quantile of the power, the test needs

    Q_{n-3}(t_W(n) / g^(3/8) - q) / 2 + Q_{n-1}(sqrt(n - 3) d - q) / 2 >= z(1 - alpha / (2 m)),

where g = 1 + 2 cor(u, v)^2 for normal u and v (see `system_scores`). In 60 drawn normal populations
(r .1 to .99, 1 to 42 comparisons, power .5 to .9, 8 to 250 systems) simulation needed 90 to 100 %
of this number in nine of ten, and 89 to 102 % in all.
"""

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.inference.arguments import Alternative, Floats
from supersample.inference.two_correlations.overlapping import williams1959
from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    overlapping_gap,
    quantile_of_t,
    uncorrelated_share,
)
from supersample.inference.two_correlations.system_scores import (
    JACKKNIFE_SHARE,
    SMALLEST_N,
    TEMPER,
    ScorePairs,
    williams_jackknife,
)

MOST_SYSTEMS = 100_000
_STEPS = 1_200
"""Sizes tried, 0.8 % apart."""


def is_shown(
    pairs: ScorePairs, *, comparisons: int = 1, confidence_level: float = 0.95
) -> NDArray[np.bool_]:
    """Whether the test shows each difference, (...); False if a correlation is NaN.

    The test has the level 1 - `confidence_level`, divided by the number of comparisons.
    """
    level = round(1 - confidence_level, 12) / comparisons
    return np.asarray(williams_jackknife(pairs).p_value <= level)


def check_power(power: float) -> None:
    """Refuse a power that is not between 0 and 1."""
    if not 0 < power < 1:
        raise InputError(f"the power is a number between 0 and 1, such as 0.8, not {power}")


def systems_needed(
    r_a: ArrayLike,
    r_b: ArrayLike,
    r_ab: ArrayLike,
    *,
    comparisons: ArrayLike = 1,
    power: float = 0.8,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Floats:
    """Find the number of systems that shows a difference with a probability of `power`.

    Parameters
    ----------
    r_a, r_b, r_ab : array_like
        Correlations in the population: of both metrics with people and with each other.
    comparisons : array_like of int, default 1
        Number of comparisons, by which the level of the test is divided.
    power, confidence_level : float
    alternative : {"two-sided", "greater", "less"}, default "two-sided"

    Returns
    -------
    ndarray, of the broadcast shape
        Infinite if 100,000 systems are too few; NaN if a correlation is NaN, or if a one-sided test
        looks for a difference of the other sign.

    Raises
    ------
    InputError
        If the power or the level is out of range, or the alternative is unknown.

    Examples
    --------
    >>> systems_needed(0.95, 0.85, 0.8).item()
    37.0
    """
    check_power(power)
    check_confidence_level(confidence_level)
    check_choice("alternative", alternative, get_args(Alternative))
    a, b, ab, m = np.broadcast_arrays(
        *(np.asarray(x, np.float64)[..., np.newaxis] for x in (r_a, r_b, r_ab, comparisons))
    )
    sizes = np.unique(np.geomspace(SMALLEST_N, MOST_SYSTEMS, _STEPS).astype(np.int64))
    sides = 2 if alternative == "two-sided" else 1
    sign = {"two-sided": np.sign(a - b), "greater": 1.0, "less": -1.0}[alternative]
    q = ndtri(power)
    gap = uncorrelated_share(a, b, overlapping_gap(a, b, ab))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_z = sign * difference_of_z(a, b) * np.sqrt((sizes - 3) / (2 * gap))
        by_t = sign * williams1959(a, b, ab, sizes).statistic / _normal_temper(a, b, ab)
    quantile = (1 - JACKKNIFE_SHARE) * quantile_of_t(by_t - q, sizes - 3)
    quantile = quantile + JACKKNIFE_SHARE * quantile_of_t(by_z - q, sizes - 1)
    enough = quantile >= -ndtri((1 - confidence_level) / (sides * m))
    found = np.where(enough.any(axis=-1), sizes[enough.argmax(axis=-1)], np.inf)
    return np.where(by_z[..., 0] >= 0, found, np.nan)


def _normal_temper(r_a: Floats, r_b: Floats, r_ab: Floats) -> Floats:
    """``(g k / 3)^(3/8)`` of normal scores, g by the correlation of u and v."""
    mean, apart = (r_a + r_b) / 2, 2 * (1 - r_ab)
    between = 2 * (r_a - r_b)  # correlation of u and v
    spread = 4 - 8 * mean**2 + 2 * mean**2 * (1 + r_ab)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((1 + 2 * between**2 / (apart * spread)) ** TEMPER)
