"""Measures of system-level scores: correlations, pairwise accuracy, errors.

Such a measure is a function of system-level scores, with a weight on each system. System scores are
functions of sums over segments, so a resample of segments, of systems or of both is a set of
weights on sums. A swap gives each metric the sum of the part it keeps and its partner's part.
"""

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, ClassVar

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.additive import system_totals, tied
from supersample.engine.bootstrap import counted_sums, unit_sums
from supersample.engine.kernel import zeros
from supersample.engine.swaps import Scheme, contributions, standardise, swap_masks, swapped_totals
from supersample.errors import InputError, check_choice
from supersample.execution.limits import check_memory
from supersample.inference.arguments import Map
from supersample.inference.coefficients import COEFFICIENTS
from supersample.inference.pairs_of_systems import system_pairs
from supersample.inference.two_correlations import OVERLAPPING
from supersample.inference.two_correlations.averages import SetDifferences
from supersample.inference.two_correlations.fisher_jackknife import SYSTEM_METHOD
from supersample.measures.base import Measure, Measured
from supersample.measures.formulas import AveragedR, compare_r, differences_over_sets_of_r
from supersample.resampling import Weights
from supersample.scores.schema import HUMAN, SCORE, all_metrics, corpus_metrics, team_numbers
from supersample.scores.selection import Mask, complete_cases, select_segments
from supersample.scores.system_level import (
    HumanMean,
    corpus_part,
    oriented_scores,
    prepare_scores,
    system_level_scores,
)

BYTES_A_SCORE = 24.0
"""Memory per resample and score: the parts that a metric keeps and gives away, and the mask."""
_LAYING_OUT = Lock()
_LARGEST = 2**16  # swapped scores that a worker measures together


@dataclass(frozen=True)
class SystemMeasure(Measure):
    """A measure of system-level scores; subclasses only need `of_systems`.

    Parameters
    ----------
    human_mean : {"ratings", "segments"}, default "ratings"
        Whether a system's human score is the mean of its ratings or of its segments.
    """

    of_ranks: ClassVar[bool] = False
    """Whether only the order of scores matters, so that rounding must not break ties."""
    human_mean: HumanMean = "ratings"

    @abstractmethod
    def of_systems(self, scores: Floats, counts: Floats | None = None) -> Floats:
        """Value of each metric in each sample, shape (samples, metrics).

        Parameters
        ----------
        scores : ndarray, shape (samples, systems, 1 + metrics)
            Larger is better, human scores first. A single sample is used for all counts.
        counts : ndarray, shape (samples, systems), optional
            How often each system is drawn; default once. Copies of a system count as one system.
        """

    @property
    def reads(self) -> Hashable:
        """System-level scores."""
        return SystemMeasure, self.human_mean

    def select(self, scores: xr.Dataset, mask: Mask, *, complete: bool) -> xr.Dataset:
        """Select the segments of a mask; system-level scores are not changed."""
        if "segment" not in scores.dims:
            return system_level_scores(scores, mask=mask, human_mean=self.human_mean)
        return complete_cases(scores, mask) if complete else select_segments(scores, mask)

    def usable(self, part: xr.Dataset) -> bool:
        """Whether every system has human scores of two segments."""
        return bool((part[HUMAN.name].notnull().sum("segment") >= 2).all())

    @property
    def facts(self) -> dict[str, Any]:
        """The units that a human score averages."""
        return {"human_mean": self.human_mean}

    def prepare(self, selected: xr.Dataset, seed: int) -> "SystemScores":
        """Sum the statistics of systems by segment."""
        return SystemScores(selected, seed, self.human_mean)

    def system_rows(self, prepared: "SystemScores") -> Floats:
        """Scores of systems."""
        return prepared.rows

    def on(self, prepared: "SystemScores") -> "MeasuredSystems":
        """Give the measure of the systems' scores."""
        return MeasuredSystems(self, prepared)


class SystemScores:
    """System-level scores of one group, and the sums behind them."""

    def __init__(self, selected: xr.Dataset, seed: int, human_mean: HumanMean) -> None:
        self.scores, self.seed = selected, seed
        self.of_segments = "segment" in selected.dims
        if self.of_segments:
            mask: Any = str(selected.attrs.get("mask", "common")).split()[0]
            prepared = prepare_scores(selected, mask=mask, human_mean=human_mean)
            self.scores = prepared.scores.assign_attrs(prepared.attrs)
            self.metrics, self.signs = prepared.metrics, prepared.signs
            self._statistics = prepared.statistics
        else:
            self.metrics = selected
        self._by_unit: tuple[NDArray[np.int64], Floats] | None = None
        self._swapped: dict[tuple[Scheme, int, bool], tuple[Floats, Floats]] = {}

    @cached_property
    def rows(self) -> Floats:
        """Oriented system scores, human scores first; (systems, 1 + metrics)."""
        if not self.of_segments:
            return oriented_scores(self.scores)
        totals = system_totals(self._statistics.values)
        return tied(self._statistics.finalize(totals)) * self.signs

    def of_drawn(self, draws: Weights) -> Floats:
        """System scores on drawn units, (replicates, systems, 1 + metrics).

        Scores are computed from sums over the drawn units, so a corpus metric is computed on the
        drawn corpus.
        """
        if draws.units is None:
            return self.rows[np.newaxis]
        with _LAYING_OUT:  # threads wait for the first one, which works for all
            if self._by_unit is None or self._by_unit[0] is not draws.unit_of:
                sums = _by_unit(self._statistics.values, draws.unit_of, draws.units.shape[1])
                self._by_unit = draws.unit_of, sums
            _, sums = self._by_unit
        systems, _, columns = self._statistics.values.shape
        totals = counted_sums(draws.units, sums)
        scores = self._statistics.finalize(totals.reshape(len(totals), systems, columns))
        return scores * self.signs

    def swapped(
        self, scheme: Scheme, resamples: int, *, on_one_scale: bool
    ) -> tuple[Floats, Floats]:
        """Compute the parts that each metric keeps and gives away, (metrics, resamples, systems).

        After a swap of A and B, the score of A is A's kept part plus B's part given away. The parts
        are sums of z-scores, or of raw scores, divided by the number of segments.
        """
        if not self.of_segments and scheme != "systems":
            raise InputError(
                f"to swap {'each score' if scheme == 'both' else scheme}, scores of segments are "
                "needed; scores of systems can be drawn (--random systems, random='systems') or "
                "swapped as a whole (--method systems, method='systems')"
            )
        key = scheme, resamples, on_one_scale
        count = self.scores.sizes["metric"] * self.scores.sizes["system"]
        check_memory(BYTES_A_SCORE * resamples * count, f"{resamples:,} swaps of {count:,} scores")
        if key not in self._swapped:
            numbers = np.arange(resamples, dtype=np.uint64)
            systems = self.scores.sizes["system"]
            segments = self.scores.sizes["segment"] if self.of_segments else 1
            masks = swap_masks(
                scheme,
                systems=systems,
                segments=segments,
                seed=self.seed,
                replicates=numbers,
                teams=team_numbers(self.scores),
            )
            self._swapped[key] = self._parts(masks, on_one_scale)
        return self._swapped[key]

    def _parts(self, masks: NDArray[np.bool_], on_one_scale: bool) -> tuple[Floats, Floats]:
        if not self.of_segments:
            scores = self.rows[:, 1:].T[:, :, np.newaxis]
        else:
            scores = segment_scores(self.scores)
        z = standardise(scores) if on_one_scale else scores / scores.shape[2]
        brought = swapped_totals(z, masks)
        return z.sum(axis=2)[:, np.newaxis] - brought, brought


def segment_scores(scores: xr.Dataset) -> Floats:
    """Oriented scores of all metrics, (metrics, systems, segments); corpus metrics come last.

    The score of a segment by a corpus metric is its contribution to the corpus score.
    """
    of_corpora = [contributions(*corpus_part(scores, name)) for name in corpus_metrics(scores)]
    signs = np.where(all_metrics(scores)["higher_is_better"].to_numpy(), 1.0, -1.0)
    return np.stack([*SCORE.of(scores), *of_corpora]) * signs[:, np.newaxis, np.newaxis]


def _by_unit(values: Floats, unit_of: NDArray[np.int64], units: int) -> Floats:
    """Sum statistics (systems, segments, columns) by unit, (units, systems * columns)."""
    systems, segments, columns = values.shape
    by_segment = zeros(segments, systems * columns)
    by_segment.reshape(segments, systems, columns)[:] = values.swapaxes(0, 1)
    if np.array_equal(unit_of, np.arange(units)):
        return by_segment
    return unit_sums(unit_of, by_segment, units)


class MeasuredSystems(Measured):
    """A measure, computed on the system-level scores of one group."""

    def __init__(self, measure: SystemMeasure, prepared: SystemScores) -> None:
        self._measure, self._systems = measure, prepared
        self.scores = prepared.scores
        self.names = prepared.metrics["metric"].to_numpy().astype(str)
        self.higher_is_better = prepared.metrics["higher_is_better"].to_numpy()
        self.values = measure.of_systems(prepared.rows[np.newaxis])[0]

    @property
    def rows(self) -> Floats:
        """Oriented system scores, human scores first; (systems, 1 + metrics)."""
        return self._systems.rows

    def resampled(self, draws: Weights) -> Floats:
        """Measure the systems' scores on every resample."""
        if draws.units is None:
            return self._measure.of_systems(self._systems.rows[np.newaxis], draws.systems)
        return self._of(self._systems.of_drawn(draws), draws.systems)

    def _of(self, scores: Floats, counts: Floats | None = None) -> Floats:
        """Measure scores; for rank measures, scores that differ only by rounding are equal."""
        return self._measure.of_systems(tied(scores) if self._measure.of_ranks else scores, counts)

    def null_differences(self, scheme: Scheme, resamples: int, mapped: Map) -> Floats:
        """Swap the standardised scores of each pair of metrics."""
        one_scale = self._measure.free_of_scale
        kept, brought = self._systems.swapped(scheme, resamples, on_one_scale=one_scale)
        first, second = np.triu_indices(len(kept), 1)
        people = np.broadcast_to(self._systems.rows[:, :1], (*kept.shape[1:], 1))
        at_once = max(1, _LARGEST // kept[0].size)

        def of_pairs(start: int) -> Floats:
            i, j = (places[start : start + at_once] for places in (first, second))
            both = np.moveaxis(np.concatenate([kept[i] + brought[j], kept[j] + brought[i]]), 0, -1)
            values = self._of(np.concatenate([people, both], axis=-1))
            return values[:, : i.size] - values[:, i.size :]

        return np.concatenate([*mapped(of_pairs, range(0, first.size or 1, at_once))], axis=1)

    @property
    def copies(self) -> Sequence[tuple[Floats, ...]]:
        """Scores of systems of each metric."""
        return [(column,) for column in self._systems.rows[:, 1:].T]


@dataclass(frozen=True)
class Correlation(SystemMeasure):
    """A registered correlation coefficient over systems.

    Parameters
    ----------
    coefficient : str, default "pearson"
        "pearson", "spearman", "kendall", or another of `register_coefficient`.
    """

    coefficient: str = "pearson"

    def __post_init__(self) -> None:
        check_choice("coefficient", self.coefficient, COEFFICIENTS)

    @property
    def name(self) -> str:
        """Name of the coefficient."""
        return self.coefficient

    @property
    def of_ranks(self) -> bool:  # type: ignore[override]
        """Whether the coefficient uses only ranks."""
        return COEFFICIENTS[self.coefficient].of_ranks

    def of_systems(self, scores: Floats, counts: Floats | None = None) -> Floats:
        """Correlate people's scores with each metric's; NaN if a system lacks one of them."""
        if np.isnan(scores.min()):  # ranks know no NaN
            missing = np.any(np.isnan(scores), axis=1, keepdims=True)
            values = self._finite(np.where(missing, 0.0, scores), counts)
            return np.where(missing[:, 0, :1] | missing[:, 0, 1:], np.nan, values)
        return self._finite(scores, counts)

    def _finite(self, scores: Floats, counts: Floats | None) -> Floats:
        chosen = COEFFICIENTS[self.coefficient]
        if counts is None:
            return chosen.of_samples(np.ascontiguousarray(np.swapaxes(scores, 1, 2)))
        if len(scores) == 1:
            return chosen.weighted(scores[0], counts)
        rows = zip(scores, counts[:, np.newaxis], strict=True)
        return np.concatenate([chosen.weighted(*row) for row in rows])

    @property
    def formulas(self) -> tuple[str, ...]:  # type: ignore[override]
        """Validated test and interval of Pearson's r, and tests of three correlations."""
        return (SYSTEM_METHOD, *OVERLAPPING) if self.coefficient == "pearson" else ()

    def by_formula(
        self, parts: Sequence[Any], method: str, options: Mapping[str, Any]
    ) -> dict[str, NDArray[Any]]:
        """Compare Pearson's r of each pair of metrics over the systems."""
        return compare_r([part.rows for part in parts], method, options["how"], options)

    def over_sets(self, parts: Sequence[Any], how: AveragedR) -> SetDifferences:
        """Differences of Pearson's r in closed form; of other coefficients by the jackknife."""
        if self.coefficient != "pearson":
            return super().over_sets(parts, how)
        return differences_over_sets_of_r([part.rows for part in parts], how)


AT_ONCE = 2**17  # scores of systems: many pairs of few samples, or few of many


@dataclass(frozen=True)
class SystemAccuracy(SystemMeasure):
    """Share of pairs of systems that a metric orders, or ties, as people do (Kocmi et al. 2021).

    This is PA for system scores without segments. A pair that one side ties and the other orders
    counts as wrong.
    """

    name: ClassVar[str] = "PA"
    lowest: ClassVar[float] = 0.0
    of_ranks: ClassVar[bool] = True

    def of_systems(self, scores: Floats, counts: Floats | None = None) -> Floats:
        """Share of pairs in the same order, weighted by the products of counts."""
        systems = np.ascontiguousarray(scores.transpose(1, 2, 0))  # long rows of samples are fast
        weights = np.ones((len(systems), 1)) if counts is None else counts.T
        right, total, at = np.zeros(1), np.zeros(1), np.stack(system_pairs(len(systems)))
        for first, second in np.array_split(at, 1 + at.size * systems[0].size // AT_ONCE, axis=1):
            signs = np.sign(systems[first] - systems[second])
            weight = weights[first] * weights[second]
            right = right + np.einsum("pn,pmn->mn", weight, signs[:, 1:] == signs[:, :1])
            total = total + weight.sum(axis=0)
        return np.asarray((right / np.where(total > 0, total, np.nan)).T)
