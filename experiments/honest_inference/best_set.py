"""Which metrics may be the best, and which pairs differ, among many compared at once.

The metric with the largest correlation was picked for being the largest, so that counting the
unadjusted tests that it wins claims too much: of 25 equally good metrics it "wins" some in 95 % of
samples. Two statements survive the choice:

- a model confidence set (Hansen, Lunde and Nason 2011), which holds the truly best metric with a
  probability of at least the confidence level, and all metrics if all are equally good;
- p-values of all pairs adjusted by Holm (1979).

Both together are wrong with a probability of at most alpha, since each is made at alpha / 2
(doubled p-values); and a metric that another one beats leaves the set.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.honest_inference.earlier import williams_jackknife
from supersample.errors import InputError
from supersample.inference.arguments import Floats
from supersample.inference.p_values import holm
from supersample.inference.two_correlations.fisher_jackknife import ScorePairs, score_pairs
from supersample.tolerances import REPLICATE_TIE


class ComparedMetrics(NamedTuple):
    """All metrics compared at once.

    Parameters
    ----------
    may_be_best : ndarray, shape (K,)
        p-value of the hypothesis that the metric is among the best; those above alpha form the
        model confidence set of level 1 - alpha. NaN for a metric without a correlation.
    p_values : ndarray, shape (K, K)
        Of each pair by `williams_jackknife`, unadjusted; 1 on the diagonal.
    adjusted : ndarray, shape (K, K)
        The same adjusted for all pairs, and for the confidence set beside them.
    """

    may_be_best: Floats
    p_values: Floats
    adjusted: Floats


def sign_flips(n: int, flips: int = 1_999, *, seed: int = 0) -> Floats:
    """Vectors of n signs for the sign-flip distribution, a function of (n, flips, seed) alone.

    Parameters
    ----------
    n : int
        Number of systems.
    flips : int, default 1_999
        How many are drawn. Where n has no more than that many that differ by more than an overall
        sign, all of them are taken, the identity excepted.
    seed : int, default 0

    Returns
    -------
    ndarray of -1.0 and 1.0, shape (flips or fewer, n)

    Raises
    ------
    InputError
        If n or flips is not positive.

    Examples
    --------
    >>> sign_flips(3)
    array([[ 1., -1.,  1.],
           [ 1.,  1., -1.],
           [ 1., -1., -1.]])
    """
    if n < 1 or flips < 1:
        raise InputError(f"sign flips need n >= 1 and at least one flip, not {n} and {flips}")
    if n <= 30 and 2 ** (n - 1) - 1 <= flips:
        numbers = np.arange(1, 2 ** (n - 1))[:, np.newaxis]
        bits = np.concatenate([np.zeros_like(numbers), numbers >> np.arange(n - 1) & 1], axis=1)
    else:
        rng = np.random.Generator(np.random.Philox(key=seed))
        bits = rng.integers(0, 2, size=(flips, n))
    return np.asarray(1.0 - 2.0 * bits)


def compare_metrics(scores: ArrayLike, signs: ArrayLike) -> ComparedMetrics:
    """Compare the correlations of all metrics with the human scores, simultaneously.

    Are all correlations of the metrics that are still in the set equal? The statistic is ``max_k
    |z_k - mean z|``; Fisher's z has nearly the same variance for all metrics, and a metric's
    distance to the mean of many is known better than its distance to any one. Its distribution
    under equality is that of sign flips of the systems' influences on z,

        sqrt(n / (n - 3)) sum_i s_i (n - 1) (mean_j z_(j)k - z_(i)k) / n,    s_i = 1 or -1,

    z_(i)k without system i: a wild bootstrap with Rademacher multipliers, one sign for a system
    whatever the metric, so that the dependence between metrics is kept. The factor, with Fisher's
    n - 3, was chosen by simulation: without it equality is rejected in up to 8 % of samples, not 5.
    Where equality is rejected the metric with the least z leaves, until it is not; of the last two,
    `williams_jackknife` decides. A metric's p-value in the set is the largest of those up to its
    leaving, the last metric's is 1.

    Pairs have the p-values of `williams_jackknife`, adjusted by Holm. Set and pairs share the
    level: the p-values of both are doubled (not those of two metrics, which are one hypothesis),
    and a metric is as likely to be the best as its p-value in the set and those of the metrics
    ahead of it allow, ``min(1, 2 p_set, 2 min p_Holm)``.

    Metrics that are the same (copies, affine copies) enter once and share their result. Two that
    are opposites have no p-value (Williams' t is 0/0). What is not tested is not excluded: the pair
    counts as p = 1, so that where no others are left both may be the best.

    Parameters
    ----------
    scores : array_like, shape (n, 1 + K)
        Scores of n systems, the human scores in the first column, higher always better.
    signs : array_like, shape (B, n)
        Of `sign_flips`.

    Returns
    -------
    ComparedMetrics

    Raises
    ------
    InputError
        If the shapes do not fit.

    References
    ----------
    Hansen, Lunde and Nason (2011), "The model confidence set", Econometrica 79. Holm (1979), "A
    simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> quality = rng.normal(size=16)
    >>> noise = rng.normal(size=(16, 3)) * [0.1, 0.2, 2.0]
    >>> scores = np.column_stack([quality, quality[:, np.newaxis] + noise])
    >>> compare_metrics(scores, sign_flips(16)).may_be_best > 0.05
    array([ True, False, False])
    """
    x, flips = np.asarray(scores, dtype=np.float64), np.asarray(signs, dtype=np.float64)
    if x.ndim != 2 or flips.ndim != 2 or flips.shape[1] != x.shape[0]:
        raise InputError(
            f"expected scores (systems, 1 + metrics) and signs (flips, systems), "
            f"not {x.shape} and {flips.shape}"
        )
    p_values, of_metric, same = _pairs_of(x)
    distinct = _distinct(of_metric, same)
    chosen = np.unique(distinct[distinct >= 0])
    statements = 1 if chosen.size <= 2 else 2
    adjusted = np.minimum(1.0, statements * _holm(p_values, chosen))
    behind = of_metric.z_a[:, np.newaxis] > of_metric.z_a
    beaten = np.where(behind, np.nan_to_num(adjusted, nan=1.0), 1.0).min(axis=0, initial=1.0)
    best = np.minimum(statements * _confidence_set(of_metric, p_values, chosen, flips), beaten)
    defined = distinct >= 0
    both = defined[:, np.newaxis] & defined
    shared = np.where(both, adjusted[np.ix_(distinct, distinct)], np.nan)
    return ComparedMetrics(np.where(defined, best[distinct], np.nan), p_values, shared)


def _pairs_of(x: Floats) -> tuple[Floats, ScorePairs, NDArray[np.bool_]]:
    """p-values of all pairs, each metric beside itself, and which pairs are the same."""
    count = x.shape[1] - 1
    first, second = np.triu_indices(count, 1)
    pairs = score_pairs(x, first, second)
    of_metric = score_pairs(x, np.arange(count), np.arange(count))
    p_values = np.where(np.eye(count, dtype=bool), 1.0, np.nan)
    p_values[np.isnan(of_metric.r_a)] = np.nan
    p_values[first, second] = p_values[second, first] = williams_jackknife(pairs).p_value
    same = np.eye(count, dtype=bool)
    same[first, second] = same[second, first] = pairs.same
    return p_values, of_metric, same


def _distinct(of_metric: ScorePairs, same: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Of each metric, the first one that is the same; -1 without a correlation."""
    first = same.argmax(axis=1)
    return np.where(np.isnan(of_metric.r_a), -1, first).astype(np.int64)


def _confidence_set(
    of_metric: ScorePairs, p_values: Floats, chosen: NDArray[np.int64], signs: Floats
) -> Floats:
    """p-values of the model confidence set of the chosen metrics, NaN for others."""
    n, z = of_metric.n, of_metric.z_a
    influences = (n - 1) * (of_metric.left_a.mean(axis=0) - of_metric.left_a)
    scale = np.sqrt(n / max(n - 3, 1)) / n
    flipped = scale * (signs @ np.where(np.isfinite(influences), influences, 0.0))
    best = np.full(z.shape, np.nan)
    kept, largest = chosen, 0.0
    while kept.size > 1:
        if kept.size == 2:
            p = float(np.nan_to_num(p_values[kept[0], kept[1]], nan=1.0))  # opposite metrics
        else:
            observed = np.abs(z[kept] - z[kept].mean()).max()
            drawn = flipped[:, kept]
            spread = np.abs(drawn - drawn.mean(axis=1, keepdims=True)).max(axis=1)
            p = (1 + int((spread >= observed * (1 - REPLICATE_TIE)).sum())) / (1 + spread.size)
        largest = max(largest, p)
        out = int(np.argmin(z[kept]))
        best[kept[out]] = largest
        kept = np.delete(kept, out)
    best[kept] = 1.0
    return best


def _holm(p_values: Floats, chosen: NDArray[np.int64]) -> Floats:
    """Holm's adjustment of all pairs of the chosen metrics, NaN for others; 1 on the diagonal."""
    first, second = (chosen[index] for index in np.triu_indices(chosen.size, 1))
    adjusted = np.full(p_values.shape, np.nan)
    adjusted[chosen, chosen] = 1.0
    adjusted[first, second] = adjusted[second, first] = holm(p_values[first, second])
    return adjusted
