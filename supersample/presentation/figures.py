"""Figures of a ranking and of its super-sample.

Figures are made without pyplot, so that nothing is global and no display is needed.
"""

import math

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supersample.presentation.labels import metric_labels
from supersample.presentation.matrices import draw_grid, label_both, matrix_of_r
from supersample.presentation.rankings import basis_title
from supersample.presentation.style import BLUE, GREEN, GREY, LABEL_SIZE, ORANGE, styled

POINTS_DRAWN = 10_000


def significance_heatmap(ranking: xr.Dataset, basis: str) -> Figure:
    """Which metric (row) is significantly better than which (column), ordered by r.

    The form of Figure 5 of Graham and Liu (2016).

    Parameters
    ----------
    ranking : xarray.Dataset
        What `rank` gave.
    basis : str
        "hybrids" or "systems".

    Returns
    -------
    matplotlib.figure.Figure
    """
    wins = ranking["wins_over"].sel(basis=basis).to_numpy()
    names = metric_labels(ranking)
    with styled():
        side = 2.2 + 0.23 * len(names)
        figure = Figure(figsize=(side, side), layout="constrained")
        axes = figure.subplots()
        draw_wins(axes, wins, names)
        axes.set_title(
            "Significant wins of the row over the column\n"
            f"{basis_title(ranking, basis)}{_order(ranking, basis)}"
        )
        share = wins.sum() / max(1, len(names) * (len(names) - 1) / 2)
        axes.set_xlabel(
            f"blue: r significantly higher, {100 * share:.0f} % of pairs\n({_test(ranking)})",
            fontsize=LABEL_SIZE,
        )
    return figure


def _order(ranking: xr.Dataset, basis: str) -> str:
    """Say whose r orders the metrics, where it is another basis's."""
    first = str(ranking["basis"].to_numpy()[0])
    return "" if basis == first else f", ordered by r over {first}"


def draw_wins(axes: Axes, wins: NDArray[np.bool_], names: list[str]) -> None:
    """Draw which metric (row) wins over which (column) into a panel of a figure.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The panel.
    wins : ndarray of bool, shape (metrics, metrics)
    names : list of str
        Labels of rows and columns.
    """
    axes.imshow(wins, cmap=ListedColormap(["white", BLUE]), vmin=0, vmax=1)
    label_both(axes, names)
    draw_grid(axes, len(names))


def correlation_matrix(ranking: xr.Dataset, basis: str) -> Figure:
    """How the metrics' scores correlate with each other, in the order of the ranking."""
    return matrix_of_r(
        ranking["metric_r"].sel(basis=basis).to_numpy(),
        metric_labels(ranking),
        title=f"Correlation of metrics over {basis_title(ranking, basis)}",
        label="r between metrics",
    )


def forest(ranking: xr.Dataset) -> Figure:
    """Each metric's r with its interval, on each basis."""
    names = metric_labels(ranking)
    rows = np.arange(len(names))
    with styled():
        figure = Figure(figsize=(6.5, 1.6 + 0.26 * len(names)), layout="constrained")
        axes = figure.subplots()
        bases = [str(basis) for basis in ranking["basis"].to_numpy()]
        colours = {"hybrids": BLUE, "systems without outliers": GREEN}
        for b, basis in enumerate(bases):
            offset = 0.5 * ((b + 0.5) / len(bases) - 0.5)
            r, lower, upper = (ranking[name].to_numpy()[b] for name in ("r", "lower", "upper"))
            colour = colours.get(basis, ORANGE)
            axes.hlines(rows + offset, lower, upper, color=colour, linewidth=2)
            label = basis_title(ranking, basis)
            axes.plot(r, rows + offset, "o", color=colour, ms=4, label=label)
        axes.set_yticks(rows, names, fontsize=LABEL_SIZE)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(axis="x", color=GREY, linewidth=0.4)
        coefficient = ranking.attrs["coefficient"].capitalize()
        axes.set_xlabel(f"{coefficient} correlation with human scores")
        level = f"{100 * ranking.attrs['confidence_level']:g} %"
        axes.set_title(f"r with {level} intervals ({ranking.attrs['interval']})", loc="left")
        figure.legend(loc="outside upper right", fontsize=LABEL_SIZE, ncols=len(bases))
        figure.supxlabel(
            "Whether two of these intervals overlap decides nothing about a difference:\n"
            "correlations with the same human scores are dependent; see the significant wins.",
            fontsize=LABEL_SIZE,
        )
    return figure


def hybrid_scatter(sample: xr.Dataset, ranking: xr.Dataset) -> Figure:
    """Human against metric scores of hybrids and of the original systems, a panel a metric.

    The form of Figure 4 of Graham and Liu (2016). At most 10,000 hybrids are drawn, the first ones.
    """
    names = metric_labels(ranking)
    across = min(5, math.ceil(math.sqrt(len(names))))
    down = math.ceil(len(names) / across)
    drawn = sample.isel(hybrid=slice(POINTS_DRAWN))
    human = drawn["human"].to_numpy()
    leading = ranking.isel(basis=0)
    with styled():
        figure = Figure(figsize=(2.1 * across + 0.4, 2.0 * down + 0.6), layout="constrained")
        panels = figure.subplots(down, across, squeeze=False, sharey=True).ravel()
        for axes in panels[len(names) :]:
            axes.set_visible(False)
        metrics = ranking["metric"].to_numpy()
        for axes, name, metric in zip(panels, names, metrics, strict=False):
            own = {"metric": metric}
            _scatter(axes, drawn["score"].sel(own).to_numpy(), human)
            original = sample["system_score"].sel(own).to_numpy()
            axes.plot(original, sample["system_human"].to_numpy(), "D", color=ORANGE, ms=3)
            r = float(leading["r"].sel(own))
            shown = "r undefined" if math.isnan(r) else f"r = {r:.3f}"
            arrow = "" if leading["higher_is_better"].sel(own) else " ↓"
            axes.set_title(f"{name}{arrow}\n{shown}", fontsize=LABEL_SIZE)
            axes.tick_params(labelsize=6)
        figure.supxlabel("metric score", fontsize=9)
        figure.supylabel("human score", fontsize=9)
        total = sample.sizes["hybrid"]
        shown = f"{human.size:,} of {total:,}" if human.size < total else f"{total:,}"
        figure.suptitle(
            f"{shown} hybrids (blue) and {sample.sizes['system']} original systems (orange)",
            fontsize=10,
        )
    return figure


def _scatter(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    transparency = float(np.clip(1000 / max(1, x.size), 0.12, 0.6))
    axes.plot(x, y, ".", color=BLUE, ms=1.5, alpha=transparency, mew=0, rasterized=True)


def _test(ranking: xr.Dataset) -> str:
    """Say what the wins rest on: 'williams1959, 95 %, one-sided, absolute r'."""
    words = [ranking.attrs["method"], f"{100 * ranking.attrs['confidence_level']:g} %"]
    if ranking.attrs["alternative"] != "two-sided":
        words.append("one-sided")
    if ranking.attrs["orientation"] == "absolute":
        words.append("absolute r")
    return ", ".join(words)
