"""p-values and intervals from replicates of any resampling; adjustments for many tests.

`holm` takes one family of p-values of any shape, and returns the adjusted p-values in that shape.
NaN does not count among the m hypotheses, and stays NaN. A p-value outside [0, 1] raises
InputError.

Intervals
---------
Replicates are on the first axis; other axes have further statistics. A replicate can be undefined
(NaN), for instance r if a resample drew one system n times. Such replicates are left out, and the
interval uses the others; `undefined_replicates` counts them, so that callers can report them. All
intervals take the same arguments, if they use them.

Parameters
----------
replicates : array_like, shape (B, ...)
    Replicates of each statistic; NaN ones are left out.
estimate : array_like, shape (...)
    The statistic on the data themselves.
jackknife : array_like, shape (n, ...)
    The statistic with each resampled unit left out in turn; NaN ones are left out.
confidence_level : float, default 0.95
    Strictly between 0 and 1.

Returns
-------
Interval
    Shape (...), in the statistic's units; NaN if no replicate is defined or the estimate is
    NaN.

Raises
------
InputError
    Without replicates (or jackknife values), or if the confidence level is not between 0 and 1.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from supersample.errors import InputError
from supersample.inference.arguments import (
    Alternative,
    Estimator,
    Floats,
    Interval,
    check_alternative,
    check_confidence_level,
    check_estimator,
)
from supersample.tolerances import REPLICATE_TIE, SUM_TIE, VALUE_TIE

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
    check_alternative(alternative)
    check_estimator(estimator)
    seen = np.asarray(observed, dtype=np.float64)
    null = np.asarray(null_replicates, dtype=np.float64)
    if null.ndim == 0 or null.shape[0] == 0:
        raise InputError("a permutation p-value needs null replicates on the first axis")
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
    p, counted = _family(p_values)
    family = p[counted]
    order = np.argsort(family, kind="stable")
    stepped = np.maximum.accumulate(family[order] * np.arange(family.size, 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    p[counted] = adjusted
    return p


def _family(p_values: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Copy the p-values, and mark the defined ones."""
    p = np.array(p_values, dtype=np.float64)
    outside = (p < 0) | (p > 1)
    if outside.any():
        raise InputError(f"a p-value must be in [0, 1], not {p[outside].flat[0]:g}")
    return p, np.asarray(~np.isnan(p))


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

    Raises
    ------
    InputError
        If shapes do not fit, or there are no replicates.

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
        if whole.ndim != 2 or whole.shape[1:] != seen.shape or whole.shape[0] == 0:
            raise InputError(f"{whole.shape} replicates for {seen.shape} observed differences")
        columns, each = np.vstack([whole.T, np.zeros(len(whole))]), np.arange(seen.size)
        null = PairDifferences(columns, each, np.full_like(each, -1), np.ones(seen.size))
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


def undefined_replicates(replicates: ArrayLike) -> NDArray[np.int64]:
    """Count the replicates of each statistic that are NaN and therefore left out.

    Examples
    --------
    >>> undefined_replicates([[0.1, 0.2], [float("nan"), 0.3]])
    array([1, 0])
    """
    return np.asarray(np.isnan(np.asarray(replicates, dtype=np.float64)).sum(axis=0))


def percentile_interval(replicates: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Compute the percentile interval: between two quantiles of the replicates.

    The limits are the ``(1 - confidence_level) / 2`` and ``(1 + confidence_level) / 2`` quantiles,
    linear between order statistics.

    References
    ----------
    Efron (1979), "Bootstrap methods: another look at the jackknife", Annals of Statistics 7; Efron
    and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.

    Examples
    --------
    >>> lower, upper = percentile_interval([3.0, 1.0, 2.0, 5.0, 4.0], confidence_level=0.5)
    >>> print(lower, upper)
    2.0 4.0
    """
    check_confidence_level(confidence_level)
    ordered, count = _ordered(replicates)
    below, above = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    return Interval(_quantile(ordered, count, below), _quantile(ordered, count, above))


def bca_interval(
    replicates: ArrayLike,
    estimate: ArrayLike,
    jackknife: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> Interval:
    """Compute the bias-corrected and accelerated (BCa) interval.

    The limits are the quantiles ``Phi(z0 + (z0 + q) / (1 - a (z0 + q)))`` of the replicates, with q
    the standard normal quantiles of ``(1 -+ confidence_level) / 2``. The bias correction z0 is the
    normal quantile of the share of replicates below the estimate, plus half of those equal to it.
    The acceleration is ``a = sum_i (m - j_i)^3 / (6 (sum_i (m - j_i)^2)^(3/2))``, with m the mean
    of the jackknife values j_i.

    Limits are NaN if the estimate is outside all replicates (z0 is then infinite). If all jackknife
    values are equal, a is 0.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals", JASA 82; Efron and Tibshirani (1993), An
    Introduction to the Bootstrap, chapter 14, with ties split as scipy does.

    Examples
    --------
    >>> replicates = [0.1, 0.4, 0.5, 0.6, 0.8, 0.9, 0.95]
    >>> lower, upper = bca_interval(replicates, 0.7, [0.6, 0.7, 0.75], confidence_level=0.5)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.528 to 0.907
    """
    check_confidence_level(confidence_level)
    ordered, count = _ordered(replicates)
    centre = np.asarray(estimate, dtype=np.float64)
    equal = (ordered == centre).sum(axis=0)
    with np.errstate(invalid="ignore"):  # no replicate is defined
        z0 = ndtri(((ordered < centre).sum(axis=0) + equal / 2) / count)
    z0 = np.where(np.isnan(centre) | np.isinf(z0), np.nan, z0)
    a = _acceleration(jackknife)
    limits = []
    for side in (-1, 1):
        z = z0 + ndtri((1 + side * confidence_level) / 2)
        limits.append(_quantile(ordered, count, ndtr(z0 + z / (1 - a * z))))
    return Interval(limits[0], limits[1])


def student_interval(
    replicates: ArrayLike, estimate: ArrayLike, units: int, *, confidence_level: float = 0.95
) -> Interval:
    """Compute a Student's t interval with the standard deviation of the replicates.

    ``estimate -+ t s sqrt(units / (units - 1))``, with t the quantile of Student's distribution
    with ``units - 1`` degrees of freedom, and s the standard deviation of the replicates, which is
    too small by this square root in a bootstrap of few units. It fits statistics whose spread does
    not depend on their value, such as Fisher's z of a correlation.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.4.

    Examples
    --------
    >>> lower, upper = student_interval([3.0, 1.0, 2.0, 5.0, 4.0], 3.0, 10)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    -0.770 to 6.770
    """
    check_confidence_level(confidence_level)
    values, centre = np.asarray(replicates, np.float64), np.asarray(estimate, np.float64)
    defined = ~np.isnan(values)
    count = np.maximum(defined.sum(axis=0), 2)
    mean = np.where(defined, values, 0.0).sum(axis=0) / count
    squares = np.where(defined, (values - mean) ** 2, 0.0).sum(axis=0) / (count - 1)
    spread = np.where(defined.sum(axis=0) > 1, np.sqrt(squares * units / (units - 1)), np.nan)
    arm = stdtrit(units - 1, (1 + confidence_level) / 2) * spread
    return Interval(np.asarray(centre - arm), np.asarray(centre + arm))


def student_p_value(
    interval: Interval, units: ArrayLike, *, confidence_level: float = 0.95
) -> Floats:
    """Two-sided p-value of the null hypothesis 0 that follows from a `student_interval`.

    Examples
    --------
    >>> found = student_interval([[0.9], [1.3], [0.8], [1.2]], [1.05], 8, confidence_level=0.99)
    >>> at_limit = student_interval([[0.9], [1.3], [0.8], [1.2]], [1.05], 8)
    >>> print(student_p_value(at_limit, 8) < 0.01, found.lower > 0)
    [ True] [ True]
    """
    lower, upper = interval
    freedom = np.maximum(np.asarray(units) - 1, 1)
    spread = (upper - lower) / 2 / stdtrit(freedom, (1 + confidence_level) / 2)
    middle = np.abs(lower + upper) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(middle == 0, 0.0, middle / spread)
    return np.asarray(2 * stdtr(freedom, -t))


def _acceleration(jackknife: ArrayLike) -> Floats:
    values = np.asarray(jackknife, dtype=np.float64)
    if values.ndim == 0 or values.shape[0] == 0:
        raise InputError("the BCa interval needs jackknife values on the first axis")
    defined = ~np.isnan(values)
    count = np.maximum(defined.sum(axis=0), 1)
    mean = np.where(defined, values, 0.0).sum(axis=0) / count
    # values that differ only by rounding are equal; their skewness would be that of the rounding
    varied = defined & (np.abs(mean - values) > SUM_TIE * np.abs(mean))
    influence = np.where(varied, mean - values, 0.0)
    spread = np.sum(influence**2, axis=0) ** 1.5
    skew = np.sum(influence**3, axis=0)
    return np.asarray(np.where(spread == 0, 0.0, skew / (6 * np.where(spread == 0, 1.0, spread))))


def _ordered(replicates: ArrayLike) -> tuple[Floats, NDArray[np.int64]]:
    """Replicates sorted along the first axis, NaN last, and the number of defined ones."""
    values = np.asarray(replicates, dtype=np.float64)
    if values.ndim == 0 or values.shape[0] == 0:
        raise InputError("an interval by resampling needs replicates on the first axis")
    return np.sort(values, axis=0), np.asarray((~np.isnan(values)).sum(axis=0))


def _quantile(ordered: Floats, count: NDArray[np.int64], share: float | Floats) -> Floats:
    """Quantile at `share` of each statistic, linear between order statistics."""
    position = np.broadcast_to((count - 1) * np.asarray(share), count.shape)
    valid = (count > 0) & ~np.isnan(position)
    position = np.where(valid, position, 0.0)
    floor = np.floor(position).astype(np.int64)
    ceiling = np.minimum(floor + 1, np.maximum(count - 1, 0))
    low = np.take_along_axis(ordered, floor[None], axis=0)[0]
    high = np.take_along_axis(ordered, ceiling[None], axis=0)[0]
    return np.where(valid, low + (high - low) * (position - floor), np.nan)
