"""Select segments, systems and metrics of Scores; form groups of them."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, get_args, overload

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.engine.streams import stream_key
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    check_choice,
    check_names,
    listed,
    quoted,
    warn,
)
from supersample.scores.schema import (
    HUMAN,
    SCORE,
    teams_of_systems,
    validate_scores,
    with_teams_named,
)

Mask = Literal["common", "complete", "all"]
CANARY = "canary"  # document of a line that marks test data, in sets of WMT


def select_segments(scores: xr.Dataset, mask: Mask = "common") -> xr.Dataset:
    """Restrict Scores to the segments of a mask.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    mask : {"common", "complete", "all"}
        "common" keeps the segments that were rated for every system, for human and metric scores
        alike. "complete" keeps only those of them that every metric scored for every system, so
        all scorers use the same segments (see `complete_cases`). "all" keeps every segment: metric
        scores use all segments, and each system's human score uses its rated segments, as in WMT's
        shared tasks. Only the document "canary", a line that marks test data, is left out.

    Returns
    -------
    xarray.Dataset
        The Scores on those segments. The attribute ``mask`` gives the mask and its size, for
        instance "common 460/557", or "all 557/557, human 460" if human scores use fewer.

    Raises
    ------
    InputError
        If the mask is unknown or leaves fewer than two segments.

    Examples
    --------
    >>> from supersample.scores.schema import load_example
    >>> select_segments(load_example()).attrs["mask"]
    'common 463/500'
    """
    total = scores.sizes["segment"]
    check_choice("mask", mask, get_args(Mask))
    selected = scores
    if mask == "common":
        rated = ~np.isnan(HUMAN.of(scores)).any(axis=0)
        selected = scores if rated.all() else scores.isel(segment=rated)
    elif mask == "complete":
        selected = complete_cases(scores)
    elif "document" in scores.coords and (marks := scores["document"].to_numpy() == CANARY).any():
        selected = scores.isel(segment=~marks)
    left = selected.sizes["segment"]
    if left < 2:
        unrated = unrated_systems(scores)
        way = f"leave out {listed(unrated, 5)}, which nobody rated"
        if not unrated:
            way = "leave out a system with few rated segments, or use the mask 'all'"
        raise InputError(
            f"only {left} of {total} segments were rated for every system; {way} (--exclude)"
        )
    if left == total and str(scores.attrs.get("mask", "")).startswith(mask):
        return scores  # a mask was applied before; it says of how many
    return selected.assign_attrs(mask=f"{mask} {left}/{total}{_rated(selected)}")


def unrated_systems(scores: xr.Dataset) -> list[str]:
    """Names of the systems without any human score."""
    unrated = np.isnan(HUMAN.of(scores)).all(axis=1)
    return [str(name) for name in scores["system"].to_numpy()[unrated]]


def _rated(scores: xr.Dataset) -> str:
    """Numbers of segments with human scores, if not all: fewest and most of a system."""
    rated = np.count_nonzero(~np.isnan(HUMAN.of(scores)), axis=1)
    fewest, most = int(rated.min()), int(rated.max())
    if fewest == scores.sizes["segment"]:
        return ""
    return f", human {fewest}" if fewest == most else f", human {fewest}-{most}"


def keep_systems(
    scores: xr.Dataset, *, only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> xr.Dataset:
    """Keep some systems of Scores or system-level scores; name the others in ``systems_left_out``.

    Parameters
    ----------
    scores : xarray.Dataset
    only : sequence of str
        Systems to keep; all when empty.
    exclude : sequence of str
        Systems to leave out.

    Raises
    ------
    InputError
        If a system does not exist, or none is left.

    Examples
    --------
    >>> from supersample.scores.schema import load_example
    >>> keep_systems(load_example(), exclude=["system-01"]).sizes["system"]
    11
    """
    systems = [str(name) for name in scores["system"].to_numpy()]
    kept, others = choose_systems(systems, only, exclude)
    if not kept:
        raise InputError("no system is left")
    if kept == systems:
        return scores
    earlier = str(scores.attrs.get("systems_left_out") or "")
    left_out = [earlier, *(f"{name} (not asked for)" for name in others)]
    left = scores.sel(system=kept).assign_attrs(systems_left_out=", ".join(filter(None, left_out)))
    return with_teams_named(left)


@overload
def declare_teams(scores: xr.Dataset, teams: Mapping[str, Sequence[str]]) -> xr.Dataset: ...
@overload
def declare_teams(
    scores: Mapping[str, xr.Dataset], teams: Mapping[str, Sequence[str]]
) -> dict[str, xr.Dataset]: ...
def declare_teams(
    scores: xr.Dataset | Mapping[str, xr.Dataset], teams: Mapping[str, Sequence[str]]
) -> xr.Dataset | dict[str, xr.Dataset]:
    """Declare which systems a team handed in: statements over systems then have teams as units.

    Systems of one team are near-copies, which tests would take for independent systems.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores or system-level scores, or several sets by name, which need not have each system.
    teams : mapping of str to sequence of str
        Systems of each team. A system without a team is its own team.

    Returns
    -------
    xarray.Dataset or dict of str to xarray.Dataset
        With the coordinate ``team`` (system). Earlier teams of other systems stay.

    Raises
    ------
    InputError
        If a system does not exist or has two teams, or a team has the name of a system that is not
        in it.

    Examples
    --------
    >>> from supersample.scores.schema import load_example
    >>> scores = declare_teams(load_example(), {"north": ["system-01", "system-02"]})
    >>> scores["team"].values[:3].tolist()
    ['north', 'north', 'system-03']
    """
    sets = {"": scores} if isinstance(scores, xr.Dataset) else dict(scores)
    known = np.unique(
        np.concatenate([part["system"].to_numpy().astype(str) for part in sets.values()])
    )
    named = [name for systems in teams.values() for name in systems]
    check_names("system", named, known)
    own = {system: team for team, systems in teams.items() for system in systems}
    if len(own) < len(named):
        twice = next(name for name in own if named.count(name) > 1)
        raise InputError(f"the system {quoted(twice)} is named twice in teams")
    for team in teams:
        if team in known and own.get(team) != team:
            raise InputError(f"the team {quoted(team)} has the name of a system that is not in it")
    found = {}
    for name, part in sets.items():
        before = zip(part["system"].to_numpy().astype(str), teams_of_systems(part), strict=True)
        labels = [own.get(system, team) for system, team in before]
        found[name] = with_teams_named(part.assign_coords(team=("system", labels)))
    return found[""] if isinstance(scores, xr.Dataset) else found


def choose_systems(
    systems: Sequence[str], only: Sequence[str], exclude: Sequence[str], source: str = ""
) -> tuple[list[str], list[str]]:
    """Systems to keep (all unless some are named), and systems left out."""
    check_names("system", (*only, *exclude), systems, source)
    kept = [name for name in systems if (not only or name in only) and name not in exclude]
    return kept, [name for name in systems if name not in kept]


def keep_metrics(scores: xr.Dataset, metrics: Sequence[str]) -> xr.Dataset:
    """Keep some metrics of Scores or system-level scores, in the given order.

    Raises
    ------
    InputError
        If a metric does not exist, or is named twice.

    Examples
    --------
    >>> from supersample.scores.schema import load_example
    >>> keep_metrics(load_example(), ["good-90", "weak-40"])["metric"].values.tolist()
    ['good-90', 'weak-40']
    """
    existing = scores["metric"].to_numpy().astype(str)
    _, _, free = str(scores.attrs.get("metrics_left_out", "")).partition(" reference-free (")
    for name in metrics:
        if name not in existing and name in free.partition(")")[0].split(", "):
            raise InputError(f"{quoted(name)} is reference-free, so left out; use --metrics all")
    check_names("metric", metrics, existing, str(scores.attrs.get("source", "")))
    if len(set(metrics)) < len(metrics):
        raise InputError(f"a metric is named twice: {listed(metrics)}")
    return scores.sel(metric=list(metrics))


def complete_cases(scores: xr.Dataset, mask: Mask = "common") -> xr.Dataset:
    """Keep the segments that every system was rated for and every metric scored for every system.

    The mask "all" drops the condition on ratings; see `select_segments`. If missing metric scores
    remove segments, the attribute ``mask`` gives the number left: "common 460/557, complete 450".
    """
    validate_scores(scores)
    selected = select_segments(scores, mask)
    present = selected[SCORE.name].notnull().transpose(*SCORE.dims)
    scored = present.all(("metric", "system")).to_numpy()
    if scored.sum() < 2:
        absent = scores["metric"].to_numpy()[~present.any("segment").all("system").to_numpy()]
        what = f"the metrics {listed(absent, 5)}, or systems" if absent.size else "some metrics"
        raise InputError(
            "fewer than two segments have the scores of every metric for every system; leave out "
            f"{what}"
        )
    left = selected.isel(segment=scored)
    if not scored.all():
        left.attrs["mask"] = f"{selected.attrs['mask']}, complete {int(scored.sum())}"
    return left


def partly_scored(scores: xr.Dataset) -> str:
    """Name the metrics that lack scores of some segments.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores on the segments of a mask.

    Returns
    -------
    str
        For each such metric the fewest and the most segments of a system with a score, and how many
        segments have the score of every metric for every system; empty if no score is missing.

    Examples
    --------
    >>> from supersample.scores.schema import load_example
    >>> example = load_example()
    >>> example["score"][0, :, :9] = float("nan")
    >>> partly_scored(example)
    'strong-98 on 491 of 500 segments of a system; 491 segments have every score'
    """
    scored = ~np.isnan(SCORE.of(scores))
    if scored.all():
        return ""
    segments = scores.sizes["segment"]
    counts = np.count_nonzero(scored, axis=2)
    parts = []
    for metric, of_systems in zip(scores["metric"].to_numpy(), counts, strict=True):
        fewest, most = int(of_systems.min()), int(of_systems.max())
        if fewest < segments:
            parts.append(f"{metric} on {fewest if fewest == most else f'{fewest} to {most}'}")
    complete = np.count_nonzero(scored.all(axis=(0, 1)))
    return (
        f"{listed(parts)} of {segments} segments of a system; {complete} segments have every score"
    )


AVERAGE = "average"
FEWEST_SYSTEMS = 5
"""Fewest systems of a set in an average: the jackknife needs four when one is left out."""
LABELS = ("domain", "document")


def common_metrics(
    scores: Mapping[str, xr.Dataset], at_least: int | None = None
) -> tuple[list[str], list[str]]:
    """Metrics of all sets, or of at least `at_least` sets, in order; and the other metrics.

    The Datasets have ``higher_is_better`` along ``metric``.
    """
    count = len(scores)
    if at_least is not None and not 1 <= at_least <= count:
        raise InputError(f"the least number of sets is 1 to {count}, not {at_least}")
    sets: dict[str, tuple[list[str], list[str]]] = {}  # where higher is better, and where not
    for group, part in scores.items():
        for name, higher in part["higher_is_better"].to_series().items():
            sets.setdefault(str(name), ([], []))[not higher].append(group)
    needed = count if at_least is None else at_least
    common = {name: both for name, both in sets.items() if sum(map(len, both)) >= needed}
    if not common:
        where = "" if at_least is None else f"at least {at_least} of "
        most = max(sum(map(len, both)) for both in sets.values()) if sets else 0
        way = f"; --in-at-least {most} (in_at_least) ranks by r those of {most} of these {count}"
        way = way if most > 1 else "; no two of these share one"
        raise InputError(f"no metric is common to {where}{listed(scores)}{way}")
    for name, (up, down) in common.items():
        if up and down:
            raise InputError(
                f"{quoted(name)} is declared higher-is-better in {listed(up, 3)}, but not in "
                f"{listed(down, 3)}"
            )
    return list(common), sorted(sets.keys() - common.keys())


_PAIR = re.compile(r"(?<![^\W_])[a-z]{2}-[a-z]{2}(?![^\W_])")
"""A language pair in the name of a set, such as 'wmt24 en-ja_JP'."""


def named_scores(scores: Mapping[str, xr.Dataset], by: str | None) -> dict[str, xr.Dataset]:
    """Check several sets of Scores, each a group, and name these sets if they are no pairs."""
    if by is not None:
        raise InputError("several sets of Scores are already groups; leave out 'by'")
    if not scores:
        raise InputError("there are no Scores to compare")
    if AVERAGE in scores:
        raise InputError(f"'{AVERAGE}' is the name of the average; give the Scores another name")
    for name, part in scores.items():
        if not isinstance(part, xr.Dataset):
            raise InputError(f"{name}: Scores are needed, not {type(part).__name__}")
    kind = {} if all(map(_PAIR.search, map(str, scores))) else {"set_name": "set"}
    return {str(name): part.assign_attrs({**kind, **part.attrs}) for name, part in scores.items()}


def without_gaps(scores: xr.Dataset, by: Any) -> xr.Dataset:
    """Leave out metrics without scores in a group where people and another metric have some.

    A group without any has no gap: `split_by` leaves it out.
    """
    if by not in LABELS or not {by, SCORE.name, "human"} <= {*scores.variables}:
        return scores
    known = scores[SCORE.name].notnull() & scores["human"].notnull()
    has = known.any("system").groupby(by).any()
    gaps = (has.any("metric") & ~has).transpose(by, "metric").to_pandas()
    of_each = {name: listed(lacks.index[lacks].astype(str), 3) for name, lacks in gaps.items()}
    told = [f"{name} (not in {by} {where})" for name, where in of_each.items() if where]
    if not told:
        return scores
    if gaps.any().all():
        raise InputError(f"no metric has scores in every {by}: {listed(told, 5)}")
    left_out = ", ".join(filter(None, [scores.attrs.get("metrics_left_out"), *told]))
    return scores.isel(metric=~gaps.any().to_numpy()).assign_attrs(metrics_left_out=left_out)


def split_by(
    scores: xr.Dataset,
    selected: xr.Dataset,
    label: str,
    usable: Callable[[xr.Dataset], bool],
    requirement: str,
) -> tuple[dict[str, xr.Dataset], dict[str, str]]:
    """Split selected Scores by domain or document into groups, without those that are too small.

    `scores` are the Scores before segments were selected: a group that the selection emptied is
    left out, too. `requirement` says what a usable group needs, for the error if there is none.
    Returns the groups, and attributes of results: the label, and the names of the groups left out.
    """
    check_choice("label to group by", label, LABELS)
    if label not in scores.coords:
        raise InputError(f"these Scores have no {label}s to group by")
    names = [str(name) for name in np.unique(scores[label].to_numpy().astype(str))]
    values = selected[label].to_numpy().astype(str)
    parts = {name: selected.isel(segment=values == name) for name in names}
    groups = {name: part for name, part in parts.items() if usable(part)}
    if not groups:
        raise InputError(f"no {label} has {requirement}")
    left_out = ", ".join(name for name in names if name not in groups)
    return groups, {"by": label, "groups_left_out": left_out}


def group_seed(seed: int, name: str) -> int:
    """Seed of a group: it depends only on the seed and the group's name."""
    return int(stream_key(seed, f"group {name}"))


def warn_if_undefined(what: str, values: Mapping[str, Floats], metrics: Sequence[str]) -> None:
    """Name metrics and groups without a value, whose average is therefore undefined.

    `values` are arrays (..., metrics) by group; without groups the only key is "".
    """
    missing = {name: np.isnan(each).reshape(-1, len(metrics)) for name, each in values.items()}
    where = [name for name, each in missing.items() if each.any()]
    if where:
        of = np.array(metrics)[np.any([missing[name].any(axis=0) for name in where], axis=0)]
        place = f" in {listed(where, 5)}, so its average is undefined" if any(where) else ""
        text = f"no {what} of {listed(of, 10)}{place}: scores do not vary enough, or are too few"
        warn(text, DegenerateScoreWarning, stacklevel=4)


def check_sizes(parts: Mapping[str, xr.Dataset]) -> None:
    """Refuse sets with too few systems among larger ones: their average would have no test."""
    sizes = {name: part.sizes["system"] for name, part in parts.items()}
    few = [name for name, size in sizes.items() if size < FEWEST_SYSTEMS]
    if few and len(few) < len(sizes):
        raise InputError(
            f"{few[0]} has {sizes[few[0]]} systems, and a set needs at least {FEWEST_SYSTEMS} to "
            "be averaged with others; leave it out"
        )


def weights_of(weights: Mapping[str, float] | None, groups: Collection[str]) -> list[float] | None:
    """Weights of all groups in averages (default 1); None if all are equal."""
    if not weights:
        return None
    for name, weight in weights.items():
        if name not in groups:
            raise InputError(f"no group is called {quoted(name)}; there are {listed(groups, 10)}")
        if not 0 < weight < np.inf:
            raise InputError(f"the weight of {quoted(name)} is {weight:g}; it must be above 0")
    return [float(weights.get(name, 1.0)) for name in groups]


def weights_text(weights: Mapping[str, float] | None) -> str:
    """Attribute of results: the weights."""
    return ", ".join(f"{name} {weight:g}" for name, weight in (weights or {}).items())


def _shared_systems(parts: Sequence[xr.Dataset]) -> dict[str, str]:
    """Attribute of results: how many systems take part in more than one set of Scores."""
    if len(parts) < 2 or any("system" not in part.coords for part in parts):
        return {}
    names = np.concatenate([part["system"].to_numpy().astype(str) for part in parts])
    times = np.unique(names, return_counts=True)[1]
    several, of = int((times > 1).sum()), f"of {times.size} systems"
    if not several:
        return {"systems_shared": f"none {of} takes part in more than one set"}
    told = f"{several} {of} take part in more than one set"
    told = "all groups have the same systems" if (times == len(parts)).all() else told
    return {"systems_shared": f"{told}; each counts as one system"}


def shared_facts(parts: Sequence[xr.Dataset]) -> dict[str, Any]:
    """Attributes of several Scores: one value if they agree, otherwise all values."""
    facts: dict[str, Any] = _shared_systems(parts)
    for name in _SHARED.split():
        values = [str(part.attrs[name]) for part in parts if part.attrs.get(name)]
        if values:
            facts[name] = values[0] if len(set(values)) == 1 else "; ".join(values)
    for name in ("added_metrics", "added_notes"):  # one line each
        lines = [line for part in parts for line in str(part.attrs.get(name) or "").split("\n")]
        if any(lines):
            facts[name] = "\n".join(filter(None, dict.fromkeys(lines)))
    return facts


_SHARED = (
    "source set_name human reference mask human_mean teams no_new_systems systems_left_out "
    "names_matched read_as "
    "assessors_dropped assessors_without_z ratings_used ratings_left_out"
)
