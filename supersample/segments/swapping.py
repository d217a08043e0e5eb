"""Null differences of metrics on segments: they swap the results of pairs, or their scores."""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supersample.engine.bits import coin_words, pack_coins
from supersample.engine.masked_sums import masked_sums
from supersample.engine.streams import stream_key
from supersample.engine.swaps import swap_masks
from supersample.errors import InputError
from supersample.inference.segments.statistics import (
    ACC_23,
    KENDALL_LIKE,
    MOST_PAIRS,
    PDP,
    PEARSON,
    TAU_23,
    Flat,
    flat_parts,
    ratio,
)
from supersample.inference.segments.swaps import (
    pair_credits,
    row_blocks,
    standardised,
    swapped_correlations,
    swapped_statistics,
)
from supersample.segments.agreement import Found
from supersample.segments.inputs import Translations
from supersample.segments.statistics import SegmentStatistic

SegmentScheme = Literal["scores", "pairs", "segments"]
_OF_PAIRS = (ACC_23, TAU_23, KENDALL_LIKE)
_PAIRS_AT_ONCE = 2**17
_REPLICATES_AT_ONCE = 64


def scheme_of(statistic: SegmentStatistic, scheme: SegmentScheme | None) -> SegmentScheme:
    """Scheme of a statistic; an InputError refuses one that the statistic does not have."""
    of_pairs = statistic.code in _OF_PAIRS
    if scheme is None:
        return "pairs" if of_pairs else "scores"
    if scheme == "segments" and statistic.grouping != "item":
        raise InputError(f"segments are swapped whole within items, not in {statistic}")
    if scheme == "pairs" and not of_pairs:
        raise InputError(
            f"{statistic.name} is no mean over pairs of translations, whose results could be "
            "swapped; use the scheme scores"
        )
    if scheme == "scores" and statistic.calibrated:
        raise InputError(
            f"swapped scores of {statistic.name} would be calibrated anew in every resample; use "
            f"the scheme pairs, or {statistic.name.replace('_eq', '_23')}"
        )
    return scheme


def joint_scheme(statistic: SegmentStatistic, scheme: SegmentScheme) -> SegmentScheme:
    """Scheme of the p-values of all metrics at once: one that rejects no more than its level."""
    return "segments" if scheme == "pairs" and statistic.grouping == "item" else scheme


def null_differences(
    part: Translations,
    statistic: SegmentStatistic,
    found: Found,
    scheme: SegmentScheme,
    resamples: int,
    threads: int,
) -> NDArray[np.float64]:
    """Differences of every two metrics after each swap, shape (resamples, pairs of metrics).

    Resample i is a function of (seed, i) alone, and all pairs of metrics share its coins: one for
    each pair of translations, or for each translation.
    """
    first, second = np.triu_indices(len(found.flat.metrics), 1)
    if scheme == "segments":
        kept, brought = _segment_swapped(part, statistic, found, resamples)
        one, other = (
            ratio(kept[:, i] + brought[:, j]) for i, j in ((first, second), (second, first))
        )
        return np.nan_to_num(one) - np.nan_to_num(other)
    if scheme == "pairs":
        values = _pair_swapped(found, statistic.code, part.seed, resamples, threads)
        return values[:, first] - values[:, second]
    flat = standardised(found.flat)
    blocks = _coins(part, flat, resamples)
    if statistic.code in (PEARSON, PDP):
        scores = np.ascontiguousarray(flat.metrics.T)
        human = flat.human - np.repeat(
            np.add.reduceat(flat.human, flat.starts[:-1]) / flat.sizes, flat.sizes
        )

        def of_block(coins: NDArray[np.bool_]) -> NDArray[np.float64]:
            r = swapped_correlations(statistic.code, human, scores, flat.starts, coins)
            return np.asarray(r[:, first, second] - r[:, second, first])

        return np.concatenate(_mapped(of_block, blocks, threads))
    coins = np.concatenate(list(blocks))
    threshold = float(statistic.thresholds(1)[0])

    def of_pair(k: int) -> NDArray[np.float64]:
        two = flat.metrics[first[k]], flat.metrics[second[k]]
        differences = swapped_statistics(
            statistic.code, flat.human, *two, flat.starts, coins, threshold
        )
        return np.asarray(differences)

    columns = _mapped(of_pair, range(first.size), threads)
    return np.stack(columns, axis=1) if columns else np.empty((resamples, 0))


def _segment_swapped(
    part: Translations, statistic: SegmentStatistic, found: Found, resamples: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the parts that each metric keeps and hands over, each (resamples, metrics, 3)."""
    parts = found.parts
    if statistic.code == PDP:  # its sums depend on the metric's scale
        parts = flat_parts(PDP, standardised(found.flat), found.thresholds)
    numbers = np.arange(resamples, dtype=np.uint64)
    segments = part.keep.shape[1]
    masks = swap_masks("inputs", systems=1, segments=segments, seed=part.seed, replicates=numbers)
    words = pack_coins(masks[:, 0, found.flat.segments[found.flat.starts[:-1]]])
    by_group = np.ascontiguousarray(parts.swapaxes(0, 1).reshape(parts.shape[1], -1))
    brought = masked_sums(words, by_group).reshape(resamples, *parts.shape[::2])
    return parts.sum(axis=1) - brought, brought


def _pair_swapped(
    found: Found, code: int, seed: int, resamples: int, threads: int
) -> NDArray[np.float64]:
    """Each metric's value less twice what it hands over, whose differences are the null ones.

    With credits c of a pair of translations and coins w, swapping leaves ``sum c_a - w (c_a -
    c_b)`` to metric a; the difference of the two is that of ``sum c - 2 sum w c``, so that one
    masked sum per metric serves every pair of metrics.
    """
    flat = found.flat
    if flat.pairs.sum() > MOST_PAIRS:
        raise InputError(
            f"results of at most {MOST_PAIRS:,} pairs are swapped, there are "
            f"{flat.pairs.sum():,}; group by item"
        )
    key, numbers = stream_key(seed, "metric swap pairs"), np.arange(resamples, dtype=np.uint64)
    rows = row_blocks(flat, _PAIRS_AT_ONCE)
    before = np.arange(flat.human.size) - np.repeat(flat.starts[:-1], flat.sizes)
    words = [-(-int(before[a:b].sum()) // 64) for a, b in rows]
    first_words = np.concatenate([[0], np.cumsum(words)]).astype(int)

    def of_block(block: int) -> NDArray[np.float64]:
        credits = pair_credits(code, flat, found.thresholds, rows[block])
        if not len(credits):
            return np.zeros((resamples, credits.shape[1]))
        coins = coin_words(key, numbers, len(credits), int(first_words[block]))
        return np.asarray(credits.sum(axis=0) - 2 * masked_sums(coins, credits))

    return np.asarray(np.sum(_mapped(of_block, range(len(rows)), threads), axis=0))


def _coins(part: Translations, flat: Flat, resamples: int) -> Iterable[NDArray[np.bool_]]:
    """Coins of translations, a block of replicates after the other."""
    systems, segments = part.keep.shape
    for start in range(0, resamples, _REPLICATES_AT_ONCE):
        stop = min(start + _REPLICATES_AT_ONCE, resamples)
        numbers = np.arange(start, stop, dtype=np.uint64)
        shape = {"systems": systems, "segments": segments}
        masks = swap_masks("both", seed=part.seed, replicates=numbers, **shape)
        yield np.ascontiguousarray(masks[:, flat.systems, flat.segments])


def _mapped(
    function: Callable[[Any], NDArray[np.float64]], items: Iterable[Any], threads: int
) -> list[NDArray[np.float64]]:
    """Map in threads, items being made no earlier than a few are waiting."""
    done, waiting = [], deque[Future[NDArray[np.float64]]]()
    with ThreadPoolExecutor(threads) as pool:
        for item in items:
            if len(waiting) > threads:
                done.append(waiting.popleft().result())
            waiting.append(pool.submit(function, item))
        return done + [each.result() for each in waiting]
