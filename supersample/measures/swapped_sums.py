"""Measures as functions of sums, for each metric, over the units that two metrics swap.

A shared task stores for each metric the sums of its unit values: over all units (T), and over the
swapped units of each draw (H). Swapping metrics A and B gives A the sums ``T_A - H_A + H_B`` and B
the sums ``T_B - H_B + H_A``, so one row of sums of a metric serves all its pairs (Deutsch, Dror and
Roth 2021). `values` gives a metric's values of each unit, and `finish` computes the measure from
sums over all units.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.kernel import masked_sums
from supersample.engine.streams import coin_words, stream_key
from supersample.inference.pairs_of_systems import (
    mean_agreement,
    normal_p_values,
    normal_p_values_of_moments,
    pair_differences,
    system_pairs,
)
from supersample.inference.translations_and_ties import PDP, TAU_23, flat_parts, flatten, ratio
from supersample.measures.base import Measure
from supersample.measures.segments import OF_PAIRS, TranslationMeasure
from supersample.measures.soft_pairwise_accuracy import (
    PairwiseAccuracy,
    SoftPairwiseAccuracy,
    normal_errors,
)
from supersample.measures.systems import SystemAccuracy, SystemMeasure
from supersample.tolerances import COPY

BLOCK = 500  # draws measured at once


def standardise(scores: Floats, keep: NDArray[np.bool_] | None = None) -> Floats:
    """Standardise kept scores to mean 0 and (population) standard deviation 1; constants to 0."""
    kept = scores if keep is None else scores[keep]
    if np.ptp(kept) == 0:
        return np.zeros_like(scores)
    z = (scores - kept.mean()) / kept.std()
    return z if keep is None else np.where(keep, z, 0.0)


@dataclass(frozen=True)
class UnitSums(ABC):
    """A measure of one language pair, given people's scores.

    Parameters
    ----------
    measure : Measure
    unit : {"systems", "segments", "scores", "pairs"}
        What two metrics swap: scores of systems, of segments or of translations, or the correctness
        of a pair of translations.
    human : ndarray, shape (systems,) or (systems, segments)
        Larger is better; NaN where nobody rated.
    """

    measure: Measure
    unit: str
    human: Floats

    @property
    def weight(self) -> int:
        """Weight of the language pair in a mean over several."""
        return 1

    @property
    def units(self) -> int:
        """Number of units; units that nobody rated count, too, with values of 0."""
        return int(self.human.shape[-1])

    @property
    def columns(self) -> int:
        """Number of values of a unit."""
        return 3

    @abstractmethod
    def values(self, scores: Floats) -> Floats:
        """Values of each unit, shape (units, columns)."""

    @abstractmethod
    def finish(self, sums: Floats) -> Floats:
        """Value of the measure from sums (draws, columns)."""

    def error(self, scores: Floats) -> float:
        """Bound the error of the measure, on average over pairs of systems."""
        return 0.0

    def sums(self, scores: Floats, draws: int, *, seed: int) -> Floats:
        """Sum a metric's values over all units, then over each draw's units, (1 + draws, columns).

        Draw i of a unit depends only on the seed and i, not on the measure.
        """
        key = stream_key(seed, f"task swap {self.unit}")
        words = coin_words(key, np.arange(draws, dtype=np.uint64), self.units)
        values = np.ascontiguousarray(self.values(scores))
        return np.concatenate([values.sum(axis=0, keepdims=True), masked_sums(words, values)])

    def swapped(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Measure two metrics after each swap, from their results of `sums`."""
        left, right = np.empty((2, len(first) - 1))
        for start in range(0, left.size, BLOCK):  # small arrays are given back and taken cheaply
            block, rows = slice(start, start + BLOCK), slice(1 + start, 1 + start + BLOCK)
            left[block] = self.finish(first[:1] - first[rows] + second[rows])
            right[block] = self.finish(second[:1] - second[rows] + first[rows])
        return left, right


class SystemSums(UnitSums):
    """A measure of system scores; metrics swap systems."""

    @property
    def weight(self) -> int:
        """Number of pairs of systems, which are pooled, or 1."""
        pairs = self.human.size * (self.human.size - 1) // 2
        return pairs if isinstance(self.measure, SystemAccuracy) else 1

    @property
    def columns(self) -> int:
        """One for each system."""
        return self.human.size

    def values(self, scores: Floats) -> Floats:
        """Put each system's score in its own column."""
        return np.diag(standardise(scores))

    def finish(self, sums: Floats) -> Floats:
        """Measure the scores of each draw."""
        assert isinstance(self.measure, SystemMeasure)
        both = np.stack([np.broadcast_to(self.human, sums.shape), sums], axis=-1)
        return self.measure.of_systems(both)[:, 0]


class SoftSums(UnitSums):
    """SPA with normal p-values, on segments that every system was rated for."""

    @property
    def columns(self) -> int:
        """Two for each pair of systems."""
        return len(self.human) * (len(self.human) - 1)

    @cached_property
    def _complete(self) -> NDArray[np.bool_]:
        return np.asarray(~np.isnan(self.human).any(axis=0))

    @cached_property
    def _p_values(self) -> Floats:
        return normal_p_values(pair_differences(self.human[:, self._complete]))

    def error(self, scores: Floats) -> float:
        """Bound the error of normal p-values, on average over pairs of systems."""
        return float(normal_errors(scores[np.newaxis, :, self._complete]).mean())

    def values(self, scores: Floats) -> Floats:
        """Differences of each pair of systems, then their squares."""
        complete = self._complete
        d = pair_differences(standardise(scores[:, complete]))
        out = np.zeros((complete.size, 2 * len(d)))
        out[complete] = np.concatenate([d, d * d]).T
        return out

    def finish(self, sums: Floats) -> Floats:
        """One minus the mean distance of p-values."""
        total, squares = np.split(sums, 2, axis=1)
        p = normal_p_values_of_moments(total, np.where(squares < COPY, 0.0, squares))
        return mean_agreement(self._p_values, p)


class PearsonSums(UnitSums):
    """Pearson's r over all rated translations."""

    @property
    def units(self) -> int:
        """Number of segments, or of translations."""
        return self.human.size if self.unit == "scores" else self.human.shape[1]

    @cached_property
    def _people(self) -> tuple[Floats, int]:
        """Standardised human scores, 0 where there are none, and the number of translations."""
        keep = ~np.isnan(self.human)
        return standardise(np.where(keep, self.human, 0.0), keep), int(keep.sum())

    def values(self, scores: Floats) -> Floats:
        """Standardised scores, their squares, and their products with people's."""
        human, _ = self._people
        z = standardise(scores, ~np.isnan(self.human))
        columns = np.stack([z, z * z, z * human], axis=-1)
        return columns.reshape(-1, 3) if self.unit == "scores" else columns.sum(axis=0)

    def finish(self, sums: Floats) -> Floats:
        """Pearson's r from sums."""
        n = self._people[1]  # people's scores have sum 0 and sum of squares n
        x, xx, xh = (sums / n).T
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(xh / np.sqrt(np.maximum(xx - x * x, 0.0)))


class ItemSums(UnitSums):
    """Statistics of translations of one segment, averaged or pooled over segments."""

    @property
    def units(self) -> int:
        """Number of segments, or of pairs of translations."""
        systems, segments = self.human.shape
        return int(segments * (systems * (systems - 1) // 2 if self.unit == "pairs" else 1))

    def values(self, scores: Floats) -> Floats:
        """Parts of the statistic, as `flat_parts` gives them."""
        chosen = self.measure
        assert isinstance(chosen, TranslationMeasure)
        keep = ~np.isnan(self.human)
        # pooled sums of products need one scale
        scores = standardise(scores, keep) if chosen.code == PDP else scores
        human = np.where(keep, self.human, 0.0)
        flat = flatten(human, scores[np.newaxis], keep, "item")
        thresholds = chosen.thresholds(flat)
        if self.unit == "pairs":
            return self._of_pairs(human, scores, keep, float(thresholds[0]))
        out = np.zeros((keep.shape[1], 3))
        out[flat.segments[flat.starts[:-1]]] = flat_parts(chosen.code, flat, thresholds)[0]
        return out

    def _of_pairs(
        self, human: Floats, scores: Floats, keep: NDArray[np.bool_], threshold: float
    ) -> Floats:
        """Whether each pair is right, over the pairs of its segment; (segments * pairs, 3)."""
        first, second = system_pairs(len(human))
        counts = keep[first] & keep[second]
        x = scores[first] - scores[second]
        order = np.where(np.abs(x) <= threshold, 0.0, np.sign(x))
        right = order == np.sign(human[first] - human[second])
        share = counts / np.maximum(counts.sum(axis=0), 1)
        credit = right * share
        if isinstance(self.measure, TranslationMeasure) and self.measure.code == TAU_23:
            credit = 2 * credit - share
        return np.stack([credit, share, share], axis=-1).reshape(-1, 3)

    def finish(self, sums: Floats) -> Floats:
        """Mean, or ratio of pooled sums."""
        return ratio(sums)


def task_units(measure: Measure) -> tuple[str, ...]:
    """Units that a shared task can swap for a measure, default first; none if it has no sums.

    Examples
    --------
    >>> task_units(TranslationMeasure("acc_eq"))
    ('segments', 'pairs')
    """
    return _sums_of(measure)[0]


def _sums_of(measure: Measure) -> tuple[tuple[str, ...], type[UnitSums]]:
    """Units that a shared task can swap, and the sums over them."""
    if isinstance(measure, TranslationMeasure):
        if measure.grouping == "item":
            of_pairs = measure.code in OF_PAIRS
            return ("segments", "pairs") if of_pairs else ("segments",), ItemSums
        return ("segments", "scores") if measure.name == "pearson/none" else (), PearsonSums
    if isinstance(measure, SoftPairwiseAccuracy):
        return ("segments",), SoftSums
    bounded = np.isfinite(measure.highest - measure.lowest)
    of_systems = bounded and isinstance(measure, SystemMeasure | PairwiseAccuracy)
    return ("systems",) if of_systems else (), SystemSums


def unit_sums(measure: Measure, unit: str, human: Floats) -> UnitSums:
    """Make a measure of one language pair as a function of sums over one of its `task_units`."""
    kind = _sums_of(measure)[1]
    return kind(SystemAccuracy() if isinstance(measure, PairwiseAccuracy) else measure, unit, human)
