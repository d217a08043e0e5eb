"""Correlations of the human scores with every metric when systems count several times, or not.

Counts are the number of times that a resample drew each system. A system drawn twice stays one
system: in ranks its copies tie, and in Kendall's pairs they are no pair.
"""

from collections.abc import Callable

import numpy as np

from supersample.inference.arguments import Floats

_REPLICATES_AT_ONCE = 1024


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
