"""How much accuracies owe to each single system."""

import numpy as np
import xarray as xr

from supersample.errors import InputError
from supersample.results.ranking import DIGITS, ranks
from supersample.results.variables import result_variables


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
