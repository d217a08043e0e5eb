"""Which metrics could be the best, and how far each is behind the best, by comparisons with it.

The metric with the largest value was picked for being the largest, so that counting the tests that
it wins claims too much. Comparisons with the best (Hsu 1984; Edwards and Hsu 1983) survive the
choice: metric k is ruled out where some metric j is so far ahead of it that this would be unlikely
if k were the best. Only the true best's own hypothesis has to hold its level, against the K - 1
others, and to one side.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from supersample.errors import InputError
from supersample.inference.arguments import (
    REPLICATE_TIE,
    VALUE_TIE,
    Floats,
    check_confidence_level,
)


class WithBest(NamedTuple):
    """Every metric compared with the best one, which is not known.

    Parameters
    ----------
    p_best : ndarray, shape (K,)
        p-value of the hypothesis that the metric is the best. Those above alpha could be the best:
        they hold a given best one with a probability of at least 1 - alpha.
    lower, upper : ndarray, shape (K,)
        Limits of how far the metric is behind the best one, at least 0. The lower limit is above 0
        exactly where p_best is at most 1 less the confidence level.

    NaN for a metric without a value.
    """

    p_best: Floats
    lower: Floats
    upper: Floats


def best_of_replicates(
    values: ArrayLike, replicates: ArrayLike, units: int, *, confidence_level: float = 0.95
) -> WithBest:
    """Compare every metric with the best by the joint law of bootstrap replicates.

    With s_jk the root mean square of the replicates' differences about the observed one, times
    ``sqrt(units / (units - 1))``, and T_jk = (v_j - v_k) / s_jk,

        p_best(k) = (1 + #{b: max_j T*_jk(b) >= max_j T_jk}) / (B + 1),

    T*(b) being centred replicate b by the same s. c_k is what max_j T*_jk exceeds with a chance of
    alpha; the lower limit is the largest of 0 and ``v_j - v_k - c_k s_jk``, the upper one the
    largest of 0 and ``v_j - v_k + t s_jk``, t being Student's quantile of 1 - alpha / 2: it has to
    hold for the true best alone.

    Parameters
    ----------
    values : array_like, shape (K,)
        Larger meaning better; NaN without a value.
    replicates : array_like, shape (B, K)
        Values of all metrics on the same resamples. NaN ones count as no deviation.
    units : int
        How many units are drawn, such as documents.
    confidence_level : float, default 0.95

    Returns
    -------
    WithBest
        Metrics whose replicates differ by a constant within 1e-10 (copies) are not compared.

    Raises
    ------
    InputError
        If the shapes do not fit, or there are fewer than two units.

    References
    ----------
    Hsu (1984), "Constrained simultaneous confidence intervals for multiple comparisons with the
    best", Annals of Statistics 12. Edwards and Hsu (1983), "Multiple comparisons with the best
    treatment", JASA 78. Westfall and Young (1993), Resampling-Based Multiple Testing.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> drawn = [0.9, 0.88, 0.5] + 0.02 * rng.normal(size=(999, 3))
    >>> found = best_of_replicates([0.9, 0.88, 0.5], drawn, 100)
    >>> found.p_best > 0.05, found.lower.round(1)
    (array([ True,  True, False]), array([0. , 0. , 0.3]))
    """
    check_confidence_level(confidence_level)
    value, drawn = np.asarray(values, np.float64), np.asarray(replicates, np.float64)
    if value.ndim != 1 or drawn.shape[1:] != value.shape or len(drawn) == 0 or units < 2:
        raise InputError(
            f"{drawn.shape} replicates for {value.shape} values, and {units} units: expected "
            "(replicates, metrics), (metrics,) and at least two units"
        )
    centred = np.nan_to_num(drawn - value)
    ahead = value[:, np.newaxis] - value
    spread = _spread(centred) * np.sqrt(units / (units - 1))
    compared = (spread > VALUE_TIE) & np.isfinite(ahead)
    scale = 1 / np.where(compared, spread, np.inf)
    null = np.zeros(drawn.shape)
    for j in range(value.size):
        np.maximum(null, (centred[:, j : j + 1] - centred) * scale[j], out=null)
    seen = np.where(compared, ahead * scale, 0.0).max(axis=0, initial=0.0)
    exceeded = (null >= seen * (1 - REPLICATE_TIE)).sum(axis=0)
    p_best = np.where(seen > 0, (1 + exceeded) / (1 + len(drawn)), 1.0)
    alpha = round(1 - confidence_level, 12)
    allowed = int(alpha * (1 + len(drawn)) + REPLICATE_TIE) - 1
    c = np.sort(null, axis=0)[::-1][allowed] if allowed >= 0 else np.full(value.size, np.inf)
    arms = np.where(compared, spread, 0.0)
    lower = np.where(compared, ahead - np.where(p_best <= alpha, c, np.inf) * spread, 0.0)
    upper = np.nan_to_num(ahead) + stdtrit(units - 1, 1 - alpha / 2) * arms
    return _with_best(value, p_best, lower, upper)


def _spread(centred: Floats) -> Floats:
    """Root mean square of the difference of every two columns."""
    squares = centred.T @ centred / len(centred)
    own = np.diag(squares)
    return np.asarray(np.sqrt(np.maximum(own[:, np.newaxis] + own - 2 * squares, 0.0)))


def _with_best(value: Floats, p_best: Floats, lower: Floats, upper: Floats) -> WithBest:
    """Take the largest limits of every metric j being ahead of k; NaN without a value."""
    limits = (each.max(axis=0, initial=0.0) for each in (lower, upper))
    return WithBest(*(np.where(np.isnan(value), np.nan, x) for x in (p_best, *limits)))
