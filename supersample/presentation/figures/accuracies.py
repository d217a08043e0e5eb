"""Figures of pairwise accuracies, in the forms of Figures 1 to 3 of Thompson et al. (2024)."""

from typing import Any

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from supersample.errors import check_choice
from supersample.presentation.figures import style
from supersample.presentation.labels import level_of, metric_labels, names_of

COLOURS = {"SPA": style.BLUE, "PA": style.ORANGE}


@style.styled()
def component_panels(components: xr.Dataset, metric: str, *, width: style.Width = "acl2") -> Figure:
    """Draw human preferences, a metric's preferences, and their agreement; PA above SPA.

    The form of Figure 1 of Thompson et al. (2024): systems from best to worst by human scores, with
    one cell for each pair of systems.
    """
    selected = components.sel(metric=metric)
    names = names_of(selected, "system")
    label = metric_labels(components.sel(metric=[metric]))[0]
    titles = {"human": "human", "preference": label, "agreement": "agreement"}
    inches = style.inches(width)
    figure = Figure(figsize=(inches, 0.62 * inches + 1.5), layout="compressed")
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    images: dict[str, Any] = {}
    for row, kind in enumerate(names_of(selected, "measure")):
        for axes, (name, title) in zip(panels[row], titles.items(), strict=True):
            colours = "viridis" if name == "agreement" else "cividis"
            values = selected[name].sel(measure=kind).to_numpy()
            images[colours] = axes.imshow(values, cmap=colours, vmin=0, vmax=1)
            name = style.short_names([title], axes, int(3.6 * inches))[0]
            axes.set_title(name, fontsize=style.TEXT_SIZE)
            style.label_cells(axes, names, names)
            if 11 * inches < (style.LABEL_SIZE + 1) * len(names):  # rows are too low for type
                axes.set_yticks([])
            axes.spines[:].set_visible(False)
        value = float(selected["accuracy"].sel(measure=kind))
        for axes in panels[-1]:
            axes.set_xlabel("systems, best first", fontsize=style.LABEL_SIZE)
        panels[row, 0].set_ylabel(f"{kind} = {value:.3f}", fontsize=style.TITLE_SIZE)
    for colours, at, text in (
        ("cividis", panels[:, :2], "0: the row's system is better, 1: the column's"),
        ("viridis", panels[:, 2:], "agreement"),
    ):
        bar = figure.colorbar(images[colours], ax=at, location="bottom", aspect=30)
        bar.set_label(style.wrapped(panels[0, 0], text))
    source = components.attrs.get("source", "")
    style.entitle_figure(figure, f"{source}: {len(names)} systems".removeprefix(": "))
    return figure


@style.draws("ablate_systems", "coefficient", "size")
def plot_systems_ablation(
    ablation: xr.Dataset,
    *,
    coefficient: str = "pearson",
    ax: Axes | None = None,
    width: style.Width = "acl1",
) -> Axes:
    """Draw how stable the ranking of metrics is with fewer systems.

    The form of Figure 2 of Thompson et al. (2024).

    Parameters
    ----------
    ablation : xarray.Dataset
        A result of `ablate_systems`.
    coefficient : str, default "pearson"
        Coefficient of the agreement of two rankings.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl1"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If the ablation lacks the coefficient.

    Examples
    --------
    >>> import supersample as ss
    >>> ax = plot_systems_ablation(ss.ablate_systems(ss.load_example(), subsets_per_size=5))
    >>> ax.get_xlabel()
    'number of systems'
    """
    check_choice("coefficient", coefficient, names_of(ablation, "coefficient"))
    selected = ablation.sel(coefficient=coefficient)
    axes = style.axes_of(ax, width, 2.4)
    for kind in names_of(selected, "measure"):
        _band(axes, selected.sel(measure=kind), "r", kind)
    axes.set_xlabel("number of systems")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("r with the ranking on all systems")
    source = selected.attrs.get("source", "")
    style.entitle(axes, f"{source}: mean, {level_of(selected)} of subsets")
    axes.legend(loc="lower right")
    return axes


@style.draws("ablate_segments", "accuracy", "full", "size")
def plot_segments_ablation(
    ablation: xr.Dataset, metric: str, *, ax: Axes | None = None, width: style.Width = "acl1"
) -> Axes:
    """Draw the accuracies of a metric with fewer segments.

    The form of Figure 3 of Thompson et al. (2024).

    Parameters
    ----------
    ablation : xarray.Dataset
        A result of `ablate_segments`.
    metric : str
        One of its metrics.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl1"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If the ablation lacks the metric.

    Examples
    --------
    >>> import supersample as ss
    >>> options = {"metrics": ["weak-40"], "sizes": [10, 100], "resamples": 20}
    >>> ax = plot_segments_ablation(ss.ablate_segments(ss.load_example(), **options), "weak-40")
    >>> ax.get_ylabel()
    'accuracy'
    """
    check_choice("metric", metric, names_of(ablation, "metric"))
    axes = style.axes_of(ax, width, 2.4)
    for kind in names_of(ablation, "measure"):
        selected = ablation.sel(measure=kind, metric=metric)
        _band(axes, selected, "accuracy", kind)
        axes.axhline(float(selected["full"]), color=COLOURS[kind], linewidth=0.7, ls=":")
    text = f"segments drawn (bands: {level_of(ablation)} bootstrap intervals, dotted: all segments)"
    style.entitle(axes, f"{ablation.attrs.get('source', '')}: {metric}", below=text)
    axes.set_ylabel("accuracy")
    axes.legend(loc="lower right")
    return axes


@style.styled()
def ablation_panels(*found: xr.Dataset, width: style.Width = "acl2") -> Figure:
    """Draw `plot_systems_ablation` above `plot_segments_ablation`, one column per set.

    `found` are the ablations of systems of each set, and then those of segments.
    """
    size, sets = (style.inches(width), 4.6), len(found) // 2
    figure, panels = style.panel_rows(2 * sets, sets, *size, sharey="row")
    for k, (systems, segments) in enumerate(zip(found[:sets], found[sets:], strict=True)):
        upper, lower, name = panels[k], panels[k + sets], systems.attrs["set"]
        metric = names_of(segments, "metric")[0]
        plot_systems_ablation(systems, ax=upper)
        plot_segments_ablation(segments, metric, ax=lower)
        for axes, title in ((upper, name), (lower, metric)):
            axes.set_title("", loc="left")
            axes.set_title(title, fontsize=style.LABEL_SIZE)
        lower.set_xlabel("segments drawn")
        if k:
            upper.set_ylabel("")
            lower.set_ylabel("")
    level = level_of(systems).replace(" ", "\N{NO-BREAK SPACE}")
    text = f"Fewer systems: mean r with the ranking on all, and {level} of subsets. "
    style.entitle_figure(figure, f"{text}Fewer segments: {level} bootstrap intervals")
    return figure


def _band(axes: Axes, selected: xr.Dataset, value: str, kind: str) -> None:
    colour = COLOURS[kind]
    names = ("size", value, "lower", "upper")
    sizes, middle, lower, upper = (selected[name].to_numpy() for name in names)
    axes.fill_between(sizes, lower, upper, color=colour, alpha=0.1, linewidth=0)
    for limit in (lower, upper):
        axes.plot(sizes, limit, color=colour, linewidth=0.8)
    axes.plot(sizes, middle, color=colour, marker="o", ms=3, label=kind, zorder=3)
    axes.grid(axis="y", color=style.GREY, linewidth=0.3)
