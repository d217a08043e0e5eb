"""The kernel: sums of statistics over the segments that a replicate takes from either system.

A hybrid of systems a and b takes unit l from a where its bit is 1 and from b where it is 0, so its
totals are ``sum_l x_b(l) + sum_l bit_l * (x_a(l) - x_b(l))``. The second sum is read from tables:
for each four units the 16 partial sums of the differences.

The order of summation is part of the contract, for it makes results bit-identical everywhere:

- a table entry adds its units' differences from the last unit of the four to the first;
- a byte's sum is its low half's plus its high half's;
- four bytes b0..b3 make a word's sum ``(b0 + b1) + (b2 + b3)``, and words are added in order.

Every column is summed by itself, so neighbours and padding cannot change it. Columns go by 16: a
word's tables then take 16 KiB and stay in the first-level cache.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.streams import word
from supersample.engine.vectors import ROW, add_eight_rows, store_row_sum

UNITS_PER_WORD = 32
HYBRIDS_PER_BATCH = 256  # with their bits and sums, in the second-level cache
SHARE_BITS = 32  # shares are resolved to 2**-32
LAYER_LOG2 = 15  # words of one layer of bits; 32 layers fill a replicate's 2**20 words
MAX_UNITS = 64 << LAYER_LOG2

_ONE = np.uint64(1)
_ROW = np.uint64(ROW)
_LAYER_LOG2 = np.uint64(LAYER_LOG2)
_NIBBLE = np.uint64(15)
_NO_BITS = np.uint64(0)
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)
_FULL_SHARE = np.uint64(1 << SHARE_BITS)


@njit(cache=True, nogil=True)
def system_totals(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Totals over units, added in order; (systems, units, columns) gives (systems, columns)."""
    systems, units, columns = values.shape
    totals = np.zeros((systems, columns))
    for s in range(systems):
        for unit in range(units):
            for c in range(columns):
                totals[s, c] += values[s, unit, c]
    return totals


@njit(cache=True, nogil=True)
def fill_bits(
    key: np.uint64,
    replicates: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
    words: NDArray[np.uint64],
) -> None:
    """Fill ``words[w, h]`` with bits that are 1 with probability ``thresholds[h] / 2**32``.

    Compares 64 uniform numbers with the threshold at once, one binary digit a layer of random
    words, from the threshold's last non-zero digit up. A fair coin, 2**31, has one digit.
    """
    count = words.shape[0]
    for h in range(replicates.size):
        threshold = thresholds[h]
        if threshold in (_FULL_SHARE, _NO_BITS):
            words[:, h] = _NO_BITS if threshold == _NO_BITS else _ALL_BITS
            continue
        last = 0
        while (threshold >> np.uint64(last)) & _ONE == _NO_BITS:
            last += 1
        for w in range(count):
            bits = _NO_BITS
            for digit in range(last, SHARE_BITS):
                layer = np.uint64(SHARE_BITS - 1 - digit)
                random = word(key, replicates[h], (layer << _LAYER_LOG2) | np.uint64(w))
                if (threshold >> np.uint64(digit)) & _ONE == _ONE:
                    bits |= random
                else:
                    bits &= random
            words[w, h] = bits


@njit(cache=True, nogil=True)
def _fill_tables(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    start_unit: int,
    start_column: int,
    differences: NDArray[np.float64],
    tables: NDArray[np.float64],
) -> None:
    """Partial sums of the differences of 32 units: eight tables of 16 rows of 16 columns, flat."""
    stop_unit = min(start_unit + UNITS_PER_WORD, first.shape[0])
    stop_column = min(start_column + ROW, first.shape[1])
    differences[:] = 0.0
    for unit in range(start_unit, stop_unit):
        row = (unit - start_unit) * ROW
        for column in range(start_column, stop_column):
            difference = first[unit, column] - second[unit, column]
            differences[row + column - start_column] = difference
    for nibble in range(8):
        base = 16 * nibble
        for entry in range(1, 16):
            lowest = 0
            while (entry >> lowest) & 1 == 0:
                lowest += 1
            rest = base + (entry & (entry - 1))
            unit = 4 * nibble + lowest
            target, source = (base + entry) * ROW, rest * ROW
            store_row_sum(tables, target, source, differences, unit * ROW)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def _add_word(
    tables: NDArray[np.float64],
    words: NDArray[np.uint64],
    shift: np.uint64,
    sums: NDArray[np.float64],
) -> None:
    """Add to each hybrid's row of sums the partial sums that its 32 bits select."""
    for h in range(words.size):
        bits = words[h] >> shift
        offsets = (
            (bits & _NIBBLE) * _ROW,
            (((bits >> np.uint64(4)) & _NIBBLE) + np.uint64(16)) * _ROW,
            (((bits >> np.uint64(8)) & _NIBBLE) + np.uint64(32)) * _ROW,
            (((bits >> np.uint64(12)) & _NIBBLE) + np.uint64(48)) * _ROW,
            (((bits >> np.uint64(16)) & _NIBBLE) + np.uint64(64)) * _ROW,
            (((bits >> np.uint64(20)) & _NIBBLE) + np.uint64(80)) * _ROW,
            (((bits >> np.uint64(24)) & _NIBBLE) + np.uint64(96)) * _ROW,
            (((bits >> np.uint64(28)) & _NIBBLE) + np.uint64(112)) * _ROW,
        )
        add_eight_rows(tables, offsets, sums, np.uint64(h) * _ROW)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def _add_masked_differences(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    words: NDArray[np.uint64],
    rows: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Add the selected differences of one pair to the rows of `out` that its hybrids have."""
    units, columns = first.shape
    differences = np.zeros(UNITS_PER_WORD * ROW)
    tables = np.zeros(8 * 16 * ROW)
    sums = np.empty(rows.size * ROW)
    for start_column in range(0, columns, ROW):
        sums[:] = 0.0
        for start_unit in range(0, units, UNITS_PER_WORD):
            _fill_tables(first, second, start_unit, start_column, differences, tables)
            _add_word(tables, words[start_unit // 64], np.uint64(start_unit % 64), sums)
        for h in range(rows.size):
            for column in range(start_column, min(start_column + ROW, columns)):
                out[rows[h], column] += sums[h * ROW + column - start_column]


@njit(cache=True, nogil=True)
def add_pair_hybrids(
    values: NDArray[np.float64],
    totals: NDArray[np.float64],
    pair: NDArray[np.int64],
    rows: NDArray[np.int64],
    key: np.uint64,
    replicates: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
    out: NDArray[np.float64],
) -> None:
    """Fill the rows of `out` with the totals of one pair's hybrids, a batch at a time.

    Parameters
    ----------
    values : ndarray, shape (systems, units, columns)
        Additive statistics, without NaN.
    totals : ndarray, shape (systems, columns)
        `system_totals` of the same values.
    pair : ndarray of int, shape (2,)
        First and second system of the pair.
    rows : ndarray of int, shape (hybrids,)
        Which row of `out` each hybrid fills.
    key : numpy.uint64
        Stream key of the bits.
    replicates, thresholds : ndarray of uint64, shape (hybrids,)
        Replicate numbers, and shares of the first system in units of 2**-32.
    out : ndarray, shape (replicates, columns)
        Filled in place.
    """
    first, second = values[pair[0]], values[pair[1]]
    words = np.empty(((values.shape[1] + 63) // 64, HYBRIDS_PER_BATCH), dtype=np.uint64)
    for start in range(0, rows.size, HYBRIDS_PER_BATCH):
        stop = min(start + HYBRIDS_PER_BATCH, rows.size)
        batch_words = words[:, : stop - start]
        fill_bits(key, replicates[start:stop], thresholds[start:stop], batch_words)
        for h in range(start, stop):
            out[rows[h]] = totals[pair[1]]
        _add_masked_differences(first, second, batch_words, rows[start:stop], out)
