"""Comparisons of all metrics over the systems at once, by procedures that need system scores."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from supersample.comparisons.correlations.correlate import BASIS, correlate
from supersample.comparisons.correlations.differences import with_differences
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    OrientationWarning,
    check_choice,
    check_confidence_level,
)
from supersample.measures.formulas import (
    FLIPS,
    SYSTEM_METHOD,
    differences_of_r,
    outside_measured_range,
)
from supersample.results.comparisons import ALTERNATIVES, difference_matrix
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.system_level import HYBRIDS, SYSTEMS, bases_of

TESTED = ("statistic", "p_value", "p_holm", "p_bh", "significant")
LIMITS = ("difference_lower", "difference_upper")
SIMULTANEOUS = ("p_best", "p_simultaneous")


def compare_over_systems(
    data: xr.Dataset,
    *,
    alternative: str = "two-sided",
    bases: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    flips: int = FLIPS,
    seed: int = 0,
) -> xr.Dataset:
    """Compare every two metrics over the systems, allowing for tails, and all metrics at once.

    The test is `williams_jackknife`, the interval `projection_interval`, the simultaneous p-values
    are of `compare_metrics`. Their level and coverage were measured for 8 to 24 systems, r from .7
    to .99 and a confidence level of 95 % (``experiments/honest_inference``).

    Parameters
    ----------
    data : xarray.Dataset
        A sample of `hybrid_supersample`, Scores, or system-level scores.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater" is that `metric` agrees better with people than `other_metric`; of ``p_value`` and
        what is adjusted from it. Simultaneous p-values are two-sided.
    bases : sequence of str, optional
        Among "systems", the default, and "systems without outliers".
    confidence_level : float, default 0.95
    flips : int, default 1_999
        Sign flips of the model confidence set; all of them where there are no more.
    seed : int, default 0
        Of the flips.

    Returns
    -------
    xarray.Dataset
        As `compare_correlations` gives, with the limits of the difference, and:

        ``p_best`` (basis, metric)
            p-value of the hypothesis that the metric is among the best. Metrics with more than
            1 - confidence_level form the model confidence set.
        ``p_simultaneous`` (basis, metric, other_metric)
            p-value of the pair adjusted for all pairs, and for ``p_best`` beside them.

        NaN with fewer than five systems, and where an r is NaN.

    Raises
    ------
    InputError
        If a basis is not of systems, or an option is out of range.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = compare_over_systems(load_example())
    >>> int((found["p_best"] > 0.05).sum()), int((found["p_simultaneous"] <= 0.05).sum())
    (7, 2)
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    check_confidence_level(confidence_level)
    names = [SYSTEMS] if bases is None else list(bases)
    if HYBRIDS in names:
        raise InputError(f"{SYSTEM_METHOD} is a test over systems; hybrids are not independent")
    correlations = correlate(data, bases=names, confidence_level=confidence_level)
    how: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    parts = [
        differences_of_r(basis.scores, flips=flips, seed=seed, **how)
        for basis in bases_of(data, names)
    ]
    values = {name: np.stack([part[name] for part in parts]) for name in parts[0]}
    pairwise = {name: values[name] for name in values if name not in SIMULTANEOUS}
    pairwise["difference"] = difference_matrix(correlations["value"].to_numpy())
    compared = with_differences(
        correlations,
        pairwise,
        method=SYSTEM_METHOD,
        alternative=alternative,
        confidence_level=confidence_level,
        flips=flips,
        flips_seed=seed,
        outside_measured_range=", ".join(
            outside_measured_range(
                int(correlations["n"][0]), confidence_level, correlations["value"].to_numpy()
            )
        ),
    )
    return compared.assign(result_variables({name: values[name] for name in SIMULTANEOUS}, BASIS))


def with_systems_compared(comparisons: xr.Dataset, data: xr.Dataset) -> xr.Dataset:
    """Put what `compare_over_systems` gives in the place of another method's on bases of systems.

    Parameters
    ----------
    comparisons : xarray.Dataset
        What `compare_correlations` gave, on hybrids too. Their seed (0 where nothing was drawn) is
        that of the sign flips.
    data : xarray.Dataset
        What it was given, or the sample without its hybrids' scores.

    Returns
    -------
    xarray.Dataset
        The comparisons, with ``p_best`` and ``p_simultaneous``, NaN on hybrids, limits of
        differences (on hybrids NaN without an interval of the method), and the attribute
        ``systems_method``.
    """
    existing = [str(basis) for basis in comparisons["basis"].to_numpy()]
    bases = [basis for basis in existing if basis != HYBRIDS]
    facts = comparisons.attrs
    with warnings.catch_warnings():
        for told in (DegenerateScoreWarning, OrientationWarning):  # by the comparisons
            warnings.simplefilter("ignore", told)
        found = compare_over_systems(
            data,
            bases=bases,
            alternative=facts["alternative"],
            confidence_level=facts["confidence_level"],
            seed=int(facts.get("seed", 0)),
        )
    added = [*SIMULTANEOUS, *(name for name in LIMITS if name not in comparisons)]
    result = comparisons.assign(found[added].reindex(basis=existing).data_vars)
    for name in (*TESTED, *LIMITS):
        values = result[name].copy(deep=True)
        values.loc[{"basis": bases}] = found[name]
        result[name] = values
    result.attrs = result_attrs(
        {
            **facts,
            "systems_method": SYSTEM_METHOD,
            "flips_seed": found.attrs["flips_seed"],
            "outside_measured_range": found.attrs["outside_measured_range"],
        },
        n=result["n"].to_numpy(),
        counted=existing,
    )
    return result
