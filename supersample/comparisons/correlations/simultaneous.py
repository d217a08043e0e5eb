"""Comparisons of all metrics over the systems at once, by procedures that need system scores."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.correlations.correlate import BASIS, correlate
from supersample.comparisons.correlations.differences import with_differences
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    OrientationWarning,
    check_choice,
    check_confidence_level,
)
from supersample.inference.resampling.p_values import may_be_best
from supersample.inference.two_correlations.averages import average_difference
from supersample.inference.two_correlations.best_set import compare_metrics, sign_flips
from supersample.inference.two_correlations.system_scores import (
    MEASURED_N,
    projection_interval,
    score_pairs,
    williams_jackknife,
)
from supersample.results.comparisons import (
    ALTERNATIVES,
    adjusted_p_values,
    difference_matrix,
    is_significant,
    limit_matrices,
)
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.system_level import HYBRIDS, SYSTEMS, Basis, bases_of

SYSTEM_METHOD = "williams-jackknife"
FLIPS = 1_999
LOWEST_R = 0.7
"""Lowest r that level and coverage were measured at."""
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
    parts = [
        _of_basis(
            basis, alternative, confidence_level, sign_flips(len(basis.scores), flips, seed=seed)
        )
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


def differences_over_systems(
    rows: Sequence[NDArray[np.float64]],
    average_r: NDArray[np.float64],
    average: str,
    shared_systems: bool,
    confidence_level: float,
    seed: int,
) -> dict[str, NDArray[Any]]:
    """Test and bound differences in each of several groups, and on average, which comes first.

    Parameters
    ----------
    rows : sequence of ndarray, shape (systems, 1 + metrics)
        Oriented scores of each group, the human ones first.
    average_r : ndarray, shape (metrics,)
        What metrics are ordered by on average.
    average : {"arithmetic", "fisher"}
    shared_systems, confidence_level
        As for `average_difference`.
    seed : int
        Of the sign flips of each group, as in `compare_over_systems`.

    Returns
    -------
    dict
        Limits, p_value, significant, p_simultaneous, p_best, stacked along the groups.
    """
    count = average_r.size
    first, second = np.triu_indices(count, 1)
    pairs = [score_pairs(scores, first, second) for scores in rows]
    options: dict[str, Any] = {
        "scale": "r" if average == "arithmetic" else "z",
        "confidence_level": confidence_level,
    }
    averaged = average_difference(pairs, shared_systems=shared_systems, **options)
    found = [averaged, *(average_difference([group], **options) for group in pairs)]
    together = [
        compare_metrics(scores, sign_flips(len(scores), FLIPS, seed=seed)) for scores in rows
    ]
    p = np.stack([_matrix(average_r, 1.0, each.p_value, each.p_value) for each in found])
    limits = [limit_matrices(average_r, each.lower, each.upper) for each in found]
    holm = adjusted_p_values(p[0], "two-sided")["p_holm"]
    return {
        "difference_lower": np.stack([lower for lower, _ in limits]),
        "difference_upper": np.stack([upper for _, upper in limits]),
        "p_value": p,
        "significant": is_significant(p, 1.0 - confidence_level),
        "p_simultaneous": np.stack([holm, *(each.adjusted for each in together)]),
        "p_best": np.stack(
            [may_be_best(average_r, holm), *(each.may_be_best for each in together)]
        ),
    }


def outside_measured_range(n: int, confidence_level: float, r: NDArray[np.float64]) -> list[str]:
    """Say what lies outside the range in which level and coverage were measured."""
    outside = []
    if not MEASURED_N[0] <= n <= MEASURED_N[1]:
        outside.append(f"{n} systems")
    if confidence_level != 0.95:
        outside.append(f"a level of {100 * confidence_level:g} %")
    if (r < LOWEST_R).any():
        outside.append(f"r below {LOWEST_R:g}")
    return outside


def _of_basis(
    basis: Basis, alternative: str, confidence_level: float, signs: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Compute tests, limits and simultaneous p-values of one basis."""
    scores = basis.scores
    count = scores.shape[1] - 1
    first, second = np.triu_indices(count, 1)
    pairs = score_pairs(scores, first, second)
    test = williams_jackknife(pairs, alternative=alternative)  # type: ignore[arg-type]
    turned = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    other = williams_jackknife(pairs, alternative=turned)  # type: ignore[arg-type]
    r = score_pairs(scores, np.arange(count), np.arange(count)).r_a
    lower, upper = limit_matrices(r, *projection_interval(pairs, confidence_level=confidence_level))
    together = compare_metrics(scores, signs)
    return {
        "statistic": _matrix(r, 0.0, test.statistic, -test.statistic),
        "p_value": _matrix(r, 1.0, test.p_value, other.p_value),
        "difference_lower": lower,
        "difference_upper": upper,
        "p_best": together.may_be_best,
        "p_simultaneous": together.adjusted,
    }


def _matrix(
    r: NDArray[np.float64],
    diagonal: float,
    above: NDArray[np.float64],
    below: NDArray[np.float64],
) -> NDArray[np.float64]:
    matrix = np.zeros((r.size, r.size))
    np.fill_diagonal(matrix, np.where(np.isnan(r), np.nan, diagonal))
    first, second = np.triu_indices(r.size, 1)
    matrix[first, second], matrix[second, first] = above, below
    return matrix
