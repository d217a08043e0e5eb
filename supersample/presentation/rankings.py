"""Tables of rankings by correlation: of one set, or of several groups and their average."""

import math

import numpy as np
import xarray as xr

from supersample.presentation import hybrids, labels, survivors
from supersample.presentation.table import (
    Column,
    Filled,
    Table,
    number_table,
    pair_table,
    spread,
    table_of,
)

SMALLEST_LEFT_OUT = 5  # systems that have an interval by the jackknife
NUMBERS = ("rank", "value", "lower", "upper", "wins", "cluster")
DIFFERENCES = ("difference", "difference_lower", "difference_upper")

CLUSTER_NOTE = (
    "Wins (metrics it is significantly better than, unadjusted) inform, r alone orders. Clusters "
    "are greedy: a metric that loses to any of the current one opens the next; members may differ "
    "all the same."
)
ABSOLUTE_NOTE = (
    "Absolute values of correlations, as in the papers this reproduces: a metric that points the "
    "wrong way does not show."
)


def basis_title(ranking: xr.Dataset, basis: str) -> str:
    """Name what n counts, and how many: '10,000 hybrids'."""
    return f"{int(ranking['n'].sel(basis=basis)):,} {basis}"


def ranking_table(ranking: xr.Dataset) -> Table:
    """One row for each metric, best on the systems first, with every number, for CSV and JSON.

    On each basis: rank, r with its limits, wins, cluster, ``next``: r less that of the metric in
    the next row, and ``first``: less that of the first row, with limits where there are any.
    """
    ranking = systems_first(ranking)
    below, above = {}, {}
    for name in (name for name in DIFFERENCES if name in ranking):
        differences = ranking[name].to_numpy()
        following = np.diagonal(differences, 1, axis1=1, axis2=2)
        padded = np.pad(following, ((0, 0), (0, 1)), constant_values=np.nan)
        below[f"next_{name}"] = (("basis", "metric"), padded)
        above[f"first_{name}"] = (("basis", "metric"), differences[:, :, 0])
    below |= above
    numbers = [*NUMBERS, *(["p_best"] if survivors.is_simultaneous(ranking) else [])]
    flat, names = spread(ranking.assign(below), "basis", [*numbers, *below])
    return number_table([flat], ["metric"], ["metric", "higher_is_better", *names])


def groups_table(ranking: xr.Dataset) -> Table:
    """One row for each basis, group and metric, with every number, for CSV and JSON."""
    ranking = systems_first(ranking)
    labels = ["basis", "group", "n", "metric", "higher_is_better"]
    return number_table([ranking], ["basis", "group", "metric"], [*labels, *NUMBERS, "p_best"])


def comparisons_table(ranking: xr.Dataset) -> Table:
    """One row for each basis (and group) and pair of metrics, as `pair_table` orders them."""
    grouped = "group" in ranking.dims
    numbers = (*DIFFERENCES[1:], "statistic", "p_value", "p_holm", "p_bh", "p_simultaneous")
    names = [
        *(("basis", "group") if grouped else ("basis", "n")),
        *("metric", "other_metric", "difference"),
        *(name for name in numbers if name in ranking),
        *(("significant",) if grouped else ("significant", "identical")),
    ]
    caption = f"Differences of {labels.differing(ranking)}, {ranking.attrs['method']}"
    alternative = ranking.attrs["alternative"]
    return pair_table(_parts(ranking), names, alternative=alternative, caption=caption)


def correlations_table(ranking: xr.Dataset) -> Table:
    """One row for each basis and pair of metrics: how the scores of the metrics correlate."""
    names = ["basis", "metric", "other_metric", "metric_r"]
    return pair_table(_parts(ranking), names, caption="Correlations of metrics with each other")


def _parts(ranking: xr.Dataset) -> list[xr.Dataset]:
    """Select each basis, those of hybrids last, and each group of it."""
    ranking = systems_first(ranking)
    parts = [ranking.isel(basis=b) for b in range(ranking.sizes["basis"])]
    if "group" not in ranking.dims:
        return parts
    return [part.isel(group=g) for part in parts for g in range(ranking.sizes["group"])]


def printed_ranking(ranking: xr.Dataset, exact: xr.Dataset | None = None) -> Table:
    """Lay the ranking out for a page or a terminal, r and its limits in one cell.

    Of several groups, the average is shown on each basis and, on the first, r of each group. With
    `exact`, what `exact_hybrid_correlations` gave, its r and within part are beside r over hybrids.
    """
    ranking = systems_first(ranking)
    bases, grouped = labels.names_of(ranking, "basis"), "group" in ranking.dims
    average = ranking.isel(group=0) if grouped else ranking
    ordered = None if exact is None else exact.reindex(metric=ranking["metric"])
    columns: list[Filled] = [(Column("metric"), labels.marked_labels(ranking))]
    for b, basis in enumerate(bases):
        part = average.isel(basis=b)
        heading = f"average r, {basis}" if grouped else f"r, {basis}"
        columns += [(Column(f"rank_{basis}", "#"), part["rank"])]
        if survivors.is_simultaneous(ranking) and basis != "hybrids":
            columns += [
                (Column(f"r_{basis}", heading, ".3f"), part["value"]),
                (Column(f"less_first_{basis}", labels.first_heading(ranking)), less_first(part)),
            ]
        else:
            columns += [(Column(f"r_{basis}", heading), limits_of(part))]
        if ordered is not None and basis == "hybrids":
            columns += [(column, ordered[column.field]) for column in hybrids.EXACT_COLUMNS]
        columns += [
            (Column(f"wins_{basis}", "wins"), part["wins"]),
            (Column(f"cluster_{basis}", "cluster"), part["cluster"]),
        ]
    shown = labels.shown_groups(ranking)[1:]
    of_groups = ranking["value"].isel(basis=0)
    columns += [(Column(f"r_{name}", name, ".3f"), of_groups.sel(group=name)) for name in shown]
    explained = labels.legend(ranking)
    explained += [f"Columns of single groups: r over {bases[0]}."] if shown else []
    explained += [] if exact is None else [hybrids.EXACT_NOTE]
    return table_of(columns, _caption(ranking), [*explained, *notes(ranking)])


def systems_first(ranking: xr.Dataset) -> xr.Dataset:
    """Put bases that count hybrids last, and metrics in the order of the first basis."""
    bases = labels.names_of(ranking, "basis")
    ordered = ranking.sel(basis=sorted(bases, key=lambda basis: basis == "hybrids"))
    r = ordered["value"].isel(basis=0)
    order = np.argsort(-labels.on_average(r).to_numpy(), kind="stable")
    return ordered.isel(metric=order, other_metric=order)


def limits_of(part: xr.Dataset) -> list[str]:
    """Write r of each metric (or system) with its limits."""
    numbers = (part[name].to_numpy().tolist() for name in ("value", "lower", "upper"))
    return list(map(with_limits, *numbers))


def less_first(part: xr.Dataset) -> list[str]:
    """Write r (or z) of each metric less that of the first, with the limits of the difference."""
    difference, lower, upper = (part[name].to_numpy()[:, 0] for name in DIFFERENCES)
    numbers = (each.tolist() for each in (difference, lower, upper))
    return ["", *[with_limits(*each) for each in zip(*numbers, strict=True)][1:]]


def with_limits(estimate: float, lower: float, upper: float) -> str:
    """Write an estimate and its limits: '0.943 [0.941, 0.945]'.

    >>> with_limits(0.943, 0.9406, 0.945)
    '0.943 [0.941, 0.945]'
    """
    if math.isnan(estimate):
        return "undefined"
    if math.isnan(lower):
        return f"{estimate:.3f}"
    return f"{estimate:.3f} [{lower:.3f}, {upper:.3f}]"


def groups_title(ranking: xr.Dataset) -> str:
    """Name the groups of an average, and how many: '2 language pairs'."""
    return f"{ranking.sizes['group'] - 1} {ranking.attrs.get('by', 'language pair')}s"


def _caption(ranking: xr.Dataset) -> str:
    if "group" in ranking.dims:
        kind = {"arithmetic": "arithmetic mean of r", "fisher": "mean of Fisher's z"}
        return (
            f"Pearson correlation with human scores, {kind[ranking.attrs['average']]} over "
            f"{groups_title(ranking)}, {labels.level_of(ranking)} intervals"
        )
    sizes = " and ".join(basis_title(ranking, basis) for basis in labels.names_of(ranking, "basis"))
    return (
        f"{ranking.attrs['coefficient'].capitalize()} correlation with human scores over {sizes}, "
        f"{labels.level_of(ranking)} intervals ({ranking.attrs['interval']})"
    )


def resampled_note(result: xr.Dataset) -> list[str]:
    """Explain intervals whose bootstrap drew no systems."""
    drawn = result.attrs.get("resampled", "systems")
    if "systems" in drawn:
        return []
    return [
        f"Bootstrap over {drawn}: how far these very systems' r would move with other {drawn}; it "
        "says nothing of other systems."
    ]


def notes(ranking: xr.Dataset) -> list[str]:
    """Explain how to read the ranking, and what its reader must know of these data."""
    lines = []
    if "hybrids" in labels.names_of(ranking, "basis"):
        grouped = "group" in ranking.dims
        lines = [hybrids.AVERAGE_PRECISION_NOTE if grouped else hybrids.PRECISION_NOTE]
    return [CLUSTER_NOTE, *lines, *notes_of_r(ranking), *facts_to_know(ranking)]


def notes_of_r(ranking: xr.Dataset) -> list[str]:
    """Explain r of each basis, and differences over the systems."""
    lines = [hybrids.TWO_R_NOTE] if shows_two(ranking) else []
    if "group" in ranking.dims:
        average = f"Intervals of average r over the systems: {ranking.attrs['average_interval']}."
        return [*lines, average]
    return lines + ([survivors.FIRST_NOTE] if survivors.is_simultaneous(ranking) else [])


def shows_two(ranking: xr.Dataset) -> bool:
    """Whether there is an r over hybrids beside one over the systems."""
    return {"hybrids", "systems"} <= set(labels.names_of(ranking, "basis"))


def facts_to_know(ranking: xr.Dataset) -> list[str]:
    """Say what a reader must know of these data: what is random, left out, or not measured."""
    facts, lines = ranking.attrs, []
    if "group" in ranking.dims:
        return []
    if facts["orientation"] == "absolute":
        lines.append(ABSOLUTE_NOTE)
    if facts.get("outliers"):
        lines.append(f"Outliers by human score (median and MAD): {facts['outliers']}.")
    if "estimand_is" in facts:
        lines.append(f"Random: {facts['unit']}. Estimand: {facts['estimand_is']}.")
    if facts.get("outside_measured_range"):
        outside = facts["outside_measured_range"]
        lines.append(f"Level and coverage over systems were not measured for {outside}.")
    return [*lines, *resampled_note(ranking), *_without_interval(ranking)]


def _without_interval(ranking: xr.Dataset) -> list[str]:
    """Name bases that are too small for an interval."""
    least = SMALLEST_LEFT_OUT if "jackknife" in ranking.attrs["interval"] else hybrids.SMALLEST_N
    bases = labels.names_of(ranking, "basis")
    counts = dict(zip(bases, map(int, ranking["n"].to_numpy()), strict=True))
    if "unit" in ranking.attrs and ranking.attrs["systems"] < hybrids.SMALLEST_N:
        counts, least = {"systems": ranking.attrs["systems"]}, hybrids.SMALLEST_N
    return [
        f"No interval over {n} {basis}: at least {least} are needed."
        for basis, n in counts.items()
        if n < least
    ]


def ranking_lines(
    ranking: xr.Dataset, exact: xr.Dataset | None = None, *, every_basis: bool = True
) -> list[str]:
    """Sum the ranking up: significant pairs on each basis, exact correlations, conclusion.

    Without `every_basis`, of hybrids the conclusion alone.
    """
    bases = labels.names_of(systems_first(ranking), "basis")
    if not every_basis and len(bases) > 1:
        bases, exact_shown = [basis for basis in bases if basis != "hybrids"], None
    else:
        exact_shown = exact
    if ranking.sizes["metric"] == 1:
        return [only_line(ranking)]
    if "group" in ranking.dims:
        lines = [average_line(ranking, basis) for basis in bases]
        return [*lines, *survivors.average_lines(ranking)]
    lines = [significance_line(ranking, basis) for basis in bases]
    if exact_shown is not None:
        lines += [hybrids.exact_line(exact_shown), hybrids.mixture_line(exact_shown)]
    concluded = hybrids.conclusion_line(ranking if exact is None else by_exact_r(ranking, exact))
    if not concluded and survivors.is_simultaneous(ranking):
        concluded = survivors.survivors_line(ranking, labels.leading_basis(ranking))
    return [line for line in (*lines, concluded) if line]


def only_line(ranking: xr.Dataset) -> str:
    """Conclude on the only metric there is."""
    basis = labels.leading_basis(ranking)
    part = ranking.sel(basis=basis)
    of = f"over {basis_title(ranking, basis)}" if "group" not in ranking.dims else "on average"
    [r] = limits_of(labels.on_average(part))
    return (
        f"{labels.metric_labels(part)[0]} agrees with people by r = {r} {of} "
        f"({labels.level_of(ranking)}); there is no other metric to compare it with"
    )


def by_exact_r(ranking: xr.Dataset, exact: xr.Dataset) -> xr.Dataset:
    """Put r of infinitely many hybrids in the place of the sampled one.

    Which metric agrees best with people is a fact of these systems and segments; n hybrids may name
    another one. Metrics whose hybrids were scored elsewhere have the sampled r alone.
    """
    if "hybrids" not in ranking["basis"]:
        return ranking
    r = ranking["value"].copy(deep=True)
    sampled = r.sel(basis="hybrids").to_numpy()
    of_all = exact["r"].reindex(metric=ranking["metric"]).to_numpy()
    of_all = np.where(np.isnan(of_all), sampled, of_all)
    r.loc[{"basis": "hybrids"}] = of_all
    return ranking.assign(value=r)


def significance_line(ranking: xr.Dataset, basis: str) -> str:
    """How many pairs of metrics differ significantly on a basis, in one line."""
    part = ranking.sel(basis=basis)
    pairs = labels.pairs_that_differ(int(part["wins_over"].sum()), part.sizes["metric"])
    one_sided = [] if ranking.attrs["alternative"] == "two-sided" else ["one-sided"]
    method = ranking.attrs["method"]
    if basis != "hybrids":
        method = ranking.attrs.get("systems_method", method)
    by = ", ".join([method, *one_sided, labels.level_of(ranking)])
    line = f"{basis_title(ranking, basis)}: {pairs} ({by})"
    if survivors.is_simultaneous(ranking) and basis != "hybrids":
        return f"{line}; {survivors.surviving_pairs(part)} after adjustment for all metrics"
    if "p_holm" not in ranking:
        return line
    rejected = part["p_holm"].to_numpy() <= round(1 - ranking.attrs["confidence_level"], 12)
    return f"{line}; {np.triu(rejected | rejected.T, 1).sum()} after Holm"


def average_line(ranking: xr.Dataset, basis: str) -> str:
    """How many pairs of metrics differ significantly on average, in one line."""
    part = ranking.sel(basis=basis).isel(group=0)
    pairs = labels.pairs_that_differ(int(part["significant_pairs"]), part.sizes["metric"])
    return f"average over {basis}: {pairs}, {int(part['clusters'])} clusters of those"
