"""How much a result owes to each single system."""

import warnings
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.correlations.correlate import correlate
from supersample.comparisons.correlations.differences import compare_correlations
from supersample.errors import DegenerateScoreWarning, InputError, OrientationWarning
from supersample.results.ranking import rank
from supersample.scores.system_level import SYSTEMS, outlier_names, system_level_scores


def leave_one_out(
    data: xr.Dataset,
    *,
    method: str = "zou2007",
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Leave out one original system after the other, and see what changes.

    Parameters
    ----------
    data : xarray.Dataset
        A sample, Scores or system-level scores, with at least five systems.
    method : str, default "zou2007"
        As for `compare_correlations`; two-sided. A formula, since all pairs are tested again
        without each system; `compare_over_systems`, which allows for tails, may find fewer.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        With metrics in the order of the full ranking:

        ``r``, ``rank`` (metric)
            With all systems.
        ``r_without``, ``rank_without`` (system, metric)
            Without the system.
        ``wins_over`` (metric, other_metric), ``wins_over_without`` (system, metric, other_metric)
            Which metric is significantly better than which.
        ``wins_changed`` (system)
            How many pairs of metrics change: win, loss or neither.
        ``largest_change`` (system)
            Of any metric's r, in absolute value.

        The attribute ``outliers`` names the outliers of `outlier_systems`.

    Raises
    ------
    InputError
        As `compare_correlations`, or with fewer than five systems.

    Examples
    --------
    >>> from supersample import load_example
    >>> influence = leave_one_out(load_example())
    >>> str(influence["system"].values[influence["largest_change"].argmax("system")])
    'system-09'
    """
    systems = system_level_scores(data)
    count = systems.sizes["system"]
    if count < 5:
        raise InputError(f"to leave one out, at least 5 systems are needed, there are {count}")

    original = systems[["system_human", "system_score", "higher_is_better"]]
    options: dict[str, Any] = {"method": method, "confidence_level": confidence_level}
    whole = rank(compare_correlations(original, bases=[SYSTEMS], **options)).isel(
        basis=0, drop=True
    )
    metrics = whole["metric"].to_numpy()
    order = {"metric": metrics, "other_metric": metrics}
    with warnings.catch_warnings():
        # what does not vary without one system shows as NaN in its row
        warnings.simplefilter("ignore", DegenerateScoreWarning)
        warnings.simplefilter("ignore", OrientationWarning)  # all systems tell of it
        correlations = [
            correlate(original.isel(system=np.delete(np.arange(count), left)), bases=[SYSTEMS])
            for left in range(count)
        ]
        # which metrics are identical depends on the systems that are left
        joined = xr.concat(
            correlations, "basis", data_vars=["identical"], coords="minimal", compat="override",
            join="override", combine_attrs="override",
        )  # fmt: skip
        without = rank(compare_correlations(joined, **options)).sel(order)
    r_without = without["value"].to_numpy()
    wins = without["wins_over"].to_numpy()
    changed = wins != whole["wins_over"].to_numpy()
    either = changed | changed.swapaxes(1, 2)
    change = np.abs(r_without - whole["value"].to_numpy())
    largest = np.where(np.isnan(change).all(axis=1), np.nan, np.nanmax(change, axis=1, initial=0))
    return xr.Dataset(
        {
            "r": whole["value"],
            "rank": whole["rank"],
            "wins_over": whole["wins_over"],
            "r_without": (("system", "metric"), r_without),
            "rank_without": (("system", "metric"), without["rank"].to_numpy()),
            "wins_over_without": (("system", "metric", "other_metric"), wins),
            "wins_changed": ("system", np.triu(either, 1).sum(axis=(1, 2))),
            "largest_change": ("system", largest),
        },
        coords={"system": systems["system"].to_numpy(), **order},
        attrs={**whole.attrs, "outliers": outlier_names(systems)},
    )
