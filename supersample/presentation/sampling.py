"""Table and figure of a sampling distribution of r and the intervals beside it."""

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.presentation.labels import level_of
from supersample.presentation.style import BLUE, GREEN, GREY, LABEL_SIZE, ORANGE, label_rows, styled
from supersample.presentation.table import Column, Table, number_table

ROWS = {
    "exact": ("r of samples", "exact"),
    "simulated": ("r of samples", "simulated"),
    "exact for rho": ("population's r", "exact"),
    "fisher": ("population's r", "Fisher"),
    "symmetric": ("population's r", "symmetric"),
}


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


@styled()
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
    axes.stairs(heights, edges, fill=True, color=BLUE, alpha=0.35, lw=0, label=drawn)
    at, density = result["at"].to_numpy(), result["density"].to_numpy()
    if np.isfinite(density).all():  # |r| = 1 has no density
        axes.plot(at, density, color=BLUE, lw=1.5, label="exact density (normal population)")
    r = float(result.attrs["r"])
    axes.axvline(r, color="black", lw=0.8, ls=":")
    limits = result.sel(interval="exact")
    level = level_of(result)
    axes.axvline(float(limits["lower"]), color=BLUE, lw=0.8, ls="--", label=f"exact {level}")
    axes.axvline(float(limits["upper"]), color=BLUE, lw=0.8, ls="--")
    axes.set_ylabel("density")
    axes.set_ylim(bottom=0)
    axes.legend(
        loc="upper right" if r < 0 else "upper left",  # away from the mode
        edgecolor="none",
        framealpha=0.9,
        fontsize=LABEL_SIZE,
        title=_exact_and_simulated("skew", result["skewness"], 2),
        title_fontsize=LABEL_SIZE,
        alignment="left",
    )


def _draw_intervals(axes: Axes, result: xr.Dataset) -> None:
    colours: dict[str, Any] = {"fisher": GREEN, "exact for rho": GREEN, "symmetric": ORANGE}
    r = float(result.attrs["r"])
    for row, name in enumerate(ROWS):
        one = result.sel(interval=name)
        colour = colours.get(name, BLUE)
        axes.hlines(row, float(one["lower"]), float(one["upper"]), color=colour, lw=2.5)
        axes.plot(r, row, "o", color=colour, ms=3.5)
    names = [f"{method}, {of}" for of, method in ROWS.values()]
    label_rows(axes, names)
    axes.axvline(r, color="black", lw=0.8, ls=":")
    if float(result["upper"].max()) > 1:
        axes.axvline(1, color=GREY, lw=0.8)
    axes.tick_params(axis="y", length=0)
