"""The terms of PA and SPA for each pair of systems, as Figure 1 of the paper shows them."""

import numpy as np
import xarray as xr

from supersample.inference.pairs_of_systems import system_pairs
from supersample.measures.groups import groups_of
from supersample.measures.soft_pairwise_accuracy import (
    PairwiseAccuracy,
    PValues,
    SoftPairwiseAccuracy,
)


def accuracy_components(
    scores: xr.Dataset, *, p_values: PValues | str = "normal", seed: int = 0
) -> xr.Dataset:
    """Compute the preferences of each pair of systems and their agreement, on complete cases.

    Returns
    -------
    xarray.Dataset
        Dims (measure, system, other_system), with measures "PA" and "SPA", and systems ordered by
        human scores, best first. ``human``: the human preference, from 0 (the system is better) to
        1 (the other system is better), rounded for PA; ``preference`` (also along ``metric``): the
        preference of each metric; ``agreement``: one minus their absolute difference. Entries on
        and below the diagonal are NaN. ``accuracy`` (measure, metric): the mean agreement.
    """
    measures = [PairwiseAccuracy(p_values), SoftPairwiseAccuracy(p_values)]  # type: ignore[arg-type]
    [selected] = groups_of(scores, measures[0], None, None, seed).of.values()
    human = measures[0].prepare(selected, seed).human.mean(axis=1)
    ordered = selected.isel(system=np.argsort(-human, kind="stable"))
    pairs = measures[0].prepare(ordered, seed)
    kinds = [measure.on(pairs) for measure in measures]
    systems, at = ordered["system"].to_numpy(), system_pairs(ordered.sizes["system"])
    panels = np.full((2, 1 + len(pairs.names), systems.size, systems.size), np.nan)
    panels[:, :, *at] = [kind.components for kind in kinds]
    pair = ("system", "other_system")
    return xr.Dataset(
        {
            "human": (("measure", *pair), panels[:, 0]),
            "preference": (("measure", "metric", *pair), panels[:, 1:]),
            "agreement": (("measure", "metric", *pair), 1 - np.abs(panels[:, :1] - panels[:, 1:])),
            "accuracy": (("measure", "metric"), np.stack([kind.values for kind in kinds])),
        },
        coords={
            "measure": [measure.name for measure in measures],
            "metric": pairs.names,
            "system": systems,
            "other_system": systems,
        },
    )
