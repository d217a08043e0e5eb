"""How stable a result is: leave out systems, segments or documents, or take fewer or more."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr

from supersample.comparisons.compare import agreement, in_blocks, parts_of
from supersample.comparisons.correlations.by_formula import compare_correlations, correlate
from supersample.comparisons.question import Question
from supersample.comparisons.rankings import RankedHybrids
from supersample.errors import InputError, check_choice, told_elsewhere
from supersample.inference.coefficients import pearson
from supersample.inference.two_correlations import OVERLAPPING
from supersample.measures.base import Measure
from supersample.measures.p_values import PValues
from supersample.measures.pairs import PairMeasure, components_of_groups
from supersample.measures.registry import as_measure
from supersample.measures.translations import TranslationMeasure, translation_scores
from supersample.presentation.labels import DIGITS, MOST_GROUPS, names_of, shown_groups
from supersample.resampling import samplers
from supersample.results.pairs import identical_items
from supersample.results.ranking import rank, ranks
from supersample.results.variables import result_attrs, result_variables
from supersample.scores.schema import TEAM, TEAMS, with_metrics
from supersample.scores.selection import Mask, keep_metrics
from supersample.scores.system_level import (
    SYSTEMS,
    bases_of,
    orientation_signs,
    outlier_names,
    outlier_systems,
    system_level_scores,
)


def leave_one_out(
    scores: xr.Dataset, *, method: str = "zou2007", confidence_level: float = 0.95
) -> xr.Dataset:
    """Leave out each original system in turn, and report what changes.

    Parameters
    ----------
    scores : xarray.Dataset
        For r: a sample, Scores or system-level scores, with at least five systems. For PA and SPA:
        a result of `accuracy_components` with at least three systems. p-values of a pair depend
        only on its two systems, so none is computed again, and the segments stay the same.
    method : str, default "zou2007"
        For r, a two-sided method of `compare_correlations` by formula, because all pairs are tested
        again without each system. fisher-jackknife, which is robust to heavy tails, may find
        fewer differences. Declared teams are ignored: each system is left out alone.
    confidence_level : float, default 0.95
        Used only for r.

    Returns
    -------
    xarray.Dataset
        For r, with metrics in the order of the full ranking:

        ``r``, ``rank`` (metric)
            With all systems.
        ``r_without``, ``rank_without`` (system, metric)
            Without the system.
        ``wins_over`` (metric, other_metric), ``wins_over_without`` (system, metric, other_metric)
            Which metric is significantly better than which.
        ``wins_changed`` (system)
            How many pairs of metrics change between win, loss and neither.
        ``largest_change`` (system)
            Largest absolute change of any metric's r.
        ``human``, ``distance``, ``outlier`` (system)
            Those of `outlier_systems`.

        The attribute ``outliers`` names the outliers of `outlier_systems`.

        For accuracies, with dim ``measure``: ``accuracy`` and ``rank`` (metric) with all systems;
        ``accuracy_without`` and ``rank_without`` (system, metric) without the system. Their range
        over systems shows how stable a value is; it is not a confidence interval.

    Raises
    ------
    InputError
        As `compare_correlations`; or if there are too few systems.

    Examples
    --------
    >>> from supersample import load_example
    >>> influence = leave_one_out(load_example())
    >>> str(influence["system"].values[influence["largest_change"].argmax("system")])
    'system-09'
    >>> from supersample.measures import accuracy_components
    >>> found = leave_one_out(accuracy_components(load_example()))
    >>> without = found["accuracy_without"].sel(measure="SPA", metric="strong-95")
    >>> round(float(without.min()), 3), round(float(without.max()), 3)
    (0.863, 0.917)
    """
    if {"agreement", "accuracy"} <= set(scores.data_vars):
        return _of_accuracies(scores)
    systems = system_level_scores(scores)
    count = systems.sizes["system"]
    if count < 5:
        raise InputError(f"to leave one system out, at least 5 are needed; there are {count}")

    original = systems[["system_human", "system_score", "higher_is_better"]]
    original = original.drop_vars(TEAM.name, errors="ignore")
    original.attrs = {name: x for name, x in systems.attrs.items() if name != TEAMS}
    options: dict[str, Any] = {"method": method, "confidence_level": confidence_level}
    whole = rank(compare_correlations(original, bases=[SYSTEMS], **options)).isel(
        basis=0, drop=True
    )
    metrics = whole["metric"].to_numpy()
    order = {"metric": metrics, "other_metric": metrics}
    with told_elsewhere():  # warned of with all systems; NaN in the row of a system
        correlations = _without_each(correlate(original, bases=[SYSTEMS]), original)
        without = rank(compare_correlations(correlations, **options)).sel(order)
    r_without = without["value"].to_numpy()
    wins = without["wins_over"].to_numpy()
    changed = wins != whole["wins_over"].to_numpy()
    either = changed | changed.swapaxes(1, 2)
    change = np.abs(r_without - whole["value"].to_numpy())
    largest = np.where(np.isnan(change).all(axis=1), np.nan, np.nanmax(change, axis=1, initial=0))
    outliers = outlier_systems(systems)
    return xr.Dataset(
        {
            **outliers.data_vars,
            "r": whole["value"],
            "rank": whole["rank"],
            "wins_over": whole["wins_over"],
            "r_without": (("system", "metric"), r_without),
            "rank_without": (("system", "metric"), without["rank"].to_numpy()),
            "wins_over_without": (("system", "metric", "other_metric"), wins),
            "wins_changed": ("system", np.triu(either, 1).sum(axis=(1, 2))),
            "largest_change": ("system", largest),
        },
        coords={"system": systems["system"].to_numpy(), **order},
        attrs={
            **whole.attrs,
            "kind": "influence",
            "cutoff": outliers.attrs["cutoff"],
            "outliers": outlier_names(systems),
        },
    )


def _without_each(correlations: xr.Dataset, systems: xr.Dataset) -> xr.Dataset:
    """Correlations leaving out each system in turn, along ``basis``."""
    [basis] = bases_of(systems, [SYSTEMS])
    kept = [np.delete(basis.scores, left, axis=0) for left in range(len(basis.scores))]
    matrices = np.stack([pearson(scores) for scores in kept])
    # identical metrics depend on the systems that are left
    identical = [identical_items([[column] for column in scores.T[1:]]) for scores in kept]
    pairs = ("basis", "metric", "other_metric")
    return correlations.isel(basis=np.zeros(len(kept), dtype=int)).assign(
        n=("basis", np.full(len(kept), len(kept) - 1)),
        value=(("basis", "metric"), matrices[:, 0, 1:]),
        metric_r=(pairs, matrices[:, 1:, 1:]),
        identical=(pairs, np.stack(identical)),
    )


def _of_accuracies(components: xr.Dataset) -> xr.Dataset:
    """PA and SPA without each system, from the agreement of each pair of systems."""
    lead, pair = ("measure", "metric"), ("system", "other_system")
    count = components.sizes["system"]
    if count < 3:
        raise InputError(f"to leave one system out, at least 3 are needed; there are {count}")
    agreement = np.nan_to_num(components["agreement"].transpose(*lead, *pair).to_numpy())
    of_system = agreement.sum(axis=-1) + agreement.sum(axis=-2)  # pairs with this system
    left = agreement.sum(axis=(-1, -2))[..., np.newaxis] - of_system
    without = np.moveaxis(left / ((count - 1) * (count - 2) / 2), -1, -2)
    accuracy = components["accuracy"].transpose(*lead).to_numpy()
    found = {
        "accuracy": accuracy,
        "rank": ranks(accuracy.round(DIGITS)),
        "accuracy_without": without,
        "rank_without": ranks(without.round(DIGITS)),
    }
    labels = {name: components[name].to_numpy() for name in (*lead, "system")}
    variables = result_variables(found, ("measure",))
    attrs = {**components.attrs, "kind": "influence on accuracies"}
    return xr.Dataset(variables, coords=labels, attrs=attrs)


def deciding_segments(
    scores: xr.Dataset,
    first: str,
    second: str,
    measure: str | Measure = "pearson",
    *,
    unit: Literal["segments", "documents"] = "segments",
    mask: Mask | None = None,
    seed: int = 0,
) -> xr.Dataset:
    """Leave out each segment or document in turn, to find those that decide between two metrics.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    first, second : str
        Two metrics.
    measure : str or Measure, default "pearson"
        See `as_measure`. Thresholds of ties keep their values on all translations.
    unit : {"segments", "documents"}, default "segments"
        Unit that is left out.
    mask : {"common", "complete", "all"}, optional
        As in `agreement`.
    seed : int, default 0
        As in `agreement`.

    Returns
    -------
    xarray.Dataset
        Dim ``segment`` (or ``document``), largest influence first: ``difference_without``, the
        difference without the unit, and its ``influence``, the difference with all units minus
        ``difference_without``; the unit favours `first` if it is above 0. ``difference``: with all
        units, above 0 if `first` agrees better. Dims (scorer, system, segment):
        ``standard_score``, scores of people ("human") and of both metrics, with signs such that
        higher is better, in standard deviations from the scorer's mean over all translations; for
        documents, the mean over their segments.

    Raises
    ------
    InputError
        As `agreement`; or if the metrics do not exist, or there are no documents or segments.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = deciding_segments(load_example(), "strong-95", "good-90")
    >>> str(found["segment"].values[0]), round(found["influence"].values[0].item(), 4)
    ('segment-011', -0.0055)
    """
    check_choice("unit", unit, ("segments", "documents"))
    chosen = as_measure(measure)
    two = keep_metrics(scores, [first, second])
    [part] = parts_of(two, Question(chosen, mask=mask, seed=seed))
    [measured] = part.of
    labels = measured.labels(unit)
    [drawing] = samplers(unit, [labels], [seed], seed=seed)
    [kind] = drawing.kinds
    left_out = in_blocks(measured, partial(drawing.left_out, kind), kind.drawn_from)
    values = np.concatenate([measured.values[np.newaxis], left_out])
    at = [measured.names.tolist().index(name) for name in (first, second)]
    sign = 1 if chosen.larger_is_better else -1
    whole, *without = (sign * (values[:, at[0]] - values[:, at[1]])).tolist()
    dim = unit.removesuffix("s")
    counted = measured.scores.isel(segment=np.flatnonzero(labels.counted))
    standard = _standard_scores(counted)
    if dim == "document":
        standard = standard.groupby("document").mean()
    influence = whole - np.asarray(without)
    order = np.argsort(-np.abs(np.nan_to_num(influence)), kind="stable")
    found = standard.to_dataset(name="standard_score").assign(
        influence=(dim, influence), difference_without=(dim, without), difference=whole
    )
    attrs = result_attrs(
        measured.scores.attrs,
        n=[standard.sizes[dim]],
        counted=[unit],
        kind="deciding",
        statistic="influence",
        measure=str(chosen),
        first=first,
        second=second,
        unit=unit,
    )
    return found.isel({dim: order}).assign_attrs(attrs)


def _standard_scores(scores: xr.Dataset) -> xr.DataArray:
    """Standardise scores of people and metrics, with signs such that higher is better."""
    human = scores["human"].expand_dims(scorer=["human"])
    of_metrics = scores["score"].rename(metric="scorer")
    facts = [name for name, each in of_metrics.coords.items() if each.dims == ("scorer",)]
    plain = of_metrics.drop_vars([name for name in facts if name != "scorer"])
    every = xr.concat([human, plain], "scorer")
    signs = xr.DataArray(orientation_signs(scores["human"], scores), dims="scorer")
    over = ["system", "segment"]
    return signs * (every - every.mean(over)) / every.std(over)


SMALLEST_LEFT_OUT = 5
"""Fewest systems of a set for leaving one out."""


def influence_of(ranked: RankedHybrids, method: str) -> xr.Dataset:
    """Leave out each system of a ranking in turn; test by the method, if it is a formula."""
    systems: Any = ranked.systems
    formula = {"method": method} if method in OVERLAPPING else {}
    level = ranked.ranking.attrs["confidence_level"]
    return leave_one_out(systems, confidence_level=level, **formula)


def ranking_parts(
    ranked: RankedHybrids,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None = None,
    influence: xr.Dataset | None = None,
    **means: Any,
) -> dict[str, Any]:
    """Compute the further parts of the page of a ranking by correlation, for `write_report`.

    Parameters
    ----------
    ranked : RankedHybrids
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        The ranked Scores.
    by : str, optional
        Label that defined the groups.
    influence : xarray.Dataset, optional
        Influence of the systems, if it is already computed.
    **means
        Options of groups, mask and human_mean.

    Returns
    -------
    dict
        ``sample``, or the systems' scores if no hybrids are kept; ``influence`` of each system;
        and, for one set, ``accuracy``, the soft pairwise accuracy of metrics, or why it has none.
    """
    if ranked.systems is None:
        systems = systems_of_groups(ranked.ranking, scores, by=by, **means)
    else:
        systems = {"": ranked.systems}
    sample: Any = systems if ranked.sample is None else ranked.sample
    found: dict[str, Any] = {"exact": ranked.exact, "sample": sample}
    found["influence"] = {"": influence} if influence is not None else _left_out(systems)
    if "group" not in ranked.ranking.dims and "segment" in scores.dims:  # type: ignore[union-attr]
        try:
            found["accuracy"] = agreement(scores, "SPA")
        except InputError as error:  # scores without complete segments have none
            found["accuracy"] = str(error)
    return found


def _left_out(systems: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """Leave out each system in turn, in each group that has enough systems."""
    with told_elsewhere():  # the comparisons warn
        return {
            name: leave_one_out(part)
            for name, part in systems.items()
            if part.sizes["system"] >= SMALLEST_LEFT_OUT
        }


class MeasureParts(NamedTuple):
    """Further parts of a ranking by measures."""

    components: list[xr.Dataset]
    """Components of PA and SPA in each group, which the attribute ``set`` names; few groups."""
    page: dict[str, Any]
    """Scores of systems or translations, and the influence of systems, for `write_report`."""


def measure_parts(
    ranking: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    measures: Sequence[Measure],
    *,
    mask: Mask | None = None,
    by: str | None = None,
    seed: int = 0,
) -> MeasureParts:
    """Compute the further parts of a ranking by measures, those of the first measure's kind.

    Scores of systems are means over the segments that the accuracies use.
    """
    first = measures[0]
    if isinstance(first, PairMeasure):
        return _accuracy_parts(ranking, scores, first.p_values, seed=seed, by=by)
    if not isinstance(first, TranslationMeasure):
        return MeasureParts([], {})
    half: Any = "half" if isinstance(first.calibrate_on, str) else None
    drawn = translation_scores(scores, mask=mask or first.mask, by=by, calibrate_on=half, seed=seed)
    pages = ("", *shown_groups(ranking))
    return MeasureParts([], {"sample": {name: x for name, x in drawn.items() if name in pages}})


def _accuracy_parts(
    ranking: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    p_values: PValues,
    *,
    seed: int,
    by: str | None,
) -> MeasureParts:
    components = components_of_groups(scores, p_values=p_values, seed=seed, by=by)
    shown = ("", *shown_groups(ranking))
    influence = {
        name: leave_one_out(part)
        for name, part in components.items()
        if name in shown and part.sizes["system"] >= SMALLEST_LEFT_OUT
    }
    means = {"mask": "complete", "human_mean": "segments"}
    systems = systems_of_groups(ranking, scores, by=by, **means)
    named = [part.assign_attrs(set=name) for name, part in components.items()]
    few = named if len(named) <= MOST_GROUPS else []
    return MeasureParts(few, {"sample": systems, "influence": influence})


def systems_of_groups(
    ranking: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None = None,
    **means: Any,
) -> dict[str, xr.Dataset]:
    """Score the systems of each group of a ranking's page; without groups the key is "".

    Parameters
    ----------
    ranking : xarray.Dataset
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        The ranked Scores, to group by the label `by`; or Scores by group.
    by : str, optional
    **means
        As in `system_level_scores`.
    """
    whole: Any = scores
    parts = {"": whole}
    if "group" in ranking.dims:
        parts = {
            name: whole.isel(segment=whole[by].astype(str) == name) if by else whole[name]
            for name in shown_groups(ranking)[1:]
        }
    metrics = names_of(ranking, "metric")
    return {
        name: system_level_scores(with_metrics(part, metrics), **means)
        for name, part in parts.items()
    }
