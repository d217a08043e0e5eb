"""Exact correlations of infinitely many hybrids: tables, and what they say in sentences."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from supersample.presentation.table import Column, Table, number_table

PAPER = ("metric", "systems_r", "r", "moved", "within_part", "pdp")
"""Columns for a page of a paper."""
PARTS_NOTE = (
    "r of infinitely many hybrids is the sum of its parts: between (pairs' midpoints; alone it "
    "would give the systems' own r), share (unequal shares) and within (which units are taken)."
)
MIX_NOTE = (
    "r of hybrids is also r of systems and PDP (r of differences within a unit), each times its "
    "weight; equal at: the units of a hybrid for which both weigh the same."
)


def exact_table(exact: xr.Dataset, chosen: Sequence[str] = ()) -> Table:
    """One row for each metric, highest r first: r of systems and hybrids, its parts, precision.

    All columns, or those that are chosen.
    """
    columns = {
        "metric": Column("metric"),
        "systems_r": Column("systems_r", "r, systems", ".4f"),
        "r": Column("r", "r, all hybrids", ".4f"),
        "moved": Column("moved", "difference", "+.4f"),
        "between_part": Column("between_part", "between", ".4f"),
        "share_part": Column("share_part", "share", ".4f"),
        "within_part": Column("within_part", "within", ".4f"),
        "pdp": Column("pdp", "PDP", ".4f"),
        "systems_weight": Column("systems_weight", "weight of r, systems", ".4f"),
        "pdp_weight": Column("pdp_weight", "weight of PDP", ".4f"),
        "balance": Column("balance", "equal at", ".1f"),
        "standard_error": Column("standard_error", f"error of {exact.attrs['n']:,}", ".5f"),
    }
    order = np.argsort(-exact["r"].to_numpy(), kind="stable")  # NaN last
    ordered = exact.assign(moved=exact["r"] - exact["systems_r"]).isel(metric=order)
    caption = "Correlations of infinitely many hybrids"
    names, notes = chosen or list(columns), [PARTS_NOTE, MIX_NOTE]
    return number_table([ordered], ["metric"], names, columns, caption, notes)


def exact_line(exact: xr.Dataset) -> str:
    """Sum up: how far hybrids move r, and how precise n of them are."""
    moved = (exact["r"] - exact["systems_r"]).to_numpy()
    if np.isnan(moved).all():
        return "no metric has an r over infinitely many hybrids"
    error = float(np.nanmax(exact["standard_error"].to_numpy()))
    return (
        f"infinitely many hybrids would move r from the systems' own by {np.nanmin(moved):+.4f} to "
        f"{np.nanmax(moved):+.4f}; {exact.attrs['n']:,} leave a standard error of at most "
        f"{error:.4f}"
    )


def mixture_line(exact: xr.Dataset) -> str:
    """Sum up: with which weights hybrids mix agreement on systems and within segments."""
    if exact["pdp"].isnull().all() or exact["balance"].isnull().all():
        return ""
    ranges = [
        f"{float(exact[name].min()):{form}} to {float(exact[name].max()):{form}}"
        for name, form in (("systems_weight", ".3f"), ("pdp_weight", ".3f"), ("balance", ".1f"))
    ]
    return (
        "hybrids mix agreement on systems, weight {}, and within units (PDP), weight {}; both "
        "weigh the same in hybrids of {} units"
    ).format(*ranges)
