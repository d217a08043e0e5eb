"""Tables and figure of the influence of single systems."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from supersample.presentation.labels import ADDED_NOTE, added_metrics, metric_labels
from supersample.presentation.style import LABEL_SIZE, styled
from supersample.presentation.table import Column, Table, Value


def influence_table(influence: xr.Dataset, outliers: xr.Dataset) -> Table:
    """One row a system: its distance from the others, and what changes without it."""
    columns = (
        Column("system", "system"),
        Column("human", "human score", ".3f"),
        Column("distance", "distance", ".2f"),
        Column("outlier", "outlier"),
        Column("metric", "largest change of r"),
        Column("change", "by", "+.4f"),
        Column("pairs_changed", "pairs changed"),
    )
    change = influence["r_without"].to_numpy() - influence["r"].to_numpy()
    labels = metric_labels(influence)
    rows: list[tuple[Value, ...]] = []
    for i, system in enumerate(influence["system"].to_numpy()):
        own = change[i]
        largest = None if np.isnan(own).all() else int(np.nanargmax(np.abs(own)))
        metric = "" if largest is None else labels[largest]
        rows.append(
            (
                str(system),
                float(outliers["human"][i]),
                float(outliers["distance"][i]),
                bool(outliers["outlier"][i]),
                metric,
                float("nan") if largest is None else float(own[largest]),
                int(influence["wins_changed"][i]),
            )
        )
    notes = (
        "distance: from the median human score in robust standard deviations (1.483 MAD); "
        f"outliers lie beyond {outliers.attrs['cutoff']:g}.",
        "pairs changed: pairs of metrics whose significant difference "
        f"({influence.attrs['method']}) comes or goes without the system.",
        *((ADDED_NOTE,) if added_metrics(influence) else ()),
    )
    return Table(columns, tuple(rows), "What changes when one system is left out", notes)


def left_out_table(influence: xr.Dataset) -> Table:
    """One row a system and metric: r and rank with all systems, and without that one."""
    columns = (
        Column("system", "without"),
        Column("metric", "metric"),
        Column("r", "r", ".4f"),
        Column("r_without", "r without", ".4f"),
        Column("rank", "rank"),
        Column("rank_without", "rank without"),
    )
    rows: list[tuple[Value, ...]] = [
        (
            str(system),
            str(metric),
            float(influence["r"][j]),
            float(influence["r_without"][i, j]),
            float(influence["rank"][j]),
            float(influence["rank_without"][i, j]),
        )
        for i, system in enumerate(influence["system"].to_numpy())
        for j, metric in enumerate(influence["metric"].to_numpy())
    ]
    return Table(columns, tuple(rows), "Correlations and ranks without each system")


def influence_heatmap(influence: xr.Dataset) -> Figure:
    """Change of each metric's r (columns, in order of rank) without each system (rows)."""
    change = influence["r_without"].to_numpy() - influence["r"].to_numpy()
    systems = [str(system) for system in influence["system"].to_numpy()]
    metrics = metric_labels(influence)
    limit = float(np.nanmax(np.abs(change))) if np.isfinite(change).any() else 1.0
    with styled():
        size = (3.2 + 0.3 * len(metrics), 2.4 + 0.28 * len(systems))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots()
        image = axes.imshow(change, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
        axes.set_xticks(range(len(metrics)), metrics, rotation=90, fontsize=LABEL_SIZE)
        axes.set_yticks(range(len(systems)), systems, fontsize=LABEL_SIZE)
        axes.tick_params(length=0)
        axes.set_ylabel("system left out")
        axes.set_title("Change of r when one system is left out")
        figure.colorbar(image, ax=axes, label="r without it, less r with all")
    return figure
