"""Scatter plots of human against metric scores."""

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.errors import check_choice
from supersample.presentation.figures import style
from supersample.presentation.labels import marked_labels, names_of

POINTS_DRAWN = 10_000


@style.draws("hybrid_supersample or system_level_scores", "system_score", "system_human")
def plot_scatter(
    sample: xr.Dataset,
    metric: str,
    *,
    ranking: xr.Dataset | None = None,
    ax: Axes | None = None,
    width: style.Width = "acl1",
) -> Axes:
    """Draw human against metric scores of the original systems, with hybrids in the background.

    Parameters
    ----------
    sample : xarray.Dataset
        A sample of `hybrid_supersample`, of which the first 10,000 hybrids are drawn, or a result
        of `system_level_scores`.
    metric : str
        A metric of the sample.
    ranking : xarray.Dataset, optional
        A result of `rank`; the title then has the metric's r on its first basis.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl1"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Better scores are on the right: if lower scores are better, the axis is reversed.

    Raises
    ------
    InputError
        If the sample or the ranking lacks the metric.

    Examples
    --------
    >>> import supersample as ss
    >>> sample = ss.hybrid_supersample(ss.load_example(), n=100)
    >>> ax = plot_scatter(sample, "errors-85")
    >>> ax.get_title(loc="left")
    'embedded example: errors-85 ↓'
    """
    check_choice("metric", metric, names_of(sample, "metric"))
    axes = style.axes_of(ax, width, 2.6)
    _draw(axes, sample, metric)
    source = sample.attrs.get("source")
    title = metric_title(sample, metric, ranking)
    style.entitle(axes, f"{source}: {title}" if source else title)
    better = bool(sample["higher_is_better"].sel(metric=metric))
    axes.set_xlabel("metric score" if better else "metric score, lower is better")
    axes.set_ylabel("human score")
    style.legend_below(axes, 2)
    return axes


def _draw(axes: Axes, sample: xr.Dataset, metric: str) -> None:
    of_metric = sample.sel(metric=metric)
    if "hybrid" in sample.dims:
        drawn = of_metric.isel(hybrid=slice(POINTS_DRAWN))
        x, y = drawn["score"].to_numpy(), drawn["human"].to_numpy()
        alpha = float(np.clip(1000 / max(1, x.size), 0.12, 0.6))
        total = sample.sizes["hybrid"]
        shown = f"{x.size:,} of {total:,}" if x.size < total else f"{total:,}"
        look: dict[str, Any] = {"color": style.BLUE, "mew": 0}
        axes.plot(x, y, ".", ms=1.5, alpha=alpha, rasterized=True, **look)
        axes.plot([], [], ".", ms=4, label=f"{shown} hybrids", **look)
    x, y = (of_metric[name].to_numpy() for name in ("system_score", "system_human"))
    axes.plot(x, y, "D", color=style.ORANGE, ms=3, label=f"{x.size} systems")
    if not of_metric["higher_is_better"]:
        axes.invert_xaxis()


def metric_title(sample: xr.Dataset, metric: str, ranking: xr.Dataset | None) -> str:
    """Name a metric with its marks, and r on the first basis of a ranking."""
    named = marked_labels(sample.sel(metric=[metric]))[0]
    if ranking is None:
        return named
    check_choice("metric", metric, names_of(ranking, "metric"))
    first = ranking.isel(basis=0)
    r = float(first["value"].sel(metric=metric))
    shown = "r undefined" if math.isnan(r) else f"r = {r:.3f}"
    return f"{named}, {shown} over {int(first['n']):,} {first['basis'].item()}"


@style.styled()
def scatter_panels(
    sample: xr.Dataset, ranking: xr.Dataset, *, width: style.Width = "acl2"
) -> Figure:
    """Draw a scatter plot of each metric in a panel of one figure, in the order of a ranking.

    The form of Figure 4 of Graham and Liu (2016).
    """
    metrics = names_of(ranking, "metric")
    inches = style.inches(width)
    across = min(max(2, int(inches / 1.01)), math.ceil(math.sqrt(len(metrics))))
    height = 0.8 + math.ceil(len(metrics) / across) * (0.35 + 0.8 * inches / across)
    height = min(height, style.TALLEST)
    figure, panels = style.panel_rows(len(metrics), across, inches, height, sharey=True)
    names = style.short_names(metrics, panels[0], most=int(14 * inches / across))
    for axes, metric, name in zip(panels, metrics, names, strict=True):
        _draw(axes, sample, metric)
        title = metric_title(sample, metric, ranking).removeprefix(metric)
        marks, _, r = title.partition(", ")
        axes.set_title(f"{name}{marks}\n{r.partition(' over ')[0]}", fontsize=style.LABEL_SIZE)
        axes.locator_params(axis="y", nbins=3)
        axes.locator_params(axis="x", nbins=2)
        low, high = axes.get_xlim()
        inside = [x for x in axes.get_xticks() if min(low, high) <= x <= max(low, high)]
        axes.set_xticks(inside[:: max(1, len(inside) - 1)], minor=False)  # more would overlap
    figure.supxlabel("metric score, better to the right", fontsize=style.TEXT_SIZE)
    figure.supylabel("human score", fontsize=style.TEXT_SIZE)
    first = ranking.isel(basis=0)
    shown = (str(line.get_label()) for line in panels[0].lines)
    marks = ", ".join(
        f"{label} ({'orange' if label.endswith('systems') else 'blue'})"
        for label in shown
        if not label.startswith("_")
    )
    of = f"{sample.attrs.get('source', '')}: {marks}; r over {int(first['n']):,} "
    style.entitle_figure(figure, f"{of}{first['basis'].item()}".removeprefix(": "))
    return figure
