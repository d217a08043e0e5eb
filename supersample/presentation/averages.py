"""Tables and figures of correlations over several language pairs or domains, and on average."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from supersample.presentation.figures import draw_wins
from supersample.presentation.labels import ADDED_NOTE, added_metrics, metric_labels, note_lines
from supersample.presentation.rankings import CLUSTER_NOTE, with_limits
from supersample.presentation.style import BLUE, GREEN, GREY, LABEL_SIZE, ORANGE, styled
from supersample.presentation.table import Column, Table, Value

MOST_SHOWN = 6  # groups besides their average
MARKS = "osD^vP"


def groups_table(ranking: xr.Dataset) -> Table:
    """One row a basis, group and metric, every number of it for CSV and JSON."""
    names = ("rank", "r", "lower", "upper", "wins", "cluster")
    columns = (
        Column("basis", "basis"),
        Column("group", "group"),
        Column("n", "n"),
        Column("metric", "metric"),
        Column("higher_is_better", "higher is better"),
        *(Column(name, name) for name in names),
    )
    higher = ranking["higher_is_better"].to_numpy()
    rows: list[tuple[Value, ...]] = []
    for b, basis in enumerate(ranking["basis"].to_numpy()):
        for g, group in enumerate(ranking["group"].to_numpy()):
            n = int(ranking["n"].to_numpy()[b, g])
            for m, metric in enumerate(ranking["metric"].to_numpy()):
                own = [ranking[name].to_numpy()[b, g, m].item() for name in names]
                rows.append((str(basis), str(group), n, str(metric), bool(higher[m]), *own))
    return Table(columns, tuple(rows), caption(ranking), notes(ranking))


def group_comparisons_table(ranking: xr.Dataset) -> Table:
    """One row a basis, group and pair of metrics: difference, limits, significance."""
    names = ("difference", "difference_lower", "difference_upper")
    columns = (
        Column("basis", "basis"),
        Column("group", "group"),
        Column("metric", "metric"),
        Column("other_metric", "other metric"),
        Column("difference", "difference", ".4f"),
        Column("lower", "from", ".4f"),
        Column("upper", "to", ".4f"),
        Column("significant", "significant"),
    )
    metrics = [str(metric) for metric in ranking["metric"].to_numpy()]
    first, second = np.triu_indices(len(metrics), 1)
    rows: list[tuple[Value, ...]] = []
    for b, basis in enumerate(ranking["basis"].to_numpy()):
        for g, group in enumerate(ranking["group"].to_numpy()):
            arrays = [ranking[name].to_numpy()[b, g] for name in (*names, "significant")]
            for i, j in zip(first, second, strict=True):
                own = [array[i, j].item() for array in arrays]
                rows.append((str(basis), str(group), metrics[i], metrics[j], *own))
    return Table(columns, tuple(rows), f"Differences of r, {ranking.attrs['method']}")


def printed_groups(ranking: xr.Dataset) -> Table:
    """Lay out the average on each basis and, on the first, r of each group."""
    bases = [str(basis) for basis in ranking["basis"].to_numpy()]
    groups = [str(group) for group in ranking["group"].to_numpy()]
    shown = groups[1:] if len(groups) <= MOST_SHOWN + 1 else []
    columns = [Column("metric", "metric")]
    for basis in bases:
        columns += [
            Column(f"rank_{basis}", "#"),
            Column(f"r_{basis}", f"average r, {basis}"),
            Column(f"wins_{basis}", "wins"),
            Column(f"cluster_{basis}", "cluster"),
        ]
    columns += [Column(f"r_{group}", group, ".3f") for group in shown]
    rows = []
    for m, label in enumerate(metric_labels(ranking)):
        row: list[Value] = [f"{label}{'' if ranking['higher_is_better'][m] else ' ↓'}"]
        for b in range(len(bases)):
            own = ranking.isel(basis=b, group=0, metric=m)
            limits = (float(own[name]) for name in ("r", "lower", "upper"))
            row += [float(own["rank"]), with_limits(*limits), int(own["wins"])]
            row.append(float(own["cluster"]))
        row += [float(ranking["r"].isel(basis=0, metric=m).sel(group=g)) for g in shown]
        rows.append(tuple(row))
    lowered = not ranking["higher_is_better"].all()
    legend = ["↓ lower is better; its scores were negated."] if lowered else []
    legend += [ADDED_NOTE] if added_metrics(ranking) else []
    legend += [f"Columns of single groups: r over {bases[0]}."] if shown else []
    return Table(tuple(columns), tuple(rows), caption(ranking), (*legend, *notes(ranking)))


def caption(ranking: xr.Dataset) -> str:
    """Say what the average is of: 'Pearson correlation, arithmetic mean over 2 groups'."""
    level = f"{100 * ranking.attrs['confidence_level']:g} %"
    kind = {"arithmetic": "arithmetic mean of r", "fisher": "mean of Fisher's z"}
    return (
        f"Pearson correlation with human scores, {kind[ranking.attrs['average']]} over "
        f"{ranking.sizes['group'] - 1} {_kind(ranking)}s, {level} intervals"
    )


def _kind(ranking: xr.Dataset) -> str:
    return str(ranking.attrs.get("by", "language pair"))


def notes(ranking: xr.Dataset) -> tuple[str, ...]:
    """Say what a reader of averages must know."""
    lines = [
        CLUSTER_NOTE,
        f"Intervals of averages over the systems: {ranking.attrs['average_interval']}.",
    ]
    if "hybrids" in ranking["basis"].to_numpy():
        lines.append(
            "Intervals over hybrids measure only how well so many draws pin down numbers that "
            "these systems and segments already fix."
        )
    return tuple(lines)


def group_source_lines(ranking: xr.Dataset) -> list[str]:
    """Say what was read and what was left out."""
    facts = ranking.attrs
    systems = ranking["n"].sel(basis="systems").to_numpy()[1:]
    sizes = ", ".join(
        f"{group} {int(n)}"
        for group, n in zip(ranking["group"].to_numpy()[1:], systems, strict=True)
    )
    lines = [
        f"{facts.get('source', 'scores')}: {ranking.sizes['metric']} metrics, human scores "
        f"'{facts.get('human', 'human')}', segments {facts.get('mask', 'none')}; systems: {sizes}"
    ]
    lines += [
        f"{what} left out: {facts[f'{what}_left_out']}"
        for what in ("systems", "metrics", "groups")
        if facts.get(f"{what}_left_out")
    ]
    return lines + note_lines(ranking)


def average_line(ranking: xr.Dataset, basis: str) -> str:
    """How many pairs of metrics differ significantly on average, in one line."""
    own = ranking.sel(basis=basis).isel(group=0)
    metrics = ranking.sizes["metric"]
    return (
        f"average over {basis}: {int(own['significant_pairs'])} of {metrics * (metrics - 1) // 2} "
        f"pairs differ significantly, {int(own['clusters'])} clusters"
    )


def group_forest(ranking: xr.Dataset, basis: str) -> Figure:
    """Average r of each metric with its interval, and r of each group beside it."""
    own = ranking.sel(basis=basis)
    names = metric_labels(ranking)
    rows = np.arange(len(names))
    groups = [str(group) for group in ranking["group"].to_numpy()]
    with styled():
        figure = Figure(figsize=(6.5, 1.6 + 0.24 * len(names)), layout="constrained")
        axes = figure.subplots()
        r, lower, upper = (own[name].to_numpy()[0] for name in ("r", "lower", "upper"))
        axes.hlines(rows, lower, upper, color=BLUE, linewidth=2)
        axes.plot(r, rows, "|", color=BLUE, ms=10, mew=2, label="average")
        for g, group in enumerate(groups[1:] if len(groups) <= MOST_SHOWN + 1 else []):
            colour = (ORANGE, GREEN)[g % 2]
            axes.plot(own["r"].to_numpy()[g + 1], rows, MARKS[g], color=colour, ms=3.5, label=group)
        axes.set_yticks(rows, names, fontsize=LABEL_SIZE)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(axis="x", color=GREY, linewidth=0.4)
        axes.set_xlabel(f"Pearson correlation with human scores over {basis}")
        figure.legend(loc="outside upper center", fontsize=LABEL_SIZE, ncols=4)
    return figure


def average_wins(ranking: xr.Dataset, basis: str) -> Figure:
    """Which metric (row) is significantly better on average than which (column)."""
    own = ranking.sel(basis=basis).isel(group=0)
    names = metric_labels(ranking)
    first = str(ranking["basis"].to_numpy()[0])
    order = "" if basis == first else f", ordered by r over {first}"
    with styled():
        side = 2.2 + 0.23 * len(names)
        figure = Figure(figsize=(side, side), layout="constrained")
        axes = figure.subplots()
        draw_wins(axes, own["wins_over"].to_numpy(), names)
        axes.set_title(
            "Significant wins of the row over the column\n"
            f"average over {ranking.sizes['group'] - 1} {_kind(ranking)}s, {basis}{order}"
        )
        axes.set_xlabel(
            f"blue: average r significantly higher ({ranking.attrs['method']})", fontsize=LABEL_SIZE
        )
    return figure
