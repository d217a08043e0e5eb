"""Figures of sampling distributions of r, of coverage studies, and of plans."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.errors import check_choice
from supersample.presentation.figures import style
from supersample.presentation.labels import level_of, names_of
from supersample.presentation.studies import ROWS, exact_and_simulated, exact_word

HONEST = (0.93, 0.97)
"""Range of coverage in which a nominal 95 % interval counts as honest."""

NO_DIFFERENCE = 0.005
"""A smaller simulated difference, exact to about 0.001, counts as none."""

QUANTITIES = ("r", "difference")
_MOST_LETTERS = 36  # of names that are written upright


@style.styled()
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
    >>> ax = plot_sampling_distribution(ss.sampling.intervals_of_r(0.9, 12, draws=500))
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


@style.styled()
def plot_coverage(
    result: xr.Dataset,
    procedure: str,
    *,
    quantity: str = "difference",
    ax: Axes | None = None,
    width: style.Width = "acl1",
) -> Axes:
    """Draw the coverage of an interval in every setting, ± two Monte-Carlo standard errors.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `coverage`.
    procedure : str
        Name of a measured interval.
    quantity : {"difference", "r"}, default "difference"
        Quantity of the interval.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl1"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        Marks are green between 93 and 97 % (the band), orange elsewhere.

    Raises
    ------
    InputError
        If the result lacks the procedure or quantity.

    Examples
    --------
    >>> import supersample as ss
    >>> population = ss.sampling.Population([[1.0, 0.9, 0.9], [0.9, 1.0, 0.8], [0.9, 0.8, 1.0]])
    >>> settings = {"12 systems": ss.sampling.Setting(population, 12, 20)}
    >>> result = ss.sampling.coverage(settings, ["bca:systems:observed"], replicates=50)
    >>> ax = plot_coverage(result, "bca:systems:observed")
    >>> ax.get_yticklabels()[0].get_text()
    '12 systems'
    """
    check_choice("quantity", quantity, QUANTITIES)
    intervals = intervals_with(result, quantity)
    check_choice("procedure", procedure, intervals)
    part = result.sel(quantity=quantity, procedure=procedure)
    settings = brief(names_of(part, "setting"))
    axes = style.axes_of(ax, width, 1.1 + 0.17 * len(settings))
    level = result.attrs["confidence_level"]
    _draw_coverage(axes, part, level)
    style.label_rows(axes, settings, most=26)
    of = "r" if quantity == "r" else "the difference of r"
    samples = f"{result.attrs['replicates']:,} samples"
    text = f"coverage in {samples} (band: {HONEST[0]:.0%} to {HONEST[1]:.0%})"
    style.entitle(axes, f"{procedure}: {level_of(result)} intervals of {of}", settings, text)
    return axes


def brief(names: list[str], separator: str = ", ") -> list[str]:
    """Remove the parts, between separators, that all names share."""
    parts = [name.split(separator) for name in names]
    shared = set.intersection(*map(set, parts)) if len(parts) > 1 else set()
    kept = [separator.join(part for part in each if part not in shared) for each in parts]
    return kept if len(set(kept)) == len(kept) and all(kept) else names


def intervals_with(result: xr.Dataset, quantity: str) -> list[str]:
    """Names of the intervals whose coverage of a quantity was measured."""
    part = result.sel(quantity=quantity)
    is_interval = part["coverage"].notnull().any("setting")
    return names_of(part.isel(procedure=is_interval.to_numpy()), "procedure")


@style.styled()
def coverage_panels(
    result: xr.Dataset, quantity: str = "difference", *, width: style.Width = "acl2"
) -> Figure:
    """Draw `plot_coverage` of every interval in a panel of one figure."""
    intervals, settings = intervals_with(result, quantity), names_of(result, "setting")
    inches = style.inches(width)
    across = min(max(1, int((inches - 1.5) / 1.1)), max(1, len(intervals)))
    down = -(-len(intervals) // across)
    size = inches, 0.6 + down * (0.7 + 0.17 * max(3, len(settings)))
    figure, panels = style.panel_rows(len(intervals), across, *size, sharey=True)
    for number, (axes, name) in enumerate(zip(panels, intervals, strict=True)):
        plot_coverage(result, name, quantity=quantity, ax=axes)
        axes.set_title("", loc="left")
        axes.set_title("\n".join(name.split(":")), fontsize=style.LABEL_SIZE)
        axes.set_xlabel("")
        axes.tick_params(labelleft=number % across == 0)
    what = "r" if quantity == "r" else "differences of r"
    style.entitle_figure(
        figure,
        f"Coverage of {level_of(result)} intervals for {what} in {result.attrs['replicates']:,} "
        f"samples (band: {HONEST[0]:.0%} to {HONEST[1]:.0%})",
    )
    return figure


def _draw_coverage(axes: Axes, part: xr.Dataset, level: float) -> None:
    covered, reach = part["coverage"].to_numpy(), 2 * part["coverage_error"].to_numpy()
    axes.axvspan(*HONEST, color=style.GREEN, alpha=0.15, lw=0)
    axes.axvline(level, color=style.GREY, lw=0.8)
    honest = (covered >= HONEST[0]) & (covered <= HONEST[1])
    for chosen, colour in ((honest, style.GREEN), (~honest, style.ORANGE)):
        at = np.flatnonzero(chosen)
        axes.errorbar(covered[at], at, xerr=reach[at], fmt="o", ms=3, lw=1, color=colour)
    axes.set_xlim(min(0.85, float(np.nanmin(covered)) - 0.05), 1.005)


@style.styled()
def plot_rejections(
    result: xr.Dataset, *, ax: Axes | None = None, width: style.Width = "acl2"
) -> Axes:
    """Draw how often each procedure rejects equality: type I error and power.

    Parameters
    ----------
    result : xarray.Dataset
        A result of `coverage`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw into; by default those of a new figure.
    width : {"acl1", "acl2"} or float, default "acl2"
        Width of a new figure: 3.03 or 6.3 inches, or a number of inches.

    Returns
    -------
    matplotlib.axes.Axes
        One row per procedure and one column per setting; shares of samples in hundredths.

    Examples
    --------
    >>> import supersample as ss
    >>> population = ss.sampling.Population([[1.0, 0.9, 0.9], [0.9, 1.0, 0.8], [0.9, 0.8, 1.0]])
    >>> settings = {"12 systems": ss.sampling.Setting(population, 12, 20)}
    >>> ax = plot_rejections(ss.sampling.coverage(settings, ["williams1959"], replicates=50))
    >>> ax.get_xticklabels()[0].get_text()
    '12 systems (type I)'
    """
    part = result.sel(quantity="difference")
    names = brief(names_of(part, "procedure"), ":")
    is_null = np.abs(part["estimand"].isel(procedure=0).to_numpy()) < NO_DIFFERENCE
    settings = [
        f"{name} ({'type I' if null else 'power'})"
        for name, null in zip(brief(names_of(part, "setting")), is_null, strict=True)
    ]
    longest = min(max(map(len, settings)), _MOST_LETTERS)
    axes = style.axes_of(ax, width, 1.0 + 0.07 * longest + 0.17 * len(names))
    shares = part["rejected"].transpose("procedure", "setting").to_numpy()
    look: dict[str, Any] = {"cmap": "Blues", "vmin": 0, "vmax": 1, "most": _MOST_LETTERS}
    style.draw_matrix(axes, shares, settings, names, **look)
    style.write_hundredths(axes, shares, np.nonzero(np.isfinite(shares)), dark=shares > 0.6)
    samples = f"{result.attrs['replicates']:,} samples"
    style.entitle(axes, f"% of {samples} in which equality is rejected", names)
    return axes


@style.styled()
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
    >>> population = ss.sampling.Population([[1.0, 0.95, 0.8], [0.95, 1.0, 0.7], [0.8, 0.7, 1.0]])
    >>> sizes = {"systems": [10, 20], "segments": [50]}
    >>> ax = plot_power(ss.sampling.plan(population, replicates=50, **sizes))
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
