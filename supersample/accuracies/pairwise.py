"""Pairwise accuracies: how often metrics prefer the systems that people prefer."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.accuracies.inputs import (
    Comparable,
    Groups,
    comparable_groups,
    hard_accuracy,
    rounded_preferences,
    soft_accuracy,
    soft_preferences,
    warn_if_constant,
    warn_if_dominated,
)
from supersample.measures.p_values import PValues, as_p_values
from supersample.inference.accuracies.agreement import Ties, component_matrices, mean_agreement
from supersample.results.signature import describe, result_attrs
from supersample.results.variables import result_variables

SOFT, HARD = "SPA", "PA"
SYSTEMS = "systems"


def pairwise_accuracy(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    ties: Ties = "half",
    by: str | None = None,
) -> xr.Dataset:
    """Pairwise accuracy (PA): the share of system pairs that a metric orders as people do.

    With a_ij the preference of a pair of systems, 0 where i has the better mean score and 1 where j
    has, PA is the mean over pairs i < j of ``1 - |a_ij(human) - a_ij(metric)|`` (Thompson et al.
    2024, equation 3).

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores; read on the segments that every system was rated for and every metric scored for
        every system, each counting once. Several language pairs by name are restricted to the
        metrics common to all.
    ties : {"half", "up"}, default "half"
        A pair of equal mean scores (to 1e-12 of the sum of absolute differences) has the preference
        0.5: two ties agree, a tie and a preference agree by half. Or, "up", the preference 1, as
        equation 3 rounds 0.5 up; then results depend on the order of systems.
    by : {"domain", "document"}, optional
        Label of segments to group by; groups of fewer than two complete segments are left out.

    Returns
    -------
    xarray.Dataset
        ``value`` (metric), from 0 to 1; ``systems`` and ``segments``, how many; and
        ``higher_is_better`` (metric). Of several sets or groups, along ``group`` too, where
        "average" comes first: the mean of the others (and the sums of their numbers).

    Raises
    ------
    InputError
        If `scores` are no Scores, or leave nothing to compare: fewer than two systems, or fewer
        than two segments that every metric scored (the message names the metrics that miss a
        system).

    Warns
    -----
    DegenerateScoreWarning
        Where scores do not vary and so prefer no system; the warning names the scorers.

    References
    ----------
    Kocmi et al. (2021), "To ship or not to ship", WMT. Thompson, Mathur, Deutsch and Khayrallah
    (2024), "Improving statistical significance in human evaluation of automatic metrics via soft
    pairwise accuracy", WMT, equations 2 and 3.

    Examples
    --------
    >>> from supersample import load_example
    >>> accuracy = pairwise_accuracy(load_example())["value"]
    >>> round(float(accuracy.sel(metric="strong-95")) * 66)  # of 66 pairs of systems
    58
    """
    groups = comparable_groups(scores, by=by)
    warn_if_constant(groups)
    found = [hard_accuracy(group, ties) for group in groups.of.values()]
    return _accuracies(groups, found, HARD, ties="" if ties == "half" else ties)


def soft_pairwise_accuracy(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    p_values: PValues | str = "normal",
    seed: int = 0,
    by: str | None = None,
) -> xr.Dataset:
    """Soft pairwise accuracy (SPA): how well a metric's confidence in systems matches people's.

    With p_ij the p-value of "system i is better than system j", SPA is the mean over pairs i < j of
    ``1 - |p_ij(human) - p_ij(metric)|`` (Thompson et al. 2024, equation 1).

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        As for `pairwise_accuracy`. Constant scores have p = 0.5 for every pair ("mid").
    p_values : PValues or {"normal", "monte_carlo", "exact"}, default "normal"
        How the p-value of a pair of systems is computed; see `PValues` for the permutation unit,
        ties, and the number of permutations.
    seed : int, default 0
        Of "monte_carlo": permutation i is a function of (seed, i) alone.
    by : {"domain", "document"}, optional
        As for `pairwise_accuracy`.

    Returns
    -------
    xarray.Dataset
        As `pairwise_accuracy` gives.

    Raises
    ------
    InputError
        As `pairwise_accuracy`; or if the Scores have no documents, or only one unit to permute.

    Warns
    -----
    DegenerateScoreWarning
        As `pairwise_accuracy`.
    ApproximationWarning
        Where a few units decide and normal p-values are poor (see `warn_if_dominated`).

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy", WMT, equation 1.

    Examples
    --------
    >>> from supersample import load_example
    >>> accuracy = soft_pairwise_accuracy(load_example())["value"]
    >>> round(float(accuracy.sel(metric="strong-95")), 3)
    0.886
    """
    options = as_p_values(p_values)
    groups = comparable_groups(scores, by=by, unit=options.unit, seed=seed)
    warn_if_constant(groups)
    warn_if_dominated(groups, options)
    found = [soft_accuracy(group, options) for group in groups.of.values()]
    drawn = {"seed": seed} if options.method == "monte_carlo" else {}
    return _accuracies(
        groups, found, SOFT, method=options.method, design=describe(options), **drawn
    )


def accuracy_components(
    scores: xr.Dataset, *, p_values: PValues | str = "normal", seed: int = 0
) -> xr.Dataset:
    """Lay out what PA and SPA are means of, pair of systems by pair (Figure 1 of the SPA paper).

    Parameters
    ----------
    scores, p_values, seed
        As for `soft_pairwise_accuracy`.

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
        As `soft_pairwise_accuracy`.

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
    options = as_p_values(p_values)
    [group] = comparable_groups(scores, by=None, unit=options.unit, seed=seed).of.values()
    return _components(group, options, seed)


def components_of_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    p_values: PValues | str = "normal",
    seed: int = 0,
    by: str | None = None,
) -> dict[str, xr.Dataset]:
    """Components of each group's accuracies, on the very segments and masks of the comparisons.

    Parameters
    ----------
    scores, p_values, seed, by
        As for `soft_pairwise_accuracy`.

    Returns
    -------
    dict of str to xarray.Dataset
        What `accuracy_components` gives, by group; under "" where there are no groups.

    Raises
    ------
    InputError
        As `soft_pairwise_accuracy`.

    Examples
    --------
    >>> from supersample import load_example
    >>> list(components_of_groups(load_example()))
    ['']
    """
    options = as_p_values(p_values)
    groups = comparable_groups(scores, by=by, unit=options.unit, seed=seed)
    return {name: _components(group, options, seed) for name, group in groups.of.items()}


def _components(group: Comparable, options: PValues, seed: int) -> xr.Dataset:
    """Components of one group, systems in the order of their human scores."""
    order = np.argsort(-group.human.mean(axis=1), kind="stable")
    group = group.reordered(order)
    kinds = [rounded_preferences(group), soft_preferences(group, options)]
    panels = np.array(
        [[component_matrices(people, m) for m in metrics] for people, *metrics in kinds]
    )
    pair = ("system", "other_system")
    systems = group.scores["system"].to_numpy()[order]
    components = xr.Dataset(
        {
            "human": (("measure", *pair), panels[:, 0, 0]),
            "preference": (("measure", "metric", *pair), panels[:, :, 1]),
            "agreement": (("measure", "metric", *pair), panels[:, :, 2]),
            "accuracy": (
                ("measure", "metric"),
                np.stack([mean_agreement(kind[0], kind[1:]) for kind in kinds]),
            ),
        },
        coords={
            "measure": [HARD, SOFT],
            "metric": group.names,
            "system": systems,
            "other_system": systems,
        },
    )
    components.attrs = result_attrs(
        dict(group.scores.attrs),
        statistic="components of PA and SPA",
        n=np.array([systems.size]),
        counted=[SYSTEMS],
        method=options.method,
        design=describe(options),
        **({"seed": seed} if options.method == "monte_carlo" else {}),
    )
    return components


def variables_of(groups: Groups) -> dict[str, xr.Variable]:
    """Numbers of systems and segments, along ``group`` if grouped, and metrics' orientation."""
    numbers = {}
    for name, dim in (("systems", "system"), ("segments", "segment")):
        sizes = [group.scores.sizes[dim] for group in groups.of.values()]
        numbers[name] = np.array([sum(sizes), *sizes]) if groups.grouped else np.array(sizes[0])
    first = next(iter(groups.of.values()))
    return {
        **result_variables(numbers, ("group",) if groups.grouped else ()),
        **result_variables({"higher_is_better": first.higher_is_better}),
    }


def result_facts(groups: Groups, **facts: Any) -> dict[Any, Any]:
    """Attributes of a result on these groups, signature included."""
    systems = [group.scores.sizes["system"] for group in groups.of.values()]
    counted = [f"{SYSTEMS} of {name}" if groups.grouped else SYSTEMS for name in groups.of]
    if "by" in groups.attrs:
        systems, counted = systems[:1], [f"{SYSTEMS} in {len(counted)} {groups.attrs['by']}s"]
    return result_attrs(groups.attrs, n=np.array(systems), counted=counted, **facts)


def _accuracies(
    groups: Groups, found: list[NDArray[np.float64]], statistic: str, **facts: Any
) -> xr.Dataset:
    lead = ("group",) if groups.grouped else ()
    result = xr.Dataset(
        {**result_variables({"value": groups.over(found)}, lead), **variables_of(groups)},
        coords={"metric": groups.metrics},
    )
    if groups.grouped:
        result = result.assign_coords(group=groups.labels())
    result.attrs = result_facts(groups, statistic=statistic, **facts)
    return result
