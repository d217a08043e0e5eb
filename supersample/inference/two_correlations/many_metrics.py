"""Compare many metrics on new systems: which could be the best, and which pairs differ.

`best_of_tests` finds the metrics that could be the best, with `fisher_jackknife` as the test of a
pair. For differences of pairs, each pair borrows variance from other pairs: a dozen systems hardly
determine the variance of one difference, and with many pairs the necessary quantile is far in the
tail of its error; all pairs of a metric together determine it better. ``experiments/best`` chose
and confirmed statistics, distributions and constants.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from supersample.errors import InputError
from supersample.inference.arguments import Floats, Interval
from supersample.inference.comparisons_with_best import WithBest, best_of_tests, not_before_best
from supersample.inference.resampling.p_values import holm
from supersample.inference.two_correlations.averages import (
    AveragedDifference,
    SetDifferences,
    average_difference,
)
from supersample.inference.two_correlations.system_scores import (
    ScorePairs,
    fisher_jackknife_interval,
    score_pairs,
)

DIVISOR = 1.05
"""Divisor of the statistic of a pair, calibrated."""
OWN_WEIGHT = 0.5
"""Weight of a pair's own variance relative to the borrowed variance, calibrated."""


class ComparedMetrics(NamedTuple):
    """All metrics compared at once.

    Parameters
    ----------
    with_best : WithBest
        Which metrics could be the best, and limits of how far r is behind the best r.
    adjusted : ndarray, shape (K, K)
        p-values of all pairs, adjusted for all pairs; 1 on the diagonal and for copies. NaN without
        a correlation. No p-value is below ``p_best`` of the worse metric, so a metric that is
        significantly worse than another cannot be the best.
    """

    with_best: WithBest
    adjusted: Floats


def compare_metrics(scores: ArrayLike, *, confidence_level: float = 0.95) -> ComparedMetrics:
    """Compare the correlations of all metrics with the human scores, simultaneously.

    The statistic of a pair is T_jk = (z_j - z_k) / (1.05 s_jk), with

        log s_jk^2 = (v_jk + (m_j + m_k) / 2) / 2,

    where v_jk is the mean of the logs of the normal variance and of the jackknife's variance of
    z_j - z_k, and m_j the mean of the larger half of metric j's v_jl (only the larger half, because
    near-copies say nothing about other pairs). It is compared with the normal distribution and
    adjusted by Holm's method. With two metrics it is the quantile of `fisher_jackknife`.

    Copies, and affine copies, of a metric have its result.

    Parameters
    ----------
    scores : array_like, shape (n, 1 + K)
        Scores of n systems, human scores in the first column, signed so that higher is better.
    confidence_level : float, default 0.95
        Level of the limits.

    Returns
    -------
    ComparedMetrics

    Raises
    ------
    InputError
        If the shape does not fit.

    References
    ----------
    Hsu (1984) and Edwards and Hsu (1983), as in `best_of_tests`. Holm (1979), "A simple
    sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6. Smyth
    (2004), "Linear models and empirical Bayes methods", Statistical Applications in Genetics and
    Molecular Biology 3 (variances that tests borrow from each other).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> quality = rng.normal(size=16)
    >>> noise = rng.normal(size=(16, 3)) * [0.1, 0.2, 2.0]
    >>> scores = np.column_stack([quality, quality[:, np.newaxis] + noise])
    >>> compare_metrics(scores).with_best.p_best > 0.05
    array([ True, False, False])
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] < 2:
        raise InputError(f"expected scores of shape (systems, 1 + metrics), not {x.shape}")
    count = x.shape[1] - 1
    own = score_pairs(x, np.arange(count), np.arange(count))
    pairs = score_pairs(x, *np.triu_indices(count, 1))
    limits = fisher_jackknife_interval(pairs, confidence_level=confidence_level)
    return compare_score_pairs(own.r_a, pairs, limits, confidence_level=confidence_level)


def compare_score_pairs(
    r: Floats, pairs: ScorePairs, limits: Interval, *, confidence_level: float
) -> ComparedMetrics:
    """Compare as `compare_metrics` does, given r of each metric, all pairs and their limits."""
    logs = (np.log(pairs.normal_variance) + np.log(pairs.jackknife_variance)) / 2
    statistic = _borrowed(pairs.z_a - pairs.z_b, logs, r, pairs.same)
    tests = PairTests(pairs.quantile, pairs.r_a - pairs.r_b, *limits, statistic, pairs.same)
    return compare_pairs(r, tests, confidence_level=confidence_level)


class PairTests(NamedTuple):
    """Tests and intervals of all pairs of metrics, in the order of ``np.triu_indices``."""

    quantile: Floats
    difference: Floats
    lower: Floats
    upper: Floats
    adjusted: Floats
    """Statistic that is corrected for all pairs, standard normal of equal metrics."""
    same: NDArray[np.bool_]
    """Whether both metrics are copies."""


def compare_averages(
    values: Floats, sets: SetDifferences, *, confidence_level: float = 0.95
) -> tuple[AveragedDifference, ComparedMetrics]:
    """Compare all metrics on average over sets, as `compare_metrics` does on one.

    Parameters
    ----------
    values : ndarray, shape (K,)
        Values by which metrics are ordered; NaN if undefined.
    sets : SetDifferences
        Differences of all pairs.
    confidence_level : float, default 0.95

    Returns
    -------
    AveragedDifference
        Tests and limits of each pair.
    ComparedMetrics
        All metrics at once; the borrowed variance is the variance of the average.
    """
    averaged = average_difference(sets, confidence_level=confidence_level)
    plain = sets.combined(sets.plain)
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead = averaged.difference * plain / sets.combined(sets.plain, sets.slope)
        statistic = _borrowed(ahead, 2 * np.log(plain), values, sets.copies)
    tests = PairTests(averaged.statistic, *averaged[:3], statistic, sets.copies)
    return averaged, compare_pairs(values, tests, confidence_level=confidence_level)


def compare_pairs(
    values: Floats, tests: PairTests, *, confidence_level: float = 0.95
) -> ComparedMetrics:
    """Compare all metrics at once by the tests of all pairs; see `compare_metrics`."""
    count = values.size
    first, distinct = _copies(values, tests.same)
    quantiles = _matrix(tests.quantile, count, -1.0)
    ahead = _matrix(tests.difference, count, -1.0)
    np.fill_diagonal(ahead, values - values)
    limits = _matrix(tests.upper, count, 1.0)
    below = np.tril_indices(count, -1)
    limits[below] = _matrix(-tests.lower, count, 1.0)[below]
    best = best_of_tests(quantiles, ahead, limits, confidence_level=confidence_level)
    statistic = _matrix(tests.adjusted, count, -1.0) if distinct.size > 2 else quantiles
    adjusted = _adjusted(np.where(np.isnan(quantiles), np.nan, statistic), distinct)
    at_first = np.where(np.isnan(values), np.nan, adjusted[np.ix_(first, first)])
    at_first = np.where(np.isnan(values)[:, np.newaxis], np.nan, at_first)
    told = not_before_best(values, at_first, best)
    return ComparedMetrics(best, np.where(first[:, np.newaxis] != first, told, at_first))


def _copies(values: Floats, same: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the first copy of each metric, and the distinct metrics with a value."""
    first = (_matrix(same, values.size, 1.0) + np.eye(values.size)).argmax(axis=1)
    return first, np.unique(first[~np.isnan(values)])


def _matrix(values: ArrayLike, count: int, sign: float) -> Floats:
    """Matrix (K, K) of pairs; `sign` is that of the lower half."""
    first, second = np.triu_indices(count, 1)
    found = np.zeros((count, count))
    found[first, second] = values
    found[second, first] = sign * found[first, second]
    return found


def _borrowed(
    ahead: Floats, log_variance: Floats, values: Floats, same: NDArray[np.bool_]
) -> Floats:
    """T of all pairs, with variances borrowed among the distinct metrics; NaN of fewer than 3."""
    _, distinct = _copies(values, same)
    size, count = values.size, distinct.size
    if count < 3:
        return np.full(ahead.shape, np.nan)
    at = np.ix_(distinct, distinct)
    variance = _matrix(log_variance, size, 1.0)[at]
    others = np.sort(variance[~np.eye(count, dtype=bool)].reshape(count, count - 1), axis=1)
    larger = others[:, (count - 1) // 2 :].mean(axis=1)
    mean = (larger[:, np.newaxis] + larger) / 2
    mixed = np.full((size, size), np.nan)
    mixed[at] = OWN_WEIGHT * variance + (1 - OWN_WEIGHT) * mean
    return np.asarray(ahead * np.exp(-mixed[np.triu_indices(size, 1)] / 2) / DIVISOR)


def _adjusted(statistic: Floats, distinct: NDArray[np.int64]) -> Floats:
    """Holm's adjustment of all pairs of the distinct metrics, NaN for others; 1 on the diagonal."""
    first, second = (distinct[index] for index in np.triu_indices(distinct.size, 1))
    adjusted = np.full(statistic.shape, np.nan)
    adjusted[distinct, distinct] = 1.0
    p = holm(2 * ndtr(-np.abs(statistic[first, second])))
    adjusted[first, second] = adjusted[second, first] = p
    return adjusted
