"""Pairwise accuracy (PA) and soft pairwise accuracy (SPA) from paired differences of systems.

Both are means over pairs of systems of 1 - |human - metric|, where preferences are between 0 and 1:
the p-value of "i is better than j" for SPA, that p-value rounded for PA (a tie counts as 0.5). They
use complete cases: segments that every system was rated for and every metric scored for every
system; each segment counts once. `PValues` has the options of the p-value; its unit (a segment, a
document) is permuted, and is what two metrics swap.

For each pair of systems, the sums over units of the differences d and of d^2 determine normal
p-values and signs. So a resample is a vector of weights on these sums, and a pair of drawn systems
has the product of their counts as weight (copies of a system form no pair). Swaps of two metrics'
inputs have their own kernels (`swap_scores`), which compute both measures at once.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.additive import far_from_zero
from supersample.engine.bootstrap import counted_sums, unit_sums
from supersample.engine.swaps import (
    Scheme,
    input_swapped_sums,
    permutation_words,
    permuted_totals,
    signed_totals,
    standardise,
    swap_masks,
    swapped_totals,
    unit_totals,
)
from supersample.errors import (
    ApproximationWarning,
    DegenerateScoreWarning,
    InputError,
    check_choice,
    listed,
    warn,
)
from supersample.execution.limits import check_memory
from supersample.inference.arguments import Map
from supersample.inference.pairs_of_systems import (
    Convention,
    InputMoments,
    SwappedAccuracies,
    mean_agreement,
    monte_carlo_p_values,
    monte_carlo_swaps,
    normal_p_values,
    normal_p_values_of_moments,
    normal_swaps,
    pair_differences,
    preferences,
    system_pairs,
)
from supersample.measures.base import Measure, Measured
from supersample.measures.systems import segment_scores
from supersample.resampling import Weights
from supersample.results.variables import describe
from supersample.scores.schema import HUMAN, all_metrics
from supersample.scores.selection import Mask, complete_cases
from supersample.scores.system_level import unit_numbers
from supersample.tolerances import SUM_TIE

Method = Literal["normal", "monte_carlo"]
Unit = Literal["segment", "document"]
MOST_PERMUTATIONS = 1 << 24
BYTES_A_DRAW = 50.0
"""Memory per resample, metric and pair of systems: measured with 60 to 400 systems."""


@dataclass(frozen=True)
class PValues:
    """Options of the paired permutation test of "system i is better than system j".

    The p-value is small if i is better, large if j is better, and near 0.5 if neither shows.

    Parameters
    ----------
    method : {"normal", "monte_carlo"}, default "normal"
        "normal": the limit of the permutation test for many units, p = Phi(-sum d / sqrt(sum d^2)),
        with paired differences d. "monte_carlo": random permutations, as in Thompson et al. (2024).
    convention : {"mid", "at_least"}, default "mid"
        "mid": P(null > observed) + P(null = observed) / 2, so p_ij + p_ji = 1, identical systems
        get 0.5, and the order of systems has no effect. "at_least": P(null >= observed), as in
        Thompson et al. (2024, section 3.2); on tied data p_ij + p_ji > 1, and accuracies depend on
        the order of systems.
    unit : {"segment", "document"}, default "segment"
        What is permuted together. Metrics swap their scores by the same unit.
    permutations : int, default 1000
        Number of permutations B that "monte_carlo" draws, the same for all scorers.

    Raises
    ------
    InputError
        If an option is unknown or out of range.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy", WMT, sections 3.2 and 3.3.

    Examples
    --------
    >>> PValues("monte_carlo", permutations=10_000).convention
    'mid'
    """

    method: Method = "normal"
    convention: Convention = "mid"
    unit: Unit = "segment"
    permutations: int = 1000

    @property
    def unused(self) -> tuple[str, ...]:
        """Options that the method does not use."""
        return () if self.method == "monte_carlo" else ("permutations",)

    def __post_init__(self) -> None:
        check_choice("method of p-values", self.method, get_args(Method))
        check_choice("convention of p-values", self.convention, get_args(Convention))
        check_choice("unit", self.unit, get_args(Unit))
        if not 1 <= self.permutations <= MOST_PERMUTATIONS:
            raise InputError(
                f"permutations must be 1 to {MOST_PERMUTATIONS:,}, not {self.permutations}"
            )


def system_p_values(scorers: Floats, p_values: PValues, *, seed: int) -> Floats:
    """p-values of every pair of systems by every scorer.

    Parameters
    ----------
    scorers : ndarray, shape (scorers, systems, units)
        Finite scores; larger is better.
    p_values : PValues
        Method; the scores are already summed by its unit.
    seed : int
        Seed of the permutations of "monte_carlo".

    Returns
    -------
    ndarray, shape (scorers, pairs)
        Pairs in the order of `supersample.inference.pairs_of_systems.system_pairs`.
    """
    convention = p_values.convention
    if p_values.method == "monte_carlo":
        null = permuted_totals(scorers, seed=seed, replicates=p_values.permutations)
        return monte_carlo_p_values(null, scorers, convention=convention)
    # one scorer at a time: its differences fit the cache
    return np.stack([normal_p_values(pair_differences(x), convention=convention) for x in scorers])


def swap_scores(
    z: Floats, human: tuple[Floats, Floats], p_values: PValues, swap: dict[str, Any], mapped: Map
) -> SwappedAccuracies:
    """PA and SPA of each pair of metrics after each swap of their inputs.

    Parameters
    ----------
    z : ndarray, shape (metrics, systems, units)
        Scores standardised over systems and segments, and summed by unit.
    human : tuple of ndarray, each of shape (pairs,)
        People's p-values of pairs of systems, and their rounded preferences.
    p_values : PValues
    swap : dict
        The seed, and the numbers of the replicates.
    mapped : callable
        The map of workers that share memory; results do not depend on them.
    """
    options: dict[str, Any] = {"convention": p_values.convention, "mapped": mapped}
    if p_values.method == "normal":
        return normal_swaps(*human, _input_moments(z, swap, mapped), **options)
    systems, units = z.shape[1:]
    masks = swap_masks("inputs", systems=systems, segments=units, **swap)
    permutations = np.arange(p_values.permutations, dtype=np.uint64)
    words = permutation_words(units, seed=swap["seed"], replicates=permutations)
    by_unit = z.transpose(2, 0, 1).copy()
    return monte_carlo_swaps(
        *human,
        z,
        signed_totals(words, by_unit, np.arange(units)),
        lambda r, out: signed_totals(words, by_unit, np.flatnonzero(masks[r]), out),
        swapped_totals(z, masks),
        **options,
    )


def _input_moments(z: Floats, swap: dict[str, Any], mapped: Map) -> InputMoments:
    """Moments of all metrics: linear in the mask."""
    pairs = z.shape[1] * (z.shape[1] - 1) // 2
    needed = BYTES_A_DRAW * len(z) * pairs * swap["replicates"].size
    check_memory(needed, f"swaps of {len(z)} metrics on {pairs:,} pairs of systems")

    def moments(scores: Floats) -> InputMoments:
        d = pair_differences(scores)
        both = input_swapped_sums(np.concatenate([d, d * d]).T, **swap)
        return InputMoments.of(d, *np.split(both, 2, axis=1))

    return InputMoments(*map(np.stack, zip(*mapped(moments, z), strict=True)))


SMALL = 0.01  # warn about larger errors of SPA
NORMAL_ERRORS = (
    (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9),
    (0.0, 0.0023, 0.0059, 0.0121, 0.022, 0.0616, 0.158),
)
"""Share of one unit in the squared differences of two systems, and the largest error of the normal
p-value if there are many other units: ``sup |(Phi((a - t) / b) + Phi((-a - t) / b)) / 2 -
Phi(-t)|``, where a^2 is the share and b^2 the rest."""


class PairScores:
    """Scores of one group, comparable across metrics: complete cases, oriented."""

    def __init__(self, complete: xr.Dataset, unit: Unit, seed: int) -> None:
        if unit_count(complete, unit) < 2:
            raise InputError(f"there is only one {unit}, so nothing can be permuted")
        _check_size(complete, unit)
        self.scores, self.seed, self.unit = complete, seed, unit
        sign = 1.0 if complete[HUMAN.name].attrs.get("higher_is_better", 1) else -1.0
        human, metrics = HUMAN.of(complete), segment_scores(complete)
        # ties are relative to the scores: a difference of 1 would be a tie between scores of 1e12
        centres = np.array([far_from_zero(each) for each in metrics])[:, None, None]
        self.human = (human - far_from_zero(human)) * sign
        """Shape (systems, segments), larger is better."""
        self.metrics = metrics - centres
        """Shape (metrics, systems, segments), larger is better."""
        self.units = None if unit == "segment" else unit_numbers(complete, unit)
        """Number of each segment's permutation unit; None where each segment is a unit."""
        self._every = all_metrics(complete)
        self._swapped: dict[Hashable, SwappedAccuracies] = {}
        self._summed: tuple[NDArray[np.int64], Floats] | None = None

    @property
    def names(self) -> NDArray[np.str_]:
        """Labels of all metrics, corpus metrics last."""
        return self._every["metric"].to_numpy().astype(str)

    @property
    def higher_is_better(self) -> NDArray[np.bool_]:
        """Declared orientation of all metrics."""
        return self._every["higher_is_better"].to_numpy()

    def scorers(self) -> Floats:
        """Scores by unit, (1 + metrics, systems, units), human scores first."""
        return self.by_unit(np.concatenate([self.human[np.newaxis], self.metrics]))

    def by_unit(self, values: Floats) -> Floats:
        """Sum scores of shape (scorers, systems, segments) over the segments of each unit."""
        if self.units is None:
            return values
        totals = unit_totals(values.transpose(1, 2, 0), self.units)
        return np.ascontiguousarray(totals.transpose(2, 0, 1))

    def rounded(self) -> Floats:
        """Round the preferences of the pairs of systems, (1 + metrics, pairs), human first."""
        scorers = self.human, *self.metrics
        return np.stack([preferences(pair_differences(x)) for x in scorers])

    def p_values(self, options: PValues) -> Floats:
        """p-values of the pairs of systems, shape (1 + metrics, pairs), human first."""
        return system_p_values(self.scorers(), options, seed=self.seed)

    def swapped(self, options: PValues, resamples: int, mapped: Map) -> SwappedAccuracies:
        """PA and SPA of each pair of metrics after each swap, computed once for both measures."""
        key = options, resamples
        if key not in self._swapped:
            of_human = self.by_unit(self.human[np.newaxis])
            human = system_p_values(of_human, options, seed=self.seed)[0], self.rounded()[0]
            swap = {"seed": self.seed, "replicates": np.arange(resamples, dtype=np.uint64)}
            z = self.by_unit(standardise(self.metrics))
            self._swapped[key] = swap_scores(z, human, options, swap, mapped)
        return self._swapped[key]

    @cached_property
    def _moments(self) -> Floats:
        """Differences of every pair of systems by segment, and their squares.

        Shape (1 + metrics, segments, 2 * pairs), human first.
        """
        differences = [pair_differences(each).T for each in (self.human, *self.metrics)]
        return np.stack([np.hstack([each, each * each]) for each in differences])

    def drawn_moments(self, draws: Weights) -> Iterator[tuple[Floats, Floats, Floats]]:
        """Sum d and d^2 of drawn units of text, and give the largest sum of d that counts as a tie.

        Each (replicates, pairs), one scorer after another, people first.
        """
        assert draws.units is not None
        count = draws.units
        segments = np.bincount(draws.unit_of, minlength=count.shape[1])
        number = counted_sums(count, segments[:, np.newaxis].astype(np.float64))
        for values in self._by_unit(draws.unit_of, count.shape[1]):
            sums, squares = np.split(counted_sums(count, values), 2, axis=1)
            yield sums, squares, SUM_TIE * np.sqrt(number * squares)  # sum |d| is at most the root

    def _by_unit(self, unit_of: NDArray[np.int64], units: int) -> Floats:
        """Sum the moments of each unit's segments, once for all draws of the same units."""
        if np.array_equal(unit_of, np.arange(self._moments.shape[1])):
            return self._moments
        if self._summed is None or self._summed[0] is not unit_of:
            sums = np.stack([unit_sums(unit_of, each, units) for each in self._moments])
            self._summed = unit_of, sums
        return self._summed[1]


class MeasuredPairs(Measured):
    """PA or SPA of one group."""

    def __init__(self, measure: "PairMeasure", pairs: PairScores) -> None:
        self._measure, self._pairs = measure, pairs
        self.scores, self.names = pairs.scores, pairs.names
        self.higher_is_better = pairs.higher_is_better

    @cached_property
    def components(self) -> Floats:
        """Preferences of all scorers for every pair of systems, (1 + metrics, pairs)."""
        return self._measure.preferences(self._pairs)

    @cached_property
    def values(self) -> Floats:  # type: ignore[override]
        """Mean agreement over pairs of systems."""
        return mean_agreement(self.components[0], self.components[1:])

    def resampled(self, draws: Weights) -> Floats:
        """Measure the drawn units; p-values on drawn segments are normal."""
        if draws.units is None:  # only systems are drawn, so no preference changes
            preferences: Iterator[Floats] = iter(self.components)
        else:
            moments = self._pairs.drawn_moments(draws)
            preferences = (self._measure.of_moments(*each) for each in moments)
        human, weights = next(preferences), _pair_weights(draws.systems)
        drawn = [_average(1.0 - np.abs(human - p), weights) for p in preferences]
        return self._if_people_differ(np.stack(drawn, axis=1))

    def _if_people_differ(self, values: Floats) -> Floats:
        """Give values; NaN if all human scores are the same."""
        return values if np.ptp(self._pairs.human) > 0 else np.full_like(values, np.nan)

    def null_differences(self, scheme: Scheme, resamples: int, mapped: Map) -> Floats:
        """Swap the inputs of each pair of metrics by the kernels of both measures."""
        swapped = self._pairs.swapped(self._measure.p_values, resamples, mapped)
        first, second = self._measure.of_swapped(swapped)
        return self._if_people_differ(first - second)

    @property
    def copies(self) -> Sequence[tuple[Floats, ...]]:
        """Segment scores of each metric."""
        return [(scores,) for scores in self._pairs.metrics]


def _pair_weights(systems: Floats | None) -> Floats | None:
    """Weight of each pair of drawn systems, (replicates, pairs); None: every pair counts once."""
    if systems is None:
        return None
    first, second = system_pairs(systems.shape[1])
    return np.asarray(systems[:, first] * systems[:, second])


def _average(agreement: Floats, weights: Floats | None) -> Floats:
    """Average over pairs of systems, (replicates or nothing, pairs)."""
    if weights is None:
        return np.asarray(agreement.mean(axis=-1))
    total = weights.sum(axis=1)
    return np.asarray((weights * agreement).sum(axis=-1) / np.where(total > 0, total, np.nan))


@dataclass(frozen=True)
class PairMeasure(Measure):
    """Mean agreement of a metric's preferences with people's, over pairs of systems.

    Parameters
    ----------
    p_values : PValues or {"normal", "monte_carlo"}
        Method of p-values of pairs of systems; normal by default.
    """

    lowest: ClassVar[float] = 0.0
    mask: ClassVar[Mask] = "common"
    schemes: ClassVar[tuple[Scheme, ...]] = ("inputs",)
    p_values: PValues = field(default_factory=PValues)

    def __post_init__(self) -> None:
        if isinstance(self.p_values, str):  # the name of a method
            object.__setattr__(self, "p_values", PValues(self.p_values))  # type: ignore[arg-type]

    @property
    def reads(self) -> Hashable:
        """Complete cases, by the unit of permutation."""
        return PairMeasure, self.p_values.unit

    @property
    def requirement(self) -> str:  # type: ignore[override]
        """Requirement of a group."""
        return f"two complete {self.p_values.unit}s to permute"

    def select(self, scores: xr.Dataset, mask: Mask, *, complete: bool) -> xr.Dataset:
        """Select complete cases."""
        selected = complete_cases(scores, mask)
        if mask == "all" and selected[HUMAN.name].isnull().any():
            raise InputError(
                f"{self} compares systems on the same segments, and people did not rate all of "
                "them for every system; leave out the mask 'all'"
            )
        return selected

    def usable(self, part: xr.Dataset) -> bool:
        """Whether a group has two segments, and two units to permute."""
        return part.sizes["segment"] >= 2 and unit_count(part, self.p_values.unit) >= 2

    def prepare(self, selected: xr.Dataset, seed: int) -> PairScores:
        """Orient the scores."""
        return PairScores(selected, self.p_values.unit, seed)

    def on(self, prepared: PairScores) -> MeasuredPairs:
        """Give the measure of the pairs of systems."""
        return MeasuredPairs(self, prepared)

    def warn_of_scores(self, groups: Mapping[str, PairScores]) -> None:
        """Name scorers that do not vary."""
        parts = list(groups.values())
        _warn_if_constant(parts, parts[0].names)

    def system_rows(self, prepared: PairScores) -> Floats:
        """Mean scores of systems."""
        scores = np.concatenate([prepared.human[np.newaxis], prepared.metrics])
        return np.asarray(scores.mean(axis=2).T)

    @abstractmethod
    def preferences(self, pairs: PairScores) -> Floats:
        """Preferences of all scorers for every pair of systems, (1 + metrics, pairs)."""

    @abstractmethod
    def of_moments(self, sums: Floats, squares: Floats, slack: Floats) -> Floats:
        """Preferences of a scorer from `PairScores.drawn_moments`, (replicates, pairs)."""

    @abstractmethod
    def of_swapped(self, swapped: SwappedAccuracies) -> Floats:
        """Choose this measure among the results of the kernels."""


@dataclass(frozen=True)
class SoftPairwiseAccuracy(PairMeasure):
    """Soft pairwise accuracy (Thompson et al. 2024, equation 1)."""

    name: ClassVar[str] = "SPA"

    @property
    def facts(self) -> dict[str, Any]:
        """Options of the p-values."""
        return {"design": describe(self.p_values)}

    def warn_of_values(self, groups: Mapping[str, PairScores]) -> None:
        """Warn if few units dominate, so that normal p-values are inaccurate."""
        if self.p_values.method == "normal":
            parts = list(groups.values())
            _warn_if_dominated(parts, parts[0].names, self.p_values)

    def preferences(self, pairs: PairScores) -> Floats:
        """p-values of pairs of systems."""
        return pairs.p_values(self.p_values)

    def of_moments(self, sums: Floats, squares: Floats, slack: Floats) -> Floats:
        """Compute normal p-values."""
        return normal_p_values_of_moments(sums, squares, convention=self.p_values.convention)

    def of_swapped(self, swapped: SwappedAccuracies) -> Floats:
        """SPA."""
        return swapped.soft


@dataclass(frozen=True)
class PairwiseAccuracy(PairMeasure):
    """Pairwise accuracy (Thompson et al. 2024, equation 3).

    The preference of a pair with equal mean scores (to 1e-12 of the sum of absolute differences) is
    0.5, so two ties agree, and a tie and a preference agree by half. Equation 3 rounds 0.5 up, and
    then depends on the order of systems.
    """

    name: ClassVar[str] = "PA"

    def preferences(self, pairs: PairScores) -> Floats:
        """Round the preferences of pairs of systems."""
        return pairs.rounded()

    def of_moments(self, sums: Floats, squares: Floats, slack: Floats) -> Floats:
        """Round preferences."""
        return np.where(np.abs(sums) <= slack, 0.5, np.where(sums > 0, 0.0, 1.0))

    def of_swapped(self, swapped: SwappedAccuracies) -> Floats:
        """PA."""
        return swapped.hard


def unit_count(scores: xr.Dataset, unit: Unit) -> int:
    """Count the permutation units of complete cases."""
    return int(np.unique(unit_numbers(scores, unit)).size)


def _check_size(complete: xr.Dataset, unit: Unit) -> None:
    """Refuse systems whose paired differences do not fit into memory; measured: 25 to 28 bytes."""
    systems, scorers = complete.sizes["system"], 1 + complete.sizes["metric"]
    needed = 32.0 * scorers * (systems * (systems - 1) // 2) * unit_count(complete, unit)
    what = f"differences of all pairs of {systems:,} systems by {scorers} scorers"
    check_memory(needed, what, "keep fewer systems, metrics or segments")


def _warn_if_constant(groups: list[PairScores], metrics: NDArray[np.str_]) -> None:
    """Warn of scorers whose scores are all the same in some group: they prefer no system."""
    constant = np.zeros(1 + metrics.size, dtype=bool)
    for group in groups:
        constant |= [bool(np.ptp(values) == 0) for values in (group.human, *group.metrics)]
    if constant.any():
        names = listed(np.array(["the human scores", *metrics])[constant], 10)
        text = f"scores that do not vary prefer no system: {names}"
        warn(text, DegenerateScoreWarning, stacklevel=4)


def _warn_if_dominated(
    groups: list[PairScores], metrics: NDArray[np.str_], p_values: PValues
) -> None:
    """Warn if few units dominate, so that normal p-values may change SPA by more than `SMALL`.

    The warning names scorers for which the bound on the mean error over pairs exceeds that.
    """
    errors = np.concatenate([normal_errors(group.scorers()) for group in groups], axis=1)
    names = ["the human scores", *metrics]
    worst = [(names[i], error) for i, error in enumerate(errors.mean(axis=1)) if error > SMALL]
    if worst:
        text = (
            f"few {p_values.unit}s make most of the squared differences of systems, and "
            "the normal limit of p-values is off by up to "
            + listed((f"{error:.3f} for {name}" for name, error in worst), 5)
            + " on average over pairs; use SPA:p_values=monte_carlo"
        )
        warn(text, ApproximationWarning, stacklevel=4)


def normal_errors(scorers: Floats) -> Floats:
    """Bound the errors of normal p-values by the largest unit's share, shape (scorers, pairs)."""
    shares = []
    for scores in scorers:  # one at a time: its differences fit the cache
        squares = np.square(pair_differences(scores))
        sums = squares.sum(axis=-1)
        shares.append(squares.max(axis=-1) / np.where(sums > 0, sums, 1.0))
    return np.asarray(np.interp(shares, *NORMAL_ERRORS))
