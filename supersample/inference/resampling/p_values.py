"""p-values of replicates and of pairs, adjusted for many tests, and which items may be the best.

`holm` and `benjamini_hochberg` take one family of p-values of any shape, and return the adjusted
ones in that shape. NaN is not counted among the m hypotheses, and stays NaN. A p-value outside
[0, 1] is an InputError.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError
from supersample.inference.arguments import (
    REPLICATE_TIE,
    VALUE_TIE,
    Alternative,
    Estimator,
    Floats,
    check_alternative,
    check_estimator,
)

PAIRED_TESTS = ("wilcoxon", "t-test")
_LISTED = 13  # pairs of which scipy lists all signs where ranks tie


def permutation_p_value(
    observed: ArrayLike,
    null_replicates: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    estimator: Estimator = "(k+1)/(B+1)",
    tie: float = 0.0,
) -> Floats:
    """``(k + 1) / (B + 1)``, k of B null replicates being as extreme as what was observed.

    As extreme is ``null >= observed`` for "greater", ``null <= observed`` for "less", and
    ``|null| >= |observed|`` for "two-sided", which supposes that the null distribution is symmetric
    about 0, as it is when two metrics swap scores. It is never 0: what was observed counts as one
    of the replicates (unless ``k / B`` is asked for, for papers that do not count it).

    Parameters
    ----------
    observed : array_like, shape (...)
        The statistic on the data themselves; where it is NaN, p is.
    null_replicates : array_like, shape (B, ...)
        The statistic with labels swapped at random; NaN ones are left out, B with them.
    tie : float
        Replicates that fall short of the observed value by this or less still count. At 0 values
        are compared as they are, so that numbers equal except for rounding tie by accident:
        differences of accuracies, all multiples of one over the number of pairs, need 1e-10.

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
    """Holm's step-down adjustment, which bounds the chance of any false rejection.

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


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Benjamini and Hochberg's step-up adjustment, which bounds the share of false rejections.

    With the m p-values in order, ``adjusted_(i) = min_{j >= i} min(1, m p_(j) / j)``.

    References
    ----------
    Benjamini and Hochberg (1995), "Controlling the false discovery rate", JRSS B 57.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.04, 0.04,  nan])
    """
    p, counted = _family(p_values)
    if counted.any():
        defined = p[counted]
        order = np.argsort(defined)
        bounds = defined[order] * (defined.size / np.arange(1, defined.size + 1))
        defined[order] = np.minimum.accumulate(bounds[::-1])[::-1]
        p[counted] = np.minimum(defined, 1.0)
    return p


def _family(p_values: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Copy the p-values, and say which of them are defined."""
    p = np.array(p_values, dtype=np.float64)
    outside = (p < 0) | (p > 1)
    if outside.any():
        raise InputError(f"a p-value lies in [0, 1], not at {p[outside].flat[0]:g}")
    return p, np.asarray(~np.isnan(p))


def paired_p_value(first: ArrayLike, second: ArrayLike, *, method: str = "wilcoxon") -> float:
    """p-value of the hypothesis that second scores are lower, by Wilcoxon's or Student's test.

    Wilcoxon's signed-rank test (1945) leaves out zero differences; it is exact up to 50 pairs
    without ties or zeros and up to 13 with them, else normal, as scipy has it. Student's t is
    mean(d) / (sd(d) / sqrt(n)), sd with n - 1. p is 1 where no difference is other than 0,
    and for the t-test where there is one pair.

    Examples
    --------
    >>> paired_p_value([80, 70, 90, 60, 75, 85], [20, 40, 70, 50, 70, 81])
    0.015625
    """
    from scipy import stats  # slow to import

    difference = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    if not difference.any():
        return 1.0
    if method == "wilcoxon":
        sizes = np.unique(np.append(np.abs(difference), 0.0))
        if sizes.size <= difference.size <= _LISTED:  # ties or zeros
            return _listed_signed_rank(difference[difference != 0])
        return float(stats.wilcoxon(difference, alternative="less").pvalue)
    if difference.size < 2:
        return 1.0
    if np.ptp(difference) == 0:
        return 0.0 if difference[0] < 0 else 1.0
    return float(stats.ttest_1samp(difference, 0.0, alternative="less").pvalue)


def _listed_signed_rank(difference: Floats) -> float:
    """P(W+ <= observed) over all signs of the ranks: scipy's number, without a call for each."""
    from scipy import stats  # slow to import

    ranks = stats.rankdata(np.abs(difference))
    signs = (np.arange(2**ranks.size)[:, np.newaxis] >> np.arange(ranks.size)) & 1
    return float((signs @ ranks <= ranks[difference > 0].sum()).mean())


def step_down_p_values(observed: ArrayLike, null_replicates: ArrayLike) -> Floats:
    """Two-sided p-values of all pairs, adjusted by the step-down maximum of joint replicates.

    With s_p the root mean square of pair p's replicates and what is observed of it, which are
    exchangeable under equality, and t_p = |observed_p| / s_p in descending order, ``adjusted_(i) =
    max_{j <= i} (1 + #{b: max_{k >= j} |null_b(k)| / s_(k) >= t_(j)}) / (B + 1)``. The chance of
    any false rejection is held, to the accuracy with which the replicates have the joint
    distribution under the true hypotheses; no bound on their dependence is paid for, as Holm pays.

    Parameters
    ----------
    observed : array_like, shape (pairs,)
        Differences, of values of order 1; NaN stays NaN, and within 1e-10 of 0 they have p = 1.
    null_replicates : array_like, shape (B, pairs)
        Of the differences under equality, all pairs of a replicate by the same draw. A pair whose
        replicates are 0 within 1e-10 (identical items, rounding alone) has p = 1 and takes no
        part; a NaN replicate counts as 0.

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
    null = np.abs(np.nan_to_num(np.asarray(null_replicates, dtype=np.float64), nan=0.0))
    if null.ndim != 2 or null.shape[1:] != seen.shape or null.shape[0] == 0:
        raise InputError(f"{null.shape} replicates for {seen.shape} observed differences")
    squares = (null * null).sum(axis=0)
    varied = np.sqrt(squares / null.shape[0]) > VALUE_TIE
    scale = np.sqrt((squares + np.nan_to_num(seen, nan=0.0) ** 2) / (1 + null.shape[0]))
    t = np.where(varied & (seen > VALUE_TIE), seen, 0.0) / np.where(varied, scale, 1.0)
    used = np.flatnonzero(~np.isnan(seen) & varied)
    order = used[np.argsort(-t[used], kind="stable")]
    standardised = null[:, order[::-1]] / scale[order[::-1]]
    largest = np.maximum.accumulate(standardised, axis=1)[:, ::-1]  # of this pair and later ones
    exceeded = (largest >= t[order] * (1 - REPLICATE_TIE)).sum(axis=0)
    adjusted = np.where(np.isnan(seen), np.nan, 1.0)
    adjusted[order] = np.maximum.accumulate((1 + exceeded) / (1 + null.shape[0]))
    return adjusted


def may_be_best(values: ArrayLike, adjusted: ArrayLike) -> Floats:
    """p-values of being among the best: the least adjusted p-value against one that is ahead.

    Where the chance of any false rejection among all pairs is at most alpha, the items with more
    than alpha hold the best one with a probability of at least 1 - alpha, and both statements are
    made at once: the best one is left out only where a pair is rejected falsely.

    Parameters
    ----------
    values : array_like, shape (..., items)
    adjusted : array_like, shape (..., items, items)
        Two-sided p-values corrected for comparing all pairs.

    Returns
    -------
    ndarray, shape (..., items)
        1 where nothing is ahead by more than 1e-10; NaN without a value, and where an item that is
        ahead has no p-value.

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
