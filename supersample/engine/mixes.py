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
def mix_totals(
    values: NDArray[np.float64], key: np.uint64, replicates: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Totals of mixes of all systems.

    Parameters
    ----------
    values : ndarray, shape (systems, units, columns)
        Additive statistics, without NaN.
    key : numpy.uint64
        From `supersample.engine.streams.stream_key`.
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers, in any order.

    Returns
    -------
    ndarray, shape (replicates, columns)
    """
    systems, units, columns = values.shape
    passes = (columns + ROW - 1) // ROW
    padded = np.zeros((passes, units, systems, ROW))
    for p in range(passes):
        for c in range(p * ROW, min((p + 1) * ROW, columns)):
            for unit in range(units):
                for s in range(systems):
                    padded[p, unit, s, c - p * ROW] = values[s, unit, c]
    out = np.empty((replicates.size, columns))
    chosen = np.empty(units, np.int64)
    sums = np.zeros(ROW)
    for r in range(replicates.size):
        for unit in range(units):
            bits = word(key, replicates[r], np.uint64(unit // 2))
            half = (bits >> _HALF) if np.uint64(unit) & _ONE else (bits & _LOW)
            chosen[unit] = unit * systems + np.int64((half * np.uint64(systems)) >> _HALF)
        for p in range(passes):
            flat = padded[p].ravel()
            sums[:] = 0.0
            for unit in range(units):
                store_row_sum(sums, 0, 0, flat, chosen[unit] * ROW)  # type: ignore[call-arg]
            for c in range(p * ROW, min((p + 1) * ROW, columns)):
                out[r, c] = sums[c - p * ROW]
    return out
