"""Agreement within groups of translations: groups, pairs, statistics and the calibration of ties.

Each statistic is ``sum a / sqrt(sum b * sum c)`` over groups, each with parts (a, b, c). In an
average over groups, the parts are (value, 1, 1), and (0, 0, 0) if the value is undefined: human or
metric scores are constant, or there is one translation. `PDP` pools sums of products. So a resample
of groups is a weighted sum.

Calibration of ties
-------------------
Differences of a metric's scores up to a threshold count as ties. The threshold is chosen as in
Deutsch, Foster and Freitag (2023), "Ties matter: meta-evaluating modern metrics with pairwise
accuracy and tie calibration", EMNLP, section 5. Every difference of a pair is a candidate. A pair
is right if both tie it, or order it alike without a tie. As the threshold grows from 0, pairs that
people tie become right when it reaches their difference, and concordant pairs become wrong; other
pairs never change. So sorting the differences of these pairs once gives the accuracy at all
candidates.

The last functions give the agreement of two metrics after swaps of scores of translations.
"""

import math
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.inference.arguments import Floats
from supersample.tolerances import SUM_TIE

Grouping = Literal["none", "item", "system"]
FEW = 32  # translations; up to this many, pairs are counted one by one
PEARSON, SPEARMAN, TAU_B, TAU_C, TAU_23, ACC_23, PDP = range(7)
MOST_PAIRS = 2**26
"""Most pairs to sort, in 2 GiB: four arrays of this many doubles."""


class Flat(NamedTuple):
    """Scores of rated translations, ordered by group."""

    human: Floats
    """Shape (translations,)."""
    metrics: Floats
    """Shape (metrics, translations)."""
    starts: NDArray[np.int64]
    """First translation of each group, and the number of translations; (groups + 1,)."""
    systems: NDArray[np.int64]
    """System of each translation."""
    segments: NDArray[np.int64]
    """Segment of each translation."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of translations of each group."""
        return np.diff(self.starts)

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Number of pairs of translations within each group."""
        return self.sizes * (self.sizes - 1) // 2


def flatten(human: Floats, metrics: Floats, keep: NDArray[np.bool_], grouping: Grouping) -> Flat:
    """Arrange translations by group, and in a group by system, then segment.

    Parameters
    ----------
    human : ndarray, shape (systems, segments)
    metrics : ndarray, shape (metrics, systems, segments)
    keep : ndarray of bool, shape (systems, segments)
        Translations that count; their scores are finite.
    grouping : {"none", "item", "system"}
        One group of all, one group for each segment, or one for each system. Groups without
        translations are dropped.

    Examples
    --------
    >>> scores = np.arange(6.0).reshape(2, 3)
    >>> flat = flatten(scores, scores[np.newaxis], scores != 1.0, "item")
    >>> print(flat.human, flat.starts)
    [0. 3. 4. 2. 5.] [0 2 3 5]
    """
    if grouping == "item":
        segments, systems = np.nonzero(keep.T)
        sizes = keep.sum(axis=0)
    else:
        systems, segments = np.nonzero(keep)
        sizes = keep.sum(axis=1) if grouping == "system" else keep.sum(keepdims=True).ravel()
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])]).astype(np.int64)
    return Flat(
        np.ascontiguousarray(human[systems, segments]),
        np.ascontiguousarray(metrics[:, systems, segments]),
        starts,
        systems.astype(np.int64),
        segments.astype(np.int64),
    )


@njit(cache=True, nogil=True)
def pair_counts(
    x: Floats, y: Floats, weights: Floats, threshold: float
) -> tuple[float, float, float, float, float]:
    """Count concordant and discordant pairs, and pairs tied in x only, in y only, and in both.

    A pair is tied in y if ``|y_i - y_j| <= threshold`` in floating point, and in x if equal. A pair
    counts the product of its weights (how often each translation is drawn); copies of one
    translation form no pair.

    Parameters
    ----------
    x, y, weights : ndarray, shape (n,)
    threshold : float
        At least 0.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter: meta-evaluating modern metrics with pairwise
    accuracy and tie calibration", EMNLP, section 3. Counting by order statistics: Knight (1966).
    """
    concordant, discordant, tied_x = 0.0, 0.0, 0.0
    if x.size <= FEW:
        both = 0.0
        for i in range(x.size):
            for j in range(i):
                weight = weights[i] * weights[j]
                tied = abs(y[i] - y[j]) <= threshold
                if x[i] == x[j]:
                    if tied:
                        both += weight
                    else:
                        tied_x += weight
                elif not tied:
                    if (x[i] > x[j]) == (y[i] > y[j]):
                        concordant += weight
                    else:
                        discordant += weight
        total = _pairs(weights)
        return concordant, discordant, tied_x, total - concordant - discordant - tied_x - both, both
    order = np.argsort(y, kind="mergesort")
    ranks, classes = _dense_ranks(x)
    tree, mass = np.zeros(classes + 1), np.zeros(classes)
    inserted, last = 0.0, 0
    for i in order:
        while y[i] - y[order[last]] > threshold:
            j = order[last]
            _add(tree, ranks[j], weights[j])
            mass[ranks[j]] += weights[j]
            inserted += weights[j]
            last += 1
        below, equal = _sum_below(tree, ranks[i]), mass[ranks[i]]
        concordant += weights[i] * below
        tied_x += weights[i] * equal
        discordant += weights[i] * (inserted - below - equal)
    both = _tied(ranks, classes, weights) - tied_x
    total = _pairs(weights)
    return concordant, discordant, tied_x, total - concordant - discordant - tied_x - both, both


@njit(inline="always", cache=True)
def _pairs(weights: Floats) -> float:
    whole, squares = 0.0, 0.0
    for weight in weights:
        whole += weight
        squares += weight * weight
    return (whole * whole - squares) / 2


@njit(cache=True, nogil=True)
def _dense_ranks(x: Floats) -> tuple[NDArray[np.int64], int]:
    """Ranks from 0 (equal for equal values), and the number of different ranks."""
    order = np.argsort(x, kind="mergesort")
    ranks = np.zeros(x.size, np.int64)
    for k in range(1, x.size):
        ranks[order[k]] = ranks[order[k - 1]] + (x[order[k]] != x[order[k - 1]])
    return ranks, ranks[order[-1]] + 1


@njit(cache=True, nogil=True)
def _tied(ranks: NDArray[np.int64], classes: int, weights: Floats) -> float:
    mass, squares = np.zeros(classes), np.zeros(classes)
    for k in range(ranks.size):
        mass[ranks[k]] += weights[k]
        squares[ranks[k]] += weights[k] * weights[k]
    total = 0.0
    for k in range(classes):
        total += mass[k] * mass[k] - squares[k]
    return total / 2


@njit(inline="always", cache=True)
def _add(tree: Floats, rank: int, weight: float) -> None:
    """Add to a Fenwick tree (1994)."""
    k = rank + 1
    while k < tree.size:
        tree[k] += weight
        k += k & -k


@njit(inline="always", cache=True)
def _sum_below(tree: Floats, rank: int) -> float:
    total, k = 0.0, rank
    while k > 0:
        total += tree[k]
        k -= k & -k
    return total


@njit(cache=True, nogil=True)
def distinct(x: Floats) -> int:
    """Count different values."""
    return int(_dense_ranks(x)[1])


def flat_parts(kind: int, flat: Flat, thresholds: Floats) -> Floats:
    """Parts of each metric and group, shape (metrics, groups, 3); each translation counts once.

    Parameters
    ----------
    kind : int
        ``PEARSON``; ``SPEARMAN``; Kendall's ``TAU_B``, and ``TAU_C`` ``2 (C - D) / (n^2 (m - 1) /
        m)``, with m the smaller number of distinct values; ``ACC_23`` ``(C + T_hm) / pairs`` and
        ``TAU_23`` ``2 ACC_23 - 1``, with T_hm the pairs tied by both; ``PDP``, Pearson's r of
        differences of all pairs within a group.
    flat : Flat
    thresholds : ndarray, shape (metrics,)
        Tie thresholds of metrics.

    References
    ----------
    Deutsch, Foster and Freitag (2023), EMNLP, for acc_23 and tau_23; DiIanni and Deutsch (2025),
    "Don't sweat the small stuff", EMNLP, for PDP.
    """
    ones = np.ones(flat.human.size)
    return np.stack(
        [
            group_parts(kind, flat.human, metric, flat.starts, ones, threshold)
            for metric, threshold in zip(flat.metrics, thresholds, strict=True)
        ]
    )


def ratio(sums: Floats) -> Floats:
    """Value of summed parts (..., 3); NaN if undefined.

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
    """Parts of each group of one metric; weights say how often translations are drawn.

    Copies of a translation form no pair. ``TAU_C`` is then ``(C - D) / pairs`` of the drawn pairs,
    times the factor that gives tau_c in the whole group, ``(n - 1) / n * m / (m - 1)``.
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
    """Weighted centred sums of x y, x x and y y, and of weights; exactly 0 for constant scores."""
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
    """Ranks of drawn scores; equal scores share their mean rank."""
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
def weighted_ratio(parts: Floats, weights: Floats) -> float:
    """As `ratio`, for parts (groups, 3) times the weights of groups, summed in order."""
    above, first, second = 0.0, 0.0, 0.0
    for g in range(weights.size):
        above += weights[g] * parts[g, 0]
        first += weights[g] * parts[g, 1]
        second += weights[g] * parts[g, 2]
    return above / math.sqrt(first * second) if first * second > 0 else np.nan


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
    """Values of one metric, (replicates,), if units within groups, and groups, are drawn.

    Counts have shape (replicates, units), counts of groups (replicates, groups). A group that is
    drawn twice counts as two groups; copies of a translation within a group form no pair. NaN if
    undefined.
    """
    out, weights = np.empty(counts.shape[0]), np.empty(human.size)
    for r in range(counts.shape[0]):
        for i in range(human.size):
            weights[i] = counts[r, units[i]]
        parts = group_parts(kind, human, metric, starts, weights, threshold)
        out[r] = weighted_ratio(parts, of_groups[r])
    return out


def calibrated_threshold(flat: Flat, metric: int) -> float:
    """Threshold with the highest mean acc_23 over groups; the smallest of equally good thresholds.

    All candidates are compared in O(N log N) for N pairs, at most 2**26. The same threshold is best
    for tau_23. Counts of pairs are exact if the least common multiple of the groups' numbers of
    pairs is below 2**40.

    Examples
    --------
    >>> flat = Flat(
    ...     np.array([0.0, 0.0, 1.0]),
    ...     np.array([[0.1, 0.2, 0.9]]),
    ...     np.array([0, 3]),
    ...     np.arange(3),
    ...     np.zeros(3, np.int64),
    ... )
    >>> round(calibrated_threshold(flat, 0), 3)
    0.1
    """
    pairs = flat.pairs
    if pairs.sum() > MOST_PAIRS:
        raise InputError(
            f"ties are calibrated over at most {MOST_PAIRS:,} pairs, there are {pairs.sum():,}; "
            "group by item"
        )
    differences, gains = _gains(flat.human, flat.metrics[metric], flat.starts, _weights(pairs))
    if not differences.size:
        return 0.0
    room = SUM_TIE * np.abs(gains).sum()  # for weights that are not whole numbers
    order = np.argsort(differences)
    differences = differences[order]  # at most four arrays at once
    gains = gains[order]
    del order
    total = np.cumsum(gains, out=gains)
    total[:-1][differences[1:] == differences[:-1]] = -np.inf  # equal differences change together
    at_zero = 0.0 if differences[0] > 0 else -np.inf
    enough = max(at_zero, total.max()) - room
    return 0.0 if at_zero >= enough else float(differences[np.argmax(total >= enough)])


def _weights(pairs: NDArray[np.int64]) -> Floats:
    """Weights of the groups' pairs in the mean over groups: whole numbers, unless too large."""
    several = pairs[pairs > 0].tolist()
    multiple = math.lcm(*set(several))
    return (multiple if multiple < 2**40 else 1.0) / np.maximum(pairs, 1)


@njit(cache=True, nogil=True)
def _gains(
    human: Floats, metric: Floats, starts: NDArray[np.int64], weights: Floats
) -> tuple[Floats, Floats]:
    """Differences of pairs that a threshold can change, and the gain from tying them."""
    differences, gains = np.empty(0), np.empty(0)
    for filling in (False, True):  # counted first, so that no memory is wasted
        at = 0
        for g in range(starts.size - 1):
            for i in range(starts[g], starts[g + 1]):
                for j in range(starts[g], i):
                    above, h = metric[i] - metric[j], human[i] - human[j]
                    if h == 0 or (above > 0 and h > 0) or (above < 0 and h < 0):
                        if filling:
                            differences[at] = abs(above)
                            gains[at] = weights[g] if h == 0 else -weights[g]
                        at += 1
        if not filling:
            differences, gains = np.empty(at), np.empty(at)
    return differences, gains


def standardised(flat: Flat) -> Flat:
    """Standardise metrics to mean 0 and population standard deviation 1; constants become 0."""
    centred = flat.metrics - flat.metrics.mean(axis=1, keepdims=True)
    constant = np.ptp(flat.metrics, axis=1) == 0
    spread = np.where(constant, 1.0, centred.std(axis=1))
    return flat._replace(metrics=np.where(constant, 0.0, (centred / spread[:, None]).T).T.copy())


@njit(cache=True, nogil=True, error_model="numpy")
def swapped_correlations(
    kind: int, human: Floats, metrics: Floats, starts: NDArray[np.int64], coins: NDArray[np.bool_]
) -> Floats:
    """Pearson's r or PDP for each pair of metrics after swaps of the scores where coins are True.

    The sums of h z, z and z^2 of a swapped metric over a group are its kept part plus its partner's
    part, so sums of each metric serve all pairs.

    Parameters
    ----------
    kind : int
        PEARSON, averaged over groups, or PDP.
    human : ndarray, shape (translations,)
        Centred within groups.
    metrics : ndarray, shape (translations, metrics)
        Standardised.
    coins : ndarray of bool, shape (replicates, translations)

    Returns
    -------
    ndarray, shape (replicates, metrics, metrics)
        Value of the row's metric with the column's scores at coins; 0 if undefined.
    """
    count, groups = metrics.shape[1], starts.size - 1
    out = np.zeros((coins.shape[0], count, count))
    squares, whole = np.zeros(groups), 0.0
    for g in range(groups):
        for i in range(starts[g], starts[g + 1]):
            squares[g] += human[i] * human[i]
        whole += (starts[g + 1] - starts[g]) * squares[g]
    sides, below = np.empty((2, 3, count)), np.empty((count, count))
    for r in range(coins.shape[0]):
        below[:] = 0.0
        for g in range(groups):
            size = float(starts[g + 1] - starts[g])
            if squares[g] == 0 and kind != PDP:
                continue
            sides[:] = 0.0
            for i in range(starts[g], starts[g + 1]):
                side = sides[1] if coins[r, i] else sides[0]
                for k in range(count):
                    z = metrics[i, k]
                    side[0, k] += human[i] * z
                    side[1, k] += z
                    side[2, k] += z * z
            if kind == PDP:
                _add_pooled(out[r], below, sides[0], sides[1], size)
            else:
                _add_mean(out[r], below, sides[0], sides[1], size, squares[g])
        for a in range(count):
            for b in range(count):
                under = math.sqrt(below[a, b] * whole) if kind == PDP else below[a, b]
                out[r, a, b] = out[r, a, b] / under if under > 0 else 0.0
    return out


@njit(cache=True, nogil=True)
def _add_pooled(above: Floats, below: Floats, kept: Floats, brought: Floats, size: float) -> None:
    for a in range(kept.shape[1]):
        product, total, square = kept[0, a], kept[1, a], kept[2, a]
        for b in range(kept.shape[1]):
            second, first = square + brought[2, b], total + brought[1, b]
            variance = size * second - first * first
            above[a, b] += size * (product + brought[0, b])
            below[a, b] += variance if variance > SUM_TIE * second else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _add_mean(
    above: Floats, below: Floats, kept: Floats, brought: Floats, size: float, squares: float
) -> None:
    for a in range(kept.shape[1]):
        product, total, square = kept[0, a], kept[1, a], kept[2, a]
        for b in range(kept.shape[1]):
            second, first = square + brought[2, b], total + brought[1, b]
            variance = second - first * first / size
            defined = variance > SUM_TIE * second
            r = (product + brought[0, b]) / math.sqrt(variance * squares if defined else 1.0)
            above[a, b] += r if defined else 0.0
            below[a, b] += 1.0 if defined else 0.0


@njit(cache=True, nogil=True)
def swapped_statistics(
    kind: int,
    human: Floats,
    first: Floats,
    second: Floats,
    starts: NDArray[np.int64],
    coins: NDArray[np.bool_],
) -> Floats:
    """Differences of any statistic between two metrics after swaps at coins, (replicates,).

    It is computed again for each replicate, without a tie threshold of the metric.
    """
    ones, of_groups = np.ones(human.size), np.ones(starts.size - 1)
    values, scores = np.empty((2, coins.shape[0])), np.empty(human.size)
    for r in range(coins.shape[0]):
        for side in range(2):
            for i in range(human.size):
                scores[i] = second[i] if coins[r, i] ^ (side == 1) else first[i]
            parts = group_parts(kind, human, scores, starts, ones, 0.0)
            value = weighted_ratio(parts, of_groups)
            values[side, r] = 0.0 if np.isnan(value) else value
    return np.asarray(values[0] - values[1])
