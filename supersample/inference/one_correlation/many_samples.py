"""Correlations of the human scores with every metric, in very many samples or resamples at once.

The same coefficients as in `coefficients`, without the metrics' correlations with each other.
Counts are the number of times that a resample drew each system. A system drawn twice stays one
system: in ranks its copies tie, and in Kendall's pairs they are no pair.
"""

from collections.abc import Callable

import numpy as np
from numba import njit

from supersample.inference.arguments import Floats

_COUNTED = 64  # up to this many systems counting is faster than sorting
_REPLICATES_AT_ONCE = 1024


@njit(cache=True, nogil=True, error_model="numpy")
def pearson_of_samples(samples: Floats) -> Floats:
    """Pearson's r of the human scores with each metric, shape (samples, metrics).

    Samples hold finite scores, shape (samples, 1 + metrics, n), the human ones first, and are
    overwritten. NaN where the human scores, or the metric's, do not vary.
    """
    count, scorers, n = samples.shape
    out = np.empty((count, scorers - 1))
    for i in range(count):
        human = samples[i, 0]
        human_squares = _centre(human)
        for k in range(1, scorers):
            metric = samples[i, k]
            squares = _centre(metric)
            product = 0.0
            for s in range(n):
                product += human[s] * metric[s]
            r = product / np.sqrt(human_squares * squares)
            out[i, k - 1] = r if np.isnan(r) else min(1.0, max(-1.0, r))
    return out


def spearman_of_samples(samples: Floats) -> Floats:
    """Spearman's correlation, as `pearson_of_samples`: Pearson's of ranks, ties at their mean."""
    if samples.shape[2] > _COUNTED:
        from scipy.stats import rankdata  # slow to import

        return np.asarray(pearson_of_samples(rankdata(samples, axis=-1)))
    _rank_by_counting(samples)
    return np.asarray(pearson_of_samples(samples))


@njit(cache=True, nogil=True, error_model="numpy")
def kendall_of_samples(samples: Floats) -> Floats:
    """Kendall's tau-b, as `pearson_of_samples`; time grows as n^2."""
    count, scorers, n = samples.shape
    out = np.empty((count, scorers - 1))
    for i in range(count):
        human = samples[i, 0]
        for k in range(1, scorers):
            metric = samples[i, k]
            balance, untied_human, untied_metric = 0, 0, 0
            for s in range(n):
                for t in range(s):
                    by_human = int(human[s] > human[t]) - int(human[s] < human[t])
                    by_metric = int(metric[s] > metric[t]) - int(metric[s] < metric[t])
                    balance += by_human * by_metric
                    untied_human += by_human * by_human
                    untied_metric += by_metric * by_metric
            out[i, k - 1] = balance / np.sqrt(np.float64(untied_human) * untied_metric)
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _centre(x: Floats) -> float:
    """Deviations from the mean, in place, in units of the largest; their sum of squares.

    NaN where x does not vary.
    """
    n = x.size
    lowest, highest, total = x[0], x[0], 0.0
    for s in range(n):
        lowest, highest = min(lowest, x[s]), max(highest, x[s])
        total += x[s]
    if lowest == highest:
        return np.nan
    mean, rest = total / n, 0.0
    for s in range(n):
        x[s] -= mean
        rest += x[s]
    # The mean itself is rounded; what is left of it matters for scores far from zero. Scaling keeps
    # the squares of tiny and huge scores within the range of doubles.
    rest /= n
    scale = max(abs(lowest - mean), abs(highest - mean))
    squares = 0.0
    for s in range(n):
        x[s] = (x[s] - rest) / scale
        squares += x[s] * x[s]
    return squares


@njit(cache=True, nogil=True)
def _rank_by_counting(samples: Floats) -> None:
    """Put twice the midranks in place of scores."""
    count, scorers, n = samples.shape
    ranks = np.empty(n)
    for i in range(count):
        for k in range(scorers):
            x = samples[i, k]
            for s in range(n):
                rank = 1
                for t in range(n):
                    rank += int(x[t] < x[s]) + int(x[t] <= x[s])
                ranks[s] = rank
            for s in range(n):
                x[s] = ranks[s]


def weighted_pearson(scores: Floats, counts: Floats) -> Floats:
    """Pearson's r of the human scores with each metric, in every resample.

    Scores of shape (n, 1 + metrics), the human ones first, and counts of shape (replicates, n) give
    (replicates, metrics); NaN where the drawn human scores, or the metric's, do not vary.

    Examples
    --------
    >>> scores = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    >>> weighted_pearson(scores, np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]]))
    array([[0.5],
           [1. ]])
    """
    return _in_parts(counts, lambda part: _pearson_of(scores[np.newaxis], part))


def weighted_spearman(scores: Floats, counts: Floats) -> Floats:
    """Spearman's correlation, as `weighted_pearson`: Pearson's of midranks within the resample.

    The midrank of system i is ``1/2 + sum_j w_j ([x_j < x_i] + [x_j = x_i] / 2)``, linear in the
    counts w.
    """
    below = (scores[:, np.newaxis] < scores[np.newaxis]).astype(np.float64)
    equal = (scores[:, np.newaxis] == scores[np.newaxis]).astype(np.float64)
    places = below + equal / 2.0

    def part(counts: Floats) -> Floats:
        return _pearson_of(np.tensordot(counts, places, axes=(1, 0)) + 0.5, counts)

    return _in_parts(counts, part)


def weighted_kendall(scores: Floats, counts: Floats) -> Floats:
    """Kendall's tau-b, as `weighted_pearson`; a pair of systems weighs the product of counts."""
    i, j = np.triu_indices(scores.shape[0], 1)
    signs = np.sign(scores[i] - scores[j])
    weights = counts[:, i] * counts[:, j]
    agreement = weights @ (signs[:, :1] * signs[:, 1:])
    untied = weights @ signs**2
    scale = np.sqrt(untied[:, :1] * untied[:, 1:])
    return np.asarray(agreement / np.where(scale == 0, np.nan, scale))


def _in_parts(counts: Floats, function: Callable[[Floats], Floats]) -> Floats:
    """Take some replicates at a time, for the sake of memory."""
    starts = range(0, counts.shape[0], _REPLICATES_AT_ONCE)
    return np.concatenate([function(counts[i : i + _REPLICATES_AT_ONCE]) for i in starts])


def _pearson_of(x: Floats, counts: Floats) -> Floats:
    """Of scores (replicates or 1, n, 1 + metrics), the counts' sums taken about their means."""
    w = counts[:, :, np.newaxis]
    drawn = w > 0
    highest = np.where(drawn, x, -np.inf).max(axis=1)
    lowest = np.where(drawn, x, np.inf).min(axis=1)
    centred = x - (w * x).sum(axis=1, keepdims=True) / w.sum(axis=1, keepdims=True)
    weighted = w * centred
    products = np.einsum("bn,bnk->bk", weighted[:, :, 0], centred[:, :, 1:])
    squares = np.einsum("bnk,bnk->bk", weighted, centred)
    squares[highest == lowest] = np.nan
    r = products / np.sqrt(squares[:, :1] * squares[:, 1:])
    return np.asarray(np.clip(r, -1.0, 1.0))
