"""p-values of system pairs from drawn paired permutations.

Null totals come from masks shared by all systems (`supersample.engine.permutations`), so that the
null difference of a pair is the difference of two totals (Thompson et al. 2024, section 3.3).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.inference.accuracies.sign_flip import Convention, check_convention, system_pairs
from supersample.inference.arguments import SUM_TIE, Estimator, Floats, check_estimator


@njit(cache=True, nogil=True)
def _pair_counts(
    null: Floats, observed: Floats, slack: Floats, first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count null differences above, and equal to, the observed one; null is (K, systems, B)."""
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
    """p-values from counts of null replicates above and equal to the observed value, of B.

    k is ``above + equal / 2`` ("mid") or ``above + equal`` ("at_least"). The estimator is the plain
    share, as in Thompson et al. (2024), or the one that counts the observed value among the draws
    (Phipson and Smyth 2010) and is never 0. The observed value ties with itself, so under "mid" it
    adds a half: (k + 1/2)/(B + 1), which keeps p_ij + p_ji = 1.

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
    """p-values of every system pair and scorer from signed totals under paired permutations.

    Parameters
    ----------
    null_totals : ndarray, shape (replicates, systems, scorers)
        ``sum_l s_l x_i(l)`` under each mask, from `supersample.engine.permutations`.
    values : ndarray, shape (systems, units, scorers)
        The scores that were permuted: their sums are the observed totals, and their magnitude
        says what rounding may do to a tie.
    convention : {"mid", "at_least"}
        What ties count. Sums within `SUM_TIE` of each other, relative to ``sum |x_i| + sum |x_j|``,
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
