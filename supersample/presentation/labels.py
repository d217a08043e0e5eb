"""What tables and figures call metrics, levels and sources."""

from dataclasses import replace
from typing import TypeVar

import numpy as np
import xarray as xr

from supersample.presentation.table import Table, Value

_Result = TypeVar("_Result", xr.Dataset, xr.DataArray)

ADDED = "★"
ADDED_NOTE = f"{ADDED} added to the set by --add-metric or add_metric."
LOWER_NOTE = "↓ lower is better; its scores were negated."
AVERAGE = "average"
MOST_GROUPS = 6  # shown beside their average

_FACTS = {
    "read_as": "{}",
    "calibrated_on": "ties calibrated on {}",
    "partly_scored": "scored on part of the segments: {} (--mask complete takes these alone)",
    "segment_order": "segments counted in the order {}",
    "names_matched": "names matched between files: {}",
    "ratings_used": "human scores: means of {} ratings",
    "assessors_dropped": "assessors dropped by quality control: {}",
    "assessors_without_z": "assessors without z-scores: {}",
    "ratings_left_out": "ratings left out: {}",
}


def value_name(result: xr.Dataset) -> str:
    """Name in print what orders metrics: r, or the measure of a part that has one."""
    if "basis" in result.coords:
        return "r"
    return str(result["measure"].item()) if result["measure"].ndim == 0 else "agreement"


def is_fisher(result: xr.Dataset) -> bool:
    """Whether differences, with their limits, are of Fisher's z, not of r."""
    return bool(result.attrs.get("average") == "fisher")


def differing(result: xr.Dataset) -> str:
    """Name what differences are of: what orders metrics, or Fisher's z."""
    return "z" if is_fisher(result) else value_name(result)


def first_heading(result: xr.Dataset) -> str:
    """Head the column of differences from the first metric."""
    return f"difference {'of z ' if is_fisher(result) else ''}to the first"


def names_of(result: xr.Dataset, dim: str) -> list[str]:
    """Labels along a dimension."""
    return [str(name) for name in result[dim].to_numpy()]


def leading_basis(result: xr.Dataset) -> str:
    """Basis that leads: the first that does not count hybrids."""
    bases = names_of(result, "basis")
    return next((basis for basis in bases if basis != "hybrids"), bases[0])


def on_average(result: _Result) -> _Result:
    """Select the average of several groups; a result without groups as it is."""
    return result.isel(group=0) if "group" in result.dims else result


def added_metrics(result: xr.Dataset) -> list[str]:
    """Metrics that the user added to those of the set."""
    return [name for name in str(result.attrs.get("added_metrics", "")).split("\n") if name]


def metric_labels(result: xr.Dataset) -> list[str]:
    """Names of the metrics, added ones marked."""
    added = added_metrics(result)
    return [f"{name} {ADDED}" if name in added else name for name in names_of(result, "metric")]


def marked_labels(result: xr.Dataset) -> list[str]:
    """Names of the metrics, added ones and those of errors marked."""
    marks = np.where(result["higher_is_better"].to_numpy(), "", " ↓")
    return [f"{label}{mark}" for label, mark in zip(metric_labels(result), marks, strict=True)]


def added_note(result: xr.Dataset) -> list[str]:
    """Explain the mark of added metrics, if there are any."""
    return [ADDED_NOTE] if added_metrics(result) else []


def legend(result: xr.Dataset) -> list[str]:
    """Explain the marks of `marked_labels` that occur."""
    lowered = not result["higher_is_better"].all()
    return ([LOWER_NOTE] if lowered else []) + added_note(result)


def without_marks(table: Table) -> Table:
    """Remove the marks of added metrics from a table."""

    def plain(cell: Value) -> Value:
        return cell.removesuffix(f" {ADDED}") if isinstance(cell, str) else cell

    return replace(table, rows=tuple(tuple(map(plain, row)) for row in table.rows))


def level_of(result: xr.Dataset) -> str:
    """Confidence level as text: '95 %'."""
    level = result.attrs.get("confidence_level")
    return f"{100 * (1 - result.attrs['significance_level'] if level is None else level):g} %"


def groups_of(result: xr.Dataset) -> list[str]:
    """Labels of the groups, the average first; none where the result has no groups."""
    return names_of(result, "group") if "group" in result.dims else []


def shown_groups(result: xr.Dataset) -> list[str]:
    """Choose the groups with tables and figures: all of a few, else the average alone."""
    groups = groups_of(result)
    return groups if len(groups) <= MOST_GROUPS + 1 else groups[:1]


def pairs_that_differ(significant: int, count: int) -> str:
    """Count significant pairs: '27 of 28 pairs differ significantly, unadjusted'."""
    if count < 2:
        return "no two to compare"
    pairs = count * (count - 1) // 2
    return f"{significant} of {pairs} pairs differ significantly, unadjusted"


def source_lines(ranking: xr.Dataset) -> list[str]:
    """Describe the input of a ranking of metrics: source, sizes, and what was left out."""
    facts = ranking.attrs
    counted, end = "", ""
    if {"basis", "group"} <= set(ranking.dims):
        systems = ranking["n"].sel(basis="systems").to_numpy()
        sizes = zip(groups_of(ranking)[1:], systems[1:], strict=True)
        end = "; systems: " + ", ".join(f"{group} {int(n)}" for group, n in sizes)
    elif "basis" in ranking.dims:
        on_systems = "systems" in ranking["basis"].to_numpy()
        count = int(ranking["n"].sel(basis="systems")) if on_systems else facts["systems"]
        counted = f"{count} systems, "
    mask = f", segments {facts['mask']}" if "mask" in facts else ""
    return [
        f"{facts.get('source', 'scores')}: {counted}{ranking.sizes['metric']} metrics, "
        f"human scores '{facts.get('human', 'human')}'{mask}{end}",
        *(
            f"{what} left out: {facts[f'{what}_left_out']}"
            for what in ("systems", "metrics", "segments", "groups")
            if facts.get(f"{what}_left_out")
        ),
        *(text.format(facts[name]) for name, text in _FACTS.items() if facts.get(name)),
        *(f"added {note}" for note in str(facts.get("added_notes") or "").split("\n") if note),
    ]
