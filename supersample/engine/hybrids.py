"""Totals of hybrids, a block of replicates at a time, as their design has it.

A hybrid of two systems a and b takes unit l from a where its bit is 1 and from b where it is 0, so
its totals are ``sum_l x_b(l) + sum_l bit_l (x_a(l) - x_b(l))``. The first sum adds units in order,
the second is the kernel's.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.bits import (
    HALF_SHARE,
    MAX_UNITS,
    biased_word,
    biased_words,
    unpack_coins,
)
from supersample.engine.designs import Design, PairDraw, PairHybrids, draw_pairs
from supersample.engine.masked_sums import (
    REPLICATES_PER_BATCH,
    UNITS_PER_PASS,
    add_pass,
    fill_tables,
    new_tables,
    padded_rows,
)
from supersample.engine.memory import room
from supersample.engine.mixes import mix_rows, mix_totals
from supersample.engine.statistics import Statistics
from supersample.engine.streams import stream_key, word
from supersample.engine.vectors import ROW, aligned_zeros
from supersample.errors import InputError

_PASS = np.uint64(UNITS_PER_PASS)


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
    """Of the original systems, shape (systems, columns)."""
    varying: NDArray[np.int64]
    """Columns on which systems differ."""
    rows: NDArray[np.float64]
    """Values of those columns, laid out for the design's kernel."""


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
    InputError
        If there are fewer than two systems, or more than 2**21 units.
    """
    values = statistics.values
    systems, units, _ = values.shape
    if systems < 2:
        raise InputError("hybrids need at least two systems")
    if units > MAX_UNITS:
        raise InputError(f"at most {MAX_UNITS} units are supported, not {units}")
    varying = np.flatnonzero([_varies(column) for column in np.moveaxis(values, -1, 0)])
    layout = padded_rows if isinstance(design, PairHybrids) else mix_rows
    rows = layout(values, varying)
    return HybridSource(statistics, design, seed, system_totals(values), varying, rows)


@njit(cache=True, nogil=True)
def _varies(column: NDArray[np.float64]) -> bool:
    """Whether systems differ anywhere, by the first difference; shape (systems, units)."""
    for s in range(1, column.shape[0]):
        for unit in range(column.shape[1]):
            if column[s, unit] != column[0, unit]:
                return True
    return False


def hybrid_totals(source: HybridSource, start: int, stop: int) -> NDArray[np.float64]:
    """Totals of replicates `start` to `stop` - 1, shape (replicates, columns)."""
    replicates = np.arange(start, stop, dtype=np.uint64)
    totals = room(replicates.size, source.totals.shape[1])
    totals[:] = source.totals[0]  # what the columns keep on which all systems agree
    if isinstance(source.design, PairHybrids):
        draw = draw_pairs(source.design, source.seed, replicates, source.totals.shape[0])
        order, starts = _by_pair(draw.first, draw.second, source.totals.shape[0])
        key = stream_key(source.seed, "mask")
        _fill_pair_totals(
            source.rows, source.totals, source.varying, draw, order, starts, key, replicates, totals
        )
    else:
        key = stream_key(source.seed, "mix")
        totals[:, source.varying] = mix_totals(source.rows, source.varying.size, key, replicates)
    return totals


@njit(cache=True, nogil=True)
def _by_pair(
    first: NDArray[np.int64], second: NDArray[np.int64], systems: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort replicates by pair, in order within each: ``order[starts[p]:starts[p + 1]]``."""
    starts = np.zeros(systems * systems + 1, np.int64)
    for r in range(first.size):
        starts[first[r] * systems + second[r] + 1] += 1
    starts = np.cumsum(starts)
    places = starts.copy()
    order = np.empty(first.size, np.int64)
    for r in range(first.size):
        pair = first[r] * systems + second[r]
        order[places[pair]] = r
        places[pair] += 1
    return order, starts


@njit(cache=True, nogil=True)
def _fill_pair_totals(
    rows: NDArray[np.float64],
    system_sums: NDArray[np.float64],
    varying: NDArray[np.int64],
    draw: PairDraw,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    key: np.uint64,
    replicates: NDArray[np.uint64],
    out: NDArray[np.float64],
) -> None:
    """Fill the varying columns of the replicates' totals, those of one pair together.

    One call for all pairs, so that threads wait for no interpreter in between. Bits are drawn where
    they are summed, a word of each replicate of a batch at a time, and never stored.
    """
    systems, blocks, passes, size = rows.shape
    tables, differences = new_tables(), aligned_zeros(size)
    largest = min(REPLICATES_PER_BATCH, np.diff(starts).max())
    sums, words = aligned_zeros(largest * ROW), np.empty(largest, np.uint64)
    for pair in range(starts.size - 1):
        a, b = pair // systems, pair % systems
        for start in range(starts[pair], starts[pair + 1], REPLICATES_PER_BATCH):
            batch = order[start : min(start + REPLICATES_PER_BATCH, starts[pair + 1])]
            numbers, thresholds = replicates[batch], draw.thresholds[batch]
            fair = (thresholds == HALF_SHARE).all()
            bits = words[: batch.size]
            for block in range(blocks):
                sums[: batch.size * ROW] = 0.0
                for number in range(passes):
                    w = np.uint64(number // 2)
                    if number % 2 == 1:
                        bits >>= _PASS
                    elif fair:  # one random word each, by vector instructions
                        for r in range(bits.size):
                            bits[r] = word(key, numbers[r], w)
                    else:
                        for r in range(bits.size):
                            bits[r] = biased_word(key, numbers[r], thresholds[r], w)
                    ones, zeros = rows[a, block, number], rows[b, block, number]
                    for i in range(size):
                        differences[i] = ones[i] - zeros[i]
                    fill_tables(differences, tables)
                    add_pass(tables, bits, sums)
                columns = varying[block * ROW : (block + 1) * ROW]
                base = system_sums[b, columns]
                for i in range(batch.size):
                    for c in range(columns.size):
                        out[batch[i], columns[c]] = base[c] + sums[i * ROW + c]


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
