"""Paired permutations of systems whose scores are finalized sums.

Under mask s (+1 or -1 on each unit) systems i and j exchange the units that have -1. With T the
totals of the statistics and S the signed ones, ``sum_l s_l x(l)``, the permuted systems have the
totals ``(T_i + T_j) / 2 +- (S_i - S_j) / 2``: linear in systems, so one signed total per system and
statistic serves every pair here too. For means this is the permutation of
`supersample.engine.permutations`; counts stay whole numbers, exactly.
"""

import numpy as np
from numpy.typing import NDArray

from supersample.engine.finalizers import Finalizer
from supersample.engine.permutations import permuted_totals


def permuted_score_differences(
    values: NDArray[np.float64], finalizer: Finalizer, *, seed: int, replicates: int = 1000
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Score differences of every pair of systems under paired permutations, and as observed.

    Parameters
    ----------
    values : ndarray, shape (systems, units, columns)
        Additive statistics.
    finalizer : Finalizer
        Turns totals into scores.
    seed : int
        Keys the masks, which are those of `permuted_totals`: human and metric scores permuted with
        this seed see the same ones.
    replicates : int, default 1000
        B.

    Returns
    -------
    null : ndarray, shape (replicates, pairs)
        Score of permuted i less that of permuted j, pairs i < j in the order (0, 1), (0, 2), ...
    observed : ndarray, shape (pairs,)

    Raises
    ------
    InputError
        If a statistic is not finite.

    Examples
    --------
    >>> from supersample.engine.finalizers import Mean
    >>> values = np.array([[[1.0, 1.0], [2.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    >>> null, observed = permuted_score_differences(values, Mean(), seed=0, replicates=4)
    >>> observed, set(np.abs(null).ravel().tolist()) <= {0.5, 1.5}
    (array([1.5]), True)
    """
    signed = permuted_totals(values, seed=seed, replicates=replicates)
    totals = values.sum(axis=1)
    scores = finalizer(totals)
    first, second = np.triu_indices(values.shape[0], 1)
    null = np.empty((replicates, first.size))
    for pair, (i, j) in enumerate(zip(first, second, strict=True)):
        middle = (totals[i] + totals[j]) / 2
        half = (signed[:, i] - signed[:, j]) / 2
        null[:, pair] = finalizer(middle + half) - finalizer(middle - half)
    return null, scores[first] - scores[second]
