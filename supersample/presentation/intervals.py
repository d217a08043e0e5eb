"""Table of the intervals of one correlation, by several methods."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from supersample.presentation.labels import metric_labels
from supersample.presentation.rankings import resampled_note
from supersample.presentation.table import Column, Table, Value

HUMAN_ONLY_NOTE = (
    "human-only resamples the human scores of these systems, the metrics staying as they are: how "
    "sure the human scores are, not how sure r is. Its plus-minus form supposes a symmetric "
    "distribution and can pass 1."
)


def intervals_table(intervals: Sequence[xr.Dataset]) -> Table:
    """One row a metric, highest r first: limits by each method, and WMT's plus-minus.

    Parameters
    ----------
    intervals : sequence of xarray.Dataset
        What `correlate`, `bootstrap_intervals` and perhaps `human_only_intervals` gave, on one
        basis; their attribute ``interval`` names them.
    """
    columns = [Column("metric", "metric"), Column("r", "r", ".3f")]
    for own in intervals:
        name = own.attrs["interval"]
        columns += [
            Column(f"lower_{name}", f"{name} from", ".3f"),
            Column(f"upper_{name}", "to", ".3f"),
        ]
        if "plus_minus" in own:
            columns.append(Column("plus_minus", "plus-minus", ".3f"))
    first = intervals[0]
    r = first["r"].to_numpy()[0]
    labels = metric_labels(first)
    rows: list[tuple[Value, ...]] = []
    for i in np.argsort(np.where(np.isnan(r), np.inf, -r), kind="stable"):
        row: list[Value] = [labels[i], float(r[i])]
        for own in intervals:
            names = [name for name in ("lower", "upper", "plus_minus") if name in own]
            row += [float(own[name][0, i]) for name in names]
        rows.append(tuple(row))
    level = f"{100 * first.attrs['confidence_level']:g} %"
    what = first.attrs["coefficient"].capitalize()
    caption = f"{what} correlation over {int(first['n'][0])} systems, {level} intervals"
    return Table(tuple(columns), tuple(rows), caption, _notes(intervals))


def _notes(intervals: Sequence[xr.Dataset]) -> tuple[str, ...]:
    notes = [HUMAN_ONLY_NOTE] if any("plus_minus" in own for own in intervals) else []
    notes += dict.fromkeys(note for own in intervals for note in resampled_note(own))
    for own in intervals:
        undefined = int(own["undefined"].max()) if "undefined" in own else 0
        if undefined:
            notes.append(
                f"{own.attrs['interval']}: up to {undefined} of {own.attrs['resamples']} resamples "
                "have no r, as what they drew does not vary, and are left out."
            )
    return tuple(notes)
