"""Resamples, as positions or as counts of each unit, never as copies of the data."""

import math
from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.streams import stream_key, uniforms, word

_SHIFT, _UNIT = np.uint64(11), 2.0**-53


def bootstrap_counts(
    units: int,
    *,
    seed: int,
    replicates: NDArray[np.uint64],
    purpose: str = "bootstrap",
    draws: int | None = None,
) -> Floats:
    """Count draws of each unit, with replacement.

    Parameters
    ----------
    units : int
        Number of systems or segments, for instance; at most 2**20.
    seed : int
        With the purpose, keys the draws.
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers; a replicate's draws depend on its number alone.
    purpose : str
        What is drawn; draws for different purposes are unrelated.
    draws : int, optional
        Number drawn, at most 2**20; that of all units by default. The first draws of more
        are the draws of fewer.

    Returns
    -------
    ndarray of float64, shape (replicates, units)
        Whole numbers that add up to the number of draws in each row.

    Examples
    --------
    >>> bootstrap_counts(5, seed=0, replicates=np.arange(2, dtype=np.uint64)).sum(axis=1)
    array([5., 5.])
    """
    count = units if draws is None else draws
    drawn = (uniforms(stream_key(seed, purpose), replicates, count) * units).astype(np.int64)
    rows = np.arange(replicates.size)[:, np.newaxis] * units
    counts = np.bincount((rows + drawn).ravel(), minlength=replicates.size * units)
    return counts.reshape(replicates.size, units).astype(np.float64)


def jackknife_counts(units: int) -> Floats:
    """Every unit once but one, which is left out in turn; shape (units, units)."""
    return 1.0 - np.eye(units)


def subsets(
    units: int, size: int, *, seed: int, most: int, purpose: str = "subset"
) -> NDArray[np.bool_]:
    """Mark the units of subsets of one size: all of them, or as many drawn at random.

    Parameters
    ----------
    units, size : int
        Choose `size` of `units`.
    seed : int
        With the purpose, keys the draws.
    most : int
        Where there are no more subsets than this, each is there once; else this many are drawn
        independently of each other.
    purpose : str
        What is drawn.

    Returns
    -------
    ndarray of bool, shape (subsets, units)

    Examples
    --------
    >>> subsets(3, 2, seed=0, most=10).astype(int)
    array([[1, 1, 0],
           [1, 0, 1],
           [0, 1, 1]])
    """
    if math.comb(units, size) <= most:
        chosen = np.array(list(combinations(range(units), size)), dtype=np.intp)
    else:
        numbers = np.arange(most, dtype=np.uint64)
        drawn = uniforms(stream_key(seed, f"{purpose} of {size}"), numbers, units)
        chosen = np.argsort(drawn, axis=1, kind="stable")[:, :size]
    marks = np.zeros((len(chosen), units), dtype=np.bool_)
    np.put_along_axis(marks, chosen, True, axis=1)
    return marks


@njit(cache=True, nogil=True)
def counted_sums(counts: Floats, values: Floats) -> Floats:
    """Sum values over drawn units, ``sum_l counts[r, l] * values[l, c]``, in the units' order.

    Parameters
    ----------
    counts : ndarray, shape (replicates, units)
        From `bootstrap_counts`; units that were not drawn cost nothing.
    values : ndarray, shape (units, columns)
        Finite additive values.

    Returns
    -------
    ndarray, shape (replicates, columns)
        The same bits on every run: no matrix product, hence no dependence on a BLAS.
    """
    out = np.zeros((counts.shape[0], values.shape[1]))
    for r in range(counts.shape[0]):
        for unit in range(counts.shape[1]):
            count = counts[r, unit]
            if count != 0.0:
                for column in range(values.shape[1]):
                    out[r, column] += count * values[unit, column]
    return out


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
