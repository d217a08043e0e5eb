"""Which metrics could be the best, and how far each is behind the best, by comparisons with it.

The metric with the largest value was picked for being the largest, so that counting the tests that
it wins claims too much. Comparisons with the best (Hsu 1984; Edwards and Hsu 1983) survive the
choice: metric k is ruled out where some metric j is so far ahead of it that this would be unlikely
if k were the best. Only the true best's own hypothesis has to hold, to one side, so that less is
paid for many metrics than where all pairs are compared.

`best_of_tests` takes the tests of all pairs, with a joint law that needs no more.
`best_of_replicates` takes bootstrap replicates of any measure, which have tests and law in them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from supersample.errors import InputError
from supersample.inference.arguments import (
    REPLICATE_TIE,
    VALUE_TIE,
    Floats,
    check_confidence_level,
)

_HALVINGS = 60


class WithBest(NamedTuple):
    """Every metric compared with the best one, which is not known.

    Parameters
    ----------
    p_best : ndarray, shape (K,)
        p-value of the hypothesis that the metric is the best. Metrics with more than alpha could be
        the best: a given best one is among them with a probability of at least 1 - alpha.
    lower, upper : ndarray, shape (K,)
        Limits of how far the metric is behind the best one, at least 0. The lower limit is above 0
        exactly where p_best is at most 1 less the confidence level.

    NaN for a metric without a value. No metric is ruled out by one that it would not be told apart
    from, two-sided, were the two named beforehand.
    """

    p_best: Floats
    lower: Floats
    upper: Floats


def best_of_tests(
    quantiles: ArrayLike,
    differences: ArrayLike,
    upper_limits: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> WithBest:
    """Compare every metric with the best one, by tests of all pairs.

    With q_jk the quantile of metric j being ahead of k, D_jk the difference, U_jk its upper limit,
    and G the distribution of the largest of K - 1 standard normal numbers with correlations of 1/2
    (Dunnett 1955: those of K - 1 differences from one of K independent metrics),

        p_best(k) = max(1 - G(max_j q_jk), 2 Phi(-max_j q_jk)),
        lower(k) = max(0, max_j D_jk (1 - c / q_jk)) over the j with q_jk > c,
        upper(k) = max(0, max_j U_jk),

    c being the quantile at which p_best is alpha. The upper limit needs no adjustment: it has to
    hold for the true best alone.

    Parameters
    ----------
    quantiles : array_like, shape (K, K)
        Signed normal quantiles of pairwise tests, above 0 where the row's metric is ahead of the
        column's; 0 of copies, which count as one metric. A pair that is NaN is not compared.
    differences, upper_limits : array_like, shape (K, K)
        Row less column, larger meaning better, and the upper limits of two-sided intervals of this
        confidence level. NaN, the diagonal too, for a metric without a value.
    confidence_level : float, default 0.95

    Returns
    -------
    WithBest

    Raises
    ------
    InputError
        If the shapes do not fit.

    References
    ----------
    Hsu (1984), "Constrained simultaneous confidence intervals for multiple comparisons with the
    best", Annals of Statistics 12. Edwards and Hsu (1983), "Multiple comparisons with the best
    treatment", JASA 78. Dunnett (1955), "A multiple comparison procedure for comparing several
    treatments with a control", JASA 50.

    Examples
    --------
    >>> q, d = (np.subtract.outer(x, x) for x in ([4.0, 3.5, 0.0], [0.9, 0.85, 0.5]))
    >>> found = best_of_tests(q, d, d + 0.2)
    >>> print(found.p_best.round(3), found.lower.round(2), found.upper.round(2))
    [1.    0.617 0.   ] [0.  0.  0.2] [0.2  0.25 0.6 ]
    """
    check_confidence_level(confidence_level)
    q, ahead, limits = (np.asarray(x, np.float64) for x in (quantiles, differences, upper_limits))
    if q.ndim != 2 or {q.shape, ahead.shape, limits.shape} != {(len(q), len(q))}:
        raise InputError(f"shapes {q.shape}, {ahead.shape}, {limits.shape} are not one square")
    valued = np.isfinite(np.diag(ahead))
    copies = (q == 0) & (np.abs(ahead) <= VALUE_TIE) | np.eye(len(q), dtype=bool)
    distinct = valued & (copies.argmax(axis=1) == np.arange(len(q)))
    others = max(int(distinct.sum()) - 1, 1)
    seen = np.nan_to_num(q).max(axis=0, initial=0.0)
    alpha = round(1 - confidence_level, 12)
    low, high = 0.0, float(-ndtri(alpha / 2 / others))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = dunnett_tail(middle, others) > alpha
        low, high = (middle, high) if above else (low, middle)
    return _with_best(q, ahead, limits, dunnett_tail(seen, others), np.asarray(low), alpha)


def dunnett_tail(largest: ArrayLike, count: int) -> Floats:
    """Chance that the largest of `count` standard normal numbers exceeds this.

    Their correlations are 1/2: ``1 - integral phi(x) Phi(sqrt(2) c + x)^count dx``, by the
    trapezoidal rule, whose error is that of rounding.

    References
    ----------
    Dunnett (1955), as in `best_of_tests`.

    Examples
    --------
    >>> dunnett_tail([0.0, 1.96], 1).round(3), dunnett_tail([1.916, 2.212], 2).round(3)
    (array([0.5  , 0.025]), array([0.05 , 0.025]))
    """
    x = np.linspace(-9.0, 9.0, 361)
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    below = ndtr(np.sqrt(2) * np.asarray(largest)[..., np.newaxis] + x) ** count
    return np.asarray(np.clip((1 - below) @ density, 0.0, 1.0))


def best_of_replicates(
    values: ArrayLike, replicates: ArrayLike, units: int, *, confidence_level: float = 0.95
) -> WithBest:
    """Compare every metric with the best one, by the joint law of bootstrap replicates.

    The test of a pair is Student's, with ``units - 1`` degrees of freedom and the root mean square
    of the replicates' differences about the observed one, times ``sqrt(units / (units - 1))``; the
    joint law is that of the centred replicates.

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
        Metrics that differ by the same in every replicate (copies) are not compared.

    Raises
    ------
    InputError
        If the shapes do not fit, or there are fewer than two units.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> drawn = [0.9, 0.88, 0.5] + 0.02 * rng.normal(size=(999, 3))
    >>> found = best_of_replicates([0.9, 0.88, 0.5], drawn, 100)
    >>> print(found.p_best > 0.05, found.lower.round(1))
    [ True  True False] [0.  0.  0.3]
    """
    check_confidence_level(confidence_level)
    value, drawn = np.asarray(values, np.float64), np.asarray(replicates, np.float64)
    if value.ndim != 1 or drawn.shape[1:] != value.shape or units < 2:
        raise InputError(
            f"{drawn.shape} replicates of {units} units, values of shape {value.shape}: expected "
            "(replicates, metrics), (metrics,) and at least two units"
        )
    centred = np.nan_to_num(drawn - value)
    ahead = value[:, np.newaxis] - value
    spread = _spread(centred) * np.sqrt(units / (units - 1))
    varied = spread > VALUE_TIE
    t = np.abs(ahead) / np.where(varied, spread, np.inf)
    quantiles = -np.sign(ahead) * np.maximum(ndtri(stdtr(units - 1, -t)), -1e6)
    limits = ahead + stdtrit(units - 1, (1 + confidence_level) / 2) * np.where(varied, spread, 0.0)
    null = _largest_ahead(centred)
    seen = np.nan_to_num(quantiles).max(axis=0, initial=0.0)
    exceeded = (null >= seen * (1 - REPLICATE_TIE)).sum(axis=0)
    alpha = round(1 - confidence_level, 12)
    p_joint = (1 + exceeded) / (1 + len(null))
    return _with_best(quantiles, ahead, limits, p_joint, _critical(null, alpha), alpha)


def _with_best(
    q: Floats, ahead: Floats, limits: Floats, p_joint: Floats, critical: Floats, alpha: float
) -> WithBest:
    """Put p-values and limits together; `critical` is the quantile at which p_joint is alpha."""
    compared = np.isfinite(q)
    q = np.where(compared, q, 0.0)
    seen = q.max(axis=0, initial=0.0)
    p_best = np.where(seen > 0, np.maximum(p_joint, 2 * ndtr(-seen)), 1.0)
    c = np.maximum(critical, -ndtri(alpha / 2))
    counts = (q > c) & (p_best <= alpha)
    lower = np.where(counts, ahead * (1 - c / np.where(counts, q, 1.0)), 0.0)
    upper = np.where(compared, limits, 0.0)
    found = (p_best, lower.max(axis=0, initial=0.0), upper.max(axis=0, initial=0.0))
    no_value = np.isnan(np.diag(ahead))
    return WithBest(*(np.where(no_value, np.nan, x) for x in found))


def _largest_ahead(drawn: Floats) -> Floats:
    """How far the others are at most ahead of each metric in each draw, by their spread; or 0."""
    spread = _spread(drawn)
    weights = np.where(spread > VALUE_TIE, 1 / np.maximum(spread, VALUE_TIE), 0.0)
    largest = np.zeros(drawn.shape)
    for j, weight in enumerate(weights):
        np.maximum(largest, (drawn[:, j : j + 1] - drawn) * weight, out=largest)
    return largest


def _critical(null: Floats, alpha: float) -> Floats:
    """Value of each column that a share of less than alpha exceeds, the observed one counted."""
    allowed = int(alpha * (1 + len(null)) + REPLICATE_TIE) - 1
    if allowed < 0:
        return np.full(null.shape[1], np.inf)
    place = len(null) - 1 - allowed
    return np.asarray(np.partition(null, place, axis=0)[place])


def _spread(drawn: Floats) -> Floats:
    """Root mean square of the difference of every two columns."""
    squares = drawn.T @ drawn / len(drawn)
    own = np.diag(squares)
    return np.asarray(np.sqrt(np.maximum(own[:, np.newaxis] + own - 2 * squares, 0.0)))
