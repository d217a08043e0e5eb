"""Contents of Scores, as tables."""

import xarray as xr

from supersample.presentation.labels import metric_labels
from supersample.presentation.table import Column, Table, number_table

_FACTS = (
    "systems_left_out",
    "metrics_left_out",
    "segments_left_out",
    "names_matched",
    "segment_order",
    "added_notes",
)


def inspection_tables(inspected: xr.Dataset) -> list[Table]:
    """Tables of the systems and of the metrics, from what `inspect_scores` gave."""
    facts = inspected.attrs
    columns = {
        "metric": Column("metric"),
        "higher_is_better": Column("higher_is_better"),
        "missing": Column("missing"),
        "lowest": Column("lowest", number=".4g"),
        "highest": Column("highest", number=".4g"),
        "r": Column("r", "r, systems", ".3f"),
        "seems_reversed": Column("seems_reversed"),
    }
    labels = metric_labels(inspected)
    notes = [f"mask: {facts['mask']}", f"scores a metric: {facts['scores']}"]
    notes += [f"{name.replace('_', ' ')}: {facts[name]}" for name in _FACTS if facts.get(name)]
    corpora = inspected["metric"].to_numpy()[inspected["of_corpus"].to_numpy()]
    if corpora.size:
        names = ", ".join(map(str, corpora))
        notes.append(f"of a corpus, lowest and highest being those of systems: {names}")
    reverse = [
        label
        for label, seems in zip(labels, inspected["seems_reversed"].to_numpy(), strict=True)
        if seems
    ]
    if reverse:
        notes.append(f"r is negative as declared for {', '.join(reverse)}: lower is better, or bad")
    caption = f"{facts.get('source', 'scores')}, human scores '{facts.get('human', 'human')}'"
    labelled = inspected.assign_coords(metric=labels)
    counted = {"rated": Column("rated", "segments rated")}
    return [
        number_table([inspected], ["system"], ["system", "rated"], counted),
        number_table([labelled], ["metric"], list(columns), columns, caption, notes),
    ]
