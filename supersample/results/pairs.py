"""Pairs of metrics: significance, adjusted p-values, matrices of pairs, copies of metrics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from supersample.engine import Floats
from supersample.inference.arguments import Alternative, Estimator
from supersample.inference.p_values import (
    holm,
    may_be_best,
    permutation_p_value,
    step_down_p_values,
)
from supersample.tolerances import SUM_TIE, VALUE_TIE

ALTERNATIVES = ("two-sided", "greater", "less")
Ties = Literal["exact", "floating_point"]


def is_significant(p_value: ArrayLike, level: float) -> NDArray[np.bool_]:
    """Whether p <= level, with tolerance for rounding of the level: 1 - 0.9 is below 0.1.

    This is the only rule of significance; NaN is not significant.
    """
    return np.asarray(np.asarray(p_value) <= round(level, 12))


def excludes_zero(lower: Floats, upper: Floats) -> NDArray[np.bool_]:
    """Whether intervals exclude zero: the rule of significance without p-values."""
    return np.asarray((lower > 0) | (upper < 0))


def denied(comparisons: xr.Dataset, level: float) -> xr.DataArray:
    """Which differences have a two-sided interval that contains zero, so they are not significant.

    Test and interval may be of different kinds, as for a bootstrap. An interval does not contain a
    limit of exactly 0. Intervals of a higher level than the test's level are ignored.
    """
    facts = comparisons.attrs
    binding = 1 - facts.get("confidence_level", 1 - level) >= level - 1e-9
    one_sided = facts.get("alternative", "two-sided") != "two-sided"
    if one_sided or not binding or "difference_lower" not in comparisons:
        return xr.zeros_like(comparisons["difference"], bool)
    lower, upper = comparisons["difference_lower"], comparisons["difference_upper"]
    return xr.DataArray((lower < 0) & (upper > 0))


def no_less_than(
    p_values: NDArray[np.float64], level: float, denied: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Raise p-values to just above the level if nothing may be concluded at it.

    A test and an interval must both show a difference; the p-value of both is the larger one, and
    that of an interval which contains zero exceeds its level.
    """
    raised = np.nextafter(round(level, 12), 1.0)
    return np.where(denied & is_significant(p_values, level), raised, p_values)


def adjusted_p_values(p_values: Floats, alternative: str) -> dict[str, Floats]:
    """Adjust p-values (..., metric, other_metric) by Holm's method.

    They are adjusted for all pairs of a matrix, or for all ordered pairs if the alternative is
    one-sided; the diagonal is not a hypothesis.
    """
    metrics, two_sided = p_values.shape[-1], alternative == "two-sided"
    i, j = np.triu_indices(metrics, 1) if two_sided else np.nonzero(~np.eye(metrics, dtype=bool))
    adjusted = p_values.copy()
    adjusted[..., i, j] = np.apply_along_axis(holm, -1, p_values[..., i, j])
    if two_sided:
        adjusted[..., j, i] = adjusted[..., i, j]
    return {"p_holm": adjusted}


def swap_p_values(
    values: Floats,
    null: Floats,
    *,
    alternative: Alternative,
    estimator: Estimator = "(k+1)/(B+1)",
    tie: float = 0.0,
) -> Floats:
    """p-values of tests that swap the scores of each pair of metrics.

    Parameters
    ----------
    values : ndarray, shape (..., metrics)
    null : ndarray, shape (..., resamples, pairs)
        Differences after each swap, pairs in the order of ``np.triu_indices(metrics, 1)``.
    alternative, estimator, tie
        As in `permutation_p_value`.

    Returns
    -------
    ndarray, shape (..., metrics, metrics)
        1 on the diagonal.
    """
    observed, p = _of_pairs(values)
    first, second = np.triu_indices(values.shape[-1], 1)
    opposite: dict[str, Alternative] = {"greater": "less", "less": "greater"}
    for i, j, side in (
        (first, second, alternative),
        (second, first, opposite.get(alternative, alternative)),
    ):
        p[..., i, j] = permutation_p_value(
            observed, np.moveaxis(null, -2, 0), alternative=side, estimator=estimator, tie=tie
        )
    return p


def joint_p_values(values: Floats, null: Floats) -> Floats:
    """Two-sided p-values (..., metric, other_metric) of all pairs from their joint replicates.

    Values and differences after swaps are as in `swap_p_values`; see `step_down_p_values`.
    """
    observed, p = _of_pairs(values)
    first, second = np.triu_indices(values.shape[-1], 1)
    for at in np.ndindex(values.shape[:-1]):
        adjusted = step_down_p_values(observed[at], null[at])
        p[at][first, second] = p[at][second, first] = adjusted
    return p


def _of_pairs(values: Floats) -> tuple[Floats, Floats]:
    """Differences (..., pairs) of values (..., metrics), and matrices of ones for p-values."""
    first, second = np.triu_indices(values.shape[-1], 1)
    return values[..., first] - values[..., second], np.ones((*values.shape, values.shape[-1]))


def identical_items(
    arrays: Sequence[Iterable[Floats]], *, tolerance: float = SUM_TIE
) -> NDArray[np.bool_]:
    """Whether two items (metrics) have the same arrays, except for an offset and a positive scale.

    Such copies agree equally well with people on any systems and segments; their correlations
    differ only by rounding.

    Parameters
    ----------
    arrays : sequence of iterables of ndarray
        The arrays of each item.
    tolerance : float, default 1e-12
        Largest difference between standardised arrays.

    Returns
    -------
    ndarray of bool, shape (items, items)
        True for bitwise equal arrays, and if standardised arrays agree.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 4.0])
    >>> identical_items([[x], [x / 3 + 7], [-x]])[0]
    array([ True,  True, False])
    """
    parts = [tuple(item) for item in arrays]
    standard = [[_standardised(array) for array in item] for item in parts]
    same = np.eye(len(parts), dtype=bool)
    raw, scaled = _heads([item[0] for item in parts]), _heads([item[0] for item in standard])
    alike = (raw[:, np.newaxis] == raw).all(axis=-1)
    alike |= np.abs(scaled[:, np.newaxis] - scaled).max(axis=-1) <= tolerance
    for i, j in zip(*np.nonzero(np.triu(alike, 1)), strict=True):
        pairs = zip(parts[i], parts[j], standard[i], standard[j], strict=True)
        equal = all(np.array_equal(a, b) or _agree(za, zb, tolerance) for a, b, za, zb in pairs)
        same[i, j] = same[j, i] = equal
    return same


def _heads(arrays: Sequence[Floats | None]) -> Floats:
    """First values, which distinguish most arrays, shape (arrays, 8); NaN for None."""
    heads = np.zeros((len(arrays), 8))
    for head, array in zip(heads, arrays, strict=True):
        first = np.array([np.nan]) if array is None else array.flat[: head.size]
        head[: first.size] = first
    return heads


def _standardised(array: Floats) -> Floats | None:
    """Mean 0 and standard deviation 1; None for fewer than three values, or constant ones."""
    if array.size < 3 or not np.isfinite(array).all():
        return None
    centred = array - array.mean()
    centred -= centred.mean()
    deviation = centred.std()
    return centred / deviation if deviation > SUM_TIE * np.abs(array).max() else None


def _agree(first: Floats | None, second: Floats | None, tolerance: float) -> bool:
    if first is None or second is None:
        return False
    return first.shape == second.shape and bool(np.abs(first - second).max() <= tolerance)


def difference_matrix(values: Floats) -> Floats:
    """Differences of values (..., metric) as matrices (..., metric, other_metric)."""
    return values[..., :, np.newaxis] - values[..., np.newaxis, :]


def limit_matrices(estimate: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Limits of differences of pairs as antisymmetric matrices (metric, other_metric).

    Parameters
    ----------
    estimate : ndarray, shape (metrics,)
        Values whose differences are bounded; NaN makes the diagonal NaN.
    lower, upper : ndarray, shape (pairs,)
        Limits of first minus second, pairs in the order of ``np.triu_indices(metrics, 1)``.
    """
    below = pair_matrix(estimate, 0.0, lower, -upper)
    return below, pair_matrix(estimate, 0.0, upper, -lower)


def pair_matrix(values: Floats, diagonal: float, above: Floats, below: Floats) -> Floats:
    """Numbers of pairs as matrices (..., metric, other_metric), with one number on the diagonal.

    Pairs are in the order of ``np.triu_indices(metrics, 1)``; `below` has the numbers of the second
    metric and the first. Metrics whose `values` are NaN have NaN on the diagonal.
    """
    matrix = np.zeros((*values.shape, values.shape[-1]))
    every, (first, second) = np.arange(values.shape[-1]), np.triu_indices(values.shape[-1], 1)
    matrix[..., every, every] = np.where(np.isnan(values), np.nan, diagonal)
    matrix[..., first, second], matrix[..., second, first] = above, below
    return matrix


_OF_COPIES = {
    **dict.fromkeys(("statistic", "difference", "difference_lower", "difference_upper"), 0.0),
    "p_value": 1.0,
}
"""Values of result variables for metrics with identical scores."""


def of_copies(found: Mapping[str, NDArray[Any]], same: NDArray[np.bool_]) -> dict[str, Floats]:
    """Set the result variables of pairs whose two metrics have the same scores; NaN stays.

    Returns the variables of `found` whose values for copies are known exactly.
    """
    return {
        name: np.where(same & ~np.isnan(found[name]), exact, found[name])
        for name, exact in _OF_COPIES.items()
        if name in found
    }


def concluded(
    found: Mapping[str, Any], same: NDArray[np.bool_], level: float, alternative: str
) -> dict[str, Any]:
    """Adjust the p-values of tests by formula, and say which differences are significant.

    Metrics with the same scores have known values, see `of_copies`.
    """
    every = {**found, **of_copies(found, same)}
    p = every["p_value"]
    every |= adjusted_p_values(p, alternative)
    return every | {"significant": is_significant(p, level)}


def tested(
    values: Floats,
    null: Floats,
    larger_is_better: NDArray[np.bool_],
    *,
    alternative: Alternative,
    estimator: Estimator,
    significance_level: float,
    ties: Ties,
) -> dict[str, Any]:
    """Test each pair of metrics by differences under the null hypothesis.

    Parameters
    ----------
    values : ndarray, shape (..., metrics)
    null : ndarray, shape (..., resamples, pairs)
        Differences under the null hypothesis.
    larger_is_better : ndarray of bool
        For all, or along the first axis: whether larger values mean better agreement, which
        defines "greater" and "best".
    alternative, estimator, significance_level, ties
        As in `compare`.

    Returns
    -------
    dict
        Result variables.
    """
    sign = _signs(larger_is_better, values)
    tie = VALUE_TIE if ties == "exact" else 0.0
    how: dict[str, Any] = {"alternative": alternative, "estimator": estimator, "tie": tie}
    p = swap_p_values(sign * values, _signs(larger_is_better, null) * null, **how)
    own = np.eye(values.shape[-1], dtype=bool)
    p = np.where(np.isnan(values)[..., np.newaxis] & own, np.nan, p)
    together = joint_p_values(values, null)
    return {
        "difference": difference_matrix(values),
        "p_value": p,
        **adjusted_p_values(p, alternative),
        "significant": is_significant(p, significance_level) & ~own,
        "p_simultaneous": together,
        "p_best": may_be_best(sign * values, together),
    }


def _signs(larger_is_better: NDArray[np.bool_], values: Floats) -> Floats:
    """Signs that make larger values better, broadcasting with the values."""
    signs = np.where(larger_is_better, 1.0, -1.0)
    return signs.reshape(*signs.shape, *(1,) * (values.ndim - signs.ndim))
