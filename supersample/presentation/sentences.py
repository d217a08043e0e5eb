"""Sentences about a ranking beside its answer: counts of pairs, added metrics, one pair."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import listed
from supersample.presentation import labels
from supersample.presentation.answer import missing_scopes, random_of, words_of
from supersample.presentation.printed import MOST_NEEDED
from supersample.presentation.table import limit

MOST_NAMES = 6


def counts_of(ranking: xr.Dataset, exact: xr.Dataset | None = None) -> list[str]:
    """Count the significant pairs of each part, and say what hybrids add to r."""
    average = labels.on_average(ranking)
    several = ranking.sizes[labels.item_of(ranking)] > 1
    lines = list(map(count_line, labels.parts_of(average))) if several else []
    if exact is not None:
        lines += [exact_line(exact), mixture_line(exact)]
    return list(filter(None, lines))


def exact_line(exact: xr.Dataset) -> str:
    """Sum up: how far hybrids move r, and how precise n of them are."""
    moved = (exact["r"] - exact["systems_r"]).to_numpy()
    if np.isnan(moved).all():
        return "No metric has an r over infinitely many hybrids."
    error = float(np.nanmax(exact["standard_error"].to_numpy()))
    return (
        "r over infinitely many hybrids differs from r over the systems by "
        f"{np.nanmin(moved):+.4f} to {np.nanmax(moved):+.4f}; r over {exact.attrs['n']:,} hybrids "
        f"has a standard error of at most {error:.4f}."
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
        "r over hybrids is a mixture of r over systems (weight {}) and agreement within units "
        "(PDP, weight {}). In hybrids of {} units, both have the same weight."
    ).format(*ranges)


def best_line(part: xr.Dataset) -> str:
    """Name the system whose predictions agree best with a gold standard."""
    gold, r = part["gold"].item(), float(part["value"][0])
    if np.isnan(r):
        return f"No prediction of {gold} has an r."
    best, others = labels.metric_labels(part)[0], part.sizes["system"] - 1
    wins = f", and wins over {int(part['wins'][0])} of {others} others" if others else ""
    return f"{best} has the highest r with {gold} ({r:.3f}){wins}."


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
    after = "after Holm" if "Holm" in means else "corrected for comparing all metrics"
    return f"{line}; {np.triu(differ, 1).sum()} {after}"


def added_lines(part: xr.Dataset) -> list[str]:
    """Say of each added metric, among at least three, how many of the others it differs from.

    'mine ◀ has rank 2 of 5 by r: better than 1 of the 4 others, worse than none (corrected ...)'
    """
    names, count = labels.names_of(part, "metric"), part.sizes["metric"]
    if count < 3 or not {"p_best", "differs_adjusted"} <= set(part.data_vars):
        return []
    beats, lines, name = _better(part), list[str](), labels.value_name(part)
    for i in (names.index(name) for name in labels.added_metrics(part) if name in names):
        label, rank = labels.metric_labels(part)[i], float(part["rank"][i])
        if np.isnan(rank):
            lines.append(f"{label} has no {name}: its scores do not vary, or one is missing")
            continue
        better, worse = beats[i].sum(), beats[:, i].sum()
        counts = f"better than {better or 'none'} of the {count - 1} others, worse than "
        alike = "no pair of it with another is told apart"
        out = "" if bool(part["may_be_best"][i]) else ", but it is ruled out as the best"
        told = f"{counts}{worse or 'none'}" if better or worse else alike + out
        place = f"{label} has rank {rank:.0f} of {count} by {name}"
        corrected = "corrected for comparing all metrics; --baseline compares with one metric alone"
        lines.append(f"{place}: {told} ({corrected})")
    return lines


def _better(part: xr.Dataset) -> NDArray[np.bool_]:
    """Which metric (row) is better than which, corrected for comparing all metrics."""
    ahead = part["difference"].to_numpy() * labels.sign_of(part) > 0
    return np.asarray(part["differs_adjusted"].to_numpy() & ahead)


def identical_lines(ranking: xr.Dataset) -> list[str]:
    """Name metrics of identical scores."""
    part = labels.part_of(labels.on_average(ranking))
    names = labels.names_of(part, "metric")
    same = np.argwhere(np.triu(part["identical"].to_numpy(), 1))
    return [f"identical scores: {names[i]} and {names[j]}" for i, j in same]


def values_line(ranking: xr.Dataset) -> str:
    """Say how two metrics that are compared agree with people each."""
    part = labels.part_of(labels.on_average(ranking))
    names, values = labels.names_of(part, "metric"), part["value"].to_numpy()
    told = (f"{x} {y:.4f}" for x, y in zip(names, values, strict=True) if not np.isnan(y))
    return f"r with people: {', '.join(told)}."


def missing_lines(ranking: xr.Dataset) -> list[str]:
    """Say for which systems and texts a pair is not compared, and why."""
    return [f"Nothing is known about {words}: {why}." for words, why in missing_scopes(ranking)]


def pair_lines(found: xr.Dataset) -> list[str]:
    """Answer whether metrics agree better with people than the baseline.

    The only metric, or those that were added, are told in sentences: 'Yes: A agrees better with
    people than B on new systems (same segments), by 0.086 in r (95 % interval 0.011 to 0.281,
    test: p = 0.011).' Of the others, the number that differ is told.
    """
    average = labels.on_average(found)
    names = labels.names_of(found, "metric")
    chosen = names if len(names) == 1 else [x for x in labels.added_metrics(found) if x in names]
    if not chosen:
        return list(map(_differing, labels.compared_parts(average)))
    return [line for name in chosen for line in _answers(average.sel(metric=name))]


def _differing(part: xr.Dataset) -> str:
    differs, base = part["differs"].to_numpy(), part.attrs["baseline"]
    if part["difference"].isnull().all():
        return f"No metric can be compared with {base}: {_constant(base)}."
    names = listed(np.array(labels.marked_labels(part))[differs], MOST_NAMES)
    by = "" if labels.by_basis(part) else f" by {labels.value_name(part)}"
    of = labels.plural(differs.size, "metrics")
    count = f"{differs.sum() or 'None'} of {of} differ from {part.attrs['baseline']}{by}"
    told = f"{count} (Holm, {labels.level_of(part)})"
    return f"{told}{f': {names}' if names else ''}{_floor(part)}"


def _constant(name: str) -> str:
    return f"{name} gives every system the same score, or lacks scores"


def _floor(part: xr.Dataset) -> str:
    """Say if too few resamples were drawn for any p-value to be significant after Holm."""
    count, drawn = int(part.attrs["comparisons"]), int(part.attrs.get("resamples", 0))
    least, alpha = count / (drawn + 1), labels.alpha_of(part)
    if not drawn or least <= alpha or not np.isclose(part["p_value"].min(), 1 / (drawn + 1)):
        return ""
    return (
        f". After Holm, no p-value of {drawn:,} resamples can be below {least:.2g}: add "
        f"--resamples {int(np.ceil(2 * count / alpha))}"
    )


def _answers(found: xr.Dataset) -> list[str]:
    """Answer for one metric where something is new, or by each measure."""
    rows = [found.sel(place) for place in labels.places_of(found)]
    if "basis" in found.coords:
        worded = [row for row in rows if words_of(random_of(row))]
        rows = sorted(worded or rows[:1], key=_breadth)
    if all(np.isnan(row["p_value"]) for row in rows):
        pair = f"{found['metric'].item()} and {found.attrs['baseline']}"
        who = found["metric"].item() if rows[0]["value"].isnull() else found.attrs["baseline"]
        return [f"{pair} cannot be compared: {_constant(str(who))}."]
    return [_answer(row) for row in rows if not np.isnan(row["p_value"])]


def _breadth(row: xr.Dataset) -> bool:
    return not str(row["basis"].item()).startswith("systems")


def _answer(row: xr.Dataset) -> str:
    """Answer for one metric on one part: who agrees better, by how much, and where."""
    ours, other = str(row["metric"].item()), str(row.attrs["baseline"])
    random = random_of(row)
    where = f" on {words_of(random) or random}" if "basis" in row.coords else ""
    where += " (same segments)" if where and random == "systems" else ""
    if labels.is_average(row):
        where += ", on average"
    difference, name = float(row["difference"]), labels.differing(row)
    higher, lower = (other, ours) if difference < 0 else (ours, other)
    limits = [float(row[x]) for x in ("difference_lower", "difference_upper") if x in row]
    limits = sorted(-limit if difference < 0 else limit for limit in limits)
    beside, count = [*_interval(row, limits), *_p_values(row)], int(row.attrs["comparisons"])
    if bool(row["differs"]):
        ahead, behind = (higher, lower) if labels.sign_of(row) > 0 else (lower, higher)
        text = f"Yes: {ahead} agrees better with people than {behind}{where}"
        return f"{text}, by {abs(difference):.3f} in {name} ({', '.join(beside)})."
    by = f"is {abs(difference):.3f} above {lower}'s" if difference else f"equals {lower}'s"
    text = f"No difference shown{where}; here {higher}'s {name} {by} ({', '.join(beside)})."
    needed = float(row.get("systems_needed", np.nan))
    if np.isnan(needed) or random != "systems":
        return text
    about = f"About {needed:,.0f}" if needed <= MOST_NEEDED else f"More than {MOST_NEEDED:,}"
    chance = f"{100 * labels.POWER:g} % power{labels.compared_with(count)}"
    many = f"{about[0].lower()}{about[1:]} systems in all"
    return f"{text} If this lead is real, {many} would show it ({chance})."


def _p_values(row: xr.Dataset) -> list[str]:
    """Write p, and p after Holm where several metrics are compared with the baseline."""
    found = [f"p = {float(row['p_value']):.3g}"]
    if int(row.attrs["comparisons"]) > 1:
        found.append(f"{float(row['p_baseline']):.3g} after Holm")
    return found


def _interval(row: xr.Dataset, limits: list[float]) -> list[str]:
    """Write an interval; one that ends at 0 leaves 0 out if the test rejects equality."""
    if len(limits) < 2 or np.isnan(limits).any():
        return []
    rejects = float(row["p_value"]) <= labels.alpha_of(row)
    rejects &= row.attrs.get("alternative", "two-sided") == "two-sided"
    sides = zip(limits, ("above", "below"), strict=True)
    lower, upper = (f"{side} 0" if rejects and not end else limit(end) for end, side in sides)
    return [f"{labels.level_of(row)} interval {lower} to {upper}"]
