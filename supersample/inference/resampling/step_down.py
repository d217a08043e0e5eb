"""All pairs at once from joint replicates: adjusted p-values, and which items may be the best."""

import numpy as np
from numpy.typing import ArrayLike

from supersample.errors import InputError
from supersample.inference.arguments import Floats

TIE = 1e-10
"""Differences within this are 0 but for rounding."""
_SHORT = 1e-9
"""Relative; replicates that fall short of the observed one by rounding alone count as ties."""


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
    varied = np.sqrt(squares / null.shape[0]) > TIE
    scale = np.sqrt((squares + np.nan_to_num(seen, nan=0.0) ** 2) / (1 + null.shape[0]))
    t = np.where(varied & (seen > TIE), seen, 0.0) / np.where(varied, scale, 1.0)
    used = np.flatnonzero(~np.isnan(seen) & varied)
    order = used[np.argsort(-t[used], kind="stable")]
    standardised = null[:, order[::-1]] / scale[order[::-1]]
    largest = np.maximum.accumulate(standardised, axis=1)[:, ::-1]  # of this pair and later ones
    exceeded = (largest >= t[order] * (1 - _SHORT)).sum(axis=0)
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
        Two-sided p-values adjusted for all pairs.

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
    ahead = value[..., :, np.newaxis] - value[..., np.newaxis, :] > TIE
    least = np.where(ahead, p, 1.0).min(axis=-2, initial=1.0)
    return np.where(np.isnan(value), np.nan, least)
