"""The influence of single systems: tables, and what a page says of it, by group."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.presentation.labels import added_note, marked_labels, metric_labels, names_of
from supersample.presentation.table import Column, Table, number_table, table_of

Influence = xr.Dataset | Mapping[str, xr.Dataset] | None


def influence_table(influence: xr.Dataset, outliers: xr.Dataset) -> Table:
    """One row for each system: its distance from the others, and what changes without it."""
    change = influence["r_without"].to_numpy() - influence["r"].to_numpy()
    largest = _largest(change)
    labels = np.where(np.isnan(change).all(axis=1), "", np.array(metric_labels(influence))[largest])
    columns = (
        (Column("system"), influence["system"]),
        (Column("human", "human score", ".3f"), outliers["human"]),
        (Column("distance", number=".2f"), outliers["distance"]),
        (Column("outlier"), outliers["outlier"]),
        (Column("metric", "largest change of r"), labels),
        (Column("change", "by", "+.4f"), change[np.arange(largest.size), largest]),
        (Column("pairs_changed"), influence["wins_changed"]),
    )
    notes = (
        "distance: from the median human score in robust standard deviations (1.483 MAD); "
        f"outliers lie beyond {outliers.attrs['cutoff']:g}.",
        "pairs changed: pairs of metrics whose significant difference "
        f"({influence.attrs['method']}) comes or goes without the system.",
        *added_note(influence),
    )
    return table_of(columns, "What changes when one system is left out", notes)


def left_out_table(influence: xr.Dataset) -> Table:
    """One row for each system and metric: r and rank with all systems, and without that one."""
    names = ["system", "metric", "r", "r_without", "rank", "rank_without"]
    caption = "Correlations and ranks without each system"
    return number_table([influence], ["system", "metric"], names, caption=caption)


def stability(influence: Influence, ranking: xr.Dataset) -> list[dict[str, Any]]:
    """Rows of what `leave_one_out` or `leave_one_out_accuracies` gave, of each group, summed up."""
    parts = {"": influence} if isinstance(influence, xr.Dataset) else influence or {}
    labels = dict(zip(names_of(ranking, "metric"), marked_labels(ranking), strict=True))
    found = []
    for group, part in parts.items():
        of_accuracies = "accuracy_without" in part
        if of_accuracies == ("basis" in ranking.dims):
            raise InputError("the influence of systems is not on what this ranking ranks by")
        if "measure" in part.dims:
            part = part.sel(measure=ranking["measure"].to_numpy()[0])
        names = [labels.get(name, name) for name in names_of(part, "metric")]
        of = _of_accuracies if of_accuracies else _of_correlations
        found.append({"group": group, **of(part, names)})
    return found


def _of_correlations(part: xr.Dataset, names: list[str]) -> dict[str, Any]:
    """One row for each system, the one that changes most first."""
    change = (part["r_without"] - part["r"]).transpose("system", "metric").to_numpy()
    leader = np.nan_to_num(part["r_without"].to_numpy(), nan=-2.0).argmax(axis=1)
    most = _largest(change)
    rows = [
        {
            "system": system,
            "metric": names[at] if np.isfinite(each[at]) else "",
            "change": float(each[at]),
            "pairs": int(part["wins_changed"][i]),
            "first": names[leader[i]],
        }
        for i, (system, each, at) in enumerate(
            zip(names_of(part, "system"), change, most, strict=True)
        )
    ]
    rows.sort(key=lambda row: -np.nan_to_num(abs(row["change"]), nan=-1.0))
    outliers = str(part.attrs.get("outliers", ""))
    return {
        "of": "r",
        "rows": rows,
        "outliers": outliers,
        "told": _leader_told(part, names),
    }


def _of_accuracies(part: xr.Dataset, names: list[str]) -> dict[str, Any]:
    """One row for each metric, the best first: its range without one system, and who moves it."""
    without = part["accuracy_without"].transpose("system", "metric").to_numpy()
    ranks = part["rank_without"].transpose("system", "metric").to_numpy()
    accuracy, systems = part["accuracy"].to_numpy(), names_of(part, "system")
    change = without - accuracy
    most = _largest(change.T)
    rows = [
        {
            "metric": names[m],
            "value": float(accuracy[m]),
            "lower": float(without[:, m].min()),
            "upper": float(without[:, m].max()),
            "ranks": sorted({int(ranks[:, m].min()), int(ranks[:, m].max())}),
            "system": systems[most[m]],
            "change": float(change[most[m], m]),
        }
        for m in np.argsort(-accuracy, kind="stable")
    ]
    return {
        "of": str(part["measure"].item()),
        "rows": rows,
        "mask": str(part.attrs.get("mask", "")),
        "told": _leader_told(part, names),
    }


def _largest(change: NDArray[np.float64]) -> NDArray[np.intp]:
    """Place of the largest change of each row, undefined ones last."""
    size = np.where(np.isnan(change), -1.0, np.abs(change))
    return np.asarray(size.argmax(axis=1))


def _leader_told(part: xr.Dataset, names: list[str]) -> str:
    """Say without how many systems, one at a time, the best metric stays the best."""
    best = np.flatnonzero(part["rank"].to_numpy() == 1)
    if not best.size:
        return ""
    kept = (part["rank_without"].transpose("system", "metric").to_numpy()[:, best] == 1).any(axis=1)
    who = " or ".join(names[i] for i in best)
    return f"{who} stays the best without {kept.sum()} of the {kept.size} systems, one at a time"
