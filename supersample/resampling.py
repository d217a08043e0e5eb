"""What is random: systems, segments, documents, or two kinds at once; intervals from resamples.

A resample is a set of weights on units: how often each system and each unit of text is drawn, by
the bootstrap or leaving each out in turn. Intervals and p-values follow from the values of any
measure on resamples.

Replicate i depends only on the seed, the kind of unit and i. Groups of one set of Scores (domains,
documents) that share systems or documents have one draw of these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.bootstrap import Counts, LeftOut, bootstrap_counts
from supersample.inference.arguments import Interval
from supersample.inference.bootstrap_intervals import (
    bca_interval,
    percentile_interval,
    student_interval,
)
from supersample.inference.comparisons_with_best import WithBest, best_of_replicates, largest_shares
from supersample.inference.p_values import PairDifferences, step_down_p_values
from supersample.tolerances import SUM_TIE, VALUE_TIE

Random = Literal["systems", "segments", "documents", "systems+segments", "systems+documents"]
RANDOM: tuple[str, ...] = get_args(Random)
"""Units that can be drawn with replacement."""


class Weights(NamedTuple):
    """Weights of systems and of units of text, one row per replicate.

    None means that everything counts once.
    """

    systems: Floats | None
    """How often each system is drawn, shape (replicates, systems)."""
    units: Counts | None
    """How often each unit is drawn, shape (replicates, units)."""
    unit_of: NDArray[np.int64]
    """Unit of each segment; -1 for segments without a unit."""

    @property
    def replicates(self) -> int:
        """Number of replicates."""
        counts = self.systems if self.units is None else self.units
        return 0 if counts is None else len(counts)


class Labels(NamedTuple):
    """Labels of the systems and units that a group's measure uses."""

    systems: NDArray[Any]
    """Label of each system, shape (systems,)."""
    units: NDArray[Any]
    """Label of each segment's unit, shape (segments,)."""
    counted: NDArray[np.bool_]
    """Which segments count; others are never drawn."""


@dataclass(frozen=True)
class UnitKind:
    """One kind of unit of one group: systems, segments or documents."""

    name: str
    places: NDArray[np.int64]
    """Number of each item's unit among the units to draw from."""
    drawn_from: int
    own: int
    """Number of units of this group; all groups together may have more."""
    seed: int
    shared: bool

    def bootstrap(self, numbers: NDArray[np.uint64]) -> Floats:
        """Count the draws of each unit, (replicates, units)."""
        purpose = f"bootstrap of {self.name}" + (" of all groups" if self.shared else "")
        return bootstrap_counts(
            self.drawn_from, seed=self.seed, replicates=numbers, purpose=purpose
        )


@dataclass(frozen=True)
class Sampler:
    """How the units of one group are drawn."""

    kinds: tuple[UnitKind, ...]
    unit_of: NDArray[np.int64]

    @property
    def units(self) -> int:
        """Number of units of the scarcest kind in this group."""
        return min(kind.own for kind in self.kinds)

    def bootstrap(self, start: int, stop: int) -> Weights:
        """Draw replicates start to stop - 1 with replacement."""
        numbers = np.arange(start, stop, dtype=np.uint64)
        return self._draws({kind.name: kind.bootstrap(numbers) for kind in self.kinds})

    def left_out(self, kind: UnitKind, start: int, stop: int) -> Weights:
        """Leave out each of the units start to stop - 1 of a kind in turn."""
        return self._draws({kind.name: LeftOut(kind.drawn_from, start, stop)})

    def _draws(self, counts: Mapping[str, Counts]) -> Weights:
        systems, units = None, None
        for kind in self.kinds:
            if kind.name not in counts:
                continue
            if kind.name == "systems":
                systems = np.ascontiguousarray(np.asarray(counts[kind.name])[:, kind.places])
            else:
                units = counts[kind.name]
        return Weights(systems, units, self.unit_of)


def samplers(
    random: str, labels: Sequence[Labels], seeds: Sequence[int], *, seed: int, one_set: bool = False
) -> list[Sampler]:
    """Prepare the drawing of each group's units.

    Parameters
    ----------
    random : str
        One of `RANDOM`.
    labels : sequence of Labels
        Labels of each group; units are documents or segments.
    seeds : sequence of int
        Seed of each group, for units that groups do not share.
    seed : int
        Seed of units that all groups share.
    one_set : bool, default False
        Whether the groups are parts of one set of Scores, so that each has its own segments.

    Returns
    -------
    list of Sampler
        Systems and documents of one name are the same in all groups, and so are the segments of
        sets with equal segments. Shared units are drawn once for all groups.
    """
    of_kinds = [_kinds(name, labels, seeds, seed, one_set) for name in random.split("+")]
    found = []
    for group, kinds in zip(labels, zip(*of_kinds, strict=True), strict=True):
        text = [kind for kind in kinds if kind.name != "systems"]
        unit_of = np.full(group.counted.size, -1, np.int64)
        if text:
            unit_of[group.counted] = text[0].places
        found.append(Sampler(tuple(kinds), unit_of))
    return found


def _kinds(
    name: str, labels: Sequence[Labels], seeds: Sequence[int], seed: int, one_set: bool
) -> list[UnitKind]:
    """One kind of unit in every group."""
    items = [of.systems if name == "systems" else of.units[of.counted] for of in labels]
    own = [np.unique(of_group) for of_group in items]
    every = np.unique(np.concatenate(items))
    recur = every.size < sum(of_group.size for of_group in own)
    same = not one_set and all(names.size == every.size for names in own)
    shared = recur and (same or name != "segments")
    kinds = []
    for of_group, names, group_seed in zip(items, own, seeds, strict=True):
        drawn = every if shared else names
        places = np.searchsorted(drawn, of_group).astype(np.int64)
        keyed = seed if shared else group_seed
        kinds.append(UnitKind(name, places, drawn.size, names.size, keyed, shared))
    return kinds


Bootstrap = Literal["student", "percentile", "bca"]
FEWEST = 4
"""Fewest units for an interval."""
_PAIRS_AT_ONCE = 64  # differences of their replicates fit the cache
_LARGEST = 1 - 2.0**-53  # r below 1


class Replicates(NamedTuple):
    """Values of all metrics on resamples, on the data, and without each unit in turn."""

    drawn: Floats
    """Shape (replicates, metrics)."""
    estimate: Floats
    """Shape (metrics,)."""
    left_out: Floats
    """Shape (units, metrics); see `joined` for two kinds of unit."""
    units: int
    """Number of units of the scarcest kind; for an average, in the group with the fewest."""
    lowest: float
    highest: float
    """Range of the measure; infinite if unbounded."""

    def of_values(self, method: str, level: float) -> Interval:
        """Interval of each value; Student's is on Fisher's z scale if the range has bounds."""
        bounded = np.isfinite(self.highest - self.lowest)
        if method != "student" or not bounded:
            return self._interval(lambda x: x, method, level)
        middle = (self.highest + self.lowest) / 2
        half = (self.highest - self.lowest) / 2
        limits = self._interval(lambda x: _fisher_z((x - middle) / half), method, level)
        return Interval(*(middle + half * np.tanh(limit) for limit in limits))

    def of_differences(self, method: str, level: float) -> Interval:
        """Interval of the difference of each pair of metrics, shape (pairs,)."""
        pairs = np.stack(np.triu_indices(self.estimate.size, 1))
        parts = np.array_split(pairs, -(-pairs.shape[1] // _PAIRS_AT_ONCE) or 1, axis=1)
        limits = [self._interval(partial(_apart, pairs=part), method, level) for part in parts]
        return Interval(*(np.concatenate(each) for each in zip(*limits, strict=True)))

    def with_best(self, sign: float, level: float) -> WithBest:
        """Compare every metric with the best; `sign` makes larger values better."""
        if self.units < FEWEST:
            return WithBest(*(np.full(self.estimate.shape, np.nan) for _ in WithBest._fields))
        values = (sign * each for each in (self.estimate, self.drawn, self.left_out))
        return best_of_replicates(*values, units=self.units, confidence_level=level)

    def null_differences(self) -> PairDifferences:
        """Differences of each pair of metrics minus the observed difference.

        This approximates their joint distribution under the null hypothesis that all metrics are
        equal, with the variance of `best_of_replicates`.
        """
        first, second = np.triu_indices(self.estimate.size, 1)
        wider = np.sqrt(1 + largest_shares(self.left_out)[first, second])
        columns = np.ascontiguousarray((self.drawn - self.estimate).T)
        return PairDifferences(columns, first, second, wider)

    def joint_p_values(self) -> Floats:
        """p-values of each pair, corrected for all, (pairs,); NaN if a replicate is undefined."""
        null = self.null_differences()
        p = step_down_p_values(_apart(self.estimate, np.stack(null[1:3])), null)
        defined = np.isfinite(null.columns.sum(axis=1))
        return np.where(defined[null.first] & defined[null.second], p, np.nan)

    def _interval(self, of: Callable[[Floats], Floats], method: str, level: float) -> Interval:
        """Interval of a function of the values; NaN with fewer than four units."""
        estimate = of(self.estimate)
        if self.units < FEWEST:
            return Interval(np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan))
        drawn = of(self.drawn)
        # values that differ only by rounding are equal: rank statistics have few values
        drawn = np.where(np.abs(drawn - estimate) <= SUM_TIE, estimate, drawn)
        if method == "student":
            return student_interval(drawn, estimate, self.units, confidence_level=level)
        if method == "percentile":
            return percentile_interval(drawn, confidence_level=level)
        return bca_interval(drawn, estimate, of(self.left_out), confidence_level=level)


def joined(left_out: Sequence[Floats], estimate: Floats) -> Floats:
    """Join the values leaving out each unit of one or two kinds, (units, metrics).

    With two kinds, deviations from the estimate are scaled by (n - 1) / n of the jackknife to their
    effect on the statistic, as BCa's acceleration adds two samples.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, section 5.3.2.
    """
    if len(left_out) == 1:
        return left_out[0]
    return np.asarray(estimate + np.concatenate([_deviations(part) for part in left_out]))


def averaged(
    groups: Sequence[Replicates],
    weights: Sequence[float] | None = None,
    *,
    samplers: Sequence[Sampler],
) -> Replicates:
    """Compute replicates of the average over groups (default: equal weights).

    A kind of unit that groups share is left out of all groups at once, else of one after another.
    """

    def mean(values: Sequence[Floats]) -> Floats:
        return np.asarray(np.average(values, axis=0, weights=weights))

    estimate = mean([each.estimate for each in groups])
    shares = np.ones(len(groups)) if weights is None else np.asarray(weights)
    left_out = []
    for k, kind in enumerate(samplers[0].kinds):
        of_kind = [_of_kind(each, of, k) for each, of in zip(groups, samplers, strict=True)]
        if kind.shared:
            left_out.append(mean(of_kind))
            continue
        changes = zip(shares / shares.sum(), of_kind, groups, strict=True)
        left_out += [estimate + share * (part - each.estimate) for share, part, each in changes]
    return Replicates(
        mean([each.drawn for each in groups]),
        estimate,
        np.concatenate(left_out),
        min(each.units for each in groups),
        groups[0].lowest,
        groups[0].highest,
    )


def _of_kind(group: Replicates, sampler: Sampler, k: int) -> Floats:
    """Take the values of a group that leave out each unit of its kind number k."""
    ends = np.cumsum([0, *(kind.drawn_from for kind in sampler.kinds)])
    return group.left_out[ends[k] : ends[k + 1]]


def _deviations(left_out: Floats) -> Floats:
    n = left_out.shape[0]
    defined = ~np.isnan(left_out)
    mean = np.where(defined, left_out, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    return np.asarray((left_out - mean) * (n - 1) / n)


def _apart(values: Floats, pairs: NDArray[np.intp]) -> Floats:
    """Subtract the values of pairs of metrics; differences due to rounding are 0."""
    difference = np.take(values, pairs[0], axis=-1) - np.take(values, pairs[1], axis=-1)
    return np.where(np.abs(difference) < VALUE_TIE, 0.0, difference)


def _fisher_z(r: Floats) -> Floats:
    """Fisher's z, also finite for r = 1."""
    return np.arctanh(np.clip(r, -_LARGEST, _LARGEST))
