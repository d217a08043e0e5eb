"""What a written ranking by accuracies shows besides: components, and the influence of systems."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import xarray as xr

from supersample.accuracies.influence import leave_one_out_accuracies
from supersample.accuracies.p_values import PValues
from supersample.accuracies.pairwise import components_of_groups
from supersample.presentation.labels import shown_groups
from supersample.results.report_parts import SMALLEST_LEFT_OUT, systems_of_groups


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
    """Compute what is written beside what `rank` gave of `compare_accuracies`.

    Scores of systems are means over the segments that accuracies compare.
    """
    components = components_of_groups(scores, p_values=p_values, seed=seed, by=by)
    shown = ("", *shown_groups(ranking))
    influence = {
        name: leave_one_out_accuracies(part)
        for name, part in components.items()
        if name in shown and part.sizes["system"] >= SMALLEST_LEFT_OUT
    }
    means = {"mask": "complete", "human_mean": "segments"}
    systems = systems_of_groups(ranking, scores, by=by, **means)
    return AccuracyParts(components, {"sample": systems, "influence": influence})
