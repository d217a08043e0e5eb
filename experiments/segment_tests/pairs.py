"""Swaps of who is right about a pair of translations, the shared task's test for `acc_eq`."""

from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.kernel import masked_sums
from supersample.engine.streams import coin_words, stream_key
from supersample.inference.translations_and_ties import TAU_23, Flat
from supersample.measures.segments import MeasuredTranslations

Floats = NDArray[np.float64]
_PAIRS_AT_ONCE = 2**17


def null_differences(found: MeasuredTranslations, resamples: int) -> Floats:
    """Differences of each pair of metrics after swaps, (resamples, pairs).

    With credits c for pairs of translations and coins w, a swap gives metric a the sum ``sum c_a -
    w (c_a - c_b)``. The difference between the two metrics is the difference of ``sum c - 2 sum w
    c``, so one masked sum per metric serves every pair of metrics.
    """
    flat, code = found._flat, found._measure.code
    key = stream_key(found._part.seed, "metric swap pairs")
    numbers = np.arange(resamples, dtype=np.uint64)
    values = np.zeros((resamples, len(flat.metrics)))
    before = np.arange(flat.human.size) - np.repeat(flat.starts[:-1], flat.sizes)
    first_word = 0
    for rows in row_blocks(flat, _PAIRS_AT_ONCE):
        credits = pair_credits(code, flat, found.thresholds, rows)
        if len(credits):
            coins = coin_words(key, numbers, len(credits), first_word)
            values += credits.sum(axis=0) - 2 * masked_sums(coins, credits)
        first_word += -(-int(before[slice(*rows)].sum()) // 64)
    first, second = np.triu_indices(len(flat.metrics), 1)
    return np.asarray(values[:, first] - values[:, second])


def row_blocks(flat: Flat, most: int) -> list[tuple[int, int]]:
    """Split translations into blocks that each have about `most` pairs with earlier ones."""
    before = np.arange(flat.human.size) - np.repeat(flat.starts[:-1], flat.sizes)
    block = np.cumsum(before) // most
    edges = np.concatenate([[0], np.flatnonzero(np.diff(block)) + 1, [block.size]])
    return [(int(first), int(last)) for first, last in pairwise(edges)]


def pair_credits(kind: int, flat: Flat, thresholds: Floats, rows: tuple[int, int]) -> Floats:
    """Credit of each pair for each metric, shape (pairs, metrics); the sum is the statistic.

    A pair counts ``1 / pairs`` of its group, divided by the number of groups. The pairs are those
    of the translations `rows[0]` to `rows[1]` - 1 with all earlier ones.
    """
    pairs = flat.pairs
    weights = 1.0 / (np.maximum(pairs, 1) * (pairs > 0).sum())
    groups = np.repeat(np.arange(pairs.size), flat.sizes)
    return np.asarray(
        _credits(
            kind, flat.human, flat.metrics.T.copy(), flat.starts, groups, weights, thresholds, *rows
        )
    )


@njit(cache=True, nogil=True)
def _credits(
    kind: int,
    human: Floats,
    metrics: Floats,
    starts: NDArray[np.int64],
    groups: NDArray[np.int64],
    weights: Floats,
    thresholds: Floats,
    first: int,
    last: int,
) -> Floats:
    count = 0
    for i in range(first, last):
        count += i - starts[groups[i]]
    out = np.zeros((count, metrics.shape[1]))
    at = 0
    for i in range(first, last):
        weight = weights[groups[i]]
        for j in range(starts[groups[i]], i):
            h = human[i] - human[j]
            for k in range(metrics.shape[1]):
                x = metrics[i, k] - metrics[j, k]
                alike = (x > 0 and h > 0) or (x < 0 and h < 0)
                right = h == 0 if abs(x) <= thresholds[k] else alike
                if kind == TAU_23:
                    out[at, k] = weight if right else -weight
                elif right:
                    out[at, k] = weight
            at += 1
    return out
