"""Table of the intervals of one correlation, by several methods."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from supersample.presentation.labels import metric_labels
from supersample.presentation.table import Column, Table, Value

HUMAN_ONLY_NOTE = (
    "human-only resamples the human scores of these systems, the metrics staying as they are: how "
    "sure the human scores are, not how sure r is. Its plus-minus form supposes a symmetric "
    "distribution and can pass 1."
)


def intervals_table(intervals: Sequence[xr.Dataset], human_only: xr.Dataset | None) -> Table:
    """One row a metric, highest r first: limits by each method, and WMT's plus-minus.

    Parameters
    ----------
    intervals : sequence of xarray.Dataset
        What `correlate` and `bootstrap_intervals` gave, on one basis; their attribute ``interval``
        names them.
    human_only : xarray.Dataset, optional
        What `human_only_intervals` gave; there is none of system-level scores.
    """
    methods = [*intervals, *([] if human_only is None else [human_only])]
    first = methods[0]
    columns = [Column("metric", "metric"), Column("r", "r", ".3f")]
    for own in methods:
        name = own.attrs["interval"]
        columns += [
            Column(f"lower_{name}", f"{name} from", ".3f"),
            Column(f"upper_{name}", "to", ".3f"),
        ]
    if human_only is not None:
        columns.append(Column("plus_minus", "plus-minus", ".3f"))
    r = first["r"].to_numpy()[0]
    labels = metric_labels(first)
    rows: list[tuple[Value, ...]] = []
    for i in np.argsort(np.where(np.isnan(r), np.inf, -r), kind="stable"):
        row: list[Value] = [labels[i], float(r[i])]
        for own in methods:
            row += [float(own["lower"][0, i]), float(own["upper"][0, i])]
        if human_only is not None:
            row.append(float(human_only["plus_minus"][0, i]))
        rows.append(tuple(row))
    level = f"{100 * first.attrs['confidence_level']:g} %"
    caption = f"{level} intervals of r over {int(first['n'][0])} systems"
    return Table(
        tuple(columns), tuple(rows), caption, () if human_only is None else (HUMAN_ONLY_NOTE,)
    )
