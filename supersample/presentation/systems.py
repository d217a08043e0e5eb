"""Sentences and tables about systems ranked by people: which differ, and their possible ranks."""

from dataclasses import replace

import numpy as np
import xarray as xr

from supersample.errors import listed
from supersample.presentation.labels import level_of, names_of
from supersample.presentation.rankings import DIFFERENCES, pair_table, with_limits
from supersample.presentation.registry import Figure, Forms, Kind, register_kind
from supersample.presentation.table import SMALL_P, Column, Filled, Table, number_table, table_of

MOST_NAMED = 6
PAIRS = ("group", "system", "other_system", *DIFFERENCES, "p_value", "p_simultaneous")
NUMBERS = (
    *("group", "system", "mean", "lower", "upper", "rank", "rank_first", "rank_last"),
    *("may_be_best", "tie_groups"),
)
_KEPT = "; what only they rated is lost; --ratings FILE:quality_control=none keeps it"
_ASSESSORS = {"assessors_dropped": _KEPT, "assessors_without_z": ""}
_AS_GIVEN = ("raw, none", "raw, no damaged translations")
STANDARDISED = " (for the average, scores are divided by their standard deviation, their mean is 0)"
_PUBLISHED = ("published_first", "published_last", "published_cluster")


def differing_pairs(part: xr.Dataset) -> tuple[int, int]:
    """Count the pairs that differ, corrected for all, and all pairs."""
    upper = np.triu_indices(part.sizes["system"], 1)
    return int(part["differs_adjusted"].to_numpy()[upper].sum()), upper[0].size


def source_of_systems(found: xr.Dataset) -> list[str]:
    """Describe what was ranked: source, sizes, and what was left out."""
    facts = found.attrs
    who = f"human scores '{facts.get('human', 'human')}'"
    who = who if facts["scorer"] == "human" else f"scores of {facts['scorer']}"
    left_out = [(x, facts.get(f"{x}_left_out")) for x in ("systems", "segments", "ratings")]
    return [
        f"{facts.get('source', 'scores')}: {facts['sizes']}, {who}",
        *(f"{what} left out: {text}" for what, text in left_out if text),
        *(f"assessors left out: {facts[x]}{y}" for x, y in _ASSESSORS.items() if facts.get(x)),
    ]


def systems_lines(found: xr.Dataset) -> list[str]:
    """Say which systems could be the best, and how many pairs differ."""
    part = found.isel(group=0)
    best = names_of(part.isel(system=part["may_be_best"].to_numpy()), "system")
    differ, pairs = differing_pairs(part)
    who = "people" if found.attrs["scorer"] == "human" else found.attrs["scorer"]
    first = f"{best[0]} is the best of {part.sizes['system']} systems by {who}."
    if len(best) > 1:
        first = f"{len(best)} of {part.sizes['system']} systems could be the best by {who}: "
        first += f"{listed(best, MOST_NAMED)}."
    on = f"on new {_drawn(found)} ({level_of(found)}, all at once)"
    lines = [first, f"{differ} of {pairs} pairs of systems are shown to differ, also {on}."]
    if "published_p" in part:
        upper = np.triu_indices(part.sizes["system"], 1)
        claimed = int((part["published_p"].to_numpy()[upper] < 0.05).sum())
        told = f"The rule {found.attrs['rule']} calls {claimed} of {pairs} pairs different"
        lines.append(f"{told}: it takes segments as independent, and each pair alone.")
    return [*lines, *_departures(found), *_of_groups(found)]


def _drawn(found: xr.Dataset) -> str:
    """Say what is random: "documents and assessors"."""
    return f"{found.attrs['unit']}s" + " and assessors" * ("assessors" in found.attrs["method"])


def _departures(found: xr.Dataset) -> list[str]:
    """Say where a published rule takes other scores than these."""
    facts = found.attrs
    rated = str(facts.get("ratings", "raw, none"))
    references = [x for x in str(facts.get("systems_left_out", "")).split(", ") if "(a ref" in x]
    departures = {
        f"ratings as given, and all assessors; here they are {rated}": rated in _AS_GIVEN,
        f"references as systems; left out: {listed(references)}": not references,
        "the mean over ratings; here it is over segments": facts["human_mean"] == "ratings",
    }
    if "rule" not in facts:
        return []
    return [f"The rule {facts['rule']} takes {x}." for x, met in departures.items() if not met]


def _of_groups(found: xr.Dataset) -> list[str]:
    """Count the pairs that differ in each group, and its units: few make the average uncertain."""
    names, unit = names_of(found, "group")[1:], found.attrs["unit"]
    parts = [found.sel(group=name) for name in names]
    counts = [
        f"{differing_pairs(part)[0]} in {name} ({part['units'].item()} {unit}s)"
        for name, part in zip(names, parts, strict=True)
    ]
    how = "is standardised and " if _is_standardised(found) else ""
    few = f"each {how}counts equally, so few {unit}s make the average unsure"
    told = f"Pairs that differ in each alone: {listed(counts)}; {few}. Ranks in each: --full."
    return [told] if names else []


def _is_standardised(found: xr.Dataset) -> bool:
    """Whether the average is over human scores of several scales."""
    return "standardised" in found.attrs["statistic"]


def systems_table(found: xr.Dataset, group: str = "") -> Table:
    """Lay out systems, best first: ranks they can have, means with limits, tie groups.

    By default those of the first group, with means and ranks in the others beside.
    """
    part = found.isel(group=0)
    if group:
        part = found.sel(group=group).sortby("rank").drop_vars(_PUBLISHED, errors="ignore")
    digits = f".{int(_digits(part))}f"
    columns: list[Filled] = [
        (Column("ranks"), _range(part["rank_first"], part["rank_last"])),
        (Column("system"), part["system"]),
        (Column("mean", number=digits), part["mean"]),
        (Column("lower", "from", digits), part["lower"]),
        (Column("upper", "to", digits), part["upper"]),
    ]
    lettered = bool((part["tie_groups"] != "").all())
    columns += [(Column("tie_groups", "letters"), part["tie_groups"])] if lettered else []
    if rule := found.attrs.get("rule") if "published_first" in part else None:
        ranges = _range(part["published_first"], part["published_last"])
        clusters = part["published_cluster"].to_numpy()
        both = [f"{ends} ({cluster:.0f})" for ends, cluster in zip(ranges, clusters, strict=True)]
        columns.append((Column(rule), both))
    groups = [] if group else names_of(found, "group")[1:]
    columns += [(Column(name), _mean_and_ranks(found.sel(group=name))) for name in groups]
    level, over = level_of(found), _drawn(found)
    scale = f", cut to the scale ({found.attrs['scale']})" if "scale" in found.attrs else ""
    notes = [
        f"ranks: those that a system can have; all hold at once with {level} confidence.",
        "letters: systems that share one are not shown to differ."
        if lettered
        else "Groups of systems that do not differ are too many for letters: see the pairs.",
        f"from, to: {level} interval of each mean alone, on new {over}{scale}. Compare systems by "
        f"{'letters' if lettered else 'pairs'}: such intervals may overlap where systems differ, "
        "or be apart where no difference is shown.",
    ]
    notes += [f"{rule}: ranks by this rule, and the cluster."] if rule else []
    fixed = "means of its single ratings; given alone, this file would have its assessors as random"
    notes += [f"{found.attrs['averaged']}: {fixed}, too."] if "averaged" in found.attrs else []
    if groups:
        told = STANDARDISED * _is_standardised(found)
        notes.append(f"{listed(groups)}: mean there{told}, and ranks that the system can have.")
    where = f" in {group}" if group else ""
    return table_of(columns, f"Systems{where} {_ordered_by(found, part, group)}", notes)


def _ordered_by(found: xr.Dataset, part: xr.Dataset, group: str = "") -> str:
    """Say by what the systems of a part are ordered, and of which data."""
    scorer = found.attrs["scorer"]
    up = "higher" if part["mean"][0] >= part["mean"][-1] else "lower"  # the best comes first
    by = "standardised " * (_is_standardised(found) and not group)
    human = found.attrs.get("human", "human").replace(" wilcoxon)", " assessors who passed checks)")
    scale = f"human scores ({human}, "
    by += f"{scale if scorer == 'human' else f'{scorer} ('}{up} is better)"
    sizes = f"{part['units'].item()} {found.attrs['unit']}s" if group else found.attrs["sizes"]
    return f"by their mean of {by}: {found.attrs.get('source', 'scores')}, {sizes}"


def _digits(found: xr.Dataset) -> xr.DataArray:
    """How many decimals the means of each group are printed with."""
    return 1 + 2 * (found["mean"].reduce(np.ptp, "system") < 10)


def _mean_and_ranks(part: xr.Dataset) -> list[str]:
    ranges, digits = _range(part["rank_first"], part["rank_last"]), int(_digits(part))
    means = part["mean"].to_numpy()
    return [f"{mean:.{digits}f} ({ends})" for mean, ends in zip(means, ranges, strict=True)]


def _each_group(found: xr.Dataset) -> dict[str, dict[str, str]]:
    """Name the groups beside the first one by the ends of names of files."""
    return {f"-{k}": {"group": x} for k, x in enumerate(names_of(found, "group")[1:], start=1)}


def _range(first: xr.DataArray, last: xr.DataArray) -> list[str]:
    ends = zip(first.to_numpy().astype(int), last.to_numpy().astype(int), strict=True)
    return [f"{low}" if low == high else f"{low} to {high}" for low, high in ends]


def plain_systems_table(found: xr.Dataset) -> Table:
    """One row for each group and system, with every number."""
    more = _PUBLISHED if "published_p" in found else ()
    return number_table([found], ["group", "system"], [*NUMBERS, *more])


def system_pairs_table(found: xr.Dataset) -> Table:
    """One row for each pair of systems, in every group if there are several."""
    names = [x for x in (*PAIRS, "differs_adjusted", "published_p") if x in found.variables]
    parts = [found.isel(group=k) for k in range(found.sizes["group"])]
    return pair_table(parts, names[found.sizes["group"] < 2 :], dim="system")


def system_pairs_page(found: xr.Dataset) -> Table:
    """Lay out every pair of systems: the difference with its limits, and whether it is shown."""
    part, numbers = found.isel(group=0), [_digits(found), *(found[x] for x in DIFFERENCES)]
    cells = xr.apply_ufunc(lambda digits, *x: with_limits(x, digits), *numbers, vectorize=True)
    table = system_pairs_table(found.drop_vars(DIFFERENCES).assign(difference=cells))
    of_each = " of a group" * (found.sizes["group"] > 1)
    given = "; groups have scores as given" * _is_standardised(found)
    caption = (
        f"Differences of systems {_ordered_by(found, part)}; above 0, the mean of the first is "
        f"higher; interval ({level_of(found)}) and p are of each pair alone, by Student's t over "
        f"{_drawn(found)}, and p, corrected, is for all {differing_pairs(part)[1]} pairs{of_each} "
        f"at once (step-down maximum, or Holm if {found.attrs['unit']}s are few); a pair also "
        f"differs if a third system is shown to be between the two{given}"
    )
    columns = (replace(column, number=SMALL_P) for column in table.columns)  # p alone
    return replace(table, columns=tuple(columns), caption=caption)


register_kind(
    Kind(
        name="systems",
        file="systems",
        title="Which systems differ",
        answer=systems_lines,
        tables={
            "systems": (
                Forms(pages=systems_table, numbers=plain_systems_table),
                Forms(pages=systems_table, each=_each_group),
            ),
            "system-pairs": Forms(system_pairs_page, system_pairs_table),
        },
        figures={"systems": Figure("systems.plot_systems")},
        brief=lambda found: [systems_table(found.isel(group=[0]))],
    )
)
