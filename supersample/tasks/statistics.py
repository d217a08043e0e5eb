"""Statistics as functions of sums over the units that two metrics swap.

A part of a task holds people's scores of one language pair. `values` gives a metric's values of
each unit, `draws` the units of each draw, and `finish` the statistic from sums over all units.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supersample.accuracies.inputs import normal_errors
from supersample.engine.bits import coin_words
from supersample.engine.masked_sums import masked_sums
from supersample.engine.streams import stream_key
from supersample.inference.accuracies.agreement import mean_agreement
from supersample.inference.accuracies.sign_flip import (
    normal_p_values,
    normal_p_values_of_moments,
    pair_differences,
    system_pairs,
)
from supersample.inference.one_correlation.registry import COEFFICIENTS
from supersample.inference.segments.statistics import flat_parts, flatten, ratio
from supersample.scores.groups import group_seed
from supersample.segments.agreement import find_thresholds
from supersample.segments.statistics import SegmentStatistic
from supersample.tasks.definitions import Source, Task
from supersample.tasks.sources import SourceScores

Floats = NDArray[np.float64]
_EMPTY = 1e-9  # sums of squared standardised differences below this are zero but for rounding


def standardise(scores: Floats, keep: NDArray[np.bool_] | None = None) -> Floats:
    """Bring kept scores to mean 0 and (population) standard deviation 1, constant ones to 0."""
    kept = scores if keep is None else scores[keep]
    if np.ptp(kept) == 0:
        return np.zeros_like(scores)
    z = (scores - kept.mean()) / kept.std()
    return z if keep is None else np.where(keep, z, 0.0)


@dataclass(frozen=True)
class Part(ABC):
    """A statistic on one language pair.

    Parameters
    ----------
    statistic, unit : str
    seed : int
        Of the test set and language pair.
    human : ndarray
        As `SourceScores` has it.
    """

    statistic: str
    unit: str
    seed: int
    human: Floats

    @property
    def weight(self) -> int:
        """What the part counts in the mean over parts of a task."""
        return 1

    @property
    def units(self) -> int:
        """How many units there are; those that nobody rated count too, with values of 0."""
        return int(self.human.shape[-1])

    @property
    def columns(self) -> int:
        """How many values a unit has."""
        return 3

    @abstractmethod
    def values(self, scores: Floats) -> Floats:
        """Values of each unit, shape (units, columns)."""

    @abstractmethod
    def finish(self, sums: Floats) -> Floats:
        """Statistic from sums (draws, columns)."""

    def sums(self, scores: Floats, draws: int) -> Floats:
        """Sum a metric's values over all units, then over those of each draw, (1 + draws, columns).

        Draw i of a unit is a function of the seed and i alone, whatever the statistic.
        """
        key = stream_key(self.seed, f"task swap {self.unit}")
        words = coin_words(key, np.arange(draws, dtype=np.uint64), self.units)
        values = np.ascontiguousarray(self.values(scores))
        return np.concatenate([values.sum(axis=0, keepdims=True), masked_sums(words, values)])


class SystemCoefficient(Part):
    """Correlation of systems' scores, systems being swapped."""

    @property
    def columns(self) -> int:
        """One for each system."""
        return self.human.size

    def values(self, scores: Floats) -> Floats:
        """Lay out each system's score in a column of its own."""
        return np.diag(standardise(scores))

    def finish(self, sums: Floats) -> Floats:
        """Correlate people's scores with those of each draw."""
        samples = np.stack([np.broadcast_to(self.human, sums.shape), sums], axis=1)
        return COEFFICIENTS[self.statistic].of_samples(samples)[:, 0]


class PooledAccuracy(SystemCoefficient):
    """Share of pairs of systems that a metric orders (or ties) as people do (Kocmi et al. 2021)."""

    @property
    def weight(self) -> int:
        """Number of pairs of systems."""
        return self.human.size * (self.human.size - 1) // 2

    def finish(self, sums: Floats) -> Floats:
        """Share of pairs in the same order."""
        first, second = system_pairs(self.human.size)
        scores = np.ascontiguousarray(sums.T)
        higher = (scores[first] > scores[second]) == (self.human[first] > self.human[second])[
            :, None
        ]
        lower = (scores[first] < scores[second]) == (self.human[first] < self.human[second])[
            :, None
        ]
        return np.asarray((higher & lower).mean(axis=0))


class SoftAccuracy(Part):
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
        """Differences of each two systems, then their squares."""
        complete = self._complete
        d = pair_differences(standardise(scores[:, complete]))
        out = np.zeros((complete.size, 2 * len(d)))
        out[complete] = np.concatenate([d, d * d]).T
        return out

    def finish(self, sums: Floats) -> Floats:
        """One minus the mean distance of p-values."""
        total, squares = np.split(sums, 2, axis=1)
        p = normal_p_values_of_moments(total, np.where(squares < _EMPTY, 0.0, squares))
        return mean_agreement(self._p_values, p)


class Pearson(Part):
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
        n = self._people[1]  # people's sum is 0, that of their squares n
        x, xx, xh = (sums / n).T
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(xh / np.sqrt(np.maximum(xx - x * x, 0.0)))


class ByItem(Part):
    """Statistics of translations of one segment, averaged or pooled over segments."""

    @property
    def units(self) -> int:
        """Number of segments, or of pairs of translations."""
        systems, segments = self.human.shape
        return int(segments * (systems * (systems - 1) // 2 if self.unit == "pairs" else 1))

    def values(self, scores: Floats) -> Floats:
        """Parts of the statistic, as `flat_parts` gives them."""
        chosen = SegmentStatistic(self.statistic)
        keep = ~np.isnan(self.human)
        # sums of products are pooled over segments, and need one scale
        scores = standardise(scores, keep) if self.statistic == "pdp" else scores
        human = np.where(keep, self.human, 0.0)
        flat = flatten(human, scores[np.newaxis], keep, "item")
        thresholds = find_thresholds(flat, chosen)
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
        if self.statistic.startswith("tau"):
            credit = 2 * credit - share
        return np.stack([credit, share, share], axis=-1).reshape(-1, 3)

    def finish(self, sums: Floats) -> Floats:
        """Mean, or ratio of pooled sums."""
        return ratio(sums)


def part_of(task: Task, source: Source, scores: SourceScores, seed: int) -> Part:
    """Part of a task on one language pair."""
    kinds: dict[str, type[Part]] = {"PA": PooledAccuracy, "SPA": SoftAccuracy}
    kind, unit = kinds.get(task.statistic, SystemCoefficient), "systems"
    if task.level == "segment":
        kind, unit = Pearson if task.grouping == "none" else ByItem, task.swap
    if task.statistic == "SPA":
        unit = "segments"
    return kind(task.statistic, unit, group_seed(seed, source.name), scores.human)
