"""Tables of the influence of single systems, segments and documents on a ranking."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.presentation import labels
from supersample.presentation.table import Column, Filled, Table, number_table, table_of

Influence = xr.Dataset | Mapping[str, xr.Dataset] | None


def influence_table(influence: xr.Dataset, outliers: xr.Dataset) -> Table:
    """One row for each system: its distance from the others, and what changes without it."""
    system, *changes = _changes(influence, labels.metric_labels(influence))
    columns = (
        system,
        (Column("human", "human score", ".3f"), outliers["human"]),
        (Column("distance", number=".2f"), outliers["distance"]),
        (Column("outlier"), outliers["outlier"]),
        *changes,
    )
    notes = (
        "distance: how far the human score is from the median, in robust standard deviations "
        f"(1.483 MAD); outliers are further away than {outliers.attrs['cutoff']:g}.",
        "pairs changed: pairs of metrics whose significant difference "
        f"({influence.attrs['method']}, unadjusted) appears or disappears without the system.",
        *labels.added_note(influence),
    )
    return table_of(columns, "What changes when one system is left out", notes)


def _changes(part: xr.Dataset, names: list[str]) -> list[Filled]:
    """Columns: the system, the metric whose r changes most without it, and the changed pairs."""
    metrics, change = _largest(part, "r", names)
    return [
        (Column("system"), part["system"]),
        (Column("metric", "largest change of r"), metrics),
        (Column("change", "by", "+.4f"), change),
        (Column("pairs_changed"), part["wins_changed"]),
    ]


def left_out_table(influence: xr.Dataset) -> Table:
    """One row for each system and metric: r and rank with all systems, and without that one."""
    names = ["system", "metric", "r", "r_without", "rank", "rank_without"]
    caption = "Correlations and ranks without each system"
    return number_table([influence], ["system", "metric"], names, caption)


def _largest(
    part: xr.Dataset, of: str, names: list[str], along: str = "metric"
) -> tuple[NDArray[np.str_], NDArray[np.float64]]:
    """Find the largest change and its metric (or the system that causes it)."""
    change = (part[f"{of}_without"] - part[of]).transpose(..., along).to_numpy()
    most = np.where(np.isnan(change), -1.0, np.abs(change)).argmax(axis=1)
    largest = change[np.arange(most.size), most]
    return np.where(np.isnan(largest), "", np.array(names)[most]), largest


def stability(influence: Influence, ranking: xr.Dataset) -> list[dict[str, Any]]:
    """Summarise the results of `leave_one_out` in a table for each group."""
    parts = {"": influence} if isinstance(influence, xr.Dataset) else influence or {}
    shown = dict(
        zip(labels.names_of(ranking, "metric"), labels.marked_labels(ranking), strict=True)
    )
    found = []
    for group, part in parts.items():
        of_r = "r_without" in part
        if of_r != labels.by_basis(ranking):
            raise InputError("the influence of systems is not that of this ranking's measure")
        if "measure" in part.dims:
            part = part.sel(measure=labels.names_of(ranking, "measure")[0])
        names = [shown.get(name, name) for name in labels.names_of(part, "metric")]
        facts = {name: str(part.attrs.get(name, "")) for name in ("outliers", "mask")}
        facts |= {"group": group, "of": "r" if of_r else str(part["measure"].item())}
        table = (_without_each if of_r else _ranges)(part, names)
        found.append({**facts, "table": table, "told": _leader_told(part, names)})
    return found


def _without_each(part: xr.Dataset, names: list[str]) -> Table:
    """One row for each system, the one that changes most first."""
    leaders = part["r_without"].transpose("system", "metric").fillna(-2.0).argmax("metric")
    best = np.array(names)[leaders.to_numpy()]
    columns = [*_changes(part, names), (Column("best", "best metric without it"), best)]
    change = np.abs(np.asarray(columns[2][1], np.float64))
    order = np.argsort(-np.nan_to_num(change, nan=-1.0), kind="stable")
    ordered = ((column, np.asarray(values)[order]) for column, values in columns)
    return table_of(ordered, "What changes when one system is left out")


def _ranges(part: xr.Dataset, names: list[str]) -> Table:
    """One row for each metric, the best first: its range when one system is left out."""
    systems, change = _largest(part, "accuracy", labels.names_of(part, "system"), "system")
    without = part[["accuracy_without", "rank_without"]]
    lower, best = (x.to_numpy().tolist() for x in without.min("system").values())
    upper, worst = (x.to_numpy().tolist() for x in without.max("system").values())
    ranges = [f"{low:.3f} to {high:.3f}" for low, high in zip(lower, upper, strict=True)]
    ends = zip(best, worst, strict=True)
    ranks = [f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f}" for low, high in ends]
    order, of = np.argsort(-part["accuracy"].to_numpy(), kind="stable"), str(part["measure"].item())
    columns = (
        (Column("metric"), np.array(names)[order]),
        (Column("value", of, ".3f"), part["accuracy"][order]),
        (Column("range", "without one system"), np.array(ranges)[order]),
        (Column("ranks", "rank without one"), np.array(ranks)[order]),
        (Column("system", "moved most by"), systems[order]),
        (Column("change", "by", "+.4f"), change[order]),
    )
    return table_of(columns, f"{of} and rank when one system is left out, lowest and highest")


def _leader_told(part: xr.Dataset, names: list[str]) -> str:
    """Say without how many systems, one at a time, the best metric stays the best."""
    best = np.flatnonzero(part["rank"].to_numpy() == 1)
    if not best.size:
        return ""
    kept = (part["rank_without"].transpose("system", "metric").to_numpy()[:, best] == 1).any(axis=1)
    who = " or ".join(names[i] for i in best)
    return f"{who} stays the best without {kept.sum()} of the {kept.size} systems, one at a time"


def deciding_table(found: xr.Dataset, texts: Mapping[str, Sequence[str]] | None = None) -> Table:
    """One row for each segment or document, as `deciding_segments` orders them.

    Each row also names the system on whose translation the metrics differ most, with the scores of
    this translation by people and by both metrics. `texts` has the translations of each system, one
    for each segment of `found`; if it is given, rows show the translation.
    """
    dim = str(found["influence"].dims[0])
    first, second = str(found.attrs["first"]), str(found.attrs["second"])
    scores = found["standard_score"].transpose("scorer", dim, "system")
    apart = abs(scores.sel(scorer=first) - scores.sel(scorer=second)).fillna(-1.0)
    most = apart.argmax("system")
    systems = found["system"][most].to_numpy()
    influence = found["influence"].to_numpy()
    columns: list[Filled] = [(Column(dim), found[dim])]
    if dim == "segment" and "document" in found.coords:
        columns.append((Column("document"), found["document"]))
    columns += [
        (Column("influence", number="+.4f"), influence),
        (Column("favours"), np.select([influence > 0, influence < 0], [first, second], "")),
        (Column("system", "metrics differ most on"), systems),
    ]
    for name in labels.names_of(found, "scorer"):
        columns.append((Column(name, number="+.2f"), scores.sel(scorer=name).isel(system=most)))
    if texts is not None:
        chosen = [texts[str(name)][i] for i, name in enumerate(systems)]
        columns.append((Column("text", "translation"), chosen))
    caption = f"{dim.capitalize()}s that decide between {first} and {second}"
    notes = (
        f"influence: the difference between {first} and {second} by {found.attrs['measure']} with "
        f"the {dim}, minus that without it; above 0 it favours {first}.",
        "The scores of that system are in standard deviations from the scorer's mean; higher is "
        "always better.",
    )
    return table_of(columns, caption, notes)
