"""Tables of pairwise accuracies: ranking, comparisons, and the triangle of significant pairs."""

import numpy as np
import xarray as xr

from supersample.presentation.labels import ADDED_NOTE, added_metrics, metric_labels, note_lines
from supersample.presentation.rankings import tested_pairs
from supersample.presentation.table import Column, Table, Value

CLUSTER_NOTE = (
    "Clusters are greedy: a metric that loses to any of the current one opens the next; members "
    "may differ all the same, and metrics of equal accuracy be in different ones."
)

MOST_SHOWN = 6  # groups besides their average


def groups_of(ranking: xr.Dataset) -> list[str | None]:
    """Labels of the groups, the average first; None alone where there are none."""
    if "group" not in ranking.dims:
        return [None]
    return [str(group) for group in ranking["group"].to_numpy()]


def shown_groups(ranking: xr.Dataset) -> list[str | None]:
    """Choose the groups with tables and figures of their own: a few, else the average alone."""
    groups = groups_of(ranking)
    return groups if len(groups) <= MOST_SHOWN + 1 else groups[:1]


def part(ranking: xr.Dataset, meta_metric: str, group: str | None = None) -> xr.Dataset:
    """Select one meta-metric and group of a ranking, metrics in order of that one's own values."""
    own = ranking.sel(meta_metric=meta_metric)
    if "group" in ranking.dims:
        own = own.sel(group=groups_of(ranking)[0] if group is None else group)
    order = np.argsort(-own["accuracy"].to_numpy(), kind="stable")
    return own.isel(metric=order, other_metric=order)


def accuracies_table(ranking: xr.Dataset) -> Table:
    """One row a metric (and group), every number of it for CSV and JSON."""
    kinds = [str(kind) for kind in ranking["meta_metric"].to_numpy()]
    groups = groups_of(ranking)
    columns = [Column("group", "group")] if groups != [None] else []
    columns += [Column("metric", "metric"), Column("higher_is_better", "higher is better")]
    names = ("accuracy", "rank", "wins", "cluster")
    columns += [Column(f"{name}_{kind}", f"{name} ({kind})") for kind in kinds for name in names]
    rows: list[tuple[Value, ...]] = []
    for group in groups:
        own = ranking if group is None else ranking.sel(group=group)
        for m, metric in enumerate(ranking["metric"].to_numpy()):
            values = [
                own[name].to_numpy()[k, m].item() for k in range(len(kinds)) for name in names
            ]
            label = () if group is None else (group,)
            rows.append((*label, str(metric), bool(ranking["higher_is_better"][m]), *values))
    return Table(tuple(columns), tuple(rows), caption=caption(ranking), notes=(CLUSTER_NOTE,))


def printed_accuracies(ranking: xr.Dataset) -> Table:
    """Lay the accuracies out for a page or a terminal; of several groups, the average and each."""
    kinds = [str(kind) for kind in ranking["meta_metric"].to_numpy()]
    groups = shown_groups(ranking)
    columns = [Column("metric", "metric")]
    for kind in kinds:
        columns += [
            Column(f"rank_{kind}", "#"),
            Column(kind, kind, ".4f"),
            Column(f"wins_{kind}", "wins"),
            Column(f"cluster_{kind}", "cluster"),
        ]
    columns += [Column(f"{kind}_{g}", f"{kind}, {g}", ".4f") for g in groups[1:] for kind in kinds]
    leading = ranking if groups == [None] else ranking.isel(group=0)
    rows = []
    for m, metric in enumerate(metric_labels(ranking)):
        row: list[Value] = [f"{metric}{'' if ranking['higher_is_better'][m] else ' ↓'}"]
        for k in range(len(kinds)):
            own = leading.isel(meta_metric=k, metric=m)
            row += [float(own["rank"]), float(own["accuracy"])]
            row += [int(own["wins"]), float(own["cluster"])]
        others = ranking["accuracy"].isel(metric=m)
        row += [float(others.sel(group=g, meta_metric=kind)) for g in groups[1:] for kind in kinds]
        rows.append(tuple(row))
    lowered = not ranking["higher_is_better"].all()
    legend = ["↓ lower is better; its scores were negated."] if lowered else []
    legend += [ADDED_NOTE] if added_metrics(ranking) else []
    return Table(tuple(columns), tuple(rows), caption(ranking), (*legend, CLUSTER_NOTE))


def caption(ranking: xr.Dataset) -> str:
    """Say what the accuracies are of: '12 systems, 463 segments'."""
    if "group" in ranking.dims:
        count = ranking.sizes["group"] - 1
        return f"Pairwise accuracies, average over {count} groups"
    return (
        f"Pairwise accuracies over {int(ranking['systems'])} systems, "
        f"{int(ranking['segments']):,} segments"
    )


def pair_comparisons_table(ranking: xr.Dataset) -> Table:
    """One row a pair of metrics, meta-metric (and group), as `tested_pairs` has them."""
    groups = groups_of(ranking)
    columns = (
        Column("meta_metric", "meta-metric"),
        *([Column("group", "group")] if groups != [None] else []),
        Column("metric", "metric"),
        Column("other_metric", "other metric"),
        Column("difference", "difference", ".4f"),
        Column("p_value", "p", ".4g"),
        Column("p_holm", "p (Holm)", ".4g"),
        Column("p_bh", "p (Benjamini-Hochberg)", ".4g"),
        Column("significant", "significant"),
        Column("identical", "identical"),
    )
    numbers = ("difference", "p_value", "p_holm", "p_bh")
    rows: list[tuple[Value, ...]] = []
    for kind in map(str, ranking["meta_metric"].to_numpy()):
        for group in groups:
            own = part(ranking, kind, group)
            names = [str(metric) for metric in own["metric"].to_numpy()]
            values = [own[name].to_numpy() for name in numbers]
            flags = [own[name].to_numpy() for name in ("significant", "identical")]
            label = () if group is None else (group,)
            rows += [
                (
                    kind,
                    *label,
                    names[i],
                    names[j],
                    *(float(matrix[i, j]) for matrix in values),
                    *(bool(matrix[i, j]) for matrix in flags),
                )
                for i, j in tested_pairs(values[0], ranking.attrs["alternative"])
            ]
    return Table(columns, tuple(rows), caption=f"Differences, {ranking.attrs['method']}")


def triangle_table(ranking: xr.Dataset, meta_metric: str, group: str | None = None) -> Table:
    """Mark the significant pairs in a triangle, as the papers of the WMT metrics task print them.

    One row a metric, best first; in the column numbered as another metric's row, ``>`` where the
    row's metric is significantly better and ``=`` where it is not.
    """
    own = part(ranking, meta_metric, group)
    names = metric_labels(own)
    wins = own["wins_over"].to_numpy()
    columns = (
        Column("number", ""),
        Column("metric", "metric"),
        Column("cluster", "rank"),
        Column("accuracy", meta_metric, ".4f"),
        *(Column(f"against_{j + 1}", str(j + 1)) for j in range(1, len(names))),
    )
    rows = tuple(
        (
            i + 1,
            name,
            float(own["cluster"][i]),
            float(own["accuracy"][i]),
            *((">" if wins[i, j] else "=") if j > i else None for j in range(1, len(names))),
        )
        for i, name in enumerate(names)
    )
    level = f"{own.attrs['significance_level']:g}"
    notes = (
        f"> the row's metric is significantly better than the numbered one "
        f"({own.attrs['method']}, p ≤ {level}), = it is not; rank: greedy cluster.",
        *((ADDED_NOTE,) if added_metrics(own) else ()),
    )
    of = "" if group is None else f", {group}"
    return Table(columns, rows, f"{meta_metric} and significant pairs{of}", notes)


def summary_table(ranking: xr.Dataset) -> Table:
    """Count distinct values, significant pairs and clusters, with the most there could be.

    The form of Table 1 of Thompson et al. (2024). The most count metrics of identical scores once,
    but significant pairs are those among all metrics, as there.
    """
    groups = groups_of(ranking)
    fields = {
        "systems": "systems",
        "metrics": "metrics",
        "distinct_values": "distinct values",
        "significant_pairs": "significant pairs",
        "clusters": "clusters",
        "distinct_metrics": "distinct metrics",
        "most_pairs": "pairs of those",
    }
    columns = [Column("meta_metric", "meta-metric")]
    columns += [Column("group", "group")] if groups != [None] else []
    columns += [Column(name, heading) for name, heading in fields.items()]
    rows = []
    for kind in map(str, ranking["meta_metric"].to_numpy()):
        for group in groups:
            own = part(ranking, kind, group)
            most = int(own["distinct_metrics"])
            counts = {
                **{name: int(own[name]) for name in fields if name in own},
                "metrics": own.sizes["metric"],
                "most_pairs": most * (most - 1) // 2,
            }
            label = () if group is None else (group,)
            rows.append((kind, *label, *(counts[name] for name in fields)))
    return Table(tuple(columns), tuple(rows), caption="Significant comparisons")


def summary_lines(ranking: xr.Dataset) -> list[str]:
    """Say for each meta-metric how many values, significant pairs and clusters there are."""
    lines = []
    for kind in map(str, ranking["meta_metric"].to_numpy()):
        own = part(ranking, kind)
        metrics = own.sizes["metric"]
        lines.append(
            f"{kind}: {int(own['distinct_values'])} distinct values of {metrics} metrics, "
            f"{int(own['significant_pairs'])} of {metrics * (metrics - 1) // 2} pairs differ "
            f"significantly ({own.attrs['method']}), {int(own['clusters'])} clusters"
        )
    same = part(ranking, str(ranking["meta_metric"].to_numpy()[0]))
    names = same["metric"].to_numpy()
    pairs = np.argwhere(np.triu(same["identical"].to_numpy(), 1))
    lines += [f"identical scores: {names[i]} and {names[j]}" for i, j in pairs]
    return lines


def accuracy_source_lines(ranking: xr.Dataset) -> list[str]:
    """Say what was read and what was left out, for the reader of the accuracies."""
    facts = ranking.attrs
    lines = [
        f"{facts.get('source', 'scores')}: {ranking.sizes['metric']} metrics, "
        f"human scores '{facts.get('human', 'human')}', segments {facts['mask']}"
    ]
    lines += [
        f"{what} left out: {facts[f'{what}_left_out']}"
        for what in ("systems", "metrics", "groups")
        if facts.get(f"{what}_left_out")
    ]
    return lines + note_lines(ranking)
