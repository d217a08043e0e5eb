"""Judges of single items: agreement with people, the alternative annotator test, bias.

Two raters agree by sums over the items that both answered: Pearson's r, the share of equal answers,
and Cohen's kappa, whose weights are quadratic for numbers. With x and y as numbers, or as vectors
with a 1 at the answer, kappa is ``2 cov(x, y) / (var x + var y + |mean x - mean y|^2)``. Limits
come from the jackknife over items, or over the items' segments where several systems answered one:
on Fisher's scale for r and kappa, by Wilson's method for the share (and for r and kappa near 1 that
would be 1 without one item), with Student's quantile.
"""

import warnings
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple, SupportsIndex, get_args

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from supersample.engine import Floats
from supersample.errors import (
    ApproximationWarning,
    DegenerateScoreWarning,
    InputError,
    UncheckedWarning,
    check_alike,
    check_choice,
    check_confidence_level,
    check_names,
    listed,
    quoted,
)
from supersample.execution.checksums import content_code
from supersample.inference.arguments import ABSENT
from supersample.inference.one_correlation import interval_of_r
from supersample.inference.p_values import holm
from supersample.inference.two_correlations.fisher_jackknife import fisher_z, jackknife_variance
from supersample.results.variables import result_attrs
from supersample.tolerances import SUM_TIE, VALUE_TIE

Answers = Mapping[str, Mapping[Any, Hashable]]
"""Answer to each item, by annotator. An item is any label, or a system and a segment."""
Given = dict[str, Mapping[Any, Any]]
Scale = Literal["nominal", "ordinal", "interval"]
FEWEST_ITEMS = 30
"""Fewest items per annotator for the t test."""
FEWEST_SHARED = 10
"""Fewest items that two raters share, and fewest items or segments for an interval."""
MOST_LEVELS, MOST_WORDS = 11, 100
FEWEST_SYSTEMS = 5
FEWEST_PEOPLE = 3
LEAST_INSIDE = 0.1
"""Least share of a judge's numbers within the people's range, if they are on one scale."""
LEAST_NEAR = 0.9
"""Least share of a person's numbers within twice the others' range, if they are on one scale."""
MOST_PER_UNIT = 100
MOST_PLACED = 13
"""Most raters, with the judge, who are tried in the judge's place."""
R, SHARE, WEIGHTED, KAPPA = "r", "exact agreement", "weighted kappa", "Cohen's kappa"
COLUMN = {R: 0, SHARE: 1, WEIGHTED: 2, KAPPA: 2}
SHOWN = {"nominal": (KAPPA, SHARE), "ordinal": (WEIGHTED, R, SHARE), "interval": (R, WEIGHTED)}
"""Statistics by the scale of answers; the first one is the main one."""
NEAR_ONE = 0.8  # r and kappa whose limits may be those of a share
COMPARED = ("judge with people", "people with each other", "difference")
EVERYWHERE = "all items"


def judge_agreement(
    answers: Answers,
    judge: str,
    people: Sequence[str] = (),
    *,
    scale: Scale | None = None,
    epsilon: float = 0.2,
    fewest_people: int = 3,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Measure how well a judge agrees with people on items, and whether it may replace one.

    Parameters
    ----------
    answers : mapping of str to mapping
        Answer to each item, by annotator and judge; see `read_answers`. If items are pairs of a
        system and a segment, segments are the units that are drawn, and bias is also found by
        system.
    judge : str
        The judge, such as an LLM.
    people : sequence of str, default ()
        The people; by default all others.
    scale : {"nominal", "ordinal", "interval"}, optional
        Scale of the answers. By default words are nominal, up to 11 whole numbers of people are
        ordinal, and other numbers have an interval scale.
    epsilon : float, default 0.2
        How much the judge may be worse than an annotator because it is cheaper (as a difference
        of the advantage): 0.2 for experts, 0.15 for skilled annotators, 0.1 for a crowd.
    fewest_people : int, default 3
        The alternative annotator test leaves out items that fewer people answered; at least 2, as
        in the paper's tables.
    confidence_level : float, default 0.95
        Level of intervals and tests.

    Returns
    -------
    xarray.Dataset
        Dims (statistic, compared): ``value``, ``lower`` and ``upper``. "judge with people" is the
        mean of the judge's agreement with each person; "people with each other" is the mean over
        two people; "difference" is the mean of the judge's agreement with a person, minus that of
        another person, over items that the three answered. NaN where there are too few people or
        items. Along place (all items, then each system; on a nominal scale each answer): ``bias``,
        how much higher the judge's answers are than the people's mean, with ``bias_lower``,
        ``bias_upper`` and ``bias_p_holm``. ``system_r`` with limits: r over systems, for five or
        more, of numbers or two answers. The alternative annotator test: ``winning_rate`` (omega),
        the share of annotators whom the judge may replace; ``advantage`` (rho), how often the judge
        fits the others at least as well as the annotator, averaged over annotators; ``passes``,
        whether the winning rate is at least 0.5. Along annotator: ``annotator_advantage``,
        ``p_value``, ``p_by`` (Benjamini and Yekutieli), ``wins``, ``strict_wins`` (if `epsilon`
        were 0) and ``items``.
        The attribute ``untested`` names annotators with fewer than 30 items or ten segments, or
        says why there is no test.

    Raises
    ------
    InputError
        If a name does not exist, the judge is one of the people, too few items are shared, or
        answers are partly numbers and partly words.

    Warns
    -----
    ApproximationWarning
        If more than 13 raters, with the judge, answered.

    Notes
    -----
    Intervals are over new items (segments) and for these people. That of the difference has the
    larger one of the judge's own variance and of the average over the first 13 raters in the
    judge's place, because few items seldom show one rater's rare failures. Two raters who share
    fewer than ten items are not compared. If one of them gave one answer to all shared items, kappa
    is 0 and r is not defined; neither is kappa if both did so. Means are of what is defined. If a
    judge's numbers are on another scale than the people's, only r is measured. The test compares
    equal answers on a nominal scale, and distances on the others. Its units are segments, where the
    paper takes items as independent; the two are the same if each item is a segment of its own.

    References
    ----------
    Calderon, Reichart and Dror (2025), "The alternative annotator test for LLM-as-a-judge: how to
    statistically justify replacing human annotators with LLMs", ACL. Cohen (1968), "Weighted
    kappa", Psychological Bulletin 70.

    Examples
    --------
    >>> people = {f"p{k}": {i: (i + (i % 7 == k)) % 3 for i in range(60)} for k in range(3)}
    >>> found = judge_agreement({**people, "judge": {i: i % 3 for i in range(60)}}, "judge")
    >>> print(found["value"].sel(compared="judge with people").round(2).values)
    [0.78 0.78 0.85]
    """
    check_confidence_level(confidence_level)
    _check_options(epsilon, fewest_people)
    of = prepared(answers, judge, people, scale)
    values, units, shown = of.values, of.units, of.shown
    compared = agreement_limits(values, of.coded, units, confidence_level)
    compared = compared[:, :, [COLUMN[name] for name in shown]]
    variables: dict[str, Any] = {
        name: (("compared", "statistic"), each)
        for name, each in zip(("value", "lower", "upper"), compared, strict=True)
    }
    check_varied(judge, compared[0, 0, 0])
    coords = {"compared": list(COMPARED), "statistic": list(shown)}
    found = xr.Dataset(variables, coords).transpose("statistic", "compared")
    found = found.assign(_of_systems(of, confidence_level))
    tested, untested = xr.Dataset(), of.apart
    if not of.apart:
        found = found.merge(biases(values, of.words, of.systems, units, confidence_level))
        tested, untested = _replacing(of, fewest_people, epsilon, confidence_level)
    told: dict[str, Any] = {"kind": "judge", "statistic": shown[0], "judge": judge}
    told |= {
        "human": ", ".join([*of.given][1:]),
        "scale": of.scale,
        "epsilon": epsilon,
        "untested": untested,
    }
    apart = of.apart or np.nanmax(values[0] % 1)  # a judge's fractions are no levels of people's
    ends = _ends(values[1:] if apart else values)
    told |= {"levels": ", ".join(of.words or map("{:g}".format, ends))}
    told |= {"confidence_level": confidence_level, "scores": of.code()}
    here = _mean_of_people(values)[0]
    numbers = {"answered": int(here.sum()), "units": np.unique(units[here]).size}
    attrs = result_attrs({}, n=[*numbers.values()], counted=["items", "units"], **told)
    return found.merge(tested).assign(numbers).assign_attrs(attrs)


class Prepared(NamedTuple):
    """Answers of a judge and people, as numbers and as what is counted."""

    given: Given
    scale: Scale
    values: Floats
    """Answers (raters, items), the judge's first; NaN where missing."""
    coded: Floats
    """Answers (raters, codes, items): numbers, or a 1 at each word."""
    words: list[str]
    items: list[Any]
    systems: NDArray[Any] | None
    units: NDArray[np.int64]
    apart: str
    """How the judge's scale differs from the people's; empty if it does not."""
    shown: tuple[str, ...]
    """Statistics, the main one first."""

    def code(self) -> str:
        """Checksum of all answers, for signatures, whatever the order of items and raters."""
        names = {"by": [*self.given], "item": [*map(str, self.items)]}
        answers = xr.Dataset({"answer": (("by", "item"), self.values)}, names)
        return content_code(answers.sortby(["by", "item"]).drop_vars("item"))


def prepared(answers: Answers, judge: str, people: Sequence[str], scale: Scale | None) -> Prepared:
    """Check answers, find their scale, and say which statistics are of it."""
    given = _given(answers, judge, people)
    asked, scale = scale, scale or _scale_of(given, judge)
    check_choice("scale", scale, get_args(Scale))
    values, items, levels = _table([*given.values()], scale)
    _check_shared(given, values)
    _check_copies(given, values)
    _check_constant(given, values)
    if asked is None and scale != "nominal":  # who declares a scale has looked at the answers
        _check_people([*given], values)
    apart = "" if scale == "nominal" or _on_scale_of(values[0], values[1:]) else _ranges(values)
    coded, words = values[:, np.newaxis], list[str]()
    if scale == "nominal":
        _check_spelling(judge, values[0], values[1:], levels)
        words = list(map(str, levels))
        coded = 1.0 * (coded == np.arange(len(levels))[:, np.newaxis])
    shown = (R,) if apart else SHOWN[scale]
    if asked is None and not apart and len(levels) == 2:
        shown = SHOWN["nominal"]  # of two answers, weights and distances add nothing
    return Prepared(given, scale, values, coded, words, items, *_units(items), apart, shown)


def _check_copies(given: Given, values: Floats) -> None:
    """Warn of a person who gave all answers of the judge."""
    judge, *people = given
    for name, answers in zip(people, values[1:], strict=True):
        if np.array_equal(answers, values[0], equal_nan=True):
            same = f"{quoted(judge)} gives every answer of {quoted(name)}"
            warnings.warn(f"{same}; is it a copy?", UncheckedWarning, stacklevel=3)


def _check_constant(given: Given, values: Floats) -> None:
    """Warn of raters who gave one answer to all items that another rater answered."""
    constant, names = dict[str, None](), [*given]
    for pair in combinations(range(len(values)), 2):
        here = np.isfinite(values[[*pair]]).all(axis=0)
        if here.sum() >= FEWEST_SHARED:
            constant |= {names[k]: None for k in pair if not np.ptp(values[k, here])}
    if constant:
        told = f"{listed([*constant], 5)} gave one answer to all items that another rater answered"
        told += ": kappa of the two is 0, r is not defined; means leave out what is not defined"
        warnings.warn(told, DegenerateScoreWarning, stacklevel=3)


def check_varied(judge: str, value: float) -> None:
    """Refuse answers of which no agreement beyond chance is defined."""
    if np.isnan(value):
        raise InputError(f"{quoted(judge)}, or each person, gave one answer to all items")


def _given(answers: Answers, judge: str, people: Sequence[str]) -> Given:
    """Answers of the judge, then of people, to items of two raters or more.

    Refuse names that are unknown or twice.
    """
    check_names("judge", [judge], answers)
    check_names("rater", people, answers)
    if judge in people:
        raise InputError(f"{quoted(judge)} is the judge and one of the people; leave it out of one")
    if len(set(people)) < len(people):
        raise InputError(f"a rater is named twice among {listed(people, 5)}")
    names = list(people) or [name for name in answers if name != judge]
    if not names:
        raise InputError("name at least one person beside the judge")
    check_alike("people and judges", [judge, *names])
    given = {
        name: {item: x for item, x in answers[name].items() if not _is_absent(x)}
        for name in (judge, *names)
    }
    raters = Counter(item for of in given.values() for item in of)
    return {  # an item that one rater answered says nothing about agreement
        name: {item: x for item, x in of.items() if raters[item] > 1} for name, of in given.items()
    }


def _check_shared(given: Given, values: Floats) -> None:
    """Refuse people who share few items with the judge."""
    judge, *people = given
    shared = np.isfinite(values[1:] * values[0]).sum(axis=1)
    few = [name for name, count in zip(people, shared, strict=True) if count < FEWEST_SHARED]
    if few:
        some = f"{min(shared)} items with {listed(few, 5)}; {FEWEST_SHARED} are needed"
        raise InputError(f"the judge {quoted(judge)} shares {some}")


def _scale_of(given: Given, judge: str) -> Scale:
    """Find the scale of answers; refuse answers that are partly numbers and partly words."""
    kinds: dict[bool, str] = {}
    for name, answers in given.items():
        for item, answer in answers.items():
            shown = f"{quoted(name)} answered {quoted(str(answer))} to {quoted(str(item))}"
            kinds.setdefault(isinstance(answer, str), shown)
    if len(kinds) > 1:
        raise InputError(f"{kinds[True]}, and other answers are numbers; write all in one way")
    if True in kinds:
        return "nominal"
    numbers = {float(x) for name, of in given.items() if name != judge for x in of.values()}
    whole = len(numbers) <= MOST_LEVELS and all(x.is_integer() for x in numbers)
    return "ordinal" if whole else "interval"


def _ends(values: Floats) -> tuple[float, float]:
    return float(np.nanmin(values)), float(np.nanmax(values))


def _size(values: Floats) -> float:
    """Largest absolute answer, which rounding errors are in proportion to."""
    return float(np.nanmax(np.abs(values)))


def _check_people(names: Sequence[str], values: Floats) -> None:
    """Refuse people whose answers seem to be on several scales."""
    for row in range(1, len(values)) if len(values) > 2 else ():
        others = np.delete(values, [0, row], axis=0)
        if not (_on_scale_of(values[row], others) or _are_near(values[row], others)):
            told = _ranges([values[row], others], f"{names[row]} answered", "the other people")
            kept = "if they are, declare it, as by --scale ordinal or interval"
            raise InputError(f"{told}; people must be on one scale: {kept}")


def _ranges(values: Any, first: str = "it answered", others: str = "people") -> str:
    ends = (*_ends(values[0]), others, *_ends(np.asarray(values[1:])))
    return "{} from {:g} to {:g}, and {} from {:g} to {:g}".format(first, *ends)


def _on_scale_of(own: Floats, others: Floats) -> bool:
    """Whether answers are near the others', or the others use a part of their scale.

    Few levels that end below the top are a part if they are all alike, or more than half: 4 to 5 is
    a part of 1 to 5, but 1 to 5 is another scale than 1 to 10.
    """
    own, (low, high) = own[np.isfinite(own)], _ends(others)
    tie, room, (least, most) = SUM_TIE * max(-low, high), (high - low) / 2, _ends(own)
    inside = np.mean((own >= low - tie) & (own <= high + tie)) >= LEAST_INSIDE
    if inside and low - tie - room <= least and most <= high + tie + room:
        return True
    part = low == high or 2 * (high - low + 1) > most - least + 1
    part = (part and most - least < MOST_LEVELS >= np.unique(own).size) or most <= high + tie
    return part and least - tie <= low and high <= most + tie


def _are_near(own: Floats, others: Floats) -> bool:
    """Whether numbers are near those of others but for a few, whose extremes say little."""
    sets = [x[np.isfinite(x)] for x in (own, others)]
    levels = (np.unique(x).size <= MOST_LEVELS and not (x % 1).any() for x in sets)
    low, high = _ends(others)
    near = np.abs(sets[0] - (low + high) / 2) <= high - low
    return not any(levels) and bool(near.mean() >= LEAST_NEAR)


def _units(items: Sequence[Any]) -> tuple[NDArray[Any] | None, NDArray[np.int64]]:
    """System of each item, if items are pairs of system and segment, and the number of its unit."""
    if not all(isinstance(item, tuple) and len(item) == 2 for item in items):
        return None, np.arange(len(items))
    segments = {segment: k for k, segment in enumerate(dict.fromkeys(x[1] for x in items))}
    return np.array([str(x[0]) for x in items]), np.array([segments[x[1]] for x in items])


def agreement_limits(
    values: Floats, coded: Floats, units: NDArray[np.int64], level: float
) -> Floats:
    """Value and limits of what is compared, by r, share and kappa: (3, compared, statistics).

    Only units with answers of all who are compared count: of two raters, or of three.
    """
    found = []
    for each in without_each(values, coded, units):
        lower, upper = np.full((2, 3), np.nan)
        if len(each) > FEWEST_SHARED:
            lower, upper = _limits(each, float(stdtrit(len(each) - 2, (1 + level) / 2)))
        found.append((each[0], lower, upper))
    value, variance, count = difference_from_people(values, coded, units)
    arm = stdtrit(max(count - 1, 1), (1 + level) / 2) * np.sqrt(variance / max(count, 1))
    arm[~(arm > VALUE_TIE)] = np.nan
    return np.stack([*found, (value, value - arm, value + arm)], axis=1)


def without_each(values: Floats, coded: Floats, units: NDArray[np.int64]) -> list[Floats]:
    """Compute agreement by r, share and kappa: of all units, then without each that counts.

    The judge's with people, and people's with each other.
    """
    people, found = range(1, len(values)), []
    for pairs in ([(0, k) for k in people], [*combinations(people, 2)]):
        each = (_agreement(values, coded, units, pair) for pair in pairs)
        whole = _mean_of_known([np.full((int(units.max()) + 2, 3), np.nan), *each])
        used = np.unique(units[_answered_by(values, pairs)])
        found.append(whole[[0, *(1 + used)]])
    return found


def difference_from_people(
    values: Floats, coded: Floats, units: NDArray[np.int64]
) -> tuple[Floats, Floats, int]:
    """Compute the judge's agreement with people minus people's with each other, by statistic.

    Also its variance for one unit, and the number of units. The variance is the larger one of the
    jackknife's, and of that averaged over the first raters in the judge's place: a few units seldom
    show one rater's rare failures, but often some of several raters'.
    """
    if len(values) > MOST_PLACED:
        few = f"of {len(values)} raters with the judge, only the first {MOST_PLACED} are tried"
        told = "in the judge's place for the interval of the difference; their order can change it"
        warnings.warn(f"{few} {told}", ApproximationWarning, stacklevel=3)
    values, count = np.where(np.isfinite(values[0]), values, np.nan), int(units.max()) + 1
    total, known = np.zeros((2, len(values), 1 + count, 3))
    of_each: list[list[tuple[int, ...]]] = [[] for _ in values[:MOST_PLACED]]
    for trio in combinations(range(len(values)), 3):
        placed = trio if trio[2] < MOST_PLACED else trio[:1] if trio[0] == 0 else ()
        turns = (trio, trio[1:] + trio[:1], trio[2:] + trio[:2]) if placed else ()
        others = [_agreement(values, coded, units, (j, k), (i,)) for i, j, k in turns]
        for rater, of_others in zip(placed, others, strict=False):
            ahead = sum(others) / 2 - 1.5 * of_others  # its mean with both, minus theirs
            known[rater] += np.isfinite(ahead)
            total[rater] += np.nan_to_num(ahead)
            of_each[rater].append(trio)
    every, sizes = np.full((len(of_each), 3), np.nan), []
    ahead = total / np.where(known > 0, known, np.nan)
    for rater, trios in enumerate(of_each):
        used = np.unique(units[_answered_by(values, trios)])
        sizes.append(used.size)
        if used.size >= FEWEST_SHARED:
            every[rater] = used.size * jackknife_variance(ahead[rater, 1:][used])
    return ahead[0, 0], np.maximum(every[0], _mean_of_known(every)), sizes[0]


def noise_of_people(of: Prepared) -> tuple[Floats, Floats, Floats, Floats]:
    """How much each unit's answers move the judge's agreement with a person.

    By r, share and kappa: the mean agreement with a person; its variance times the number of units;
    how much of that two people share, NaN if no two answered the same; and the relative standard
    error of the variance with all people. Each person counts on the units that they answered.
    """
    count = int(of.units.max()) + 1
    values, moved = [], np.full((len(of.values) - 1, count, 3), np.nan)
    for k in range(1, len(of.values)):
        whole, *left = _agreement(of.values, of.coded, of.units, (0, k))
        used = np.unique(of.units[np.isfinite(of.values[[0, k]]).all(axis=0)])
        without = np.array(left)[used]
        size = np.sqrt(used.size * (used.size - 1))
        moved[k - 1, used] = size * (without - without.mean(axis=0))
        values.append(whole)
    value = _mean_of_known(values)
    check_varied(next(iter(of.given)), value[0])
    pairs = [moved[j] * moved[k] for j, k in combinations(range(len(moved)), 2)]
    shared = _mean_of_known([np.full(3, np.nan), *(_mean_of_known(each) for each in pairs)])
    own = _mean_of_known([_mean_of_known(each) for each in moved**2])
    squares = _mean_of_known(moved) ** 2
    squares = squares[np.isfinite(squares[:, 0])]
    with np.errstate(invalid="ignore"):
        error = squares.std(axis=0) / np.sqrt(len(squares)) / squares.mean(axis=0)
    return value, own, shared, error


def _mean_of_known(values: ArrayLike) -> Floats:
    """Average over the first axis what is not NaN; NaN where nothing is known."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


def _answered_by(values: Floats, raters: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Which items any of these groups of raters answered, if they share enough of them."""
    shared = [np.isfinite(values[[*each]]).all(axis=0) for each in raters]
    none = np.zeros(values.shape[1], dtype=bool)
    return np.asarray(np.any([none, *(x for x in shared if x.sum() >= FEWEST_SHARED)], axis=0))


def _agreement(
    values: Floats,
    coded: Floats,
    units: NDArray[np.int64],
    pair: tuple[int, int],
    also: tuple[int, ...] = (),
) -> Floats:
    """Agreement of two raters by r, share and kappa: of all units, then without each.

    Only items that both raters, and `also` others, answered; NaN if they are few.
    """
    count = int(units.max()) + 1
    here = np.isfinite(values[[*pair, *also]]).all(axis=0)
    if here.sum() < FEWEST_SHARED:
        return np.full((1 + count, 3), np.nan)
    both = [coded[each][:, here] for each in pair]
    centres = [each.mean(axis=1, keepdims=True) for each in both]
    (x, scale_x), (y, scale_y) = map(_scaled, both, centres)  # or sums lose the digits of r
    equal = values[pair[0], here] == values[pair[1], here]
    columns = np.vstack([np.ones(here.sum()), equal, x, y, x * x, y * y, x * y])
    sums = np.array([np.bincount(units[here], each, count) for each in columns])
    whole = sums.sum(axis=1, keepdims=True)
    n, share, *means = np.hstack([whole, whole - sums])
    x, y, xx, yy, xy = np.reshape(means / n, (5, len(x), -1))
    spread_x, spread_y = (np.sum(a - b * b, axis=0) for a, b in ((xx, x), (yy, y)))
    spread_x, spread_y = (
        np.where(spread > SUM_TIE * np.sum(squares, axis=0), spread, 0.0)
        for spread, squares in ((spread_x, xx), (spread_y, yy))
    )
    together = np.where(spread_x * spread_y > 0, np.sum(xy - x * y, axis=0), 0.0)
    apart = np.sum((scale_x * x - scale_y * y + centres[0] - centres[1]) ** 2, axis=0)
    spread = scale_x**2 * spread_x + scale_y**2 * spread_y
    with np.errstate(invalid="ignore"):  # if both gave one answer, not even kappa is defined
        r = together / np.sqrt(spread_x * spread_y)
        kappa = 2 * scale_x * scale_y * together / np.where(spread > 0, spread + apart, 0.0)
    return np.column_stack([r, share / n, kappa])


def _scaled(coded: Floats, centre: Floats) -> tuple[Floats, float]:
    """Centre a rater's answers and divide them by their deviation; zeros if all are equal."""
    centred = coded - centre
    deviation = float(np.sqrt(np.mean(np.sum(centred**2, axis=0))))
    if deviation <= SUM_TIE * _size(coded):
        return np.zeros_like(coded), 0.0
    return centred / deviation, deviation


def _limits(found: Floats, t: float) -> tuple[Floats, Floats]:
    """Limits of r, share and kappa, from their values and those without each unit.

    A value of 1 or -1 has none: its jackknife shows no variance, however few units there are. Where
    all units but one agree, Fisher's scale is infinite without that one, and Wilson's method for a
    share takes its place; `experiments/judges` chose it for values near 1. A low value that one
    unit makes stays as wide as Fisher's scale has it: a share's limits can't tell it from 0.
    """
    value, left = found[0], found[1:]
    plain, error = (np.sqrt(jackknife_variance(x)) for x in (left, fisher_z(left)))
    error[1] = plain[1]
    ends = sides(value, error, t, len(left))
    sign = np.sign(value)
    one = ((sign * left).max(axis=0) >= 1 - VALUE_TIE) & (np.abs(value) < 1 - VALUE_TIE)
    one &= np.abs(value) >= NEAR_ONE
    of_one = np.sort(sign * _wilson(np.abs(value), plain, t, len(left)), axis=0)
    lower, upper = np.where(one, of_one, ends)
    return lower, upper


def sides(value: Floats, error: Floats, t: Any, units: Any) -> tuple[Floats, Floats]:
    """Limits of r, share and kappa from their standard errors: on Fisher's scale but for the share.

    Further axes of errors, and quantiles and numbers of units, are of samples of several sizes.
    """
    arm = t * error
    ends = [np.tanh(fisher_z(value) + x) for x in (-arm, arm)]
    varied = (np.abs(value) < 1 - VALUE_TIE) & (arm > VALUE_TIE)
    lower, upper = (np.where(varied, end, np.nan) for end in ends)
    lower[1], upper[1] = _wilson(value[1], error[1], t, units)
    return lower, upper


def _wilson(share: Floats, error: Floats, t: Any, units: Any) -> Floats:
    """Wilson's limits of shares, of as many units as have this standard error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.minimum(share * (1 - share) / error**2, MOST_PER_UNIT * units)
    n = np.where(n > 0, n, units)
    middle = share + t * t / (2 * n)
    arm = t * np.sqrt(np.maximum(share * (1 - share), 0.0) / n + (t / (2 * n)) ** 2)
    return np.asarray(np.stack([middle - arm, middle + arm]) / (1 + t * t / n))


def biases(
    values: Floats,
    answers: Sequence[str],
    systems: NDArray[Any] | None,
    units: NDArray[np.int64],
    level: float,
) -> xr.Dataset:
    """Compare a judge's answers with the mean of people's: on all items, or by system or answer."""
    shared, people = _mean_of_people(values)
    parts = [(EVERYWHERE, shared, values[0] - people)]
    if answers:
        of_each = (np.where(np.isnan(values), np.nan, values == k) for k in range(len(answers)))
        ahead = [own[0] - _mean_of_people(own)[1] for own in of_each]
        parts = [(name, shared, each) for name, each in zip(answers, ahead, strict=True)]
    elif systems is not None and len(own := dict.fromkeys(systems)) > 1:
        parts += [(str(name), shared & (systems == name), values[0] - people) for name in own]
    tie = SUM_TIE * (1.0 if answers else _size(values))
    rows = [_mean_difference(more[here], units[here], level, tie) for _, here, more in parts]
    *numbers, p, size = np.transpose(rows)
    first = 0 if answers else 1  # all items are a question of their own
    p[first:] = holm(p[first:])
    names = ("bias", "bias_lower", "bias_upper", "bias_p_holm")
    columns = {name: ("place", each) for name, each in zip(names, [*numbers, p], strict=True)}
    columns["bias_items"] = "place", size.astype(np.int64)
    return xr.Dataset(columns, {"place": [name for name, _, _ in parts]})


def _mean_difference(
    ahead: Floats, units: NDArray[np.int64], level: float, tie: float
) -> tuple[float, ...]:
    """Mean, limits, p-value and number of differences, by the jackknife over units.

    A mean of at most `tie` is zero except for rounding. Equal differences have no limits.
    """
    unit = np.unique(units, return_inverse=True)[1]
    if not unit.size or unit.max() < 1:
        return np.nan, np.nan, np.nan, np.nan, ahead.size
    sums, counts = np.bincount(unit, ahead), np.bincount(unit)
    mean = float(ahead.mean())
    mean = 0.0 if abs(mean) <= tie else mean
    left = (sums.sum() - sums) / (counts.sum() - counts)
    error = float(np.sqrt(jackknife_variance(left)))
    if error <= max(tie, SUM_TIE):  # no spread to judge by: the test of signs
        p = 2.0 ** -float(unit.max()) if mean else 1.0
        return mean, np.nan, np.nan, p, ahead.size
    arm = float(stdtrit(unit.max(), (1 + level) / 2)) * error
    p = 2 * float(stdtr(unit.max(), -abs(mean) / error))
    return mean, mean - arm, mean + arm, p, ahead.size


def _mean_of_people(values: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Which items the judge and people answered, and the mean of people's answers to them."""
    given = np.isfinite(values[1:])
    mean = np.where(given, values[1:], 0.0).sum(axis=0) / np.maximum(given.sum(axis=0), 1)
    return np.isfinite(values[0]) & given.any(axis=0), mean


def _of_systems(of: Prepared, level: float) -> dict[str, Any]:
    """Correlate the judge with the mean of people over systems, if there are enough of them.

    Three words or more have no order, so numbers in their place have no r that means something.
    """
    values, systems = of.values, of.systems
    here, people = _mean_of_people(values)
    names = [] if systems is None else [*dict.fromkeys(systems[here])]
    of_r = ("system_r", "system_r_lower", "system_r_upper")
    found: dict[str, Any] = {"systems": len(names)} | dict.fromkeys(of_r, np.nan)
    means = [[x[here & (systems == name)].mean() for x in (people, values[0])] for name in names]
    tie = SUM_TIE * _size(values)
    if len(names) < FEWEST_SYSTEMS or len(of.words) > 2 or np.ptp(means, axis=0).min() <= tie:
        return found
    r = float(np.corrcoef(np.transpose(means))[0, 1])
    limits = [float(x[0]) for x in interval_of_r(means, confidence_level=level)]
    if abs(r) >= 1 - VALUE_TIE:
        limits = [np.nan, np.nan]
    return found | dict(zip(of_r, (r, *limits), strict=True))


def _replacing(
    of: Prepared, fewest_people: int, epsilon: float, level: float
) -> tuple[xr.Dataset, str]:
    """Test whether the judge may replace each annotator; or say why this cannot be answered.

    Also names the annotators with too few items or segments.
    """
    from scipy.stats import false_discovery_control

    own, theirs, people, units = of.values[0], of.values[1:], [*of.given][1:], of.units
    if len(people) < FEWEST_PEOPLE:
        return xr.Dataset(), f"needs {FEWEST_PEOPLE} people"
    judged = np.isfinite(theirs) & (np.isfinite(theirs).sum(axis=0) >= fewest_people)
    judged &= np.isfinite(own)
    counts = judged.sum(axis=1)
    own_units = [np.unique(units[each], return_inverse=True)[1] for each in judged]
    drawn = np.array([each.max(initial=-1) + 1 for each in own_units])
    rows = np.flatnonzero((counts >= FEWEST_ITEMS) & (drawn >= FEWEST_SHARED))
    if not rows.size:
        most, segments = max(zip(counts, drawn, strict=True))
        few, there = f"needs {FEWEST_ITEMS} items", f"a person has at most {most}"
        if units.max() + 1 < units.size:
            few, there = f"{few} of {FEWEST_SHARED} segments", f"{there}, of {segments} segments"
        return xr.Dataset(), f"{few} by {fewest_people} people; {there}"
    found, tie = [], SUM_TIE * _size(of.values)
    for row in rows:
        here = judged[row]
        others = np.delete(theirs, row, axis=0)[:, here]
        of_judge, fit = (_fit(each[here], others, of.scale) for each in (own, theirs[row]))
        by = [_advantage(of_judge, fit, own_units[row], x, tie) for x in (epsilon, 0.0)]
        found.append((*by[0], by[1][1]))
    share, p, strict = np.transpose(found)
    adjusted, unaided = (false_discovery_control(each, method="by") for each in (p, strict))
    replaced, alone = (each <= round(1.0 - level, 12) for each in (adjusted, unaided))
    names, omega = [people[row] for row in rows], replaced.mean()
    of_each = {"annotator_advantage": share, "p_value": p, "p_by": adjusted}
    of_each |= {"wins": replaced, "strict_wins": alone, "items": counts[rows]}
    columns = {name: ("annotator", each) for name, each in of_each.items()}
    tested = xr.Dataset(columns, {"annotator": names})
    tested = tested.assign(winning_rate=omega, advantage=share.mean(), passes=omega >= 0.5)
    return tested, ", ".join(name for name in people if name not in names)


def _check_options(epsilon: float, fewest_people: int) -> None:
    if not 0 <= epsilon < 1:
        raise InputError(f"epsilon is a number from 0 to below 1, such as 0.2, not {epsilon}")
    if not isinstance(fewest_people, SupportsIndex) or fewest_people < 2:
        what = "fewest_people is a whole number from 2, as answers are compared with other people's"
        raise InputError(f"{what}, not {fewest_people}")


def _check_spelling(judge: str, own: Floats, theirs: Floats, levels: Sequence[object]) -> None:
    """Refuse texts, answers that differ in spelling only, and a judge whose answers nobody gave."""
    if len(levels) > MOST_WORDS:
        some = f"{len(levels)} different answers, such as {quoted(str(levels[0]))}"
        raise InputError(f"{some}: name columns of answers, not of texts (at most {MOST_WORDS})")
    plain: dict[str, str] = {}
    for text in map(str, levels):
        other = plain.setdefault(text.strip().casefold(), text)
        if other != text:
            raise InputError(f"the answers {quoted(other)} and {quoted(text)}: spell answers alike")
    if not np.isin(own, theirs).any():
        raise InputError(f"no answer of {quoted(judge)} equals a person's; spell answers alike")


def _fit(answers: Floats, others: Floats, scale: Scale) -> Floats:
    """How well answers fit the others' (others, items): share of equal answers, or minus RMSE."""
    given = np.isfinite(others)
    apart = answers != others if scale == "nominal" else (answers - others) ** 2
    mean = np.where(given, apart, 0.0).sum(axis=0) / np.maximum(given.sum(axis=0), 1)
    return np.asarray(-mean if scale == "nominal" else -np.sqrt(mean))


def _advantage(
    of_judge: Floats, fit: Floats, units: NDArray[np.int64], epsilon: float, tie: float
) -> tuple[float, float]:
    """How often the judge fits at least as well as the annotator, and p of a one-sided t test.

    Null hypothesis: the judge's advantage is below the annotator's by `epsilon` or more. The test
    is of the jackknife's values without each unit, which are the items themselves where each is a
    unit. Fits that differ by at most `tie` are equal except for rounding. Where units are alike,
    but not the items in them, p is that of the test of signs.
    """
    wins, losses = of_judge >= fit - tie, fit >= of_judge - tie
    ahead = 1.0 * losses - wins
    share, mean, sizes = float(wins.mean()), ahead.mean(), np.bincount(units)
    weight = (sizes.size - 1) / (ahead.size - sizes)
    of_unit = weight * np.bincount(units, ahead) - (weight * sizes - 1) * mean
    deviation = of_unit.std(ddof=1)
    if deviation <= SUM_TIE:
        p = 2.0 ** (1 - sizes.size) if np.ptp(ahead) else 0.0
        return share, p if mean < epsilon else 1.0
    t = (mean - epsilon) / deviation * np.sqrt(sizes.size)
    return share, float(stdtr(sizes.size - 1, t))


def _is_absent(answer: Any) -> bool:
    return type(answer).__name__ in ABSENT or answer != answer


def _table(
    answers: Sequence[Mapping[Any, Hashable]], scale: Scale
) -> tuple[Floats, list[Any], list[Any]]:
    """Convert answers to numbers (annotators, items), NaN where missing; list items and answers.

    On a nominal scale each different answer gets a number.
    """
    for what in ((x for of in answers for x in of), (x for of in answers for x in of.values())):
        check_alike("items and answers", what)
    items = {item: k for k, item in enumerate(dict.fromkeys(x for of in answers for x in of))}
    every: list[Any] = sorted({answer for of in answers for answer in of.values()}, key=str)
    try:
        number = {each: float(k if scale == "nominal" else each) for k, each in enumerate(every)}
    except (TypeError, ValueError) as error:
        raise InputError(f"answers on the {scale} scale must be numbers: {error}") from error
    values = np.full((len(answers), len(items)), np.nan)
    for own, of in zip(values, answers, strict=True):
        own[[items[item] for item in of]] = [number[answer] for answer in of.values()]
    return values, [*items], every
