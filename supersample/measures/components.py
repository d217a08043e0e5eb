"""The terms of PA and SPA: one for each pair of systems."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from supersample.inference.accuracies.accuracy import component_matrices
from supersample.measures.groups import groups_of
from supersample.measures.p_values import PValues, as_p_values
from supersample.measures.pairs import PairwiseAccuracy, SoftPairwiseAccuracy
from supersample.results.signature import describe, result_attrs


def accuracy_components(
    scores: xr.Dataset, *, p_values: PValues | str = "normal", seed: int = 0
) -> xr.Dataset:
    """Compute the terms of PA and SPA for each pair of systems (Figure 1 of the SPA paper).

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; only complete cases are used.
    p_values : PValues or {"normal", "monte_carlo"}, default "normal"
        Method of p-values of pairs of systems.
    seed : int, default 0
        Seed of "monte_carlo".

    Returns
    -------
    xarray.Dataset
        Dims (measure, system, other_system), with measures "PA" and "SPA", and systems ordered by
        human scores, best first. ``human``: the human preference, from 0 (the system is better) to
        1 (the other system is better), rounded for PA; ``preference`` (also along ``metric``): the
        preference of each metric; ``agreement``: one minus their absolute difference. Entries on
        and below the diagonal are NaN. ``accuracy`` (measure, metric): the mean agreement.

    Raises
    ------
    InputError
        As `agreement` by "SPA".

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), Figure 1.

    Examples
    --------
    >>> from supersample import load_example
    >>> components = accuracy_components(load_example())
    >>> components["agreement"].sizes
    Frozen({'measure': 2, 'metric': 8, 'system': 12, 'other_system': 12})
    """
    [components] = components_of_groups(scores, p_values=p_values, seed=seed).values()
    return components


def components_of_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    p_values: PValues | str = "normal",
    seed: int = 0,
    by: str | None = None,
) -> dict[str, xr.Dataset]:
    """Compute the terms of PA and SPA in each group.

    Parameters
    ----------
    scores, by
        As in `agreement`.
    p_values, seed
        As in `accuracy_components`.

    Returns
    -------
    dict of str to xarray.Dataset
        Results of `accuracy_components` by group; the key is "" without groups.

    Raises
    ------
    InputError
        As `agreement` by "SPA".

    Examples
    --------
    >>> from supersample import load_example
    >>> list(components_of_groups(load_example()))
    ['']
    """
    options = as_p_values(p_values)
    measures = [PairwiseAccuracy(options), SoftPairwiseAccuracy(options)]
    groups = groups_of(scores, measures[0], None, by, seed)
    drawn = {"seed": seed} if options.method == "monte_carlo" else {}
    facts = {"method": options.method, "design": describe(options), **drawn}
    return {
        name: _components(part, measures, groups.seeds[name], facts)
        for name, part in groups.of.items()
    }


def _components(
    selected: xr.Dataset, measures: list[Any], seed: int, facts: dict[str, Any]
) -> xr.Dataset:
    """Components of one group, systems in the order of their human scores."""
    human = measures[0].prepare(selected, seed).human.mean(axis=1)
    ordered = selected.isel(system=np.argsort(-human, kind="stable"))
    pairs = measures[0].prepare(ordered, seed)
    kinds = [measure.on(pairs) for measure in measures]
    panels = np.array(
        [[component_matrices(k.components[0], m) for m in k.components[1:]] for k in kinds]
    )
    pair, systems = ("system", "other_system"), ordered["system"].to_numpy()
    components = xr.Dataset(
        {
            "human": (("measure", *pair), panels[:, 0, 0]),
            "preference": (("measure", "metric", *pair), panels[:, :, 1]),
            "agreement": (("measure", "metric", *pair), panels[:, :, 2]),
            "accuracy": (("measure", "metric"), np.stack([kind.values for kind in kinds])),
        },
        coords={
            "measure": [measure.name for measure in measures],
            "metric": pairs.names,
            "system": systems,
            "other_system": systems,
        },
    )
    statistic = "components of PA and SPA"
    components.attrs = result_attrs(
        dict(selected.attrs), n=[systems.size], counted=["systems"], statistic=statistic, **facts
    )
    return components
