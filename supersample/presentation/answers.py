"""What a terminal shows first: a few columns of a ranking, and single differences in words."""

import numpy as np
import xarray as xr

from supersample.errors import listed
from supersample.presentation import hybrids, labels, rankings, survivors
from supersample.presentation.segments import PAIRS, PAIRS_NOTE
from supersample.presentation.table import COLUMNS, Column, Filled, Table, number_table, table_of

MOST_NAMES = 6
BEST_NOTE = "best?: whether the metric may be the best, after adjustment for all metrics."
HINT = "Every basis and column: --full; how to read them: --explain."
_P_VALUES = ("p_value", "p_baseline", "differs")
_DIFFERENCE = ("difference", "difference_lower", "difference_upper")
BASELINE_COLUMNS = {
    **COLUMNS,
    "metric": Column("metric"),
    "p_baseline": Column("p_baseline", "p (Holm)", ".3g"),
    "systems_needed": Column("systems_needed", "systems needed", ",.0f"),
}


def core_table(ranking: xr.Dataset) -> Table:
    """Lay out what matters most: rank, metric, r, its difference to the first, and what survives.

    On the basis that leads, on average over groups; r of each of a few groups follows.
    """
    part = leading_part(ranking)
    simultaneous = survivors.is_simultaneous(ranking) and ranking.sizes["metric"] > 1
    columns: list[Filled] = [
        (Column("rank", "#"), part["rank"]),
        (Column("metric"), labels.marked_labels(part)),
    ]
    heading = "average r" if "group" in ranking.dims else "r"
    if simultaneous:
        columns += [
            (Column("r", heading, ".3f"), part["value"]),
            (Column("less_first", labels.first_heading(ranking)), rankings.less_first(part)),
            (Column("best", "best?"), survivors.best_column(part)),
        ]
    else:
        columns.append((Column("r", heading), rankings.limits_of(part)))
        columns += _wins(part)
    leading = labels.leading_basis(ranking)
    for name in labels.shown_groups(ranking)[1:]:
        of_group = ranking["value"].sel(group=name, basis=leading, metric=part["metric"])
        columns.append((Column(f"r_{name}", name, ".3f"), of_group))
    notes = [BEST_NOTE] if simultaneous else []
    of = _interval_of_differences(ranking) if simultaneous else ranking.attrs["interval"]
    return table_of(columns, _title(ranking, of), [*labels.legend(ranking), *notes])


def _wins(part: xr.Dataset) -> list[Filled]:
    """Count what each of several metrics is significantly better than."""
    return [(Column("wins", "wins, unadjusted"), part["wins"])] if part.sizes["metric"] > 1 else []


def leading_part(ranking: xr.Dataset) -> xr.Dataset:
    """Select the basis that leads, on average, its best metric first."""
    part = rankings.systems_first(ranking).isel(basis=0)
    return labels.on_average(part)


def _interval_of_differences(ranking: xr.Dataset) -> str:
    """Name the interval of differences on the basis that leads."""
    facts, method = ranking.attrs, ranking.attrs["method"]
    if "estimand_is" in facts:
        return str(facts["interval"])
    if labels.leading_basis(ranking) != "hybrids":
        method = facts.get("systems_method", method)
    return "projection" if method == "williams-jackknife" else str(method)


def _title(ranking: xr.Dataset, interval: str) -> str:
    """Name the coefficient, what it is over, and the interval that is shown."""
    basis, facts = labels.leading_basis(ranking), ranking.attrs
    level = labels.level_of(ranking)
    if "group" in ranking.dims:
        kind = {"arithmetic": "arithmetic mean of r", "fisher": "mean of Fisher's z"}
        over = rankings.groups_title(ranking)
        return f"{kind[facts['average']]} with people over {over}, {level} intervals"
    name = {"pearson": "r"}.get(facts["coefficient"], facts["coefficient"])
    over = rankings.basis_title(ranking, basis)
    return f"{name} with people over {over}, {level} intervals ({interval})"


def hybrids_table(ranking: xr.Dataset, exact: xr.Dataset | None) -> Table:
    """Lay out r over hybrids, with n draws and infinitely many, and what draws alone tell apart."""
    part = ranking.sel(basis="hybrids")
    order = np.argsort(-part["value"].to_numpy(), kind="stable")
    part = part.isel(metric=order, other_metric=order)
    columns: list[Filled] = [
        (Column("rank", "#"), part["rank"]),
        (Column("metric"), labels.marked_labels(part)),
        (Column("r", "r, these draws"), rankings.limits_of(part)),
    ]
    if exact is not None:
        ordered = exact.reindex(metric=part["metric"])
        columns += [(column, ordered[column.field]) for column in hybrids.EXACT_COLUMNS]
    columns += _wins(part)
    count = rankings.basis_title(ranking, "hybrids")
    title = f"r over {count} of these very systems and segments: how well so many draws pin it down"
    return table_of(columns, title)


def baseline_tables(found: xr.Dataset) -> dict[str, Table]:
    """Lay out the difference of every metric to the baseline on average, by name of a file.

    On the basis that leads, or a table for each measure.
    """
    if "measure" not in found.dims:
        return {"baseline": baseline_table(found)}
    kinds = labels.names_of(found, "measure")
    return {f"baseline-{kind}": baseline_table(found, kind) for kind in kinds}


def baseline_table(found: xr.Dataset, kind: str = "") -> Table:
    """Lay out the difference of every metric to the baseline on the leading basis, or by `kind`."""
    part = _on_average(found, kind)
    part = part.isel(metric=np.argsort(-part["value"].to_numpy(), kind="stable"))
    has_limits = "difference_lower" in part
    limits = _DIFFERENCE if has_limits else ("difference",) * 3
    numbers = [part[name].to_numpy().tolist() for name in limits]
    cells = list(map(rankings.with_limits, *numbers)) if has_limits else numbers[0]
    heading = "difference of z" if labels.is_fisher(part) else "difference"
    name = kind or "r"
    columns: list[Filled] = [
        (Column("metric"), labels.metric_labels(part)),
        (Column("value", name, ".3f"), part["value"]),
        (Column("difference", heading, ".3f"), cells),
        (Column("p_value", "p", ".3g"), part["p_value"]),
        (BASELINE_COLUMNS["p_baseline"], part["p_baseline"]),
    ]
    baseline, notes = part.attrs["baseline"], [HOLM_NOTE]
    if "systems_needed" in part:
        columns.append((BASELINE_COLUMNS["systems_needed"], part["systems_needed"]))
        notes = [f"{HOLM_NOTE} {NEEDED_NOTE}"]
    if kind:
        own = float((part["value"] - part["difference"]).mean())  # each is the baseline's
        of = f"tested by {part.attrs['method']}"
        if PAIRS in part.attrs["method"]:
            notes.append(PAIRS_NOTE)
    else:
        own, of = part.attrs["baseline_r"], _title(found, _interval_of_differences(found))
    return table_of(columns, f"Difference to {baseline} ({name} = {own:.3f}), {of}", notes)


HOLM_NOTE = "p (Holm) is adjusted for the comparisons with the baseline alone."
NEEDED_NOTE = (
    "Systems needed: about how many would show the difference with a probability of 80 %, were it "
    "the true one."
)


def baseline_numbers(found: xr.Dataset) -> Table:
    """One row for each basis (and group) and metric, with every number, for CSV and JSON."""
    lead = [str(dim) for dim in found["p_value"].dims]
    numbers = ("value", *_DIFFERENCE, *_P_VALUES, "systems_needed")
    names = [*lead, *(name for name in numbers if name in found)]
    caption = f"Differences to {found.attrs['baseline']}"
    return number_table([found], lead, names, BASELINE_COLUMNS, caption)


def baseline_lines(found: xr.Dataset) -> list[str]:
    """Say in words what the comparison with the baseline tells of added metrics, or of all.

    'good-90: 2 of 7 metrics differ from it (Holm, 95 %): strong-98, weak-40'
    """
    kinds = labels.names_of(found, "measure") if "measure" in found.dims else [""]
    added = [name for name in labels.added_metrics(found) if name in found["metric"].to_numpy()]
    if added:
        return [difference_line(found, name, kind) for kind in kinds for name in added]
    return [_differing(_on_average(found, kind), kind) for kind in kinds]


def _differing(part: xr.Dataset, kind: str) -> str:
    differs = part["differs"].to_numpy()
    names = listed(part["metric"].to_numpy()[differs], MOST_NAMES)
    by = f" by {kind}" if kind else ""
    count = f"{differs.sum() or 'none'} of {differs.size} metrics differ from it{by}"
    told = f"{part.attrs['baseline']}: {count} (Holm, {labels.level_of(part)})"
    return f"{told}{f': {names}' if names else ''}"


def _on_average(found: xr.Dataset, kind: str = "") -> xr.Dataset:
    """Select the basis that leads, or a measure; on average over groups."""
    at = {"measure": kind} if kind else {"basis": labels.leading_basis(found)}
    part = found.sel(at)
    return labels.on_average(part)


def difference_line(found: xr.Dataset, metric: str | None = None, kind: str = "") -> str:
    """Say the difference of one metric, by default the first, to the baseline in words.

    'A less B: -0.071 [-0.201, 0.034], p = 0.21 (12 systems); about 50 systems would show it'; of
    several metrics 'p = 0.21 (Holm 0.63; 12 systems)'; by a measure 'A less B: SPA -0.071'.
    """
    part = _on_average(found, kind)
    part = part.isel(metric=0) if metric is None else part.sel(metric=metric)
    numbers = [float(part[name]) for name in _DIFFERENCE if name in part]
    shown = rankings.with_limits(*numbers) if len(numbers) == 3 else f"{numbers[0]:.3f}"
    shown += " (of z)" if labels.is_fisher(part) else ""
    of = [] if found.sizes["metric"] == 1 else [f"Holm {float(part['p_baseline']):.3g}"]
    if "group" in found.dims:
        of.append(f"average over {rankings.groups_title(found)}")
    elif not kind:
        of.append(rankings.basis_title(found, labels.leading_basis(found)))
    beside = f" ({'; '.join(of)})" if of else ""
    p = f"p = {float(part['p_value']):.3g}{beside}"
    by = f"{kind} " if kind else ""
    text = f"{part['metric'].item()} less {found.attrs['baseline']}: {by}{shown}, {p}"
    needed = float(part.get("systems_needed", np.nan))
    if bool(part["differs"]):
        return f"{text}; shown at {labels.level_of(found)}"
    return f"{text}; about {needed:,.0f} systems would show it" if np.isfinite(needed) else text
