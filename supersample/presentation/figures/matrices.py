"""Matrices of metrics: differences and their significance, wins, and correlations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import NDArray

from supersample.presentation import labels
from supersample.presentation.figures import style

TIE_COLOURS = ("#CC79A7", style.ORANGE)
INK = "#222222"
SAME = 1e-10  # values closer than this are tied


@style.draws("rank", "value", "difference", "other_metric")
def plot_significance(
    ranking: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2", **at: str
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
    **at
        Labels of the dimensions before metrics, such as ``group="zh-en"``; by default the first,
        and for bases "systems".

    Returns
    -------
    matplotlib.axes.Axes
        Metrics in order of value, best first. A cell's colour is the row's value minus the
        column's. Above the diagonal, where the row is better, stars show p-values corrected for all
        pairs (a dot stands for p ≤ 0.05 if stars do not fit), and a plus shows differences that are
        significant only without correction. Below it,
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
    'embedded example, 12 systems: differences of r'
    """
    part = labels.part_of(ranking, at)
    names = labels.metric_labels(part)
    difference = part["difference"].to_numpy()
    aspect = "equal" if len(names) < 12 else "auto"  # a few cells are wide
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=5))
    look = style.about_zero(difference)
    room = style.draw_matrix(axes, difference, names, aspect=aspect, **look)
    marks, means = labels.marks_of(part, most=int(room / 3.5))
    i, j = np.nonzero(np.triu(np.isfinite(difference), 1))
    marked = np.flatnonzero(marks[i, j] != "")
    style.write_cells(axes, i[marked], j[marked], marks[i, j][marked].tolist(), "black")
    if room >= 10:
        style.write_hundredths(axes, difference.T, (j, i))
    _draw_clusters(axes, part["cluster"].to_numpy() if "cluster" in part else np.empty(0))
    value = labels.differing(part)
    below = f"; below: difference of {value} × 100" if room >= 10 else ""
    text = f"above: {means}{below}; squares: clusters ({labels.test_name(part)}, unadjusted)"
    style.entitle(axes, f"{labels.place(part)}: differences of {value}", names, text)
    return axes


def _draw_clusters(axes: Axes, clusters: NDArray[np.float64]) -> None:
    """Draw a square on the diagonal round the metrics of each cluster."""
    for cluster in np.unique(clusters[np.isfinite(clusters)]):
        first, *_, last = np.flatnonzero(clusters == cluster)[[0, -1]]
        low, high = first - 0.5, last + 0.5
        across, down = [low, high, high, low, low], [low, low, high, high, low]
        axes.plot(across, down, color="black", linewidth=0.8, clip_on=False)


@style.draws("rank", "value", "wins_over")
def plot_wins(
    ranking: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2", **at: str
) -> Axes:
    r"""Draw which metric (row) is significantly better than which (column), unadjusted.

    The form of Figure 5 of Graham and Liu (2016). Parameters and errors are as in
    `plot_significance`; metrics keep the order of the ranking.

    Examples
    --------
    >>> import supersample as ss
    >>> ax = plot_wins(ss.rank(ss.system_level_scores(ss.load_example())))
    >>> ax.get_xlabel()
    'blue: r significantly higher, 25\xa0% of pairs (williams-jackknife, 95\xa0%, unadjusted)'
    """
    labels.part_of(ranking, at)  # refuses unknown labels
    part = ranking.sel(labels.leading(ranking) | at)
    names, wins = labels.metric_labels(part), part["wins_over"].to_numpy()
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=4))
    draw_wins(axes, wins, names)
    share = 100 * wins.sum() / max(1, len(names) * (len(names) - 1) / 2)
    by = f"{labels.test_name(part)}, {labels.level_of(part)}, unadjusted"
    text = f"blue: {labels.value_name(part)} significantly higher, {share:.0f} % of pairs ({by})"
    title = f"{labels.place(part)}: the row is significantly better than the column"
    style.entitle(axes, title, names, text)
    return axes


def draw_wins(axes: Axes, wins: NDArray[np.bool_], names: Sequence[str]) -> None:
    """Draw into a panel which metric (row) is significantly better than which (column)."""
    cmap = ListedColormap(["white", style.BLUE])
    style.draw_matrix(axes, wins, names, cmap=cmap, vmin=0, vmax=1)
    style.draw_grid(axes, len(names))


@style.draws("rank", "value", "metric_r")
def plot_correlations(
    ranking: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2", **at: str
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
    title = f"{labels.place(part)}: correlations of metrics"
    names = labels.metric_labels(part)
    return draw_correlations(part["metric_r"].to_numpy(), names, title, ax=ax, width=width)


@style.styled()
def draw_correlations(
    values: NDArray[np.float64],
    names: Sequence[str],
    title: str,
    *,
    ax: Axes | None,
    width: style.Width,
) -> Axes:
    """Draw a matrix of correlations, with numbers below the diagonal."""
    lowest = min(float(np.nanmin(values, initial=0.9)), 0.9) if np.isfinite(values).any() else -1
    aspect = "equal" if len(names) < 12 else "auto"  # a few cells are wide
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=5))
    look: dict[str, Any] = {"cmap": "cividis", "vmin": lowest, "vmax": 1.0, "aspect": aspect}
    room = style.draw_matrix(axes, values, names, **look)
    if room >= 10:
        at = np.nonzero(np.tril(np.isfinite(values), -1))
        style.write_hundredths(axes, values, at, dark=values < (lowest + 1) / 2)
    below = ", below the diagonal × 100" if room >= 10 else ""
    style.entitle(axes, title, names, f"r between {lowest:.2f} (dark) and 1 (yellow){below}")
    return axes


@style.draws("rank over several groups", "value", "group")
def plot_values(
    ranking: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2", **at: str
) -> Axes:
    """Draw the value of each metric (row) in each set (column); the average comes first.

    Parameters and errors are as in `plot_significance`, except for the group. Colours span the
    values without outliers (Tukey's fences); the numbers of outliers are written in cells of any
    width.

    Examples
    --------
    >>> import supersample as ss
    >>> scores = ss.load_example().isel(metric=slice(0, 3))
    >>> ax = plot_values(ss.rank(scores, by="document", n=20))
    >>> ax.get_xticklabels()[0].get_text()
    'average'
    """
    first = labels.part_of(ranking, at)
    place = {dim: label for dim, label in (labels.leading(ranking) | at).items() if dim != "group"}
    part = ranking.sel(place).sel(metric=first["metric"].to_numpy())
    names, groups = labels.metric_labels(part), labels.names_of(part, "group")
    values = part["value"].transpose("metric", "group").to_numpy()
    axes = style.axes_of(ax, width, style.matrix_height(width, names, lines=4))
    low, high = _usual(values[np.isfinite(values)])
    look: dict[str, Any] = {"cmap": "cividis", "vmin": low, "vmax": high}
    room = style.draw_matrix(axes, values, groups, names, **look)
    beyond = (values < low) | (values > high)
    written = np.nonzero(np.isfinite(values) & (beyond | (room >= 10)))
    style.write_hundredths(axes, values, written, dark=values < (low + high) / 2)
    outside = "; numbers outside this have the last colour" if beyond.any() else ""
    text = f"× 100; colours from {low:.2f} (dark) to {high:.2f} (bright){outside}"
    style.entitle(axes, f"{labels.value_name(first)} by set", names, text)
    return axes


def _usual(values: NDArray[np.float64]) -> tuple[float, float]:
    """Range of the values within Tukey's fences."""
    if not values.size:
        return 0.0, 1.0
    lower, upper = np.quantile(values, (0.25, 0.75))
    reach = 1.5 * (upper - lower) or np.inf
    kept = values[(values >= lower - reach) & (values <= upper + reach)]
    return float(kept.min()), float(kept.max())


@style.draws("rank", "value", "cluster")
def plot_ties(
    ranking: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2", **at: str
) -> Axes:
    r"""Draw which pairs of metrics differ significantly, with clusters and tied metrics marked.

    The form of Figure 4 of Thompson et al. (2024): metrics from best to worst, clusters between
    blue lines, and the labels of exactly tied metrics in one colour, which alternates between ties.
    Parameters and errors are as in `plot_significance`.

    Examples
    --------
    >>> import supersample as ss
    >>> ranking = ss.rank(ss.compare(ss.load_example(), "PA", resamples=99))
    >>> ax = plot_ties(ranking, measure="PA")
    >>> ax.get_title(loc="left")
    'embedded example, PA, 12 systems, 463 segments: significant differences\nbetween metrics'
    """
    selected = labels.part_of(ranking, at)
    names = labels.metric_labels(selected)
    values, clusters = selected["value"].to_numpy(), selected["cluster"].to_numpy()
    shown = labels.either_way(selected).astype(np.float64)
    shown[np.tril_indices(len(names))] = np.nan
    rows = [f"{name}  {value:.3f}" for name, value in zip(names, values, strict=True)]
    axes = style.axes_of(ax, width, style.matrix_height(width, [*names, "x" * 26], lines=5))
    cmap = ListedColormap(["#E6E6E6", style.GREEN])
    style.draw_matrix(axes, shown, names, rows, cmap=cmap, vmin=0, vmax=1)
    colours = _tie_colours(values)
    for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
        for label, colour in zip(ticks, colours, strict=len(ticks) == len(colours)):
            label.set_color(colour)
            label.set_fontweight("normal" if colour == INK else "bold")
    style.draw_grid(axes, len(names), color="white", width=0.6)
    for edge in np.flatnonzero(np.diff(clusters) > 0) + 0.5:
        axes.plot([edge, len(names) - 0.5], [edge, edge], color=style.BLUE, linewidth=1.8)
        axes.plot([edge, edge], [-0.5, edge], color=style.BLUE, linewidth=1.8)
    counts = ("significant_pairs", "clusters", "distinct_values")
    pairs, groups, distinct = (int(selected[name]) for name in counts)
    text = (
        f"green: {labels.rule_of(selected)} ({labels.test_name(selected)}, unadjusted), "
        f"{labels.plural(pairs, 'pairs')}; blue lines: {labels.plural(groups, 'clusters')}"
    )
    if distinct < len(names):
        text = f"{text}; bold colours: exact ties, {labels.plural(distinct, 'distinct values')}"
    title = f"{labels.place(selected)}: significant differences between metrics"
    style.entitle(axes, title, rows, text)
    return axes


def _tie_colours(values: NDArray[np.float64]) -> list[str]:
    """Colours of labels: black for untied metrics, two alternating colours for tied ones."""
    starts = np.flatnonzero(~(np.diff(values, prepend=np.inf) >= -SAME))  # undefined ones differ
    colours = [INK] * len(values)
    ties = 0
    for start, stop in zip(starts, [*starts[1:], len(values)], strict=True):
        if stop - start > 1:
            colours[start:stop] = [TIE_COLOURS[ties % 2]] * (stop - start)
            ties += 1
    return colours


@style.draws("leave_one_out", "r_without")
def plot_influence(
    influence: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2"
) -> Axes:
    """Draw the change of each metric's r (rows) when one system (columns) is left out.

    Parameters
    ----------
    influence : xarray.Dataset
        A result of `leave_one_out`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Metrics in order of rank. Changes are in hundredths, if cells are wide enough for 7-point
        type.

    Examples
    --------
    >>> import supersample as ss
    >>> ax = plot_influence(ss.leave_one_out(ss.system_level_scores(ss.load_example())))
    >>> ax.get_yticklabels()[0].get_text()
    'strong-95'
    """
    change = (influence["r_without"] - influence["r"]).transpose("metric", "system").to_numpy()
    systems, metrics = labels.names_of(influence, "system"), labels.metric_labels(influence)
    height = style.matrix_height(width, ["x" * max(map(len, systems))] * len(metrics), lines=4)
    axes = style.axes_of(ax, width, min(height, 2.2 + 0.25 * len(metrics)))
    look = style.about_zero(change)
    room = style.draw_matrix(axes, change, systems, metrics, **look)
    if room >= 10:
        style.write_hundredths(axes, change, np.nonzero(np.abs(change) >= 0.005))
    numbers = " × 100" if room >= 10 else f", ± {look['vmax'] / 1.6:.2f} at most"
    text = f"r without the column's system minus r with all systems{numbers}"
    source = influence.attrs.get("source", "")
    title = f"{source}, {len(systems)} systems: change of r when one is left out"
    style.entitle(axes, title.removeprefix(", "), metrics, text)
    return axes
