"""Sums of per-segment values over random subsets of segments, one fair coin per segment.

A paired permutation and a swap of two metrics are the same thing to the machine: 0/1 weights on
units (segments, documents or windows), hence ``weights x values``. The coins come 64 to a word
from the position-keyed streams, and the sums from partial-sum tables: for each four units, the 16
possible sums, added up four tables a pass.

The order of the additions is fixed by the unit numbers alone (four units to a table, four tables
to a pass, passes in turn), so each sum is the same to the last bit whatever the block of
replicates, the number of columns, the threads or the BLAS: none is used.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.streams import word

_COLUMNS = 32  # columns a tile: 16 KiB of tables, which stay in the first-level cache
_UNITS_PER_PASS = 16


@njit(cache=True, nogil=True)
def coin_words(
    key: np.uint64, replicates: NDArray[np.uint64], units: int, first_word: int = 0
) -> NDArray[np.uint64]:
    """Fair coins, one bit per unit, 64 units to a word.

    Parameters
    ----------
    key : numpy.uint64
        From `supersample.engine.streams.stream_key`.
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers, in any order; a replicate's coins depend on its number alone.
    units : int
        Coins per replicate. Bits beyond the last unit of the last word are zero.
    first_word : int
        Position of the first word in the replicate's stream, for designs with several rows of
        coins a replicate.

    Returns
    -------
    ndarray of uint64, shape (replicates, ceil(units / 64))
        Bit ``unit % 64`` of word ``unit // 64`` is the coin of that unit.
    """
    count = (units + 63) // 64
    out = np.empty((replicates.size, count), np.uint64)
    spare = np.uint64(64 * count - units)
    last = np.uint64(0xFFFFFFFFFFFFFFFF) >> spare
    for i in range(replicates.size):
        for position in range(count):
            out[i, position] = word(key, replicates[i], np.uint64(first_word + position))
        if count:
            out[i, count - 1] &= last
    return out


def unpack_coins(words: NDArray[np.uint64], units: int) -> NDArray[np.bool_]:
    """Coins as booleans, shape (..., units), from words of shape (..., ceil(units / 64))."""
    octets = np.ascontiguousarray(words).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=units, bitorder="little").astype(np.bool_)


def pack_coins(coins: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Words of shape (..., ceil(units / 64)) from booleans of shape (..., units)."""
    units = coins.shape[-1]
    count = (units + 63) // 64
    octets = np.zeros((*coins.shape[:-1], 8 * count), np.uint8)
    packed = np.packbits(coins, axis=-1, bitorder="little")
    octets[..., : packed.shape[-1]] = packed
    return octets.view("<u8").astype(np.uint64, copy=False)


@njit(cache=True, nogil=True)
def masked_sums(words: NDArray[np.uint64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of `values` over the units whose coin is 1, for each replicate and column.

    Parameters
    ----------
    words : ndarray of uint64, shape (replicates, ceil(units / 64))
        From `coin_words` or `pack_coins`.
    values : ndarray of float64, shape (units, columns), C order
        Additive values; NaN has no place here.

    Returns
    -------
    ndarray of float64, shape (replicates, columns)
        ``sum_l coin[r, l] * values[l, c]``, in the units of the values.
    """
    units, columns = values.shape
    out = np.zeros((words.shape[0], columns))
    table = np.zeros((4, 16, _COLUMNS))
    for start in range(0, columns, _COLUMNS):
        width = min(_COLUMNS, columns - start)
        for first in range(0, units, _UNITS_PER_PASS):
            for group in range(4):
                for bit in range(4):
                    unit = first + 4 * group + bit
                    half = 1 << bit
                    for entry in range(half):
                        for c in range(width):
                            value = values[unit, start + c] if unit < units else 0.0
                            table[group, entry + half, c] = table[group, entry, c] + value
            column = first // 64
            shift = np.uint64(first % 64)
            for r in range(words.shape[0]):
                coins = words[r, column] >> shift
                row0 = table[0, np.int64(coins & np.uint64(15))]
                row1 = table[1, np.int64((coins >> np.uint64(4)) & np.uint64(15))]
                row2 = table[2, np.int64((coins >> np.uint64(8)) & np.uint64(15))]
                row3 = table[3, np.int64((coins >> np.uint64(12)) & np.uint64(15))]
                tile = out[r, start : start + width]
                for c in range(width):
                    tile[c] += (row0[c] + row1[c]) + (row2[c] + row3[c])
    return out
