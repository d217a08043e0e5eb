"""What a ranking says in sentences: how many pairs differ, what may be concluded, and of whom."""

import math

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import listed
from supersample.presentation import labels
from supersample.presentation.notes import BASES, SMALLEST_N
from supersample.presentation.numbers import DIFFERENCES
from supersample.presentation.printed import limits_of, with_limits

MOST_NAMES = 6
SMALLEST_SET = 5  # systems that tell which metrics may be the best
NEW = {
    **dict.fromkeys(("inputs", "segments"), " on new segments"),
    "systems": " on new systems",
    "both": " on new systems and segments",
    "williams-jackknife": " on new systems",
}
"""What another draw of would change, by the scheme of swaps."""


def lines_of(
    ranking: xr.Dataset, exact: xr.Dataset | None = None, *, every_basis: bool = True
) -> list[str]:
    """Sum a ranking up: significant pairs of each part, exact correlations, conclusions.

    Without `every_basis`, of hybrids the conclusion alone.
    """
    average = labels.on_average(ranking)
    parts = labels.parts_of(average)
    if labels.is_evaluation(ranking):
        return list(map(count_line, parts))
    if not labels.by_basis(ranking):
        counts = [count_line(part) for part in parts]
        return [*counts, *conclusions(ranking), *_identical(average)]
    if ranking.sizes["metric"] == 1:
        return [_only_line(ranking)]
    every_basis |= len(parts) == 1
    lines = [count_line(p) for p in parts if every_basis or not labels.is_of_hybrids(p)]
    if exact is not None and every_basis:
        lines += [exact_line(exact), mixture_line(exact)]
    return [line for line in (*lines, *conclusions(ranking, exact)) if line]


def exact_line(exact: xr.Dataset) -> str:
    """Sum up: how far hybrids move r, and how precise n of them are."""
    moved = (exact["r"] - exact["systems_r"]).to_numpy()
    if np.isnan(moved).all():
        return "no metric has an r over infinitely many hybrids"
    error = float(np.nanmax(exact["standard_error"].to_numpy()))
    return (
        f"infinitely many hybrids would move r from the systems' own by {np.nanmin(moved):+.4f} to "
        f"{np.nanmax(moved):+.4f}; {exact.attrs['n']:,} leave a standard error of at most "
        f"{error:.4f}"
    )


def mixture_line(exact: xr.Dataset) -> str:
    """Sum up: with which weights hybrids mix agreement on systems and within segments."""
    if exact["pdp"].isnull().all() or exact["balance"].isnull().all():
        return ""
    ranges = [
        f"{float(exact[name].min()):{form}} to {float(exact[name].max()):{form}}"
        for name, form in (("systems_weight", ".3f"), ("pdp_weight", ".3f"), ("balance", ".1f"))
    ]
    return (
        "hybrids mix agreement on systems, weight {}, and within units (PDP), weight {}; both "
        "weigh the same in hybrids of {} units"
    ).format(*ranges)


def count_line(part: xr.Dataset) -> str:
    """How many pairs of metrics (or systems) of a part differ significantly, in one line."""
    count = part.sizes[labels.item_of(part)]
    pairs = labels.pairs_that_differ(int(part["wins_over"].sum()), count)
    kind, test = labels.kind_of(part), labels.test_name(part)
    if labels.is_evaluation(part):
        return f"{kind}: {pairs} ({test}, p <= {labels.alpha_of(part):.3g})"
    clusters = f"{int(part['clusters'])} clusters of those"
    if not labels.by_basis(part):
        values = f"{int(part['distinct_values'])} distinct values of {count} metrics"
        return f"{kind}: {values}, {pairs} ({test}), {clusters}"
    if labels.is_average(part):
        return f"average over {kind}: {pairs}, {clusters}"
    line = f"{labels.counted(part)}: {pairs} ({test}, {labels.level_of(part)})"
    if labels.adjusted_p(part) is None:
        return line
    differ, means = labels.differ(part)
    after = "Holm" if "Holm" in means else "adjustment for all metrics"
    return f"{line}; {np.triu(differ, 1).sum()} after {after}"


def conclusions(ranking: xr.Dataset, exact: xr.Dataset | None = None) -> list[str]:
    """Conclude on all metrics at once by each measure, or over what is random."""
    if labels.by_basis(ranking) and not labels.is_grouped(ranking):
        line = conclusion_line(ranking if exact is None else _by_exact_r(ranking, exact))
        if not line and "p_best" in ranking and ranking.sizes["metric"] > 1:
            line = survivors_line(labels.part_of(ranking))
        return [line] if line else []
    if "p_best" not in ranking:
        return []
    parts = labels.parts_of(labels.on_average(ranking), basis=["systems"])
    return list(filter(None, map(concluded, parts)))


def concluded(part: xr.Dataset) -> str:
    """Conclude on all metrics of one part from their p-values; empty without two.

    'SPA on new segments, adjusted for all metrics: any of the 8 may be the best; no pair differs'
    """
    told = told_of_all(part)
    of = "Of new systems" if labels.by_basis(part) else labels.value_name(part)
    of = "On average" if of == labels.AVERAGE else of  # of a shared task
    drawn = part.attrs.get("random", "").replace("+", " and ")
    by_method = NEW.get(part.attrs["method"].removeprefix("perm-"), "")
    new = f" on new {drawn}" if drawn else by_method
    average = ", on average" if labels.is_average(part) else ""
    adjusted = "" if part.sizes["metric"] == 2 else ", adjusted for all metrics"
    return told and f"{of}{new}{average}{adjusted}: {told} ({_sure(part)})."


def survivors_line(part: xr.Dataset) -> str:
    """Conclude on new systems (or what else is random) in a line of its own, after adjustment."""
    new = part["basis"].item().replace("+", " and ")
    return f"Of new {new}, {on_systems(part)} ({_sure(part)})."


def on_systems(part: xr.Dataset) -> str:
    """Conclude on new systems from one basis: what survives the choice of the best and all pairs.

    '12 are evidence, adjusted for all metrics, that 2 of the 3 may be the best (A, B); 1 of 3 pairs
    differ, A from 1 of the 2 others'
    """
    n, told = int(part["n"]), told_of_all(part)
    if n < SMALLEST_SET:
        return f"{n} are too few to say anything"
    if not told:
        return "nothing can be said: fewer than two metrics have an r"
    if part.sizes["metric"] == 2:
        return f"{n} are {told}"
    if part["may_be_best"].all():
        return f"{n} are no evidence, adjusted for all metrics, which is the best; {_wins(part)}"
    return f"{n} are evidence, adjusted for all metrics, that {told}"


def told_of_all(part: xr.Dataset) -> str:
    """Conclude on all metrics at once from their p-values; empty without two.

    'any of the 8 may be the best; no pair differs', or of two metrics 'no evidence that A agrees
    better than B'.
    """
    count = int(part["p_best"].notnull().sum())
    if count < 2:
        return ""
    names = labels.metric_labels(part)
    if part.sizes["metric"] == 2:
        no = "" if _better(part)[0, 1] else "no "
        return f"{no}evidence that {names[0]} agrees better than {names[1]}"
    kept = np.array(names)[part["may_be_best"].to_numpy()].tolist()
    if len(kept) == count:
        told = f"any of the {count} may be the best"
    elif len(kept) == 1:
        told = f"{kept[0]} is the best of the {count}"
    else:
        more = f" and {len(kept) - MOST_NAMES} more" if len(kept) > MOST_NAMES else ""
        shown = ", ".join(kept[:MOST_NAMES])
        told = f"{len(kept)} of the {count} may be the best ({shown}{more})"
    return f"{told}; {_wins(part)}"


def _better(part: xr.Dataset) -> NDArray[np.bool_]:
    """Which metric (row) is better than which, after adjustment for all metrics."""
    ahead = part["difference"].to_numpy() * labels.sign_of(part) > 0
    return np.asarray(part["differs_adjusted"].to_numpy() & ahead)


def _wins(part: xr.Dataset) -> str:
    """Count the pairs that differ, and those of the first metric."""
    better, count = _better(part), part.sizes["metric"]
    if not better.any():
        return "no pair differs"
    return (
        f"{better.sum()} of {count * (count - 1) // 2} pairs differ, "
        f"{labels.metric_labels(part)[0]} from {better[0].sum() or 'none'} of the {count - 1} "
        "others"
    )


def _sure(result: xr.Dataset) -> str:
    return f"{100 * (1 - labels.alpha_of(result)):g} %"


def added_lines(part: xr.Dataset) -> list[str]:
    """Say of each added metric, among at least three, how many of the others it differs from.

    'mine ★, 2 of 5 by r: better than 1 of the 4 others, worse than none, adjusted for all metrics'
    """
    names, count = labels.names_of(part, "metric"), part.sizes["metric"]
    if count < 3 or not {"p_best", "differs_adjusted"} <= set(part.data_vars):
        return []
    beats, lines = _better(part), []
    for i in (names.index(name) for name in labels.added_metrics(part) if name in names):
        label, rank = labels.metric_labels(part)[i], float(part["rank"][i])
        if np.isnan(rank):
            lines.append(f"{label}: no r, for it does not vary or misses a score")
            continue
        better, worse = beats[i].sum(), beats[:, i].sum()
        counts = f"better than {better or 'none'} of the {count - 1} others, worse than "
        told = f"{counts}{worse or 'none'}" if better or worse else "no other differs from it"
        place = f"{label}, {rank:.0f} of {count} by r"
        adjusted = "adjusted for all metrics; --baseline compares with one alone"
        lines.append(f"{place}: {told}, {adjusted}")
    return lines


def conclusion_line(ranking: xr.Dataset) -> str:
    """Conclude in one sentence on these systems, and on new ones.

    The first conclusion rests on r over hybrids, a number that these systems and segments fix; the
    second on the test with n = systems. Empty where the ranking lacks a basis or its best r.
    """
    if ranking.sizes["metric"] < 2 or not set(labels.names_of(ranking, "basis")) >= BASES:
        return ""
    by_hybrids = labels.part_of(ranking, {"basis": "hybrids"})
    r = float(by_hybrids["value"][0])
    if np.isnan(r):
        return ""
    order = by_hybrids["metric"].to_numpy()
    part = ranking.sel(basis="systems", metric=order, other_metric=order)
    best = labels.metric_labels(part)[0]
    return (
        f"Of these systems on these segments, {best} agrees best with people (r = {r:.3f} over "
        f"hybrids of them); of new systems, {_of_new_systems(part)} ({_sure(part)})."
    )


def _of_new_systems(part: xr.Dataset) -> str:
    """Conclude on new systems after adjustment, or say that wins are unadjusted."""
    if "p_best" in part:
        return on_systems(part)
    systems, wins, others = int(part["n"]), int(part["wins"][0]), part.sizes["metric"] - 1
    if systems < SMALLEST_N:
        return f"{systems} are too few to say anything"
    beaten = f"{'all' if wins == others else wins or 'none'} of the {others} other metrics"
    if others == 1:
        beaten = "the other metric"
    evidence = "no evidence" if others == 1 and wins == 0 else "evidence"
    method = f"{part.attrs['method']}, unadjusted"
    return f"{systems} are {evidence} that it agrees better than {beaten} by {method}"


def _by_exact_r(ranking: xr.Dataset, exact: xr.Dataset) -> xr.Dataset:
    """Put r of infinitely many hybrids in the place of the sampled one.

    Which metric agrees best with people is a fact of these systems and segments; n hybrids may name
    another one. Metrics whose hybrids were scored elsewhere have the sampled r alone.
    """
    of_all = exact["r"].reindex(metric=ranking["metric"]).fillna(ranking["value"])
    of_hybrids = ranking["basis"] == "hybrids"
    return ranking.assign(value=ranking["value"].where(~of_hybrids, of_all))


def _only_line(ranking: xr.Dataset) -> str:
    """Conclude on the only metric there is."""
    part = labels.part_of(ranking)
    of = "on average" if labels.is_grouped(ranking) else f"over {labels.counted(part)}"
    return (
        f"{labels.metric_labels(part)[0]} agrees with people by r = {limits_of(part)[0]} {of} "
        f"({labels.level_of(ranking)}); there is no other metric to compare it with"
    )


def _identical(ranking: xr.Dataset) -> list[str]:
    """Name metrics of identical scores."""
    part = labels.part_of(ranking)
    names = labels.names_of(part, "metric")
    same = np.argwhere(np.triu(part["identical"].to_numpy(), 1))
    return [f"identical scores: {names[i]} and {names[j]}" for i, j in same]


def leader_line(ranking: xr.Dataset) -> str:
    """Name the metric of the highest value by the first measure."""
    part = labels.part_of(ranking)
    pairs = labels.pairs_that_differ(int(part["significant_pairs"]), part.sizes["metric"])
    average = "average " if labels.is_grouped(ranking) else ""
    return (
        f"{labels.metric_labels(part)[0]} has the highest {average}{labels.value_name(part)} "
        f"({float(part['value'][0]):.3f}); {pairs} ({part.attrs['method']})"
    )


def baseline_lines(found: xr.Dataset) -> list[str]:
    """Say in words what the comparison with the baseline tells of added metrics, or of all.

    'good-90: 2 of 7 metrics differ from it (Holm, 95 %): strong-98, weak-40'
    """
    parts = labels.leading_parts(labels.on_average(found))
    added = [name for name in labels.added_metrics(found) if name in found["metric"].to_numpy()]
    if added:
        return [difference_line(found, part.sel(metric=name)) for part in parts for name in added]
    return list(map(_differing, parts))


def _differing(part: xr.Dataset) -> str:
    differs = part["differs"].to_numpy()
    names = listed(part["metric"].to_numpy()[differs], MOST_NAMES)
    by = "" if labels.by_basis(part) else f" by {labels.value_name(part)}"
    count = f"{differs.sum() or 'none'} of {differs.size} metrics differ from it{by}"
    told = f"{part.attrs['baseline']}: {count} (Holm, {labels.level_of(part)})"
    return f"{told}{f': {names}' if names else ''}"


def difference_line(found: xr.Dataset, row: xr.Dataset | None = None) -> str:
    """Say the difference of one metric, by default the first, to the baseline in words.

    'A less B: -0.071 [-0.201, 0.034], p = 0.21 (12 systems); about 50 systems would be needed ...';
    of several metrics 'p = 0.21 (Holm 0.63; 12 systems)'; by a measure 'A less B: SPA -0.071'.
    """
    row = labels.part_of(found).isel(metric=0) if row is None else row
    numbers = [float(row[name]) for name in DIFFERENCES if name in row]
    shown = with_limits(numbers) if len(numbers) == 3 else f"{numbers[0]:.3f}"
    shown += " (of z)" if labels.is_fisher(row) else ""
    of = [] if found.sizes["metric"] == 1 else [f"Holm {float(row['p_baseline']):.3g}"]
    by = "" if labels.by_basis(row) else f"{labels.value_name(row)} "
    if labels.is_grouped(found):
        of.append(f"average over {labels.groups_title(found)}")
    elif not by:
        of.append(labels.counted(row))
    beside = f" ({'; '.join(of)})" if of else ""
    p = f"p = {float(row['p_value']):.3g}{beside}"
    text = f"{row['metric'].item()} less {found.attrs['baseline']}: {by}{shown}, {p}"
    needed = float(row.get("systems_needed", np.nan))
    if bool(row["differs"]):
        return f"{text}; shown at {labels.level_of(found)}"
    if math.isnan(needed):
        return text
    return f"{text}; about {needed:,.0f} systems would be needed for 80 % power"
