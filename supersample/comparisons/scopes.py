"""Conclusions for new texts (bootstrap over documents), new systems and new sets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.compare import Part, answered, on_basis, over_sets, parts_of
from supersample.comparisons.question import Question
from supersample.errors import InputError, told_elsewhere
from supersample.inference.two_correlations.system_scores import SYSTEM_METHOD
from supersample.measures.base import Measure
from supersample.measures.registry import Measures
from supersample.measures.systems import Correlation
from supersample.presentation.labels import NO_SYSTEMS, NO_TEXTS, plural
from supersample.results.ranking import rank, starred
from supersample.results.variables import PAIR, signed
from supersample.scores.selection import check_sizes
from supersample.scores.system_level import SETS, SYSTEMS, HumanMean

FEWEST_DOCUMENTS = 5
JACKKNIFE = "jackknife of systems"
_TOLD = ("p_best", "p_simultaneous", "behind_lower", "behind_upper")
_OF_BASES = ("value", *_TOLD, "lower", "upper")


def new_texts(
    scores: xr.Dataset | Mapping[str, xr.Dataset], by: str | None = None
) -> tuple[str | None, str]:
    """Name the unit of new texts: documents if they are known, else segments.

    Returns None, and the reason, if a group by this label has too few documents, or there are no
    segments.
    """
    parts = [scores] if isinstance(scores, xr.Dataset) else list(scores.values())
    if any("segment" not in part.dims for part in parts):
        return None, "system-level scores have no segments"
    known = ["document" in part.coords for part in parts]
    if not all(known):
        some = any(known)
        return (None, "only some sets have documents") if some else ("segments", "")
    fewest = min(_fewest_documents(part, by) for part in parts)
    if fewest >= FEWEST_DOCUMENTS:
        return "documents", ""
    each = f" in one {by or 'set'}" if by or len(parts) > 1 else ""
    told = f"{plural(fewest, 'documents')}{each}; at least {FEWEST_DOCUMENTS} are needed"
    return None, "each document is a group" if by == "document" else told


def _fewest_documents(scores: xr.Dataset, by: str | None) -> int:
    documents = scores["document"].to_numpy()
    if by is None or by not in scores.coords:
        return np.unique(documents).size
    groups = scores[by].to_numpy()
    return min(np.unique(documents[groups == group]).size for group in np.unique(groups))


def _averaged(scores: Any, compared: xr.Dataset) -> Any:
    """Keep the segments of the groups that a comparison averages, for all its conclusions."""
    if not compared.attrs.get("groups_left_out"):
        return scores
    of_groups = scores[compared.attrs["by"]].to_numpy().astype(str)
    return scores.isel(segment=np.isin(of_groups, compared["group"].to_numpy().astype(str)))


def with_new_texts(
    compared: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    human_mean: HumanMean = "ratings",
    **asked: Any,
) -> xr.Dataset:
    """Add the basis of new texts to comparisons of r.

    The values are those over the systems. Limits and conclusions come from the bootstrap over
    documents (see `compare`), and n counts documents. If texts are unknown, nothing is added.
    """
    scores = _averaged(scores, compared)
    question = Question(
        Correlation(human_mean), confidence_level=compared.attrs["confidence_level"], **asked
    )
    unit, why_not = new_texts(scores, question.by)
    if compared.attrs.get("alternative", "two-sided") != "two-sided":
        return compared
    if unit is not None and (compared.attrs.get("average") == "fisher" or "in_sets" in compared):
        unit, why_not = None, "only for the mean r of metrics that all sets have"
    if unit is None:
        return compared.assign_attrs({NO_TEXTS: why_not})
    with told_elsewhere(Warning):  # `compared` already warned about the scores
        drawn = answered(scores, question.over_new(unit, question.measures))
    drawn = drawn.isel(measure=0, drop=True).rename(units="n")
    drawn = drawn.drop_vars([name for name in drawn.data_vars if name not in compared])
    found = on_basis(compared, SYSTEMS, unit, drawn).assign_attrs(new_texts=unit)
    return found if "seed" in found.attrs else signed(found, seed=question.seed)


def with_new_systems(
    compared: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    question: Question,
    swapped_basis: str,
) -> xr.Dataset:
    """Add conclusions for new systems and for new sets to comparisons over several sets.

    The result has the dim ``basis``: first the basis of each measure in `compared` (that of the
    first measure first), then "systems" and, with at least five sets, "sets"; see
    `supersample.inference.two_correlations.averages`. Values that a measure lacks on a basis are
    NaN; the coordinate ``tested_by`` (measure, basis) names the test. The question is that of
    `compared`; measures that swap scores of complete cases conclude on `swapped_basis`.
    """
    measures, complete = question.measures, [way.kind == "swap" for way in question.ways]
    with told_elsewhere(Warning):  # `compared` already warned about the scores
        parts = parts_of(scores, question, complete)
    try:
        check_sizes(parts[0].groups.of)
    except InputError as error:
        return compared.assign_attrs({NO_SYSTEMS: str(error)})
    own = [swapped_basis if swapped else SYSTEMS for swapped in complete]
    lead = [str(x) for x in compared if {"measure", "metric"} <= set(compared[x].dims)]
    kept = [name for name in lead if name in _OF_BASES or "other_metric" in compared[name].dims]
    result = compared.assign({x: compared[x].expand_dims(basis=own[:1], axis=1) for x in kept})
    found = [_over_sets(part, question.confidence_level) for part in parts]
    nothing = xr.Dataset(coords=compared[kept].isel(measure=0, drop=True).coords)
    for each, name, basis in zip(found, compared["measure"].to_numpy(), own, strict=True):
        alone = compared[kept].drop_vars(["value", "difference"]).sel(measure=name, drop=True)
        each[basis] = each[basis].assign(alone) if basis in each else alone
    for basis in dict.fromkeys([*own, *found[0]]):
        rows = [each.get(basis, nothing) for each in found]
        together = xr.concat(rows, compared["measure"], join="outer")
        result = on_basis(result, own[0], basis, together)
    tests = [
        [_test(*each, basis, compared.attrs["method"]) for basis in result["basis"].to_numpy()]
        for each in zip(measures, own, strict=True)
    ]
    return result.assign_coords(tested_by=(("measure", "basis"), tests))


def _test(measure: Measure, own: str, basis: str, methods: str) -> str:
    """Name the test of a measure on a basis; "" if it has none."""
    if basis in (SYSTEMS, SETS):
        return measure.formulas[0] if measure.formulas else JACKKNIFE
    swaps = [name for name in methods.split(",") if name != SYSTEM_METHOD]
    return swaps[0] if basis == own else ""


def _over_sets(part: Part, confidence_level: float) -> dict[str, xr.Dataset]:
    """Compare metrics on new systems and on new sets by one measure."""
    sets = part.measure.over_sets(part.of, part.groups.weights)
    larger = part.measure.larger_is_better
    values = part.groups.over([each.values for each in part.of])
    labels: dict[str, Any] = dict.fromkeys(PAIR, part.of[0].names) | part.groups.coordinates
    return over_sets(values, sets, labels, confidence_level, sign=1.0 if larger else -1.0)


def concluded_over_texts(
    compared: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    question: Question,
) -> tuple[xr.Dataset, str]:
    """Conclude on all metrics by the bootstrap over new texts, if measures swap inputs.

    The null hypothesis of swapped inputs is that scores are exchangeable, so metrics of equal
    agreement are rejected too often; only p-values of pairs come from swaps. There is no conclusion
    if there are no or too few documents, or a measure has no bootstrap. The second value names the
    unit of the conclusions: the new texts, or "inputs" if there are none.
    """
    unit, why_not = new_texts(scores, question.by)
    ways = zip(question.measures, question.ways, strict=True)
    measures = [each for each, way in ways if way.kind == "swap"]
    names = [each.name for each in measures]
    own = {"measure": names}
    result = compared.assign({name: compared[name].copy() for name in _TOLD if name in compared})
    for name in (name for name in _TOLD if name in result):
        result[name].loc[own] = np.nan
    leads = compared["measure"].to_numpy()[0] in names
    if unit is not None:
        with told_elsewhere(Warning):
            try:
                drawn = answered(scores, question.over_new(unit, measures))
            except InputError as error:
                unit, why_not = None, str(error)
            else:
                for name in _TOLD:
                    found = drawn[name].reindex(measure=compared["measure"])
                    result[name] = found.fillna(result[name]) if name in result else found
    told = {NO_TEXTS: why_not} if leads and unit is None else {}
    over = (unit or "nothing") if leads else SYSTEMS
    return signed(result, concluded_over=over).assign_attrs(told), unit or "inputs"


def check_several_without_one(scores: Mapping[str, xr.Dataset]) -> None:
    """Raise InputError unless at least two sets are left when one is left out."""
    if len(scores) < 3:
        raise InputError(f"to leave one set out, at least 3 are needed; there are {len(scores)}")


def rank_without_each(
    scores: Mapping[str, xr.Dataset],
    measure: Measures | None = None,
    *,
    weights: Mapping[str, float] | None = None,
    **options: Any,
) -> dict[str, xr.Dataset]:
    """Rank metrics on average, leaving out each set in turn; by the name of the set.

    Parameters
    ----------
    scores, weights
        At least three sets, and their weights.
    measure, **options
        As in `rank_by_measures`; for r without hybrids, as in `compare_over_groups`, where
        `in_at_least` is at most the number of sets that are left.

    Raises
    ------
    InputError
        As these functions; or if there are fewer than three sets.
    """
    from supersample.comparisons.correlations.averages import compare_over_groups  # 10 ms

    check_several_without_one(scores)
    least = options.get("in_at_least")
    if least is not None:
        options["in_at_least"] = min(least, len(scores) - 1)
    found = {}
    for out in scores:
        rest = {name: part for name, part in scores.items() if name != out}
        own = {name: weight for name, weight in (weights or {}).items() if name != out}
        with told_elsewhere():
            if measure is None:
                compared = compare_over_groups(rest, weights=own, **{**options, "n": None})
                found[out] = rank(compared)
            else:
                found[out] = rank_by_measures(rest, measure, weights=own, **options)
    return found


def rank_by_measures(
    scores: xr.Dataset | Mapping[str, xr.Dataset], measure: Measures, **options: Any
) -> xr.Dataset:
    """Rank metrics by any measures, as `rank` does; options are those of `compare`.

    If two metrics swap inputs, conclusions on all metrics come from the bootstrap over new texts:
    swapped inputs test that scores are exchangeable, not that agreement is equal. Over several sets
    the result also has conclusions for new systems and for new sets.
    """
    question = Question(measure, **options)
    compared = answered(scores, question)
    scores = _averaged(scores, compared)
    basis = "swapped systems" if question.method == "systems" else question.method
    if {("swap", "inputs"), ("swap", "pairs")} & {*question.ways}:
        compared, basis = concluded_over_texts(compared, scores, question)
    if "group" in compared.dims and question.random is None and question.two_sided:
        compared = with_new_systems(compared, scores, question, basis or SYSTEMS)
    first = scores if isinstance(scores, xr.Dataset) else next(iter(scores.values()))
    return rank(starred(compared, first))
