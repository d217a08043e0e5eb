"""Hybrids of two systems.

A hybrid of systems a and b takes unit l from a if its bit is 1 and from b if it is 0. So its totals
are ``sum_l x_b(l) + sum_l bit_l (x_a(l) - x_b(l))``. The first sum adds units in order; the kernel
computes the second. Given a pair and a share p, totals have the mean ``T_b + p (T_a - T_b)`` and
the covariance ``p (1 - p) sum_l d_l d_l'``, with d_l the difference of the two systems at unit l.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.designs.base import Components, Design, Draw, Unit
from supersample.engine.masked_sums import (
    REPLICATES_PER_BATCH,
    UNITS_PER_PASS,
    add_pass,
    fill_tables,
    new_tables,
    padded_rows,
)
from supersample.engine.memory import ROW, aligned_zeros
from supersample.engine.moments import HybridMixture, MomentWeights, scores_of_totals
from supersample.engine.statistics import Statistics, system_totals
from supersample.engine.streams import (
    HALF_SHARE,
    SHARE_BITS,
    biased_word,
    biased_words,
    stream_key,
    uniforms,
    unpack_coins,
    word,
)
from supersample.errors import InputError, check_choice, shortened

_PASS = np.uint64(UNITS_PER_PASS)
MOST_SYSTEMS = 1_500  # for exact moments, which take about 0.1 ms per pair
_NODES = 8  # Gauss-Legendre nodes over a uniform share; moments are polynomials of low degree in it


class PairDraw(NamedTuple):
    """Realised hybrids: one entry for each replicate."""

    first: NDArray[np.int64]
    """System of the units whose bit is 1."""
    second: NDArray[np.int64]
    """System of the units whose bit is 0."""
    thresholds: NDArray[np.uint64]
    """Share of the first system in units of 2**-32."""


@dataclass(frozen=True)
class PairHybrids(Design):
    """Hybrids of two systems: each unit comes from either (Graham and Liu 2016, section 3.1).

    Parameters
    ----------
    pairs : {"balanced", "random"}, default "balanced"
        "balanced": pairs rotate, so every pair is used equally often; "random": pairs are drawn.
    share : float or "uniform", default 0.5
        Probability that a unit comes from one of the two systems; fixed, or drawn uniformly for
        each hybrid. Which of the two it is alternates (balanced) or is drawn (random), so the order
        of the systems has no effect. Its resolution is 2**-32.
    unit : {"segment", "document"}, default "segment"
        The unit that comes from one of the two systems as a whole.

    Raises
    ------
    InputError
        If an option is unknown, or the share is not strictly between 0 and 1.
    """

    pairs: Literal["balanced", "random"] = "balanced"
    share: float | Literal["uniform"] = 0.5
    unit: Unit = "segment"

    def __post_init__(self) -> None:
        check_choice("order of pairs", self.pairs, ("balanced", "random"))
        check_choice("unit", self.unit, get_args(Unit))
        share: Any = self.share
        if not isinstance(share, Real):
            if share != "uniform":
                raise InputError(
                    f"the share must be a number or 'uniform', not {shortened(repr(share))}"
                )
        elif not 2.0**-SHARE_BITS <= float(share) < 1:
            raise InputError(f"the share must be between 0 and 1, both excluded, not {share}")

    def pairs_of(self, draw: Draw) -> PairDraw:
        """Pair and share of each replicate; they depend only on (seed, replicate number).

        Examples
        --------
        >>> drawn = PairHybrids().pairs_of(Draw(0, np.arange(4, dtype=np.uint64), 3, units=5))
        >>> drawn.first, drawn.second
        (array([0, 0, 1, 0]), array([1, 2, 2, 1]))
        """
        firsts, seconds = np.triu_indices(draw.systems, 1)
        count = np.uint64(firsts.size)
        if self.pairs == "balanced":
            pair = (draw.replicates % count).astype(np.int64)
            swapped = (draw.replicates // count) % np.uint64(2) == 1
        else:
            drawn = uniforms(stream_key(draw.seed, "pair"), draw.replicates, 2)
            pair = (drawn[:, 0] * firsts.size).astype(np.int64)
            swapped = drawn[:, 1] < 0.5
        if isinstance(self.share, str):
            share = uniforms(stream_key(draw.seed, "share"), draw.replicates, 1)[:, 0]
        else:
            share = np.where(swapped, 1.0 - self.share, self.share)
        thresholds = np.floor(share * 2.0**SHARE_BITS).astype(np.uint64)
        return PairDraw(firsts[pair], seconds[pair], thresholds)

    def coins(self, draw: Draw) -> NDArray[np.bool_]:
        """Whether each unit comes from the hybrid's first system, shape (replicates, units)."""
        thresholds = self.pairs_of(draw).thresholds
        words = biased_words(stream_key(draw.seed, "mask"), draw.replicates, thresholds, draw.units)
        return unpack_coins(words, draw.units)

    def origins(self, draw: Draw) -> NDArray[np.int64]:
        """As `Design.origins`: one of the two systems of the hybrid's pair."""
        pairs = self.pairs_of(draw)
        first, second = pairs.first[:, np.newaxis], pairs.second[:, np.newaxis]
        return np.where(self.coins(draw), first, second)

    def components(self, systems: int) -> Components:
        """One component for each pair and share."""
        shares, weights = self._shares()
        firsts, seconds = (np.repeat(s, shares.size) for s in np.triu_indices(systems, 1))
        of_first = np.tile(shares, firsts.size // shares.size)
        probabilities = np.zeros((firsts.size, systems))
        probabilities[np.arange(firsts.size), firsts] = of_first
        probabilities[np.arange(firsts.size), seconds] = 1 - of_first
        pairs = firsts.size // shares.size
        return Components(np.tile(weights, pairs) / pairs, probabilities)

    def coordinates(self, draw: Draw) -> dict[str, NDArray[Any]]:
        """Positions of the two systems, and the share of the first one."""
        pairs = self.pairs_of(draw)
        return {
            "first_system": pairs.first.astype(np.int32),
            "second_system": pairs.second.astype(np.int32),
            "share": pairs.thresholds / 2.0**SHARE_BITS,
        }

    def assignments(self, draw: Draw) -> dict[str, NDArray[Any]]:
        """``from_first``, whether a unit comes from the first system, and the two systems."""
        described = self.coordinates(draw)
        del described["share"]
        return {"from_first": self.coins(draw), **described}

    def layout(self, values: Floats, varying: NDArray[np.int64]) -> Floats:
        """Pad rows for the kernel of masked sums."""
        return padded_rows(values, varying)

    def fill_totals(
        self, out: Floats, rows: Floats, system_sums: Floats, varying: NDArray[np.int64], draw: Draw
    ) -> None:
        """As `Design.fill_totals`; hybrids of one pair are computed together."""
        pairs = self.pairs_of(draw)
        order, starts = _by_pair(pairs.first, pairs.second, draw.systems)
        key, numbers = stream_key(draw.seed, "mask"), draw.replicates
        _fill_pair_totals(rows, system_sums, varying, pairs, order, starts, key, numbers, out)

    def mixture(self, statistics: Statistics) -> HybridMixture:
        """As `Design.mixture`; balanced and random pairs differ only in their strata."""
        values = statistics.values
        if len(values) > MOST_SYSTEMS:
            raise InputError(
                "exact moments of hybrids use all pairs of systems, at most "
                f"{MOST_SYSTEMS:,}, not of {len(values):,}; keep fewer"
            )
        totals = system_totals(values)
        shares, weights = self._shares()
        first, second = np.triu_indices(len(totals), 1)
        apart = np.multiply.outer(shares, totals[first] - totals[second]).swapaxes(0, 1)
        at = (totals[second, np.newaxis] + apart).reshape(-1, totals.shape[1])

        def covariances() -> Iterator[Floats]:
            for a, b in zip(first, second, strict=True):
                differences = values[a] - values[b]
                squares = differences.T @ differences
                yield from (p * (1 - p) * squares for p in shares)

        midpoints = statistics.finalize((totals[first] + totals[second]) / 2)
        means, of_scores = scores_of_totals(statistics, at, covariances())
        # the order of `pairs_of`: all pairs with the first share, then with the second
        strata = np.arange(len(at)).reshape(shares.size, -1).T.ravel()
        if self.pairs == "random":
            strata = np.zeros_like(strata)
        elif isinstance(self.share, str):  # drawn within the rotation
            strata = np.repeat(np.arange(first.size), shares.size)
        return HybridMixture(
            np.tile(weights, first.size) / first.size,
            strata,
            np.repeat(midpoints, shares.size, axis=0),
            means,
            of_scores,
        )

    def moment_weights(self, systems: int, units: int) -> MomentWeights:
        """``((k - 2) / (2 k) + 2 v) B + 2 (1/4 - v) / U S``, with v the variance of the share."""
        variance = 1.0 / 12.0 if isinstance(self.share, str) else (self.share - 0.5) ** 2
        between = (systems - 2) / (2.0 * systems)
        return MomentWeights(between + 2.0 * variance, 2.0 * (0.25 - variance) / units)

    def _shares(self) -> tuple[Floats, Floats]:
        """Shares of a pair's first system, and their probabilities."""
        if isinstance(self.share, str):
            nodes, weights = np.polynomial.legendre.leggauss(_NODES)
            return (nodes + 1) / 2, weights / 2
        if self.share == 0.5:
            return np.array([0.5]), np.array([1.0])
        return np.array([self.share, 1 - self.share]), np.array([0.5, 0.5])


def _by_pair(
    first: NDArray[np.int64], second: NDArray[np.int64], systems: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort replicates by pair, in order within each pair: ``order[starts[p]:starts[p + 1]]``."""
    pair = first * systems + second
    starts = np.zeros(systems * systems + 1, np.int64)
    np.cumsum(np.bincount(pair, minlength=systems * systems), out=starts[1:])
    # 16 bits are sorted in linear time
    return np.argsort(pair.astype(np.uint16) if systems <= 256 else pair, kind="stable"), starts


@njit(cache=True, nogil=True)
def _fill_pair_totals(
    rows: Floats,
    system_sums: Floats,
    varying: NDArray[np.int64],
    draw: PairDraw,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    key: np.uint64,
    replicates: NDArray[np.uint64],
    out: Floats,
) -> None:
    """Fill the varying columns of the replicates' totals, those of one pair together.

    One call serves all pairs, so threads do not wait for the interpreter. Bits are drawn when they
    are summed, one word of each replicate of a batch at a time, and never stored.
    """
    systems, blocks, passes, _ = rows.shape
    tables = new_tables()
    largest = 0
    for pair in range(starts.size - 1):
        largest = max(largest, min(REPLICATES_PER_BATCH, starts[pair + 1] - starts[pair]))
    sums, words = aligned_zeros(largest * ROW), np.empty(largest, np.uint64)
    numbers, thresholds = np.empty(largest, np.uint64), np.empty(largest, np.uint64)
    for pair in range(starts.size - 1):
        a, b = pair // systems, pair % systems
        for start in range(starts[pair], starts[pair + 1], REPLICATES_PER_BATCH):
            batch = order[start : min(start + REPLICATES_PER_BATCH, starts[pair + 1])]
            bits, fair = words[: batch.size], True
            for i in range(batch.size):
                numbers[i], thresholds[i] = replicates[batch[i]], draw.thresholds[batch[i]]
                fair = fair and thresholds[i] == HALF_SHARE
            for block in range(blocks):
                for i in range(batch.size * ROW):
                    sums[i] = 0.0
                for number in range(passes):
                    w = np.uint64(number // 2)
                    if number % 2 == 1:
                        for r in range(bits.size):
                            bits[r] >>= _PASS
                    elif fair:  # one random word each, by vector instructions
                        for r in range(bits.size):
                            bits[r] = word(key, numbers[r], w)
                    else:
                        for r in range(bits.size):
                            bits[r] = biased_word(key, numbers[r], thresholds[r], w)
                    fill_tables(rows[a, block, number], rows[b, block, number], tables)
                    add_pass(tables, bits, sums)
                columns = varying[block * ROW : (block + 1) * ROW]
                for i in range(batch.size):
                    for c in range(columns.size):
                        base = system_sums[b, columns[c]]
                        out[batch[i], columns[c]] = base + sums[i * ROW + c]
