"""Every metric against one that was named beforehand."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.special import ndtri

from supersample.engine import Floats
from supersample.errors import InputError, check_choice
from supersample.inference.resampling.p_values import holm
from supersample.presentation.labels import POWER, alpha_of, leading_basis
from supersample.results.comparisons import denied, is_significant, no_less_than
from supersample.results.variables import PAIR, result_variables
from supersample.scores.system_level import SYSTEMS

_OF_PAIRS = ("difference", "difference_lower", "difference_upper", "p_value")
_MARKS = ("reference_free", "higher_is_better")


def compare_to_baseline(comparisons: xr.Dataset, baseline: str) -> xr.Dataset:
    """Compare every metric with a baseline: difference, interval, p-values, systems needed.

    Parameters
    ----------
    comparisons : xarray.Dataset
        What `rank`, `compare` or `compare_correlations` gave.
    baseline : str
        A metric. It is to be chosen before the scores are seen; of the best one, chosen by looking,
        ``p_best`` tells.

    Returns
    -------
    xarray.Dataset
        Along (basis or measure, group, metric), as far as the comparisons have these, without
        the baseline: ``value``, ``difference`` (of the metric less the
        baseline), its limits where there are any, ``p_value``, ``p_baseline`` (adjusted by Holm for
        these comparisons alone, and raised to just above the level where the interval of that
        level holds 0) and ``differs`` (p_baseline <= 1 - confidence_level, or the significance
        level). Of correlations without groups also ``systems_needed``: where a difference over
        systems is not shown, about how many systems would show it, adjusted for as many
        comparisons, with a probability of 0.8, if the observed one is the true one; NaN elsewhere.
        The attribute
        ``baseline`` names it, and ``comparisons`` counts the metrics that are compared with it;
        ``baseline_r`` is its r on the first basis that counts systems.

    Raises
    ------
    InputError
        If there is no such metric, no other one, or the comparisons have no p-values.

    Notes
    -----
    With q the normal quantile of p, which grows as the square root of n - 3, and m comparisons,
    ``3 + (n - 3) ((z(1 - alpha / (2 m)) + z(0.8)) / q)^2``: the usual normal sample size, at the
    level that Holm asks of the first of them. Both quantiles are two-sided, or one-sided as the
    comparisons are: alpha / m, and NaN where the difference points the other way.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> found = compare_to_baseline(rank(system_level_scores(load_example())), "good-90")
    >>> found["systems_needed"].sel(basis="systems", metric="strong-98").item()
    52.0
    """
    if "value" not in comparisons.variables or not {"basis", "measure"} & set(comparisons.dims):
        raise InputError(
            "a baseline is compared by what rank, compare or compare_correlations gave"
        )
    names = [str(name) for name in comparisons["metric"].to_numpy()]
    check_choice("metric", baseline, names)
    if len(names) < 2:
        raise InputError(f"{baseline} is the only metric; there is nothing to compare with it")
    if "p_value" not in comparisons:
        raise InputError(
            f"{comparisons.attrs['method']} gives no p-values to compare with a baseline by; "
            "compare without random units does"
        )
    others = [name for name in names if name != baseline]
    every = beside_each_other(comparisons)
    own = every.sel(metric=others, other_metric=baseline, drop=True)
    found = own[[name for name in ("n", "value", *_OF_PAIRS, *_MARKS) if name in own]]
    found = found.transpose(..., "metric")
    lead = tuple(str(dim) for dim in found["p_value"].dims[:-1])
    adjusted = own["p_beside"].transpose(*lead, "metric").to_numpy()
    alpha = alpha_of(comparisons)
    values: dict[str, NDArray[Any]] = {
        "p_baseline": adjusted,
        "differs": own["differs_beside"].transpose(*lead, "metric").to_numpy(),
    }
    if lead == ("basis",):
        values["systems_needed"] = _systems_needed(
            found, adjusted, alpha, 2 if comparisons.attrs["alternative"] == "two-sided" else 1
        )
    facts: dict[str, Any] = {"baseline": baseline, "comparisons": _compared(adjusted)}
    if "basis" in lead and "measure" not in lead:
        r = comparisons["value"].sel(metric=baseline, basis=leading_basis(comparisons))
        facts["baseline_r"] = float(r[0] if "group" in r.dims else r)
    return found.assign(result_variables(values, lead)).assign_attrs({**comparisons.attrs, **facts})


def beside_each_other(comparisons: xr.Dataset) -> xr.Dataset:
    """Compare every metric (metric) with each baseline (other_metric): p and whether it differs.

    ``p_beside`` is adjusted by Holm for the comparisons with that baseline alone; where an interval
    of the level of the tests holds zero, it exceeds that level.
    """
    if "p_value" not in comparisons:
        return comparisons
    p = comparisons["p_value"].transpose(..., *PAIR)
    others = p.to_numpy() + np.diag(np.full(p.sizes["metric"], np.nan))
    alpha = alpha_of(comparisons)
    untold = denied(comparisons, alpha).transpose(*p.dims).to_numpy()
    adjusted = no_less_than(np.apply_along_axis(holm, -2, others), alpha, untold)
    differs = is_significant(adjusted, alpha)
    return comparisons.assign(p_beside=(p.dims, adjusted), differs_beside=(p.dims, differs))


def _compared(p: NDArray[np.float64]) -> int:
    """Count the comparisons that Holm adjusts for, where there are most."""
    return max(1, int((~np.isnan(p)).sum(axis=-1).max()))


def _systems_needed(found: xr.Dataset, adjusted: Floats, alpha: float, sides: int) -> Floats:
    n = found["n"].to_numpy()[:, np.newaxis]
    on_systems = np.char.startswith(found["basis"].to_numpy().astype(str), SYSTEMS)[:, np.newaxis]
    comparisons = np.maximum((~np.isnan(adjusted)).sum(axis=-1, keepdims=True), 1)
    sought = ndtri(1 - alpha / (sides * comparisons)) + ndtri(POWER)
    quantile = -ndtri(found["p_value"].to_numpy() / sides)
    with np.errstate(divide="ignore"):
        needed = np.ceil(3 + (n - 3) * (sought / quantile) ** 2)
    return np.where(on_systems & (adjusted > alpha) & (quantile >= 0), needed, np.nan)
