"""Explain terms, and the captions and notes of tables.

Terms have one list, `glossary.toml`, for `--explain`, the page and the documentation: one
sentence for each term, and the fields of signatures.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

import numpy as np
import xarray as xr

from supersample.errors import plural
from supersample.presentation import labels

MEASURES_TOLD = "SPA", "PA", "acc_eq", "PDP"
_ENDS = {"/item": "within segments (mean)", "/system": "within systems (mean)", "/none": "over all"}


@cache
def glossary() -> Mapping[str, Mapping[str, str]]:
    """Read the list: meanings by term, under ``terms``, and by field, under ``signature``."""
    text = (files("supersample.presentation") / "glossary.toml").read_text("utf-8")
    return tomllib.loads(text)


def explained(*terms: str) -> list[str]:
    """Explain terms, one line each: 'wins: how many of the others ...'."""
    known = glossary()["terms"]
    return [f"{term}: {known[term]}" for term in terms]


def measures_told(ranking: xr.Dataset, terms: Sequence[str] = MEASURES_TOLD) -> list[str]:
    """Explain terms among measures, one line each, and the ends of names: '/item: ...'."""
    measures = [*map(labels.in_words, labels.names_of(ranking, "measure"))]
    names = {measure.partition("/")[0].lower() for measure in measures}
    ends = [f"{x}: {told}" for x, told in _ENDS.items() if any(y.endswith(x) for y in measures)]
    told = explained(*(term for term in terms if term.lower() in names))
    return [*told, f"{'; '.join(ends)}."] if ends else told


def terms_in(texts: Iterable[str]) -> list[str]:
    """Explain the terms that occur in texts, ignoring line breaks."""
    text, end = " ".join(" ".join(texts).split()), r"(?!\w| and (segments|documents))"
    found = (x for x in glossary()["terms"] if re.search(rf"(?<!\w){re.escape(x)}{end}", text))
    return explained(*found)


def fields_of(signature: str) -> str:
    """Explain the fields of a signature, in one line."""
    known = glossary()["signature"]
    names = (field.partition(":")[0] for field in signature.split("|"))
    return f"Signature: {'; '.join(f'{x} = {known[x]}' for x in names if x in known)}."


SMALLEST_N = 4  # segments that have an interval
SMALLEST_SET = 5  # systems that have one, and tell which metrics could be the best
INTERVAL_NOTE = (
    "Values have no interval here; how far a metric is behind the best, at least and at most, "
    "shows the uncertainty."
)
SWAPS_NOTE = (
    "Permutation (perm-) swaps two metrics' scores: for these systems and segments. For new "
    "documents, compare DATA --metrics A,B --measure MEASURE; it can differ."
)
HOLM_NOTE = "p (Holm): corrected for {}. One pair alone: compare DATA --metrics A,B."
NEEDED_NOTE = (
    "Systems needed: about how many in all would show the difference (empty if it is shown, or if "
    f"none would) with {100 * labels.POWER:g} % probability, if difference and error are as here."
)
PRECISION_NOTE = (
    "Intervals over hybrids only say how precisely n independent hybrids measure a number that "
    "these systems and segments already determine. Intervals over systems treat these systems as "
    "a sample of a population of systems."
)
ERROR_NOTE = (
    "Predictions with the gold standard's mean and less variation can have lower MAE and RMSE (to "
    "gold), although they know no more about any segment. r depends on neither mean nor scale."
)
AVERAGE_NOTE = (
    "Intervals of average r over the systems: limits of the groups, with their systems as clusters "
    "by name."
)
TASK_R = "r over systems takes metrics' scores of all segments (rank: of the rated ones)."
UNITS_NOTE = "A system that predicts in other units than the gold standard has no MAE or RMSE."
FLAGS = {
    "baseline": "baselines are underlined, except in plain text",
    "contrastive": "contrastive metrics in parentheses",
}


def caption_of(result: xr.Dataset) -> str:
    """Name what is ranked, and over what."""
    if labels.is_task(result):
        return str(result.attrs["title"])
    first = labels.part_of(result)
    name = labels.value_name(first)
    over = labels.place(first.assign_attrs(source="")).removeprefix(f"{name}, ")
    if result.sizes.get("group", 1) > 1:
        over = f"the average of {labels.groups_title(result)}"
    count = plural(result.sizes["metric"], "metrics")
    interval = f"; {name} with its own {labels.level_of(result)} interval"
    told = interval if "lower" in first else ""
    return f"Agreement of {count} with human scores over {over}{told}"


def notes_of(ranking: xr.Dataset) -> list[str]:
    """Explain how to read a ranking, and what its reader must know of these data."""
    if labels.is_task(ranking):
        return _notes_of_tasks(ranking)
    clusters = explained("wins", "cluster")
    if labels.is_evaluation(ranking):
        return [*clusters, ERROR_NOTE, *_facts_of_predictions(ranking)]
    precision = [PRECISION_NOTE] if "hybrids" in ranking["basis"] else []
    return [*clusters, *precision, *notes_of_intervals(ranking), *facts_to_know(ranking)]


def notes_of_intervals(ranking: xr.Dataset) -> list[str]:
    """Explain r over hybrids, and intervals over the systems and behind the best."""
    lines = explained("r over hybrids") if "hybrids" in ranking["basis"] else []
    if labels.is_grouped(ranking) and "lower" in ranking:
        lines.append(AVERAGE_NOTE)
    return lines + (explained("behind best") if "behind_upper" in ranking else [])


def facts_to_know(ranking: xr.Dataset, shown: Sequence[float] = ()) -> list[str]:
    """Say what a reader must know of these data: what is random, left out, or not measured.

    `shown` are the values that a reader sees, if these are not all.
    """
    facts, lines = ranking.attrs, [*labels.average_lines(ranking), *undefined_notes(ranking)]
    outside, below, r = str(facts.get("outside_measured_range") or "").partition("r below ")
    if below and min(shown, default=-1.0) < float(r):
        outside += below + r
    if outside := outside.removesuffix(", "):
        told = "the method for new systems was not tried: be less sure there."
        lines.append(f"For {outside}, {told}")
    return [*lines, *resampled_note(ranking)]


def resampled_note(result: xr.Dataset) -> list[str]:
    """Explain intervals whose bootstrap drew no systems."""
    drawn = result.attrs.get("resampled", "systems")
    if "systems" in drawn:
        return []
    return [
        f"Bootstrap over {drawn}: how far values of these systems would change with other {drawn}. "
        "It says nothing about other systems."
    ]


def undefined_notes(ranking: xr.Dataset) -> list[str]:
    """Say of each measure in how many groups metrics have no value."""
    if "undefined_groups" not in ranking:
        return []
    lines = []
    undefined = labels.on_average(ranking)["undefined_groups"].transpose("measure", "metric")
    for name, counts in zip(labels.names_of(ranking, "measure"), undefined.to_numpy(), strict=True):
        if counts.any():
            most = f", most for {labels.names_of(ranking, 'metric')[int(np.argmax(counts))]}"
            few, many = int(counts.min()), int(counts.max())
            of_each = f"{few:,} to {many:,}" if few < many else f"{many:,}"
            groups = {"item": "segments", "system": "systems"}.get(name.partition("/")[2], "groups")
            where = f"where all scores are equal, people's or the metric's: {of_each} {groups}"
            told = f"{labels.in_words(name)} leaves out {groups} {where}"
            lines.append(f"{told}{most * (few < many)}.")
    return lines


def _facts_of_predictions(evaluation: xr.Dataset) -> list[str]:
    """Say which systems predict a gold standard except for its scale, and what is missing."""
    lines = [UNITS_NOTE] if evaluation["mae"].isnull().any() else []
    parts = labels.parts_of(evaluation)
    for part in parts:
        columns = (part[name].to_numpy().tolist() for name in ("system", "value", "mae"))
        lines += [
            f"{system} has r = {int(r)} with {part['gold'].item()}: its predictions differ from it "
            f"only in location and {'scale' if r > 0 else 'a negative scale'}"
            + (f", MAE {mae:.3f}." if mae == mae else ".")
            for system, r, mae in zip(*columns, strict=True)
            if abs(r) == 1
        ]
    few = [part for part in parts if int(part["n"]) < SMALLEST_N]
    return lines + [
        f"No interval or test with {part['gold'].item()}: at least {SMALLEST_N} segments are "
        f"needed, there are {int(part['n'])}."
        for part in few
    ]


def _notes_of_tasks(result: xr.Dataset) -> list[str]:
    facts = result.attrs
    marks = ["r counts as (r + 1) / 2 there"]
    marks += [text for flag, text in FLAGS.items() if result[flag].to_numpy().any()]
    names, weights = labels.names_of(result, "measure")[1:], result["weight"].to_numpy()[1:]
    usual = float(np.median(weights))
    told = [f"{w:.4g} for {x}" for x, w in zip(names, weights, strict=True) if w != usual]
    told.append(f"{usual:.4g} for each {'other ' if told else ''}task")
    sided = "one-sided" if facts["alternative"] != "two-sided" else "two-sided"
    return [
        f"rank: metrics of one rank may be equally good (clusters by {facts['resamples']:,} swaps, "
        f"{sided} p ≤ {facts['significance_level']:g}, not corrected); mean rank: over tasks.",
        f"Weights in the average: {', '.join(told)}; {'; '.join(marks)}.",
        *([TASK_R] if any(x.endswith(" pearson") for x in names) else []),
        *measures_told(result, ()),
    ]
