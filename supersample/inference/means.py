"""Means of several systems that were scored on the same texts: intervals, tests, rank intervals.

A mean is a sum over clusters of scores, such as documents, so its sampling covariance follows from
each cluster's contribution. Tests of all pairs are corrected together, so that everything which
is concluded from them (ranks, groups, the best) holds at once.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, ndtr, ndtri, stdtr, stdtrit

from supersample.inference.arguments import Floats, Interval, check_confidence_level
from supersample.inference.p_values import PairDifferences, holm, step_down_p_values
from supersample.tolerances import SUM_TIE, TINY

Parts = Sequence[tuple[Floats, Floats]]
"""Independent parts of a covariance of means, each with its degrees of freedom."""
FREEDOM_PER_MEAN = 2
"""Fewest degrees of freedom, for each mean, of a covariance that corrects tests of all pairs."""


def clustered_covariance(
    items: ArrayLike,
    influences: ArrayLike,
    clusters: ArrayLike,
    count: int,
    shares: ArrayLike | None = None,
) -> Floats:
    """Estimate the sampling covariance of means whose scores are dependent within clusters.

    Parameters
    ----------
    items : array_like of int, shape (rows,)
        Number of each score's mean.
    influences : array_like, shape (rows,)
        What each score adds to its mean's error: its weight times its distance from the mean.
    clusters : array_like of int, shape (rows,)
        Number of each score's cluster, from 0.
    count : int
        Number of means.
    shares : array_like, shape (clusters, count), optional
        Share of each cluster in each mean; by default equal.

    Returns
    -------
    ndarray, shape (count, count)
        The jackknife's, ``(U - 1) / U sum_u s_u s_u^T / (1 - h_u)^2`` over U clusters, where s_u
        sums the influences of a cluster, and h_u is its share.

    References
    ----------
    Bell and McCaffrey (2002), "Bias reduction in standard errors for linear regression with
    multi-stage samples", Survey Methodology 28, section 3 (the jackknife, CR3).

    Examples
    --------
    >>> clustered_covariance([0, 0, 0], [-0.5, 0.0, 0.5], [0, 1, 2], 1)
    array([[0.75]])
    """
    at = np.asarray(clusters, np.int64) * count + np.asarray(items, np.int64)
    number = int(np.max(clusters, initial=0)) + 1
    totals = np.bincount(at, np.asarray(influences, np.float64), number * count)
    equal = np.full((number, count), 1.0 / number)
    rest = 1.0 - (equal if shares is None else np.asarray(shares, np.float64))
    sums = totals.reshape(number, count) / np.where(rest > SUM_TIE, rest, 1.0)
    products = [(sums * column[:, np.newaxis]).sum(axis=0) for column in sums.T]
    return np.asarray(products) * ((number - 1) / number)


def degrees_of_freedom(shares: ArrayLike) -> Floats:
    """Degrees of freedom of each variance in a `clustered_covariance`: few large clusters have few.

    Those of the difference of means j and k are the degrees of freedom of a sum of squares with
    weights h_uj^2 + h_uk^2, where h are the shares (clusters, K), if all clusters vary alike. The
    result has the shape (K, K); its diagonal is for the means themselves.

    References
    ----------
    Carter, Schnepel and Steigerwald (2017), "Asymptotic behavior of a t-test robust to cluster
    heterogeneity", Review of Economics and Statistics 99 (the effective number of clusters).

    Examples
    --------
    >>> degrees_of_freedom([[0.25, 0.4], [0.25, 0.4], [0.25, 0.1], [0.25, 0.1]]).round(2)
    array([[3.  , 2.18],
           [2.18, 1.25]])
    """
    own = np.asarray(shares, np.float64) ** 2
    weights = own[:, :, np.newaxis] + own[:, np.newaxis]
    effective = weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0)
    return np.asarray(np.maximum(effective - 1.0, SUM_TIE))


def with_assessors(
    parts: Parts, items: ArrayLike, influences: Floats, clusters: ArrayLike, assessors: ArrayLike
) -> tuple[Floats, Floats]:
    """Add to parts of a covariance what crossed clusters add, such as assessors.

    It is the covariance by assessors, less that by the clusters of both, as far as this has no
    negative variance. Degrees of freedom are as in `compare_means`; the usual variance is the upper
    limit (at 90 %) of that by assessors in all, of which the documents' share is not taken away.

    References
    ----------
    Cameron, Gelbach and Miller (2011), "Robust inference with multiway clustering", Journal of
    Business and Economic Statistics 29, equation 2.13 and section 2.3.

    Examples
    --------
    >>> one = [(np.eye(1), np.full((1, 1), 3.0))]
    >>> with_assessors(one, [0] * 4, np.array([-1.0, -1.0, 1.0, 1.0]), range(4), [0, 0, 1, 1])
    (array([[11.66666667]]), array([[1.00...]]))
    """
    cells = np.unique(np.column_stack([clusters, assessors]), axis=0, return_inverse=True)[1]
    count = len(parts[0][0])
    people, both = (clustered_covariance(items, influences, x, count) for x in (assessors, cells))
    values, vectors = np.linalg.eigh(people - both)
    added = (vectors * np.maximum(values, 0.0)) @ vectors.T
    few = np.max(assessors) + 0.0 * added
    known = np.max(assessors) * max(1, count - 1)
    most = people * known / chdtri(known, 0.9)
    return _joined([*parts, (added, few)], [*(each for each, _ in parts), most])


def _joined(parts: Parts, usual: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Sum parts; degrees of freedom are the fewest if any one has its usual average variance."""
    own = [np.where(np.eye(len(x)), np.diag(x), _of_pairs(x)) for x, _ in parts]
    ways = [[*own[:k], _on_average(x), *own[k + 1 :]] for k, x in enumerate(usual)]
    found = [_error([*zip(way, [x for _, x in parts], strict=True)])[1] for way in (own, *ways)]
    return np.asarray(sum(each for each, _ in parts)), np.min(found, axis=0)


def _on_average(covariance: Floats) -> Floats:
    """Average variance of all means, on the diagonal, and of all pairs."""
    count, pairs = len(covariance), _of_pairs(covariance)
    of_pairs = pairs.sum() / max(1, count * (count - 1))
    return np.asarray(np.where(np.eye(count), np.diag(covariance).mean(), of_pairs))


class ComparedMeans(NamedTuple):
    """Intervals of means and of their differences, and tests of all pairs."""

    of_means: Interval
    of_differences: Interval
    p_value: Floats
    """Two-sided p-value of each pair, (K, K)."""
    adjusted: Floats
    """The same, corrected for all pairs; never below `p_value`."""


def compare_means(
    means: ArrayLike, parts: Parts, normals: ArrayLike, *, confidence_level: float = 0.95
) -> ComparedMeans:
    """Compare means with each other by Student's t, and correct the tests for all pairs.

    Each pair has Satterthwaite's degrees of freedom. A part with few shows the variance of a single
    pair so badly that many pairs seem to be free of it; so they are at most those where one part
    has the variance of the average pair. The correction is the step-down maximum of the
    tests' normal quantiles over draws from the normal distribution with this covariance. If most
    pairs have few degrees of freedom, the covariance is known too badly, and Holm's correction,
    which is valid under any dependence, takes its place.

    Parameters
    ----------
    means : array_like, shape (K,)
    parts : sequence of (ndarray, ndarray), each of shape (K, K)
        Independent parts of the sampling covariance, each with its `degrees_of_freedom`.
    normals : array_like, shape (B, K)
        Independent standard normal numbers.
    confidence_level : float, default 0.95

    Returns
    -------
    ComparedMeans
        Pairs are the row minus the column. Equal means have p = 1. A difference that no cluster
        changes has no error: its p is that of a sign test, corrected by Bonferroni's method.

    References
    ----------
    Satterthwaite (1946), "An approximate distribution of estimates of variance components",
    Biometrics 2. Westfall and Young (1993), as in `step_down_p_values`.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal(size=(999, 2))
    >>> found = compare_means([70.0, 60.0], [(np.eye(2) * 4.0, np.full((2, 2), 30.0))], draws)
    >>> print(found.of_means.lower.round(1), found.p_value[0, 1].round(4))
    [65.9 55.9] 0.0013
    """
    check_confidence_level(confidence_level)
    mean, drawn = np.asarray(means, np.float64), np.asarray(normals, np.float64)
    shared, freedom = _joined(parts, [each for each, _ in parts])
    error = np.sqrt(_of_pairs(shared))
    ahead = mean[:, np.newaxis] - mean
    t = np.divide(np.abs(ahead), error, out=np.zeros(error.shape), where=error > 0)
    constant = (error == 0) & (np.abs(ahead) > SUM_TIE * np.abs(mean).max())
    p = np.where(constant, 2.0**-freedom, 2 * stdtr(freedom, -t))
    at = np.triu_indices(mean.size, 1)
    values, vectors = np.linalg.eigh(shared)
    columns = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T @ drawn.T
    scale = np.divide(1.0, error, out=np.zeros(error.shape), where=error > 0)[at]
    quantiles = -ndtri(np.maximum(p[at], TINY) / 2)
    corrected = np.ones((mean.size, mean.size))
    if np.median(freedom[at]) < FREEDOM_PER_MEAN * mean.size:
        joint = holm(p[at])
    else:
        joint = step_down_p_values(quantiles, PairDifferences(columns, *at, scale))
    corrected[at] = corrected.T[at] = joint
    corrected = np.where(constant, np.minimum(1.0, p * max(1, at[0].size)), corrected)
    quantile = stdtrit(freedom, (1 + confidence_level) / 2)
    own, arm = np.diag(quantile) * np.sqrt(np.diag(shared)), quantile * error
    limits = Interval(mean - own, mean + own), Interval(ahead - arm, ahead + arm)
    return ComparedMeans(*limits, p, np.maximum(corrected, p))


def _of_pairs(covariance: Floats) -> Floats:
    """Variance of each difference; 0 where it is only rounding."""
    own = np.diag(covariance)
    variance = own[:, np.newaxis] + own - 2 * covariance
    return np.where(variance > SUM_TIE * np.maximum(own[:, np.newaxis], own), variance, 0.0)


def _error(parts: Parts) -> tuple[Floats, Floats]:
    """Find standard errors of sums of independent parts, and Satterthwaite's degrees of freedom."""
    total = np.sum([each for each, _ in parts], axis=0)
    below = np.sum([each**2 / freedom for each, freedom in parts], axis=0)
    every = np.sum([freedom for _, freedom in parts], axis=0)
    freedom = np.divide(total**2, below, out=every.astype(np.float64), where=below > 0)
    return np.sqrt(total), freedom


def implied(better: ArrayLike) -> NDArray[np.bool_]:
    """Add what follows: a mean above one that is above a third is above the third.

    Examples
    --------
    >>> implied([[False, True, False], [False, False, True], [False, False, False]])[0]
    array([False,  True,  True])
    """
    found = np.array(better, dtype=np.bool_)
    for middle in range(len(found)):
        found |= found[:, middle, np.newaxis] & found[middle]
    return found


def rank_intervals(better: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last rank that each mean can have, given which are better than which.

    If all of these are true at once, so are all intervals.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries", Review of Economic Studies 91,
    section 3.

    Examples
    --------
    >>> rank_intervals([[False, True, True], [False, False, False], [False, False, False]])
    (array([1, 2, 2]), array([1, 3, 3]))
    """
    above = implied(better)
    return 1 + above.sum(axis=0), len(above) - above.sum(axis=1)


def stouffer_p_values(p_values: Sequence[float]) -> float:
    """Combine p-values: that of the sum of their normal quantiles.

    References
    ----------
    Stouffer et al. (1949), The American Soldier, volume 1.

    Examples
    --------
    >>> round(stouffer_p_values([0.04, 0.04]), 4)
    0.0066
    """
    z = -ndtri(np.asarray(p_values, np.float64))
    return float(ndtr(-z.sum() / np.sqrt(z.size)))
