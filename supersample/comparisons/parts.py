"""Prepare measures in every group, and make the Dataset of results."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.question import Question
from supersample.engine import Floats
from supersample.errors import InputError
from supersample.inference.arguments import VALUE_TIE
from supersample.inference.one_correlation.coefficients import pearson_with
from supersample.inference.two_correlations.averages import FEWEST_SETS, SetDifferences
from supersample.measures.base import Measure, Measured
from supersample.measures.formulas import concluded_over_sets
from supersample.measures.groups import Groups, groups_of
from supersample.results.comparisons import identical_items, is_significant
from supersample.results.ranking import warn_if_reversed
from supersample.results.signature import result_attrs
from supersample.results.variables import RESULT_VARIABLES, result_variables
from supersample.scores.groups import warn_if_undefined
from supersample.scores.system_level import SETS, SYSTEMS

_COUNTS = ("systems", "segments", "translations")


class Part(NamedTuple):
    """A measure prepared in every group, in the order of the groups."""

    measure: Measure
    groups: Groups
    prepared: list[Any]
    """Prepared data of each group."""
    of: list[Measured]


def parts_of(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    question: Question,
    complete: Sequence[bool] | None = None,
) -> list[Part]:
    """Prepare groups once for measures that use the same data, and compute the measures.

    `complete` says which measures use only segments that every metric scored; by default none.
    """
    prepared: dict[Hashable, tuple[Groups, dict[str, Any]]] = {}
    parts = []
    how = question.mask, question.by, question.seed
    flags = [False] * len(question.measures) if complete is None else complete
    for measure, whole in zip(question.measures, flags, strict=True):
        reads = measure.reads, whole
        if reads not in prepared:
            groups = groups_of(scores, measure, *how, complete=whole, weights=question.weights)
            arrays = groups.prepared(measure)
            prepared[reads] = groups, arrays
            measure.warn_of_scores(arrays)
        groups, arrays = prepared[reads]
        measure.warn_of_values(arrays)
        of_groups = list(arrays.values())
        parts.append(Part(measure, groups, of_groups, [measure.on(each) for each in of_groups]))
    _warn_if_reversed(parts)
    if any([*part.groups.of] != [*parts[0].groups.of] for part in parts):
        raise InputError("these measures need different groups; compare one measure at a time")
    return parts


def _warn_if_reversed(parts: Sequence[Part]) -> None:
    """Warn of metrics with clearly negative r over systems, by the first measure over systems."""
    for part in parts:
        rows = [part.measure.system_rows(each) for each in part.prepared]
        known = [each for each in rows if each is not None]
        if known:
            r = np.mean([pearson_with(each[:, 0], each[:, 1:].T) for each in known], axis=0)
            warn_if_reversed(part.of[0].names, r, min(len(each) for each in known))
            return


def _names(parts: Sequence[Part]) -> list[str]:
    """Metrics of all measures, in order."""
    return list(dict.fromkeys(str(name) for part in parts for name in part.of[0].names))


def placed(parts: Sequence[Part], part: Part, values: Floats, *, of_pairs: bool = False) -> Floats:
    """Place values of a measure's metrics (or pairs), on the last axis, among all metrics.

    Metrics that a measure lacks, such as a corpus metric for segments, have NaN.
    """
    names = _names(parts)
    own = [str(name) for name in part.of[0].names]
    if own == names:
        return values
    at = np.array([names.index(name) for name in own])
    size = len(names)
    if of_pairs:
        pairs = np.full((size, size), -1)
        pairs[np.triu_indices(size, 1)] = np.arange(size * (size - 1) // 2)
        first, second = np.triu_indices(at.size, 1)
        at, size = pairs[at[first], at[second]], size * (size - 1) // 2
    out = np.full((*values.shape[:-1], size), np.nan)
    out[..., at] = values
    return out


def _stacked(parts: Sequence[Part], values: Sequence[Sequence[Floats]]) -> Floats:
    """Stack values of every measure and group; the average of groups comes first."""
    return np.stack(
        [
            placed(parts, part, part.groups.over(of_groups))
            for part, of_groups in zip(parts, values, strict=True)
        ]
    )


def dataset_of(parts: Sequence[Part], found: Mapping[str, Any], **facts: Any) -> xr.Dataset:
    """Make the result of all measures: values, other variables, labels and attributes."""
    first, names = parts[0], _names(parts)
    lead = ("measure", *first.groups.lead)
    values = {"value": _stacked(parts, [[each.values for each in part.of] for part in parts])}
    for part in parts:
        _warn_if_undefined(part)
    kinds = [kind for kind in _COUNTS if any(kind in part.of[0].sizes for part in parts)]
    counts = {
        kind: np.stack(
            [
                part.groups.over_counts([each.sizes.get(kind, 0) for each in part.of])
                for part in parts
            ]
        )
        for kind in kinds
    }
    variables = {
        **result_variables({**values, **_extras(parts), **found, **counts}, lead),
        **result_variables({"higher_is_better": _orientation(parts, names)}),
        **result_variables(
            {"larger_is_better": [part.measure.larger_is_better for part in parts]}, ("measure",)
        ),
    }
    labels: dict[str, Any] = {"measure": [part.measure.name for part in parts], "metric": names}
    if found:
        same = _identical(parts, names)
        variables |= result_variables({"identical": same}, first.groups.lead)
        difference = variables["difference"]
        difference.values[same & (np.abs(difference.values) < VALUE_TIE)] = 0.0
        labels["other_metric"] = names
    result = xr.Dataset(variables, coords={**labels, **first.groups.coordinates})
    result.attrs = _attrs(parts, facts)
    return result


def over_sets(
    values: Floats,
    sets: SetDifferences,
    labels: Mapping[str, Any],
    confidence_level: float,
    *,
    sign: float = 1.0,
) -> dict[str, xr.Dataset]:
    """Conclude for new systems and, with at least five sets, for new sets, by basis.

    `values` are of the average and of each set; `labels` are those of groups and metrics; `sign` is
    -1 for errors, whose differences in `sets` have the opposite sign. Single sets have no
    conclusion for new sets.
    """
    systems, new = concluded_over_sets(sign * values, sets, confidence_level)
    bases = {SYSTEMS: systems}
    if len(sets.weights) >= FEWEST_SETS:
        alone = {name: np.full((len(sets.weights), *x.shape), np.nan) for name, x in new.items()}
        bases[SETS] = {name: np.stack([x, *alone[name]]) for name, x in new.items()}
    found = {}
    for basis, each in bases.items():
        limits = (name for name in each if name.startswith(("difference_", "prediction_")))
        turned = {name: each[name].swapaxes(-1, -2) for name in limits if sign < 0}
        significant = is_significant(each["p_value"], 1.0 - confidence_level)
        every = {**each, **turned, "significant": significant}
        found[basis] = xr.Dataset(result_variables(every, ("group",)), labels)
    return found


def on_basis(compared: xr.Dataset, like: str, basis: str, found: xr.Dataset) -> xr.Dataset:
    """Add results on a basis to a comparison, as its last basis.

    Values and differences are those of the basis `like`; other numbers are NaN, flags False.
    """
    names = {dim: compared[dim] for dim in ("metric", "other_metric", "group") if dim in found.dims}
    found = found.reindex(names)
    for name in (str(name) for name in found.data_vars if name not in compared):
        lead = compared["difference" if "other_metric" in found[name].dims else "value"]
        compared = compared.assign({name: lead * np.nan})
    part = compared.sel(basis=[like]).assign_coords(basis=[basis])
    for name in (str(name) for name in part.data_vars if "basis" in part[name].dims):
        old = part[name]
        if name in found:
            own = found[name].fillna(0) if old.dtype.kind == "b" else found[name]
            part[name] = own.expand_dims("basis").transpose(*old.dims).astype(old.dtype)
        elif name not in ("value", "difference", "metric_r"):
            part[name] = xr.zeros_like(old) if old.dtype.kind == "b" else old * np.nan
    how: dict[str, Any] = {"data_vars": "minimal", "coords": "minimal"}
    others = compared.isel(basis=compared["basis"].to_numpy() != basis)
    added = xr.concat([others, part], "basis", compat="override", join="override", **how)
    return added.assign_attrs(compared.attrs)


def _extras(parts: Sequence[Part]) -> dict[str, Any]:
    """Further variables; NaN, or 0 for counts, for measures that lack them."""
    kinds = dict.fromkeys(name for part in parts for name in part.of[0].extras)
    found = {}
    for kind in kinds:
        rows = []
        for part in parts:
            none = np.full(part.of[0].names.size, np.nan)
            of_groups = [np.asarray(each.extras.get(kind, none)) for each in part.of]
            counts = of_groups[0].dtype.kind in "iu"
            row = part.groups.over_counts(of_groups) if counts else part.groups.over(of_groups)
            if kind == "threshold" and part.groups.grouped:
                row[0] = np.nan  # thresholds have each group's own units
            rows.append(placed(parts, part, row))
        stacked = np.stack(rows)
        counts = kind in RESULT_VARIABLES and RESULT_VARIABLES[kind].kinds == "iu"
        found[kind] = np.nan_to_num(stacked).astype(np.int64) if counts else stacked
    return found


def _orientation(parts: Sequence[Part], names: Sequence[str]) -> list[bool]:
    """List the declared orientation of all metrics."""
    higher = {
        str(name): bool(up)
        for part in parts
        for name, up in zip(part.of[0].names, part.of[0].higher_is_better, strict=True)
    }
    return [higher[name] for name in names]


def _identical(parts: Sequence[Part], names: Sequence[str]) -> NDArray[np.bool_]:
    """Whether two metrics have the same scores; for all groups first.

    Scores may differ by offset and scale, unless a measure depends on these.
    """
    part = next(part for part in parts if len(part.of[0].names) == len(names))
    flags = [identical_items(each.copies) for each in part.of]
    if not all(part.measure.free_of_scale for part in parts):
        for same, each in zip(flags, part.of, strict=True):
            for i, j in zip(*np.nonzero(same), strict=True):
                same[i, j] = all(map(np.array_equal, each.copies[i], each.copies[j]))
    return part.groups.over_flags(flags)


def _warn_if_undefined(part: Part) -> None:
    """Warn of metrics without a value in some group."""
    by_name = {name: each.values for name, each in zip(part.groups.of, part.of, strict=True)}
    warn_if_undefined(part.measure.name, by_name, part.of[0].names.tolist())


def _attrs(parts: Sequence[Part], facts: Mapping[str, Any]) -> dict[Any, Any]:
    """Attributes of a result: those of the Scores, how it was computed, and the signature."""
    groups = parts[0].groups
    attrs = dict(groups.attrs)
    if not groups.grouped:
        attrs = {**parts[0].of[0].scores.attrs, "scores": attrs["scores"]}
    for part in parts:
        attrs |= part.measure.facts
    sizes: dict[str, int] = {}
    for part in parts:
        counted = part.measure.counted
        if "by" in groups.attrs:
            numbers = [each.sizes[counted] for each in part.of]
            total = sum(numbers) if counted == "translations" else numbers[0]
            sizes[f"{counted} in {len(numbers)} {groups.attrs['by']}s"] = total
        else:
            for name, each in zip(groups.of, part.of, strict=True):
                sizes[f"{counted} of {name}" if name else counted] = each.sizes[counted]
    names = ",".join(part.measure.name for part in parts)
    statistic = f"difference of {names}" if "method" in facts else names
    return result_attrs(attrs, n=sizes.values(), counted=sizes, statistic=statistic, **facts)
