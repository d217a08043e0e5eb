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
    named = {"r": "r", "z": "Fisher's z"}
    pairs = sorted(zip(result["scale"].to_numpy(), result["test"].to_numpy(), strict=True))
    notes = (f"{test}: interval of the difference of {named[of]}." for of, test in pairs if of)
    return Table(columns, rows, caption, tuple(notes))
