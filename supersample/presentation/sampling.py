"""Tables and figures of sampling distributions of r, of coverage studies, and of plans."""

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.presentation import style
from supersample.presentation.labels import level_of, names_of
from supersample.presentation.table import Column, Table, number_table, spread

ROWS = {
    "exact": ("r of samples", "exact"),
    "simulated": ("r of samples", "simulated"),
    "exact for rho": ("population's r", "exact"),
    "fisher": ("population's r", "Fisher"),
    "symmetric": ("population's r", "symmetric"),
}

HONEST = (0.93, 0.97)
"""Coverage that a nominal 95 % interval may have and still be called honest."""

NO_DIFFERENCE = 0.005
"""A smaller simulated difference, exact to about 0.001, counts as none."""

_ACROSS = 7  # panels in a row

COVERAGE_NOTE = (
    "Each interval is scored against the estimand that it names: METHOD:UNIT:ESTIMAND. Rejections "
    "are type I errors where the estimand is 0 and power elsewhere. ± one Monte-Carlo standard "
    "error."
)


def sampling_table(result: xr.Dataset) -> Table:
    """One row for each interval: what it is of, its limits, and how far they lie from r."""
    columns = {
        "of": Column("of", "interval of"),
        "method": Column("interval", "method"),
        "lower": Column("lower", "from", ".4f"),
        "upper": Column("upper", "to", ".4f"),
        "below": Column("below", "below r", ".4f"),
        "above": Column("above", "above r", ".4f"),
    }
    r, level = float(result.attrs["r"]), level_of(result)
    of, methods = zip(*ROWS.values(), strict=True)
    shown = result.sel(interval=list(ROWS)).assign(
        of=("interval", list(of)), method=("interval", list(methods))
    )
    shown = shown.assign(below=r - shown["lower"], above=shown["upper"] - r)
    caption = f"r = {r:g} over n = {result.attrs['n']} systems, {level} intervals"
    notes = [
        f"r of samples: where {level} of samples' r fall if the population's is {r:g}; simulated: "
        f"{result.attrs['draws']:,} samples of {result.attrs['population']}.",
        f"population's r: where it may lie if a sample's is {r:g}.",
    ]
    if float(result["upper"].sel(interval="symmetric")) > 1:
        notes.append("symmetric: takes r as normal, and so reaches beyond 1, where no r can be.")
    return number_table([shown], ["interval"], list(columns), columns, caption, notes)


def moments_line(result: xr.Dataset) -> str:
    """Skew, mean and standard deviation of r, exact and simulated, in a line."""
    names = {"skew": "skewness", "mean": "mean", "sd": "standard_deviation"}
    return "; ".join(_exact_and_simulated(word, result[name], 4) for word, name in names.items())


def _exact_and_simulated(heading: str, values: xr.DataArray, digits: int) -> str:
    exact, simulated = (float(value) for value in values)
    if math.isnan(exact):
        return f"no {heading}"
    return f"{heading} {exact:.{digits}f} exact, {simulated:.{digits}f} simulated"


@style.styled()
def sampling_figure(result: xr.Dataset) -> Figure:
    """Histogram of the simulated r under the exact density, and the intervals below.

    The form of Figure 2 of Graham and Liu (2016).
    """
    r, n = float(result.attrs["r"]), result.attrs["n"]
    figure = Figure(figsize=(6.5, 4.4), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1.25])
    _draw_distribution(above, result)
    above.set_title(f"Sampling distribution of r, population r = {r:g}, n = {n}", loc="left")
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
        axes.plot(at, density, color=style.BLUE, lw=1.5, label="exact density (normal population)")
    r = float(result.attrs["r"])
    axes.axvline(r, color="black", lw=0.8, ls=":")
    limits = result.sel(interval="exact")
    level = level_of(result)
    axes.axvline(float(limits["lower"]), color=style.BLUE, lw=0.8, ls="--", label=f"exact {level}")
    axes.axvline(float(limits["upper"]), color=style.BLUE, lw=0.8, ls="--")
    axes.set_ylabel("density")
    axes.set_ylim(bottom=0)
    axes.legend(
        loc="upper right" if r < 0 else "upper left",  # away from the mode
        edgecolor="none",
        framealpha=0.9,
        fontsize=style.LABEL_SIZE,
        title=_exact_and_simulated("skew", result["skewness"], 2),
        title_fontsize=style.LABEL_SIZE,
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
    style.label_rows(axes, names)
    axes.axvline(r, color="black", lw=0.8, ls=":")
    if float(result["upper"].max()) > 1:
        axes.axvline(1, color=style.GREY, lw=0.8)
    axes.tick_params(axis="y", length=0)


def coverage_table(result: xr.Dataset, quantity: str = "difference") -> Table:
    """One row for each setting and procedure: coverage of the estimand, width, rejections."""
    numbers = ["estimand", "coverage", "coverage_error", "below", "above", "width"]
    numbers += ["rejected", "rejected_error"]
    headings = {"coverage_error": "±", "below": "misses below", "rejected_error": "±"}
    columns = {name: Column(name, headings.get(name), ".3f") for name in numbers}
    rows = result.sel(quantity=quantity).stack(row=("setting", "procedure"), create_index=False)
    measured = rows["coverage"].notnull() | rows["rejected"].notnull()
    names = ["setting", "systems", "segments", "procedure", *columns, "undefined"]
    quantities = {"r": "r of the first metric", "difference": "the difference of both metrics' r"}
    caption = (
        f"{level_of(result)} intervals for {quantities[quantity]}, "
        f"{result.attrs['replicates']:,} samples a setting"
    )
    shown = rows.isel(row=measured.to_numpy())
    return number_table([shown], ["row"], names, columns, caption, [COVERAGE_NOTE])


@style.styled()
def coverage_figure(result: xr.Dataset, quantity: str = "difference") -> Figure:
    """Coverage of every interval in every setting, a column an interval, ± two errors."""
    part = result.sel(quantity=quantity)
    is_interval = part["coverage"].notnull().any("setting")
    intervals = names_of(part.isel(procedure=is_interval.to_numpy()), "procedure")
    settings = names_of(part, "setting")
    level = result.attrs["confidence_level"]
    down = -(-len(intervals) // _ACROSS)
    across = -(-len(intervals) // down)
    size = 3.0 + 1.45 * across, 0.6 + down * (1.0 + 0.24 * max(4, len(settings)))
    figure, panels = style.panel_rows(len(intervals), across, *size, sharey=True)
    for axes, name in zip(panels, intervals, strict=True):
        _draw_coverage(axes, part.sel(procedure=name), level)
        axes.set_title("\n".join(name.split(":")), fontsize=style.LABEL_SIZE)
    for axes in panels[::across]:
        style.label_rows(axes, settings)
    what = "r" if quantity == "r" else "differences of r"
    figure.supxlabel(
        f"coverage of {100 * level:g} % intervals for {what} (band: {HONEST[0]:.0%} to "
        f"{HONEST[1]:.0%})",
        fontsize=style.LABEL_SIZE + 1,
    )
    return figure


def _draw_coverage(axes: Axes, part: xr.Dataset, level: float) -> None:
    covered, error = part["coverage"].to_numpy(), part["coverage_error"].to_numpy()
    at = np.arange(covered.size)
    honest = (covered >= HONEST[0]) & (covered <= HONEST[1])
    axes.axvspan(*HONEST, color=style.GREEN, alpha=0.15, lw=0)
    axes.axvline(level, color=style.GREY, lw=0.8)
    for chosen, colour in ((honest, style.GREEN), (~honest, style.ORANGE)):
        reach = 2 * error[chosen]
        axes.errorbar(covered[chosen], at[chosen], xerr=reach, fmt="o", ms=3.5, lw=1, color=colour)
    axes.set_xlim(min(0.85, float(np.nanmin(covered)) - 0.05), 1.005)
    axes.tick_params(axis="x", labelsize=style.LABEL_SIZE)


@style.styled()
def rejection_figure(result: xr.Dataset) -> Figure:
    """How often each procedure rejects equality: type I error and power, a row a setting."""
    part = result.sel(quantity="difference")
    settings = part["setting"].to_numpy()
    names = part["procedure"].to_numpy()
    is_null = np.abs(part["estimand"].isel(procedure=0).to_numpy()) < NO_DIFFERENCE
    figure, axes = style.one_panel(2.6 + 0.55 * len(names), 3.6 + 0.26 * len(settings))
    shares = part["rejected"].transpose("setting", "procedure").to_numpy()
    axes.imshow(shares, aspect="auto", cmap="Blues", vmin=0, vmax=1)
    for i, j in np.argwhere(np.isfinite(shares)):
        colour = "white" if shares[i, j] > 0.6 else "black"
        text = f"{shares[i, j]:.2f}"
        axes.text(j, i, text, ha="center", va="center", color=colour, fontsize=style.LABEL_SIZE)
    labels = [
        f"{name} ({'type I' if null else 'power'})"
        for name, null in zip(settings, is_null, strict=True)
    ]
    axes.set_yticks(range(len(settings)), labels, fontsize=style.LABEL_SIZE)
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=style.LABEL_SIZE)
    axes.set_title("share of samples in which equality is rejected", fontsize=style.LABEL_SIZE + 1)
    return figure


def plan_table(result: xr.Dataset) -> Table:
    """One row for each number of segments: difference, systems needed, power by systems."""
    facts = result.attrs
    flat, powers = spread(result, "systems", ["power"])
    columns = {
        "segments": Column("segments"),
        "difference": Column("difference", "difference of r", "+.4f"),
        "systems_needed": Column("systems_needed", number=".0f"),
        **{name: Column(name, name.removeprefix("power_"), ".2f") for name in powers},
    }
    caption = (
        f"Systems needed to detect the difference with power {facts['power']:g} by "
        f"{facts['method']}; power by number of systems"
    )
    worst = float(result["power_error"].max())
    notes = [
        f"{facts['replicates']:,} samples of each size from {facts['population']}; a power is "
        f"known to ± {worst:.3f}."
    ]
    if np.isnan(result["systems_needed"].to_numpy()).any():
        most = int(result["systems"][-1])
        notes.append(f"Where nothing is said, more than {most} systems are needed.")
    return number_table([flat], ["segments"], list(columns), columns, caption, notes)


@style.styled()
def plan_figure(result: xr.Dataset) -> Figure:
    """Power against the number of systems, a line for each number of segments."""
    figure, axes = style.one_panel(6.0, 3.8)
    sizes = result["systems"].to_numpy()
    colours = [style.BLUE, style.ORANGE, style.GREEN, style.GREY]
    for i, segments in enumerate(result["segments"].to_numpy()):
        part = result.isel(segments=i)
        reach = 2 * part["power_error"].to_numpy()
        look: dict[str, Any] = {"color": colours[i % len(colours)], "marker": "o", "ms": 3.5}
        label = f"{int(segments):,} segments"
        axes.errorbar(sizes, part["power"].to_numpy(), reach, lw=1.3, label=label, **look)
    axes.axhline(result.attrs["power"], color="black", lw=0.8, ls=":")
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(int(n)) for n in sizes], fontsize=style.LABEL_SIZE)
    axes.minorticks_off()
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("systems")
    axes.set_ylabel("power")
    axes.set_title(f"Power to detect the difference, {result.attrs['method']}", loc="left")
    axes.legend(frameon=False, fontsize=style.LABEL_SIZE, loc="lower right")
    return figure
