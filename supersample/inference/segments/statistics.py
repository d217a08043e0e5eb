"""Statistics of agreement within groups of translations, as ratios of sums over groups.

Each statistic is ``sum a / sqrt(sum b * sum c)`` over groups, each with its parts (a, b, c). An
average over groups has the parts (value, 1, 1), and (0, 0, 0) where the value is undefined: the
human or the metric's scores are constant, or there is one translation. Pooled statistics have sums
of products (`PDP`) or of pairs (`KENDALL_LIKE`). So a resample of groups is a weighted sum.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.inference.arguments import Floats
from supersample.inference.segments.flattening import Flat
from supersample.inference.segments.pair_counts import distinct, pair_counts

PEARSON, SPEARMAN, TAU_B, TAU_C, TAU_23, ACC_23, KENDALL_LIKE, PDP = range(8)


def flat_parts(kind: int, flat: Flat, thresholds: Floats) -> Floats:
    """Parts of each metric and group, shape (metrics, groups, 3), every translation once.

    Parameters
    ----------
    kind : int
        ``PEARSON``; ``SPEARMAN``; Kendall's ``TAU_B`` and ``TAU_C`` ``2 (C - D) / (n^2 (m - 1) /
        m)``, m the smaller number of distinct values; ``ACC_23`` ``(C + T_hm) / pairs`` and
        ``TAU_23`` ``2 ACC_23 - 1``, T_hm pairs tied by both; ``KENDALL_LIKE`` ``(C - D) / (C +
        D)`` of pairs that people's scores tell apart by the threshold or more, D with those that
        the metric ties; ``PDP``, Pearson's r of differences of all pairs within a group.
    flat : Flat
    thresholds : ndarray, shape (metrics,)
        Of ties in the metric; of KENDALL_LIKE, least difference of human scores that counts.

    References
    ----------
    Deutsch, Foster and Freitag (2023), EMNLP, for acc_23 and tau_23; Ma, Wei, Bojar and Graham
    (2019), WMT, section 4.2, for the Kendall-like tau; DiIanni and Deutsch (2025), "Don't sweat the
    small stuff", EMNLP, for PDP.
    """
    ones = np.ones(flat.human.size)
    return np.stack(
        [
            group_parts(kind, flat.human, metric, flat.starts, ones, threshold)
            for metric, threshold in zip(flat.metrics, thresholds, strict=True)
        ]
    )


def ratio(sums: Floats) -> Floats:
    """Value of summed parts (..., 3); NaN where nothing is defined.

    Examples
    --------
    >>> print(ratio(np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])))
    [0.5 nan]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / np.sqrt(sums[..., 1] * sums[..., 2]))


@njit(cache=True, nogil=True)
def group_parts(
    kind: int,
    human: Floats,
    metric: Floats,
    starts: NDArray[np.int64],
    weights: Floats,
    threshold: float,
) -> Floats:
    """Parts of each group of one metric, translations drawn as often as their weights say.

    Copies of a translation form no pair. ``TAU_C`` is then ``(C - D) / pairs`` of the drawn, times
    what takes that to tau_c in the whole group, ``(n - 1) / n * m / (m - 1)``.
    """
    out = np.zeros((starts.size - 1, 3))
    room = np.empty((3, human.size))
    for g in range(out.shape[0]):
        drawn = 0
        for k in range(starts[g], starts[g + 1]):
            if weights[k] != 0:
                room[0, drawn], room[1, drawn], room[2, drawn] = human[k], metric[k], weights[k]
                drawn += 1
        if drawn >= 2:
            h, x, w = room[0, :drawn], room[1, :drawn], room[2, :drawn]
            size, classes = starts[g + 1] - starts[g], 0
            if kind == TAU_C:
                group = slice(starts[g], starts[g + 1])
                classes = min(distinct(human[group]), distinct(metric[group]))
            out[g, 0], out[g, 1], out[g, 2] = _parts(kind, h, x, w, threshold, size, classes)
    return out


@njit(cache=True, nogil=True)
def _parts(
    kind: int, h: Floats, x: Floats, w: Floats, threshold: float, size: int, classes: int
) -> tuple[float, float, float]:
    if kind == PDP:
        xy, xx, yy, whole = _products(h, x, w)
        return whole * xy, whole * xx, whole * yy
    if kind == KENDALL_LIKE:
        con, dis, tied, _, _ = pair_counts(x, h, w, np.nextafter(threshold, -np.inf))
        pairs = con + dis + tied
        return con - dis - tied, pairs, pairs
    value = _value(kind, h, x, w, threshold, size, classes)
    if np.isnan(value):
        return 0.0, 0.0, 0.0
    return value, 1.0, 1.0


@njit(cache=True, nogil=True)
def _value(
    kind: int, h: Floats, x: Floats, w: Floats, threshold: float, size: int, classes: int
) -> float:
    if kind == PEARSON:
        return _pearson(h, x, w)
    if kind == SPEARMAN:
        return _pearson(_mid_ranks(h, w), _mid_ranks(x, w), w)
    con, dis, tied_h, tied_x, both = pair_counts(h, x, w, threshold)
    total = con + dis + tied_h + tied_x + both
    if kind == ACC_23:
        return (con + both) / total
    if kind == TAU_23:
        return (con + both - dis - tied_h - tied_x) / total
    untied_h, untied_x = total - tied_h - both, total - tied_x - both
    if untied_h == 0 or untied_x == 0:
        return np.nan
    if kind == TAU_B:
        return (con - dis) / math.sqrt(untied_h) / math.sqrt(untied_x)
    squared = float(size) * size * (total / (size * (size - 1) / 2))
    return 2 * (con - dis) / (squared * (classes - 1) / classes)


@njit(cache=True, nogil=True)
def _pearson(x: Floats, y: Floats, w: Floats) -> float:
    xy, xx, yy, _ = _products(x, y, w)
    if xx == 0 or yy == 0:
        return np.nan
    return max(-1.0, min(1.0, xy / math.sqrt(xx) / math.sqrt(yy)))


@njit(cache=True, nogil=True)
def _products(x: Floats, y: Floats, w: Floats) -> tuple[float, float, float, float]:
    """Weighted centred sums of x y, x x and y y, and of weights; 0 exactly of constant scores."""
    whole, mean_x, mean_y = 0.0, 0.0, 0.0
    for k in range(x.size):
        whole += w[k]
        mean_x += w[k] * (x[k] - x[0])
        mean_y += w[k] * (y[k] - y[0])
    mean_x, mean_y = x[0] + mean_x / whole, y[0] + mean_y / whole
    xy, xx, yy = 0.0, 0.0, 0.0
    for k in range(x.size):
        dx, dy = x[k] - mean_x, y[k] - mean_y
        xy += w[k] * dx * dy
        xx += w[k] * dx * dx
        yy += w[k] * dy * dy
    return xy, xx, yy, whole


@njit(cache=True, nogil=True)
def _mid_ranks(x: Floats, w: Floats) -> Floats:
    """Ranks of drawn scores, equal ones sharing their mean rank."""
    order = np.argsort(x, kind="mergesort")
    ranks = np.empty(x.size)
    start, below = 0, 0.0
    while start < x.size:
        stop, tied = start, 0.0
        while stop < x.size and x[order[stop]] == x[order[start]]:
            tied += w[order[stop]]
            stop += 1
        ranks[order[start:stop]] = below + (tied + 1) / 2
        below += tied
        start = stop
    return ranks


@njit(cache=True, nogil=True)
def weighted_values(
    kind: int,
    human: Floats,
    metric: Floats,
    starts: NDArray[np.int64],
    counts: Floats,
    units: NDArray[np.int64],
    of_groups: Floats,
    threshold: float,
) -> Floats:
    """Values of one metric, (replicates,), where units within groups, and groups, are drawn.

    Counts have the shape (replicates, units), those of groups (replicates, groups). A group that is
    drawn twice is two groups; copies of a translation within a group form no pair. NaN where
    nothing is defined.
    """
    out = np.full(counts.shape[0], np.nan)
    weights = np.empty(human.size)
    for r in range(counts.shape[0]):
        for i in range(human.size):
            weights[i] = counts[r, units[i]]
        parts = group_parts(kind, human, metric, starts, weights, threshold)
        above, first, second = 0.0, 0.0, 0.0
        for g in range(parts.shape[0]):
            above += of_groups[r, g] * parts[g, 0]
            first += of_groups[r, g] * parts[g, 1]
            second += of_groups[r, g] * parts[g, 2]
        if first * second > 0:
            out[r] = above / math.sqrt(first * second)
    return out
