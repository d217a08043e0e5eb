"""Pairwise accuracies of metrics, their p-values of pairs of systems, and swaps of two metrics.

p-values of system pairs, by sign flips
---------------------------------------

The null hypothesis is that two systems are equally good. Then exchanging their outputs on a unit (a
segment, document or window) changes nothing, so the sum of paired differences ``sum_l d_l`` has the
distribution of ``sum_l s_l d_l`` with fair independent signs. p is small if system i is better,
large if j is better, and near 0.5 if neither shows.

Two conventions, by name:

- ``mid`` (default): P(null > observed) + P(null = observed) / 2. Then p_ij + p_ji = 1, identical
  systems get 0.5, and the order of the systems does not matter.
- ``at_least``: P(null >= observed), as in Thompson et al. (2024, section 3.2). On tied data
  p_ij + p_ji > 1, so results over pairs i < j depend on the order of the systems.

`normal_p_values` is the limit for many units; Monte-Carlo p-values draw random permutations.

Accuracies from preferences over system pairs
---------------------------------------------
For a pair of systems i < j, a *preference* is a number from 0 (i is better) to 1 (j is better): the
p-value of "i is better than j" for soft pairwise accuracy (SPA), that p-value rounded for pairwise
accuracy (PA). Both are means over pairs of 1 - |human - metric| (Thompson, Mathur, Deutsch and
Khayrallah 2024, equations 1 and 3), between 0 (worst) and 1 (best).

p-values are normal, or come from random paired permutations (below). The null totals of these use
masks shared by all systems (`supersample.engine.swaps`), so the null difference of a pair is the
difference of two totals (section 3.3).

Null distributions when the scores of two metrics are swapped
-------------------------------------------------------------
The swapped scores are never formed. The sums of a swapped metric are the part it keeps plus its
partner's part (`supersample.engine.swaps`): with totals T and totals over swapped entries H, metric
A has ``T_A - H_A + H_B`` after a swap with B. This works for the sums of differences and of squares
when whole inputs are swapped (PERM-INPUTS), and for the null totals of Monte-Carlo p-values. Each
replicate of each pair of metrics is computed separately in a fixed order, so results do not depend
on workers.

With sign mask s and swap mask w, the null total of a swapped metric is bilinear, ``sum_l s_l (x_A
(1 - w) + x_B w)``. So the signed totals of each metric's swapped entries, one set per resample,
serve every pair of metrics. It remains to count, for each resample, pair of metrics and pair of
systems, the permutations that reach the observed difference.

Counts are exact, although most sums are formed in single precision, which is twice as fast. These
sums are compared with two thresholds that allow for rounding. If both counts agree, no sum lies
between the thresholds, and the counts equal those of double precision; otherwise `_resample` forms
the sums again in double precision.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from supersample.errors import InputError
from supersample.inference.arguments import Floats, Map
from supersample.tolerances import SINGLE_ROUNDING, SUM_TIE

Convention = Literal["mid", "at_least"]


def system_pairs(systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the systems i < j of every pair, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    if systems < 2:
        raise InputError(f"comparing systems needs at least two systems, not {systems}")
    return np.triu_indices(systems, 1)


def pair_differences(values: ArrayLike) -> Floats:
    """Paired differences x_i - x_j of every pair of systems, in the order of `system_pairs`.

    Finite scores (..., systems, units) give (..., pairs, units). Differences below `SUM_TIE` times
    the scorer's largest |score| become exact zeros: 25.200000000000003 and 25.2 are the same
    score.

    Examples
    --------
    >>> pair_differences([[1.0, 25.200000000000003], [0.0, 25.2]])
    array([[1., 0.]])
    """
    x = np.asarray(values, dtype=np.float64)
    if not np.isfinite(x).all():
        raise InputError("paired differences need finite scores; drop or mask missing ones first")
    i, j = system_pairs(x.shape[-2])
    differences: Floats = x[..., i, :] - x[..., j, :]
    largest = np.abs(x).max(axis=(-2, -1), keepdims=True)
    differences[np.abs(differences) <= SUM_TIE * largest] = 0.0
    return differences


def normal_p_values_of_moments(
    sums: ArrayLike, squares: ArrayLike, *, convention: Convention = "mid"
) -> Floats:
    """Sign-flip p-values in the limit of many units, from sum d and sum d^2.

    The null sum has mean 0 and variance sum d^2 exactly, and is asymptotically normal, so ``p =
    Phi(-sum d / sqrt(sum d^2))``. Conventions differ only if every difference is zero, so that the
    null sum always equals the observed one: "mid" gives 0.5, "at_least" 1.

    Examples
    --------
    >>> normal_p_values_of_moments([0.0, 1.96, 0.0], [4.0, 1.0, 0.0]).round(3)
    array([0.5  , 0.025, 0.5  ])
    """
    total, square = np.broadcast_arrays(
        np.asarray(sums, dtype=np.float64), np.asarray(squares, dtype=np.float64)
    )
    flat = square <= 0.0
    p = ndtr(-total / np.sqrt(np.where(flat, 1.0, square)))
    return np.where(flat, 0.5 if convention == "mid" else 1.0, p)


def normal_p_values(differences: ArrayLike, *, convention: Convention = "mid") -> Floats:
    """Compute `normal_p_values_of_moments` for finite paired differences, shape (..., units).

    Examples
    --------
    >>> float(normal_p_values([1.0, -1.0, 1.0, -1.0]))
    0.5
    """
    d = np.asarray(differences, dtype=np.float64)
    sums, squares = d.sum(axis=-1), np.square(d).sum(axis=-1)
    return normal_p_values_of_moments(sums, squares, convention=convention)


def preferences(differences: ArrayLike) -> Floats:
    """Round the preference of each system pair: 0 if i has the better mean score, 1 if j has.

    Paired differences x_i - x_j, shape (..., units), come from `pair_differences`; higher scores
    are better. A pair with equal sums (within `SUM_TIE` of sum |d|) has 0.5: then two ties agree, a
    tie and a preference half agree, and the order of systems has no effect.

    Examples
    --------
    >>> preferences([[1.0, 2.0], [-1.0, -1.0], [0.1, -0.1]])
    array([0. , 1. , 0.5])
    """
    d = np.asarray(differences, dtype=np.float64)
    total = d.sum(axis=-1)
    tied = np.abs(total) <= SUM_TIE * np.abs(d).sum(axis=-1)
    return np.where(tied, 0.5, np.where(total > 0, 0.0, 1.0))


def mean_agreement(human: ArrayLike, metric: ArrayLike) -> Floats:
    """Average one minus the absolute difference of two preferences, over system pairs.

    Preferences of the same pairs, shape (..., pairs), broadcast: p-values give SPA (equation 1),
    rounded preferences give PA (equation 3). Values are from 0 to 1, and 1 for a metric against
    itself.

    Examples
    --------
    >>> float(mean_agreement([0.0, 0.5], [0.25, 0.25]))
    0.75
    """
    difference = np.asarray(human, dtype=np.float64) - np.asarray(metric, dtype=np.float64)
    return np.asarray((1.0 - np.abs(difference)).mean(axis=-1))


@njit(cache=True, nogil=True)
def _pair_counts(
    null: Floats, observed: Floats, slack: Floats, first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count null differences above and equal to the observed one; `null` is (K, systems, B)."""
    above = np.zeros((null.shape[0], first.size), np.int64)
    equal = np.zeros((null.shape[0], first.size), np.int64)
    for k in range(null.shape[0]):
        for pair in range(first.size):
            i, j = first[pair], second[pair]
            difference = observed[k, i] - observed[k, j]
            room = slack[k, i] + slack[k, j]
            high, low = difference + room, difference - room
            over, at_least = 0, 0
            for b in range(null.shape[2]):
                value = null[k, i, b] - null[k, j, b]
                over += value > high
                at_least += value >= low
            above[k, pair] = over
            equal[k, pair] = at_least - over
    return above, equal


def monte_carlo_p_values(
    null_totals: Floats, values: Floats, *, convention: Convention = "mid"
) -> Floats:
    """p-values of every system pair and scorer, from signed totals under paired permutations.

    Parameters
    ----------
    null_totals : ndarray, shape (scorers, systems, replicates)
        ``sum_l s_l x_i(l)`` under each mask, from `supersample.engine.swaps`.
    values : ndarray, shape (scorers, systems, units)
        The permuted scores: their sums are the observed totals, and their magnitude determines
        which differences are ties.
    convention : {"mid", "at_least"}
        Weight of ties. Sums within `SUM_TIE` of each other, relative to ``sum |x_i| + sum |x_j|``,
        are ties.

    Returns
    -------
    ndarray, shape (scorers, pairs)
        The share k / B, where k counts the replicates above the observed value, and half of those
        equal to it ("mid") or all of them ("at_least"). Pairs in the order of `system_pairs`.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), sections 3.2 and 3.3.

    Examples
    --------
    >>> values = np.array([[[1.0, 2.0], [1.0, 2.0]]])
    >>> monte_carlo_p_values(np.zeros((1, 2, 5)), values)
    array([[0.5]])
    """
    first, second = system_pairs(null_totals.shape[1])
    observed, slack = values.sum(axis=-1), SUM_TIE * np.abs(values).sum(axis=-1)
    above, equal = _pair_counts(null_totals, observed, slack, first, second)
    share = 0.5 if convention == "mid" else 1.0
    return np.asarray((above + share * equal) / null_totals.shape[2])


_STEPS = 256  # grid points of Phi to a unit
_REACH = 9.0  # Phi(-9) = 1e-19
_GRID = np.arange(-_REACH, _REACH + 0.5 / _STEPS, 1.0 / _STEPS)
_PHI = np.where(_GRID > -_REACH, ndtr(_GRID), 0.0)
_DENSITY = np.exp(-0.5 * _GRID**2) / np.sqrt(2.0 * np.pi)
_TOGETHER = 8  # pairs of metrics of a task


class SwappedAccuracies(NamedTuple):
    """Accuracies of both metrics of each pair after each swap."""

    first: NDArray[np.intp]
    """First metric of each pair, shape (metric pairs,)."""
    second: NDArray[np.intp]
    """Second metric of each pair."""
    soft: Floats
    """SPA of the swapped first (0) and second (1) metric, (2, replicates, metric pairs)."""
    hard: Floats
    """PA, same shape; ties of systems count one half."""


class InputMoments(NamedTuple):
    """Kept and swapped parts of the moments of each metric's paired differences d."""

    magnitudes: Floats
    """Sums of |d|, for ties, (metrics, pairs)."""
    kept: Floats
    """Sums of d over the inputs that a resample keeps, (metrics, replicates, pairs)."""
    brought: Floats
    """Sums of d over the swapped inputs."""
    squares: Floats
    """Sums of d^2 over all inputs, (metrics, pairs)."""
    brought_squares: Floats
    """Sums of d^2 over the swapped inputs, (metrics, replicates, pairs)."""

    @classmethod
    def of(cls, differences: Floats, brought: Floats, brought_squares: Floats) -> "InputMoments":
        """Complete sums over the swapped inputs of differences (..., pairs, units).

        Examples
        --------
        >>> d = np.array([[[1.0, -3.0]]])
        >>> InputMoments.of(d, d[:, None, :, 0], d[:, None, :, 0] ** 2).kept
        array([[[-3.]]])
        """
        kept = differences.sum(axis=-1)[..., np.newaxis, :] - brought
        magnitudes, squares = (f(differences).sum(axis=-1) for f in (np.abs, np.square))
        moments = cls(magnitudes, kept, brought, squares, brought_squares)
        return cls(*map(np.ascontiguousarray, moments))


@njit(inline="always", cache=True)
def _normal_cdf(z: float) -> float:
    """Phi(z) by Taylor's series from the nearest of 256 grid points a unit; error below 1e-15."""
    z = min(max(z, -_REACH), _REACH)
    cell = np.int32((z + _REACH) * _STEPS + 0.5)  # of 32 bits, so that a loop becomes vectors
    at = cell / _STEPS - _REACH
    h = z - at
    series = 1.0 + h * (
        -0.5 * at + h * ((at * at - 1.0) / 6.0 + h * (3.0 * at - at * at * at) / 24.0)
    )
    return float(_PHI[np.uint32(cell)] + _DENSITY[np.uint32(cell)] * h * series)


def normal_swaps(
    human: Floats,
    human_preferences: Floats,
    moments: InputMoments,
    *,
    convention: Convention = "mid",
    mapped: Map = map,
) -> SwappedAccuracies:
    """Compute PA and SPA (normal p-values) of all pairs of metrics after swaps of inputs.

    Parameters
    ----------
    human : ndarray, shape (pairs,)
        Human p-values of the system pairs.
    human_preferences : ndarray, shape (pairs,)
        Rounded human preferences, 0, 0.5 or 1.
    moments : InputMoments
        Of the standardised metrics.
    convention : {"mid", "at_least"}
        Convention of p-values: 0.5 or 1 for two systems without any difference.
    mapped : callable
        The built-in `map`, or the map of workers, which take some pairs of metrics at a time; the
        results do not depend on it.

    References
    ----------
    Deutsch, Dror and Roth (2021); Thompson et al. (2024), section 4.4.
    """
    flat = 0.5 if convention == "mid" else 1.0
    doubled = np.rint(2 * human_preferences).astype(np.int64)
    first, second = np.triu_indices(len(moments.squares), 1)
    soft, hard = np.empty((2, 2, moments.kept.shape[1], first.size))
    parts = [slice(start, start + _TOGETHER) for start in range(0, first.size, _TOGETHER)]
    task = partial(_swap_pairs, human, doubled, moments, flat)
    found = mapped(task, [(first[part], second[part]) for part in parts])
    for part, (of_part, half_pairs) in zip(parts, found, strict=True):
        soft[:, :, part] = of_part
        hard[:, :, part] = (human.size - 0.5 * half_pairs) / human.size
    return SwappedAccuracies(first, second, soft, hard)


@njit(cache=True, nogil=True, error_model="numpy")
def _swap_pairs(
    human: Floats,
    doubled: NDArray[np.int64],
    moments: InputMoments,
    flat: float,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> tuple[Floats, NDArray[np.int64]]:
    """SPA and disagreements in half pairs of some pairs of metrics, (2, replicates, pairs).

    p is `flat` without any difference; rounded preferences are doubled, so they are whole numbers.
    A second loop adds the terms of a replicate in their order, so that the first loop can be
    vectorised, which halves the time.
    """
    replicates, count = moments.kept.shape[1:]
    shape = 2, replicates, pairs[0].size
    soft, half_pairs = np.empty(shape), np.empty(shape, np.int64)
    gaps, apart = np.empty(count), np.empty(count, np.int64)
    for number in range(2 * pairs[0].size):
        pair, side = number // 2, number % 2
        metric, partner = pairs[side][pair], pairs[1 - side][pair]
        slack = SUM_TIE * moments.magnitudes[metric] + SUM_TIE * moments.magnitudes[partner]
        floor = SUM_TIE * (moments.squares[metric] + moments.squares[partner])
        squares = moments.squares[metric]
        for r in range(replicates):
            kept, brought = moments.kept[metric, r], moments.brought[partner, r]
            given, got = moments.brought_squares[metric, r], moments.brought_squares[partner, r]
            for k in range(count):
                total, square = kept[k] + brought[k], squares[k] - given[k] + got[k]
                half = 0 if total > slack[k] else 2 if total < -slack[k] else 1
                apart[k] = abs(doubled[k] - half)
                empty = square <= floor[k]
                p = _normal_cdf(-total / np.sqrt(1.0 if empty else square))
                gaps[k] = abs(human[k] - (flat if empty else p))
            gap, disagreement = 0.0, 0
            for k in range(count):
                gap += gaps[k]
                disagreement += apart[k]
            soft[side, r, pair] = 1.0 - gap / count
            half_pairs[side, r, pair] = disagreement
    return soft, half_pairs


ROW = 16
"""Numbers per vector; rows are padded to whole vectors."""

Singles = NDArray[np.float32]

_ROWS_TOGETHER = 8  # rows that stay in the first-level cache
_LARGEST = 1e38
_SMALLEST = 2.0**-147
"""Bound on the rounding of numbers that are too small for full single precision."""
_SIGN = np.int32(-(2**31))
"""The bit of the sign."""
_Nulls = tuple[Floats, Floats]  # of metrics, and of their swapped entries, as `null_totals`
_Rows = tuple[tuple[Singles, Floats], tuple[Singles, Floats]]
"""Rows of kept and swapped parts of metrics, each with its magnitude, or range and magnitude."""


@njit(cache=True, nogil=True)
def _count(x: Singles, y: Singles, high: np.float32, low: np.float32) -> tuple[int, int]:
    """Count ``x + y > high`` and ``x + y >= low`` for rows from `new_rows`.

    32-bit counters are as wide as the numbers, so vectors hold equally many of both.
    """
    above, reached = np.int32(0), np.int32(0)
    for b in range(x.size):
        total = x[b] + y[b]
        above = np.int32(above + (total > high))
        reached = np.int32(reached + (total >= low))
    return int(above), int(reached)


@njit(cache=True, nogil=True)
def new_rows(count: int, size: int, facts: int) -> tuple[Singles, Floats]:
    """Allocate rows in single precision, and facts of each; NaN pads rows and is never counted.

    Rows start at cache lines, because a load that crosses two lines takes twice as long.
    """
    width = -(-size // ROW) * ROW
    room = np.empty(count * width + ROW, np.float32)
    skipped = -(room.ctypes.data // room.itemsize) % ROW
    rows = room[skipped : skipped + count * width].reshape(count, width)
    rows[:, size:] = np.nan
    return rows, np.empty((count, facts))


@njit(cache=True, nogil=True)
def range_of(rows: Singles, i: int, columns: int) -> tuple[float, float]:
    """Lowest and highest number of a row from `new_rows`, including 0.

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
    for start in range(0, len(y), _ROWS_TOGETHER):
        for i in range(len(x)):
            for j in range(start, min(start + _ROWS_TOGETHER, len(y))):
                size = of_x[i, 2] + of_y[j, 2] + max(abs(low[i, j]), abs(high[i, j]))
                room = SINGLE_ROUNDING * size + _SMALLEST
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


@njit(cache=True, nogil=True)
def _narrow_totals(nulls: _Nulls, kept: Floats, brought: Floats, narrowed: _Rows) -> None:
    """Copy each metric's kept and swapped totals of each system, minus those of the first system.

    There is one row of `narrowed` for each metric and system, with its largest absolute value.
    Without the subtraction, totals would be larger, and so would the rounding of their differences.
    `kept` and `brought` are overwritten.
    """
    null, swapped_null = nulls
    metrics, systems, _ = null.shape
    for row in range(metrics * systems):
        m, i = row // systems, row % systems
        _fill_differences(null[m], swapped_null[m], i, 0, kept, brought)
        for (rows, sizes), part in ((narrowed[0], kept), (narrowed[1], brought)):
            for b in range(part.size):  # compiles in half the time of a slice
                rows[row, b] = part[b]
            low, high = range_of(rows, row, part.size)
            sizes[row, 0] = max(-low, high)


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
) -> tuple[Floats, NDArray[np.int64]]:
    """Return, for one resample, SPA and half-pair disagreements of metric a after a swap with b.

    p = (above + weight equal) / permutations. A metric with itself has no result. `narrowed` and
    `pair` are memory for rows of all systems, and of a pair of them.
    """
    null, swapped_null = nulls
    metrics, systems, permutations = null.shape
    kept, brought, unused = np.empty((3, permutations))
    _narrow_totals(nulls, kept, brought, narrowed)
    shape = metrics, metrics
    gap, disagreement = np.zeros(shape), np.zeros(shape, np.int64)
    low, high = np.empty(shape), np.empty(shape)
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
                observed = kept_sum[a] + brought_sum[other]
                slack = SUM_TIE * (size[a] + size[other])
                low[a, other], high[a, other] = observed - slack, observed + slack
        count_narrow(*pair[0], *pair[1], permutations, low, high, counts)
        for a in range(metrics):
            for other in range(metrics):
                above, reached = counts[0, a, other], counts[1, a, other]
                if above != reached and a != other:
                    _fill_differences(null[a], swapped_null[a], i, j, kept, unused)
                    _fill_differences(null[other], swapped_null[other], i, j, unused, brought)
                    above, reached = count_sums(kept, brought, low[a, other], high[a, other])
                gap[a, other] += abs(human[k] - (above + weight * (reached - above)) / permutations)
                doubled = 0 if low[a, other] > 0 else 2 if high[a, other] < 0 else 1
                disagreement[a, other] += abs(human_doubled[k] - doubled)
    return 1.0 - gap / first.size, disagreement


def monte_carlo_swaps(
    human: Floats,
    human_preferences: Floats,
    scores: Floats,
    null_totals: Floats,
    swapped_null_totals: Callable[[int, Floats], Floats],
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
        Fills an array with the part of `null_totals` on the swapped entries of a resample, whose
        number comes first.
    swapped_totals : ndarray, shape (metrics, resamples, systems)
        Totals over the swapped entries, from `supersample.engine.swaps.swapped_totals`.
    mapped : callable
        The built-in `map`, or the map of workers; the results do not depend on it.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), sections 3.3 and 4.4.
    """
    first, second = system_pairs(scores.shape[1])
    doubled = np.rint(2 * human_preferences).astype(np.int64)
    totals, sizes = scores.sum(axis=-1), np.abs(scores).sum(axis=-1)
    weight = 0.5 if convention == "mid" else 1.0

    def new_room() -> tuple[Floats, _Rows, _Rows]:
        count, size = len(scores), null_totals.shape[2]
        kept, brought = (new_rows(count * scores.shape[1], size, 1) for _ in range(2))
        pair = new_rows(count, size, 3), new_rows(count, size, 3)
        return np.empty(null_totals.shape), (kept, brought), pair

    room: dict[int, tuple[Floats, _Rows, _Rows]] = defaultdict(new_room)  # of threads; new is slow

    def of_resample(r: int) -> tuple[Floats, NDArray[np.int64]]:
        out, *rows = room[get_ident()]
        nulls = null_totals, swapped_null_totals(r, out)
        given = np.ascontiguousarray(swapped_totals[:, r])
        return _resample(human, doubled, nulls, totals, given, sizes, weight, first, second, *rows)

    a, b = np.triu_indices(len(scores), 1)
    soft, hard = np.empty((2, 2, swapped_totals.shape[1], a.size))
    for r, (s, h) in enumerate(mapped(of_resample, range(len(soft[0])))):
        soft[:, r] = s[a, b], s[b, a]
        hard[:, r] = (first.size - 0.5 * np.stack([h[a, b], h[b, a]])) / first.size
    return SwappedAccuracies(a, b, soft, hard)
