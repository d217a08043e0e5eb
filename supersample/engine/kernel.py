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

Rows of 16 doubles are one vector in compiled loops. A compiler can vectorise a loop over a row only
if it can prove that source and target do not overlap, which it cannot for two arrays. These
operations load everything before they store. They are ordinary IEEE additions in the order written,
so the results are those of the plain loops, bit for bit, on any machine.
"""

import math
import mmap
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from supersample.engine import Floats

ROW = 16  # doubles a row

_VECTOR = ir.VectorType(ir.DoubleType(), ROW)
_ALIGNMENT = 8  # bytes; rows may start at any double
_LINE = 8  # doubles a cache line
_HUGE_PAGE = 2 << 20  # bytes
_SMALL = 1 << 18  # bytes, below which ordinary memory is used


def zeros(*shape: int) -> Floats:
    """Allocate doubles of a shape, all zero, in huge pages if the system has them.

    The first touch of memory can cost more than the computation of a small sample: about 1 us for
    each page of 4 KiB, but about 30 us for a huge page of 2 MiB.

    Examples
    --------
    >>> zeros(3, 2).shape
    (3, 2)
    """
    size = math.prod(shape)
    count = size * np.float64().nbytes
    if count < _SMALL or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(shape)
    rounded = -(-count // _HUGE_PAGE) * _HUGE_PAGE
    pages = mmap.mmap(-1, rounded, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, np.float64, size).reshape(shape)


@njit(cache=True, nogil=True)
def aligned_zeros(size: int) -> Floats:
    """Flat zeros that start at a cache line, so that no row of 16 crosses a line."""
    wider = np.zeros(size + _LINE - 1)
    skipped = -(wider.ctypes.data // wider.itemsize) % _LINE
    return wider[skipped : skipped + size]


def _row_pointer(
    context: Any, builder: Any, array_type: Any, array: Any, offset: Any
) -> ir.Instruction:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


@intrinsic
def store_row_sum(
    typing_context: Any, table: Any, target: Any, source: Any, addends: Any, addend: Any
) -> Any:
    """``table[target:+16] = table[source:+16] + addends[addend:+16]``, for flat float64 arrays."""
    signature = types.void(table, target, source, addends, addend)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, target, source, addends, addend = arguments
        table_type, _, _, addends_type, _ = signature.args
        source_row = _row_pointer(context, builder, table_type, table, source)
        addend_row = _row_pointer(context, builder, addends_type, addends, addend)
        total = builder.fadd(
            builder.load(source_row, align=_ALIGNMENT), builder.load(addend_row, align=_ALIGNMENT)
        )
        target_row = _row_pointer(context, builder, table_type, table, target)
        builder.store(total, target_row, align=_ALIGNMENT)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def store_partial_sums(
    typing_context: Any, table: Any, target: Any, ones: Any, zeros: Any, source: Any
) -> Any:
    """``table[target + 16 n:+16]`` = the sum of ``d_i`` over the bits i of n that are 1, n = 1..15.

    Here ``d_i = ones[at:+16] - zeros[at:+16]`` with ``at = source + 16 i``, for flat float64
    arrays. A sum goes from its last bit to its first.
    """
    signature = types.void(table, target, ones, zeros, source)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, target, ones, zeros, source = arguments
        table_type, _, ones_type, zeros_type, _ = signature.args

        def row(array_type: Any, array: Any, offset: Any, number: int) -> ir.Instruction:
            place = builder.add(offset, ir.Constant(offset.type, number * ROW))
            return _row_pointer(context, builder, array_type, array, place)

        sums: dict[int, ir.Instruction] = {}
        for i in range(3, -1, -1):
            difference = builder.fsub(
                builder.load(row(ones_type, ones, source, i), align=_ALIGNMENT),
                builder.load(row(zeros_type, zeros, source, i), align=_ALIGNMENT),
            )
            above = {n | 1 << i: builder.fadd(total, difference) for n, total in sums.items()}
            sums |= above | {1 << i: difference}
        for n, total in sums.items():
            builder.store(total, row(table_type, table, target, n), align=_ALIGNMENT)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def add_eight_rows(typing_context: Any, table: Any, offsets: Any, sums: Any, offset: Any) -> Any:
    """``sums[offset:+16] += ((t0 + t1) + (t2 + t3)) + ((t4 + t5) + (t6 + t7))``.

    Here ``t_i = table[offsets[i]:+16]``, for flat float64 arrays and a tuple of eight offsets.
    """
    signature = types.void(table, offsets, sums, offset)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        table, offsets, sums, offset = arguments
        table_type, _, sums_type, _ = signature.args
        rows = [
            builder.load(
                _row_pointer(
                    context, builder, table_type, table, builder.extract_value(offsets, i)
                ),
                align=_ALIGNMENT,
            )
            for i in range(8)
        ]
        while len(rows) > 1:
            rows = [builder.fadd(a, b) for a, b in zip(rows[::2], rows[1::2], strict=True)]
        target = _row_pointer(context, builder, sums_type, sums, offset)
        total = builder.fadd(builder.load(target, align=_ALIGNMENT), rows[0])
        builder.store(total, target, align=_ALIGNMENT)
        return context.get_dummy_value()

    return signature, generate


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
    words: NDArray[np.uint64], values: Floats, units: NDArray[np.intp], sums: Floats
) -> None:
    """Sum some units' `values`, shape (all units, columns), with a minus sign if their bit is 0.

    To the bit, the `sums` that are filled are twice `masked_sums` of ``values[units]`` minus the
    sum of all of them, but with columns first: shape (columns, replicates).
    """
    count = values.shape[1]
    rows = zeros(*_padded_shape(units.size, count))
    _fill_rows(values[np.newaxis], units, np.arange(count), rows[np.newaxis])
    everything = np.empty((count, 1))
    _fill_sums(words, rows, sums.T)
    _fill_sums(np.full_like(words[:1], _ALL), rows, everything.T)
    _sign(sums, everything)


@njit(cache=True, nogil=True)
def _sign(sums: Floats, everything: Floats) -> None:
    """Convert sums over units that keep their sign to signed sums, in place."""
    for c in range(len(sums)):
        sums[c] = 2.0 * sums[c] - everything[c, 0]


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
