"""How many sums of two rows of numbers reach a threshold: counted in single precision, exactly.

Sums are formed in single precision, twice as many at once, and compared with thresholds that leave
room for its rounding. Where both counts agree no sum lies between the thresholds, and the counts
are those of double precision; elsewhere sums are to be formed again in double precision.
"""

import numpy as np
from numba import njit
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
_SIGN = np.int32(-(2**31))
"""The bit of the sign."""


@njit(cache=True, nogil=True)
def _count(x: Singles, y: Singles, high: float, low: float) -> tuple[int, int]:
    """Count ``x + y > high`` and ``x + y >= low``, of rows from `narrow_rows`.

    Counters of 32 bits are as wide as the numbers, so that vectors hold as many of both.
    """
    above, reached = np.int32(0), np.int32(0)
    for b in range(x.size):
        total = x[b] + y[b]
        above = np.int32(above + (total > high))
        reached = np.int32(reached + (total >= low))
    return above, reached


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
def range_of(rows: Singles, i: int, columns: int) -> tuple[float, float]:
    """Lowest and highest number of a row from `narrow_rows`, and of 0.

    As whole numbers, the bits of positive numbers are in the order of the numbers, and those of
    negative ones lie below 0. Whole numbers have a largest one whatever their order, so that a
    compiler may take many at a time.
    """
    bits = rows[i, :columns].view(np.int32)
    low, high = np.int32(0), np.int32(0)
    for b in range(columns):
        high = max(high, bits[b])
    for b in range(columns):
        low = max(low, np.int32(bits[b] ^ _SIGN))
    ends = np.array([low, high], np.int32).view(np.float32)
    return -ends[0], ends[1]


@njit(cache=True, nogil=True)
def largest(rows: Singles, i: int, columns: int) -> float:
    """Size of the largest number of a row from `narrow_rows`."""
    low, high = range_of(rows, i, columns)
    return max(-low, high)


@njit(cache=True, nogil=True)
def subtract_rows(
    x: Singles,
    sizes: Floats,
    apart: int,
    i: int,
    j: int,
    columns: int,
    rows: Singles,
    of_rows: Floats,
) -> None:
    """Write differences ``x[i + k * apart] - x[j + k * apart]`` to row k of others, for each.

    `sizes`, shape (rows of x, 1), are those of the largest numbers; beside the differences stand
    the lowest, the highest, and the sum of both rows' sizes.
    """
    for k in range(len(of_rows)):
        first, second = i + k * apart, j + k * apart
        for b in range(rows.shape[1]):
            rows[k, b] = x[first, b] - x[second, b]
        of_rows[k, 0], of_rows[k, 1] = range_of(rows, k, columns)
        of_rows[k, 2] = sizes[first, 0] + sizes[second, 0]


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
                        above, reached = _count(
                            x[i], y[j], np.float32(high[i, j] + room), np.float32(low[i, j] - room)
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
