"""How many systems are needed to show a difference of two correlations with the human scores.

A difference is shown if `fisher_jackknife` rejects equality, at a level divided by the number of
comparisons: this is what a ranking prints as a difference. `plan` simulates this; here it is a
closed form for normal scores, with c, N and K as in `fisher_jackknife`.

With d the difference of z by sqrt(2 (1 - c)), a share `power` of samples has (z_a - z_b) / sqrt(N)
above sqrt(n - 3) d minus the normal quantile q of `power`. So the test needs

    sqrt(n - 3) d - q >= t sqrt(K),

with t the quantile of Student's t with n - 2 degrees of freedom. The jackknife's variance of normal
scores is that of a product of two normal variables (kurtosis 9), so log(J / N) is about normal with
variance 8 / n, and K = max(1, J / N)^w, w = n / (n + 6): the median of sqrt(K) is 1 and its mean is
1 + w / sqrt(pi n). The value between them, 1 + w / sqrt(4 pi n), agrees with simulation
(`experiments/honest_inference/needed.py`).
"""

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from supersample.errors import InputError, check_choice
from supersample.inference.arguments import Alternative, Floats, check_confidence_level
from supersample.inference.two_correlations.fisher_jackknife import FEWEST_SYSTEMS, HALF_WEIGHT
from supersample.inference.two_correlations.shared_formulas import (
    difference_of_z,
    overlapping_gap,
    uncorrelated_share,
)

MOST_SYSTEMS = 100_000
_STEPS = 1_200
"""Sizes tried, 0.8 % apart."""


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
    """Find the number of independent systems that shows a difference with probability `power`.

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
    35.0
    """
    check_power(power)
    check_confidence_level(confidence_level)
    check_choice("alternative", alternative, get_args(Alternative))
    a, b, ab, m = np.broadcast_arrays(
        *(np.asarray(x, np.float64)[..., np.newaxis] for x in (r_a, r_b, r_ab, comparisons))
    )
    sizes = np.unique(np.geomspace(FEWEST_SYSTEMS, MOST_SYSTEMS, _STEPS).astype(np.int64))
    sides = 2 if alternative == "two-sided" else 1
    sign = {"two-sided": np.sign(a - b), "greater": 1.0, "less": -1.0}[alternative]
    gap = uncorrelated_share(a, b, overlapping_gap(a, b, ab))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = sign * difference_of_z(a, b) / np.sqrt(2 * gap)
        # twice the level of a one-sided test
        level = (1 - confidence_level) / m * (2 / sides)
        raised = 1 + sizes / (sizes + HALF_WEIGHT) / np.sqrt(4 * np.pi * sizes)
        least = -stdtrit(sizes - 2, level / 2) * raised  # see the module
        enough = apart >= (least + ndtri(power)) / np.sqrt(sizes - 3)
    found = np.where(enough.any(axis=-1), sizes[enough.argmax(axis=-1)], np.inf)
    return np.where(apart[..., 0] >= 0, found, np.nan)


def texts_needed(
    texts: ArrayLike, p: ArrayLike, *, comparisons: ArrayLike, power: float, confidence_level: float
) -> Floats:
    """Find the number of documents (or segments) that shows a difference with this power.

    If the p-value of Student's test with n `texts` is that of a difference of t standard errors,
    the difference is ``t sqrt(N / n)`` standard errors of N texts. It is shown with this power if
    that is the sum of the normal quantiles of the test's level and of the power (Lachin 1981,
    "Introduction to sample size determination and power analysis for clinical trials", Controlled
    Clinical Trials 2). With fewer than about 30 texts that is too few: with 5 to 9 texts, the power
    of 80 % is 71 to 78 %.

    Examples
    --------
    >>> texts_needed(100, 0.33, comparisons=1, power=0.8, confidence_level=0.95).item()
    820.0
    """
    least = -ndtri((1 - confidence_level) / 2 / np.asarray(comparisons)) + ndtri(power)
    with np.errstate(divide="ignore"):
        t = stdtrit(np.asarray(texts, np.float64) - 1, np.asarray(p) / 2)
        return np.asarray(np.ceil(texts * (least / t) ** 2))


def systems_for_width(
    r: float, width: float, *, confidence_level: float = 0.95, most: int = 10_000
) -> float:
    """Give the number of systems where the mean width of `interval_of_r` is at most this.

    For normal scores, where the mean of sqrt(K) is ``1 + w / sqrt(pi n)``. NaN if it is above
    `most`.

    Examples
    --------
    >>> systems_for_width(0.9, 0.1)
    72.0
    """
    n = np.arange(5, most + 1)
    raised = 1.0 + n / (n + HALF_WEIGHT) / np.sqrt(np.pi * n)
    arm = stdtrit(n - 2, (1 + confidence_level) / 2) * raised / np.sqrt(n - 3)
    enough = np.tanh(np.arctanh(r) + arm) - np.tanh(np.arctanh(r) - arm) <= width
    return float(n[enough.argmax()]) if enough.any() else np.nan
