"""Matrices of wins, in the form of Figure 5 of Graham and Liu (2016)."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import NDArray

from supersample.presentation import labels
from supersample.presentation.figures import style


@style.styled()
def plot_wins(ranking: xr.Dataset, *, basis: str) -> Axes:
    """Draw which metric (row) is significantly better than which (column), unadjusted."""
    part = ranking.sel(basis=basis).isel(measure=0, group=0)
    names, wins = labels.metric_labels(part), part["wins_over"].to_numpy()
    axes = style.axes_of(None, "acl2", style.matrix_height("acl2", names, lines=4))
    draw_wins(axes, wins, names)
    share = 100 * wins.sum() / max(1, len(names) * (len(names) - 1) / 2)
    by = f"{labels.test_name(part)}, {labels.level_of(part)}, unadjusted"
    text = f"blue: {labels.value_name(part)} significantly higher, {share:.0f} % of pairs ({by})"
    title = f"{labels.place(part)}: the row is significantly better than the column"
    style.entitle(axes, "auto", title, names, text)
    return axes


def draw_wins(axes: Axes, wins: NDArray[np.bool_], names: Sequence[str]) -> None:
    """Draw into a panel which metric (row) is significantly better than which (column)."""
    cmap = ListedColormap(["white", style.BLUE])
    style.draw_matrix(axes, wins, names, cmap=cmap, vmin=0, vmax=1)
    style.draw_grid(axes, len(names))
