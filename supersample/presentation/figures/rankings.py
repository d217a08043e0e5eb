"""Figures of rankings: forests, matrices of metrics, and scatter plots of scores."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from supersample.errors import InputError, check_choice
from supersample.presentation import labels
from supersample.presentation.answer import behind_best, behind_lines, ruled_out
from supersample.presentation.figures import style
from supersample.presentation.figures.style import Ax, Title, Width
from supersample.presentation.labels import names_of

MOST = 12  # of the best metrics, in figures of rows, unless more are asked for
_KINDS = "hybrids", "systems", "systems without outliers", "documents"
_BASES = dict(zip(_KINDS, style.PALETTE, strict=False))
OF_HYBRIDS = " (these systems alone)"
INTERVALS = (
    "{} intervals: of hybrids, for these systems and segments alone; the others, for new ones"
)


@style.draws("rank", "value", "metric")
def plot_forest(
    ranking: xr.Dataset,
    *,
    most: int = MOST,
    ax: Ax = None,
    width: Width = "acl2",
    title: Title = "auto",
) -> Axes:
    """Draw each metric's value with its interval, on each basis or for each group.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`. For several groups, the average is drawn with its interval on the first
        basis (the systems, if there are any), with a mark for each of at most six groups.
    most : int, default 12
        How many of the best metrics are drawn; added metrics are drawn besides.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.
    title : str or None, default "auto"
        Title above the axes; None leaves it out.

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
    ranking, told = _leading(ranking, most)
    names = labels.marked_labels(ranking)
    value, grouped = labels.value_name(ranking), labels.is_grouped(ranking)
    series = _series(ranking)
    per_row = 0.13 + (0.0 if grouped else 0.035 * len(series))
    several = any(OF_HYBRIDS in label for label, *_ in series[1:])
    lines = 1 + len(series) + 2 * several
    height = style.rows_height(width, per_row * len(names) / 0.15, lines)
    axes = style.axes_of(ax, width, height)
    rows = np.arange(len(names))
    marks = []
    for s, (label, part, look) in enumerate(series):
        at = rows if grouped else rows + 0.64 * ((s + 0.5) / len(series) - 0.5)
        if s and grouped:  # only the average of groups has an interval
            part = part.drop_vars(["lower", "upper"], errors="ignore")
        marks.append(_marks(part, at, {"label": label, **look}))
    told.append(style.draw_rows(axes, names, marks))
    what = "Pearson correlation with human scores" if value == "r" else value
    intervals = f" with {labels.level_of(ranking)} intervals" * ("lower" in ranking)
    if intervals and several:
        what, intervals = f"{what}\n{INTERVALS.format(labels.level_of(ranking))}", ""
    of = ranking.attrs.get("source", "")
    style.entitle(axes, title, f"{of}: {value}{intervals}", names, what, *told)
    style.legend_below(axes, min(4, len(series)))
    return axes


def _leading(ranking: xr.Dataset, most: int, *named: str) -> tuple[xr.Dataset, list[str]]:
    """Keep the best metrics, those that are named or were added.

    Say how many others there are, and what the marks of names mean.
    """
    names = names_of(ranking, "metric")
    kept = {*names[:most], *named, *labels.added_metrics(ranking)}
    chosen = [name for name in names if name in kept]
    others = len(names) - len(chosen)
    told = [f"{others} other metrics are not drawn"] if others else []
    shown = ranking.sel(metric=chosen)
    return shown, told + labels.legend(shown)


def _marks(
    part: xr.Dataset,
    rows: NDArray[Any],
    look: dict[str, Any],
    value: str = "value",
    limits: Sequence[str] = ("lower", "upper"),
) -> style.Marks:
    """Take the marks of rows, with limits of these names where the part has them."""
    found = part[value].to_numpy()
    ends = [
        part[limit].to_numpy() if limit in part else np.full(found.shape, np.nan)
        for limit in limits
    ]
    return style.Marks(rows, found, (np.fmin(*ends), np.fmax(*ends)), look)


def _series(ranking: xr.Dataset) -> list[tuple[str, xr.Dataset, dict[str, Any]]]:
    """Name, values and look of each measure or basis; or of the average and of each group."""
    if labels.is_grouped(ranking):
        place = labels.leading(ranking)
        del place["group"]
        first, groups = ranking.sel(place), labels.shown_groups(ranking)
        of_bases = "basis" in labels.named_dims(ranking)
        names = [f"average over {place['basis']}" if of_bases else "average", *groups[1:]]
        looks: list[dict[str, Any]] = [{"color": style.BLUE, "marker": "|", "ms": 9}]
        marks = zip(style.PALETTE[1:], style.MARKS, strict=False)
        looks += [{"color": colour, "marker": mark, "ms": 3} for colour, mark in marks]
        return [
            (name, first.sel(group=group), look)
            for name, group, look in zip(names, groups, looks, strict=False)
        ]
    found = []
    along = {dim: labels.names_of(ranking, dim) for dim in labels.lead_of(ranking)}
    for k, at in enumerate(labels.places_of(ranking, **along)):
        part = ranking.sel(at)
        kind = labels.title_of(ranking, part)
        n = f"{int(part['n']):,} " if "n" in part else ""
        colour = _BASES.get(kind, style.PALETTE[k % len(style.PALETTE)])
        look = {"color": colour, "marker": "o", "ms": 1.5 if kind == "hybrids" else 3}
        found.append((f"{n}{kind}{OF_HYBRIDS * (kind == 'hybrids')}", part, look))
    return found


@style.draws("rank", "value", "difference", "other_metric")
def plot_differences(
    ranking: xr.Dataset,
    *,
    baseline: str | None = None,
    most: int = MOST,
    ax: Ax = None,
    width: Width = "acl2",
    title: Title = "auto",
    **at: str,
) -> Axes:
    """Draw the difference of each metric from a baseline, with its interval.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`.
    baseline : str, optional
        Metric with which the others are compared; by default the best.
    most : int, default 12
        How many of the best metrics are drawn; the baseline and added metrics are drawn besides.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.
    title : str or None, default "auto"
        Title above the axes; None leaves it out.
    **at
        Labels of the dimensions before metrics, such as ``group="zh-en"``; by default the first,
        and for bases "systems".

    Returns
    -------
    matplotlib.axes.Axes
        Metrics from top to bottom, best first. Of a chosen baseline, filled marks differ from it,
        corrected for all pairs; without p-values, their interval excludes 0. Of the best, where it
        is known how far each metric may be behind the truly best one, bars below the marks say so,
        and filled marks are ruled out as the best.

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
    plain = names_of(part, "metric")
    from_best = baseline is None and bool(behind_best(part))
    baseline = plain[0] if baseline is None else baseline
    check_choice("baseline", baseline, plain)
    pairs, means = labels.differ(part)
    value, own = labels.value_name(part), plain.index(baseline)
    shown = labels.marked_labels(part)[own]
    heading = f"difference in {value} from {shown} (0: as good)"
    column = part.sel(other_metric=baseline).assign(filled=("metric", pairs[:, own]))
    words, bars = ("differs", "no difference shown"), dict[str, Any]()
    limits = ["difference_lower", "difference_upper"]
    about = f"{labels.test_name(part)}, {means}"
    if from_best:
        limits, bars = ["behind_lower", "behind_upper"], {"lw": 3}
        column["filled"] = part["behind_lower"] > 0
        for limit in limits:
            column[limit] = -labels.sign_of(part) * part[limit]
        words, about = (ruled_out(part), "not ruled out as the best"), behind_lines(part)
    column, told = _leading(column, most, baseline)
    names, filled = labels.marked_labels(column), column["filled"].to_numpy()
    axes = style.axes_of(ax, width, style.rows_height(width, len(names), 6))
    series = []
    for chosen, face, label in ((filled, style.BLUE, words[0]), (~filled, "white", words[1])):
        label = style.wrapped(axes, label, names)
        look = {"color": style.BLUE, "mfc": face, "mew": 0.8, "label": label, **bars}
        rows = np.flatnonzero(chosen)
        if rows.size:  # a legend of what is drawn
            series.append(_marks(column.isel(metric=rows), rows, look, "difference", limits))
    told.append(style.draw_rows(axes, names, series, 0.0))
    own_title = f"{labels.place(part, named=False)}: {value} minus that of {shown}"
    style.entitle(axes, title, own_title, names, heading, about, *told)
    style.legend_below(axes, 2)
    return axes


@style.styled()
def plot_sets(
    ranking: xr.Dataset,
    *,
    metric: str | None = None,
    baseline: str | None = None,
    ax: Ax = None,
    width: Width = "acl2",
    title: Title = "auto",
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
    >>> scores = ss.load_example().isel(metric=slice(0, 3), segment=slice(0, 80))
    >>> ax = plot_sets(ss.rank(scores, by="document", n=20))
    >>> ax.get_yticklabels()[-1].get_text()
    'in a new document'
    """
    groups = labels.names_of(ranking, "group")
    if len(groups) < 2 or "systems" not in ranking["basis"]:
        raise InputError("a forest by set needs several groups and new systems; this has none")
    first, second = (labels.names_of(labels.part_of(ranking), "metric") * 2)[:2]
    baseline = second if baseline in (None, metric or first) else str(baseline)
    pair = {"metric": metric or first, "other_metric": baseline}
    for name in pair.values():
        check_choice("metric", name, labels.names_of(ranking, "metric"))
    own = (
        labels.at_first(ranking, "measure").sel(pair).drop_vars(["lower", "upper"], errors="ignore")
    )
    own = own.rename(difference_lower="lower", difference_upper="upper")
    name, over = labels.group_name(ranking), own.sel(basis="systems")
    rows = [(each, over.sel(group=each)) for each in groups[1:]]
    rows.append(("average, new systems", over.isel(group=0)))
    if "sets" in labels.names_of(ranking, "basis"):
        new = own.sel(basis="sets").isel(group=0)
        limits = {"lower": new["prediction_lower"], "upper": new["prediction_upper"]}
        rows += [(f"average, new {name}s", new), (f"in a new {name}", new.assign(limits))]
    axes = style.axes_of(ax, width, style.rows_height(width, len(rows)))
    names, series = [label for label, _ in rows], []
    for at, (_, part) in enumerate(rows):
        look = {"color": style.BLUE if at < len(groups) - 1 else style.ORANGE}
        series.append(_marks(part.expand_dims("row"), np.array([at]), look, "difference"))
    cut = style.draw_rows(axes, names, series, 0.0)
    value, level = labels.value_name(own), labels.level_of(ranking)
    text = f"difference in {value} with {level} intervals"
    own_title = f"difference in {value}, {pair['metric']} minus {baseline}"
    style.entitle(axes, title, own_title, names, text, cut)
    return axes


@style.draws("rank", "value", "difference", "other_metric")
def plot_significance(
    ranking: xr.Dataset, *, ax: Ax = None, width: Width = "acl2", title: Title = "auto", **at: str
) -> Axes:
    """Draw the matrix of differences: stars above the diagonal, hundredths below it.

    Parameters
    ----------
    ranking : xarray.Dataset
        A result of `rank`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.
    title : str or None, default "auto"
        Title above the axes; None leaves it out.
    **at
        Labels of the dimensions before metrics, such as ``group="zh-en"``; by default the first,
        and for bases "systems".

    Returns
    -------
    matplotlib.axes.Axes
        Metrics in order of value, best first. A cell's colour is the row's value minus the
        column's. Above the diagonal, where the row is better, stars show p-values corrected for all
        pairs (one star stands for p ≤ 0.05 if more do not fit), and a plus shows differences that
        are significant only without correction. Below it,
        the difference is written in hundredths, if cells are wide enough for 7-point type. Squares
        on the diagonal are greedy clusters.

    Raises
    ------
    InputError
        If the ranking lacks the dimension or label.

    Examples
    --------
    >>> import supersample as ss
    >>> ranking = ss.rank(ss.system_level_scores(ss.load_example()))
    >>> ax = plot_significance(ranking, basis="systems")
    >>> ax.get_title(loc="left")
    'embedded example, 12 systems: differences in r'
    """
    part = labels.part_of(ranking, at)
    names = labels.marked_labels(part)
    difference = part["difference"].to_numpy()
    aspect = "equal" if len(names) < 12 else "auto"  # a few cells are wide
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=5))
    look, ends = style.about_zero(difference)
    room = style.draw_matrix(axes, difference, names, aspect=aspect, **look)
    marks, means = labels.marks_of(part, most=int(room / 4.5))
    i, j = np.nonzero(np.triu(np.isfinite(difference), 1))
    marked = np.flatnonzero(marks[i, j] != "")
    style.write_cells(axes, i[marked], j[marked], marks[i, j][marked].tolist(), "black")
    if room >= 10:
        style.write_hundredths(axes, difference.T, (j, i))
    _draw_clusters(axes, part["cluster"].to_numpy() if "cluster" in part else np.empty(0))
    value = labels.value_name(part)
    below = f"; below: difference in {value} × 100" if room >= 10 else ""
    text = f"above: {means}{below}; squares: clusters ({labels.test_name(part)}, unadjusted){ends}"
    own_title = f"{labels.place(part, named=False)}: differences in {value}"
    style.entitle(axes, title, own_title, names, text, *labels.legend(part))
    return axes


def _draw_clusters(axes: Axes, clusters: NDArray[np.float64]) -> None:
    """Draw a square on the diagonal round the metrics of each cluster."""
    for cluster in np.unique(clusters[np.isfinite(clusters)]):
        first, *_, last = np.flatnonzero(clusters == cluster)[[0, -1]]
        low, high = first - 0.5, last + 0.5
        across, down = [low, high, high, low, low], [low, low, high, high, low]
        axes.plot(across, down, color="black", linewidth=0.8, clip_on=False)


@style.draws("rank", "value", "metric_r")
def plot_correlations(
    ranking: xr.Dataset, *, ax: Ax = None, width: Width = "acl2", title: Title = "auto", **at: str
) -> Axes:
    """Draw the correlations between the metrics' scores, with numbers below the diagonal.

    Parameters and errors are as in `plot_significance`. Numbers are in hundredths, if cells are
    wide enough for 7-point type.

    Examples
    --------
    >>> import supersample as ss
    >>> ax = plot_correlations(ss.rank(ss.system_level_scores(ss.load_example())))
    >>> ax.get_title(loc="left")
    'embedded example, 12 systems: correlations of metrics'
    """
    part = labels.part_of(ranking, at)
    own = f"{labels.place(part)}: correlations of metrics"
    names, values = labels.marked_labels(part), part["metric_r"].to_numpy()
    told = labels.legend(part)
    return draw_correlations(values, names, own, *told, ax=ax, width=width, title=title)


@style.styled()
def draw_correlations(
    values: NDArray[np.float64],
    names: Sequence[str],
    own_title: str,
    *told: str,
    ax: Ax,
    width: Width,
    title: Title,
) -> Axes:
    """Draw a matrix of correlations, with numbers below the diagonal."""
    between = values[np.tril_indices(len(values), -1)]
    lowest = min(style.usual(between)[0], 0.9)
    aspect = "equal" if len(names) < 12 else "auto"  # a few cells are wide
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=5))
    look: dict[str, Any] = {"cmap": "cividis", "vmin": lowest, "vmax": 1.0, "aspect": aspect}
    room = style.draw_matrix(axes, values, names, **look)
    if room >= 10:
        at = np.nonzero(np.tril(np.isfinite(values), -1))
        style.write_hundredths(axes, values, at, dark=values < (lowest + 1) / 2)
    below = ", below the diagonal × 100" if room >= 10 else ""
    less = " or less" if (between < lowest).any() else ""
    text = f"r between {lowest:.2f}{less} (dark) and 1 (yellow){below}".replace("-", "−")
    style.entitle(axes, title, own_title, names, text, *told)
    return axes


@style.draws("rank over several groups", "value", "group")
def plot_values(
    ranking: xr.Dataset, *, ax: Ax = None, width: Width = "acl2", title: Title = "auto", **at: str
) -> Axes:
    """Draw the value of each metric (row) in each set (column); the average comes first.

    Parameters and errors are as in `plot_significance`, except for the group. Colours span the
    values without outliers (Tukey's fences); the numbers of outliers are written in cells of any
    width.

    Examples
    --------
    >>> import supersample as ss
    >>> scores = ss.load_example().isel(metric=slice(0, 3), segment=slice(0, 80))
    >>> ax = plot_values(ss.rank(scores, by="document", n=20))
    >>> ax.get_xticklabels()[0].get_text()
    'average'
    """
    first = labels.part_of(ranking, at)
    place = {dim: label for dim, label in (labels.leading(ranking) | at).items() if dim != "group"}
    part = ranking.sel(place).sel(metric=first["metric"].to_numpy())
    names, groups = labels.marked_labels(part), labels.names_of(part, "group")
    values = part["value"].transpose("metric", "group").to_numpy()
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=4))
    low, high = style.usual(values)
    look: dict[str, Any] = {"cmap": "cividis", "vmin": low, "vmax": high}
    room = style.draw_matrix(axes, values, groups, names, **look)
    beyond = (values < low) | (values > high)
    written = np.nonzero(np.isfinite(values) & (beyond | (room >= 10)))
    style.write_hundredths(axes, values, written, dark=values < (low + high) / 2)
    outside = "; numbers beyond have the last colour" if beyond.any() else ""
    text = f"× 100; colours from {low:.2f} (dark) to {high:.2f} (bright){outside}"
    own_title = f"{labels.value_name(first)} by set"
    style.entitle(axes, title, own_title, names, text, *labels.legend(part))
    return axes


@style.draws("run_tasks", "weight", "average_rank")
def plot_task(
    result: xr.Dataset, *, ax: Ax = None, width: Width = "acl2", title: Title = "auto"
) -> Axes:
    """Draw the cluster and value of each metric (row) in each task (column), the average first.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `run_tasks`, of which the best 12 metrics, baselines and added ones are drawn.
    ax, width, title
        As in `plot_forest`.

    Returns
    -------
    matplotlib.axes.Axes
        Metrics from top to bottom, best first. The first cluster is the darkest. Values are written
        if cells are wide enough for 7-point type.
    """
    baselines = [name for name in names_of(result, "metric") if result["baseline"].sel(metric=name)]
    shown, told = _leading(result, MOST, *baselines)
    part = labels.at_first(shown, "basis", "group").transpose("metric", "measure", ...)
    names, tasks = labels.marked_labels(part), names_of(part, "measure")
    clusters, values = part["cluster"].to_numpy(), part["value"].to_numpy()
    height = style.matrix_height(width, ["x" * max(map(len, tasks))] * len(names), lines=5)
    axes = style.axes_of(ax, width, min(height, 2.2 + 0.17 * len(names)))
    last = np.nanmax(clusters, initial=2)
    look: dict[str, Any] = {"cmap": "Blues_r", "vmin": 1 - last, "vmax": last + 1}
    room = style.draw_matrix(axes, clusters, tasks, names, **look)
    at = np.nonzero(np.isfinite(clusters))
    pairs = zip(clusters[at], values[at], strict=True)
    wide = room >= 34
    texts = [
        f"{cluster:.0f}  {value:.3f}" if wide else f"{cluster:.0f}" for cluster, value in pairs
    ]
    style.write_cells(axes, at[0], at[1], texts, "black")
    text = f"significance cluster{' and value' if wide else ''}; the darkest are first"
    own_title = f"{result.attrs.get('title', '')}: clusters of metrics"
    style.entitle(axes, title, own_title, names, text, *told)
    return axes


POINTS_DRAWN = 10_000


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


@style.styled()
def scatter_panels(sample: xr.Dataset, ranking: xr.Dataset, *, width: Width = "acl2") -> Figure:
    """Draw a scatter plot of each metric in a panel of one figure, in the order of a ranking.

    The form of Figure 4 of Graham and Liu (2016).
    """
    ranking, told = _leading(ranking, MOST)
    of_hybrids = {"basis": "hybrids"} if "hybrids" in ranking["basis"] else {}
    first = labels.at_first(ranking.sel(of_hybrids), *labels.LEAD)
    metrics, values = names_of(ranking, "metric"), first["value"].to_numpy()
    inches = style.inches(width)
    across = min(max(2, int(inches / 1.01)), math.ceil(math.sqrt(len(metrics))))
    height = 0.9 + math.ceil(len(metrics) / across) * (0.35 + 0.8 * inches / across)
    height = min(height, style.TALLEST)
    figure, panels = style.panel_rows(len(metrics), across, inches, height, sharey=True)
    most = int(13 * inches / across)
    names = style.short_names(labels.marked_labels(ranking), panels[0], most)
    for axes, metric, name, r in zip(panels, metrics, names, values, strict=True):
        _draw(axes, sample, metric)
        shown = "r undefined" if math.isnan(r) else f"r = {r:.3f}"
        axes.set_title(f"{name}\n{shown}", fontsize=style.LABEL_SIZE)
        axes.locator_params(axis="y", nbins=3)
        axes.locator_params(axis="x", nbins=2)
        low, high = axes.get_xlim()
        inside = [x for x in axes.get_xticks() if min(low, high) <= x <= max(low, high)]
        axes.set_xticks(inside[:: max(1, len(inside) - 1)], minor=False)  # more would overlap
    figure.supylabel("human score", fontsize=style.TEXT_SIZE)
    below = "metric score, better to the right"
    marks = panels[0].get_legend_handles_labels()
    figure.legend(*marks, loc="outside lower center", ncols=2, title=below)
    title = f"{sample.attrs.get('source', '')}: r over {labels.counted(first)}".removeprefix(": ")
    style.entitle_figure(figure, ". ".join([title, *told]))
    return figure
