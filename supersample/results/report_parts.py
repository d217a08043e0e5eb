"""What the page of a ranking shows of the original systems."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from supersample.presentation.labels import names_of, shown_groups
from supersample.scores.corpus.statistics import with_metrics
from supersample.scores.system_level import system_level_scores

SMALLEST_LEFT_OUT = 5
"""Systems of a set that one of them is left out of."""


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
