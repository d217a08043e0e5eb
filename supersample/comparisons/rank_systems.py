"""Systems ranked by people, or by a metric: means, rank intervals, groups, pairs that differ."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.streams import normals, stream_key
from supersample.errors import InputError, check_choice, check_confidence_level, check_names, listed
from supersample.execution.checksums import content_code
from supersample.inference.means import (
    clustered_covariance,
    compare_means,
    degrees_of_freedom,
    implied,
    rank_intervals,
    stouffer_p_values,
    with_assessors,
)
from supersample.results.pairs import is_significant
from supersample.results.ranks_and_clusters import letters_of, ranks
from supersample.results.variables import result_attrs, result_variables
from supersample.scores.ratings import TRANSLATION, place_ratings, standardised
from supersample.scores.schema import GOLD, HUMAN, HUMAN_COUNT, SCORE, validate_start
from supersample.scores.selection import AVERAGE, Mask, named_scores, select_segments, shared_facts
from supersample.scores.system_level import HumanMean

DRAWS = 9_999
"""Draws from the joint distribution of all pairs."""
FEWEST_UNITS = 4
FEW, MOST_SETS = 30, 6
"""Most systems whose pairs a ranking of metrics counts, and most sets."""
Texts = Literal["documents", "segments"]
Rule = Literal["wmt24"]


class _Rows(NamedTuple):
    """Scores, one for each row, with what each belongs to."""

    value: Floats
    weight: Floats
    system: NDArray[np.int64]
    group: NDArray[np.int64]
    segment: NDArray[Any]
    unit: NDArray[Any]
    assessor: NDArray[np.str_] | None

    def where(self, kept: NDArray[np.bool_]) -> "_Rows":
        chosen: Any = (None if each is None else each[kept] for each in self)
        return _Rows(*chosen)

    @property
    def kind(self) -> str:
        """What is random."""
        return "document" if (self.unit != self.segment).any() else "segment"


def rank_systems(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    scorer: str = "human",
    *,
    ratings: xr.Dataset | None = None,
    by: Literal["domain"] | None = None,
    random: Texts | None = None,
    mask: Literal["common", "all"] = "common",
    human_mean: HumanMean = "ratings",
    rule: Rule | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> xr.Dataset:
    """Rank systems by the mean of their human scores, or of a metric's, and say which differ.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores; of no metrics, too. Or Scores of several language pairs by name: the systems of
        all of them are ranked by the average over pairs. Or human scores of the same outputs by
        name, whose attribute ``set_name`` is "gold standard": each is standardised in the average.
    scorer : str, default "human"
        "human", or a metric.
    ratings : xarray.Dataset, optional
        Ratings of one set of Scores, in place of its human scores (see `prepare_ratings`). Who
        rated is then known, so assessors are a second kind of unit that is random. If the ends of
        their scale are known, as of Appraise's sliders, limits of means end there.
    by : {"domain"}, optional
        Let each domain count equally, and rank systems in each, too.
    random : {"documents", "segments"}, optional
        What is drawn: by default documents if they are known, else segments.
    mask : {"common", "all"}, default "common"
        Segments that were scored for every system; or all, so that means are not of the same texts.
    human_mean : {"ratings", "segments"}, default "ratings"
        Whether a system's human score is the mean of its ratings or of its segments.
    rule : {"wmt24"}, optional
        Also apply a published rule: mean over domains (`by` is "domain" then), Wilcoxon's
        signed-rank test in each domain, Stouffer's combination, rank ranges and clusters at p < .05
        without correction.
    confidence_level : float, default 0.95
    seed : int, default 0
        Seed of the joint distribution of all pairs.

    Returns
    -------
    xarray.Dataset
        Dims (group, system, other_system); the first group is the average, or everything; systems
        are in its order, best first. ``mean``, ``lower`` and ``upper``: the interval of the mean;
        ``rank``; ``rank_first`` and ``rank_last``: the ranks that the system can have, all at once;
        ``may_be_best``: whether it can have rank 1; ``tie_groups``: letters, and two systems that
        share one do not differ. Of pairs: ``difference`` with limits, ``p_value`` by Student's t,
        ``p_simultaneous``, corrected for all pairs, and ``differs_adjusted``: by
        ``p_simultaneous``, or because one is better than a third that is better than the other,
        whatever the pair's own p. With `rule` also
        ``published_p``, ``published_first``, ``published_last`` and ``published_cluster`` (NaN in
        groups).

    Raises
    ------
    InputError
        If arguments are invalid, no two systems or fewer than four units are left, or a rule lacks
        its domains.

    Notes
    -----
    The error of a mean is the sum of its documents', by the jackknife (Bell and McCaffrey 2002);
    with assessors, of both (Cameron, Gelbach and Miller 2011). Tests of pairs are corrected by the
    step-down maximum over draws from their joint distribution, and have Satterthwaite's degrees of
    freedom: a few long documents among many short ones have few. Rank intervals and groups follow
    from these tests, so they hold at once and never contradict each other.

    References
    ----------
    Rank intervals: Mogstad et al. (2024). The rule: Kocmi et al. (2024), "Findings of the WMT24
    general machine translation shared task", and its released scripts (wmt24-news-systems).

    Examples
    --------
    >>> from supersample import load_example
    >>> found = rank_systems(load_example())
    >>> found.sel(group="all", system="system-02")["tie_groups"].item(), found.attrs["unit"]
    ('ab', 'document')
    """
    check_confidence_level(confidence_level)
    check_choice("mask", mask, ("common", "all"))
    check_choice("label to group by", by or "domain", ("domain",))
    check_choice("random unit", random or "documents", get_args(Texts))
    if rule is not None:
        check_choice("rule", rule, get_args(Rule))
        by = "domain"
    sets = {"": scores} if isinstance(scores, xr.Dataset) else named_scores(scores, by)
    systems = _shared_systems(sets)
    if ratings is not None and (len(sets) > 1 or scorer != "human"):
        raise InputError("ratings are human scores of one set of Scores")
    scored = {x: _of_table(of, systems, scorer, human_mean, ratings) for x, of in sets.items()}
    rows, names = _joined(sets, scored, systems, by=by, random=random, mask=mask)
    signs = {_sign(each, scorer) for each in sets.values()}
    if len(signs) > 1:
        raise InputError(f"{scorer} is declared higher-is-better in some sets only")
    sign, count = signs.pop(), len(systems)
    ends = None if ratings is None else ratings["rating"].attrs.get("valid_range")
    options: dict[str, Any] = {"sign": sign, "seed": seed, "count": count, "ends": ends}
    _check_units(rows, systems, names)
    grouped = len(names) > 1
    several = [rows.where(rows.group == g) for g in range(len(names))] if grouped else []
    whole = _standardised(rows, names) if _same_texts(sets) and scorer == "human" else rows
    found = [_compared(each, level=confidence_level, **options) for each in (whole, *several)]
    variables = {name: np.stack([each[name] for each in found]) for name in found[0]}
    if rule is not None:
        published = _by_wmt24(rows, count, found[0]["mean"] * sign)
        for name, values in published.items():
            rest = [np.full_like(values, np.nan)] * len(several)
            variables[name] = np.stack([values, *rest])
    labels = {"group": [AVERAGE, *names] if grouped else ["all"]}
    asked: dict[str, Any] = {"scorer": scorer, "human_mean": human_mean, "by": by, "rule": rule}
    asked |= {"mask": mask, "confidence_level": confidence_level, "seed": seed}
    scale = None if ends is None else "{:g} to {:g}".format(*ends)
    asked |= {"ratings": getattr(ratings, "prepared", None), "scale": scale}
    result = xr.Dataset(
        result_variables(variables, ("group",), item="system"),
        {**labels, "system": systems, "other_system": systems},
        _facts(sets, rows, systems, asked, [*scored.values()]),
    )
    order = np.argsort(found[0]["rank"], kind="stable")
    return result.isel(system=order, other_system=order)


def pairs_told_apart(
    scores: xr.Dataset | Mapping[str, xr.Dataset], mask: Mask, **options: Any
) -> str:
    """Say how many pairs of systems people tell apart, where systems are few and segments known.

    Parameters
    ----------
    scores
        Scores, or several by name.
    mask
        As in `select_segments`.
    **options
        As in `rank_systems`.

    Returns
    -------
    str
        Empty if nothing is said.

    Examples
    --------
    >>> from supersample import load_example
    >>> pairs_told_apart(load_example(), "common")
    'people tell 42 of 66 pairs of systems apart (for new documents; see `systems`)'
    """
    sets = {"": scores} if isinstance(scores, xr.Dataset) else scores
    whole = [each for each in sets.values() if not {"human", "segment"} <= {*each.variables}]
    if whole or len(sets) > MOST_SETS or max(x.sizes["system"] for x in sets.values()) > FEW:
        return ""
    counted, over = [], dict[str, None]()
    try:
        for name, each in sets.items():
            used = select_segments(each, mask) if mask == "complete" else each
            every: Any = "all" if mask == "all" else "common"
            found = rank_systems(used, mask=every, **options)
            differ = found["differs_adjusted"].to_numpy()[0]
            pairs = len(differ) * (len(differ) - 1) // 2
            over[f"new {found.attrs['unit']}s"] = None
            counted.append(f"{differ.sum() // 2} of {pairs}" + f" ({name})" * bool(name))
    except InputError as error:
        reason = str(error).partition("; ")[0]
        return f"how many pairs of systems differ by people is not known: {reason} (see `systems`)"
    return (
        f"people tell {listed(counted)} pairs of systems apart (for {listed(over)}; see `systems`)"
    )


def _shared_systems(sets: Mapping[str, xr.Dataset]) -> list[str]:
    """Systems of all sets."""
    for each in sets.values():
        validate_start(each)
    first, *others = [[str(x) for x in each["system"].to_numpy()] for each in sets.values()]
    shared = sorted(name for name in first if all(name in of for of in others))
    if len(shared) < 2:
        raise InputError(
            f"{len(shared)} systems are in all of {listed(sets)}; at least 2 are needed"
        )
    return shared


def _sign(scores: xr.Dataset, scorer: str) -> int:
    """1 if higher scores are better, or -1."""
    if scorer == "human":
        return 1 if scores[HUMAN.name].attrs.get("higher_is_better", 1) else -1
    return 1 if bool(scores["higher_is_better"].sel(metric=scorer)) else -1


def _rows(
    scores: xr.Dataset,
    scored: _Rows,
    systems: Sequence[str],
    *,
    by: str | None,
    random: str | None,
    mask: str,
) -> tuple[_Rows, list[str]]:
    """Rows of one set on the chosen segments, and the names of its groups."""
    segments, at = scores["segment"].to_numpy().astype(str), scored.segment
    known = [name for name in ("domain", "document") if name in scores.coords]
    labels = {name: scores[name].to_numpy().astype(str) for name in known}
    if by is not None and by not in labels:
        raise InputError(f"these Scores have no {by}s to group by")
    if random == "documents" and "document" not in labels:
        raise InputError("these Scores have no documents; draw segments (--random segments)")
    kept: NDArray[np.bool_] = np.ones(at.size, np.bool_)
    if mask == "common":
        there = np.zeros((len(systems), segments.size), np.bool_)
        there[scored.system, at] = True
        every: NDArray[np.bool_] = np.asarray(there.all(axis=0))
        if not every.any():
            raise InputError("no segment was scored for every system; use the mask 'all' (--mask)")
        kept = every[at]
    drawn = segments if random == "segments" else labels.get("document", segments)
    names = [str(name) for name in np.unique(labels[by][at[kept]])] if by else []
    group = np.searchsorted(names, labels[by][at]) if by else np.zeros_like(at)
    return scored._replace(group=group, segment=segments[at], unit=drawn[at]).where(kept), names


def _of_table(
    scores: xr.Dataset, systems: Sequence[str], scorer: str, human_mean: HumanMean, ratings: Any
) -> _Rows:
    """Scores of every system and segment by its number; groups and units are not known yet."""
    if ratings is not None:
        return _of_ratings(scores, systems, ratings, human_mean)
    own = scores.sel(system=list(systems))
    names = [str(name) for name in own["metric"].to_numpy()]
    check_names("scorer", [scorer], ["human", *names])
    table = HUMAN.of(own) if scorer == "human" else SCORE.of(own)[names.index(scorer)]
    counts = np.ones_like(table)
    if scorer == "human" and human_mean == "ratings" and HUMAN_COUNT.name in own:
        counts = HUMAN_COUNT.of(own)
    system, at = np.nonzero(~np.isnan(table))
    return _Rows(table[system, at], counts[system, at], system, at, at, at, None)


def _of_ratings(
    scores: xr.Dataset, systems: Sequence[str], ratings: xr.Dataset, human_mean: HumanMean
) -> _Rows:
    """Ratings of translations as in `_of_table`, with who gave them."""
    placed = place_ratings(ratings, scores)
    here = placed["kind"].to_numpy() == TRANSLATION
    placed = placed.isel(row=here & np.isin(placed["system"].to_numpy(), list(systems)))
    own = scores.sel(system=list(systems)).indexes
    system, at = (own[dim].get_indexer(placed[dim].to_numpy()) for dim in ("system", "segment"))
    weight = np.ones(at.size)
    if human_mean == "segments":
        translation, counts = np.unique(
            np.column_stack([system, at]), axis=0, return_inverse=True, return_counts=True
        )[1:]
        weight = 1.0 / counts[translation]
    people, who = np.unique(placed["assessor"].to_numpy().astype(str), return_inverse=True)
    assessor = people[who] if people.size > 1 else None
    return _Rows(placed["rating"].to_numpy(), weight, system, at, at, at, assessor)


def _joined(
    sets: Mapping[str, xr.Dataset],
    scored: Mapping[str, _Rows],
    systems: Sequence[str],
    **chosen: Any,
) -> tuple[_Rows, list[str]]:
    """Rows of all sets, with numbers for names, and the names of their groups.

    Units of one name are one unit in all sets.
    """
    parts, names = [], list[str]()
    for name, each in sets.items():
        own, groups = _rows(each, scored[name], systems, **chosen)
        parts.append(own._replace(group=own.group + len(names)))
        names += groups or [name]
    rows = parts[0]
    if len(parts) > 1:
        columns = [np.concatenate(each) for each in list(zip(*parts, strict=True))[:-1]]
        rows = _Rows._make([*columns, None])
    _, codes = np.unique(np.concatenate([rows.segment, rows.unit]), return_inverse=True)
    segment, unit = np.split(codes, 2)
    return rows._replace(segment=segment, unit=unit), names


def _compared(
    rows: _Rows, *, sign: int, level: float, seed: int, count: int, ends: tuple[float, float] | None
) -> dict[str, Any]:
    """Compute the variables of one group, or of the average over the groups of the rows."""
    groups = np.unique(rows.group, return_inverse=True)[1]
    number = int(groups.max()) + 1
    at = rows.system * number + groups
    size = np.bincount(at, rows.weight, count * number)
    means = np.bincount(at, rows.weight * rows.value, count * number) / size
    weight = rows.weight / (size[at] * number)
    value = means.reshape(count, number).mean(axis=1)
    draws = normals(stream_key(seed, "means of systems"), np.arange(DRAWS, dtype=np.uint64), count)
    parts = _covariance(rows, weight, weight * (rows.value - means[at]), count)
    found = compare_means(value, parts, draws, confidence_level=level)
    ahead = sign * (value[:, np.newaxis] - value) > 0
    differ = is_significant(found.adjusted, round(1 - level, 12)) & (ahead | ahead.T)
    better = implied(differ & ahead)
    first, last = rank_intervals(better)
    lower, upper = (np.clip(each, *(ends or (-np.inf, np.inf))) for each in found.of_means[:2])
    return {
        "mean": value,
        "lower": lower,
        "upper": upper,
        "rank": ranks(sign * value),
        "rank_first": first,
        "rank_last": last,
        "may_be_best": first == 1,
        "tie_groups": letters_of(better | better.T, np.argsort(-sign * value, kind="stable")),
        "difference": value[:, np.newaxis] - value,
        "difference_lower": found.of_differences.lower,
        "difference_upper": found.of_differences.upper,
        "p_value": found.p_value,
        "p_simultaneous": found.adjusted,
        "differs_adjusted": better | better.T,
        "units": len(np.unique(rows.unit)),
    }


def _same_texts(sets: Mapping[str, xr.Dataset]) -> bool:
    """Whether sets are human scores of the same outputs."""
    return len(sets) > 1 and all(x.attrs.get("set_name") == GOLD for x in sets.values())


def _standardised(rows: _Rows, names: Sequence[str]) -> _Rows:
    """Standardise each group, so that human scores of any scale count equally in the average."""
    parts = [standardised(rows.value, rows.group == g, name) for g, name in enumerate(names)]
    return rows._replace(value=np.choose(rows.group, parts))


def _check_units(rows: _Rows, systems: Sequence[str], groups: Sequence[str]) -> None:
    """Refuse too few units: errors are estimated from how much they differ."""
    scored = np.zeros((len(groups), len(systems)), np.bool_)
    scored[rows.group, rows.system] = True
    absent = [
        systems[system] + f" in {groups[group]}" * bool(groups[group])
        for group, system in np.argwhere(~scored)
    ]
    if absent:
        raise InputError(f"{listed(absent, 5)}: no scores; leave such systems out (--exclude)")
    number = len(np.unique(rows.unit))
    way = "; --random segments (random='segments') draws segments" * (rows.kind == "document")
    if number < FEWEST_UNITS:
        raise InputError(
            f"scores of {number} {rows.kind}s; at least {FEWEST_UNITS} are needed{way}"
        )
    strata = len(groups) > 1 and _are_strata(rows)
    few = _with_one(rows, rows.group if strata else np.zeros_like(rows.group), rows.unit)
    if told := listed([systems[k] + f" in {groups[g]}" * strata for g, k in few], 5):
        raise InputError(f"{told}: scores of one {rows.kind}; 2 are needed{way}")
    one = [] if rows.assessor is None else [*_with_one(rows, rows.group, rows.assessor)]
    if told := listed([systems[k] + f" in {groups[g]}" * bool(groups[g]) for g, k in one], 5):
        raise InputError(
            f"{told}: rated by one assessor alone, so what is the system's and what is the "
            "assessor's cannot be told apart; leave such systems out (--exclude)"
        )


def _with_one(rows: _Rows, group: Any, labels: Any) -> NDArray[np.int64]:
    """Find groups and systems whose scores have one label, such as a document."""
    numbers = np.unique(labels, return_inverse=True)[1]
    own = np.unique(np.column_stack([group, rows.system, numbers]), axis=0)
    found, counts = np.unique(own[:, :2], axis=0, return_counts=True)
    return np.asarray(found[counts < 2])


def _are_strata(rows: _Rows) -> bool:
    """Whether no unit is in several groups."""
    return len(np.unique(np.column_stack([rows.unit, rows.group]), axis=0)) == len(
        np.unique(rows.unit)
    )


def _covariance(
    rows: _Rows, weight: Floats, influence: Floats, count: int
) -> list[tuple[Floats, Floats]]:
    """Parts of the covariance of means with their degrees of freedom, one for each group.

    Groups that share units, such as documents that were translated into several languages, are one
    part. With assessors there is one part.
    """
    unit = np.unique(rows.unit, return_inverse=True)[1]
    parts = rows.group if _are_strata(rows) else np.zeros_like(rows.group)
    found: list[tuple[Floats, Floats]] = []
    for part in np.unique(parts):
        own = parts == part
        cluster, system = np.unique(unit[own], return_inverse=True)[1], rows.system[own]
        sizes = np.bincount(cluster * count + system, weight[own], (cluster.max() + 1) * count)
        shares = sizes.reshape(-1, count) / sizes.reshape(-1, count).sum(axis=0)
        shared = clustered_covariance(system, influence[own], cluster, count, shares)
        found.append((shared, degrees_of_freedom(shares)))
    if rows.assessor is not None and (rows.assessor != rows.assessor[0]).any():
        person = np.unique(rows.assessor, return_inverse=True)[1]
        return [with_assessors(found, rows.system, influence, unit, person)]
    return found


def _by_wmt24(rows: _Rows, count: int, value: Floats) -> dict[str, Floats]:
    """Rank ranges and clusters of WMT24's rule, from the mean score of each segment.

    As in the released scripts: a p-value of exactly .05 is neither a win nor a tie of clusters.
    """
    alpha, p = 0.05, np.ones((count, count))
    names, segment = np.unique(rows.segment, return_inverse=True)
    total, number = np.zeros((2, count, names.size))
    np.add.at(total, (rows.system, segment), rows.value)
    np.add.at(number, (rows.system, segment), 1.0)
    table = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    group = np.zeros(names.size, np.int64)
    group[segment] = rows.group
    for a, b in zip(*np.triu_indices(count, 1), strict=True):
        apart = [(table[a] - table[b])[group == g] for g in np.unique(group)]
        p[a, b] = p[b, a] = stouffer_p_values([_signed_rank(x[~np.isnan(x)]) for x in apart])
    ahead = value[:, np.newaxis] > value
    wins = (p < alpha) & ahead
    order = np.argsort(-value, kind="stable")
    cluster, last, tied_until = np.ones(count), 1, -1
    for place, a in enumerate(order):
        later = np.flatnonzero(p[a, order[place + 1 :]] > alpha)
        tied_until = max([tied_until if tied_until > place else -1, *(place + 1 + later)])
        cluster[a] = last
        last += tied_until == -1
    return {
        "published_p": p,
        "published_first": 1.0 + wins.sum(axis=0),
        "published_last": count - wins.sum(axis=1).astype(float),
        "published_cluster": cluster,
    }


def _signed_rank(differences: Floats) -> float:
    """Two-sided p-value of Wilcoxon's test; 1 if nothing differs."""
    from scipy import stats  # takes longer than ranking systems

    return float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0


def _facts(
    sets: Mapping[str, xr.Dataset],
    rows: _Rows,
    systems: Sequence[str],
    asked: Mapping[str, Any],
    scored: Sequence[_Rows],
) -> dict[Any, Any]:
    """Attributes of the result; `scored` are rows before segments are left out."""
    first = next(iter(sets.values()))
    unit, count, same = rows.kind, len(systems), _same_texts(sets)
    group = rows.group * (not same)
    kept = len(np.unique(np.column_stack([group, rows.segment]), axis=0))
    counted = {
        "systems": count,
        "segments": kept,
        f"{unit}s": len(np.unique(rows.unit)),
        **({} if rows.assessor is None else {"assessors": len(np.unique(rows.assessor))}),
    }
    attrs = dict(first.attrs) if len(sets) == 1 else shared_facts(list(sets.values()))
    every = {name for each in sets.values() for name in map(str, each["system"].to_numpy())}
    if others := sorted(every.difference(systems)):
        attrs["systems_left_out"] = f"{listed(others)} (not in every set)"
    there = [np.concatenate([x.segment for x in scored])] if same else [x.segment for x in scored]
    total = sum(np.unique(x).size for x in there)
    if left_out := total - kept:
        over = min if same else sum  # by one of several people, or of all sets
        has = [over(np.unique(x.segment[x.system == k]).size for x in scored) for k in range(count)]
        lacks = f"{systems[int(np.argmin(has))]} lacks {total - min(has)}"
        why = f"not scored for every system, {lacks}; --mask all takes them"
        attrs["segments_left_out"] = f"{left_out} of {total} ({why})"
    by = "standardised " * (same and asked["scorer"] == "human")
    facts = {
        "kind": "systems",
        "sizes": ", ".join(f"{size} {name}" for name, size in counted.items()),
        "statistic": f"mean of {by}{asked['scorer']}",
        "unit": unit,
        "method": f"student over {unit}s" + " and assessors" * (rows.assessor is not None),
        "scores": content_code(first if len(sets) == 1 else sets),
        **{name: value for name, value in asked.items() if value is not None},
    }
    return result_attrs(attrs, n=counted.values(), counted=counted, **facts)
