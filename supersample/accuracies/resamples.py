"""PA and SPA of resampled segments, from sums over what was drawn."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supersample.engine.corpus_swaps import ScaledCorpus, exchange_differences
from supersample.engine.resamples import counted_sums
from supersample.inference.accuracies.agreement import TIE, mean_agreement
from supersample.inference.accuracies.sign_flip import normal_p_values_of_moments, system_pairs


def resampled_accuracies(
    differences: NDArray[np.float64],
    corpus: Sequence[ScaledCorpus],
    counts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """PA and SPA of each replicate, p-values being normal.

    Parameters
    ----------
    differences : ndarray, shape (1 + metrics, pairs, segments)
        Paired differences of segment scores, the human ones first.
    corpus : sequence of ScaledCorpus
        Corpus metrics, which follow the others; every replicate is scored as the corpus it is.
    counts : ndarray, shape (replicates, segments)
        How often each segment is drawn.

    Returns
    -------
    ndarray, shape (2, replicates, metrics)
    """
    scorers, pairs, segments = differences.shape
    flat = differences.reshape(scorers * pairs, segments).T
    moments = counted_sums(counts, np.ascontiguousarray(np.hstack([flat, flat * flat])))
    shape = (len(counts), 2, scorers, pairs)
    sums, squares = np.moveaxis(moments.reshape(shape), 1, 0)
    # sum |d| is at most this, by Cauchy and Schwarz
    slack = TIE * np.sqrt(counts.sum(axis=1)[:, None, None] * squares)
    for metric in corpus:
        own = _corpus_moments(metric, counts)
        sums, squares, slack = (
            np.concatenate([all_, new[:, None]], axis=1)
            for all_, new in zip((sums, squares, slack), own, strict=True)
        )
    rounded = np.where(np.abs(sums) <= slack, 0.5, np.where(sums > 0, 0.0, 1.0))
    p = normal_p_values_of_moments(sums, squares)
    return np.stack([mean_agreement(own[:, :1], own[:, 1:]) for own in (rounded, p)])


def _corpus_moments(
    metric: ScaledCorpus, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Sum d, sum d^2 and what a tie may leave of the former, each (replicates, pairs)."""
    systems, segments, columns = metric.values.shape
    first, second = system_pairs(systems)
    by_segment = np.ascontiguousarray(metric.values.swapaxes(0, 1).reshape(segments, -1))
    totals = counted_sums(counts, by_segment).reshape(len(counts), systems, columns)
    scores = metric.scaled(totals, counts.sum(axis=1)[:, np.newaxis])
    squared = np.ascontiguousarray(np.square(exchange_differences(metric)).T)
    room = TIE * metric.magnitudes()
    slack = np.broadcast_to(room[first] + room[second], (len(counts), first.size))
    return scores[:, first] - scores[:, second], counted_sums(counts, squared), slack
