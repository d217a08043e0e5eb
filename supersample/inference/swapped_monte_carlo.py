"""Null accuracies of swapped metrics, with Monte-Carlo p-values computed for every swap.

With sign mask s and swap mask w, the null total of a swapped metric is bilinear, ``sum_l s_l (x_A
(1 - w) + x_B w)``. So the signed totals of each metric's swapped entries, one set per resample,
serve every pair of metrics. It remains to count, for each resample, pair of metrics and pair of
systems, the permutations that reach the observed difference.

Counts are exact, although most sums are formed in single precision, which is twice as fast. These
sums are compared with two thresholds that allow for rounding. If both counts agree, no sum lies
between the thresholds, and the counts equal those of double precision; otherwise `_resample` forms
the sums again in double precision.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.inference.accuracies import (
    Convention,
    SwappedAccuracies,
    check_convention,
    system_pairs,
)
from supersample.inference.arguments import SUM_TIE, Floats, Map

ROW = 16
"""Numbers per vector; rows are padded to whole vectors."""

Singles = NDArray[np.float32]

_TOGETHER = 8  # rows that stay in the first-level cache
_ROUNDING = 2.0**-22
"""Four roundings to single precision: numbers, their differences, the sum, and the limit."""
_LARGEST = 1e38
_SMALLEST = 2.0**-147
"""Bound on the rounding of numbers that are too small for full single precision."""
_SIGN = np.int32(-(2**31))
"""The bit of the sign."""
_Nulls = tuple[Floats, Floats]
"""Null totals of metrics and of their swapped entries, both (metrics, systems, permutations)."""
_Rows = tuple[tuple[Singles, Floats], tuple[Singles, Floats]]
"""Rows of kept and swapped parts of metrics, each with its magnitude, or range and magnitude."""


@njit(cache=True, nogil=True)
def _count(x: Singles, y: Singles, high: np.float32, low: np.float32) -> tuple[int, int]:
    """Count ``x + y > high`` and ``x + y >= low`` for rows from `narrow_rows`.

    32-bit counters are as wide as the numbers, so vectors hold equally many of both.
    """
    above, reached = np.int32(0), np.int32(0)
    for b in range(x.size):
        total = x[b] + y[b]
        above = np.int32(above + (total > high))
        reached = np.int32(reached + (total >= low))
    return int(above), int(reached)


@njit(cache=True, nogil=True)
def narrow_rows(count: int, size: int) -> Singles:
    """Allocate rows in single precision; NaN pads the last vector and is never counted.

    Vectors start at cache lines, because a load that crosses two lines takes twice as long.
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
    """Lowest and highest number of a row from `narrow_rows`, including 0.

    Read as whole numbers, the bits of positive numbers have the order of the numbers, and those of
    negative numbers are below 0. The maximum of whole numbers does not depend on their order, so
    the compiler can vectorise it.
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
    """Largest absolute value in a row from `narrow_rows`."""
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
    """Write differences ``x[i + k * apart] - x[j + k * apart]`` to row k of others, for each k.

    `sizes`, shape (rows of x, 1), are the largest absolute values. The differences are stored with
    their minimum, maximum, and the sum of both rows' sizes.
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
    """Count sums ``x[i] + y[j]`` above ``high[i, j]``, and from ``low[i, j]`` on, for all i and j.

    Counts, shape (2, rows of x, rows of y), use single precision. Rows are stored with their
    minimum, maximum and size: the largest absolute value or, for differences of rows, the sum of
    both rows' largest values. If the two counts are equal, they are those of double precision;
    otherwise `count_sums` must count, because a sum may lie between the bounds. One call per pair
    of rows would take half as long as the counting.
    """
    for start in range(0, len(y), _TOGETHER):
        for i in range(len(x)):
            for j in range(start, min(start + _TOGETHER, len(y))):
                size = of_x[i, 2] + of_y[j, 2] + max(abs(low[i, j]), abs(high[i, j]))
                room = _ROUNDING * size + _SMALLEST
                above, reached = 0, columns
                if size < _LARGEST:  # otherwise outside single precision
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


@njit(cache=True, nogil=True)
def _fill_differences(
    null: Floats, swapped_null: Floats, i: int, j: int, kept: Floats, brought: Floats
) -> None:
    """Fill the kept and swapped part of the difference of systems i and j, for one metric."""
    of_i, of_j = swapped_null[i], swapped_null[j]
    for b in range(brought.size):
        brought[b] = of_i[b] - of_j[b]
    of_i, of_j = null[i], null[j]
    for b in range(kept.size):
        kept[b] = (of_i[b] - of_j[b]) - brought[b]


class _Room(threading.local):
    """Memory that a thread keeps from one resample to the next."""

    _held: tuple[_Rows, _Rows, Floats] | None = None

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return type(self), ()  # empty in another process

    def take(self, metrics: int, systems: int, permutations: int) -> tuple[_Rows, _Rows, Floats]:
        """Get memory for rows of totals, rows of differences, and three rows in double precision.

        The sizes are those of the first call.
        """
        if self._held is None:
            of_totals = self._rows(metrics * systems, permutations, 1)
            of_differences = self._rows(metrics, permutations, 3)
            self._held = of_totals, of_differences, np.empty((3, permutations))
        return self._held

    @staticmethod
    def _rows(rows: int, permutations: int, facts: int) -> _Rows:
        keeping, bringing = (
            (narrow_rows(rows, permutations), np.empty((rows, facts))) for _ in range(2)
        )
        return keeping, bringing


@njit(cache=True, nogil=True)
def _narrow_totals(null: Floats, swapped_null: Floats, parts: Floats, narrowed: _Rows) -> None:
    """Copy each metric's kept and swapped totals of each system, minus those of the first system.

    There is one row for each metric and system, with its largest absolute value. Without the
    subtraction, totals would be larger, and so would the rounding of their differences.
    """
    metrics, systems, _ = null.shape
    kept, brought = parts[0], parts[1]
    keeping, bringing = narrowed
    for row in range(metrics * systems):
        m, i = row // systems, row % systems
        _fill_differences(null[m], swapped_null[m], i, 0, kept, brought)
        narrow(kept, keeping[0], row)
        narrow(brought, bringing[0], row)
        keeping[1][row], bringing[1][row] = (
            largest(keeping[0], row, kept.size),
            largest(bringing[0], row, kept.size),
        )


@njit(cache=True, nogil=True)
def _resample(
    human: Floats,
    human_doubled: NDArray[np.int64],
    nulls: _Nulls,
    totals: Floats,
    swapped_totals: Floats,
    magnitudes: Floats,
    weight: float,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    narrowed: _Rows,
    pair: _Rows,
    rows: Floats,
) -> tuple[Floats, NDArray[np.int64]]:
    """Return, for one resample, SPA and half-pair disagreements of metric a after a swap with b.

    p = (above + weight equal) / permutations. A metric with itself has no result. `narrowed`,
    `pair` and `rows` are memory for rows of totals, for rows of a pair of systems, and for three
    rows in double precision.
    """
    null, swapped_null = nulls
    metrics, systems, permutations = null.shape
    kept, brought, unused = rows[0], rows[1], rows[2]
    keeping, bringing = pair
    _narrow_totals(null, swapped_null, rows, narrowed)
    shape = metrics, metrics
    gap, disagreement = np.zeros(shape), np.zeros(shape, np.int64)
    observed, low, high = np.empty(shape), np.empty(shape), np.empty(shape)
    counts = np.empty((2, metrics, metrics), np.int64)
    for k in range(first.size):
        i, j = first[k], second[k]
        brought_sum = swapped_totals[:, i] - swapped_totals[:, j]
        kept_sum = (totals[:, i] - totals[:, j]) - brought_sum
        for part in range(2):
            subtract_rows(*narrowed[part], systems, i, j, permutations, *pair[part])
        size = magnitudes[:, i] + magnitudes[:, j]
        for a in range(metrics):
            for other in range(metrics):
                observed[a, other] = kept_sum[a] + brought_sum[other]
                slack = SUM_TIE * (size[a] + size[other])
                low[a, other] = observed[a, other] - slack
                high[a, other] = observed[a, other] + slack
        count_narrow(*keeping, *bringing, permutations, low, high, counts)
        for a in range(metrics):
            for other in range(metrics):
                above, reached = counts[0, a, other], counts[1, a, other]
                if above != reached and a != other:
                    _fill_differences(null[a], swapped_null[a], i, j, kept, unused)
                    _fill_differences(null[other], swapped_null[other], i, j, unused, brought)
                    above, reached = count_sums(kept, brought, low[a, other], high[a, other])
                count = above + weight * (reached - above)
                gap[a, other] += abs(human[k] - count / permutations)
                room = SUM_TIE * (size[a] + size[other])
                doubled = 0 if observed[a, other] > room else 2 if observed[a, other] < -room else 1
                disagreement[a, other] += abs(human_doubled[k] - doubled)
    return 1.0 - gap / first.size, disagreement


def monte_carlo_swaps(
    human: Floats,
    human_preferences: Floats,
    scores: Floats,
    null_totals: Floats,
    swapped_null_totals: Callable[[int], Floats],
    swapped_totals: Floats,
    *,
    convention: Convention = "mid",
    mapped: Map = map,
) -> SwappedAccuracies:
    """Compute PA and SPA (Monte-Carlo p-values) of all pairs of metrics after swaps.

    Parameters
    ----------
    human, human_preferences : ndarray, shape (pairs,)
        Human p-values and rounded preferences of the system pairs.
    scores : ndarray, shape (metrics, systems, units)
        Standardised scores.
    null_totals : ndarray, shape (metrics, systems, permutations)
        ``sum_l s_l x(l)`` under sign masks shared by all metrics and systems.
    swapped_null_totals : callable
        Maps the number of a resample to the part of `null_totals` on its swapped entries.
    swapped_totals : ndarray, shape (metrics, resamples, systems)
        Totals over the swapped entries, from `supersample.engine.swaps.swapped_totals`.
    mapped : callable
        The built-in `map`, or the map of workers; the results do not depend on it.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), sections 3.3 and 4.4.
    """
    check_convention(convention)
    first, _ = system_pairs(scores.shape[1])
    task = _Resampling(
        human,
        np.rint(2 * human_preferences).astype(np.int64),
        null_totals,
        swapped_null_totals,
        scores.sum(axis=-1),
        swapped_totals,
        np.abs(scores).sum(axis=-1),
        weight=0.5 if convention == "mid" else 1.0,
    )
    a, b = np.triu_indices(len(scores), 1)
    replicates = swapped_totals.shape[1]
    soft = np.empty((2, replicates, a.size))
    hard = np.empty((2, replicates, a.size))
    for r, (s, h) in enumerate(mapped(task, range(replicates))):
        soft[:, r] = s[a, b], s[b, a]
        hard[:, r] = (first.size - 0.5 * np.stack([h[a, b], h[b, a]])) / first.size
    return SwappedAccuracies(a, b, soft, hard)


@dataclass(frozen=True)
class _Resampling:
    """A task: run `_resample` for the number of a resample."""

    human: Floats
    human_doubled: NDArray[np.int64]
    null_totals: Floats
    swapped_null_totals: Callable[[int], Floats]
    totals: Floats
    swapped_totals: Floats
    magnitudes: Floats
    weight: float
    memory: _Room = field(default_factory=_Room)

    def __call__(self, r: int) -> tuple[Floats, NDArray[np.int64]]:
        metrics, systems, permutations = self.null_totals.shape
        first, second = system_pairs(systems)
        return _resample(
            self.human,
            self.human_doubled,
            (self.null_totals, self.swapped_null_totals(r)),
            self.totals,
            np.ascontiguousarray(self.swapped_totals[:, r]),
            self.magnitudes,
            self.weight,
            first,
            second,
            *self.memory.take(metrics, systems, permutations),
        )
