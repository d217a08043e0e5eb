"""Judges of single items: the alternative annotator test, and agreement beyond chance."""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, get_args

import numpy as np
import xarray as xr
from scipy.special import stdtr

from supersample.engine import Floats
from supersample.errors import (
    InputError,
    UncheckedWarning,
    check_alike,
    check_choice,
    check_confidence_level,
    listed,
    quoted,
)
from supersample.execution.checksums import content_code
from supersample.execution.limits import check_memory
from supersample.execution.workers import installed
from supersample.inference.arguments import ABSENT
from supersample.results.variables import result_attrs

Answers = Mapping[str, Mapping[Any, Hashable]]
"""Answer to each item, by annotator."""
Alignment = Literal["accuracy", "rmse"]
Scale = Literal["nominal", "ordinal", "interval"]
FEWEST_ITEMS = 30
"""Fewest items per annotator for the t test."""


def alternative_annotator_test(
    people: Answers,
    judges: Answers,
    *,
    epsilon: float = 0.2,
    alignment: Alignment = "accuracy",
    fewest_people: int = 3,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Test whether a judge may replace the annotators, one annotator at a time.

    Parameters
    ----------
    people, judges : mapping of str to mapping
        Answer to each item, by annotator and by judge.
    epsilon : float, default 0.2
        How much the judge may be worse than an annotator because it is cheaper (as a difference
        of the advantage): 0.2 for experts, 0.15 for skilled annotators, 0.1 for a crowd.
    alignment : {"accuracy", "rmse"}, default "accuracy"
        How well an answer fits the others' answers to the item: the share of equal answers, or,
        for numbers, the root mean square of the differences.
    fewest_people : int, default 3
        Items that fewer people answered are left out; at least 2, as in the paper's tables.
    confidence_level : float, default 0.95
        1 minus the level of the false discovery rate over the annotators (Benjamini and Yekutieli).

    Returns
    -------
    xarray.Dataset
        Along ``judge``: ``winning_rate`` (omega), the share of annotators whom the judge may
        replace; ``advantage`` (rho), how often the judge fits the others at least as well as the
        annotator, averaged over annotators; ``passes``, whether the winning rate is at least 0.5.
        Along (judge, annotator): ``annotator_advantage``, ``p_value``, ``p_by`` (adjusted over the
        annotators) and ``wins``. ``items`` (annotator): the number of items. The attribute
        ``annotators_left_out`` names annotators with fewer than 30 items.

    Warns
    -----
    UncheckedWarning
        If a judge and a person gave the same answers, and may be one.

    Raises
    ------
    InputError
        If no annotator is left, a judge did not answer their items or has the name of a person, or
        ``rmse`` is asked for answers that are not numbers.

    References
    ----------
    Calderon, Reichart and Dror (2025), "The alternative annotator test for LLM-as-a-judge: how to
    statistically justify replacing human annotators with LLMs", ACL.

    Examples
    --------
    >>> people = {f"p{k}": {i: (i + (i % 7 == k)) % 3 for i in range(60)} for k in range(3)}
    >>> found = alternative_annotator_test(people, {"judge": {i: i % 3 for i in range(60)}})
    >>> found["winning_rate"].values.tolist()
    [1.0]
    """
    from scipy.stats import false_discovery_control

    check_choice("alignment", alignment, get_args(Alignment))
    level = _checked_level(people, judges, epsilon, fewest_people, confidence_level)
    scale: Scale = "nominal" if alignment == "accuracy" else "interval"
    values = _table([*judges.values(), *people.values()], scale)
    ours, theirs = values[: len(judges)], values[len(judges) :]
    for judge, answers in zip(judges, ours, strict=True):
        if scale == "nominal" and not np.isin(answers, theirs).any():
            raise InputError(f"no answer of {quoted(judge)} equals a person's; spell answers alike")
        for person in np.flatnonzero([np.array_equal(answers, x, equal_nan=True) for x in theirs]):
            same = f"{quoted(judge)} gives every answer of {quoted([*people][person])}"
            warnings.warn(f"{same}; is it a copy?", UncheckedWarning, stacklevel=2)
    judged = np.isfinite(theirs).sum(axis=0) >= fewest_people
    own = np.isfinite(theirs) & judged
    counts = own.sum(axis=1)
    rows = np.flatnonzero(counts >= FEWEST_ITEMS)
    names = [list(people)[row] for row in rows]
    if not names:
        few = f"{FEWEST_ITEMS} items that {fewest_people} people answered"
        raise InputError(f"no annotator answered {few}; the most is {max(counts, default=0)}")
    share, p = np.empty((2, len(judges), len(names)))
    for k, row in enumerate(rows):
        here, others = own[row], np.delete(theirs, row, axis=0)[:, own[row]]
        fit = _fit(theirs[row, here], others, scale)
        for j, (judge, answers) in enumerate(zip(judges, ours[:, here], strict=True)):
            given = np.isfinite(answers)
            if given.sum() < FEWEST_ITEMS:
                few = f"{given.sum()} items of {quoted(names[k])}; {FEWEST_ITEMS} are needed"
                raise InputError(f"judge {quoted(judge)} answered {few}")
            of_judge = _fit(answers, others, scale)
            share[j, k], p[j, k] = _advantage(of_judge[given], fit[given], epsilon)
    adjusted = false_discovery_control(p, axis=1, method="by")
    replaced, of_both = adjusted <= level, ("judge", "annotator")
    variables = {
        "winning_rate": ("judge", replaced.mean(axis=1)),
        "advantage": ("judge", share.mean(axis=1)),
        "passes": ("judge", replaced.mean(axis=1) >= 0.5),
        "annotator_advantage": (of_both, share),
        "p_value": (of_both, p),
        "p_by": (of_both, adjusted),
        "wins": (of_both, replaced),
        "items": ("annotator", counts[rows]),
    }
    told: dict[str, Any] = {"kind": "judges", "statistic": "advantage", "epsilon": epsilon}
    method = f"alternative-annotator-test({alignment},{epsilon:g})"
    told |= {"method": method, "significance_level": level}
    told |= {"alignment": alignment, "scores": _code([*judges, *people], values)}
    told["annotators_left_out"] = ", ".join(name for name in people if name not in names)
    attrs = result_attrs({}, n=[int(judged.sum())], counted=["items"], **told)
    return xr.Dataset(variables, {"judge": list(judges), "annotator": names}, attrs)


def _checked_level(
    people: Answers, judges: Answers, epsilon: float, fewest_people: int, confidence_level: float
) -> float:
    """Give the significance level; refuse judges and options that cannot be used."""
    check_confidence_level(confidence_level)
    if not 0 <= epsilon < 1:
        raise InputError(f"epsilon is a number from 0 to below 1, such as 0.2, not {epsilon}")
    if not isinstance(fewest_people, SupportsIndex) or fewest_people < 2:
        what = "fewest_people is a whole number from 2, as answers are compared with other people's"
        raise InputError(f"{what}, not {fewest_people}")
    if not judges:
        raise InputError("name at least one judge")
    check_alike("people and judges", [*people, *judges])
    if both := [name for name in judges if name in people]:
        raise InputError(
            f"{listed(both)} is among the judges and the people, and people would be compared with "
            "themselves; leave it out of one, or rename a judge that is another one"
        )
    return round(1.0 - confidence_level, 12)


def _fit(answers: Floats, others: Floats, scale: Scale) -> Floats:
    """How well answers fit the others' (others, items): share of equal answers, or minus RMSE."""
    given = np.isfinite(others)
    apart = answers != others if scale == "nominal" else (answers - others) ** 2
    mean = np.where(given, apart, 0.0).sum(axis=0) / np.maximum(given.sum(axis=0), 1)
    return np.asarray(-mean if scale == "nominal" else -np.sqrt(mean))


def _advantage(of_judge: Floats, fit: Floats, epsilon: float) -> tuple[float, float]:
    """How often the judge fits at least as well as the annotator, and p of a one-sided t test.

    Null hypothesis: the judge's advantage is below the annotator's by `epsilon` or more.
    """
    wins, losses = of_judge >= fit, fit >= of_judge
    ahead = 1.0 * losses - wins
    share, deviation = float(wins.mean()), ahead.std(ddof=1)
    if deviation == 0:
        return share, 0.0 if ahead[0] < epsilon else 1.0
    t = (ahead.mean() - epsilon) / deviation * np.sqrt(ahead.size)
    return share, float(stdtr(ahead.size - 1, t))


def chance_corrected(people: Answers, *, scale: Scale = "nominal") -> xr.Dataset:
    """Krippendorff's alpha of all annotators, and Cohen's kappa of each pair.

    Parameters
    ----------
    people : mapping of str to mapping
        Answer to each item, by annotator; numbers if the scale is ordinal or interval.
    scale : {"nominal", "ordinal", "interval"}, default "nominal"
        Scale of the answers, for alpha. Kappa is unweighted on a nominal scale, and has quadratic
        weights on the others.

    Returns
    -------
    xarray.Dataset
        ``alpha``; ``kappa`` and ``items`` (annotator, other_annotator): kappa is NaN where two
        annotators share fewer than two items.

    Raises
    ------
    InputError
        If there are fewer than two annotators, they share no item, all answers to shared items
        are the same, answers on an ordinal or interval scale are not numbers, or the packages
        krippendorff and statsmodels are missing (the extra ``raters``).

    References
    ----------
    Krippendorff (2019), Content Analysis, chapter 12; Cohen (1968), "Weighted kappa", Psychological
    Bulletin 70. Computed by the packages krippendorff and statsmodels.

    Examples
    --------
    >>> people = {"a": {1: "x", 2: "y", 3: "y"}, "b": {1: "x", 2: "y", 3: "x"}}
    >>> print(f"{chance_corrected(people)['alpha'].item():.3f}")
    0.444
    """
    check_choice("scale", scale, get_args(Scale))
    names = list(people)
    if len(names) < 2:
        raise InputError(f"agreement needs two annotators (given: {listed(names) or 'none'})")
    values = _table([*people.values()], scale)
    given = np.isfinite(values)
    if not (given.sum(axis=0) > 1).any():
        raise InputError(f"no item was answered by two of {listed(names, 5)}")
    alpha, kappa = beyond_chance(values, scale)
    dims, shared = ("annotator", "other_annotator"), given.astype(np.int64)
    return xr.Dataset(
        {"alpha": ((), alpha, {"scale": scale}), "kappa": (dims, kappa)}
        | {"items": (dims, shared @ shared.T)},
        {"annotator": names, "other_annotator": names},
        result_attrs(
            {},
            n=[values.shape[1]],
            counted=["items"],
            kind="chance",
            statistic=f"{scale} alpha",
            scores=_code(names, values),
        ),
    )


def _code(names: Sequence[str], values: Floats) -> str:
    """Checksum of all answers, for signatures."""
    return content_code(xr.Dataset({"answer": (("by", "item"), values)}, {"by": list(names)}))


def beyond_chance(values: Floats, scale: Scale) -> tuple[float, Floats]:
    """Krippendorff's alpha and Cohen's kappas of answers (annotators, items), NaN where missing."""
    check_choice("scale", scale, get_args(Scale))
    krippendorff = installed("krippendorff", "raters")
    cohens_kappa = installed("statsmodels.stats.inter_rater", "raters").cohens_kappa
    given = np.isfinite(values)
    several = values[:, given.sum(axis=0) > 1]
    domain = np.unique(several[np.isfinite(several)])
    if domain.size < 2:
        what = "all answers to items that several people answered are the same"
        raise InputError(f"{what}, so agreement beyond chance is undefined")
    what = f"agreement beyond chance of {several.shape[1]:,} items on {domain.size:,} values"
    check_memory(32.0 * several.shape[1] * domain.size**2, what, "round answers to fewer values")
    alpha = krippendorff.alpha(several, value_domain=list(domain), level_of_measurement=scale)
    weights: Any = {} if scale == "nominal" else {"weights": domain, "wt": "quadratic"}
    kappa = np.full((len(values), len(values)), np.nan)
    for i, j in zip(*np.triu_indices(len(values), 1), strict=True):
        both = given[i] & given[j]
        if both.sum() > 1:
            counts = np.zeros((domain.size, domain.size))
            np.add.at(counts, tuple(np.searchsorted(domain, values[[i, j]][:, both])), 1)
            with np.errstate(divide="ignore", invalid="ignore"):
                kappa[i, j] = kappa[j, i] = cohens_kappa(counts, return_results=False, **weights)
    return float(alpha), kappa


def _is_absent(answer: Any) -> bool:
    return type(answer).__name__ in ABSENT or answer != answer


def _table(answers: Sequence[Mapping[Any, Hashable]], scale: Scale) -> Floats:
    """Convert answers to numbers (annotators, items), NaN where missing.

    On a nominal scale each different answer gets a number.
    """
    answers = [{item: x for item, x in of.items() if not _is_absent(x)} for of in answers]
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
    return values
