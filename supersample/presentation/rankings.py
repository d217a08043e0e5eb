"""Tables of rankings and comparisons: every number for machines, and tables for readers and papers.

The same tables serve every comparison; a column exists if the comparison has its numbers.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
import xarray as xr

from supersample.errors import plural
from supersample.presentation import labels, notes
from supersample.presentation.answer import (
    MOST_IN_TWO,
    MOST_NEEDED,
    behind_best,
    folded,
    for_text,
    least_of_holm,
    pair_lines,
    scopes_of,
    short,
    told_of_rest,
    verdict,
)
from supersample.presentation.notes import explained
from supersample.presentation.registry import Figure, Forms, Kind, register_kind
from supersample.presentation.table import (
    COLUMNS,
    PLACE,
    Column,
    Filled,
    Table,
    limit,
    number_table,
    spread,
    table_of,
    written,
)

DIFFERENCES = ("difference", "difference_lower", "difference_upper")
_ROWS = ("gold", "group")  # along rows; measures and bases are along columns
_OF_METRICS = ("in_sets", "baseline", "contrastive", "reference_free", "average_rank")
_FACTS = ("trained_on", "predicts", *_OF_METRICS)
_VALUES = ("rank", "value", "lower", "upper", "wins", "cluster", "p_best", "may_be_best")
_BESIDE = ("threshold", "undefined_groups", "mae", "rmse", "n")
_PAIRS = ("statistic", "p_value", "p_holm", "p_simultaneous")
_MORE = "systems_needed", "texts_needed", "not_worse", "equivalent"
_AGAINST = ("value", *DIFFERENCES, "p_value", "p_baseline", "differs", *_MORE)
_COUNTS = (
    *("n", "systems", "metrics", "distinct_values", "significant_pairs", "clusters"),
    "distinct_metrics",
)


def plain_ranking_table(ranking: xr.Dataset) -> Table:
    """One row for each metric (or system) and group, best first, with every number.

    For each measure and basis: rank, value with its limits, wins, cluster, and so on.
    """
    item, evaluation = labels.item_of(ranking), labels.is_evaluation(ranking)
    ranking, named = labels.by_name(labels.in_order(ranking))
    if "p_best" in ranking:  # where nothing is concluded, nothing is ruled out
        may = ranking["may_be_best"].astype(object)
        ranking = ranking.assign(may_be_best=may.where(ranking["p_best"].notnull(), None))
    rows = [dim for dim in _ROWS if dim in named]
    # systems have another order for each gold standard
    parts = labels.parts_of(ranking) if evaluation else [ranking]
    names = [name for name in (*_VALUES, *_BESIDE) if name in ranking]
    columns = [dim for dim in named if dim not in _ROWS]
    flat, spread_names = zip(*(spread(part, columns, names) for part in parts), strict=True)
    facts = [name for name in (*_FACTS, "higher_is_better") if name in ranking.variables]
    dims = [*([] if evaluation else rows), item]
    return number_table(flat, dims, [*rows, item, *facts, *spread_names[0]])


def comparisons_table(result: xr.Dataset) -> Table:
    """One row for each part and pair of metrics (or systems), as `pair_table` orders them.

    The better one of a pair stands first.
    """
    item, alternative = labels.item_of(result), str(result.attrs["alternative"])
    numbers = [name for name in (*DIFFERENCES, *_PAIRS, "identical") if name in result]
    beside = "n", item, f"other_{item}", "metric_r", "prediction_r"
    names = [*labels.named_dims(result), *(x for x in beside if x in result), *numbers]
    return pair_table(labels.parts_of(result), names, dim=item, alternative=alternative)


def pair_table(
    parts: Iterable[xr.Dataset],
    names: Sequence[str],
    *,
    dim: str = "metric",
    alternative: str = "two-sided",
) -> Table:
    """Make a table with one row for each pair of metrics (or systems), part by part.

    Pairs have the order in which their test can find them significant: the order of `dim` if it is
    two-sided; the better metric first if the alternative is "greater", the worse one first if it is
    "less".
    """
    sign = {"two-sided": 0, "greater": -1, "less": 1}[alternative]
    pairs = []
    for part in parts:
        first, second = np.triu_indices(part.sizes[dim], 1)
        ahead = part["difference"].to_numpy()[first, second] if sign else np.zeros(first.size)
        turned = sign * ahead > 0
        at = {
            dim: xr.DataArray(np.where(turned, second, first), dims="pair"),
            f"other_{dim}": xr.DataArray(np.where(turned, first, second), dims="pair"),
        }
        pairs.append(part[list(names)].isel(at))
    return number_table(pairs, ["pair"], names)


def values_of_metrics(found: xr.Dataset) -> Table:
    """One row for each part and metric: its value, and its difference from a baseline, if any."""
    found, dims = labels.by_name(found)
    dims.append(labels.item_of(found))
    return number_table([found], dims, [*dims, *(name for name in _AGAINST if name in found)])


def summary_table(ranking: xr.Dataset) -> Table:
    """Count distinct values, significant pairs and clusters, with the most there could be.

    As Table 1 of Thompson et al. (2024), but the most pairs, too, are those among all metrics:
    there, metrics of identical scores count once among the most and twice among significant pairs.
    """
    count = ranking.sizes["metric"]
    most = {"metrics": count, "most_pairs": count * (count - 1) // 2}
    parts = [part.assign(most) for part in labels.parts_of(ranking)]
    named = [*labels.named_dims(ranking), *(name for name in _COUNTS if name in parts[0])]
    columns: list[Column | str] = [*named, Column("most_pairs", "pairs in all")]
    return number_table(parts, [], columns, "Significant comparisons, unadjusted")


MOST_IN_FULL = 2  # measures with what may be the best, and wins
MOST_COLUMNS = 6  # of a table in a paper
MOST_OF_TASK = 15  # metrics of a first screen
_ROUNDING = 1e-10  # thresholds within this are 0 except for rounding
_WINS = ("wins", "cluster")


def with_limits(numbers: Sequence[float], digits: int = 3) -> str:
    """Write an estimate and its limits: '0.943 [0.941, 0.945]'.

    >>> with_limits([0.943, 0.9406, 0.945])
    '0.943 [0.941, 0.945]'
    """
    if math.isnan(numbers[0]):
        return "undefined"
    estimate = written(numbers[0], f".{digits}f")
    if math.isnan(numbers[1]):
        return estimate
    return f"{estimate} [{limit(numbers[1], digits)}, {limit(numbers[2], digits)}]"


def limits_of(part: xr.Dataset) -> list[str]:
    """Write the value of each metric (or system) with its limits."""
    numbers = (part[name].to_numpy().tolist() for name in ("value", "lower", "upper"))
    return [with_limits(each, labels.digits_of(part)) for each in zip(*numbers, strict=True)]


def best_column(part: xr.Dataset) -> list[bool | None]:
    """Whether each metric may be the best, after adjustment; None without a p-value."""
    p, may = part["p_best"].to_numpy(), part["may_be_best"].to_numpy()
    return [None if np.isnan(x) else bool(kept) for x, kept in zip(p, may, strict=True)]


def _rank_column(part: xr.Dataset) -> list[Filled]:
    return [(Column("rank", "#"), part["rank"])] if "rank" in part else []


def _values(part: xr.Dataset, heading: str) -> list[Filled]:
    """Columns: the value, with limits if it has some, and how far the metric is behind the best."""
    digits, best = f".{labels.digits_of(part)}f", _better(part)
    column: Filled = (Column("value", heading, digits, best=best), part["value"])
    if "lower" in part:
        column = (Column("value", heading, best=best), limits_of(part))
    return [column, *behind_best(part)]


def _better(part: xr.Dataset) -> Literal["max", "min"]:
    return "max" if labels.sign_of(part) > 0 else "min"


def _best(part: xr.Dataset) -> list[Filled]:
    told = "may_be_best" in part and part["p_best"].notnull().any() and part.sizes["metric"] > 1
    return [(Column("best", "best?"), best_column(part))] if told else []


def _plain(part: xr.Dataset, names: Iterable[str]) -> list[Filled]:
    return [(COLUMNS.get(name, Column(name)), part[name]) for name in names if name in part]


def _ties(part: xr.Dataset) -> list[Filled]:
    """Column of the threshold of ties, if the measure has one."""
    if "_eq" not in labels.value_name(part) or labels.is_average(part):
        return []
    ties = part["threshold"].where(~(part["threshold"] < _ROUNDING), 0.0)
    return [(Column("threshold", "ties to", ".4g"), ties)]


def _of(place: list[str], columns: list[Filled]) -> list[Filled]:
    """Add the measure and the basis of a part to the names of its columns."""
    end = "_".join(place).replace(" ", "_")
    return [(replace(c, field=f"{c.field}_{end}", heading=c.title), v) for c, v in columns]


def _of_groups(ranking: xr.Dataset, lead: xr.Dataset) -> list[Filled]:
    """Values in each group, if groups are few, by each measure on its leading basis."""
    columns: list[Filled] = []
    for group in labels.shown_groups(ranking)[1:]:
        for part in labels.leading_parts(ranking, group=[group]):
            name = labels.value_name(part)
            values = part["value"].sel(metric=lead["metric"])
            field = f"value_{part['measure'].item()}_{group}"
            columns.append(
                (Column(field, f"{name}, {group}", f".{labels.digits_of(part)}f"), values)
            )
    return columns


def _heading(ranking: xr.Dataset, part: xr.Dataset) -> str:
    """Name the measure of a part, and its basis where a result has several."""
    by_basis = "basis" in labels.named_dims(ranking)
    return f"{labels.value_name(part)}{f', {part.basis.item()}' if by_basis else ''}"


def ranking_table(ranking: xr.Dataset) -> Table:
    """Lay a ranking out with all its measures and bases; if groups are few, with their values.

    With more than two measures, there are no columns for wins and for metrics that may be the best.
    """
    ranking = labels.in_order(ranking)
    average = labels.on_average(ranking)
    columns: list[Filled] = [(Column("metric"), labels.marked_labels(ranking))]
    brief = ranking.sizes["measure"] > MOST_IN_FULL
    for at in labels.places_of(average):
        part = average.sel(at)
        best = [] if brief else _best(part)
        shown = [*_rank_column(part), *_values(part, _heading(ranking, part)), *best]
        shown += [*_ties(part), *_plain(part, _WINS[brief:])]
        columns += _of([at[dim] for dim in labels.named_dims(ranking) if dim != "group"], shown)
    columns += _of_groups(ranking, ranking)
    tells_best = any(column.field.startswith("best_") for column, _ in columns)
    told = [*labels.legend(ranking), *(explained("best?") if tells_best else [])]
    told += [*notes.notes_of(ranking), *labels.outlier_lines(ranking)]
    return table_of(columns, notes.caption_of(ranking), told)


def evaluation_table(evaluation: xr.Dataset, gold: str) -> Table:
    """Lay the evaluation of predictions by a gold standard out for a page or a terminal."""
    part = labels.part_of(evaluation, {"gold": gold})
    texts = [name for name in ("system", "trained_on") if name in part.coords]
    columns = [
        *_rank_column(part),
        *((Column(name), part[name]) for name in texts),
        (Column("value", "r"), limits_of(part)),
        *_plain(part, ("mae", "rmse", *_WINS)),
    ]
    caption = (
        f"Predictions judged by {gold} over {int(part['n']):,} segments, Pearson's r with "
        f"{labels.level_of(part)} intervals (Fisher)"
    )
    return table_of(columns, caption, notes.notes_of(evaluation))


def folded_tasks(result: xr.Dataset, most: int | None) -> tuple[Table, list[str]]:
    """Lay the average of many metrics out, without tasks, so that more of them fit a first screen.

    A screen with every metric (`most` is None), or with few, has each task, too.
    """
    table = tasks_table(result)
    if most and result.sizes["metric"] > MOST_IN_TWO:
        end = [column.field for column in table.columns].index("average_rank") + 1
        rows = tuple(row[:end] for row in table.rows)
        told = "Ranks and values in each task: --all.", *table.notes
        table = replace(table, columns=table.columns[:end], rows=rows, notes=told)
    fit = most and MOST_OF_TASK - 6 * bool(labels.added_metrics(result))
    return folded(table, fit, partial(told_of_rest, scopes_of(result)))


def tasks_table(result: xr.Dataset) -> Table:
    """Lay weighted measures out as shared tasks print them: rank and value, metrics best first."""
    names, scopes = labels.marked_labels(result), scopes_of(result)[:1]
    sets = {name.partition(" ")[0] for name in labels.names_of(result, "measure")[1:]}
    shared = f"{sets.pop()} " if len(sets) == 1 else ""
    contrastive = result["contrastive"].to_numpy()
    marked = np.where(contrastive, [f"({name})" for name in names], names)
    columns: list[Filled] = [(Column("metric"), marked)]
    for t, label in enumerate(labels.names_of(result, "measure")):
        part = labels.at_first(result, "basis", "group").isel(measure=t)
        heading = label.removeprefix(shared).replace(" ", "\n")
        columns += [
            (Column(f"cluster_{label}", PLACE), part["cluster"]),
            (Column(label, heading, ".3f", best="max"), part["value"]),
        ]
        if t == 0:
            columns += [(Column("best", "best?"), x.cells()) for x in scopes]
            columns.append((Column("average_rank", "mean\nrank", ".2f"), result["average_rank"]))
    told = [*notes.notes_of(result), *labels.legend(result)]
    told = [*explained("best?"), *told] if scopes else told
    table = table_of(columns, notes.caption_of(result), told)
    baselines = np.flatnonzero(result["baseline"].to_numpy())
    return replace(table, underlined=tuple(baselines.tolist()))


def task_paper(result: xr.Dataset) -> Table:
    """Lay weighted measures out for a paper, whose notes end with the signature."""
    table = tasks_table(result)
    return replace(table, notes=(*table.notes, f"Signature: {result.attrs['signature']}"))


def _baseline_table(found: xr.Dataset, part: xr.Dataset) -> Table:
    numbers = [part[name].to_numpy().tolist() for name in DIFFERENCES if name in part]
    cells = _differences(part, numbers) if len(numbers) == 3 else numbers[0]
    name, baseline = labels.value_name(part), part.attrs["baseline"]
    columns: list[Filled] = [
        (Column("metric"), list(map(short, labels.marked_labels(part)))),
        (Column("value", name, ".3f"), part["value"]),
        (Column("difference", number=".3f"), cells),
        *(
            (column, [labels.shown_p(p, part) for p in part[column.field].to_numpy()])
            for column in (Column("p_value", "p", ".3g"), COLUMNS["p_baseline"])
        ),
    ]
    compared = int(part.attrs["comparisons"])
    count = plural(compared, "comparisons")
    count += " (identical scores count once)" * bool(part["p_value"].count() > compared)
    if np.isclose(least := least_of_holm(part), part["p_baseline"].min(), atol=0):
        count += f"; {least:.3g} is the least that {part.attrs['resamples']:,} swaps can give"
    told = [] if compared == 1 else [notes.HOLM_NOTE.format(count)]
    if len(numbers) == 1 and labels.test_name(part).startswith("perm"):
        told.append(notes.SWAPS_NOTE)
    if "systems_needed" in part:
        needed = part["systems_needed"].to_numpy().tolist()
        cells = [f"over {MOST_NEEDED:,}" if n > MOST_NEEDED else n for n in needed]
        columns.append((replace(COLUMNS["systems_needed"], heading="systems\nneeded"), cells))
        told = [" ".join([*told, notes.NEEDED_NOTE])]
    told += labels.legend(part)
    of = f"tested by {labels.test_name(part)}"
    if "basis" in labels.named_dims(found):
        of = f"over {part['basis'].item()}, {of}"
    own = with_limits([float(part["baseline_value"]), math.nan])
    return table_of(columns, f"Difference from {baseline} ({name} = {own}), {of}", told)


def _differences(part: xr.Dataset, numbers: list[list[float]]) -> list[str]:
    """Write differences with limits; a limit of 0 that the test rejects is left out: (0, 0.251]."""
    rejects = part["p_value"].to_numpy() <= labels.alpha_of(part)
    rejects &= part.attrs.get("alternative", "two-sided") == "two-sided"
    cells = list(map(with_limits, zip(*numbers, strict=True)))
    return [
        x.replace("[0, ", "(0, ").replace(", 0]", ", 0)") if out else x
        for x, out in zip(cells, rejects, strict=True)
    ]


def paper_table(ranking: xr.Dataset) -> Table:
    """Lay a ranking out for a page of two columns: at most six columns, with notes.

    A single measure has its limits, differences from the best and p-values. Of several measures, up
    to four have their values. Names of more than 20 letters are shortened in their middle.
    """
    first, average = labels.part_of(ranking), labels.on_average(ranking)
    metrics = first["metric"].to_numpy()
    parts = [part.sel(metric=metrics) for part in labels.leading_parts(average)]
    names = [short(name) for name in labels.marked_labels(first)]
    columns: list[Filled] = [*_rank_column(first), (Column("metric"), names)]
    terms = [for_text(ranking)]
    for part in parts[: MOST_COLUMNS - 2] if len(parts) > 1 else ():
        name = labels.value_name(part)
        columns.append((Column(name, name, ".3f", best=_better(part)), part["value"]))
    if len(parts) == 1:
        columns += _values(first, _heading(ranking, first))
        if _best(first):
            columns.append((Column("p_best", "p, best", ".3f"), first["p_best"]))
            terms += explained("p, best")
        if "hybrids" in labels.names_of(ranking, "basis")[1:]:
            hybrids = labels.at_first(average, "measure").sel(basis="hybrids", metric=metrics)
            heading = _heading(ranking, hybrids)
            columns.append((Column("r_hybrids", heading, ".3f"), hybrids["value"]))
    told = [*filter(None, terms), *labels.legend(ranking), *notes.notes_of_intervals(ranking)]
    told += [*notes.facts_to_know(ranking), *labels.outlier_lines(ranking)]
    told.append(f"Signature: {ranking.attrs['signature']}")
    return table_of(columns, f"{notes.caption_of(ranking)}.", told)


def _pages_of_baseline(found: xr.Dataset) -> Mapping[str, Mapping[str, Any]]:
    """Places of the tables of differences from a baseline: one, or one for each measure."""
    parts = labels.leading_parts(labels.on_average(found), "systems")
    ends = [labels.suffix(part["measure"].item()) if len(parts) > 1 else "" for part in parts]
    return {end: {"part": part} for end, part in zip(ends, parts, strict=True)}


def baseline_tables(found: xr.Dataset) -> list[Table]:
    """Lay out the difference of every metric from the baseline, in a table for each measure.

    Several groups have only the table of their average. Differences of r are those over systems.
    """
    return [_baseline_table(found, **at) for at in _pages_of_baseline(found).values()]


def _places(ranking: xr.Dataset) -> dict[str, dict[str, str]]:
    """Parts whose pairs have figures, by the ends of their names: each measure and group."""
    parts = labels.leading_parts(ranking, group=labels.shown_groups(ranking))
    places = [{dim: part[dim].item() for dim in labels.LEAD} for part in parts]
    first, *others = labels.named_dims(ranking)
    named = [first, *(dim for dim in others if dim == "group")]
    ends = labels.unique("".join(labels.suffix(at.get(dim)) for dim in named) for at in places)
    return dict(zip(ends, places, strict=True))


def _if(true: Callable[[xr.Dataset], Any]) -> Callable[..., dict[str, dict[str, Any]]]:
    """Place a table or figure once, if something is true of the result."""
    return lambda result, *_: {"": {}} if true(result) else {}


def _from_baseline(draw: str) -> Callable[..., Any]:
    """Draw differences from the baseline that a user named, if there is one."""

    def drawn(ranking: xr.Dataset, against: xr.Dataset | None, **options: Any) -> Any:
        baseline = None if against is None else against.attrs["baseline"]
        return Figure(draw)(ranking, baseline=baseline, **options)

    return drawn


def _have_sets(ranking: xr.Dataset) -> bool:
    several = ranking.sizes["metric"] > 1 and labels.is_grouped(ranking)
    return several and "systems" in ranking["basis"]


_PAIRS_ALONE = Forms(numbers=comparisons_table)
register_kind(
    Kind(
        name="ranking",
        file="ranking",
        answer=verdict,
        tables={
            "ranking": (
                Forms(numbers=plain_ranking_table, papers=paper_table),
                Forms(ranking_table),
            ),
            "comparisons": _PAIRS_ALONE,
            "summary": summary_table,
        },
        figures={
            "forest": Figure("rankings.plot_forest", _if(lambda ranking: "lower" in ranking)),
            "differences": Figure(
                _from_baseline("rankings.plot_differences"),
                _if(lambda ranking: {"lower", "behind_lower"} & {*ranking}),
                ["baseline"],
            ),
            "sets": Figure(_from_baseline("rankings.plot_sets"), _if(_have_sets), ["baseline"]),
            "values": Figure("rankings.plot_values", _if(labels.is_grouped)),
            "significance": Figure("rankings.plot_significance", _places, main=1),
            "correlations": Figure(
                "rankings.plot_correlations",
                lambda ranking: (
                    {"": {"basis": labels.names_of(ranking, "basis")[0]}}
                    if "metric_r" in ranking
                    else {}
                ),
                main=0,
            ),
        },
        screen="screen.whole_screen",
    ),
    Kind(
        name="task",
        file="result",
        answer=verdict,
        tables={
            "table": Forms(tasks_table, plain_ranking_table, task_paper),
            "comparisons": _PAIRS_ALONE,
        },
        figures={"task": Figure("rankings.plot_task")},
        screen="screen.whole_screen",
    ),
    Kind(name="comparison", tables={"comparisons": _PAIRS_ALONE}),
    Kind(name="agreement", tables={"agreement": values_of_metrics}),
    Kind(
        name="baseline",
        answer=pair_lines,
        tables={
            "baseline": (
                Forms(numbers=values_of_metrics),
                Forms(_baseline_table, papers=_baseline_table, each=_pages_of_baseline),
            )
        },
    ),
    Kind(
        name="hybrids",
        file="hybrids",
        figures={"scatter": Figure("rankings.scatter_panels", beside=["ranking"], main=0)},
    ),
)
