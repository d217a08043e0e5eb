"""Tables and figures of a coverage study."""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from supersample.errors import check_choice
from supersample.presentation.figures import style
from supersample.presentation.labels import level_of, names_of
from supersample.presentation.table import Column, Table, number_table
from supersample.results.outputs import Results

HONEST = (0.93, 0.97)
"""Range of coverage in which a nominal 95 % interval counts as honest."""

NO_DIFFERENCE = 0.005
"""A smaller simulated difference, exact to about 0.001, counts as none."""

QUANTITIES = ("r", "difference")
_MOST_LETTERS = 36  # of names that are written upright
COVERAGE_NOTE = (
    "Each interval is compared with the estimand that it names: METHOD:UNIT:ESTIMAND. Rejections "
    "are type I errors where the estimand is 0, and power elsewhere. ± is one Monte-Carlo standard "
    "error."
)


def coverage_results(result: xr.Dataset) -> Results:
    """Prepare a result of `coverage` for a folder."""
    results = Results({"coverage": result}, title="Coverage, type I error and power")
    for of in ("difference", "r"):
        name, table = f"coverage-of-{of}", coverage_table(result, of)
        results.numbers[name] = results.pages[name] = table
        results.facts[name] = result.attrs
        results.figures[f"coverage-of-{of}"] = partial(coverage_panels, result, quantity=of)
    results.figures["rejections"] = partial(plot_rejections, result)
    return results


def coverage_table(result: xr.Dataset, quantity: str = "difference") -> Table:
    """One row for each setting and procedure: coverage of the estimand, width, rejections."""
    columns = (
        *("setting", "systems", "segments", "procedure"),
        Column("estimand", number=".3f"),
        Column("coverage", number=".3f"),
        Column("coverage_error", "±", ".3f"),
        Column("below", "misses below", ".3f"),
        Column("above", number=".3f"),
        Column("width", number=".3f"),
        Column("rejected", number=".3f"),
        Column("rejected_error", "±", ".3f"),
        "undefined",
    )
    rows = result.sel(quantity=quantity).stack(row=("setting", "procedure"), create_index=False)
    measured = rows["coverage"].notnull() | rows["rejected"].notnull()
    quantities = {"r": "r of the first metric", "difference": "the difference of both metrics' r"}
    caption = (
        f"{level_of(result)} intervals for {quantities[quantity]}, "
        f"{result.attrs['replicates']:,} samples for each setting"
    )
    shown = rows.isel(row=measured.to_numpy())
    return number_table([shown], ["row"], columns, caption, [COVERAGE_NOTE])


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
    style.entitle(
        axes, "auto", f"{procedure}: {level_of(result)} intervals of {of}", settings, text
    )
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
    style.entitle(axes, "auto", f"% of {samples} in which equality is rejected", names)
    return axes
