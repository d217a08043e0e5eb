"""Totals of hybrids that take each unit from any of k systems.

Unit l of replicate i comes from system ``(u k) >> 32``, where u is half of word ``l // 2`` of the
replicate's stream, the low half for even units and the high one for odd; the bias, at most
k / 2**32, is far below anything that can be measured. Units are added in order, 16 columns at a
time.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.streams import word
from supersample.engine.vectors import ROW, store_row_sum

_ONE = np.uint64(1)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@njit(cache=True, nogil=True)
def mix_rows(values: NDArray[np.float64], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Chosen columns of values of shape (systems, units, columns), a unit's systems together.

    Returns
    -------
    ndarray, shape (ceil(chosen / 16), units, systems, 16)
        Zeros beyond the last column.
    """
    systems, units, _ = values.shape
    rows = np.zeros(((chosen.size + ROW - 1) // ROW, units, systems, ROW))
    for unit in range(units):
        for s in range(systems):
            for c in range(chosen.size):
                rows[c // ROW, unit, s, c % ROW] = values[s, unit, chosen[c]]
    return rows


@njit(cache=True, nogil=True)
def mix_totals(
    rows: NDArray[np.float64], columns: int, key: np.uint64, replicates: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Totals of mixes of all systems.

    Parameters
    ----------
    rows : ndarray, shape (ceil(columns / 16), units, systems, 16)
        Additive statistics, without NaN, from `mix_rows`.
    columns : int
        How many of them there are.
    key : numpy.uint64
        From `supersample.engine.streams.stream_key`.
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers, in any order.

    Returns
    -------
    ndarray, shape (replicates, columns)
    """
    passes, units, systems, _ = rows.shape
    out = np.empty((replicates.size, columns))
    chosen = np.empty(units, np.int64)
    sums = np.zeros(ROW)
    for r in range(replicates.size):
        for unit in range(units):
            bits = word(key, replicates[r], np.uint64(unit // 2))
            half = (bits >> _HALF) if np.uint64(unit) & _ONE else (bits & _LOW)
            chosen[unit] = unit * systems + np.int64((half * np.uint64(systems)) >> _HALF)
        for p in range(passes):
            flat = rows[p].ravel()
            sums[:] = 0.0
            for unit in range(units):
                store_row_sum(sums, 0, 0, flat, chosen[unit] * ROW)  # type: ignore[call-arg]
            for c in range(p * ROW, min((p + 1) * ROW, columns)):
                out[r, c] = sums[c - p * ROW]
    return out
