"""Samples of systems drawn from a finite population, with or without replacement."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.streams import word

_SHIFT, _UNIT = np.uint64(11), 2.0**-53


@njit(cache=True, nogil=True)
def with_replacement(
    key: np.uint64, replicates: NDArray[np.uint64], n: int, size: int
) -> NDArray[np.int64]:
    """Positions of n systems out of `size`, each draw from all of them.

    Parameters
    ----------
    key : numpy.uint64
        From `supersample.engine.streams.stream_key`.
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers, in any order; a replicate's draw depends on its number alone.
    n : int
        At most 2**20.
    size : int
        Systems in the population.

    Returns
    -------
    ndarray of int64, shape (replicates, n)
    """
    out = np.empty((replicates.size, n), np.int64)
    for i in range(replicates.size):
        for s in range(n):
            bits = word(key, replicates[i], np.uint64(s)) >> _SHIFT
            out[i, s] = np.int64(np.float64(bits) * _UNIT * size)
    return out


@njit(cache=True, nogil=True)
def without_replacement(
    key: np.uint64, replicates: NDArray[np.uint64], n: int, size: int
) -> NDArray[np.int64]:
    """As `with_replacement`, with no system twice: the first n steps of Fisher and Yates' shuffle.

    The steps are taken back after each replicate, so that each starts from the same order. n is at
    most `size`. Every order of every subset is equally likely.
    """
    out = np.empty((replicates.size, n), np.int64)
    order = np.arange(size)
    swapped = np.empty(n, np.int64)
    for i in range(replicates.size):
        for s in range(n):
            bits = word(key, replicates[i], np.uint64(s)) >> _SHIFT
            other = s + np.int64(np.float64(bits) * _UNIT * (size - s))
            swapped[s] = other
            order[s], order[other] = order[other], order[s]
        out[i] = order[:n]
        for s in range(n - 1, -1, -1):
            other = swapped[s]
            order[s], order[other] = order[other], order[s]
    return out
