"""Totals of hybrids, a block of replicates at a time, as their design has it.

A hybrid of two systems a and b takes unit l from a where its bit is 1 and from b where it is 0, so
its totals are ``sum_l x_b(l) + sum_l bit_l (x_a(l) - x_b(l))``. The first sum adds units in order,
the second is the kernel's.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.bits import MAX_UNITS, biased_words, unpack_coins
from supersample.engine.designs import Design, PairDraw, PairHybrids, draw_pairs
from supersample.engine.masked_sums import REPLICATES_PER_BATCH, masked_sums
from supersample.engine.mixes import mix_totals
from supersample.engine.statistics import Statistics
from supersample.engine.streams import stream_key


@dataclass(frozen=True)
class HybridSource:
    """What the hybrids of any block need, worked out once.

    Columns on which all systems agree, such as the count of complete scores, have the same total
    in every hybrid and skip the kernel.
    """

    statistics: Statistics
    design: Design
    seed: int
    totals: NDArray[np.float64]
    varying: NDArray[np.int64]
    varying_values: NDArray[np.float64]


@njit(cache=True, nogil=True)
def system_totals(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Totals over units, added in order; (systems, units, columns) gives (systems, columns)."""
    systems, units, columns = values.shape
    totals = np.zeros((systems, columns))
    for s in range(systems):
        for unit in range(units):
            for c in range(columns):
                totals[s, c] += values[s, unit, c]
    return totals


def hybrid_source(statistics: Statistics, design: Design, seed: int) -> HybridSource:
    """Prepare the statistics of units for `hybrid_scores`.

    Parameters
    ----------
    statistics : Statistics
        Their units are the design's: segments, or documents already summed.
    design : PairHybrids or MixHybrids
    seed : int

    Raises
    ------
    ValueError
        If there are fewer than two systems, or more than 2**21 units.
    """
    values = statistics.values
    systems, units, _ = values.shape
    if systems < 2:
        raise ValueError("hybrids need at least two systems")
    if units > MAX_UNITS:
        raise ValueError(f"at most {MAX_UNITS} units are supported, not {units}")
    varying = np.flatnonzero((values != values[0]).any(axis=(0, 1)))
    kept = np.ascontiguousarray(values[:, :, varying])
    return HybridSource(statistics, design, seed, system_totals(values), varying, kept)


def hybrid_totals(source: HybridSource, start: int, stop: int) -> NDArray[np.float64]:
    """Totals of replicates `start` to `stop` - 1, shape (replicates, columns)."""
    replicates = np.arange(start, stop, dtype=np.uint64)
    if isinstance(source.design, PairHybrids):
        totals = _pair_totals(source, source.design, replicates)
    else:
        totals = mix_totals(source.varying_values, stream_key(source.seed, "mix"), replicates)
    if source.varying.size == source.totals.shape[1]:
        return totals
    everything = np.repeat(source.totals[:1], replicates.size, axis=0)
    everything[:, source.varying] = totals
    return everything


def _pair_totals(
    source: HybridSource, design: PairHybrids, replicates: NDArray[np.uint64]
) -> NDArray[np.float64]:
    """Totals of the varying columns, pair by pair."""
    draw = draw_pairs(design, source.seed, replicates, source.totals.shape[0])
    pair = draw.first * source.totals.shape[0] + draw.second
    order = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1, append=-1))
    totals = np.empty((replicates.size, source.varying.size))
    _fill_pair_totals(
        source.varying_values,
        np.ascontiguousarray(source.totals[:, source.varying]),
        draw.first,
        draw.second,
        order,
        starts,
        stream_key(source.seed, "mask"),
        replicates,
        draw.thresholds,
        totals,
    )
    return totals


@njit(cache=True, nogil=True)
def _fill_pair_totals(
    values: NDArray[np.float64],
    system_sums: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    key: np.uint64,
    replicates: NDArray[np.uint64],
    thresholds: NDArray[np.uint64],
    out: NDArray[np.float64],
) -> None:
    """Fill the totals of replicates, those of one pair together: ``order[starts[g]:starts[g+1]]``.

    One call for all pairs, so that threads wait for no interpreter in between.
    """
    for g in range(starts.size - 1):
        a, b = first[order[starts[g]]], second[order[starts[g]]]
        differences = values[a] - values[b]
        for start in range(starts[g], starts[g + 1], REPLICATES_PER_BATCH):
            rows = order[start : min(start + REPLICATES_PER_BATCH, starts[g + 1])]
            words = biased_words(key, replicates[rows], thresholds[rows], values.shape[1])
            sums = masked_sums(words, differences)
            for i in range(rows.size):
                for c in range(sums.shape[1]):
                    out[rows[i], c] = system_sums[b, c] + sums[i, c]


def hybrid_coins(
    design: PairHybrids, seed: int, *, systems: int, units: int, start: int, stop: int
) -> tuple[PairDraw, NDArray[np.bool_]]:
    """Say what hybrids `start` to `stop` - 1 are made of, as `hybrid_totals` sums them.

    Returns
    -------
    draw : PairDraw
        The two systems of each hybrid.
    coins : ndarray of bool, shape (replicates, units)
        Whether a unit comes from the first of them.
    """
    replicates = np.arange(start, stop, dtype=np.uint64)
    draw = draw_pairs(design, seed, replicates, systems)
    words = biased_words(stream_key(seed, "mask"), replicates, draw.thresholds, units)
    return draw, unpack_coins(words, units)


def hybrid_scores(source: HybridSource, start: int, stop: int) -> NDArray[np.float64]:
    """System-level scores of replicates `start` to `stop` - 1, shape (replicates, scorers)."""
    return source.statistics.finalize(hybrid_totals(source, start, stop))


def system_scores(source: HybridSource) -> NDArray[np.float64]:
    """System-level scores of the original systems, shape (systems, scorers)."""
    return source.statistics.finalize(source.totals)
