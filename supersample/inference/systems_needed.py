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

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
SIZES = np.unique(np.geomspace(FEWEST_SYSTEMS, MOST_SYSTEMS, 1_200).astype(np.int64))
"""Numbers that are tried, 0.8 % apart."""


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
    tail = 2 if alternative == "two-sided" else 1
    sign = {"two-sided": np.sign(a - b), "greater": 1.0, "less": -1.0}[alternative]
    gap = uncorrelated_share(a, b, overlapping_gap(a, b, ab))
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = sign * difference_of_z(a, b) / np.sqrt(2 * gap)
        level = (1 - confidence_level) / m / tail
        raised = 1 + SIZES / (SIZES + HALF_WEIGHT) / np.sqrt(4 * np.pi * SIZES)
        least = -stdtrit(SIZES - 2, level) * raised  # see the module
        enough = apart >= (least + ndtri(power)) / np.sqrt(SIZES - 3)
    return _smallest(enough, apart[..., 0] >= 0)


def units_needed(
    n: ArrayLike,
    p: ArrayLike,
    *,
    freedom: Literal["n - 1", "n - 2"],
    comparisons: ArrayLike,
    power: float,
    confidence_level: float,
    alternative: Alternative,
) -> Floats:
    """Find the number of systems or texts that shows a difference, if it and its error are as here.

    If the p-value of Student's test with `n` units is that of a difference of t standard errors,
    the difference is ``t sqrt(N / n)`` standard errors of N units. It is shown with this power if
    that is the sum of the test's quantile with N units and of the normal quantile of the power
    (Lachin 1981, "Introduction to sample size determination and power analysis for clinical
    trials", Controlled Clinical Trials 2). With "n - 2" the test is of Fisher's z of r over
    systems, whose variance goes with 1 / (N - 3). Unlike `systems_needed`, it takes outliers into
    account, as the test does.

    Examples
    --------
    >>> told = {"comparisons": 1, "power": 0.8, "confidence_level": 0.95}
    >>> units_needed(100, 0.33, freedom="n - 1", alternative="two-sided", **told).item()
    823.0
    """
    lost, start = {"n - 1": (1, 0), "n - 2": (2, 3)}[freedom]
    n, p, m = np.broadcast_arrays(
        *(np.asarray(x, np.float64)[..., None] for x in (n, p, comparisons))
    )
    tail = 2 if alternative == "two-sided" else 1
    level = (1 - confidence_level) / m / tail
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = -stdtrit(n - lost, p / tail) / np.sqrt(n - start)
        enough = apart * np.sqrt(SIZES - start) >= ndtri(power) - stdtrit(SIZES - lost, level)
    return _smallest(enough, apart[..., 0] >= 0)


def _smallest(enough: NDArray[np.bool_], ahead: NDArray[np.bool_]) -> Floats:
    """Smallest number that is enough, infinite if none is; NaN if the other metric is ahead."""
    found = np.where(enough.any(axis=-1), SIZES[enough.argmax(axis=-1)], np.inf)
    return np.where(ahead, found, np.nan)


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
