"""Measures of translations: whether a metric ranks translations of one segment as people do.

A statistic is computed within groups of translations and averaged over the groups: a segment
("item"), a system, or one group of all ("none"). Statistics with ties count a pair of translations
as right if people and the metric order it the same way, or both tie it. "acc_eq" and "tau_eq"
first find the threshold below which the metric's differences are ties. PDP pools its sums over
segments.

Only translations count that people rated and all metrics scored, so all metrics are compared on the
same translations. Groups with an undefined statistic (constant scores, one translation) are left
out of averages and counted.

Sums over items are sums over segments. If a group has several segments, or systems are drawn, the
statistic is computed again with a weight on each translation; copies of a translation form no pair.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.bootstrap import Counts, counted_sums, unit_sums
from supersample.engine.kernel import masked_sums
from supersample.engine.streams import pack_coins
from supersample.engine.swaps import Scheme, swap_masks
from supersample.errors import InputError, check_choice, listed
from supersample.inference import translations_and_ties as kinds
from supersample.inference.arguments import Map
from supersample.inference.translations_and_ties import (
    Flat,
    Grouping,
    calibrated_threshold,
    flat_parts,
    flatten,
    group_parts,
    ratio,
    standardised,
    swapped_correlations,
    swapped_statistics,
    weighted_values,
)
from supersample.measures.base import Measure, Measured
from supersample.measures.groups import groups_of
from supersample.resampling import Weights
from supersample.scores.schema import (
    HUMAN,
    SCORE,
    corpus_metrics,
    team_numbers,
    validate_scores,
    with_metrics,
)
from supersample.scores.selection import Mask, select_segments
from supersample.scores.system_level import orientation_signs

GROUPINGS = get_args(Grouping)
OF_PAIRS = (kinds.ACC_23, kinds.TAU_23)
_MOST_SETS = 32  # most sets of systems for which sums over pairs are kept
_REPLICATES_AT_ONCE = 64
_TWO = "two translations that people rated and every metric scored"


class _Kind(NamedTuple):
    code: int
    groupings: tuple[Grouping, ...] = ("item", "none", "system")
    calibrated: bool = False


KINDS = {
    "pearson": _Kind(kinds.PEARSON),
    "spearman": _Kind(kinds.SPEARMAN),
    "tau_b": _Kind(kinds.TAU_B),
    "tau_c": _Kind(kinds.TAU_C),
    "tau_23": _Kind(kinds.TAU_23),
    "tau_eq": _Kind(kinds.TAU_23, calibrated=True),
    "acc_23": _Kind(kinds.ACC_23),
    "acc_eq": _Kind(kinds.ACC_23, calibrated=True),
    "pdp": _Kind(kinds.PDP, ("item",)),
}
"""Statistics within groups of translations, by name."""


class Translations(NamedTuple):
    """Translations of one group that people rated and every metric scored, oriented."""

    scores: xr.Dataset
    """The Scores, for labels and attributes."""
    human: Floats
    """Shape (systems, segments), larger is better; 0 where not kept."""
    metrics: Floats
    """Shape (metrics, systems, segments), as `human`."""
    keep: NDArray[np.bool_]
    """Which translations count, shape (systems, segments)."""
    seed: int
    """Seed of all random numbers of this group."""

    def by(self, grouping: Grouping) -> Flat:
        """Arrange the translations by item, by system, or as one group."""
        return flatten(self.human, self.metrics, self.keep, grouping)


@dataclass(frozen=True)
class TranslationMeasure(Measure):
    """A statistic of agreement within groups of translations.

    Parameters
    ----------
    statistic : str
        "pearson", "spearman", "tau_b", "tau_c" (Kendall's); "acc_23" and "tau_23", which credit
        pairs that both people and the metric tie; "acc_eq" and "tau_eq", the same after tie
        calibration; "pdp", pairwise difference Pearson.
    grouping : {"item", "none", "system"}, default "item"
        Within a segment, over all translations, or within a system. PDP needs "item".

    Raises
    ------
    InputError
        If an option is unknown, out of range, or does not fit the statistic.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter: meta-evaluating modern metrics with pairwise
    accuracy and tie calibration", EMNLP. DiIanni and Deutsch (2025), "Don't sweat the small stuff:
    segment-level meta-evaluation based on pairwise difference correlation", EMNLP.

    Examples
    --------
    >>> str(TranslationMeasure("acc_eq"))
    'acc_eq/item'
    """

    level: ClassVar[Literal["systems", "translations"]] = "translations"
    mask: ClassVar[Mask] = "all"
    requirement: ClassVar[str] = f"two segments, one of them with {_TWO}"
    statistic: str
    grouping: Grouping = "item"

    def __post_init__(self) -> None:
        check_choice("segment-level statistic", self.statistic, KINDS)
        check_choice("grouping", self.grouping, GROUPINGS)
        if self.grouping not in KINDS[self.statistic].groupings:
            raise InputError(f"{self.statistic} uses pairs within a segment: {self.statistic}/item")

    @property
    def name(self) -> str:
        """Statistic and grouping, ``acc_eq/item``."""
        return f"{self.statistic}/{self.grouping}"

    @property
    def code(self) -> int:
        """Number of the statistic in array functions."""
        return KINDS[self.statistic].code

    @property
    def calibrated(self) -> bool:
        """Whether ties are calibrated first."""
        return KINDS[self.statistic].calibrated

    @property
    def lowest(self) -> float:  # type: ignore[override]
        """Smallest value; the largest is 1."""
        return 0.0 if self.code == kinds.ACC_23 else -1.0

    @property
    def schemes(self) -> tuple[Scheme, ...]:  # type: ignore[override]
        """Kinds of swaps; swapped single scores would need new calibration in every resample."""
        scores: tuple[Scheme, ...] = () if self.calibrated else ("both", "systems")
        inputs: tuple[Scheme, ...] = ("inputs",) if scores or self.grouping == "item" else ()
        return (*inputs, *scores)

    @property
    def reads(self) -> Hashable:
        """Translations that people rated and every metric scored."""
        return TranslationMeasure

    def select(self, scores: xr.Dataset, mask: Mask, *, complete: bool) -> xr.Dataset:
        """Select segments by a mask, without corpus metrics, and record what is left out."""
        validate_scores(scores)
        corpus = corpus_metrics(scores)
        if not scores.sizes["metric"]:
            raise InputError(f"corpus metrics have no scores of segments: {listed(corpus)}")
        selected = select_segments(scores, mask)
        rated = ~np.isnan(HUMAN.of(selected))
        keep = _kept(selected)
        _check(selected, keep, rated & ~np.isnan(SCORE.of(selected)))
        if keep.sum() < rated.sum():
            selected = selected.assign_attrs(
                mask=f"{selected.attrs['mask']}, {keep.sum()} of {rated.sum()} rated translations "
                "scored by every metric"
            )
        if corpus:
            left_out = [selected.attrs.get("metrics_left_out") or ""]
            left_out += [f"{name} (a corpus metric)" for name in corpus]
            selected = with_metrics(selected, selected["metric"].to_numpy().astype(str).tolist())
            selected = selected.assign_attrs(metrics_left_out=", ".join(filter(None, left_out)))
        return selected

    def usable(self, part: xr.Dataset) -> bool:
        """Whether a group has two segments, and two rated and scored translations of a segment."""
        kept = _kept(part)
        return part.sizes["segment"] >= 2 and bool(kept.sum(axis=0).max() >= 2)

    def prepare(self, selected: xr.Dataset, seed: int) -> Translations:
        """Orient the scores of the translations that count."""
        human, metrics, keep = HUMAN.of(selected), SCORE.of(selected), _kept(selected)
        signs = orientation_signs(selected["human"], selected)
        return Translations(
            selected,
            np.where(keep, human, 0.0) * signs[0],
            np.where(keep, metrics, 0.0) * signs[1:, np.newaxis, np.newaxis],
            keep,
            seed,
        )

    def on(self, prepared: Translations) -> "MeasuredTranslations":
        """Compute the statistic on the translations."""
        return MeasuredTranslations(self, prepared)

    def thresholds(self, flat: Flat) -> Floats:
        """Tie thresholds of each metric, calibrated on these translations if necessary."""
        if self.calibrated:
            return np.array([calibrated_threshold(flat, k) for k in range(len(flat.metrics))])
        return np.zeros(len(flat.metrics))


class MeasuredTranslations(Measured):
    """A statistic, computed on the translations of one group."""

    def __init__(self, measure: TranslationMeasure, part: Translations) -> None:
        self._measure, self._part = measure, part
        self.scores = part.scores
        self.names = part.scores["metric"].to_numpy().astype(str)
        self.higher_is_better = part.scores["higher_is_better"].to_numpy()
        self._flat = part.by(measure.grouping)
        self.thresholds = measure.thresholds(self._flat)
        self._parts = flat_parts(measure.code, self._flat, self.thresholds)
        """Shape (metrics, groups, 3); see `supersample.inference.translations_and_ties`."""
        self.values = ratio(self._parts.sum(axis=1))
        self._summed: tuple[NDArray[np.int64], Floats] | None = None

    @property
    def sizes(self) -> dict[str, int]:
        """Systems, segments and translations that count."""
        keep = self._part.keep
        return {
            "systems": int(keep.any(axis=1).sum()),
            "segments": int(keep.any(axis=0).sum()),
            "translations": int(keep.sum()),
        }

    @property
    def uncounted_systems(self) -> list[str]:
        """Systems without a translation that people rated and every metric scored."""
        uncounted = ~self._part.keep.any(axis=1)
        return [str(name) for name in self.scores["system"].to_numpy()[uncounted]]

    @property
    def extras(self) -> dict[str, Any]:
        """Tie thresholds, and groups without a value."""
        undefined = (self._parts[..., 1:] == 0).any(axis=-1).sum(axis=1)
        return {"threshold": self.thresholds, "undefined_groups": undefined}

    @property
    def counted_segments(self) -> NDArray[np.bool_]:
        """Segments with a translation that counts."""
        return np.asarray(self._part.keep.any(axis=0))

    @property
    def copies(self) -> Sequence[tuple[Floats, ...]]:
        """Scores of the translations that count."""
        return [(scores[self._part.keep],) for scores in self._part.metrics]

    def resampled(self, draws: Weights) -> Floats:
        """Sum parts of groups that are drawn as a whole, or weight each translation."""
        flat = self._flat
        drawn: dict[str, tuple[Counts, NDArray[np.int64]]] = {}
        if draws.systems is not None:
            drawn["system"] = draws.systems, flat.systems
        if draws.units is not None:
            drawn["item"] = draws.units, draws.unit_of[flat.segments]
        one = np.ones((draws.replicates, 1)), np.zeros(flat.human.size, np.int64)
        whole, unit_of = drawn.pop(self._measure.grouping, one)
        group_units = unit_of[flat.starts[:-1]]
        if not drawn:
            by_group = self._parts.swapaxes(0, 1).reshape(group_units.size, -1)
            sums = counted_sums(whole, unit_sums(group_units, by_group, whole.shape[1]))
            return ratio(sums.reshape(len(whole), -1, 3))
        [(counts, units), *more] = drawn.values()
        # the count of a translation is that of its system times that of its segment
        for others, labels in more:
            both = np.asarray(counts)[:, units] * np.asarray(others)[:, labels]
            counts, units = both, np.arange(flat.human.size)
        if self._by_pairs and draws.units is None:
            return self._of_drawn_systems(np.asarray(counts))
        of_groups = np.asarray(whole)[:, group_units]
        code, found = self._measure.code, np.full((draws.replicates, len(flat.metrics)), np.nan)
        if code == kinds.PEARSON and not more:
            sums = counted_sums(counts, self._sums_of_units(units, counts.shape[1]))
            found = _correlations(sums.reshape(len(counts), of_groups.shape[1], -1), of_groups)
        for k, (metric, threshold) in enumerate(zip(flat.metrics, self.thresholds, strict=True)):
            left = np.isnan(found[:, k])
            how = np.asarray(counts)[left], units, of_groups[left], float(threshold)
            found[left, k] = weighted_values(code, flat.human, metric, flat.starts, *how)
        return found

    @property
    def _by_pairs(self) -> bool:
        """Whether sums over pairs of systems give the value on drawn systems, and fit memory."""
        of_item = self._measure.grouping == "item"
        of_pairs = of_item and self._measure.code in (*OF_PAIRS, kinds.PDP)
        return of_pairs and bool(self._system_sets.max() < _MOST_SETS)

    @cached_property
    def _system_sets(self) -> NDArray[np.int64]:
        """Number the sets of systems that translated each segment."""
        return np.unique(self._part.keep, axis=1, return_inverse=True)[1].ravel()

    @cached_property
    def _sums_of_pairs(self) -> Floats:
        """Parts of each pair of systems, summed over segments with the same set of systems.

        Shape (pairs, sets of systems, metrics, 3).
        """
        part, sets = self._part, self._system_sets.max() + 1
        both = np.stack(np.triu_indices(len(part.keep), 1))
        pair, segment = np.nonzero(part.keep[both].all(axis=0))
        place = pair * sets + self._system_sets[segment]
        starts, ones = np.arange(0, 2 * pair.size + 1, 2), np.ones(2 * pair.size)
        human, *metrics = (x[both[:, pair], segment].T.ravel() for x in (part.human, *part.metrics))
        parts = (
            group_parts(self._measure.code, human, metric, starts, ones, float(threshold))
            for metric, threshold in zip(metrics, self.thresholds, strict=True)
        )
        sums = [unit_sums(place, each, both.shape[1] * sets) for each in parts]
        return np.stack(sums, axis=1).reshape(both.shape[1], sets, len(sums), 3)

    def _of_drawn_systems(self, counts: Floats) -> Floats:
        """Weight sums over pairs of systems by how often both are drawn, (replicates, metrics)."""
        first, second = np.triu_indices(counts.shape[1], 1)
        pairs = self._sums_of_pairs
        drawn = counted_sums(counts[:, first] * counts[:, second], pairs.reshape(first.size, -1))
        drawn = drawn.reshape(len(counts), *pairs.shape[1:])
        if self._measure.code in OF_PAIRS:
            # means over segments; segments with one set of systems have equal weights
            values, segments = ratio(drawn), np.bincount(self._system_sets)
            weights = np.where(np.isnan(values), 0.0, segments[:, np.newaxis])
            drawn = np.stack([np.nan_to_num(values) * weights, weights, weights], axis=-1)
        return ratio(drawn.sum(axis=1))

    def _sums_of_units(self, units: NDArray[np.int64], count: int) -> Floats:
        """Sum the terms of r for each unit in each group, once for all draws of the same units.

        The terms are 1, x, x x and h x, where x and h are people's or a metric's scores, and
        people's scores, minus their group's mean.
        """
        if self._summed is None or not np.array_equal(self._summed[0], units):
            flat, starts = self._flat, self._flat.starts[:-1]
            groups = np.repeat(np.arange(starts.size), flat.sizes)
            scores = np.stack([flat.human, *flat.metrics], axis=1)
            scores -= scores[starts][groups]
            scores -= (np.add.reduceat(scores, starts) / flat.sizes[:, np.newaxis])[groups]
            products = scores * scores, scores[:, :1] * scores
            values = np.stack([np.ones_like(scores), scores, *products], axis=2)
            place = units * starts.size + groups
            sums = unit_sums(place, values.reshape(len(scores), -1), count * starts.size)
            self._summed = units, sums.reshape(count, -1)
        return self._summed[1]

    def null_differences(self, scheme: Scheme, resamples: int, mapped: Map) -> Floats:
        """Swap whole segments, systems, or single scores."""
        code = self._measure.code
        first, second = np.triu_indices(len(self._flat.metrics), 1)
        if scheme == "inputs" and self._measure.grouping == "item":
            kept, brought = self._segment_swapped(resamples)
            one, other = (
                ratio(kept[:, i] + brought[:, j]) for i, j in ((first, second), (second, first))
            )
            return np.nan_to_num(one) - np.nan_to_num(other)
        flat = standardised(self._flat)
        blocks = self._coins(scheme, resamples)
        if code in (kinds.PEARSON, kinds.PDP):
            scores = np.ascontiguousarray(flat.metrics.T)
            means = np.add.reduceat(flat.human, flat.starts[:-1]) / flat.sizes
            human = flat.human - np.repeat(means, flat.sizes)

            def of_block(coins: NDArray[np.bool_]) -> Floats:
                r = swapped_correlations(code, human, scores, flat.starts, coins)
                return np.asarray(r[:, first, second] - r[:, second, first])

            return np.concatenate([*mapped(of_block, blocks)])
        coins = np.concatenate(list(blocks))

        def of_pair(k: int) -> Floats:
            two = flat.metrics[first[k]], flat.metrics[second[k]]
            return np.asarray(swapped_statistics(code, flat.human, *two, flat.starts, coins))

        columns = [*mapped(of_pair, range(first.size))]
        return np.stack(columns, axis=1) if columns else np.empty((resamples, 0))

    def _segment_swapped(self, resamples: int) -> tuple[Floats, Floats]:
        """Sum the parts that each metric keeps and gives away, each (resamples, metrics, 3)."""
        flat, parts = self._flat, self._parts
        if self._measure.code == kinds.PDP:  # its sums depend on the scale of the metric
            parts = flat_parts(kinds.PDP, standardised(flat), self.thresholds)
        masks = self._masks("inputs", range(resamples))
        words = pack_coins(masks[:, 0, flat.segments[flat.starts[:-1]]])
        by_group = np.ascontiguousarray(parts.swapaxes(0, 1).reshape(parts.shape[1], -1))
        brought = masked_sums(words, by_group).reshape(resamples, *parts.shape[::2])
        return parts.sum(axis=1) - brought, brought

    def _coins(self, scheme: Scheme, resamples: int) -> Iterable[NDArray[np.bool_]]:
        """Coins of translations, by blocks of replicates."""
        flat = self._flat
        for start in range(0, resamples, _REPLICATES_AT_ONCE):
            masks = self._masks(scheme, range(start, min(start + _REPLICATES_AT_ONCE, resamples)))
            whole = np.broadcast_to(masks, (len(masks), *self._part.keep.shape))
            yield np.ascontiguousarray(whole[:, flat.systems, flat.segments])

    def _masks(self, scheme: Scheme, numbers: range) -> NDArray[np.bool_]:
        systems, segments = self._part.keep.shape
        return swap_masks(
            scheme,
            systems=systems,
            segments=segments,
            seed=self._part.seed,
            replicates=np.array(numbers, dtype=np.uint64),
            teams=team_numbers(self.scores),
        )


def _correlations(sums: Floats, of_groups: Floats) -> Floats:
    """Mean r over groups, (replicates, metrics), from sums of (replicates, groups, columns).

    NaN if a group has no r, or if a difference of sums would lose more than three digits, as for
    nearly constant scores: such replicates are computed from each translation.
    """
    weight, total, squares, products = np.moveaxis(sums.reshape(*sums.shape[:2], -1, 4), 3, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - total * total / weight
        root = np.sqrt(np.where(spread > 1e-3 * squares, spread, np.nan))
        r = (products - total[..., :1] * total / weight) / root[..., :1] / root
    of_metrics = np.clip(r[..., 1:], -1.0, 1.0)
    weighted = (of_groups[..., np.newaxis] * of_metrics).sum(axis=1)
    return np.asarray(weighted / of_groups.sum(axis=1, keepdims=True))


def _kept(scores: xr.Dataset) -> NDArray[np.bool_]:
    """Which translations people rated and every metric scored, (systems, segments)."""
    return np.asarray(~np.isnan(HUMAN.of(scores)) & ~np.isnan(SCORE.of(scores)).any(axis=0))


def _check(scores: xr.Dataset, keep: NDArray[np.bool_], usable: NDArray[np.bool_]) -> None:
    """Refuse Scores without two translations of one segment, or with fewer than two systems."""
    if keep.sum(axis=0).max(initial=0) >= 2:
        return
    names = scores["metric"].to_numpy()
    few = [name for name, use in zip(names, usable, strict=True) if use.sum(axis=0).max() < 2]
    what = f"the metric {listed(few, 5)}" if few else "some metrics"
    raise InputError(f"no segment has {_TWO}; leave out {what}, or use the mask 'all'")


def translation_scores(
    scores: xr.Dataset | Mapping[str, xr.Dataset], *, mask: Mask = "all", by: str | None = None
) -> dict[str, xr.Dataset]:
    """Get the human and metric scores of the translations that such a measure compares.

    Parameters
    ----------
    scores, mask, by
        As in `compare`.

    Returns
    -------
    dict of str to xarray.Dataset
        By group (the key is "" without groups): ``human`` (translation) and ``score``
        (translation, metric), ordered by system, not oriented; their means ``system_human``
        (system) and ``system_score`` (system, metric); ``higher_is_better`` (metric).
        `write_report` accepts these as a sample.

    Raises
    ------
    InputError
        As `agreement`.

    Examples
    --------
    >>> from supersample import load_example
    >>> translation_scores(load_example())[""].sizes["translation"]
    5797
    """
    measure = TranslationMeasure("acc_eq")
    groups = groups_of(scores, measure, mask, by, 0)
    return {name: _scores_of(part) for name, part in groups.prepared(measure).items()}


def _scores_of(part: Translations) -> xr.Dataset:
    """Scores of one group's translations, and their means over the segments of each system."""
    used = part.keep.any(axis=1)
    signs = orientation_signs(part.scores["human"], part.scores)
    scorers = np.concatenate([part.human[np.newaxis], part.metrics])
    given = scorers[:, used] * signs[:, np.newaxis, np.newaxis]
    keep = part.keep[used]
    means = given.sum(axis=-1, where=keep) / keep.sum(axis=1)
    human, score = given[0][keep], given[1:, keep].T
    return xr.Dataset(
        {
            "human": ("translation", human),
            "score": (("translation", "metric"), score),
            "system_human": ("system", means[0]),
            "system_score": (("system", "metric"), means[1:].T),
            "higher_is_better": part.scores["higher_is_better"],
        },
        coords={"system": part.scores["system"][used], "metric": part.scores["metric"]},
        attrs=part.scores.attrs,
    )
