"""Additive statistics of several scorers side by side, and the scores that their totals give."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supersample.engine.finalizers import Finalizer, Mean, fill_means


@dataclass(frozen=True)
class Statistics:
    """Per-unit statistics whose sums over units determine every scorer's system-level score.

    Parameters
    ----------
    values : ndarray, shape (systems, units, columns)
        Finite statistics; what is missing contributes zeros.
    columns : tuple of tuple of int
        For each scorer, the columns that its finalizer takes, in its order. Scorers share equal
        columns, as counts mostly are.
    finalizers : tuple of Finalizer
        One for each scorer.
    """

    values: NDArray[np.float64]
    columns: tuple[tuple[int, ...], ...]
    finalizers: tuple[Finalizer, ...]

    def finalize(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores, shape (..., scorers), of totals of shape (..., columns)."""
        scores = np.empty((*totals.shape[:-1], len(self.finalizers)))
        for finalizer in dict.fromkeys(self.finalizers):
            scorers = [i for i, other in enumerate(self.finalizers) if other == finalizer]
            columns = np.array([self.columns[i] for i in scorers])
            if isinstance(finalizer, Mean) and totals.ndim == 2:
                fill_means(totals, columns, np.array(scorers), scores)
            else:
                scores[..., scorers] = finalizer(totals[..., columns])
        return scores


def combine(
    parts: Sequence[tuple[NDArray[np.float64], Finalizer]],
) -> Statistics:
    """Put the statistics of several scorers side by side, equal columns once.

    Parameters
    ----------
    parts : sequence of (ndarray of shape (systems, units, width), Finalizer)
        One for each scorer; the finalizer's width is that of its statistics.

    Raises
    ------
    ValueError
        If a statistic is not finite, or its width is not the finalizer's.
    """
    alike: dict[float, list[int]] = {}  # places of kept columns by their sum
    kept: list[NDArray[np.float64]] = []
    columns: list[tuple[int, ...]] = []
    for values, finalizer in parts:
        if values.shape[-1] != finalizer.width:
            raise ValueError(f"{finalizer} takes {finalizer.width} columns, not {values.shape[-1]}")
        if not np.isfinite(values).all():
            raise ValueError("statistics must be finite; what is missing contributes zeros")
        own = []
        for c in range(finalizer.width):
            column = values[..., c]
            candidates = alike.setdefault(float(column.sum()), [])
            same = [place for place in candidates if np.array_equal(kept[place], column)]
            if not same:
                candidates.append(len(kept))
                kept.append(column)
            own.append(same[0] if same else candidates[-1])
        columns.append(tuple(own))
    return Statistics(np.stack(kept, axis=-1), tuple(columns), tuple(f for _, f in parts))


def mean_statistics(
    scores: NDArray[np.float64], counts: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], Finalizer]:
    """Statistics (sum, count) of segment scores whose mean is the system-level score.

    Parameters
    ----------
    scores : ndarray, shape (systems, segments)
        NaN where missing: sum 0, count 0.
    counts : ndarray, shape (systems, segments), optional
        Weight of each score, for instance its number of ratings; 1 by default.

    Examples
    --------
    >>> values, finalizer = mean_statistics(np.array([[1.0, np.nan, 3.0]]))
    >>> finalizer(values.sum(axis=1))
    array([2.])
    """
    there = ~np.isnan(scores)
    weights = np.where(there, 1.0 if counts is None else counts, 0.0)
    sums = np.where(there, scores, 0.0) * weights
    return np.stack([sums, weights], axis=-1), Mean()


def sum_over_units(
    values: NDArray[np.float64], units: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """Sum statistics over the segments of each unit, in the order of the segments.

    Parameters
    ----------
    values : ndarray, shape (systems, segments, columns)
        Statistics of segments.
    units : ndarray of int, shape (segments,)
        Unit number of each segment, from 0 to `count` - 1.
    count : int
        Number of units, documents for instance.

    Returns
    -------
    ndarray, shape (systems, units, columns)
    """
    sums = np.zeros((count, values.shape[0], values.shape[2]))
    np.add.at(sums, units, values.swapaxes(0, 1))
    return np.ascontiguousarray(sums.swapaxes(0, 1))
