"""Figures of a ranking and of its super-sample."""

import math
from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supersample.presentation import style
from supersample.presentation.labels import level_of, metric_labels, names_of, shown_groups
from supersample.presentation.rankings import basis_title, groups_title

POINTS_DRAWN = 10_000
MARKS = "osD^vP"


@style.styled()
def significance_heatmap(ranking: xr.Dataset, basis: str) -> Figure:
    """Which metric (row) is significantly better than which (column), ordered by r.

    The form of Figure 5 of Graham and Liu (2016). Of several groups, their average is drawn.
    """
    part = ranking.sel(basis=basis)
    if "group" in ranking.dims:
        part, mean = part.isel(group=0), "average "
        over = f"average over {groups_title(ranking)}, {basis}"
        test = f" ({ranking.attrs['method']})"
    else:
        over, mean, test = basis_title(ranking, basis), "", f"\n({_test(ranking)})"
    wins = part["wins_over"].to_numpy()
    names = metric_labels(ranking)
    first = names_of(ranking, "basis")[0]
    order = "" if basis == first else f", ordered by r over {first}"
    pairs = max(1, len(names) * (len(names) - 1) / 2)
    share = "" if mean else f", {100 * wins.sum() / pairs:.0f} % of pairs"
    side = 2.2 + 0.23 * len(names)
    figure, axes = style.one_panel(side, side)
    draw_wins(axes, wins, names)
    axes.set_title(f"Significant wins of the row over the column\n{over}{order}")
    axes.set_xlabel(f"blue: {mean}r significantly higher{share}{test}", fontsize=style.LABEL_SIZE)
    return figure


def draw_wins(axes: Axes, wins: NDArray[np.bool_], names: list[str]) -> None:
    """Draw which metric (row) wins over which (column) into a panel of a figure."""
    axes.imshow(wins, cmap=ListedColormap(["white", style.BLUE]), vmin=0, vmax=1)
    style.label_cells(axes, names)
    style.draw_grid(axes, len(names))


def correlation_matrix(ranking: xr.Dataset, basis: str) -> Figure:
    """Correlations of the metrics' scores with each other, in the order of the ranking."""
    return matrix_of_r(
        ranking["metric_r"].sel(basis=basis).to_numpy(),
        metric_labels(ranking),
        title=f"Correlation of metrics over {basis_title(ranking, basis)}",
        label="r between metrics",
    )


@style.styled()
def forest(ranking: xr.Dataset) -> Figure:
    """Each metric's r with its interval, on each basis."""
    names = metric_labels(ranking)
    rows = np.arange(len(names))
    figure, axes = style.one_panel(6.5, 1.6 + 0.26 * len(names))
    bases = names_of(ranking, "basis")
    colours = {"hybrids": style.BLUE, "systems without outliers": style.GREEN}
    for b, basis in enumerate(bases):
        offset = 0.5 * ((b + 0.5) / len(bases) - 0.5)
        r, lower, upper = (ranking[name].to_numpy()[b] for name in ("r", "lower", "upper"))
        colour = colours.get(basis, style.ORANGE)
        axes.hlines(rows + offset, lower, upper, color=colour, linewidth=2)
        label = basis_title(ranking, basis)
        axes.plot(r, rows + offset, "o", color=colour, ms=4, label=label)
    style.label_rows(axes, names)
    axes.grid(axis="x", color=style.GREY, linewidth=0.4)
    coefficient = ranking.attrs["coefficient"].capitalize()
    axes.set_xlabel(f"{coefficient} correlation with human scores")
    intervals = f"{level_of(ranking)} intervals ({ranking.attrs['interval']})"
    axes.set_title(f"r with {intervals}", loc="left")
    figure.legend(loc="outside upper right", fontsize=style.LABEL_SIZE, ncols=len(bases))
    figure.supxlabel(
        "Whether two of these intervals overlap decides nothing about a difference:\n"
        "correlations with the same human scores are dependent; see the significant wins.",
        fontsize=style.LABEL_SIZE,
    )
    return figure


@style.styled()
def group_forest(ranking: xr.Dataset, basis: str) -> Figure:
    """Average r of each metric with its interval, and r of each group beside it."""
    part = ranking.sel(basis=basis)
    names = metric_labels(ranking)
    rows = np.arange(len(names))
    figure, axes = style.one_panel(6.5, 1.6 + 0.24 * len(names))
    r, lower, upper = (part[name].to_numpy()[0] for name in ("r", "lower", "upper"))
    axes.hlines(rows, lower, upper, color=style.BLUE, linewidth=2)
    axes.plot(r, rows, "|", color=style.BLUE, ms=10, mew=2, label="average")
    for g, group in enumerate(shown_groups(ranking)[1:]):
        colour = (style.ORANGE, style.GREEN)[g % 2]
        r = part["r"].sel(group=group).to_numpy()
        axes.plot(r, rows, MARKS[g], color=colour, ms=3.5, label=group)
    style.label_rows(axes, names)
    axes.grid(axis="x", color=style.GREY, linewidth=0.4)
    axes.set_xlabel(f"Pearson correlation with human scores over {basis}")
    figure.legend(loc="outside upper center", fontsize=style.LABEL_SIZE, ncols=4)
    return figure


@style.styled()
def hybrid_scatter(sample: xr.Dataset, ranking: xr.Dataset) -> Figure:
    """Human against metric scores of hybrids and of the original systems, a panel a metric.

    The form of Figure 4 of Graham and Liu (2016). At most 10,000 hybrids are drawn, the first ones.
    """
    names = metric_labels(ranking)
    across = min(5, math.ceil(math.sqrt(len(names))))
    down = math.ceil(len(names) / across)
    size = 2.1 * across + 0.4, 2.0 * down + 0.6
    drawn = sample.isel(hybrid=slice(POINTS_DRAWN))
    human = drawn["human"].to_numpy()
    leading = ranking.isel(basis=0)
    figure, panels = style.panel_rows(len(names), across, *size, sharey=True)
    metrics = ranking["metric"].to_numpy()
    for axes, name, metric in zip(panels, names, metrics, strict=True):
        at = {"metric": metric}
        _scatter(axes, drawn["score"].sel(at).to_numpy(), human)
        original = sample["system_score"].sel(at).to_numpy()
        axes.plot(original, sample["system_human"].to_numpy(), "D", color=style.ORANGE, ms=3)
        r = float(leading["r"].sel(at))
        shown = "r undefined" if math.isnan(r) else f"r = {r:.3f}"
        arrow = "" if leading["higher_is_better"].sel(at) else " ↓"
        axes.set_title(f"{name}{arrow}\n{shown}", fontsize=style.LABEL_SIZE)
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
    axes.plot(x, y, ".", color=style.BLUE, ms=1.5, alpha=transparency, mew=0, rasterized=True)


def _test(ranking: xr.Dataset) -> str:
    """Name the test behind the wins: 'williams1959, 95 %, one-sided, absolute r'."""
    words = [ranking.attrs["method"], level_of(ranking)]
    if ranking.attrs["alternative"] != "two-sided":
        words.append("one-sided")
    if ranking.attrs["orientation"] == "absolute":
        words.append("absolute r")
    return ", ".join(words)


@style.styled()
def matrix_of_r(
    values: NDArray[np.float64], names: Sequence[str], *, title: str, label: str
) -> Figure:
    """Colour correlations of names with each other, and print those below the diagonal."""
    longest = max(len(name) for name in names)
    side = 1.6 + 0.075 * longest + 0.3 * len(names)
    figure, axes = style.one_panel(side + 0.8, side)
    lowest = float(np.nanmin(values)) if np.isfinite(values).any() else -1.0
    image = axes.imshow(values, cmap="cividis", vmin=min(lowest, 0.9), vmax=1.0)
    middle = (min(lowest, 0.9) + 1.0) / 2
    for i, j in np.ndindex(*values.shape):
        if j < i and np.isfinite(values[i, j]):  # the other half is the same
            colour = "black" if values[i, j] > middle else "white"
            text = f"{values[i, j]:.2f}".replace("0.", ".", 1)
            axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=6)
    style.label_cells(axes, names)
    figure.colorbar(image, ax=axes, shrink=0.8, label=label)
    axes.set_title(title)
    return figure
