"""p-values from replicates of any resampling; adjustments for many tests.

`holm` takes one family of p-values of any shape, and returns the adjusted p-values in that shape.
NaN does not count among the m hypotheses, and stays NaN. A p-value outside [0, 1] raises
InputError.
"""

from typing import NamedTuple, get_args

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError, check_choice
from supersample.inference.arguments import Alternative, Estimator, Floats
from supersample.tolerances import REPLICATE_TIE, VALUE_TIE

_LISTED = 13  # most pairs for which scipy lists all signs if ranks tie


def permutation_p_value(
    observed: ArrayLike,
    null_replicates: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    estimator: Estimator = "(k+1)/(B+1)",
    tie: float = 0.0,
) -> Floats:
    """Compute ``(k + 1) / (B + 1)``: k of B null replicates are as extreme as the observed value.

    "As extreme" means ``null >= observed`` for "greater", ``null <= observed`` for "less", and
    ``|null| >= |observed|`` for "two-sided", which assumes that the null distribution is symmetric
    about 0, as it is when two metrics swap scores. p is never 0, because the observed value counts
    as one of the replicates (except for the estimator ``k / B``, used in papers that do not count
    it).

    Parameters
    ----------
    observed : array_like, shape (...)
        The statistic on the data; if it is NaN, p is NaN.
    null_replicates : array_like, shape (B, ...)
        The statistic after random swaps of labels; NaN replicates are left out, also from B.
    tie : float
        Replicates below the observed value by at most this still count. With 0, values are compared
        without tolerance, so numbers that are equal except for rounding tie by accident:
        differences of accuracies, which are multiples of one over the number of pairs, need 1e-10.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, equation 4.11; Phipson and
    Smyth (2010), "Permutation p-values should never be zero", Statistical Applications in Genetics
    and Molecular Biology 9.

    Examples
    --------
    >>> print(permutation_p_value(2.0, [-3.0, -1.0, 0.0, 1.0]))
    0.4
    """
    check_choice("alternative", alternative, get_args(Alternative))
    check_choice("estimator", estimator, get_args(Estimator))
    seen = np.asarray(observed, dtype=np.float64)
    null = np.asarray(null_replicates, dtype=np.float64)
    if alternative == "two-sided":
        extreme = np.abs(null) >= np.abs(seen) - tie
    else:
        extreme = null >= seen - tie if alternative == "greater" else null <= seen + tie
    replicates = (~np.isnan(null)).sum(axis=0)
    added = 0 if estimator == "k/B" else 1
    p_value = (extreme.sum(axis=0) + added) / np.maximum(replicates + added, 1)
    return np.where(np.isnan(seen) | (replicates == 0), np.nan, p_value)


def holm(p_values: ArrayLike) -> Floats:
    """Adjust p-values by Holm's step-down method, which controls the family-wise error rate.

    With the m p-values in order, ``adjusted_(i) = max_{j <= i} min(1, (m - j + 1) p_(j))``.

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.06, 0.06,  nan])
    """
    p = np.array(p_values, dtype=np.float64)
    outside = (p < 0) | (p > 1)
    if outside.any():
        raise InputError(f"a p-value must be in [0, 1], not {p[outside].flat[0]:g}")
    counted = ~np.isnan(p)
    family = p[counted]
    order = np.argsort(family, kind="stable")
    stepped = np.maximum.accumulate(family[order] * np.arange(family.size, 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    p[counted] = adjusted
    return p


def signed_rank_p_value(first: ArrayLike, second: ArrayLike) -> float:
    """Wilcoxon's signed-rank test (1945) that second scores are lower, one-sided; its p-value.

    It ignores zero differences. It is exact for up to 50 pairs without ties or zeros and up to 13
    with them, otherwise normal, as in scipy. p is 1 if all differences are 0.

    Examples
    --------
    >>> signed_rank_p_value([80, 70, 90, 60, 75, 85], [20, 40, 70, 50, 70, 81])
    0.015625
    """
    from scipy import stats  # slow to import

    difference = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if not difference.any():
        return 1.0
    sizes = np.unique(np.append(np.abs(difference), 0.0))
    if sizes.size <= difference.size <= _LISTED:  # ties or zeros
        return _listed_signed_rank(difference[difference != 0])
    return float(stats.wilcoxon(difference, alternative="less").pvalue)


def _listed_signed_rank(difference: Floats) -> float:
    """P(W+ <= observed) over all signs of the ranks; equal to scipy's, without many calls."""
    from scipy import stats  # slow to import

    ranks = stats.rankdata(np.abs(difference))
    signs = (np.arange(2**ranks.size)[:, np.newaxis] >> np.arange(ranks.size)) & 1
    return float((signs @ ranks <= ranks[difference > 0].sum()).mean())


class PairDifferences(NamedTuple):
    """Differences of pairs of columns, times factors, which take no memory of their own."""

    columns: Floats
    """Shape (columns, B)."""
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    factor: Floats


def step_down_p_values(observed: ArrayLike, null_replicates: ArrayLike | PairDifferences) -> Floats:
    """Two-sided p-values of all pairs, adjusted by the step-down maximum of joint replicates.

    Let s_p be the root mean square of the replicates and the observed value of pair p (these are
    exchangeable under the null hypothesis), and t_p = |observed_p| / s_p in descending order. Then
    ``adjusted_(i) = max_{j <= i} (1 + #{b: max_{k >= j} |null_b(k)| / s_(k) >= t_(j)}) / (B + 1)``.
    This controls the family-wise error rate, if the replicates have the joint distribution under
    the true hypotheses. Unlike Holm's method, it uses the dependence of the tests.

    Parameters
    ----------
    observed : array_like, shape (pairs,)
        Differences of values of order 1; NaN stays NaN; differences within 1e-10 of 0 have p = 1.
    null_replicates : array_like, shape (B, pairs), or PairDifferences
        Differences under the null hypothesis; each replicate has one draw for all pairs. Pairs
        whose replicates are 0 within 1e-10 (identical items) have p = 1 and are ignored; a NaN
        replicate counts as 0.

    Returns
    -------
    ndarray, shape (pairs,)

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 2.8. Romano and Wolf
    (2005), "Exact and approximate stepdown methods for multiple hypothesis testing", JASA 100.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> step_down_p_values([5.0, 0.5], rng.normal(size=(999, 2))).round(2)
    array([0. , 0.6])
    """
    seen = np.abs(np.asarray(observed, dtype=np.float64))
    null = null_replicates
    if not isinstance(null, PairDifferences):
        whole = np.asarray(null, dtype=np.float64)
        rows, each = np.vstack([whole.T, np.zeros(len(whole))]), np.arange(seen.size)
        of = np.ascontiguousarray(rows), each, np.full_like(each, -1), np.ones(seen.size)
        null = PairDifferences(*of)  # one layout, and so one compiled version
    count, squares = null.columns.shape[1], _squares(*null)
    varied = np.sqrt(squares / count) > VALUE_TIE
    scale = np.sqrt((squares + np.nan_to_num(seen, nan=0.0) ** 2) / (1 + count))
    t = np.where(varied & (seen > VALUE_TIE), seen, 0.0) / np.where(varied, scale, 1.0)
    used = np.flatnonzero(~np.isnan(seen) & varied)
    order = used[np.argsort(-t[used], kind="stable")]
    pairs = null.first[order], null.second[order], null.factor[order] / scale[order]
    exceeded = _exceeded(null.columns, *pairs, t[order] * (1 - REPLICATE_TIE))
    adjusted = np.where(np.isnan(seen), np.nan, 1.0)
    adjusted[order] = np.maximum.accumulate((1 + exceeded) / (1 + count))
    return adjusted


@njit(cache=True, nogil=True)
def _squares(
    columns: Floats, first: NDArray[np.int64], second: NDArray[np.int64], factor: Floats
) -> Floats:
    """Sum the squared differences of each pair over replicates; NaN counts as 0."""
    out = np.zeros(first.size)
    for pair in range(first.size):
        one, other = columns[first[pair]], columns[second[pair]]
        for r in range(one.size):
            square = ((one[r] - other[r]) * factor[pair]) ** 2
            out[pair] += square if square > 0.0 else 0.0
    return out


@njit(cache=True, nogil=True)
def _exceeded(
    columns: Floats,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    factor: Floats,
    least: Floats,
) -> NDArray[np.int64]:
    """Count replicates in which this pair or a later one has a difference of at least `least`."""
    out = np.zeros(first.size, np.int64)
    largest = np.zeros(columns.shape[1])
    for pair in range(first.size - 1, -1, -1):
        one, other = columns[first[pair]], columns[second[pair]]
        for r in range(largest.size):
            size = abs(one[r] - other[r]) * factor[pair]
            largest[r] = size if size > largest[r] else largest[r]
            out[pair] += largest[r] >= least[pair]
    return out


def may_be_best(values: ArrayLike, adjusted: ArrayLike) -> Floats:
    """p-values of being the best: the smallest adjusted p-value against a better item.

    If the family-wise error rate over all pairs is at most alpha, the items with p-values above
    alpha include the best one with a probability of at least 1 - alpha, together with the
    conclusions on pairs: the best one is only excluded if a pair is rejected falsely.

    Parameters
    ----------
    values : array_like, shape (..., items)
    adjusted : array_like, shape (..., items, items)
        Two-sided p-values corrected for comparing all pairs.

    Returns
    -------
    ndarray, shape (..., items)
        1 if no item is better by more than 1e-10; NaN without a value, and if a better item has no
        p-value.

    References
    ----------
    Hsu (1996), Multiple Comparisons: Theory and Methods, chapter 4 (comparisons with the best from
    all pairwise ones).

    Examples
    --------
    >>> may_be_best([0.9, 0.8], [[1.0, 0.01], [0.01, 1.0]])
    array([1.  , 0.01])
    """
    value, p = np.asarray(values, dtype=np.float64), np.asarray(adjusted, dtype=np.float64)
    ahead = value[..., :, np.newaxis] - value[..., np.newaxis, :] > VALUE_TIE
    least = np.where(ahead, p, 1.0).min(axis=-2, initial=1.0)
    return np.where(np.isnan(value), np.nan, least)
