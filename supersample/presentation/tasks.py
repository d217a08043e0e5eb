"""Tables of shared tasks: metrics by tasks, with clusters, as the tasks print them."""

import numpy as np
import xarray as xr

from supersample.presentation.accuracies import CLUSTER_NOTE
from supersample.presentation.labels import legend, marked_labels, names_of
from supersample.presentation.survivors import told_of_all
from supersample.presentation.table import (
    Column,
    Filled,
    Table,
    number_table,
    pair_table,
    spread,
    table_of,
)

_FLAGS = ("baseline", "contrastive", "reference_free")
_NOTES = {
    "baseline": "Baselines are underlined",
    "contrastive": "contrastive metrics in parentheses",
    "reference_free": "metrics without a reference starred",
}


def tasks_table(result: xr.Dataset) -> Table:
    """One row for each metric: what it is, its average, and value, rank and cluster of each task.

    For machines: numbers in full precision, no marks.
    """
    names = ["value", "rank", "cluster", "wins"]
    flat, columns = spread(result[[*names, "average_rank", *_FLAGS]], "measure", names)
    return number_table([flat], ["metric"], ["metric", *_FLAGS, "average_rank", *columns])


def task_comparisons_table(result: xr.Dataset) -> Table:
    """One row for each task and pair of metrics, as `pair_table` orders them."""
    parts = []
    for t in range(result.sizes["measure"]):
        selected = result.isel(measure=t)
        order = np.argsort(-selected["value"].to_numpy(), kind="stable")
        parts.append(selected.isel(metric=order, other_metric=order))
    numbers = ["difference", "difference_lower", "difference_upper", "p_value", "p_holm", "p_bh"]
    names = ["measure", "metric", "other_metric", *numbers, "significant", "identical"]
    alternative = str(result.attrs["alternative"])
    return pair_table(parts, names, alternative=alternative, caption="Differences")


def printed_tasks(result: xr.Dataset, *, compact: bool = False) -> Table:
    """Lay the tasks out as the shared tasks print them: cluster and value, metrics best first.

    Tasks stand under numbers that the notes explain. Clusters and values have a column each;
    compact, for a terminal, they share one.
    """
    names = marked_labels(result)
    free, contrastive = result["reference_free"].to_numpy(), result["contrastive"].to_numpy()
    marked = [
        f"({name})" if other else name
        for name, other in zip(
            [f"{n}*" if star else n for n, star in zip(names, free, strict=True)],
            contrastive,
            strict=True,
        )
    ]
    columns: list[Filled] = [(Column("metric"), marked)]
    labels = names_of(result, "measure")
    for t, label in enumerate(labels):
        part = result.isel(measure=t)
        title = label if t == 0 else str(t)
        if compact:
            columns.append((Column(label, title), _cells(part)))
        else:
            columns += [
                (Column(f"cluster_{label}", "#"), part["cluster"]),
                (Column(label, title, ".3f"), part["value"]),
            ]
        if t == 0:
            columns.append((Column("average_rank", "mean #", ".2f"), result["average_rank"]))
    table = table_of(columns, str(result.attrs["title"]), _notes(result))
    baselines = np.flatnonzero(result["baseline"].to_numpy())
    return Table(table.columns, table.rows, table.caption, table.notes, tuple(baselines.tolist()))


def conclusion(result: xr.Dataset) -> str:
    """Conclude on the average of all metrics at once; empty without one."""
    told = told_of_all(result.isel(measure=0))
    level = f"{100 * (1 - result.attrs['significance_level']):g} %"
    return told and f"On average, adjusted for all metrics: {told} ({level})."


def _cells(part: xr.Dataset) -> list[str]:
    """Cluster and value of each metric, blank where it has none."""
    pairs = zip(part["cluster"].to_numpy(), part["value"].to_numpy(), strict=True)
    return ["" if np.isnan(r) else f"{r:2.0f} {value:6.3f}" for r, value in pairs]


def _notes(result: xr.Dataset) -> list[str]:
    facts = result.attrs
    marks = [text for flag, text in _NOTES.items() if result[flag].to_numpy().any()]
    weights = [f"{weight:.4g}" for weight in result["weight"].to_numpy()[1:]]
    tasks = zip(names_of(result, "measure")[1:], weights, strict=True)
    numbered = [f"{t}: {name}, weight {weight}." for t, (name, weight) in enumerate(tasks, start=1)]
    sided = "one-sided" if facts["alternative"] != "two-sided" else "two-sided"
    return [
        *numbered,
        f"# is the significance cluster: {facts['resamples']:,} swaps, {sided} p ≤ "
        f"{facts['significance_level']:g}, unadjusted; mean # its weighted mean over tasks. "
        f"{CLUSTER_NOTE}",
        "The average takes r as (r + 1) / 2.",
        *([f"{'; '.join(marks)}."] if marks else []),
        *legend(result),
    ]
