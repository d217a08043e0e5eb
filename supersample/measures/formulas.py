"""r over systems by formula: tests and intervals for new systems.

`fisher_jackknife` tests a difference, its interval is that test turned round, and `compare_metrics`
gives p-values for all metrics at once. Level and coverage were measured for 8 to 24 systems and r
from .7 to .99 (``experiments/difference``). `concluded_over_sets` compares averages over sets in
the same way, for every measure.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.errors import InputError
from supersample.inference.arguments import Alternative
from supersample.inference.coefficients import pearson
from supersample.inference.comparisons_with_best import (
    ComparedMetrics,
    PairTests,
    compare_averages,
    compare_metrics,
    compare_pairs,
)
from supersample.inference.one_correlation import interval_of_r, mean_interval, weighted_mean
from supersample.inference.teams import influences, teams_of, unit_names
from supersample.inference.two_correlations import OVERLAPPING
from supersample.inference.two_correlations.averages import (
    AveragedDifference,
    SetDifferences,
    correlations_of,
    over_new_sets,
    set_differences,
)
from supersample.inference.two_correlations.fisher_jackknife import (
    FEWEST_SYSTEMS,
    MEASURED_N,
    SYSTEM_METHOD,
    fisher_jackknife,
    fisher_jackknife_interval,
    score_pairs,
)
from supersample.results.pairs import difference_matrix, limit_matrices, pair_matrix

LOWEST_R = 0.7
"""Lowest r at which level and coverage were measured."""
SMALLEST_N = 4


def differences_of_r(
    scores: Floats,
    *,
    teams: ArrayLike | None = None,
    alternative: Alternative,
    confidence_level: float,
) -> dict[str, Floats]:
    """Test each difference of r, compute its interval, and compare all metrics at once.

    Parameters
    ----------
    scores : ndarray, shape (systems, 1 + metrics)
        Oriented scores of systems; human scores come first.
    teams : array_like of str, shape (systems,), optional
        Team of each system; by default, each system is a team.
    alternative : {"two-sided", "greater", "less"}
    confidence_level : float

    Returns
    -------
    dict
        statistic, p_value, independent, difference_lower, difference_upper and p_simultaneous,
        shape (metrics, metrics); p_best, behind_lower and behind_upper, shape (metrics,).
    """
    count = scores.shape[1] - 1
    first, second = np.triu_indices(count, 1)
    pairs = score_pairs(scores, first, second, teams=teams)
    test = fisher_jackknife(pairs, alternative=alternative)
    turned: dict[str, Alternative] = {"greater": "less", "less": "greater"}
    other = test
    if alternative in turned:
        other = fisher_jackknife(pairs, alternative=turned[alternative])
    r = score_pairs(scores, np.arange(count), np.arange(count), teams=teams).r_a
    limits = fisher_jackknife_interval(pairs, confidence_level=confidence_level)
    lower, upper = limit_matrices(r, *limits)
    together = compare_metrics(r, pairs, limits, confidence_level=confidence_level)
    units = np.broadcast_to(pairs.units, first.shape)
    return {
        "independent": pair_matrix(r, len(scores), units, units),
        "statistic": pair_matrix(r, 0.0, test.statistic, -test.statistic),
        "p_value": pair_matrix(r, 1.0, test.p_value, other.p_value),
        "difference_lower": lower,
        "difference_upper": upper,
        **together.with_best._asdict(),
        "p_simultaneous": together.adjusted,
    }


class AveragedR(NamedTuple):
    """How to average r over sets: language pairs, test sets, domains or documents.

    Parameters
    ----------
    systems : sequence of array_like
        Names of each set's systems, or of their teams. Equal names in two sets mean the same
        system, or team; equal names in one set mean systems of one team.
    weights : sequence of float, optional
        Weight of each set; equal by default.
    present : ndarray of bool, shape (sets, metrics), optional
        Whether a set has a metric; all True by default. A difference is averaged over the sets with
        both metrics; see `averages` for values.
    """

    systems: Sequence[NDArray[Any]]
    weights: Sequence[float] | None = None
    present: NDArray[np.bool_] | None = None

    def weights_of(self, metrics: int) -> Floats:
        """Weights of each metric, (sets, metrics); 0 if a set lacks the metric."""
        count = len(self.systems)
        each = np.ones(count) if self.weights is None else np.asarray(self.weights, np.float64)
        present = np.ones((count, metrics)) if self.present is None else self.present
        return np.asarray(each[:, np.newaxis] * present)

    def averages(self, values: Floats) -> Floats:
        """Average values of metrics, (sets, ..., metrics), with these weights.

        If sets lack metrics, a metric effect and a set effect are fitted by least squares, and a
        metric's average is its fit over all sets. So sets in which all metrics do well favour none.
        """
        w = self.weights_of(values.shape[-1])
        mean = weighted_mean(values, w.reshape(len(w), *[1] * (values.ndim - 2), -1))
        if self.present is None:
            return mean
        for at in np.ndindex(values.shape[1:-1]):
            mean[at] += _of_other_sets(values[(slice(None), *at)], w)
        return mean

    def differences(self, values: Floats) -> Floats:
        """Differences of values (sets, metrics): of their average, then of each set."""
        apart = difference_matrix(values)
        if self.present is None:
            mean = difference_matrix(self.averages(values))
        else:
            mean = weighted_mean(apart, self.weights_of_pairs(values.shape[-1]))
        return np.concatenate([mean[np.newaxis], apart])

    def weights_of_pairs(self, metrics: int) -> Floats:
        """Weights of each pair of metrics, (sets, metrics, metrics)."""
        weights = self.weights_of(metrics)
        return np.minimum(weights[:, :, np.newaxis], weights[:, np.newaxis, :])


def _of_other_sets(z: Floats, weights: Floats) -> Floats:
    """Correct means of metrics for the set effects of the sets that have them."""
    known = (weights > 0) & np.isfinite(z)
    sets, metrics = np.nonzero(known)
    design = np.zeros((sets.size, sum(z.shape)))
    rows, root = np.arange(sets.size), np.sqrt(weights[known])
    design[rows, sets] = design[rows, len(z) + metrics] = root
    fitted, _, rank, _ = np.linalg.lstsq(design, z[known] * root, rcond=None)
    if rank < np.unique(sets).size + np.unique(metrics).size - 1:
        raise InputError(
            "some sets share no metric with the others, so their metrics have no common "
            "order; compare metrics of more sets (--in-at-least)"
        )
    of_sets, each = fitted[: len(z)], weights.max(axis=1)
    with np.errstate(invalid="ignore"):
        own = (weights * of_sets[:, np.newaxis]).sum(axis=0) / weights.sum(axis=0)
    return np.asarray((each * of_sets).sum() / each.sum() - own)


def differences_over_sets_of_r(rows: Sequence[Floats], how: AveragedR) -> SetDifferences:
    """Differences of r for each pair of metrics in each of several sets, in closed form.

    Parameters
    ----------
    rows : sequence of ndarray, shape (systems, 1 + metrics)
        Oriented scores of each set; human scores come first.
    how : AveragedR
    """
    count = rows[0].shape[1] - 1
    first, second = np.triu_indices(count, 1)
    return set_differences(
        [
            score_pairs(scores, first, second, teams=names)
            for scores, names in zip(rows, how.systems, strict=True)
        ],
        how.systems,
        weights=how.weights_of_pairs(count)[:, first, second],
    )


def limits_over_sets_of_r(
    rows: Sequence[Floats], how: AveragedR, confidence_level: float
) -> tuple[Floats, Floats, Floats]:
    """R of each metric on average and in each set (in this order), and its limits.

    `rows` and `how` are those of `differences_over_sets_of_r`; arrays have shape (1 + sets,
    metrics).
    """
    r = np.stack([pearson(scores)[0, 1:] for scores in rows])
    each = np.arange(r.shape[1])
    limits = [
        interval_of_r(scores, teams=names, confidence_level=confidence_level)
        for scores, names in zip(rows, how.systems, strict=True)
    ]
    lower, upper = (np.stack(side) for side in zip(*limits, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        sets = zip(rows, how.systems, strict=True)
        own = [score_pairs(scores, each, each, teams=names) for scores, names in sets]
        names = unit_names(how.systems, [x.teams for x in own])
        on_z = [influences(x.z_a, x.left_a, x.teams) for x in own]
        rho = np.nan_to_num(correlations_of(on_z, names)[0])
        w = how.weights_of(each.size)
        mean = mean_interval(r, lower, upper, w, rho)
    below, above = (np.where((w > 0).all(axis=0), x, np.nan) for x in mean)
    of_groups = (how.averages(r), r), (below, lower), (above, upper)
    whole, below, above = (np.concatenate([x[np.newaxis], y]) for x, y in of_groups)
    return whole, below, above


def concluded_over_sets(
    values: Floats, sets: SetDifferences, confidence_level: float
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Test differences of metrics over several sets and compute intervals, for any measure.

    Parameters
    ----------
    values : ndarray, shape (1 + sets, metrics)
        Values of the average and of each set; larger is better.
    sets : SetDifferences
    confidence_level : float

    Returns
    -------
    dict
            Conclusions for new systems on these sets: limits of differences, p_value,
            p_simultaneous, p_best, behind_lower and behind_upper, for the average and for each set.
        dict
            Conclusions for new sets, for the average only: the same, and tau, i_squared,
            prediction_lower and prediction_upper of each pair.
    """
    level: dict[str, float] = {"confidence_level": confidence_level}
    parts = [sets, *map(sets.alone, range(len(sets.weights)))]
    columns = [
        _of_pairs(x, *compare_averages(x, part, **level))
        for x, part in zip(values, parts, strict=True)
    ]
    found = {name: np.stack([column[name] for column in columns]) for name in columns[0]}
    over_sets, average = over_new_sets(sets, **level), values[0]
    tests = over_sets.averaged
    pairs = PairTests(tests.statistic, *tests[:3], tests.statistic, sets.copies)
    new = _of_pairs(average, tests, compare_pairs(average, pairs, **level))
    for name, of_pairs in (("tau", over_sets.tau), ("i_squared", over_sets.i_squared)):
        new[name] = pair_matrix(average, 0.0, of_pairs, of_pairs)
    predicted = limit_matrices(average, over_sets.prediction_lower, over_sets.prediction_upper)
    new["prediction_lower"], new["prediction_upper"] = predicted
    return found, new


def _of_pairs(r: Floats, tests: AveragedDifference, compared: ComparedMetrics) -> dict[str, Floats]:
    """Name the tests and limits of all pairs, and the joint conclusions."""
    lower, upper = limit_matrices(r, tests.lower, tests.upper)
    return {
        "difference_lower": lower,
        "difference_upper": upper,
        "p_value": pair_matrix(r, 1.0, tests.p_value, tests.p_value),
        "p_simultaneous": compared.adjusted,
        **compared.with_best._asdict(),
    }


def compare_r(
    rows: Sequence[Floats], method: str, how: AveragedR, options: Mapping[str, Any]
) -> dict[str, NDArray[Any]]:
    """Compare Pearson's r of each pair of metrics over the systems of one or several groups.

    Parameters
    ----------
    rows : sequence of ndarray, shape (systems, 1 + metrics)
        Oriented scores of each group.
    method : str
        "fisher-jackknife"; for one group also a registered test of overlapping correlations.
    how : AveragedR
        How to average several groups.
    options : mapping
        alternative and confidence_level.

    Returns
    -------
    dict
        Limits of r and of differences, and p-values; with several groups the average comes first.
    """
    level = options["confidence_level"]
    if len(rows) > 1:
        if method != SYSTEM_METHOD or options["alternative"] != "two-sided":
            raise InputError(f"averages over groups are compared two-sided by {SYSTEM_METHOD}")
        values, lower, upper = limits_over_sets_of_r(rows, how, level)
        sets = differences_over_sets_of_r(rows, how)
        return {"lower": lower, "upper": upper, **concluded_over_sets(values, sets, level)[0]}
    between = pearson(rows[0])
    r = between[0, 1:]
    teams = how.systems[0]
    lower, upper = interval_of_r(rows[0], teams=teams, confidence_level=level)
    same: dict[str, Any] = {"alternative": options["alternative"], "confidence_level": level}
    if method == SYSTEM_METHOD:
        found = differences_of_r(rows[0], teams=teams, **same)
    elif teams_of(teams) is not None:
        raise InputError(f"{method} takes systems as independent; {SYSTEM_METHOD} knows teams")
    else:
        found = differences_by_formula(r, between[1:, 1:], len(rows[0]), method, **same)
    return {"lower": lower, "upper": upper, **found}


def differences_by_formula(
    r: Floats,
    between: Floats,
    n: ArrayLike,
    method: str,
    *,
    alternative: Alternative,
    confidence_level: float,
    bounds: str | None = None,
) -> dict[str, Floats]:
    """Test each pair of metrics by three correlations; add the interval, if the test has one.

    Parameters
    ----------
    r : ndarray, shape (..., metrics)
        Correlations with people.
    between : ndarray, shape (..., metrics, metrics)
        Correlations between the metrics.
    n : array_like, shape (...)
        Sample sizes; fewer than four give NaN.
    method : str
        A registered test of overlapping correlations.
    alternative : {"two-sided", "greater", "less"}
    confidence_level : float
    bounds : str, optional
        The test whose interval is used, by default that of the method.

    Returns
    -------
    dict
        statistic, p_value and, if there is an interval of r, difference_lower and difference_upper.
    """
    sizes = np.asarray(n)[..., np.newaxis, np.newaxis]
    pairs = np.broadcast_arrays(r[..., np.newaxis], r[..., np.newaxis, :], between, sizes)
    use = pairs[-1] >= SMALLEST_N
    arguments = [part[use] for part in pairs]
    test = OVERLAPPING[method].test(*arguments, alternative=alternative)
    computed = {"statistic": test.statistic, "p_value": test.p_value}
    of_limits = OVERLAPPING[bounds or method]
    if of_limits.interval is not None and of_limits.scale == "r":
        limits = of_limits.interval(*arguments, confidence_level=confidence_level)
        computed |= {"difference_lower": limits.lower, "difference_upper": limits.upper}
    found = {name: np.full(use.shape, np.nan) for name in computed}
    for name, of_pairs in computed.items():
        found[name][use] = of_pairs
    return found


def outside_measured_range(n: int, confidence_level: float, r: Floats) -> list[str]:
    """Name what is outside the range in which level and coverage were measured."""
    outside: list[str] = []
    if n < FEWEST_SYSTEMS:  # nothing is concluded
        return outside
    if not MEASURED_N[0] <= n <= MEASURED_N[1]:
        outside.append(f"{n} systems")
    if confidence_level != 0.95:
        outside.append(f"a level of {100 * confidence_level:g} %")
    if (r < LOWEST_R).any():
        outside.append(f"r below {LOWEST_R:g}")
    return outside
