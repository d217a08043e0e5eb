"""r over systems by formula: the tests and intervals that were validated for new systems.

`williams_jackknife` tests a difference, `projection_interval` bounds it, and `compare_metrics` has
the p-values of all metrics at once. Their level and coverage were measured for 8 to 24 systems, r
from .7 to .99 and a confidence level of 95 % (``experiments/honest_inference``).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.errors import InputError
from supersample.inference.arguments import Alternative
from supersample.inference.comparisons_with_best import best_of_tests, not_before_best, stacked
from supersample.inference.one_correlation.coefficients import pearson
from supersample.inference.one_correlation.intervals import fisher_interval, mean_interval
from supersample.inference.two_correlations.averages import average_difference
from supersample.inference.two_correlations.many_metrics import compare_metrics
from supersample.inference.two_correlations.registry import OVERLAPPING
from supersample.inference.two_correlations.system_scores import (
    MEASURED_N,
    projection_interval,
    score_pairs,
    williams_jackknife,
)
from supersample.results.comparisons import adjusted_p_values, limit_matrices

SYSTEM_METHOD = "williams-jackknife"
LOWEST_R = 0.7
"""Lowest r that level and coverage were measured at."""
SMALLEST_N = 4


def differences_of_r(
    scores: Floats, *, alternative: Alternative, confidence_level: float
) -> dict[str, Floats]:
    """Test and bound the difference of every two metrics' r, and compare all at once.

    Parameters
    ----------
    scores : ndarray, shape (systems, 1 + metrics)
        Oriented scores of systems, the human ones first.
    alternative : {"two-sided", "greater", "less"}
    confidence_level : float

    Returns
    -------
    dict
        statistic, p_value, difference_lower, difference_upper and p_simultaneous, each (metrics,
        metrics), and p_best, behind_lower and behind_upper (metrics,).
    """
    count = scores.shape[1] - 1
    first, second = np.triu_indices(count, 1)
    pairs = score_pairs(scores, first, second)
    test = williams_jackknife(pairs, alternative=alternative)
    turned: dict[str, Alternative] = {"greater": "less", "less": "greater"}
    other = williams_jackknife(pairs, alternative=turned.get(alternative, alternative))
    r = score_pairs(scores, np.arange(count), np.arange(count)).r_a
    lower, upper = limit_matrices(r, *projection_interval(pairs, confidence_level=confidence_level))
    together = compare_metrics(scores, confidence_level=confidence_level)
    return {
        "statistic": _matrix(r, 0.0, test.statistic, -test.statistic),
        "p_value": _matrix(r, 1.0, test.p_value, other.p_value),
        "difference_lower": lower,
        "difference_upper": upper,
        **together.with_best._asdict(),
        "p_simultaneous": together.adjusted,
    }


def average_differences_of_r(
    rows: Sequence[Floats],
    average_r: Floats,
    average: str,
    shared_systems: bool,
    confidence_level: float,
) -> dict[str, Floats]:
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

    Returns
    -------
    dict
        Limits, p_value, p_simultaneous, p_best, behind_lower and behind_upper, stacked along the
        groups.
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
    together = [compare_metrics(scores, confidence_level=confidence_level) for scores in rows]
    best = best_of_tests(
        _matrix(average_r, 0.0, averaged.statistic, -averaged.statistic),
        _matrix(average_r, 0.0, averaged.difference, -averaged.difference),
        _matrix(average_r, 0.0, averaged.upper, -averaged.lower),
        confidence_level=confidence_level,
    )
    p = np.stack([_matrix(average_r, 1.0, each.p_value, each.p_value) for each in found])
    limits = [limit_matrices(average_r, each.lower, each.upper) for each in found]
    holm = adjusted_p_values(p[0], "two-sided")["p_holm"]
    adjusted = not_before_best(average_r, holm, best)
    return {
        "difference_lower": np.stack([lower for lower, _ in limits]),
        "difference_upper": np.stack([upper for _, upper in limits]),
        "p_value": p,
        "p_simultaneous": np.stack([adjusted, *(each.adjusted for each in together)]),
        **stacked([best, *(each.with_best for each in together)])._asdict(),
    }


def compare_r(
    rows: Sequence[Floats], method: str, options: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Compare Pearson's r of every two metrics over the systems of one group, or of several.

    Parameters
    ----------
    rows : sequence of ndarray, shape (systems, 1 + metrics)
        Oriented scores of each group.
    method : str
        "williams-jackknife", or of one group a registered test of overlapping correlations.
    options : mapping
        alternative, confidence_level and shared_systems.

    Returns
    -------
    dict
        Limits of r and of differences, and p-values, of several groups the average's first.
    """
    level = options["confidence_level"]
    r = np.stack([pearson(scores)[0, 1:] for scores in rows])
    limits = [limits_of_r(each, len(of), level) for each, of in zip(r, rows, strict=True)]
    lower, upper = (np.stack(side) for side in zip(*limits, strict=True))
    if len(rows) == 1:
        how: dict[str, Any] = {"alternative": options["alternative"], "confidence_level": level}
        if method == SYSTEM_METHOD:
            found = differences_of_r(rows[0], **how)
        else:
            between = pearson(rows[0])[1:, 1:]
            found = differences_by_formula(r[0], between, len(rows[0]), method, **how)
        return {"lower": lower[0], "upper": upper[0], **found}
    if method != SYSTEM_METHOD or options["alternative"] != "two-sided":
        raise InputError(f"averages over groups are compared two-sided by {SYSTEM_METHOD}")
    shared = options["shared_systems"]
    found = average_differences_of_r(rows, r.mean(axis=0), "arithmetic", shared, level)
    none = np.full(r.shape[1], np.nan)
    with np.errstate(invalid="ignore"):
        mean = (none, none) if shared else mean_interval(r, lower, upper)
    return {
        "lower": np.concatenate([mean[0][np.newaxis], lower]),
        "upper": np.concatenate([mean[1][np.newaxis], upper]),
        **found,
    }


def differences_by_formula(
    r: Floats,
    between: Floats,
    n: ArrayLike,
    method: str,
    *,
    alternative: Alternative,
    confidence_level: float,
) -> dict[str, Floats]:
    """Test every two metrics by three correlations; bound the difference if the test has a bound.

    Parameters
    ----------
    r : ndarray, shape (..., metrics)
        Correlations with people.
    between : ndarray, shape (..., metrics, metrics)
        Correlations of metrics with each other.
    n : array_like, shape (...)
        Sample sizes; NaN follows from fewer than four.
    method : str
        A registered test of overlapping correlations.
    alternative : {"two-sided", "greater", "less"}
    confidence_level : float

    Returns
    -------
    dict
        statistic, p_value and perhaps difference_lower and difference_upper.
    """
    sizes = np.asarray(n)[..., np.newaxis, np.newaxis]
    pairs = np.broadcast_arrays(r[..., np.newaxis], r[..., np.newaxis, :], between, sizes)
    use = pairs[-1] >= SMALLEST_N
    arguments = [part[use] for part in pairs]
    chosen = OVERLAPPING[method]
    test = chosen.test(*arguments, alternative=alternative)
    computed = {"statistic": test.statistic, "p_value": test.p_value}
    if chosen.interval is not None:
        limits = chosen.interval(*arguments, confidence_level=confidence_level)
        computed |= {"difference_lower": limits.lower, "difference_upper": limits.upper}
    found = {name: np.full(use.shape, np.nan) for name in computed}
    for name, of_pairs in computed.items():
        found[name][use] = of_pairs
    return found


def limits_of_r(r: Floats, n: int, confidence_level: float) -> tuple[Floats, Floats]:
    """Fisher's limits of each r; NaN of fewer than four systems."""
    if n < SMALLEST_N:
        return np.full(r.shape, np.nan), np.full(r.shape, np.nan)
    return fisher_interval(r, n, confidence_level=confidence_level)


def outside_measured_range(n: int, confidence_level: float, r: Floats) -> list[str]:
    """Say what lies outside the range in which level and coverage were measured."""
    outside = []
    if not MEASURED_N[0] <= n <= MEASURED_N[1]:
        outside.append(f"{n} systems")
    if confidence_level != 0.95:
        outside.append(f"a level of {100 * confidence_level:g} %")
    if (r < LOWEST_R).any():
        outside.append(f"r below {LOWEST_R:g}")
    return outside


def _matrix(r: Floats, diagonal: float, above: Floats, below: Floats) -> Floats:
    matrix = np.zeros((r.size, r.size))
    np.fill_diagonal(matrix, np.where(np.isnan(r), np.nan, diagonal))
    first, second = np.triu_indices(r.size, 1)
    matrix[first, second], matrix[second, first] = above, below
    return matrix
