"""The kernel: sums of values over the units whose bit is 1, for many replicates and columns.

For each four units the 16 possible partial sums stand in a table, and 32 bits of a replicate pick
one entry of each of eight tables. The order of summation is part of the contract, for it makes
results bit-identical everywhere, whatever the blocks of replicates, the threads or the number of
columns; no BLAS is used:

- a table entry adds its units' values from the last unit of the four to the first;
- a byte's sum is its low half's plus its high half's;
- four bytes b0..b3 make a word's sum ``(b0 + b1) + (b2 + b3)``, and words are added in order.

Every column is summed by itself, so neighbours and padding cannot change it. Columns go by 16: a
word's tables then take 16 KiB and stay in the first-level cache.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.vectors import ROW, add_eight_rows, store_row_sum

UNITS_PER_PASS = 32
REPLICATES_PER_BATCH = 256  # with their bits and sums, in the second-level cache

_ROW = np.uint64(ROW)
_NIBBLE = np.uint64(15)


@njit(cache=True, nogil=True)
def masked_sums(words: NDArray[np.uint64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of `values` over the units whose bit is 1, for each replicate and column.

    Parameters
    ----------
    words : ndarray of uint64, shape (replicates, ceil(units / 64))
        Bits, from `supersample.engine.bits`.
    values : ndarray of float64, shape (units, columns)
        Additive values; NaN has no place here.

    Returns
    -------
    ndarray of float64, shape (replicates, columns)
        ``sum_l bit[r, l] * values[l, c]``, in the units of the values.
    """
    out = np.empty((words.shape[0], values.shape[1]))
    for start in range(0, words.shape[0], REPLICATES_PER_BATCH):
        stop = min(start + REPLICATES_PER_BATCH, words.shape[0])
        _fill_batch(words[start:stop], values, out[start:stop])
    return out


@njit(cache=True, nogil=True)
def _fill_batch(
    words: NDArray[np.uint64], values: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """Fill the sums of a batch of replicates, 16 columns after the other."""
    replicates = words.shape[0]
    units, columns = values.shape
    padded = np.zeros(UNITS_PER_PASS * ROW)
    tables = np.zeros(8 * 16 * ROW)
    sums = np.empty(replicates * ROW)
    bits = np.empty(replicates, np.uint64)
    for start_column in range(0, columns, ROW):
        sums[:] = 0.0
        for start_unit in range(0, units, UNITS_PER_PASS):
            _fill_tables(values, start_unit, start_column, padded, tables)
            shift = np.uint64(start_unit % 64)
            for r in range(replicates):
                bits[r] = words[r, start_unit // 64] >> shift
            _add_pass(tables, bits, sums)
        for r in range(replicates):
            for column in range(start_column, min(start_column + ROW, columns)):
                out[r, column] = sums[r * ROW + column - start_column]


@njit(cache=True, nogil=True)
def _fill_tables(
    values: NDArray[np.float64],
    start_unit: int,
    start_column: int,
    padded: NDArray[np.float64],
    tables: NDArray[np.float64],
) -> None:
    """Partial sums of 32 units: eight tables of 16 rows of 16 columns, flat."""
    padded[:] = 0.0
    for unit in range(start_unit, min(start_unit + UNITS_PER_PASS, values.shape[0])):
        row = (unit - start_unit) * ROW
        for column in range(start_column, min(start_column + ROW, values.shape[1])):
            padded[row + column - start_column] = values[unit, column]
    for nibble in range(8):
        base = 16 * nibble
        for entry in range(1, 16):
            lowest = 0
            while (entry >> lowest) & 1 == 0:
                lowest += 1
            unit = 4 * nibble + lowest
            target, source = (base + entry) * ROW, (base + (entry & (entry - 1))) * ROW
            store_row_sum(tables, target, source, padded, unit * ROW)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def _add_pass(
    tables: NDArray[np.float64], words: NDArray[np.uint64], sums: NDArray[np.float64]
) -> None:
    """Add to each replicate's row of sums the partial sums that its low 32 bits select."""
    for r in range(words.size):
        bits = words[r]
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
        add_eight_rows(tables, offsets, sums, np.uint64(r) * _ROW)  # type: ignore[call-arg]
