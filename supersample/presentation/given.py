"""Table of the tests of two correlations given as numbers."""

import xarray as xr

from supersample.presentation.table import Column, Table, Value


def given_table(result: xr.Dataset) -> Table:
    """One row a test: statistic, p-value, and limits where it has an interval."""
    columns = (
        Column("test", "test"),
        Column("statistic", "statistic", ".4f"),
        Column("p_value", "p", ".4g"),
        Column("lower", "from", ".4f"),
        Column("upper", "to", ".4f"),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (str(test), *(float(result[column.field][i]) for column in columns[1:]))
        for i, test in enumerate(result["test"].to_numpy())
    )
    level = f"{100 * result.attrs['confidence_level']:g} %"
    alternative = result.attrs["alternative"]
    sides = "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"
    caption = f"Difference of two correlations, {sides} p, {level} intervals"
    scales = ["zou2007: interval of the difference of r."] if "zou2007" in result["test"] else []
    if "meng1992" in result["test"]:
        scales.append("meng1992: interval of the difference of Fisher's z.")
    return Table(columns, rows, caption, tuple(scales))
