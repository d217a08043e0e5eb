"""Correlations over systems when segments or documents are resampled, for any scorer."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersample.engine.resamples import bootstrap_counts, counted_sums, jackknife_counts
from supersample.engine.statistics import Statistics
from supersample.scores.prepared import PreparedScores

Resampled = Literal["system", "segment", "document"]
_REPLICATES_AT_ONCE = 256


class Replicates(NamedTuple):
    """Correlations with the human scores, along metrics in the last axis."""

    drawn: NDArray[np.float64]
    """Of each bootstrap replicate, shape (replicates, metrics)."""
    estimate: NDArray[np.float64]
    """On the data themselves."""
    left_out: NDArray[np.float64]
    """With each unit left out in its turn, shape (units, metrics)."""


def resampled_over_segments(
    prepared: PreparedScores,
    coefficient: Any,
    *,
    unit: Resampled,
    resamples: int,
    seed: int,
) -> Replicates:
    """Draw segments or documents with replacement, the same for all systems and scorers.

    A replicate sums the statistics of what it drew and makes scores of the sums, so that a corpus
    metric is that of the drawn corpus, and a mean is over what was drawn.

    Parameters
    ----------
    prepared : PreparedScores
        By the unit.
    coefficient : callable
        From (..., systems, scorers) to correlations (..., scorers, scorers).
    unit : {"segment", "document"}
    resamples, seed : int
        Replicate i is a function of (seed, i) and the unit alone.
    """
    statistics = prepared.statistics
    units = statistics.values.shape[1]

    def r(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        systems = _scores(statistics, counts) * prepared.signs
        return np.asarray(coefficient(systems)[:, 0, 1:])

    drawn = []
    for start in range(0, resamples, _REPLICATES_AT_ONCE):
        numbers = np.arange(start, min(start + _REPLICATES_AT_ONCE, resamples), dtype=np.uint64)
        purpose = f"bootstrap of {unit}s"
        drawn.append(r(bootstrap_counts(units, seed=seed, replicates=numbers, purpose=purpose)))
    left_out = jackknife_counts(units)
    rows = range(0, units, _REPLICATES_AT_ONCE)
    return Replicates(
        np.concatenate(drawn),
        r(np.ones((1, units)))[0],
        np.concatenate([r(left_out[row : row + _REPLICATES_AT_ONCE]) for row in rows]),
    )


def _scores(statistics: Statistics, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of systems on drawn units, shape (replicates, systems, scorers)."""
    systems, units, columns = statistics.values.shape
    by_unit = np.ascontiguousarray(statistics.values.swapaxes(0, 1).reshape(units, -1))
    totals = counted_sums(counts, by_unit).reshape(len(counts), systems, columns)
    return statistics.finalize(totals)
