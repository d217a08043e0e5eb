"""Forests: every metric's value, and its difference from a baseline's, with intervals."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from supersample.errors import InputError, check_choice
from supersample.presentation import labels
from supersample.presentation.figures import style

_COLOURS = {"hybrids": style.BLUE, "systems": style.ORANGE, "systems without outliers": style.GREEN}


@style.draws("rank", "value", "metric")
def plot_forest(
    ranking: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2"
) -> Axes:
    """Draw each metric's value with its interval, on each basis or for each group.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`. For several groups, the average is drawn with its interval on the first
        basis (the systems, if there are any), with a mark for each of at most six groups.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Metrics in the order of the ranking, from top to bottom.

    Examples
    --------
    >>> import supersample as ss
    >>> ranking = ss.rank(ss.system_level_scores(ss.load_example()))
    >>> ax = plot_forest(ranking)
    >>> ax.get_yticklabels()[0].get_text()
    'strong-95'
    """
    names = labels.metric_labels(ranking)
    value, grouped = labels.value_name(ranking), labels.is_grouped(ranking)
    series = _series(ranking)
    per_row = 0.13 + (0.0 if grouped else 0.035 * len(series))
    axes = style.axes_of(ax, width, 1.0 + 0.12 * len(series) + per_row * len(names))
    rows = np.arange(len(names))
    for s, (label, part, look) in enumerate(series):
        at = rows if grouped else rows + 0.64 * ((s + 0.5) / len(series) - 0.5)
        if "lower" in part and s * grouped == 0:  # only the average of groups has an interval
            _draw_intervals(axes, part, at, look["color"])
        axes.plot(part["value"].to_numpy(), at, label=label, **look)
    style.label_rows(axes, names)
    axes.grid(axis="x", color=style.GREY, linewidth=0.4)
    coefficient = ranking.attrs.get("coefficient", "pearson").capitalize()
    what = f"{coefficient} correlation with human scores" if value == "r" else value
    axes.set_xlabel(style.wrapped(axes, what, names, style.TEXT_SIZE))
    intervals = f" with {labels.level_of(ranking)} intervals" if "lower" in ranking else ""
    of = ranking.attrs.get("source", "")
    style.entitle(axes, f"{of}: {value}{intervals}", names)
    style.legend_below(axes, 1 if style.figure_of(axes).get_figwidth() < 4 else min(4, len(series)))
    return axes


def _draw_intervals(axes: Axes, part: xr.Dataset, rows: NDArray[Any], colour: str) -> None:
    """Draw limits with caps, which are visible if an interval is shorter than a mark."""
    lower, upper = part["lower"].to_numpy(), part["upper"].to_numpy()
    axes.hlines(rows, lower, upper, color=colour, linewidth=1.2)
    for limit in (lower, upper):
        axes.plot(limit, rows, "|", color=colour, ms=3.5, mew=0.7)


def _series(ranking: xr.Dataset) -> list[tuple[str, xr.Dataset, dict[str, Any]]]:
    """Name, values and look of each measure or basis; or of the average and of each group."""
    if labels.is_grouped(ranking):
        place = labels.leading(ranking)
        del place["group"]
        first, groups = ranking.sel(place), labels.shown_groups(ranking)
        names = [f"average over {place['basis']}" if "basis" in place else "average", *groups[1:]]
        looks: list[dict[str, Any]] = [{"color": style.BLUE, "marker": "|", "ms": 9}]
        marks = zip(style.PALETTE[1:], style.MARKS, strict=False)
        looks += [{"color": colour, "marker": mark, "ms": 3} for colour, mark in marks]
        return [
            (name, first.sel(group=group), {**look, "ls": ""})
            for name, group, look in zip(names, groups, looks, strict=False)
        ]
    found = []
    along = {dim: labels.names_of(ranking, dim) for dim in labels.lead_of(ranking)}
    for k, at in enumerate(labels.places_of(ranking, **along)):
        part = ranking.sel(at)
        kind = labels.kind_of(part)
        n = f"{int(part['n']):,} " if "n" in part else ""
        colour = _COLOURS.get(kind, style.PALETTE[k % len(style.PALETTE)])
        look = {"color": colour, "marker": "o", "ms": 1.5 if kind == "hybrids" else 3, "ls": ""}
        found.append((f"{n}{kind}" if at else labels.place(part), part, look))
    return found


@style.draws("rank", "value", "difference", "other_metric")
def plot_differences(
    ranking: xr.Dataset,
    *,
    baseline: str | None = None,
    ax: Axes | None = None,
    width: style.Width = "acl2",
    **at: str,
) -> Axes:
    """Draw the difference of each metric from a baseline, with its interval.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`.
    baseline : str, optional
        Metric with which the others are compared; by default the best.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.
    **at
        Labels of the dimensions before metrics, such as ``group="zh-en"``; by default the first,
        and for bases "systems".

    Returns
    -------
    matplotlib.axes.Axes
        Metrics from top to bottom, best first. Filled marks differ from the baseline, corrected for
        all pairs; without p-values, their interval excludes 0.

    Raises
    ------
    InputError
        If the ranking lacks the metric, dimension or label.

    Examples
    --------
    >>> import supersample as ss
    >>> ranking = ss.rank(ss.system_level_scores(ss.load_example()))
    >>> ax = plot_differences(ranking, baseline="strong-98")
    >>> ax.get_title(loc="left")
    'embedded example, 12 systems: r minus that of strong-98'
    """
    part = labels.part_of(ranking, at)
    plain = labels.names_of(part, "metric")
    baseline = plain[0] if baseline is None else baseline
    check_choice("baseline", baseline, plain)
    names, rows = labels.metric_labels(part), np.arange(len(plain))
    axes = style.axes_of(ax, width, 1.1 + 0.15 * len(names))
    column = part.sel(other_metric=baseline)
    x = column["difference"].to_numpy()
    if "difference_lower" in part:
        limits = column[["difference_lower", "difference_upper"]]
        renamed = limits.rename(difference_lower="lower", difference_upper="upper")
        _draw_intervals(axes, renamed, rows, style.BLUE)
    pairs, means = labels.differ(part)
    differs = pairs[:, plain.index(baseline)]
    for chosen, face in ((differs, style.BLUE), (~differs, "white")):
        axes.plot(x[chosen], rows[chosen], "o", color=style.BLUE, mfc=face, ms=3.5, mew=0.8)
    axes.axvline(0, color="black", linewidth=0.6)
    style.label_rows(axes, names)
    axes.grid(axis="x", color=style.GREY, linewidth=0.4)
    value = labels.differing(part)
    text = f"difference of {value}; filled: differs ({labels.test_name(part)}, {means})"
    style.entitle(axes, f"{labels.place(part)}: {value} minus that of {baseline}", names, text)
    return axes


@style.styled()
def plot_sets(
    ranking: xr.Dataset,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    ax: Axes | None = None,
    width: style.Width = "acl2",
) -> Axes:
    """Draw the difference of two metrics in each set, on average, and in a new set.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank` with groups: language pairs, test sets, domains or documents.
    metric, baseline : str, optional
        The metric, and the metric with which it is compared; by default the best two.
    ax, width
        As in `plot_differences`.

    Returns
    -------
    matplotlib.axes.Axes
        Sets from top to bottom; below them the average with its interval over new systems and, with
        at least five sets, over new sets, with the prediction interval of a new set.

    Raises
    ------
    InputError
        If the ranking lacks the metric, or has no groups.

    Examples
    --------
    >>> import supersample as ss
    >>> scores = ss.load_example().isel(metric=slice(0, 3))
    >>> ax = plot_sets(ss.rank(scores, by="document", n=20))
    >>> ax.get_yticklabels()[-1].get_text()
    'in a new document'
    """
    groups = labels.groups_of(ranking)
    if not groups or "systems" not in ranking.get("basis", ()):
        raise InputError("a forest by set needs several groups and new systems; this has none")
    first, second = (labels.names_of(labels.part_of(ranking), "metric") * 2)[:2]
    baseline = second if baseline in (None, metric or first) else str(baseline)
    pair = {"metric": metric or first, "other_metric": baseline}
    for name in pair.values():
        check_choice("metric", name, labels.names_of(ranking, "metric"))
    measure = (
        {"measure": labels.names_of(ranking, "measure")[0]} if "measure" in ranking.dims else {}
    )
    own = ranking.sel(pair | measure).drop_vars(["lower", "upper"], errors="ignore")
    own = own.rename(difference_lower="lower", difference_upper="upper")
    name, over = labels.group_name(ranking), own.sel(basis="systems")
    rows = [(each, over.sel(group=each)) for each in groups[1:]]
    rows.append(("new systems", over.isel(group=0)))
    if "sets" in labels.names_of(ranking, "basis"):
        new = own.sel(basis="sets").isel(group=0)
        limits = {"lower": new["prediction_lower"], "upper": new["prediction_upper"]}
        rows += [(f"new {name}s", new), (f"in a new {name}", new.assign(limits))]
    axes = style.axes_of(ax, width, 1.1 + 0.15 * len(rows))
    for at, (_, part) in enumerate(rows):
        colour = style.BLUE if at < len(groups) - 1 else style.ORANGE
        _draw_intervals(axes, part, np.array(at), colour)
        axes.plot(part["difference"].item(), at, "o", color=colour, ms=3.5)
    axes.axvline(0, color="black", linewidth=0.6)
    names = [label for label, _ in rows]
    style.label_rows(axes, names)
    axes.grid(axis="x", color=style.GREY, linewidth=0.4)
    value, level = labels.differing(own), labels.level_of(ranking)
    text = f"difference in {value} with {level} intervals"
    style.entitle(axes, f"difference in {value}, {pair['metric']} minus {baseline}", names, text)
    return axes
