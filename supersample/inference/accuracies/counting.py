"""How many sums of two rows of numbers reach a threshold: counted in single precision, exactly.

Sums are formed in single precision, twice as many at once, and compared with thresholds that leave
room for its rounding. Where both counts agree no sum lies between the thresholds, and the counts
are those of double precision; elsewhere sums are to be formed again in double precision.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from supersample.inference.arguments import Floats

ROW = 16
"""Numbers a vector; rows are filled up to whole vectors."""

Singles = NDArray[np.float32]

_TOGETHER = 8  # rows that stay in the first-level cache
_ROUNDING = 2.0**-22
"""Four roundings to single precision: numbers, their differences, the sum, and the limit."""
_LARGEST = 1e38
_SMALLEST = 2.0**-147
"""More than the roundings of numbers that are too small for all digits of single precision."""
_VECTOR = ir.VectorType(ir.FloatType(), ROW)
_COUNTS = ir.VectorType(ir.IntType(32), ROW)
_WORD = ir.IntType(64)


def _everywhere(builder: Any, number: Any) -> ir.Instruction:
    """Repeat a number in a vector."""
    empty = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, empty, ir.Constant(_COUNTS, [0] * ROW))


def _reduced(builder: Any, vector: Any, join: Callable[[Any, Any], Any]) -> ir.Instruction:
    """Join the numbers of a vector, halves with halves."""
    lanes = [builder.extract_element(vector, ir.Constant(ir.IntType(32), i)) for i in range(ROW)]
    while len(lanes) > 1:
        lanes = [join(x, y) for x, y in zip(lanes[::2], lanes[1::2], strict=True)]
    return lanes[0]


def _over_vectors(
    context: Any,
    builder: Any,
    rows: list[tuple[Any, Any, Any]],
    start: list[ir.Constant],
    step: Callable[[list[Any], list[Any]], list[Any]],
) -> list[Any]:
    """Go through rows (type, array, number of the row) of whole vectors side by side.

    `step` makes new results of those so far and of the rows' next vectors.
    """
    arrays = [context.make_array(kind)(context, builder, array) for kind, array, _ in rows]
    size = builder.extract_value(arrays[0].shape, 1)
    pointers = [
        builder.gep(array.data, [builder.mul(number, size)])
        for array, (_, _, number) in zip(arrays, rows, strict=True)
    ]
    entry, loop = builder.block, builder.append_basic_block("vectors")
    end = builder.append_basic_block("finished")
    builder.branch(loop)
    builder.position_at_end(loop)
    at, *results = (builder.phi(kind) for kind in (_WORD, *(value.type for value in start)))
    vectors = [
        builder.load(builder.bitcast(builder.gep(pointer, [at]), _VECTOR.as_pointer()), align=4)
        for pointer in pointers
    ]
    following = builder.add(at, ir.Constant(_WORD, ROW))
    stepped = step(results, vectors)
    first = [ir.Constant(_WORD, 0), *start]
    for phi, before, after in zip((at, *results), first, (following, *stepped), strict=True):
        phi.add_incoming(before, entry)
        phi.add_incoming(after, loop)
    builder.cbranch(builder.icmp_signed("<", following, size), loop, end)
    builder.position_at_end(end)
    return stepped


@intrinsic
def _count(typing_context: Any, x: Any, i: Any, y: Any, j: Any, high: Any, low: Any) -> Any:
    """Count ``x[i] + y[j] > high`` and ``x[i] + y[j] >= low``, of rows from `narrow_rows`."""
    signature = types.UniTuple(types.int64, 2)(x, i, y, j, high, low)  # type: ignore[no-untyped-call]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x, i, y, j, *limits = arguments
        limits = [_everywhere(builder, number) for number in limits]

        def step(counts: list[Any], vectors: list[Any]) -> list[Any]:
            total = builder.fadd(*vectors)
            found = [
                builder.fcmp_ordered(sign, total, limit)
                for sign, limit in zip((">", ">="), limits, strict=True)
            ]
            return [
                builder.sub(count, builder.sext(one, _COUNTS))
                for count, one in zip(counts, found, strict=True)
            ]

        kinds = signature.args
        rows = [(kinds[0], x, i), (kinds[2], y, j)]
        zeros = [ir.Constant(_COUNTS, [0] * ROW)] * 2
        counts = _over_vectors(context, builder, rows, zeros, step)
        sums = [builder.sext(_reduced(builder, count, builder.add), _WORD) for count in counts]
        return context.make_tuple(builder, signature.return_type, sums)

    return signature, generate


@intrinsic
def _limits(typing_context: Any, x: Any, i: Any) -> Any:
    """Lowest and highest number of a row from `narrow_rows`."""
    signature = types.UniTuple(types.float32, 2)(x, i)  # type: ignore[no-untyped-call]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def chosen(sign: str) -> Callable[[Any, Any], Any]:
            return lambda new, old: builder.select(builder.fcmp_ordered(sign, new, old), new, old)

        def step(limits: list[Any], vectors: list[Any]) -> list[Any]:
            return [chosen(s)(vectors[0], old) for s, old in zip("<>", limits, strict=True)]

        infinity = float("inf")
        start = [ir.Constant(_VECTOR, [number] * ROW) for number in (infinity, -infinity)]
        rows = [(signature.args[0], *arguments)]
        found = _over_vectors(context, builder, rows, start, step)
        ends = [_reduced(builder, v, chosen(s)) for s, v in zip("<>", found, strict=True)]
        return context.make_tuple(builder, signature.return_type, ends)

    return signature, generate


@njit(cache=True, nogil=True)
def narrow_rows(count: int, size: int) -> Singles:
    """Room for rows in single precision; NaN fills up the last vector, and counts nowhere.

    Vectors begin where cache lines do, for a load that crosses two lines takes twice as long.
    """
    width = -(-size // ROW) * ROW
    room = np.full(count * width + ROW, np.float32(np.nan))
    skipped = -(room.ctypes.data // room.itemsize) % ROW
    return room[skipped : skipped + count * width].reshape(count, width)


@njit(cache=True, nogil=True)
def narrow(row: Floats, rows: Singles, i: int) -> None:
    """Copy a row of finite numbers to row i of `narrow_rows`."""
    out = rows[i]
    for b in range(row.size):
        out[b] = row[b]


@njit(cache=True, nogil=True)
def range_of(rows: Singles, i: int) -> tuple[float, float]:
    """Lowest and highest number of a row from `narrow_rows`."""
    low: float
    high: float
    low, high = _limits(rows, i)  # type: ignore[call-arg]
    return low, high  # type: ignore[unreachable]


@njit(cache=True, nogil=True)
def largest(rows: Singles, i: int) -> float:
    """Size of the largest number of a row from `narrow_rows`."""
    low, high = range_of(rows, i)
    return max(-low, high)


@njit(cache=True, nogil=True)
def subtract_rows(
    x: Singles, sizes: Floats, apart: int, i: int, j: int, rows: Singles, of_rows: Floats
) -> None:
    """Write differences ``x[i + k * apart] - x[j + k * apart]`` to row k of others, for each.

    `sizes`, shape (rows of x, 1), are those of the largest numbers; beside the differences stand
    the lowest, the highest, and the sum of both rows' sizes.
    """
    for k in range(len(of_rows)):
        first, second = i + k * apart, j + k * apart
        for b in range(rows.shape[1]):
            rows[k, b] = x[first, b] - x[second, b]
        of_rows[k, 0], of_rows[k, 1] = _limits(rows, k)  # type: ignore[call-arg]
        of_rows[k, 2] = sizes[first, 0] + sizes[second, 0]  # type: ignore[unreachable]


@njit(cache=True, nogil=True)
def count_narrow(
    x: Singles,
    of_x: Floats,
    y: Singles,
    of_y: Floats,
    columns: int,
    low: Floats,
    high: Floats,
    counts: NDArray[np.int64],
) -> None:
    """Count sums ``x[i] + y[j]`` above ``high[i, j]``, and from ``low[i, j]`` on, of all i and j.

    Counts, shape (2, rows of x, rows of y), are in single precision. Beside the rows stand their
    lowest and highest number and the size of what they are: of the largest number or, of
    differences of rows, of both rows' largest numbers together. Where the two counts are equal
    they are those of double precision; elsewhere `count_sums` has to count, for some sum may lie
    between the bounds. A call for each pair of rows would take as long as half of the counting.
    """
    for start in range(0, len(y), _TOGETHER):
        for i in range(len(x)):
            for j in range(start, min(start + _TOGETHER, len(y))):
                size = of_x[i, 2] + of_y[j, 2] + max(abs(low[i, j]), abs(high[i, j]))
                room = _ROUNDING * size + _SMALLEST
                above, reached = 0, columns
                if size < _LARGEST:  # else beyond single precision
                    if of_x[i, 1] + of_y[j, 1] < low[i, j] - room:
                        reached = 0
                    elif of_x[i, 0] + of_y[j, 0] > high[i, j] + room:
                        above = columns
                    else:
                        above, reached = _count(  # type: ignore[call-arg]
                            x, i, y, j, np.float32(high[i, j] + room), np.float32(low[i, j] - room)
                        )
                counts[0, i, j], counts[1, i, j] = above, reached


@njit(cache=True, nogil=True)
def count_sums(x: Floats, y: Floats, low: float, high: float) -> tuple[int, int]:
    """Count sums ``x + y`` above `high`, and from `low` on, for low <= high."""
    above, reached = 0, 0
    for b in range(x.size):
        total = x[b] + y[b]
        above += total > high
        reached += total >= low
    return above, reached
