"""Groups of Scores: several language pairs, or the domains or documents of one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError
from supersample.execution.checksums import content_code
from supersample.measures.base import Measure
from supersample.measures.formulas import AveragedR
from supersample.results.pairs import difference_matrix
from supersample.scores.schema import all_metrics, teams_of_systems, validate_scores, with_metrics
from supersample.scores.selection import (
    Mask,
    common_metrics,
    group_seed,
    named_scores,
    shared_facts,
    split_by,
    weights_of,
    weights_text,
    without_gaps,
)
from supersample.scores.system_level import HumanMean, system_level_scores

Values = TypeVar("Values", bound=NDArray[Any])


@dataclass(frozen=True)
class Groups:
    """Groups of Scores (a single one has the name ""), and attributes of results."""

    of: dict[str, xr.Dataset]
    """Selected Scores by group."""
    seeds: dict[str, int]
    """Seed of all random numbers of each group."""
    grouped: bool
    """Whether there are several groups, with an average over them."""
    one_set: bool
    """Whether the groups are parts of one set of Scores."""
    attrs: dict[Any, Any]
    weights: Sequence[float] | None = None
    """Weight of each group in averages; equal by default."""
    present: NDArray[np.bool_] | None = None
    """Whether a group has a metric, (groups, metrics); all of them by default."""

    def prepared(self, measure: Measure) -> dict[str, Any]:
        """Make the measure's arrays of each group."""
        return {name: measure.prepare(part, self.seeds[name]) for name, part in self.of.items()}

    @property
    def how(self) -> AveragedR:
        """How values of the groups are averaged; systems of one name, or team, are one."""
        systems = [teams_of_systems(part) for part in self.of.values()]
        return AveragedR(systems, self.weights, self.present)

    def over(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Stack the average and the values of all groups; a single set stands alone."""
        if not self.grouped:
            return np.stack(values)
        if not np.size(values):  # a single metric has no pairs
            return np.stack([values[0], *values])
        return np.stack([self.how.averages(np.stack(values)), *values])

    def differences(self, values: Sequence[Floats]) -> Floats:
        """Stack differences of the average and of all groups, as `over` stacks values."""
        if not self.grouped:
            return difference_matrix(np.stack(values))
        return self.how.differences(np.stack(values))

    def over_counts(self, counts: Sequence[Any]) -> NDArray[Any]:
        """Stack the sum and the numbers of all groups, as `over` stacks values."""
        return np.stack([np.sum(counts, axis=0), *counts] if self.grouped else counts)

    def over_flags(self, flags: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Stack whether all groups with two metrics have a flag, and the flags of the groups."""
        if not self.grouped:
            return np.stack(flags)
        counted = self.how.weights_of_pairs(len(flags[0])) > 0
        every = np.all(flags | ~counted, axis=0) & counted.any(axis=0)
        return np.stack([every, *flags])


def groups_of(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    measure: Measure,
    mask: Mask | None,
    by: str | None,
    seed: int,
    *,
    complete: bool = False,
    weights: Mapping[str, float] | None = None,
    in_at_least: int | None = None,
) -> Groups:
    """Choose the segments, metrics and groups that a measure uses.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores; or Scores of several language pairs by name, of which the common metrics are kept.
    measure : Measure
        Validates Scores and selects the data to use. Groups by label that it cannot use are left
        out and named.
    mask : {"common", "complete", "all"} or None
        Segments to use; None for the measure's default.
    by : {"domain", "document"} or None
        Label of segments that splits one set of Scores into groups.
    seed : int
        Seed; the seed of a group depends on it and on the group's name.
    complete : bool, default False
        Whether to keep only segments that every metric scored for every system.
    weights : mapping of str to float, optional
        Weight of each group in averages, by default 1.
    in_at_least : int, optional
        Keep the metrics of at least this many Scores; where one lacks a metric, all become scores
        of systems, NaN for that metric.

    Raises
    ------
    InputError
        If Scores are invalid or lack the labels, or no metric or group is left to compare.
    """
    code = {"scores": content_code(scores)}
    select = partial(measure.select, mask=mask or measure.mask, complete=complete)
    if isinstance(scores, xr.Dataset):
        scores = without_gaps(scores, by)
    if not isinstance(scores, xr.Dataset):
        mean: Any = getattr(measure, "human_mean", "ratings")
        groups = _of_mapping(named_scores(scores, by), select, seed, in_at_least, mean)
        groups = replace(groups, attrs=groups.attrs | code)
        return _weighed(groups, weights)
    whole = select(scores)
    if by is None:
        return Groups({"": whole}, {"": seed}, False, False, {**whole.attrs, **code})
    parts, attrs = split_by(scores, whole, by, measure.usable, measure.requirement)
    common_metrics({name: all_metrics(part) for name, part in parts.items()})
    seeds = {name: group_seed(seed, name) for name in parts}
    shared = shared_facts(list(parts.values())).get("systems_shared")
    attrs = {**whole.attrs, **attrs, **code, **({"systems_shared": shared} if shared else {})}
    return _weighed(Groups(parts, seeds, True, True, attrs), weights)


def _weighed(groups: Groups, weights: Mapping[str, float] | None) -> Groups:
    told = {"weights": weights_text(weights)} if weights else {}
    attrs = {**groups.attrs, **told}
    return replace(groups, weights=weights_of(weights, groups.of), attrs=attrs)


def _of_mapping(
    scores: dict[str, xr.Dataset],
    select: Callable[[xr.Dataset], xr.Dataset],
    seed: int,
    in_at_least: int | None,
    human_mean: HumanMean,
) -> Groups:
    for part in scores.values():
        if "segment" in part.dims:
            validate_scores(part)
    metrics = {name: all_metrics(part) for name, part in scores.items()}
    common, alone = common_metrics(metrics, in_at_least)
    groups = {}
    for name, part in scores.items():
        kept = [each for each in common if each in metrics[name]["metric"]]
        try:
            groups[name] = select(with_metrics(part, kept))
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    where = "all" if in_at_least is None else in_at_least
    attrs: dict[Any, Any] = shared_facts(list(groups.values()))
    told = {part.attrs.get("metrics_left_out"): None for part in scores.values()}
    told |= {f"{name} (not in {where})": None for name in alone}
    attrs["metrics_left_out"] = ", ".join(filter(None, told))
    # the same translations (with several gold standards) are swapped alike in all groups
    alike = _same_translations(list(groups.values()))
    seeds = {name: seed if alike else group_seed(seed, name) for name in groups}
    present = np.array([[name in part["metric"] for name in common] for part in metrics.values()])
    if in_at_least is None or present.all():
        return Groups(groups, seeds, True, False, attrs)
    counts = zip(common, present.sum(axis=0), strict=True)
    some = (f"{name} {count} of {len(groups)}" for name, count in counts if count < len(groups))
    attrs["in_part_of_the_sets"] = ", ".join(some)
    groups = _of_all_metrics(groups, common, human_mean)
    return Groups(groups, seeds, True, False, attrs, present=present)


def _of_all_metrics(
    groups: Mapping[str, xr.Dataset], metrics: list[str], human_mean: HumanMean
) -> dict[str, xr.Dataset]:
    """Scores of systems by all metrics, NaN for those that a group lacks."""
    systems = {}
    for name, part in groups.items():
        mask: Any = str(part.attrs.get("mask", "common")).split()[0]
        own = {"mask": mask, "human_mean": human_mean} if "segment" in part.dims else {}
        systems[name] = system_level_scores(part, **own)
    declared = [part["higher_is_better"] for part in systems.values()]
    higher = xr.concat(declared, "group", join="outer")
    up = (higher.fillna(0) > 0).any("group").sel(metric=metrics)
    return {
        name: part.reindex(metric=metrics).assign(higher_is_better=up)
        for name, part in systems.items()
    }


def _same_translations(parts: Sequence[xr.Dataset]) -> bool:
    """Whether all Scores have the same systems and segments."""
    first, *others = [[part.indexes.get(dim) for dim in ("system", "segment")] for part in parts]
    pairs = [pair for other in others for pair in zip(first, other, strict=True)]
    return bool(pairs) and all(a is not None and a.equals(b) for a, b in pairs)
