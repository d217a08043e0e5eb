"""Figures of sampling distributions of r, and of plans."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.presentation.figures import style
from supersample.presentation.labels import level_of
from supersample.presentation.studies import ROWS, exact_and_simulated, exact_word


@style.draws("intervals_of_r", "edge", "density")
def plot_sampling_distribution(
    result: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2"
) -> Axes:
    """Draw the histogram of simulated r with the exact density and exact limits.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `intervals_of_r`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import supersample as ss
    >>> ax = plot_sampling_distribution(ss.simulation.intervals_of_r(0.9, 12, draws=500))
    >>> ax.get_title(loc="left")
    'Sampling distribution of r, population r = 0.9, n = 12'
    """
    axes = style.axes_of(ax, width, 2.6)
    r, n = float(result.attrs["r"]), result.attrs["n"]
    _draw_distribution(axes, result)
    style.entitle(axes, f"Sampling distribution of r, population r = {r:g}, n = {n}")
    axes.set_xlim(*_shown(result))
    axes.set_xlabel("r")
    return axes


@style.styled()
def sampling_figure(result: xr.Dataset, *, width: style.Width = "acl2") -> Figure:
    """Draw `plot_sampling_distribution`, with the intervals below it.

    The form of Figure 2 of Graham and Liu (2016).
    """
    figure = Figure(figsize=(style.inches(width), 4.2), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1.25])
    plot_sampling_distribution(result, ax=above)
    above.set_xlabel("")
    _draw_intervals(below, result)
    below.set_xlim(*_shown(result))
    below.set_xlabel(f"r, with {level_of(result)} intervals")
    return figure


def _shown(result: xr.Dataset) -> tuple[float, float]:
    """Range of the axis: nearly all of the distribution, and every interval."""
    count, edges = result["count"].to_numpy(), result["edge"].to_numpy()
    share = np.cumsum(count) / count.sum()
    ends = [edges[np.searchsorted(share, 0.001)], edges[np.searchsorted(share, 0.999) + 1]]
    low = min(ends[0], float(result["lower"].min()))
    high = max(ends[1], float(result["upper"].max()))
    if abs(float(result.attrs["r"])) == 1:  # all of the distribution lies at one end
        low, high = edges[0], edges[-1]
    margin = 0.03 * (high - low)
    return low - margin, high + margin


def _draw_distribution(axes: Axes, result: xr.Dataset) -> None:
    edges, count = result["edge"].to_numpy(), result["count"].to_numpy()
    heights = count / (count.sum() * np.diff(edges))
    drawn = f"{result.attrs['draws']:,} simulated samples"
    axes.stairs(heights, edges, fill=True, color=style.BLUE, alpha=0.35, lw=0, label=drawn)
    at, density = result["at"].to_numpy(), result["density"].to_numpy()
    if np.isfinite(density).all():  # |r| = 1 has no density
        wide = style.figure_of(axes).get_figwidth() > 4
        text = f"{exact_word(result)}: density{' (normal population)' if wide else ''}"
        axes.plot(at, density, color=style.BLUE, lw=1.5, label=text)
    r = float(result.attrs["r"])
    axes.axvline(r, color="black", lw=0.8, ls=":")
    limits = result.sel(interval="exact")
    for limit, label in (("lower", f"{exact_word(result)}: {level_of(result)}"), ("upper", None)):
        axes.axvline(float(limits[limit]), color=style.BLUE, lw=0.8, ls="--", label=label)
    axes.set_ylabel("density")
    axes.set_ylim(bottom=0)
    axes.legend(
        loc="upper right" if r < 0 else "upper left",  # away from the mode
        frameon=True,
        edgecolor="none",
        framealpha=0.9,
        title=exact_and_simulated("skew", result, "skewness", 2),
        alignment="left",
    )


def _draw_intervals(axes: Axes, result: xr.Dataset) -> None:
    colours = dict.fromkeys(("fisher", "exact for rho"), style.GREEN) | {"symmetric": style.ORANGE}
    r = float(result.attrs["r"])
    for row, name in enumerate(ROWS):
        one = result.sel(interval=name)
        colour = colours.get(name, style.BLUE)
        axes.hlines(row, float(one["lower"]), float(one["upper"]), color=colour, lw=2.5)
        axes.plot(r, row, "o", color=colour, ms=3.5)
    names = [f"{method}, {of}" for of, method in ROWS.values()]
    style.label_rows(axes, names, most=26)
    axes.axvline(r, color="black", lw=0.8, ls=":")
    if float(result["upper"].max()) > 1:
        axes.axvline(1, color=style.GREY, lw=0.8)
    axes.tick_params(axis="y", length=0)


@style.draws("plan", "power", "segments")
def plot_power(result: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2") -> Axes:
    """Draw power against the number of systems, with one line per number of segments.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `plan`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Bars are two Monte-Carlo standard errors.

    Examples
    --------
    >>> import supersample as ss
    >>> population = ss.simulation.Population([[1.0, 0.95, 0.8], [0.95, 1.0, 0.7], [0.8, 0.7, 1.0]])
    >>> sizes = {"systems": [10, 20], "segments": [50]}
    >>> ax = plot_power(ss.simulation.plan(population, replicates=50, **sizes))
    >>> ax.get_ylabel()
    'power'
    """
    axes = style.axes_of(ax, width, 3.0)
    sizes = result["systems"].to_numpy()
    for i, segments in enumerate(result["segments"].to_numpy()):
        part = result.isel(segments=i)
        reach = 2 * part["power_error"].to_numpy()
        colour, mark = style.PALETTE[i % len(style.PALETTE)], style.MARKS[i % len(style.MARKS)]
        look: dict[str, Any] = {"color": colour, "marker": mark, "ms": 3.5, "lw": 1.2}
        label = f"{int(segments):,} segments"
        axes.errorbar(sizes, part["power"].to_numpy(), reach, label=label, **look)
    axes.axhline(result.attrs["power"], color="black", lw=0.8, ls=":")
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(int(n)) for n in sizes])
    axes.minorticks_off()
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("systems")
    axes.set_ylabel("power")
    gap = abs(float(result["difference"][-1]))
    style.entitle(axes, f"Power to show a difference of {gap:.3f} in r, as compare tests it")
    axes.legend(loc="best")
    return axes
