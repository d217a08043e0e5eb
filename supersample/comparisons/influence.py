"""How stable a result is: what changes when one system is left out."""

from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.compare import all_names, parts_of, placed
from supersample.comparisons.question import Question
from supersample.errors import InputError
from supersample.measures.registry import Measures
from supersample.presentation.labels import DIGITS
from supersample.resampling import Weights
from supersample.results.ranks_and_clusters import ranks
from supersample.results.variables import result_attrs, result_variables
from supersample.scores.selection import Mask

SMALLEST_LEFT_OUT = 5
"""Fewest systems of a set for leaving one out."""


def leave_one_out(
    scores: xr.Dataset, measure: Measures = "pearson", *, mask: Mask | None = None, seed: int = 0
) -> xr.Dataset:
    """Leave out each system in turn, and report what changes, by any measure.

    Segments and p-values of pairs of systems stay those of all systems. The range of values without
    a system shows how stable a value is; it is not a confidence interval.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores or system-level scores, with at least five systems.
    measure : str, Measure or sequence of them, default "pearson"
        See `as_measure`.
    mask, seed
        As in `agreement`.

    Returns
    -------
    xarray.Dataset
        Metrics in the order of the first measure's values: ``value``, ``rank`` (measure, metric)
        with all systems; ``value_without``, ``rank_without`` (measure, system, metric) without the
        system. `outlier_systems` says which systems are far from the others.

    Raises
    ------
    InputError
        As `agreement`; or if there are fewer than five systems.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = leave_one_out(load_example(), "SPA")
    >>> without = found["value_without"].sel(measure="SPA", metric="strong-95")
    >>> round(float(without.min()), 3), round(float(without.max()), 3)
    (0.863, 0.917)
    """
    parts = parts_of(scores, Question(measure, mask=mask, seed=seed))
    names = parts[0].of[0].scores["system"].to_numpy().astype(str)
    if (count := names.size) < (least := SMALLEST_LEFT_OUT):
        raise InputError(f"to leave one system out, at least {least} are needed; there are {count}")
    draws = Weights(1.0 - np.eye(names.size), None, np.zeros(0, np.int64))
    values, order, metrics = [], [], all_names(parts)
    for part in parts:
        measured = part.of[0]
        own = np.concatenate([measured.values[np.newaxis], measured.resampled(draws)])
        values.append(placed(own, part, metrics))
        order.append(ranks((part.sign * values[-1]).round(DIGITS)))
    found: dict[str, Any] = {}
    for name, each in (("value", np.stack(values)), ("rank", np.stack(order))):
        found |= {name: each[:, 0], f"{name}_without": each[:, 1:]}
    measures = [part.measure.name for part in parts]
    result = xr.Dataset(
        result_variables(found, ("measure",)),
        coords={"measure": measures, "metric": metrics, "system": names},
        attrs=result_attrs(
            scores.attrs,
            n=[names.size],
            counted=["systems"],
            kind="influence",
            statistic=f"{','.join(measures)} without each system",
        ),
    )
    return result.isel(metric=np.argsort(order[0][0], kind="stable"))
