"""Tables of intervals and tests of correlations by several methods."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from supersample.presentation.labels import level_of, metric_labels
from supersample.presentation.notes import resampled_note
from supersample.presentation.table import COLUMNS, Column, Filled, Table, number_table, table_of

HUMAN_ONLY_NOTE = (
    "human-only resamples the human scores of these systems, the metrics staying as they are: how "
    "sure the human scores are, not how sure r is. Its plus-minus form supposes a symmetric "
    "distribution and can pass 1."
)


def intervals_table(intervals: Sequence[xr.Dataset]) -> Table:
    """One row for each metric, highest r first: limits by each method, and WMT's plus-minus.

    The intervals are those of `every_interval`, whose attribute ``interval`` names them.
    """
    first = intervals[0]
    r = first["value"].to_numpy()[0]
    order = np.argsort(-r, kind="stable")  # NaN last
    columns: list[Filled] = [
        (Column("metric"), np.array(metric_labels(first))[order]),
        (Column("r", "r", ".3f"), r[order]),
    ]
    for result in intervals:
        name = result.attrs["interval"]
        headings = {
            "lower": Column(f"lower_{name}", f"{name} from", ".3f"),
            "upper": Column(f"upper_{name}", "to", ".3f"),
            "plus_minus": Column("plus_minus", "plus-minus", ".3f"),
        }
        columns += [
            (column, result[limit].to_numpy()[0, order])
            for limit, column in headings.items()
            if limit in result
        ]
    caption = (
        f"{first.attrs['coefficient'].capitalize()} correlation over {int(first['n'][0])} systems, "
        f"{level_of(first)} intervals"
    )
    return table_of(columns, caption, _notes(intervals))


def _notes(intervals: Sequence[xr.Dataset]) -> list[str]:
    notes = [HUMAN_ONLY_NOTE] if any("plus_minus" in result for result in intervals) else []
    notes += dict.fromkeys(note for result in intervals for note in resampled_note(result))
    for result in intervals:
        undefined = int(result["undefined"].max()) if "undefined" in result else 0
        if undefined:
            notes.append(
                f"{result.attrs['interval']}: up to {undefined} of {result.attrs['resamples']} "
                "resamples have no r, as what they drew does not vary, and are left out."
            )
    return notes


def numbers_table(result: xr.Dataset) -> Table:
    """Compare two correlations that were entered as numbers: one row for each test."""
    limits = {"lower": Column("lower", "from", ".4f"), "upper": Column("upper", "to", ".4f")}
    names = ["test", "statistic", "p_value", *limits]
    alternative = result.attrs["alternative"]
    sides = "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"
    caption = f"Difference of two correlations, {sides} p, {level_of(result)} intervals"
    named = {"r": "r", "z": "Fisher's z"}
    pairs = sorted(zip(result["scale"].to_numpy(), result["test"].to_numpy(), strict=True))
    notes = [f"{test}: interval of the difference of {named[of]}." for of, test in pairs if of]
    return number_table([result], ["test"], names, COLUMNS | limits, caption, notes)
