"""Parts of a result, in order, and their names in tables and figures.

A comparison has values along ``measure``, ``basis`` and ``group`` (an evaluation of predictions
along ``gold``), and then along what is compared. A part is one label of each: one list of metrics.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import check_choice, listed, plural
from supersample.presentation.table import Table, Value

LEAD = ("measure", "basis", "group")
"""Dimensions of parts of every comparison, in their order, before what is compared."""
WHOLE = "all"
"""Group of a result without groups, and basis of values that are not tested."""
ADDED = "◀"
ADDED_NOTE = f"{ADDED} was added to the metrics of the source."
FREE = "*"
FREE_NOTE = f"NAME{FREE}: needs no reference."
LOWER_NOTE = "NAME ↓: lower scores are better; they are counted that way."
AVERAGE = "average"
POWER = 0.8
"""Power for which the number of systems needed is computed."""
DIGITS = 10  # values that agree to this many decimals differ only by rounding
MOST_GROUPS = 6  # shown beside their average
NO_TEXTS = "no_new_texts"
"""Attribute: why there is no conclusion on new texts."""
NO_SYSTEMS = "no_new_systems"
"""Attribute: why there is no conclusion on new systems."""
R_NOTE = "r: correlation of a metric's system scores with people's"
_IN_WORDS = {"pearson": "r", "pearson/none": "r over all translations"}
STARS_NOTE = "* p ≤ 0.05, ** 0.01, *** 0.001"

_STARS = {"*": 0.05, "**": 0.01, "***": 0.001}
_FACTS = {
    "read_as": "{}",
    "teams": "{}",
    "systems_shared": "{}",
    "in_part_of_the_sets": "metrics that some sets lack (differences are over the sets that have "
    "both metrics, and values are fitted by metric and set): {}",
    "partly_scored": "metrics with gaps: {} (--mask complete uses only segments without gaps)",
    "systems_uncounted": "systems without a translation that people rated and every metric scored: "
    "{}",
    "segment_order": "order of the segments: {}",
    "names_matched": "names matched between files: {}",
    "ratings_used": "human scores: means of {} ratings",
    "assessors_dropped": "assessors dropped by quality control: {}",
    "assessors_without_z": "assessors without z-scores: {}",
    "ratings_left_out": "ratings left out: {}",
    "told_apart": "{}",
}

RESAMPLED = ("bootstrap", "perm")
"""How the names of tests by resamples begin."""
DRAWN = 999
"""Resamples of new texts beside a test by formula."""


def lead_of(result: xr.Dataset) -> list[str]:
    """List the dimensions of parts that are not selected yet, in their order."""
    return [dim for dim in ("gold", *LEAD) if dim in result["value"].dims]


def named_dims(result: xr.Dataset) -> list[str]:
    """List the dimensions by whose labels tables and titles name the parts of a result.

    These are the bases of r, or the measures; bases of other measures where one has several tests;
    and groups, if there are several.
    """
    if is_evaluation(result):
        return ["gold"]
    tests = result.get("tested_by", xr.DataArray("")) != ""
    several = "basis" in tests.dims and bool(tests.sum("basis").max() > 1)
    of_bases = value_name(result) == "r" and names_of(result, "basis") != [WHOLE]
    named = {"measure": not of_bases, "basis": of_bases or several, "group": is_grouped(result)}
    return [dim for dim, shown in named.items() if shown]


def title_of(result: xr.Dataset, part: xr.Dataset) -> str:
    """Name a part of a result without its group, such as "SPA", "systems" or "HTER"."""
    return ", ".join(in_words(part[dim].item()) for dim in named_dims(result) if dim != "group")


def by_name(result: xr.Dataset) -> tuple[xr.Dataset, list[str]]:
    """Take each measure on its own basis, and keep only the dimensions that are named; list them.

    This is the only place where tables drop dimensions.
    """
    named = named_dims(result)
    if "basis" in result.dims and "basis" not in named and "tested_by" in result:
        result = result.isel(basis=(result["tested_by"] != "").argmax("basis"))
    kept = at_first(result, *(dim for dim in LEAD if dim not in named))
    return kept, [dim for dim in named if dim in kept.dims]


def at_first(result: xr.Dataset, *dims: str) -> xr.Dataset:
    """Select the first label along dimensions, unless one is selected already."""
    return result.isel({dim: 0 for dim in dims if dim in result.dims})


def item_of(result: xr.Dataset) -> str:
    """Name the dimension of the compared items: metrics, metrics and people, or systems."""
    return next((dim for dim in ("metric", "scorer") if dim in result.dims), "system")


def names_of(result: xr.Dataset, dim: str) -> list[str]:
    """Labels along a dimension."""
    return [str(name) for name in np.atleast_1d(result.variables[dim].to_numpy())]


def selections(result: xr.Dataset, dim: str) -> list[xr.Dataset]:
    """Select each label along a dimension; a result without the dimension is not changed."""
    if dim not in result.dims:
        return [result]
    return [result.isel({dim: i}) for i in range(result.sizes[dim])]


def leading(result: xr.Dataset) -> dict[str, str]:
    """Labels of the leading part: the first along each dimension."""
    return {dim: names_of(result, dim)[0] for dim in lead_of(result)}


def sign_of(part: xr.Dataset) -> float:
    """1 if larger values of a part are better, -1 for errors."""
    return 1.0 if bool(part.get("larger_is_better", True)) else -1.0


def best_first(result: xr.Dataset, part: xr.Dataset) -> xr.Dataset:
    """Put metrics (or systems) in the order of their values in one part, NaN last."""
    item = item_of(part)
    order = np.argsort(-sign_of(part) * part["value"].to_numpy(), kind="stable")
    if (order[1:] > order[:-1]).all():  # as of most rankings; taking many variables is slow
        return result
    return result.isel({dim: order for dim in (item, f"other_{item}") if dim in result.dims})


def part_of(result: xr.Dataset, at: Mapping[str, str] | None = None) -> xr.Dataset:
    """Select a part, by default the leading one; the best metric comes first.

    An InputError names a dimension or a label that the result does not have.
    """
    places = dict.fromkeys(lead_of(result), 0)
    for dim, label in (at or {}).items():
        check_choice("dimension", dim, places)
        check_choice(dim, label, names := names_of(result, dim))
        places[dim] = names.index(label)
    part = result.isel(places)
    return best_first(part, part)


def places_of(result: xr.Dataset, **chosen: Sequence[str]) -> list[dict[str, str]]:
    """List the labels of every part in order, or of the parts with the chosen labels.

    A part is left out if its measure is not tested on its basis.
    """
    lead = lead_of(result)
    labels = (chosen[dim] if dim in chosen else names_of(result, dim) for dim in lead)
    places = [dict(zip(lead, place, strict=True)) for place in product(*labels)]
    if "tested_by" not in result.coords:
        return places
    tests = result["tested_by"]
    return [
        place
        for place in places
        if tests.sel({dim: at for dim, at in place.items() if dim in tests.dims}).item()
    ]


def parts_of(result: xr.Dataset, **chosen: Sequence[str]) -> list[xr.Dataset]:
    """Select every part in order, or the parts with some labels; best metrics come first."""
    return [part_of(result, place) for place in places_of(result, **chosen)]


def leading_parts(result: xr.Dataset, first: str = "", **chosen: Sequence[str]) -> list[xr.Dataset]:
    """Select the parts by every measure, on the basis `first` or the first that tests it."""
    found = []
    for name in chosen.pop("measure", names_of(result, "measure")):
        places = places_of(result, measure=[name], **chosen)
        bases = [place.get("basis") for place in places]
        basis = first if first in bases else bases[0]
        found += [part_of(result, at) for at in places if at.get("basis") == basis]
    return found


def in_order(result: xr.Dataset) -> xr.Dataset:
    """Put metrics in the order of the leading part, as `rank` does."""
    few = result[[name for name in ("value", "larger_is_better") if name in result]]
    return best_first(result, at_first(few, *lead_of(result)))


def on_average(result: xr.Dataset) -> xr.Dataset:
    """Select the average of several groups, or the only group; evaluations have none."""
    return at_first(result, "group")


def shown_groups(result: xr.Dataset) -> list[str]:
    """Choose the groups with tables and figures: all if they are few, else only the average."""
    groups = names_of(result, "group")
    return groups if len(groups) <= MOST_GROUPS + 1 else groups[:1]


def is_grouped(result: xr.Dataset) -> bool:
    """Whether a result has several groups and their average, or is a part of one that has."""
    return bool(result["group"].to_numpy().flat[0] == AVERAGE)


def is_average(part: xr.Dataset) -> bool:
    """Whether a part is the average over groups."""
    return str(part["group"].to_numpy()) == AVERAGE


def is_task(result: xr.Dataset) -> bool:
    """Whether a result is that of a shared task, with several weighted measures."""
    return bool(result.attrs.get("kind") == "task")


def is_evaluation(result: xr.Dataset) -> bool:
    """Whether a result evaluates predictions by gold standards: systems are compared."""
    return bool(result.attrs.get("kind") == "evaluation")


def value_name(result: xr.Dataset) -> str:
    """Name in print the value that orders metrics: r, or the measure of a part."""
    names = names_of(result, "measure")
    return in_words(names[0]) if len(names) == 1 else "agreement"


def in_words(measure: str) -> str:
    """Say Pearson's r in words, such as "r over all translations"; other measures by their name."""
    return _IN_WORDS.get(measure, measure)


def digits_of(part: xr.Dataset) -> int:
    """How many decimals values of a part are printed with."""
    return 3 if value_name(part) == "r" else 4


def added_metrics(result: xr.Dataset) -> list[str]:
    """Metrics that the user added to those of the set."""
    return [name for name in str(result.attrs.get("added_metrics", "")).split("\n") if name]


def metric_labels(result: xr.Dataset) -> list[str]:
    """Names of the metrics (or systems), added ones marked."""
    added = added_metrics(result)
    return [
        f"{name} {ADDED}" if name in added else name for name in names_of(result, item_of(result))
    ]


def marked_labels(result: xr.Dataset) -> list[str]:
    """Names of the metrics, with marks for added ones, those without a reference, and errors."""
    names = metric_labels(result)
    if "reference_free" in result:
        free = result["reference_free"].to_numpy()
        names = [f"{name}{FREE * bool(x)}" for name, x in zip(names, free, strict=True)]
    if "higher_is_better" not in result:
        return names
    marks = np.where(result["higher_is_better"].to_numpy(), "", " ↓")
    return [f"{label}{mark}" for label, mark in zip(names, marks, strict=True)]


def added_note(result: xr.Dataset) -> list[str]:
    """Explain the mark of added metrics, if there are any."""
    return [ADDED_NOTE] if added_metrics(result) else []


def legend(result: xr.Dataset) -> list[str]:
    """Explain the marks of `marked_labels` that occur."""
    lowered = "higher_is_better" in result and not result["higher_is_better"].all()
    free = "reference_free" in result and result["reference_free"].any()
    return [FREE_NOTE] * bool(free) + [LOWER_NOTE] * bool(lowered) + added_note(result)


def turned(metrics: NDArray[np.str_], higher_is_better: NDArray[np.bool_]) -> str:
    """Say how to declare the other orientation of metrics whose r is negative."""
    up, down = metrics[higher_is_better], metrics[~higher_is_better]
    name = up[0] if up.size == 1 else "NAME"
    add = (
        f"if it counts errors, and only then, declare --lower-is-better {name} "
        "(in Python higher_is_better=False)"
    )
    remove = (
        f"{listed(down)} is declared as lower is better: unless it counts errors, remove it from "
        "--lower-is-better (in Python higher_is_better=True)"
    )
    return "; ".join([add] * bool(up.size) + [remove] * bool(down.size))


def without_marks(table: Table) -> Table:
    """Remove the marks of added metrics from a table."""

    def plain(cell: Value) -> Value:
        return cell.removesuffix(f" {ADDED}") if isinstance(cell, str) else cell

    return replace(table, rows=tuple(tuple(map(plain, row)) for row in table.rows))


def alpha_of(result: xr.Dataset) -> float:
    """Level of the tests of a result."""
    level = result.attrs.get("significance_level")
    return float(round(1 - result.attrs["confidence_level"], 12) if level is None else level)


def level_of(result: xr.Dataset) -> str:
    """Confidence level as text: '95 %'."""
    level = result.attrs.get("confidence_level")
    return f"{100 * (1 - result.attrs['significance_level'] if level is None else level):g} %"


def rule_of(part: xr.Dataset) -> str:
    """Say when a difference of a part is significant: 'p ≤ 0.05', or by its interval."""
    if "p_value" in part:
        return f"p ≤ {alpha_of(part):g}"
    return f"its {level_of(part)} interval does not contain 0"


def adjusted_p(part: xr.Dataset) -> tuple[NDArray[np.float64], str] | None:
    """p-values of a part's pairs corrected for comparing all pairs, and how; None without any.

    Those of fisher-jackknife are also corrected for the choice of the best metric. Metrics that
    swap inputs are corrected by a bootstrap over new texts.
    """
    over = str(part["basis"].item()) if test_name(part).startswith("perm-") else ""
    by = f" by a bootstrap over {over}" if over in ("documents", "segments") else ""
    for name, means in (
        ("p_simultaneous", "corrected for comparing all metrics"),
        ("p_holm", "corrected by Holm's method"),
    ):
        if name in part and np.isfinite(part[name].to_numpy()).any():
            return part[name].to_numpy(), means + by
    return None


def either_way(part: xr.Dataset) -> NDArray[np.bool_]:
    """Which pairs of a part differ significantly, in either direction of a one-sided test."""
    found = part["significant"].to_numpy()
    return np.asarray(found | found.T)


def differ(part: xr.Dataset) -> tuple[NDArray[np.bool_], str]:
    """Which pairs of a part differ, in either direction, and how that is corrected."""
    found = adjusted_p(part)
    if found is not None and "differs_adjusted" in part:
        return part["differs_adjusted"].to_numpy(), found[1]
    return either_way(part), "unadjusted"


def marks_of(part: xr.Dataset, most: int = 3) -> tuple[NDArray[np.str_], str]:
    """Mark the pairs of a part that differ, with stars for adjusted p-values; explain the marks.

    Where the stars that occur are more than fit (`most`), one star stands for any of them.
    """
    marks = np.where(either_way(part), "+", "").astype("U3")
    found = adjusted_p(part)
    if found is None:
        return marks, "+ differs, unadjusted"
    p = np.fmin(found[0], found[0].T)  # a one-sided test may show it in the other direction
    for stars, level in _STARS.items():
        marks[p <= level] = stars
    note = STARS_NOTE
    if most < np.char.str_len(marks).max(initial=0):
        marks[p <= _STARS["*"]] = "*"
        note = f"* p ≤ {_STARS['*']:g}"
    return marks, f"{note}, {found[1]}; + only unadjusted"


def test_name(part: xr.Dataset) -> str:
    """Name the test or interval of a part's differences: 'williams1959, one-sided'."""
    facts = part.attrs
    words = [str(part["tested_by"].item() if "tested_by" in part else facts.get("method", ""))]
    if facts.get("alternative", "two-sided") != "two-sided":
        words.append("one-sided")
    return ", ".join(words)


def place(part: xr.Dataset, *, named: bool = True) -> str:
    """Name the data of a selected part, and its size: 'wmt23 zh-en, 15 systems'.

    The systems of an average are not counted: its groups may have different systems, or the same.
    A measure without a basis is `named`, unless a title does that.
    """
    measure, basis, group = (str(part[dim].item()) for dim in LEAD)
    words = [str(part.attrs.get("source", "")), in_words(measure) * (named and "n" not in part)]
    words.append("" if group == WHOLE else group)
    average = is_average(part)
    n = int(part["n"]) if not average and "n" in part else 0
    if n:
        words.append(plural(n, basis))
    elif group != WHOLE:
        words.append(f"over {basis}")
    counts = () if n else ("systems", "segments", "translations")[average:]
    known = [name for name in counts if name in part and int(part[name])]
    words += [plural(int(part[name]), name) for name in known]
    return ", ".join(filter(None, words))


def counted(part: xr.Dataset) -> str:
    """Write n of a part, with the name of what it counts: '10,000 hybrids'; else the systems."""
    if "n" in part:
        return plural(int(part["n"]), part["basis"].item())
    return plural(int(part["systems"]), "systems")


def shown_p(p: float, part: xr.Dataset) -> float | str:
    """Give a p-value, or say that it is below the smallest one which its resamples can show."""
    if "tested_by" not in part or not str(part["tested_by"].item()).startswith(RESAMPLED):
        return p
    least = 1 / (int(part.attrs.get("resamples", DRAWN)) + 1)
    return f"< {least:.1g}" if p < least else p


def _systems_of(parts: Sequence[xr.Dataset], by: str) -> str:
    """Count the systems of each group; for many groups, give the smallest and largest count."""
    sizes = [int(part["n"]) for part in parts]
    least, most = min(sizes), max(sizes)
    each = f"{least} to {most}" if least < most else f"{most}"
    if len(parts) > MOST_GROUPS:
        return f"; {len(parts)} {by}s, {each} systems in each"
    names = [f"{x['group'].item()}{f' {x.n.item()}' * (least < most)}" for x in parts]
    return f"; systems: {f'{most} in each of ' * (least == most)}{', '.join(names)}"


def groups_title(result: xr.Dataset) -> str:
    """Name the groups of an average, and how many: '2 language pairs'."""
    return f"{result.sizes['group'] - 1} {group_name(result)}s"


def group_name(result: xr.Dataset) -> str:
    """Name the kind of group: language pair, gold standard, domain or document."""
    return str(result.attrs.get("by") or result.attrs.get("set_name", "language pair"))


def compared_with(count: int) -> str:
    """Say for how many comparisons with one baseline a level is corrected, if there are several."""
    return f", corrected for {count} comparisons (Holm)" if count > 1 else ""


def pairs_that_differ(significant: int, count: int) -> str:
    """Count significant pairs: '27 of 28 pairs differ significantly, unadjusted'."""
    if count < 2:
        return "no pair to compare"
    pairs = count * (count - 1) // 2
    return f"{significant} of {pairs} pairs differ significantly, unadjusted"


def segments_of(mask: str) -> str:
    """Say how many segments count: '463 of 500 segments (those rated for every system)'."""
    if ";" in mask:  # of several sets
        told = [segments_of(each).partition(" segments") for each in mask.split("; ")]
        alike = len({end for *_, end in told}) == 1
        of_each = (of if alike else f"{of}{word}{end}" for of, word, end in told)
        return ", ".join(of_each) + (f" segments{told[0][2]}" if alike else "")
    kind, _, counts = mask.partition(" ")
    size, *more = counts.split(", ")
    used, slash, there = size.partition("/")
    if kind not in ("common", "complete", "all") or not slash:
        return f"segments {mask}"
    numbers = dict(each.split(" ", 1) for each in more)
    which = ["rated for every system"] if kind != "all" else ["rated"] * ("human" in numbers)
    which += ["scored by every metric"] * ("complete" in (kind, *numbers))
    count = numbers.get("complete", numbers.get("human", used)).replace("-", " to ")
    text = f"{count} of {there} segments" + f" (those {' and '.join(which)})" * bool(which)
    return ", ".join([text, *(each for each in more if each[0].isdigit())])


def source_lines(ranking: xr.Dataset) -> list[str]:
    """Describe the input of a ranking of metrics: source, sizes, and what was left out."""
    facts = ranking.attrs
    counts, end = "", ""
    if "n" in ranking:
        parts = parts_of(ranking, basis=["systems"]) if "systems" in ranking["basis"] else []
        counts = f"{plural(int(parts[0]['n'] if parts else facts['systems']), 'systems')}, "
        if is_grouped(ranking):
            counts, end = "", _systems_of(parts[1:], group_name(ranking)) if parts[1:] else ""
    mask = f", {segments_of(str(facts['mask']))}" if "mask" in facts else ""
    return [
        f"{facts.get('source', 'scores')}: {counts}{plural(ranking.sizes['metric'], 'metrics')}, "
        f"human scores '{facts.get('human', 'human')}'{mask}{end}",
        *(
            f"{what} left out: {facts[f'{what}_left_out']}"
            for what in ("systems", "metrics", "segments")
            if facts.get(f"{what}_left_out")
        ),
        *(text.format(facts[name]) for name, text in _FACTS.items() if facts.get(name)),
        *outlier_lines(ranking),
        *(f"added {note}" for note in str(facts.get("added_notes") or "").split("\n") if note),
    ]


def outlier_lines(ranking: xr.Dataset) -> list[str]:
    """Name the systems that are outliers, if there are some."""
    found = f"outliers by human scores, which can change r: {ranking.attrs.get('outliers')}"
    found += "" if is_grouped(ranking) else "; --full has r without them"
    return [found] * bool(ranking.attrs.get("outliers"))


def average_lines(ranking: xr.Dataset) -> list[str]:
    """Say which groups an average leaves out, and which weights it has."""
    left_out, weights = (ranking.attrs.get(name) for name in ("groups_left_out", "weights"))
    few = f"{group_name(ranking)}s left out of the average (too few scores): {left_out}"
    return [few] * bool(left_out) + [f"weights in the average: {weights}"] * bool(weights)


def unique(ends: Iterable[str]) -> list[str]:
    """Add numbers to equal endings; upper and lower case count as equal."""
    found: dict[str, str] = {}
    for end in ends:
        while end.casefold() in found:
            end += "-2"
        found[end.casefold()] = end
    return [*found.values()]


def suffix(group: str | None) -> str:
    """Convert the name of a group or basis to letters, digits, dots and dashes."""
    safe = re.sub(r"[^\w.]+", "-", group or "").strip("-")
    return f"-{safe}" if safe else ""
