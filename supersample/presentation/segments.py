"""Tables of agreement on segments; triangles, pairs and summaries are those of accuracies."""

import numpy as np
import xarray as xr

from supersample.presentation import labels
from supersample.presentation.accuracies import CLUSTER_NOTE
from supersample.presentation.rankings import groups_title
from supersample.presentation.table import Column, Filled, Table, number_table, spread, table_of

_NUMBERS = (
    "value",
    "lower",
    "upper",
    "optimism",
    "threshold",
    "undefined_groups",
    "rank",
    "wins",
    "cluster",
    "p_best",
)
PAIRS = "perm-pairs"
PAIRS_NOTE = (
    f"{PAIRS}: pairs that share a translation are right together, so that this test rejects "
    "about 15 % of equal metrics at 5 %; --scheme inputs keeps to 5 %, as does what is adjusted "
    "for all metrics within items, by swapping whole segments."
)
_ROUNDING = 1e-10  # thresholds within this are 0 but for rounding


def agreement_table(ranking: xr.Dataset) -> Table:
    """One row for each (group and) metric, with every number, for CSV and JSON."""
    flat, names = spread(ranking, "measure", [name for name in _NUMBERS if name in ranking])
    dims = [*(["group"] if "group" in ranking.dims else []), "metric"]
    return number_table([flat], dims, [*dims, "higher_is_better", *names])


def printed_agreement(ranking: xr.Dataset) -> Table:
    """Lay agreement out for a page or a terminal; of several groups, the average and each."""
    whole = labels.on_average(ranking)
    columns: list[Filled] = [(Column("metric"), labels.marked_labels(ranking))]
    for kind in labels.names_of(ranking, "measure"):
        selected = whole.sel(measure=kind)
        columns += [
            (Column(f"rank_{kind}", "#"), selected["rank"]),
            (Column(kind, kind, ".4f"), selected["value"]),
        ]
        for limit, heading in (("lower", "from"), ("upper", "to")):
            if limit in selected:
                columns.append((Column(f"{limit}_{kind}", heading, ".4f"), selected[limit]))
        if "_eq" in kind and "group" not in ranking.dims:
            ties = selected["threshold"].where(~(selected["threshold"] < _ROUNDING), 0.0)
            columns.append((Column(f"threshold_{kind}", "ties to", ".4g"), ties))
        if "optimism" in ranking and "_eq" in kind:
            columns.append((Column(f"optimism_{kind}", "optimism", ".4f"), selected["optimism"]))
        if "cluster" in ranking:
            columns.append((Column(f"cluster_{kind}", "cluster"), selected["cluster"]))
    for group in labels.shown_groups(ranking)[1:]:
        for kind in labels.names_of(ranking, "measure"):
            values = ranking["value"].sel(group=group, measure=kind)
            columns.append((Column(f"{kind}_{group}", f"{kind}, {group}", ".4f"), values))
    return table_of(columns, caption(ranking), [*labels.legend(ranking), *notes(ranking)])


def caption(ranking: xr.Dataset) -> str:
    """Name what the agreement is on; systems of several groups are not summed."""
    counts = ranking[["systems", "segments", "translations"]].isel(measure=0)
    whole = labels.on_average(counts)
    sizes = f"{int(whole['translations']):,} translations of {int(whole['segments']):,} segments"
    if "group" not in ranking.dims:
        return f"Agreement on segments: {sizes} by {int(whole['systems'])} systems"
    least, most = (int(f(counts["systems"].to_numpy()[1:])) for f in (np.min, np.max))
    systems = str(most) if least == most else f"{least} to {most}"
    over = f"average over {groups_title(ranking)}"
    return f"Agreement on segments, {over}: {sizes}, {systems} systems in each"


def notes(ranking: xr.Dataset) -> list[str]:
    """Say what is left out, and what the tests and clusters tell."""
    of_pairs = PAIRS in ranking.attrs["method"]
    return [*undefined_notes(ranking), *([PAIRS_NOTE] if of_pairs else []), CLUSTER_NOTE]


def undefined_notes(ranking: xr.Dataset) -> list[str]:
    """Say of each statistic in how many groups metrics have no value."""
    lines = []
    whole = labels.on_average(ranking)
    for kind in labels.names_of(ranking, "measure"):
        selected = whole.sel(measure=kind)
        counts = selected["undefined_groups"].to_numpy()
        if counts.any():
            worst = int(np.argmax(counts))
            name = labels.names_of(selected, "metric")[worst]
            lines.append(
                f"{kind}: left out where scores are constant or alone, {int(counts.min()):,} to "
                f"{int(counts.max()):,} groups of a metric (most: {name})."
            )
    return lines
