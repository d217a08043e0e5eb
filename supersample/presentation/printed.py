"""Tables for readers: on a terminal, in Markdown, and on a page of a paper."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from supersample.presentation import labels, notes
from supersample.presentation.answer import behind_best, short
from supersample.presentation.glossary import explained
from supersample.presentation.numbers import DIFFERENCES
from supersample.presentation.table import COLUMNS, Column, Filled, Table, limit, table_of, written

MOST_IN_FULL = 2  # measures with what may be the best, and wins
MOST_COLUMNS = 6  # of a table in a paper
MOST_NEEDED = 1_000  # largest number of systems that is printed
EXACT_COLUMNS = (Column("r", "all", ".3f"), Column("within_part", "within", ".3f"))
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
    return [with_limits(each, _digits(part)) for each in zip(*numbers, strict=True)]


def best_column(part: xr.Dataset) -> list[bool | None]:
    """Whether each metric may be the best, after adjustment; None without a p-value."""
    p, may = part["p_best"].to_numpy(), part["may_be_best"].to_numpy()
    return [None if np.isnan(x) else bool(kept) for x, kept in zip(p, may, strict=True)]


def _digits(part: xr.Dataset) -> int:
    return 3 if labels.value_name(part) == "r" else 4


def _ranks(part: xr.Dataset) -> list[Filled]:
    return [(Column("rank", "#"), part["rank"])] if "rank" in part else []


def _values(part: xr.Dataset, heading: str) -> list[Filled]:
    """Columns: the value, with limits if it has some, and how far the metric is behind the best."""
    column: Filled = (Column("value", heading, f".{_digits(part)}f"), part["value"])
    if "lower" in part:
        column = (Column("value", heading), limits_of(part))
    return [column, *behind_best(part)]


def _best(part: xr.Dataset, heading: str = "best?") -> list[Filled]:
    told = "may_be_best" in part and part["p_best"].notnull().any() and part.sizes["metric"] > 1
    return [(Column("best", heading), best_column(part))] if told else []


def _plain(part: xr.Dataset, names: Iterable[str]) -> list[Filled]:
    return [(COLUMNS.get(name, Column(name)), part[name]) for name in names if name in part]


def _ties(part: xr.Dataset) -> list[Filled]:
    """Columns: the threshold of ties, if the measure has one, and the optimism of calibration."""
    if "_eq" not in labels.kind_of(part) or labels.is_average(part):
        return []
    ties = part["threshold"].where(~(part["threshold"] < _ROUNDING), 0.0)
    columns: list[Filled] = [(Column("threshold", "ties to", ".4g"), ties)]
    if "optimism" in part:
        columns.append((Column("optimism", number=".4f"), part["optimism"]))
    return columns


def _of(part: xr.Dataset, columns: list[Filled]) -> list[Filled]:
    """Add the measure and the basis of a part to the names of its columns."""
    end = labels.kind_of(part).replace(", ", "_").replace(" ", "_")
    return [(replace(c, field=f"{c.field}_{end}", heading=c.title), v) for c, v in columns]


def _exact(part: xr.Dataset, exact: xr.Dataset | None) -> list[Filled]:
    """R of infinitely many hybrids and its part within segments, beside r over hybrids."""
    if exact is None or not labels.is_of_hybrids(part):
        return []
    ordered = exact.reindex(metric=part["metric"])
    return [(column, ordered[column.field]) for column in EXACT_COLUMNS]


def _of_groups(ranking: xr.Dataset, lead: xr.Dataset) -> list[Filled]:
    """Values in each group, if groups are few, by each measure on its leading basis."""
    columns: list[Filled] = []
    for group in labels.shown_groups(ranking)[1:]:
        for part in labels.leading_parts(ranking, group=[group]):
            name = group if labels.by_basis(part) else f"{labels.value_name(part)}, {group}"
            values = part["value"].sel(metric=lead["metric"])
            field = f"value_{labels.kind_of(part)}_{group}"
            columns.append((Column(field, name, f".{_digits(part)}f"), values))
    return columns


def ranking_table(ranking: xr.Dataset, exact: xr.Dataset | None = None) -> Table:
    """Lay a ranking out with all its measures and bases; if groups are few, with their values.

    With more than two measures, there are no columns for wins and for metrics that may be the best.
    `exact` is the result of `exact_hybrid_correlations`; its r and its part within segments follow
    r over hybrids.
    """
    ranking = labels.in_order(ranking)
    average = labels.on_average(ranking)
    columns: list[Filled] = [(Column("metric"), labels.marked_labels(ranking))]
    of = "average " if labels.is_grouped(ranking) else ""
    parts, tells_best = [average.sel(at) for at in labels.places_of(average)], False
    brief = not labels.by_basis(ranking) and len(parts) > MOST_IN_FULL
    for part in parts:
        name = labels.value_name(part)
        heading = f"{of}r, {part['basis'].item()}" if name == "r" else labels.kind_of(part)
        best = [] if brief else _best(part)
        tells_best |= bool(best)
        columns += _of(part, _ranks(part) + _values(part, heading))
        columns += _exact(part, exact)
        columns += _of(part, best + _ties(part) + _plain(part, _WINS[brief:]))
    groups = _of_groups(ranking, ranking)
    told = [*labels.legend(ranking), *(explained("best?") if tells_best else [])]
    if groups and labels.by_basis(ranking):
        told.append(f"Columns of single groups: r over {labels.leading_basis(ranking)}.")
    told += notes.notes_of(ranking, exact)
    return table_of([*columns, *groups], notes.caption_of(ranking), told)


def hybrids_table(ranking: xr.Dataset, exact: xr.Dataset | None) -> Table:
    """Lay out r over the drawn hybrids, and r over infinitely many hybrids."""
    part = labels.part_of(ranking, {"basis": "hybrids"})
    columns = [
        *_ranks(part),
        (Column("metric"), labels.marked_labels(part)),
        *_values(part, "r, these draws"),
        *_exact(part, exact),
    ]
    count = labels.counted(part)
    title = f"r over {count} of these systems and segments, and how precise it is"
    return table_of(columns, title)


def evaluation_table(evaluation: xr.Dataset, gold: str) -> Table:
    """Lay the evaluation of predictions by a gold standard out for a page or a terminal."""
    part = labels.part_of(evaluation, {"gold": gold})
    texts = [name for name in ("system", "trained_on") if name in part.coords]
    columns = [
        *_ranks(part),
        *((Column(name), part[name]) for name in texts),
        (Column("value", "r"), limits_of(part)),
        *_plain(part, ("mae", "rmse", *_WINS)),
    ]
    caption = (
        f"Predictions judged by {gold} over {int(part['n']):,} segments, Pearson's r with "
        f"{labels.level_of(part)} intervals (Fisher)"
    )
    return table_of(columns, caption, notes.notes_of(evaluation))


def tasks_table(result: xr.Dataset, *, compact: bool = False) -> Table:
    """Lay weighted measures out as shared tasks print them: cluster and value, metrics best first.

    Measures stand under numbers that the notes explain. Clusters and values have a column each;
    compact, for a terminal, they share one.
    """
    names = labels.marked_labels(result)
    contrastive = result["contrastive"].to_numpy()
    marked = np.where(contrastive, [f"({name})" for name in names], names)
    columns: list[Filled] = [(Column("metric"), marked)]
    for t, label in enumerate(labels.names_of(result, "measure")):
        part = result.isel(measure=t)
        title = label if t == 0 else str(t)
        if compact:
            columns.append((Column(label, f" # {title:>6}"), _cells(part)))
        else:
            columns += [
                (Column(f"cluster_{label}", "#"), part["cluster"]),
                (Column(label, title, ".3f"), part["value"]),
            ]
        if t == 0:
            columns.append((Column("average_rank", "mean #", ".2f"), result["average_rank"]))
    told = [*notes.notes_of(result), *labels.legend(result)]
    table = table_of(columns, notes.caption_of(result), told)
    baselines = np.flatnonzero(result["baseline"].to_numpy())
    return replace(table, underlined=tuple(baselines.tolist()))


def _cells(part: xr.Dataset) -> list[str]:
    """Cluster and value of each metric, blank where it has none."""
    pairs = zip(part["cluster"].to_numpy(), part["value"].to_numpy(), strict=True)
    return ["" if np.isnan(r) else f"{r:2.0f} {value:6.3f}" for r, value in pairs]


def baseline_tables(found: xr.Dataset) -> dict[str, Table]:
    """Lay out the difference of every metric from the baseline, in a table for each measure.

    Several groups have only the table of their average. Differences of r are those over systems.
    """
    parts = labels.compared_parts(labels.on_average(found))
    if labels.by_basis(found):
        return {"baseline": _baseline_table(found, parts[0])}
    return {f"baseline-{labels.value_name(p)}": _baseline_table(found, p) for p in parts}


def _baseline_table(found: xr.Dataset, part: xr.Dataset) -> Table:
    numbers = [part[name].to_numpy().tolist() for name in DIFFERENCES if name in part]
    cells = _differences(part, numbers) if len(numbers) == 3 else numbers[0]
    heading = "difference of z" if labels.is_fisher(part) else "difference"
    name, baseline = labels.value_name(part), part.attrs["baseline"]
    columns: list[Filled] = [
        (Column("metric"), list(map(short, labels.marked_labels(part)))),
        (Column("value", name, ".3f"), part["value"]),
        (Column("difference", heading, ".3f"), cells),
        (Column("p_value", "p", ".3g"), part["p_value"]),
        (COLUMNS["p_baseline"], part["p_baseline"]),
    ]
    told = [notes.HOLM_NOTE.format(count=labels.plural(part.attrs["comparisons"], "comparisons"))]
    if "systems_needed" in part:
        needed = part["systems_needed"].to_numpy().tolist()
        cells = [f"over {MOST_NEEDED:,}" if n > MOST_NEEDED else n for n in needed]
        columns.append((replace(COLUMNS["systems_needed"], heading="systems\nneeded"), cells))
        told = [f"{told[0]} {notes.NEEDED_NOTE}"]
    told += [notes.PAIRS_NOTE] if notes.PAIRS in part.attrs["method"] else []
    told += labels.legend(part)
    if labels.by_basis(part):
        own = part.attrs["baseline_r"]
        of = notes.title_of(found, part, notes.interval_of_differences(found))
    else:
        own = float((part["value"] - part["difference"]).mean())  # each is the baseline's
        of = f"tested by {labels.test_name(part)}"
    return table_of(columns, f"Difference from {baseline} ({name} = {own:.3f}), {of}", told)


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

    A single measure has its limits, differences from the best and p-values. Two measures say
    whether a metric may be the best. Of more measures, up to four have their values. Names of more
    than 20 letters are shortened in their middle.
    """
    part = labels.part_of(ranking)
    names = [short(name) for name in labels.marked_labels(part)]
    columns: list[Filled] = [*_ranks(part), (Column("metric"), names)]
    if labels.by_basis(ranking):
        more, caption = _paper_of_r(ranking, part)
        told = notes.notes_of_r(ranking) + notes.facts_to_know(ranking)
    else:
        more, caption = _paper_of_measures(ranking, part)
        told = notes.facts_to_know(ranking)
    told = [*labels.legend(ranking), *told, f"Signature: {ranking.attrs['signature']}"]
    return table_of([*columns, *more], caption, told)


def _paper_of_r(ranking: xr.Dataset, part: xr.Dataset) -> tuple[list[Filled], str]:
    basis = part["basis"].item()
    of = "average r" if labels.is_grouped(ranking) else "r"
    columns: list[Filled] = [(Column("r", f"{of}, {basis}"), limits_of(part))]
    columns += behind_best(part)
    if "p_best" in part and part["p_best"].notnull().any():
        columns.append((Column("p_best", "p, best", ".3f"), part["p_best"]))
    if basis != "hybrids" and "hybrids" in labels.names_of(ranking, "basis"):
        shown = labels.on_average(ranking.sel(basis="hybrids", metric=part["metric"].to_numpy()))
        columns.append((Column("r_hybrids", f"{of}, hybrids", ".3f"), shown["value"]))
    caption = (
        f"Agreement of {part.sizes['metric']} metrics with human scores on {labels.place(part)}; "
        f"r with its own {labels.level_of(ranking)} interval."
    )
    terms = explained("behind best", "p, best") if len(columns) > MOST_IN_FULL else []
    return columns, " ".join([caption, *terms])


def _paper_of_measures(ranking: xr.Dataset, first: xr.Dataset) -> tuple[list[Filled], str]:
    parts = [
        part.sel(metric=first["metric"].to_numpy())
        for part in labels.leading_parts(labels.on_average(ranking))
    ]
    best = [_best(part, f"best by {labels.value_name(part)}?") for part in parts]
    caption = notes.caption_of(ranking)
    tells_best = len(parts) <= MOST_IN_FULL and all(best)
    columns: list[Filled] = []
    for k, part in enumerate(parts[: MOST_COLUMNS - 2]):
        name = labels.value_name(part)
        columns.append((Column(name, name, ".3f"), part["value"]))
        columns += best[k] if tells_best else []
    if tells_best:
        means = labels.differ(first)[1]
        caption = f"{caption}. Best: whether the metric could have the highest value, {means}"
    return columns, caption
