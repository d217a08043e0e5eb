"""Table of the correlations of infinitely many hybrids, and the line that sums it up."""

import numpy as np
import xarray as xr

from supersample.presentation.table import Column, Table, Value

PARTS_NOTE = (
    "r of infinitely many hybrids is the sum of its parts: between (pairs' midpoints; alone it "
    "would give the systems' own r), share (unequal shares) and within (which units are taken)."
)


def exact_table(exact: xr.Dataset) -> Table:
    """One row a metric, highest r first: the systems' r, the hybrids', its parts and precision."""
    columns = (
        Column("metric", "metric"),
        Column("systems_r", "r, systems", ".4f"),
        Column("r", "r, all hybrids", ".4f"),
        Column("moved", "difference", "+.4f"),
        Column("between_part", "between", ".4f"),
        Column("share_part", "share", ".4f"),
        Column("within_part", "within", ".4f"),
        Column("standard_error", f"error of {exact.attrs['n']:,}", ".5f"),
    )
    r = exact["r"].to_numpy()
    values = {column.field: exact[column.field].to_numpy() for column in columns[4:]}
    values |= {"systems_r": exact["systems_r"].to_numpy(), "r": r}
    values["moved"] = r - values["systems_r"]
    rows: list[tuple[Value, ...]] = [
        (
            str(exact["metric"].to_numpy()[i]),
            *(float(values[column.field][i]) for column in columns[1:]),
        )
        for i in np.argsort(np.where(np.isnan(r), np.inf, -r), kind="stable")
    ]
    return Table(columns, tuple(rows), "Correlations of infinitely many hybrids", (PARTS_NOTE,))


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
