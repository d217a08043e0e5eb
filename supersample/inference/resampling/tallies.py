"""Histograms and moments of a stream of draws, in constant memory.

A tally's range is set by the first draws, so that its bins are as fine as its quantiles need. Draws
are taken one after the other, in order, whatever parts they come in: so the sums are the same bits.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from supersample.inference.arguments import Floats

_MARGIN = 0.5  # of the range of the first draws, to either side


class Tally(NamedTuple):
    """Summary of the draws so far, for each of several columns."""

    edges: Floats
    """Shape (columns, bins + 1): of equal bins, between which a draw is counted."""
    counts: NDArray[np.int64]
    """Shape (columns, bins + 2): first those below all bins, last those above."""
    sums: Floats
    """Shape (columns, 4): a value near the draws, and sums of powers 1, 2, 3 of distances from it.
    """
    extremes: Floats
    """Shape (columns, 2): least and largest draw."""
    undefined: NDArray[np.int64]
    """Shape (columns,): draws that are NaN."""


class Summary(NamedTuple):
    """Mean, standard deviation (of all draws, divisor their number) and skewness; (columns,)."""

    mean: Floats
    standard_deviation: Floats
    skewness: Floats


def new_tally(first: Floats, bins: int, bound: Floats) -> Tally:
    """Lay out an empty tally by the first draws, shape (draws, columns), which it does not count.

    Bins stay within minus and plus the bound of each column; one of NaN gets bins over all of that.
    """
    defined = ~np.isnan(first)
    low = np.where(defined, first, np.inf).min(axis=0)
    high = np.where(defined, first, -np.inf).max(axis=0)
    any_defined = defined.any(axis=0)
    low, high = np.where(any_defined, low, -bound), np.where(any_defined, high, bound)
    margin = np.maximum(_MARGIN * (high - low), 1e-12)
    lowest, highest = np.maximum(low - margin, -bound), np.minimum(high + margin, bound)
    edges = np.linspace(lowest, highest, bins + 1, axis=1)
    sums = np.zeros((low.size, 4))
    sums[:, 0] = (low + high) / 2
    extremes = np.tile([np.inf, -np.inf], (low.size, 1))
    counts = np.zeros((low.size, bins + 2), np.int64)
    return Tally(edges, counts, sums, extremes, np.zeros(low.size, np.int64))


def add_draws(tally: Tally, draws: Floats) -> None:
    """Count draws, shape (draws, columns), into the tally, in place."""
    _add(*tally, draws)


@njit(cache=True, nogil=True, error_model="numpy")
def _add(
    edges: Floats,
    counts: NDArray[np.int64],
    sums: Floats,
    extremes: Floats,
    undefined: NDArray[np.int64],
    draws: Floats,
) -> None:
    bins = edges.shape[1] - 1
    for c in range(draws.shape[1]):
        low = edges[c, 0]
        width = (edges[c, bins] - low) / bins
        for i in range(draws.shape[0]):
            x = draws[i, c]
            if np.isnan(x):
                undefined[c] += 1
                continue
            place = min(max(np.floor((x - low) / width), -1.0), np.float64(bins))
            counts[c, np.int64(place) + 1] += 1
            extremes[c, 0] = min(extremes[c, 0], x)
            extremes[c, 1] = max(extremes[c, 1], x)
            distance = x - sums[c, 0]
            sums[c, 1] += distance
            sums[c, 2] += distance**2
            sums[c, 3] += distance**3


def tally_edges(tally: Tally) -> Floats:
    """Edges of all bins, the outer ones reaching to the extremes; shape (columns, bins + 3)."""
    outer_low = np.minimum(tally.extremes[:, 0], tally.edges[:, 0])
    outer_high = np.maximum(tally.extremes[:, 1], tally.edges[:, -1])
    return np.column_stack([outer_low, tally.edges, outer_high])


def tally_quantiles(tally: Tally, probabilities: ArrayLike) -> Floats:
    """Quantiles, linear within a bin and within the extremes; (probabilities, columns).

    The share of draws below one is right within a bin to either side of it. NaN where no draw is
    defined.
    """
    wanted = np.atleast_1d(np.asarray(probabilities, dtype=np.float64))
    out = np.full((wanted.size, tally.counts.shape[0]), np.nan)
    edges = tally_edges(tally)
    for c, counts in enumerate(tally.counts):
        total = counts.sum()
        if total:
            below = np.concatenate([[0], np.cumsum(counts)]) / total
            out[:, c] = np.clip(np.interp(wanted, below, edges[c]), *tally.extremes[c])
    return out


def tally_summary(tally: Tally) -> Summary:
    """Moments by the sums; NaN where no draw is defined, skewness also where none differ."""
    total = tally.counts.sum(axis=1).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second, third = (tally.sums[:, 1:] / total[:, np.newaxis]).T
        same = tally.extremes[:, 0] == tally.extremes[:, 1]
        variance = np.where(same, 0.0, np.maximum(second - first**2, 0.0))
        skewness = (third - 3 * first * second + 2 * first**3) / variance**1.5
    mean = np.where(same, tally.extremes[:, 0], tally.sums[:, 0] + first)
    return Summary(mean, np.sqrt(variance), np.where(variance > 0, skewness, np.nan))
