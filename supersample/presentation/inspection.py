"""What Scores hold, as tables."""

import xarray as xr

from supersample.presentation.labels import metric_labels
from supersample.presentation.table import Column, Table, Value

_SAID = (
    "systems_left_out",
    "metrics_left_out",
    "segments_left_out",
    "names_matched",
    "segment_order",
    "added_notes",
)


def inspection_tables(inspected: xr.Dataset) -> list[Table]:
    """Tables of the metrics and of the systems.

    Parameters
    ----------
    inspected : xarray.Dataset
        What `inspect_scores` gave.
    """
    facts = inspected.attrs
    columns = (
        Column("metric", "metric"),
        Column("higher_is_better", "higher is better"),
        Column("missing", "missing"),
        Column("lowest", "lowest", ".4g"),
        Column("highest", "highest", ".4g"),
        Column("r", "r, systems", ".3f"),
        Column("seems_reversed", "seems reversed"),
    )
    rows: list[tuple[Value, ...]] = [
        (label, *(inspected[column.field].to_numpy()[i].item() for column in columns[1:]))
        for i, label in enumerate(metric_labels(inspected))
    ]
    notes = [f"mask: {facts['mask']}", f"scores a metric: {facts['scores']}"]
    notes += [f"{name.replace('_', ' ')}: {facts[name]}" for name in _SAID if facts.get(name)]
    own = inspected["metric"].to_numpy()[inspected["of_corpus"].to_numpy()]
    corpora = ", ".join(map(str, own))
    if corpora:
        notes.append(f"of a corpus, lowest and highest being those of systems: {corpora}")
    reversed_ = [str(row[0]) for row in rows if row[6]]
    if reversed_:
        notes.append(
            f"r is negative as declared for {', '.join(reversed_)}: lower is better, or bad"
        )
    caption = f"{facts.get('source', 'scores')}, human scores '{facts.get('human', 'human')}'"
    systems = Table(
        (Column("system", "system"), Column("rated", "segments rated")),
        tuple(
            (str(name), int(count))
            for name, count in zip(
                inspected["system"].to_numpy(), inspected["rated"].to_numpy(), strict=True
            )
        ),
    )
    return [systems, Table(columns, tuple(rows), caption, tuple(notes))]
