"""What PA and SPA are means of, pair of systems by pair, and what they owe to single systems."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from supersample.errors import InputError
from supersample.inference.accuracies.agreement import component_matrices
from supersample.measures.groups import groups_of
from supersample.measures.p_values import PValues, as_p_values
from supersample.measures.pairs import PairwiseAccuracy, SoftPairwiseAccuracy
from supersample.results.ranking import DIGITS, ranks
from supersample.results.signature import describe, result_attrs
from supersample.results.variables import result_variables


def accuracy_components(
    scores: xr.Dataset, *, p_values: PValues | str = "normal", seed: int = 0
) -> xr.Dataset:
    """Lay out what PA and SPA are means of, pair of systems by pair (Figure 1 of the SPA paper).

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, read on complete cases.
    p_values : PValues or {"normal", "monte_carlo", "exact"}, default "normal"
        Of pairs of systems.
    seed : int, default 0
        Of "monte_carlo".

    Returns
    -------
    xarray.Dataset
        Along ``measure`` ("PA", "SPA"), ``system`` and ``other_system``, systems in order of
        their human scores, the best first: ``human``, the human preference from 0 (the system is
        better) to 1 (the other one is), rounded for PA; ``preference`` (also ``metric``), that of
        each metric; ``agreement``, one minus their absolute difference. NaN but above the diagonal.
        And ``accuracy`` (measure, metric), the means of the agreement.

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
    """Lay out what PA and SPA of each group are means of.

    Parameters
    ----------
    scores, by
        As for `agreement`.
    p_values, seed
        As for `accuracy_components`.

    Returns
    -------
    dict of str to xarray.Dataset
        What `accuracy_components` gives, by group; under "" where there are no groups.

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
    groups = groups_of(
        scores,
        lambda part: measures[0].select(part, "common", complete=True),
        by=by,
        usable=measures[0].usable,
        requirement=measures[0].requirement,
        seed=seed,
    )
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


def leave_one_out_accuracies(components: xr.Dataset) -> xr.Dataset:
    """Leave out one system after the other: PA and SPA on the pairs of the others.

    Nothing is drawn and no p-value is computed again: a pair's is of its two systems alone.
    Segments stay those that `components` rests on, also where one is complete but for the system
    that is left out.

    Parameters
    ----------
    components : xarray.Dataset
        What `accuracy_components` gave, of at least three systems.

    Returns
    -------
    xarray.Dataset
        Along ``measure``: ``accuracy`` and ``rank`` (metric) with all systems,
        ``accuracy_without`` and ``rank_without`` (system, metric) without the system. Their range
        over systems says how stable a value is; it is no confidence interval.

    Raises
    ------
    InputError
        If `components` are something else, or have fewer than three systems.

    Examples
    --------
    >>> from supersample import accuracy_components, load_example
    >>> found = leave_one_out_accuracies(accuracy_components(load_example()))
    >>> without = found["accuracy_without"].sel(measure="SPA", metric="strong-95")
    >>> round(float(without.min()), 3), round(float(without.max()), 3)
    (0.863, 0.917)
    """
    if "agreement" not in components or "other_system" not in components.dims:
        raise InputError("expected what accuracy_components gives")
    lead, pair = ("measure", "metric"), ("system", "other_system")
    count = components.sizes["system"]
    if count < 3:
        raise InputError(f"to leave one out, at least 3 systems are needed, there are {count}")
    agreement = np.nan_to_num(components["agreement"].transpose(*lead, *pair).to_numpy())
    of_system = agreement.sum(axis=-1) + agreement.sum(axis=-2)  # the pairs that it is in
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
    return xr.Dataset(variables, coords=labels, attrs=components.attrs)
