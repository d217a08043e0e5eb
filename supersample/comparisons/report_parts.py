"""Further parts of a written ranking, computed once for its page, files and terminal output."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import xarray as xr

from supersample.comparisons.compare import agreement
from supersample.comparisons.influence import leave_one_out
from supersample.comparisons.rankings import RankedHybrids
from supersample.errors import InputError, told_elsewhere
from supersample.inference.two_correlations.registry import OVERLAPPING
from supersample.measures.base import Measure
from supersample.measures.components import components_of_groups
from supersample.measures.p_values import PValues
from supersample.measures.pairs import PairMeasure
from supersample.measures.scatters import translation_scores
from supersample.measures.translations import TranslationMeasure
from supersample.presentation.labels import names_of, shown_groups
from supersample.scores.corpus.statistics import with_metrics
from supersample.scores.selection import Mask
from supersample.scores.system_level import outlier_systems, system_level_scores

SMALLEST_LEFT_OUT = 5
"""Fewest systems of a set for leaving one out."""


class Influence(NamedTuple):
    """Changes without each system, and outlier systems."""

    left_out: xr.Dataset
    outliers: xr.Dataset


def influence_of(ranked: RankedHybrids, method: str) -> Influence:
    """Leave out each system of a ranking in turn; test by the method, if it is a formula."""
    systems: Any = ranked.systems
    formula = {"method": method} if method in OVERLAPPING else {}
    level = ranked.ranking.attrs["confidence_level"]
    left_out = leave_one_out(systems, confidence_level=level, **formula)
    return Influence(left_out, outlier_systems(systems))


def ranking_parts(
    ranked: RankedHybrids,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None = None,
    influence: Influence | None = None,
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
    influence : Influence, optional
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
    found["influence"] = {"": influence.left_out} if influence else _left_out(systems)
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

    components: dict[str, xr.Dataset]
    """Components of PA and SPA, by group."""
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
        return MeasureParts({}, {})
    half: Any = "half" if isinstance(first.calibrate_on, str) else None
    drawn = translation_scores(scores, mask=mask or first.mask, by=by, calibrate_on=half, seed=seed)
    pages = ("", *shown_groups(ranking))
    return MeasureParts({}, {"sample": {name: x for name, x in drawn.items() if name in pages}})


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
    return MeasureParts(components, {"sample": systems, "influence": influence})


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
