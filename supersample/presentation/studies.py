"""Tables and figures of coverage studies and of plans."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.presentation import style
from supersample.presentation.labels import level_of
from supersample.presentation.table import Column, Table, number_table, spread

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


def coverage_table(result: xr.Dataset, quantity: str = "difference") -> Table:
    """One row for each setting and procedure: coverage of the estimand, width, rejections."""
    columns = {
        "estimand": Column("estimand", number=".3f"),
        "coverage": Column("coverage", number=".3f"),
        "coverage_error": Column("coverage_error", "±", ".3f"),
        "below": Column("below", "misses below", ".3f"),
        "above": Column("above", number=".3f"),
        "width": Column("width", number=".3f"),
        "rejected": Column("rejected", number=".3f"),
        "rejected_error": Column("rejected_error", "±", ".3f"),
    }
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
    intervals = [
        str(name)
        for name in part["procedure"].to_numpy()
        if part["coverage"].sel(procedure=name).notnull().any()
    ]
    settings = [str(name) for name in part["setting"].to_numpy()]
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
        axes.errorbar(
            sizes,
            part["power"].to_numpy(),
            yerr=2 * part["power_error"].to_numpy(),
            marker="o",
            ms=3.5,
            lw=1.3,
            color=colours[i % len(colours)],
            label=f"{int(segments):,} segments",
        )
    axes.axhline(result.attrs["power"], color="black", lw=0.8, ls=":")
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(int(n)) for n in sizes], fontsize=style.LABEL_SIZE)
    axes.minorticks_off()
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("systems")
    axes.set_ylabel("power")
    axes.set_title(
        f"Power to detect the difference, {result.attrs['method']}", loc="left", fontsize=10
    )
    axes.legend(frameon=False, fontsize=style.LABEL_SIZE, loc="lower right")
    return figure
