"""Correlations of the human scores with every metric, in very many small samples at once.

The same coefficients as in `coefficients`, without the metrics' correlations with each other.
"""

import numpy as np
from numba import njit
from scipy.stats import rankdata

from supersample.inference.arguments import Floats

_COUNTED = 64  # up to this many systems counting is faster than sorting


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
            x[:] = ranks
