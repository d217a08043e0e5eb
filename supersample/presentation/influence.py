"""Tables and figure of the influence of single systems."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from supersample.presentation.labels import added_note, metric_labels, names_of
from supersample.presentation.style import label_cells, one_panel, styled
from supersample.presentation.table import Column, Table, number_table, table_of


def influence_table(influence: xr.Dataset, outliers: xr.Dataset) -> Table:
    """One row for each system: its distance from the others, and what changes without it."""
    change = influence["r_without"].to_numpy() - influence["r"].to_numpy()
    size = np.where(np.isnan(change), -1.0, np.abs(change))
    largest = size.argmax(axis=1)
    labels = np.where(size.max(axis=1) < 0, "", np.array(metric_labels(influence))[largest])
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


@styled()
def influence_heatmap(influence: xr.Dataset) -> Figure:
    """Change of each metric's r (columns, in order of rank) without each system (rows)."""
    change = influence["r_without"].to_numpy() - influence["r"].to_numpy()
    systems, metrics = names_of(influence, "system"), metric_labels(influence)
    limit = float(np.nanmax(np.abs(change))) if np.isfinite(change).any() else 1.0
    figure, axes = one_panel(3.2 + 0.3 * len(metrics), 2.4 + 0.28 * len(systems))
    image = axes.imshow(change, cmap="PuOr", vmin=-limit, vmax=limit, aspect="auto")
    label_cells(axes, metrics, systems)
    axes.set_ylabel("system left out")
    axes.set_title("Change of r when one system is left out")
    figure.colorbar(image, ax=axes, label="r without it, less r with all")
    return figure
