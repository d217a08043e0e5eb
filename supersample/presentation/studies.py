"""Tables and figures of coverage studies and of plans."""

import math

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.presentation.style import BLUE, GREEN, GREY, LABEL_SIZE, ORANGE, styled
from supersample.presentation.table import Column, Table, Value

HONEST = (0.93, 0.97)
"""Coverage that a nominal 95 % interval may have and still be called honest."""

NO_DIFFERENCE = 0.005
"""Below it a difference that was found by simulation, to about 0.001, is taken for none."""

_ACROSS = 7  # panels in a row

COVERAGE_NOTE = (
    "Each interval is scored against the estimand that it names: METHOD:UNIT:ESTIMAND. Rejections "
    "are type I errors where the estimand is 0 and power elsewhere. ± one Monte-Carlo standard "
    "error."
)


def coverage_table(found: xr.Dataset, quantity: str = "difference") -> Table:
    """One row a setting and procedure: the estimand, coverage, misses, width and rejections."""
    columns = (
        Column("setting", "setting"),
        Column("systems", "systems"),
        Column("segments", "segments"),
        Column("procedure", "procedure"),
        Column("estimand", "estimand", ".3f"),
        Column("coverage", "coverage", ".3f"),
        Column("coverage_error", "±", ".3f"),
        Column("below", "misses below", ".3f"),
        Column("above", "above", ".3f"),
        Column("width", "width", ".3f"),
        Column("rejected", "rejected", ".3f"),
        Column("rejected_error", "±", ".3f"),
        Column("undefined", "undefined"),
    )
    rows: list[tuple[Value, ...]] = []
    own = found.sel(quantity=quantity)
    for setting in own["setting"].to_numpy():
        for name in own["procedure"].to_numpy():
            one = own.sel(setting=setting, procedure=name)
            if math.isnan(one["coverage"]) and math.isnan(one["rejected"]):
                continue
            sizes = int(one["systems"]), int(one["segments"])
            numbers = [float(one[column.field]) for column in columns[4:-1]]
            rows.append((str(setting), *sizes, str(name), *numbers, int(one["undefined"])))
    what = "r of the first metric" if quantity == "r" else "the difference of both metrics' r"
    level = f"{100 * found.attrs['confidence_level']:g} %"
    caption = f"{level} intervals for {what}, {found.attrs['replicates']:,} samples a setting"
    return Table(columns, tuple(rows), caption, (COVERAGE_NOTE,))


def coverage_figure(found: xr.Dataset, quantity: str = "difference") -> Figure:
    """Coverage of every interval in every setting, a column an interval, two errors to each side.

    Parameters
    ----------
    found : xarray.Dataset
        What `coverage` gave.
    quantity : {"difference", "r"}

    Returns
    -------
    matplotlib.figure.Figure
    """
    own = found.sel(quantity=quantity)
    intervals = [
        str(name)
        for name in own["procedure"].to_numpy()
        if own["coverage"].sel(procedure=name).notnull().any()
    ]
    settings = own["setting"].to_numpy()
    level = found.attrs["confidence_level"]
    down = -(-len(intervals) // _ACROSS)
    across = -(-len(intervals) // down)
    with styled():
        size = 3.0 + 1.45 * across, 0.6 + down * (1.0 + 0.24 * max(4, len(settings)))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(down, across, sharey=True, squeeze=False)
        for axes in panels.ravel()[len(intervals) :]:
            axes.set_visible(False)
        for axes, name in zip(panels.ravel(), intervals, strict=False):
            _draw_coverage(axes, own.sel(procedure=name), level)
            axes.set_title("\n".join(name.split(":")), fontsize=LABEL_SIZE)
        for row in panels:
            row[0].set_yticks(range(len(settings)), settings, fontsize=LABEL_SIZE)
            row[0].set_ylim(len(settings) - 0.5, -0.5)
        what = "r" if quantity == "r" else "differences of r"
        figure.supxlabel(
            f"coverage of {100 * level:g} % intervals for {what} (band: {HONEST[0]:.0%} to "
            f"{HONEST[1]:.0%})",
            fontsize=LABEL_SIZE + 1,
        )
    return figure


def _draw_coverage(axes: Axes, own: xr.Dataset, level: float) -> None:
    covered, error = own["coverage"].to_numpy(), own["coverage_error"].to_numpy()
    at = np.arange(covered.size)
    honest = (covered >= HONEST[0]) & (covered <= HONEST[1])
    axes.axvspan(*HONEST, color=GREEN, alpha=0.15, lw=0)
    axes.axvline(level, color=GREY, lw=0.8)
    for chosen, colour in ((honest, GREEN), (~honest, ORANGE)):
        reach = 2 * error[chosen]
        axes.errorbar(covered[chosen], at[chosen], xerr=reach, fmt="o", ms=3.5, lw=1, color=colour)
    axes.set_xlim(min(0.85, float(np.nanmin(covered)) - 0.05), 1.005)
    axes.tick_params(axis="x", labelsize=LABEL_SIZE)


def rejection_figure(found: xr.Dataset) -> Figure:
    """How often each procedure rejects equality: type I error and power, a row a setting."""
    own = found.sel(quantity="difference")
    settings = own["setting"].to_numpy()
    names = own["procedure"].to_numpy()
    is_null = np.abs(own["estimand"].isel(procedure=0).to_numpy()) < NO_DIFFERENCE
    with styled():
        figure = Figure(
            figsize=(2.6 + 0.55 * len(names), 3.6 + 0.26 * len(settings)), layout="constrained"
        )
        axes = figure.subplots()
        shares = own["rejected"].transpose("setting", "procedure").to_numpy()
        axes.imshow(shares, aspect="auto", cmap="Blues", vmin=0, vmax=1)
        for i in range(len(settings)):
            for j in range(len(names)):
                if not math.isnan(shares[i, j]):
                    colour = "white" if shares[i, j] > 0.6 else "black"
                    text = f"{shares[i, j]:.2f}"
                    axes.text(
                        j, i, text, ha="center", va="center", color=colour, fontsize=LABEL_SIZE
                    )
        labels = [
            f"{name} ({'type I' if null else 'power'})"
            for name, null in zip(settings, is_null, strict=True)
        ]
        axes.set_yticks(range(len(settings)), labels, fontsize=LABEL_SIZE)
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=LABEL_SIZE)
        axes.set_title("share of samples in which equality is rejected", fontsize=LABEL_SIZE + 1)
    return figure


def plan_table(found: xr.Dataset) -> Table:
    """One row a number of segments: the difference, the systems needed, and the power at each."""
    sizes = [int(n) for n in found["systems"].to_numpy()]
    columns = (
        Column("segments", "segments"),
        Column("difference", "difference of r", "+.4f"),
        Column("systems_needed", "systems needed", ".0f"),
        *(Column(f"power_{n}", f"{n}", ".2f") for n in sizes),
    )
    rows = []
    for i, segments in enumerate(found["segments"].to_numpy()):
        own = found.isel(segments=i)
        numbers = [float(own[name]) for name in ("difference", "systems_needed")]
        powers = [float(value) for value in own["power"].to_numpy()]
        rows.append((int(segments), *numbers, *powers))
    attrs = found.attrs
    caption = (
        f"Systems needed to detect the difference with power {attrs['power']:g} by "
        f"{attrs['method']}; power by number of systems"
    )
    worst = float(found["power_error"].max())
    notes = [
        f"{attrs['replicates']:,} samples of each size from {attrs['population']}; a power is "
        f"known to ± {worst:.3f}."
    ]
    if np.isnan(found["systems_needed"].to_numpy()).any():
        notes.append(f"Where nothing is said, more than {sizes[-1]} systems are needed.")
    return Table(columns, tuple(rows), caption, tuple(notes))


def plan_figure(found: xr.Dataset) -> Figure:
    """Power against the number of systems, a line for each number of segments."""
    with styled():
        figure = Figure(figsize=(6.0, 3.8), layout="constrained")
        axes = figure.subplots()
        sizes = found["systems"].to_numpy()
        colours = [BLUE, ORANGE, GREEN, GREY]
        for i, segments in enumerate(found["segments"].to_numpy()):
            own = found.isel(segments=i)
            axes.errorbar(
                sizes,
                own["power"].to_numpy(),
                yerr=2 * own["power_error"].to_numpy(),
                marker="o",
                ms=3.5,
                lw=1.3,
                color=colours[i % len(colours)],
                label=f"{int(segments):,} segments",
            )
        axes.axhline(found.attrs["power"], color="black", lw=0.8, ls=":")
        axes.set_xscale("log")
        axes.set_xticks(sizes, [str(int(n)) for n in sizes], fontsize=LABEL_SIZE)
        axes.minorticks_off()
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("systems")
        axes.set_ylabel("power")
        axes.set_title(
            f"Power to detect the difference, {found.attrs['method']}", loc="left", fontsize=10
        )
        axes.legend(frameon=False, fontsize=LABEL_SIZE, loc="lower right")
    return figure
