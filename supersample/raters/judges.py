"""Judges of single items among annotators: the alternative annotator test, and chance agreement."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from scipy.special import stdtr

from supersample.engine import Floats
from supersample.errors import InputError, check_choice, listed, quoted
from supersample.execution.memory import check_memory
from supersample.execution.workers.clients import installed
from supersample.results.signature import result_attrs

Answers = Mapping[str, Mapping[Any, Hashable]]
"""Answers by annotator and item."""
Alignment = Literal["accuracy", "rmse"]
Scale = Literal["nominal", "ordinal", "interval"]
FEWEST_ITEMS = 30
"""Items of an annotator that a t test needs."""


def alternative_annotator_test(
    people: Answers,
    judges: Answers,
    *,
    epsilon: float = 0.2,
    alignment: Alignment = "accuracy",
    fewest_people: int = 3,
    significance_level: float = 0.05,
) -> xr.Dataset:
    """Ask whether a judge may stand in for the annotators, one of them at a time.

    Parameters
    ----------
    people, judges : mapping of str to mapping
        Answer to each item, by annotator and by judge.
    epsilon : float, default 0.2
        How much a judge's advantages may be rarer than the annotator's, for being cheaper: 0.2 for
        experts, 0.15 for skilled annotators, 0.1 for a crowd.
    alignment : {"accuracy", "rmse"}, default "accuracy"
        How an answer fits the others' of the item: the share that is equal, or, of numbers, the
        root of the mean square of the differences.
    fewest_people : int, default 3
        Items with answers of fewer people are left out; the paper's own tables take two.
    significance_level : float, default 0.05
        Of the false discovery rate over the annotators (Benjamini and Yekutieli).

    Returns
    -------
    xarray.Dataset
        Along ``judge``: ``winning_rate`` (omega), the share of annotators whom the judge may stand
        in for; ``advantage`` (rho), how often on average over annotators the judge fits the others
        at least as well; ``passes``, whether the winning rate is at least 0.5. Along ``annotator``
        besides: ``annotator_advantage``, ``p_value``, ``p_by`` (adjusted over the annotators) and
        ``wins``; ``items`` (annotator), how many there are. The attribute
        ``annotators_left_out`` names those with fewer than 30.

    Raises
    ------
    InputError
        If no annotator is left, a judge has no answers to their items, or ``rmse`` is asked for of
        answers that are no numbers.

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
    if not 0 <= epsilon < 1:
        raise InputError(f"epsilon is a share, at least 0 and below 1, not {epsilon}")
    if not judges:
        raise InputError("name a judge")
    scale: Scale = "nominal" if alignment == "accuracy" else "interval"
    values = _table([*judges.values(), *people.values()], scale)
    ours, theirs = values[: len(judges)], values[len(judges) :]
    for judge, answers in zip(judges, ours, strict=True):
        if scale == "nominal" and not np.isin(answers, theirs).any():
            raise InputError(f"no answer of judge {quoted(judge)} is one that people gave")
    judged = np.isfinite(theirs).sum(axis=0) >= max(fewest_people, 2)
    own = np.isfinite(theirs) & judged
    counts = own.sum(axis=1)
    rows = np.flatnonzero(counts >= FEWEST_ITEMS)
    names = [list(people)[row] for row in rows]
    if not names:
        few = f"{FEWEST_ITEMS} items with answers of {max(fewest_people, 2)} people"
        raise InputError(f"no annotator has {few}; the most is {max(counts, default=0)}")
    share, p = np.empty((2, len(judges), len(names)))
    for k, row in enumerate(rows):
        here, others = own[row], np.delete(theirs, row, axis=0)[:, own[row]]
        fit = _fit(theirs[row, here], others, scale)
        for j, (judge, answers) in enumerate(zip(judges, ours[:, here], strict=True)):
            given = np.isfinite(answers)
            if given.sum() < FEWEST_ITEMS:
                few = f"{given.sum()} items of {quoted(names[k])}; {FEWEST_ITEMS} are needed"
                raise InputError(f"judge {quoted(judge)} has answers to {few}")
            of_judge = _fit(answers, others, scale)
            share[j, k], p[j, k] = _advantage(of_judge[given], fit[given], epsilon)
    adjusted = false_discovery_control(p, axis=1, method="by")
    replaced, of_both = adjusted <= significance_level, ("judge", "annotator")
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
    told: dict[str, Any] = {"statistic": "advantage", "epsilon": epsilon, "alignment": alignment}
    method = f"alternative-annotator-test({alignment},{epsilon:g})"
    told |= {"method": method, "significance_level": significance_level}
    told["annotators_left_out"] = ", ".join(name for name in people if name not in names)
    attrs = result_attrs({}, n=[int(judged.sum())], counted=["items"], **told)
    return xr.Dataset(variables, {"judge": list(judges), "annotator": names}, attrs)


def _fit(answers: Floats, others: Floats, scale: Scale) -> Floats:
    """How answers fit those of others, (others, items): the share of equals, or nearness."""
    given = np.isfinite(others)
    apart = answers != others if scale == "nominal" else (answers - others) ** 2
    mean = np.where(given, apart, 0.0).sum(axis=0) / np.maximum(given.sum(axis=0), 1)
    return np.asarray(-mean if scale == "nominal" else -np.sqrt(mean))


def _advantage(of_judge: Floats, fit: Floats, epsilon: float) -> tuple[float, float]:
    """How often a judge fits at least as well as the annotator, and p that it is rarer by epsilon.

    The p-value is that of a one-sided t test.
    """
    wins, losses = of_judge >= fit, fit >= of_judge
    ahead = 1.0 * losses - wins
    share, deviation = float(wins.mean()), ahead.std(ddof=1)
    if deviation == 0:
        return share, 0.0 if ahead[0] < epsilon else 1.0
    t = (ahead.mean() - epsilon) / deviation * np.sqrt(ahead.size)
    return share, float(stdtr(ahead.size - 1, t))


def chance_corrected(people: Answers, *, scale: Scale = "nominal") -> xr.Dataset:
    """Krippendorff's alpha of all annotators, and Cohen's kappa of every two.

    Parameters
    ----------
    people : mapping of str to mapping
        Answer to each item, by annotator; of an ordinal or interval scale numbers.
    scale : {"nominal", "ordinal", "interval"}, default "nominal"
        What alpha takes answers for. Kappa has no weights on a nominal scale, and quadratic ones on
        others.

    Returns
    -------
    xarray.Dataset
        ``alpha``; ``kappa`` and ``items`` (annotator, other_annotator), NaN where two have fewer
        than two items in common.

    Raises
    ------
    InputError
        If there are fewer than two annotators, none share an item, all answers to items that
        several answered are the same, or answers are no numbers; or if the packages that compute it
        are missing (the extra ``raters``).

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
        raise InputError(f"{listed(names) or 'nobody'} alone: agreement needs two annotators")
    values = _table([*people.values()], scale)
    given = np.isfinite(values)
    if not (given.sum(axis=0) > 1).any():
        raise InputError(f"no item has answers of two of {listed(names, 5)}")
    alpha, kappa = beyond_chance(values, scale)
    dims, shared = ("annotator", "other_annotator"), given.astype(np.int64)
    return xr.Dataset(
        {"alpha": ((), alpha, {"scale": scale}), "kappa": (dims, kappa)}
        | {"items": (dims, shared @ shared.T)},
        {"annotator": names, "other_annotator": names},
        result_attrs({}, n=[values.shape[1]], counted=["items"], statistic=f"{scale} alpha"),
    )


def beyond_chance(values: Floats, scale: Scale) -> tuple[float, Floats]:
    """Krippendorff's alpha and Cohen's kappas of numbers (annotators, items), NaN if not given."""
    check_choice("scale", scale, get_args(Scale))
    krippendorff = installed("krippendorff", "raters")
    cohens_kappa = installed("statsmodels.stats.inter_rater", "raters").cohens_kappa
    given = np.isfinite(values)
    several = values[:, given.sum(axis=0) > 1]
    domain = np.unique(several[np.isfinite(several)])
    if domain.size < 2:
        what = "all answers to items that several people answered are the same"
        raise InputError(f"{what}, so that agreement cannot be told from chance")
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


def _table(answers: Sequence[Mapping[Any, Hashable]], scale: Scale) -> Floats:
    """Answers as numbers (annotators, items), NaN where there is none.

    Answers of a nominal scale are numbered.
    """
    items = {item: k for k, item in enumerate(dict.fromkeys(x for of in answers for x in of))}
    every: list[Any] = sorted({answer for of in answers for answer in of.values()}, key=str)
    try:
        number = {each: float(k if scale == "nominal" else each) for k, each in enumerate(every)}
    except (TypeError, ValueError) as error:
        raise InputError(f"answers on a scale that is {scale} are numbers: {error}") from error
    values = np.full((len(answers), len(items)), np.nan)
    for own, of in zip(values, answers, strict=True):
        own[[items[item] for item in of]] = [number[answer] for answer in of.values()]
    return values
