"""Memory for large arrays, and rows of 16 doubles as one vector for compiled loops.

A compiler can vectorise a loop over a row only if it can prove that source and target do not
overlap, which it cannot for two arrays. These operations load everything before they store. They
are ordinary IEEE additions in the order written, so the results are those of the plain loops, bit
for bit, on any machine.
"""

import math
import mmap
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

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
