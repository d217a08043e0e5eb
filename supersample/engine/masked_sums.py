"""The kernel: sums of values over the units whose bit is 1, for many replicates and columns.

For each four units, a table has the 16 possible partial sums, and 32 bits of a replicate select one
entry in each of eight tables. The order of summation is part of the contract, because it makes
results bit-identical everywhere, for any blocks of replicates, threads or number of columns; no
BLAS is used:

- a table entry adds its units' values from the last of the four units to the first;
- a byte's sum is the sum of its low half plus that of its high half;
- four bytes b0..b3 make a word's sum ``(b0 + b1) + (b2 + b3)``, and words are added in order.

Every column is summed separately, so neighbours and padding cannot change it. Columns are processed
by 16: the tables of a word then take 16 KiB and stay in the first-level cache. Their rows start at
cache lines, because a load that crosses two lines takes twice as long.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.buffers import (
    ROW,
    add_eight_rows,
    aligned_zeros,
    store_partial_sums,
    zeros,
)

UNITS_PER_PASS = 32
REPLICATES_PER_BATCH = 1024  # their sums, 128 KiB, stay in the second-level cache

_ALL = 0xFFFFFFFFFFFFFFFF
_ROW = np.uint64(ROW)
_NIBBLE = np.uint64(15)
_PASS = np.uint64(UNITS_PER_PASS)


def masked_sums(words: NDArray[np.uint64], values: Floats) -> Floats:
    """Sum finite `values`, shape (units, columns), over the units whose bit is 1.

    ``sum_l bit[r, l] * values[l, c]``, shape (replicates, columns), with the bits in words of shape
    (replicates, ceil(units / 64)), from `supersample.engine.streams`.
    """
    out = np.empty((words.shape[0], values.shape[1]))
    _fill_sums(words, padded_rows(values[np.newaxis], np.arange(values.shape[1]))[0], out)
    return out


def signed_sums_by_column(
    words: NDArray[np.uint64], values: Floats, units: NDArray[np.intp]
) -> Floats:
    """Sum some units' `values`, shape (all units, columns), with a minus sign if their bit is 0.

    To the bit, this is twice `masked_sums` of ``values[units]`` minus the sum of all of them, but
    with columns first: shape (columns, replicates).
    """
    count = values.shape[1]
    rows = np.empty(_padded_shape(units.size, count))
    rows[:, -1:] = 0.0  # beyond the last unit; what stands beyond the last column is left out
    _fill_rows(values[np.newaxis], units, np.arange(count), rows[np.newaxis])
    sums, everything = np.empty((count, len(words))), np.empty((count, 1))
    _fill_sums(words, rows, sums.T)
    _fill_sums(np.full_like(words[:1], _ALL), rows, everything.T)
    _sign(sums, everything)
    return sums


@njit(cache=True, nogil=True)
def _sign(sums: Floats, everything: Floats) -> None:
    """Convert sums over units that keep their sign to signed sums, in place."""
    for c in range(len(sums)):
        for r in range(sums.shape[1]):
            sums[c, r] = 2.0 * sums[c, r] - everything[c, 0]


@njit(cache=True, nogil=True)
def _fill_sums(words: NDArray[np.uint64], rows: Floats, out: Floats) -> None:
    """Fill the sums of all replicates, by batches and by 16 columns."""
    tables, nothing = new_tables(), np.zeros(rows.shape[2])
    largest = min(REPLICATES_PER_BATCH, words.shape[0])
    sums, bits = aligned_zeros(largest * ROW), np.empty(largest, np.uint64)
    for start in range(0, words.shape[0], REPLICATES_PER_BATCH):
        count = min(REPLICATES_PER_BATCH, words.shape[0] - start)
        for block in range(rows.shape[0]):
            sums[:] = 0.0
            for number in range(rows.shape[1]):
                fill_tables(rows[block, number], nothing, tables)
                shift = _PASS * np.uint64(number % 2)
                for r in range(count):
                    bits[r] = words[start + r, number // 2] >> shift
                add_pass(tables, bits[:count], sums)
            for r in range(count):
                for c in range(block * ROW, min((block + 1) * ROW, out.shape[1])):
                    out[start + r, c] = sums[r * ROW + c - block * ROW]


def padded_rows(values: Floats, chosen: NDArray[np.int64]) -> Floats:
    """Arrange some columns in the order of the kernel, with zeros after the last unit and column.

    Values of shape (systems, units, columns) give (systems, ceil(chosen / 16), ceil(units / 32),
    32 * 16): for each 16 columns and 32 units, the units' rows one after the other.
    """
    systems, units, _ = values.shape
    out = zeros(systems, *_padded_shape(units, chosen.size))
    _fill_rows(values, np.arange(units), chosen, out)
    return out


def _padded_shape(units: int, columns: int) -> tuple[int, int, int]:
    return -(-columns // ROW), -(-units // UNITS_PER_PASS), UNITS_PER_PASS * ROW


@njit(cache=True, nogil=True)
def _fill_rows(
    values: Floats, units: NDArray[np.int64], columns: NDArray[np.int64], out: Floats
) -> None:
    for system in range(values.shape[0]):
        for n in range(units.size):
            unit, number, place = units[n], n // UNITS_PER_PASS, n % UNITS_PER_PASS * ROW
            for block in range(out.shape[1]):
                start = block * ROW
                for c in range(min(ROW, columns.size - start)):
                    out[system, block, number, place + c] = values[system, unit, columns[start + c]]


@njit(cache=True, nogil=True)
def new_tables() -> Floats:
    """Room for eight tables of 16 rows of 16 columns, flat; row 0 of each stays zero."""
    return aligned_zeros(8 * 16 * ROW)


@njit(cache=True, nogil=True)
def fill_tables(ones: Floats, zeros: Floats, tables: Floats) -> None:
    """Partial sums of 32 units' differences, of `ones` minus `zeros`, their rows one by one."""
    for nibble in range(8):
        target, source = np.uint64(16 * nibble) * _ROW, np.uint64(4 * nibble) * _ROW
        store_partial_sums(tables, target, ones, zeros, source)  # type: ignore[call-arg]


@njit(cache=True, nogil=True)
def add_pass(tables: Floats, words: NDArray[np.uint64], sums: Floats) -> None:
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
