"""Totals of hybrids: the kernel applied to a block of replicates, pair by pair."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersample.engine.designs import PairHybrids, draw_pairs
from supersample.engine.kernel import MAX_UNITS, add_pair_hybrids, system_totals
from supersample.engine.statistics import Statistics
from supersample.engine.streams import stream_key


@dataclass(frozen=True)
class HybridSource:
    """What the hybrids of any block need, worked out once.

    Columns on which all systems agree, such as the count of complete scores, have the same total
    in every hybrid and skip the kernel.
    """

    statistics: Statistics
    design: PairHybrids
    seed: int
    totals: NDArray[np.float64]
    varying: NDArray[np.int64]
    varying_values: NDArray[np.float64]


def hybrid_source(statistics: Statistics, design: PairHybrids, seed: int) -> HybridSource:
    """Prepare the statistics of units for `hybrid_scores`.

    Parameters
    ----------
    statistics : Statistics
        Their units are the design's: segments, or documents already summed.
    design : PairHybrids
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
    draw = draw_pairs(source.design, source.seed, replicates, source.totals.shape[0])
    totals = np.empty((replicates.size, source.varying.size))
    pair = draw.first * source.totals.shape[0] + draw.second
    order = np.argsort(pair, kind="stable")
    starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
    key = stream_key(source.seed, "mask")
    system_sums = np.ascontiguousarray(source.totals[:, source.varying])
    for rows in np.split(order, starts[1:]):
        systems = np.array([draw.first[rows[0]], draw.second[rows[0]]])
        add_pair_hybrids(
            source.varying_values,
            system_sums,
            systems,
            rows,
            key,
            replicates[rows],
            draw.thresholds[rows],
            totals,
        )
    if source.varying.size == source.totals.shape[1]:
        return totals
    everything = np.repeat(source.totals[:1], replicates.size, axis=0)
    everything[:, source.varying] = totals
    return everything


def hybrid_scores(source: HybridSource, start: int, stop: int) -> NDArray[np.float64]:
    """System-level scores of replicates `start` to `stop` - 1, shape (replicates, scorers)."""
    return source.statistics.finalize(hybrid_totals(source, start, stop))


def system_scores(source: HybridSource) -> NDArray[np.float64]:
    """System-level scores of the original systems, shape (systems, scorers)."""
    return source.statistics.finalize(source.totals)
