"""Conclusions on each pair of metrics, from values and joint replicates of differences."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersample.comparisons.question import Ties
from supersample.engine import Floats
from supersample.inference.arguments import VALUE_TIE, Alternative, Estimator
from supersample.inference.comparisons_with_best import WithBest, not_before_best
from supersample.inference.resampling.p_values import may_be_best
from supersample.results.comparisons import (
    adjusted_p_values,
    difference_matrix,
    excludes_zero,
    is_significant,
    joint_p_values,
    swap_p_values,
)

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


def tested(
    values: Floats,
    null: Floats,
    joint_null: Floats,
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
    null, joint_null : ndarray, shape (..., resamples, pairs)
        Differences under the null hypothesis: for tests of pairs, and for all pairs at once.
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
    together = joint_p_values(values, joint_null)
    return {
        "difference": difference_matrix(values),
        "p_value": p,
        **adjusted_p_values(p, alternative),
        "significant": is_significant(p, significance_level) & ~own,
        "p_simultaneous": together,
        "p_best": may_be_best(sign * values, together),
    }


def bounded(
    values: Floats,
    lower: Floats,
    upper: Floats,
    larger_is_better: NDArray[np.bool_],
    joint: Floats,
    best: WithBest,
) -> dict[str, Any]:
    """Add limits of differences of pairs, and tests of all pairs at once.

    Parameters
    ----------
    values : ndarray, shape (..., metrics)
    lower, upper : ndarray, shape (..., metrics, metrics)
        Limits of differences.
    larger_is_better : ndarray of bool
    joint : ndarray, shape (..., metrics, metrics)
        p-values of pairs, corrected for all of them.
    best : WithBest
        Comparisons with the best from the same replicates, each of shape (..., metrics).
    """
    sign = _signs(larger_is_better, values)
    return {
        "difference": difference_matrix(values),
        "difference_lower": lower,
        "difference_upper": upper,
        "significant": excludes_zero(lower, upper),
        "p_simultaneous": not_before_best(sign * values, joint, best),
        **best._asdict(),
    }


def _signs(larger_is_better: NDArray[np.bool_], values: Floats) -> Floats:
    """Signs that make larger values better, broadcasting with the values."""
    signs = np.where(larger_is_better, 1.0, -1.0)
    return signs.reshape(*signs.shape, *(1,) * (values.ndim - signs.ndim))
