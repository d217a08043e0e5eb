"""Pairwise accuracy and soft pairwise accuracy of metrics, from preferences over system pairs.

For a pair of systems i < j, a *preference* is a number from 0 (i is better) to 1 (j is better): the
p-value of "i is better than j" for soft pairwise accuracy (SPA), that p-value rounded for pairwise
accuracy (PA). Both are means over pairs of 1 - |human - metric| (Thompson, Mathur, Deutsch and
Khayrallah 2024, equations 1 and 3), between 0 (worst) and 1 (best).

p-values are normal or exact (`sign_flip.py`), or come from random paired permutations (below). The
null totals of these use masks shared by all systems (`supersample.engine.swaps`), so the
null difference of a pair is the difference of two totals (section 3.3).
"""

from typing import Literal, get_args

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError, check_choice
from supersample.inference.accuracies.sign_flip import Convention, check_convention, system_pairs
from supersample.inference.arguments import SUM_TIE, Estimator, Floats, check_estimator

Ties = Literal["half", "up"]


def preferences(differences: ArrayLike, *, ties: Ties = "half") -> Floats:
    """Round the preference of each system pair: 0 if i has the better mean score, 1 if j has.

    Parameters
    ----------
    differences : array_like, shape (..., units)
        Paired differences x_i - x_j, from `sign_flip.pair_differences`, where higher scores are
        better.
    ties : {"half", "up"}
        Preference of a pair with equal sums (within `SUM_TIE` of sum |d|). "half": 0.5; then two
        ties agree, a tie and a preference half agree, and the order of systems has no effect. "up":
        1, because equation 3 rounds p = 0.5 up; then a tie counts as "j is better".

    Examples
    --------
    >>> preferences([[1.0, 2.0], [-1.0, -1.0], [0.1, -0.1]])
    array([0. , 1. , 0.5])
    """
    check_choice("tie rule", ties, get_args(Ties))
    d = np.asarray(differences, dtype=np.float64)
    total = d.sum(axis=-1)
    tied = np.abs(total) <= SUM_TIE * np.abs(d).sum(axis=-1)
    return np.where(tied, 0.5 if ties == "half" else 1.0, np.where(total > 0, 0.0, 1.0))


def mean_agreement(human: ArrayLike, metric: ArrayLike) -> Floats:
    """Average one minus the absolute difference of two preferences, over system pairs.

    Preferences of the same pairs, shape (..., pairs), broadcast: p-values give SPA (equation 1),
    rounded preferences give PA (equation 3). Values are from 0 to 1, and 1 for a metric against
    itself.

    Examples
    --------
    >>> float(mean_agreement([0.0, 0.5], [0.25, 0.25]))
    0.75
    """
    difference = np.asarray(human, dtype=np.float64) - np.asarray(metric, dtype=np.float64)
    return np.asarray((1.0 - np.abs(difference)).mean(axis=-1))


def component_matrices(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Compute the three panels of Figure 1: human and metric preferences, and their agreement.

    Preferences of shape (pairs,), in the order of `sign_flip.system_pairs`, give three matrices of
    shape (systems, systems): entry (i, j) above the diagonal belongs to the pair; other entries are
    NaN.

    Examples
    --------
    >>> component_matrices([0.0, 0.5, 1.0], [0.1, 0.5, 0.8])[2].round(1)
    array([[nan, 0.9, 1. ],
           [nan, nan, 0.8],
           [nan, nan, nan]])
    """
    h = np.asarray(human, dtype=np.float64)
    m = np.asarray(metric, dtype=np.float64)
    systems = int((1 + np.sqrt(1 + 8 * h.size)) / 2)
    if h.ndim != 1 or h.shape != m.shape or systems * (systems - 1) // 2 != h.size:
        raise InputError(f"preferences of {h.shape} and {m.shape} are not those of system pairs")
    panels = np.full((3, systems, systems), np.nan)
    panels[:, *system_pairs(systems)] = h, m, 1.0 - np.abs(h - m)
    return panels[0], panels[1], panels[2]


@njit(cache=True, nogil=True)
def _pair_counts(
    null: Floats, observed: Floats, slack: Floats, first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count null differences above and equal to the observed one; `null` is (K, systems, B)."""
    above = np.zeros((null.shape[0], first.size), np.int64)
    equal = np.zeros((null.shape[0], first.size), np.int64)
    for k in range(null.shape[0]):
        for pair in range(first.size):
            i, j = first[pair], second[pair]
            difference = observed[k, i] - observed[k, j]
            room = slack[k, i] + slack[k, j]
            high, low = difference + room, difference - room
            over, at_least = 0, 0
            for b in range(null.shape[2]):
                value = null[k, i, b] - null[k, j, b]
                over += value > high
                at_least += value >= low
            above[k, pair] = over
            equal[k, pair] = at_least - over
    return above, equal


def p_values_of_counts(
    above: NDArray[np.int64],
    equal: NDArray[np.int64],
    replicates: int,
    *,
    convention: Convention = "mid",
    estimator: Estimator = "k/B",
) -> Floats:
    """p-values from the number of null replicates, of B, above and equal to the observed value.

    k is ``above + equal / 2`` ("mid") or ``above + equal`` ("at_least"). The estimator is the plain
    share, as in Thompson et al. (2024), or the estimate that counts the observed value as one more
    draw (Phipson and Smyth 2010) and is never 0. The observed value ties with itself, so "mid" adds
    a half: (k + 1/2)/(B + 1), which keeps p_ij + p_ji = 1.

    Examples
    --------
    >>> above, equal = np.array([3]), np.array([2])
    >>> p_values_of_counts(above, equal, 10), p_values_of_counts(above, equal, 10,
    ...     convention="at_least", estimator="(k+1)/(B+1)").round(3)
    (array([0.4]), array([0.545]))
    """
    check_convention(convention)
    check_estimator(estimator)
    weight = 0.5 if convention == "mid" else 1.0
    count = above + weight * equal
    if estimator == "k/B":
        return np.asarray(count / replicates)
    return np.asarray((count + weight) / (replicates + 1))


def monte_carlo_p_values(
    null_totals: Floats,
    values: Floats,
    *,
    convention: Convention = "mid",
    estimator: Estimator = "k/B",
) -> Floats:
    """p-values of every system pair and scorer, from signed totals under paired permutations.

    Parameters
    ----------
    null_totals : ndarray, shape (replicates, systems, scorers)
        ``sum_l s_l x_i(l)`` under each mask, from `supersample.engine.swaps`.
    values : ndarray, shape (systems, units, scorers)
        The permuted scores: their sums are the observed totals, and their magnitude determines
        which differences are ties.
    convention : {"mid", "at_least"}
        Weight of ties. Sums within `SUM_TIE` of each other, relative to ``sum |x_i| + sum |x_j|``,
        are ties.

    Returns
    -------
    ndarray, shape (scorers, pairs)
        Pairs in the order of `supersample.inference.accuracies.sign_flip.system_pairs`.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), sections 3.2 and 3.3.

    Examples
    --------
    >>> values = np.array([[[1.0], [2.0]], [[1.0], [2.0]]])
    >>> monte_carlo_p_values(np.zeros((5, 2, 1)), values)
    array([[0.5]])
    """
    replicates, systems, _ = null_totals.shape
    first, second = system_pairs(systems)
    observed = np.ascontiguousarray(values.sum(axis=1).T)
    slack = SUM_TIE * np.ascontiguousarray(np.abs(values).sum(axis=1).T)
    null = np.ascontiguousarray(null_totals.transpose(2, 1, 0))
    above, equal = _pair_counts(null, observed, slack, first, second)
    return p_values_of_counts(above, equal, replicates, convention=convention, estimator=estimator)
