"""How stable a result is: leave out systems, segments or documents, or take fewer or more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.compare import Part, all_names, compared_data, parts_of, placed
from supersample.comparisons.question import Question
from supersample.comparisons.rankings import RankedHybrids
from supersample.errors import InputError, told_elsewhere
from supersample.measures.registry import Measures
from supersample.measures.segments import TranslationMeasure, translation_scores
from supersample.measures.systems import SystemMeasure
from supersample.presentation.labels import DIGITS, is_grouped, names_of, shown_groups
from supersample.resampling import Weights
from supersample.results.ranks_and_clusters import ranks
from supersample.results.variables import result_attrs, result_variables
from supersample.scores.outliers import outlier_names, outlier_systems
from supersample.scores.schema import with_metrics
from supersample.scores.selection import Mask
from supersample.scores.system_level import system_level_scores

SMALLEST_LEFT_OUT = 5
"""Fewest systems of a set for leaving one out."""


def leave_one_out(
    scores: xr.Dataset, measure: Measures = "pearson", *, mask: Mask | None = None, seed: int = 0
) -> xr.Dataset:
    """Leave out each system in turn, and report what changes, by any measure.

    Segments and p-values of pairs of systems stay those of all systems. The range of values without
    a system shows how stable a value is; it is not a confidence interval.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores or system-level scores, with at least five systems.
    measure : str, Measure or sequence of them, default "pearson"
        See `as_measure`.
    mask, seed
        As in `agreement`.

    Returns
    -------
    xarray.Dataset
        Metrics in the order of the first measure's values: ``value``, ``rank`` (measure, metric)
        with all systems; ``value_without``, ``rank_without`` (measure, system, metric) without the
        system; and ``human``, ``distance``, ``outlier`` (system), those of `outlier_systems`, whose
        outliers the attribute ``outliers`` names.

    Raises
    ------
    InputError
        As `agreement`; or if there are fewer than five systems.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = leave_one_out(load_example(), "SPA")
    >>> without = found["value_without"].sel(measure="SPA", metric="strong-95")
    >>> round(float(without.min()), 3), round(float(without.max()), 3)
    (0.863, 0.917)
    """
    parts = parts_of(scores, Question(measure, mask=mask, seed=seed))
    count = parts[0].of[0].scores.sizes["system"]
    if count < SMALLEST_LEFT_OUT:
        least = SMALLEST_LEFT_OUT
        raise InputError(f"to leave one system out, at least {least} are needed; there are {count}")
    return _without_each(parts, 0)


def _without_each(parts: Sequence[Part], group: int) -> xr.Dataset:
    """Leave out each system of one group in turn."""
    scores = parts[0].of[group].scores
    names = scores["system"].to_numpy().astype(str)
    draws = Weights(1.0 - np.eye(names.size), None, np.zeros(0, np.int64))
    values, order, metrics = [], [], all_names(parts)
    for part in parts:
        measured = part.of[group]
        own = np.concatenate([measured.values[np.newaxis], measured.resampled(draws)])
        values.append(placed(own, part, metrics))
        order.append(ranks((part.sign * values[-1]).round(DIGITS)))
    found: dict[str, Any] = {}
    for name, each in (("value", np.stack(values)), ("rank", np.stack(order))):
        found |= {name: each[:, 0], f"{name}_without": each[:, 1:]}
    measures = [part.measure.name for part in parts]
    systems = system_level_scores(scores, mask="all") if "segment" in scores.dims else scores
    outliers = outlier_systems(systems)
    facts = {**scores.attrs, "cutoff": outliers.attrs["cutoff"], "outliers": outlier_names(systems)}
    result = xr.Dataset(
        {**outliers.data_vars, **result_variables(found, ("measure",))},
        coords={"measure": measures, "metric": metrics, "system": names},
        attrs=result_attrs(
            facts,
            n=[names.size],
            counted=["systems"],
            kind="influence",
            statistic=f"{','.join(measures)} without each system",
        ),
    )
    return result.isel(metric=np.argsort(order[0][0], kind="stable"))


def influence_of(
    ranked: RankedHybrids, scores: xr.Dataset | Mapping[str, xr.Dataset], question: Question
) -> dict[str, xr.Dataset]:
    """Leave out each system, by the first measure, in each group that is shown; "" is one set.

    Groups of fewer than five systems are left out.
    """
    first, shown = question.measures[0], ("", *shown_groups(ranked.ranking))
    one = replace(question, measure=[first])
    given = (scores, one) if ranked.systems is None else (ranked.systems, Question(first))
    with told_elsewhere():  # the comparisons warn
        parts = compared_data(*given)
    return {
        name: _without_each(parts, k)
        for k, (name, measured) in enumerate(zip(parts[0].groups.of, parts[0].of, strict=True))
        if name in shown and len(measured.labels("systems").systems) >= SMALLEST_LEFT_OUT
    }


def page_parts(
    ranked: RankedHybrids, scores: xr.Dataset | Mapping[str, xr.Dataset], question: Question
) -> dict[str, Any]:
    """Compute the further parts of the page of a ranking, for `write_report`.

    Those of the first measure: scores of systems, hybrids or translations in each group that is
    shown.
    """
    first, systems = question.measures[0], ranked.systems
    if isinstance(first, TranslationMeasure):
        shown = ("", *shown_groups(ranked.ranking))
        drawn = translation_scores(scores, mask=question.mask or first.mask, by=question.by)
        return {"sample": {name: x for name, x in drawn.items() if name in shown}}
    if systems is None:
        return {"sample": systems_of_groups(ranked.ranking, scores, question)}
    sample = {"": systems} if ranked.sample is None else ranked.sample
    return {"exact": ranked.exact, "sample": sample}


def systems_of_groups(
    ranking: xr.Dataset, scores: xr.Dataset | Mapping[str, xr.Dataset], question: Question
) -> dict[str, xr.Dataset]:
    """Score the systems of each group that is shown; without groups the key is ""."""
    first, by = question.measures[0], question.by
    means: dict[str, Any] = {"mask": "complete", "human_mean": "segments"}
    if isinstance(first, SystemMeasure):
        means = {"mask": question.mask or first.mask, "human_mean": first.human_mean}
    whole: Any = scores
    parts = {"": whole}
    if is_grouped(ranking):
        parts = {
            name: whole.isel(segment=whole[by].astype(str) == name) if by else whole[name]
            for name in shown_groups(ranking)[1:]
        }
    metrics = names_of(ranking, "metric")
    return {
        name: system_level_scores(with_metrics(part, metrics), **means)
        for name, part in parts.items()
    }
