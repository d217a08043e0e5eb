"""Tables of pairwise accuracies: ranking, comparisons, and the triangle of significant pairs."""

import numpy as np
import xarray as xr

from supersample.presentation import labels, survivors
from supersample.presentation.table import (
    Column,
    Filled,
    Table,
    number_table,
    pair_table,
    spread,
    table_of,
)

CLUSTER_NOTE = (
    "Wins and clusters are unadjusted. Clusters are greedy: a metric that loses to any of the "
    "current one opens the next; members may differ all the same, and metrics of equal accuracy be "
    "in different ones."
)
INTERVAL_NOTE = (
    "SPA and PA have no interval here, as none was validated: the p-values of comparisons carry "
    "the uncertainty. A range over systems left out says how stable a value is, no more."
)
BEST_NOTE = "best: may be the metric of the highest accuracy, after adjustment for all metrics."
NEW = {
    "inputs": "segments",
    "systems": "systems",
    "both": "systems and segments",
}
"""What another draw of would change, by the scheme of swaps."""


def part(ranking: xr.Dataset, measure: str, group: str | None = None) -> xr.Dataset:
    """Select a measure (SPA, PA) and a group, by default the average; metrics best first."""
    selected = ranking.sel(measure=measure)
    if "group" in ranking.dims:
        selected = selected.sel(group=labels.groups_of(ranking)[0] if group is None else group)
    order = np.argsort(-selected["value"].to_numpy(), kind="stable")
    return selected.isel(metric=order, other_metric=order)


def _parts(ranking: xr.Dataset) -> list[xr.Dataset]:
    groups: list[str | None] = [*labels.groups_of(ranking)] or [None]
    kinds = labels.names_of(ranking, "measure")
    return [part(ranking, kind, group) for kind in kinds for group in groups]


def _labels(ranking: xr.Dataset) -> list[str]:
    """Name what distinguishes the parts."""
    return ["measure", *(["group"] if "group" in ranking.dims else [])]


def accuracies_table(ranking: xr.Dataset) -> Table:
    """One row for each (group and) metric, with every number, for CSV and JSON."""
    numbers = ("value", "lower", "upper", "rank", "wins", "cluster", "p_best")
    flat, names = spread(ranking, "measure", [name for name in numbers if name in ranking])
    dims = [*_labels(ranking)[1:], "metric"]
    return number_table([flat], dims, [*dims, "higher_is_better", *names])


def printed_accuracies(ranking: xr.Dataset) -> Table:
    """Lay the accuracies out for a page or a terminal; of several groups, the average and each."""
    kinds = labels.names_of(ranking, "measure")
    average = labels.on_average(ranking)
    columns: list[Filled] = [(Column("metric"), labels.marked_labels(ranking))]
    for kind in kinds:
        selected = average.sel(measure=kind)
        columns += [
            (Column(f"rank_{kind}", "#"), selected["rank"]),
            (Column(kind, kind, ".4f"), selected["value"]),
            (Column(f"best_{kind}", "best"), survivors.best_column(selected)),
            (Column(f"wins_{kind}", "wins"), selected["wins"]),
            (Column(f"cluster_{kind}", "cluster"), selected["cluster"]),
        ]
    for group in labels.shown_groups(ranking)[1:]:
        for kind in kinds:
            values = ranking["value"].sel(group=group, measure=kind)
            columns.append((Column(f"{kind}_{group}", f"{kind}, {group}", ".4f"), values))
    return table_of(columns, caption(ranking), [*labels.legend(ranking), BEST_NOTE, CLUSTER_NOTE])


def caption(ranking: xr.Dataset) -> str:
    """Name what the accuracies are over: '12 systems, 463 segments'."""
    if "group" in ranking.dims:
        count = ranking.sizes["group"] - 1
        return f"Pairwise accuracies, average over {count} groups"
    counts = ranking.isel(measure=0)
    return (
        f"Pairwise accuracies over {int(counts['systems'])} systems, "
        f"{int(counts['segments']):,} segments"
    )


def pair_comparisons_table(ranking: xr.Dataset) -> Table:
    """One row for each measure (and group) and pair of metrics, as `pair_table` orders them."""
    numbers = ["difference", "difference_lower", "difference_upper"]
    numbers += ["p_value", "p_holm", "p_bh", "p_simultaneous"]
    numbers = [*(name for name in numbers if name in ranking), "significant", "identical"]
    names = [*_labels(ranking), "metric", "other_metric", *numbers]
    text = f"Differences, {ranking.attrs['method']}"
    alternative = ranking.attrs["alternative"]
    return pair_table(_parts(ranking), names, alternative=alternative, caption=text)


def triangle_table(ranking: xr.Dataset, measure: str, group: str | None = None) -> Table:
    """Mark the significant pairs in a triangle, as the papers of the WMT metrics task print them.

    One row for each metric, best first; in the column numbered as another metric's row, ``>`` where
    the row's metric is significantly better and ``=`` where it is not.
    """
    selected = part(ranking, measure, group)
    wins = selected["wins_over"].to_numpy()
    rows = range(len(wins))
    columns: list[Filled] = [
        (Column("number", ""), range(1, len(wins) + 1)),
        (Column("metric"), labels.metric_labels(selected)),
        (Column("cluster", "rank"), selected["cluster"]),
        (Column("value", measure, ".4f"), selected["value"]),
    ]
    for j in rows[1:]:
        marks = [(">" if wins[i, j] else "=") if j > i else None for i in rows]
        columns.append((Column(f"against_{j + 1}", str(j + 1)), marks))
    rule = f"p ≤ {selected.attrs['significance_level']:g}"
    if "p_value" not in selected:
        rule = f"its {labels.level_of(selected)} interval leaves out 0"
    note = (
        f"> the row's metric is significantly better than the numbered one "
        f"({selected.attrs['method']}, {rule}), = it is not; rank: greedy cluster."
    )
    of = "" if group is None else f", {group}"
    text = f"{measure} and significant pairs{of}"
    return table_of(columns, text, [note, *labels.added_note(selected)])


def summary_table(ranking: xr.Dataset) -> Table:
    """Count distinct values, significant pairs and clusters, with the most there could be.

    The form of Table 1 of Thompson et al. (2024). The most count metrics of identical scores once,
    but significant pairs are those among all metrics, as there.
    """
    counts = ["systems", "metrics", "distinct_values", "significant_pairs", "clusters"]
    names = [*_labels(ranking), *counts, "distinct_metrics", "most_pairs"]
    parts = []
    for selected in _parts(ranking):
        most = int(selected["distinct_metrics"])
        pairs = most * (most - 1) // 2
        parts.append(selected.assign(metrics=selected.sizes["metric"], most_pairs=pairs))
    columns = {
        "measure": Column("measure", "measure"),
        "most_pairs": Column("most_pairs", "pairs of those"),
    }
    return number_table(parts, [], names, columns, "Significant comparisons")


def summary_lines(ranking: xr.Dataset) -> list[str]:
    """Count values, significant pairs and clusters of each measure; name identical metrics."""
    lines, kinds = [], labels.names_of(ranking, "measure")
    for kind in kinds:
        selected = part(ranking, kind)
        count = selected.sizes["metric"]
        pairs = labels.pairs_that_differ(int(selected["significant_pairs"]), count)
        lines.append(
            f"{kind}: {int(selected['distinct_values'])} distinct values of {count} metrics, "
            f"{pairs} ({selected.attrs['method']}), {int(selected['clusters'])} clusters of those"
        )
    lines += conclusions(ranking)
    first = part(ranking, kinds[0])
    names = labels.names_of(first, "metric")
    same = np.argwhere(np.triu(first["identical"].to_numpy(), 1))
    return lines + [f"identical scores: {names[i]} and {names[j]}" for i, j in same]


def conclusions(ranking: xr.Dataset) -> list[str]:
    """Conclude on all metrics at once by each measure, where p-values allow it."""
    if not survivors.is_simultaneous(ranking):
        return []
    kinds = labels.names_of(ranking, "measure")
    return [line for kind in kinds if (line := _survivors_line(ranking, kind))]


def leader_line(ranking: xr.Dataset) -> str:
    """Name the metric of the highest value by the first measure."""
    kind = labels.names_of(ranking, "measure")[0]
    selected = part(ranking, kind)
    value = float(selected["value"][0])
    pairs = labels.pairs_that_differ(int(selected["significant_pairs"]), selected.sizes["metric"])
    average = "average " if "group" in ranking.dims else ""
    return (
        f"{labels.metric_labels(selected)[0]} has the highest {average}{kind} ({value:.3f}); "
        f"{pairs} ({selected.attrs['method']})"
    )


def _survivors_line(ranking: xr.Dataset, kind: str) -> str:
    """Conclude on all metrics at once, by one measure, on average over groups."""
    selected = part(ranking, kind)
    told = survivors.told_of_all(selected)
    drawn = selected.attrs.get("random", "").replace("+", " and ")
    drawn = drawn or NEW.get(selected.attrs["method"].removeprefix("perm-"), "")
    average = ", on average" if "group" in ranking.dims else ""
    level = f"{100 * (1 - selected.attrs['significance_level']):g} %"
    of_all = "" if selected.sizes["metric"] == 2 else ", adjusted for all metrics"
    new = f" on new {drawn}" if drawn else ""
    return told and f"{kind}{new}{average}{of_all}: {told} ({level})."
