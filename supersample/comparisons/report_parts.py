"""What else a written ranking shows: computed once, for its page, its files and the terminal."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import xarray as xr

from supersample.comparisons.compare import agreement
from supersample.comparisons.influence import leave_one_out
from supersample.comparisons.rankings import RankedHybrids
from supersample.errors import InputError, told_elsewhere
from supersample.inference.two_correlations.registry import OVERLAPPING
from supersample.measures.components import components_of_groups
from supersample.measures.p_values import PValues
from supersample.presentation.labels import names_of, shown_groups
from supersample.scores.corpus.statistics import with_metrics
from supersample.scores.system_level import outlier_systems, system_level_scores

SMALLEST_LEFT_OUT = 5
"""Systems of a set that one of them is left out of."""


class Influence(NamedTuple):
    """What changes without each system, and which systems lie far from the others."""

    left_out: xr.Dataset
    outliers: xr.Dataset


def influence_of(ranked: RankedHybrids, method: str) -> Influence:
    """Leave out one system of a ranking after the other; test by the method, if it is a formula."""
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
    """Compute what else the page of a ranking by correlation shows, as `write_report` takes it.

    Parameters
    ----------
    ranked : RankedHybrids
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores that were ranked.
    by : str, optional
        Label that they were grouped by.
    influence : Influence, optional
        Of the systems, if it is there already.
    **means
        Of groups, mask and human_mean.

    Returns
    -------
    dict
        ``sample``, or the systems' scores where no hybrids are kept; ``influence`` of each system;
        and, of one set, ``accuracy``, the soft pairwise accuracy of metrics.
    """
    if ranked.systems is None:
        systems = systems_of_groups(ranked.ranking, scores, by=by, **means)
    else:
        systems = {"": ranked.systems}
    sample: Any = systems if ranked.sample is None else ranked.sample
    found: dict[str, Any] = {"exact": ranked.exact, "sample": sample}
    found["influence"] = {"": influence.left_out} if influence else _left_out(systems)
    if "group" not in ranked.ranking.dims and "segment" in scores.dims:  # type: ignore[union-attr]
        with suppress(InputError):  # of scores without complete segments there is none
            found["accuracy"] = agreement(scores, "SPA")
    return found


def _left_out(systems: Mapping[str, Any]) -> dict[str, xr.Dataset]:
    """Leave systems out of each group that has enough of them."""
    with told_elsewhere():  # by the comparisons
        return {
            name: leave_one_out(part)
            for name, part in systems.items()
            if part.sizes["system"] >= SMALLEST_LEFT_OUT
        }


class AccuracyParts(NamedTuple):
    """What is written beside a ranking by accuracies, by group."""

    components: dict[str, xr.Dataset]
    page: dict[str, Any]
    """Scores of systems and their influence, as `write_report` takes them."""


def accuracy_parts(
    ranking: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    p_values: PValues | str = "normal",
    seed: int = 0,
    by: str | None = None,
) -> AccuracyParts:
    """Compute what is written beside what `rank` gave of `compare` by SPA or PA.

    Scores of systems are means over the segments that accuracies compare.
    """
    components = components_of_groups(scores, p_values=p_values, seed=seed, by=by)
    shown = ("", *shown_groups(ranking))
    influence = {
        name: leave_one_out(part)
        for name, part in components.items()
        if name in shown and part.sizes["system"] >= SMALLEST_LEFT_OUT
    }
    means = {"mask": "complete", "human_mean": "segments"}
    systems = systems_of_groups(ranking, scores, by=by, **means)
    return AccuracyParts(components, {"sample": systems, "influence": influence})


def systems_of_groups(
    ranking: xr.Dataset,
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None = None,
    **means: Any,
) -> dict[str, xr.Dataset]:
    """Score the systems of each group that the page of a ranking shows, under "" without groups.

    Parameters
    ----------
    ranking : xarray.Dataset
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores that were ranked, grouped by the label `by`, or by group.
    by : str, optional
    **means
        As for `system_level_scores`.
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
