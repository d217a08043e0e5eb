"""Compare every metric with one baseline that was named beforehand."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError, check_choice
from supersample.inference.resampling.p_values import holm
from supersample.inference.two_correlations.power import systems_needed
from supersample.inference.two_correlations.system_scores import SYSTEM_METHOD
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
        A result of `rank`, `compare` or `compare_correlations`.
    baseline : str
        A metric, which must be chosen before seeing the scores. For the best metric, chosen from
        the scores, use ``p_best``.

    Returns
    -------
    xarray.Dataset
        Dims (basis or measure, group, metric), if the comparisons have these, without the baseline:
        ``value``; ``difference``, the value of the metric minus that of the baseline, and its
        limits if there are any; ``p_value``; ``p_baseline``, adjusted by Holm for these
        comparisons, and raised to just above the level if the interval of that level contains 0;
        ``differs``, whether p_baseline is at most the level. If fisher-jackknife compares systems
        without groups, also ``systems_needed``: if the difference is not shown, the approximate
        number of systems with normal scores for a power of 0.8, corrected for as many comparisons,
        assuming that these are the true correlations; NaN otherwise, and if that number is not
        larger than the present one. Attributes: ``baseline``, its name; ``comparisons``, the number
        of metrics compared with it; ``baseline_r``, its r on the first basis that counts systems.

    Raises
    ------
    InputError
        If the metric does not exist, is the only one, or the comparisons have no p-values.

    Notes
    -----
    `systems_needed` assumes normal scores with these correlations, at the level of the first
    comparison in Holm's method; see `supersample.inference.two_correlations.power`, and `plan`,
    which simulates.

    Examples
    --------
    >>> from supersample import load_example, rank, system_level_scores
    >>> found = compare_to_baseline(rank(system_level_scores(load_example())), "good-90")
    >>> found["systems_needed"].sel(basis="systems", metric="strong-98").item()
    143.0
    """
    if "value" not in comparisons.variables or not {"basis", "measure"} & set(comparisons.dims):
        raise InputError("a baseline needs a result of rank, compare or compare_correlations")
    names = [str(name) for name in comparisons["metric"].to_numpy()]
    check_choice("metric", baseline, names)
    if len(names) < 2:
        raise InputError(f"{baseline} is the only metric; nothing can be compared with it")
    if "p_value" not in comparisons:
        raise InputError(
            f"{comparisons.attrs['method']} gives no p-values, which a baseline needs; "
            "compare without random units gives them"
        )
    others = [name for name in names if name != baseline]
    every = beside_each_other(comparisons)
    own = every.sel(metric=others, other_metric=baseline, drop=True)
    found = own[[name for name in ("n", "value", *_OF_PAIRS, *_MARKS) if name in own]]
    found = found.transpose(..., "metric")
    lead = tuple(str(dim) for dim in found["p_value"].dims[:-1])
    adjusted = own["p_beside"].transpose(*lead, "metric").to_numpy()
    values: dict[str, NDArray[Any]] = {
        "p_baseline": adjusted,
        "differs": own["differs_beside"].transpose(*lead, "metric").to_numpy(),
    }
    facts = comparisons.attrs
    if lead == ("basis",) and SYSTEM_METHOD in (facts["method"], facts.get("systems_method")):
        found = found.assign(differs=((*lead, "metric"), values["differs"]))
        values["systems_needed"] = _systems_needed(comparisons, baseline, found)
    told: dict[str, Any] = {"baseline": baseline, "comparisons": _compared(adjusted)}
    if "basis" in lead and "measure" not in lead:
        r = comparisons["value"].sel(metric=baseline, basis=leading_basis(comparisons))
        told["baseline_r"] = float(r[0] if "group" in r.dims else r)
    return found.assign(result_variables(values, lead)).assign_attrs({**facts, **told})


def beside_each_other(comparisons: xr.Dataset) -> xr.Dataset:
    """Compare every metric (metric) with each baseline (other_metric): p-value, and if it differs.

    ``p_beside`` is adjusted by Holm for the comparisons with that baseline only. If an interval of
    the tests' level contains zero, ``p_beside`` exceeds that level.
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
    """Largest number of comparisons for which Holm's method adjusts."""
    return max(1, int((~np.isnan(p)).sum(axis=-1).max()))


def _systems_needed(comparisons: xr.Dataset, baseline: str, found: xr.Dataset) -> Floats:
    """Systems needed for differences that are not shown over systems, (basis, metric); else NaN."""
    others = found["metric"].to_numpy()
    r = comparisons["value"].transpose("basis", "metric")
    between = comparisons["metric_r"].sel(metric=others, other_metric=baseline)
    compared = (~np.isnan(found["p_value"].transpose("basis", "metric").to_numpy())).sum(axis=1)
    needed = systems_needed(
        r.sel(metric=others).to_numpy(),
        r.sel(metric=[baseline]).to_numpy(),
        between.transpose("basis", "metric").to_numpy(),
        comparisons=np.maximum(compared, 1)[:, np.newaxis],
        power=POWER,
        confidence_level=1 - alpha_of(comparisons),
        alternative=comparisons.attrs["alternative"],
    )
    on_systems = np.char.startswith(found["basis"].to_numpy().astype(str), SYSTEMS)[:, np.newaxis]
    more = needed > found["n"].to_numpy()[:, np.newaxis]
    untold = ~found["differs"].transpose("basis", "metric").to_numpy()
    return np.where(on_systems & untold & more, needed, np.nan)
