"""Table and figure of a sampling distribution of r and the intervals beside it."""

import math
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.presentation.style import BLUE, GREEN, GREY, LABEL_SIZE, ORANGE, styled
from supersample.presentation.table import Column, Table, Value

ROWS = {
    "exact": ("r of samples", "exact"),
    "simulated": ("r of samples", "simulated"),
    "exact for rho": ("population's r", "exact"),
    "fisher": ("population's r", "Fisher"),
    "symmetric": ("population's r", "symmetric"),
}


def sampling_table(found: xr.Dataset) -> Table:
    """One row an interval: what it is of, its limits, and how far they lie from r."""
    columns = (
        Column("of", "interval of"),
        Column("interval", "method"),
        Column("lower", "from", ".4f"),
        Column("upper", "to", ".4f"),
        Column("below", "below r", ".4f"),
        Column("above", "above r", ".4f"),
    )
    r = float(found.attrs["r"])
    rows: list[tuple[Value, ...]] = []
    for name, (of, method) in ROWS.items():
        one = found.sel(interval=name)
        lower, upper = float(one["lower"]), float(one["upper"])
        rows.append((of, method, lower, upper, r - lower, upper - r))
    level = f"{100 * found.attrs['confidence_level']:g} %"
    caption = f"r = {r:g} over n = {found.attrs['n']} systems, {level} intervals"
    return Table(columns, tuple(rows), caption, tuple(_notes(found, level)))


def _notes(found: xr.Dataset, level: str) -> list[str]:
    notes = [
        f"r of samples: where {level} of samples' r fall if the population's is "
        f"{found.attrs['r']:g}; simulated: {found.attrs['draws']:,} samples of "
        f"{found.attrs['population']}.",
        f"population's r: where it may lie if a sample's is {found.attrs['r']:g}.",
    ]
    if float(found["upper"].sel(interval="symmetric")) > 1:
        notes.append("symmetric: takes r as normal, and so reaches beyond 1, where no r can be.")
    return notes


def moments_line(found: xr.Dataset) -> str:
    """Skew, mean and standard deviation of r, exact and simulated, in a line."""
    parts = []
    for heading, name in (("skew", "skewness"), ("mean", "mean"), ("sd", "standard_deviation")):
        parts.append(_exact_and_simulated(heading, found[name], 4))
    return "; ".join(parts)


def _exact_and_simulated(heading: str, values: xr.DataArray, digits: int) -> str:
    exact, simulated = (float(value) for value in values)
    if math.isnan(exact):
        return f"no {heading}"
    return f"{heading} {exact:.{digits}f} exact, {simulated:.{digits}f} simulated"


def sampling_figure(found: xr.Dataset) -> Figure:
    """Histogram of the simulated r under the exact density, and the intervals below.

    The form of Figure 2 of Graham and Liu (2016).

    Parameters
    ----------
    found : xarray.Dataset
        What `intervals_of_r` gave.

    Returns
    -------
    matplotlib.figure.Figure
    """
    r, n = float(found.attrs["r"]), found.attrs["n"]
    level = f"{100 * found.attrs['confidence_level']:g} %"
    with styled():
        figure = Figure(figsize=(6.5, 4.4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1.25])
        _draw_distribution(above, found)
        above.set_title(f"Sampling distribution of r, population r = {r:g}, n = {n}", loc="left")
        _draw_intervals(below, found)
        below.set_xlim(*_shown(found))
        below.set_xlabel(f"r, with {level} intervals")
    return figure


def _shown(found: xr.Dataset) -> tuple[float, float]:
    """Range of the axis: nearly all of the distribution, and every interval."""
    count, edges = found["count"].to_numpy(), found["edge"].to_numpy()
    share = np.cumsum(count) / count.sum()
    ends = [edges[np.searchsorted(share, 0.001)], edges[np.searchsorted(share, 0.999) + 1]]
    low = min(ends[0], float(found["lower"].min()))
    high = max(ends[1], float(found["upper"].max()))
    if abs(float(found.attrs["r"])) == 1:  # everything is there, beside which some room is left
        low, high = edges[0], edges[-1]
    margin = 0.03 * (high - low)
    return low - margin, high + margin


def _draw_distribution(axes: Axes, found: xr.Dataset) -> None:
    edges, count = found["edge"].to_numpy(), found["count"].to_numpy()
    heights = count / (count.sum() * np.diff(edges))
    drawn = f"{found.attrs['draws']:,} simulated samples"
    axes.stairs(heights, edges, fill=True, color=BLUE, alpha=0.35, lw=0, label=drawn)
    at, density = found["at"].to_numpy(), found["density"].to_numpy()
    if np.isfinite(density).all():  # for |r| = 1 there is none
        axes.plot(at, density, color=BLUE, lw=1.5, label="exact density (normal population)")
    r = float(found.attrs["r"])
    axes.axvline(r, color="black", lw=0.8, ls=":")
    limits = found.sel(interval="exact")
    level = f"{100 * found.attrs['confidence_level']:g} %"
    axes.axvline(float(limits["lower"]), color=BLUE, lw=0.8, ls="--", label=f"exact {level}")
    axes.axvline(float(limits["upper"]), color=BLUE, lw=0.8, ls="--")
    axes.set_ylabel("density")
    axes.set_ylim(bottom=0)
    axes.legend(
        loc="upper right" if r < 0 else "upper left",  # away from the mode
        edgecolor="none",
        framealpha=0.9,
        fontsize=LABEL_SIZE,
        title=_exact_and_simulated("skew", found["skewness"], 2),
        title_fontsize=LABEL_SIZE,
        alignment="left",
    )


def _draw_intervals(axes: Axes, found: xr.Dataset) -> None:
    colours: dict[str, Any] = {"fisher": GREEN, "exact for rho": GREEN, "symmetric": ORANGE}
    r = float(found.attrs["r"])
    for row, name in enumerate(ROWS):
        one = found.sel(interval=name)
        colour = colours.get(name, BLUE)
        axes.hlines(row, float(one["lower"]), float(one["upper"]), color=colour, lw=2.5)
        axes.plot(r, row, "o", color=colour, ms=3.5)
    names = [f"{method}, {of}" for of, method in ROWS.values()]
    axes.set_yticks(range(len(names)), names, fontsize=LABEL_SIZE)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.axvline(r, color="black", lw=0.8, ls=":")
    if float(found["upper"].max()) > 1:
        axes.axvline(1, color=GREY, lw=0.8)
    axes.tick_params(axis="y", length=0)
