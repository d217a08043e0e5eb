"""Comparisons with the best: which metrics could be the best, and how far each is behind.

The metric with the largest value was chosen because its value is largest, so counting the tests
that it wins claims too much. Comparisons with the best (Hsu 1984; Edwards and Hsu 1983) remain
valid after this choice: metric k is ruled out if some metric j is so much better that this would be
unlikely if k were the best. Only the hypothesis about the true best must hold, and only one-sided,
so the correction for many metrics is smaller than for all pairs.

`best_of_tests` uses tests of all pairs and Dunnett's law of their joint distribution.
`best_of_replicates` uses bootstrap replicates of any measure, which contain both tests and joint
distribution.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr, ndtri, stdtr, stdtrit

from supersample.errors import InputError
from supersample.inference.arguments import REPLICATE_TIE, VALUE_TIE, Floats, check_confidence_level

_TINY = 1e-300
"""Smallest p-value that is converted to a quantile."""
_NODES = np.linspace(-10.0, 10.0, 201)


class WithBest(NamedTuple):
    """Comparisons of every metric with the (unknown) best one.

    Parameters
    ----------
    p_best : ndarray, shape (K,)
            p-value of the hypothesis that the metric is the best. Metrics with p_best > alpha could
            be the best: a truly best metric is among them with a probability of at least 1 - alpha.
        behind_lower, behind_upper : ndarray, shape (K,)
            Limits of how far the metric is behind the best one, at least 0. The lower limit is
            above 0 exactly if p_best is at most 1 minus the confidence level, and the upper limit
            exactly if another metric could be the best.

    Values are NaN for a metric without a value, or one that is compared with no other metric. A
    metric is never ruled out by one from which it would not differ significantly in a single
    two-sided test.
    """

    p_best: Floats
    behind_lower: Floats
    behind_upper: Floats


def not_before_best(values: Floats, adjusted: Floats, best: WithBest) -> Floats:
    """Make pairs not significant if the worse metric could be the best."""
    p = best.p_best
    ahead = values[..., :, np.newaxis] > values[..., np.newaxis, :]
    behind = np.where(ahead, p[..., np.newaxis, :], p[..., :, np.newaxis])
    tied = values[..., :, np.newaxis] == values[..., np.newaxis, :]
    return np.where(tied, adjusted, np.maximum(adjusted, behind))


def best_of_tests(
    quantiles: ArrayLike,
    differences: ArrayLike,
    upper_limits: ArrayLike,
    *,
    confidence_level: float = 0.95,
) -> WithBest:
    """Compare every metric with the best one, by tests of all pairs.

    Let q_jk be the quantile of metric j being better than k, D_jk the difference and U_jk its upper
    limit, and c the quantile at which p_best is alpha. Then

        p_best(k) = P(max of K - 1 standard normals that correlate by 1/2 > max_j q_jk),
        lower(k) = max(0, max_j D_jk (1 - c / q_jk)) over j with q_jk > c,
        upper(k) = max(0, max_j U_jk), or max_j D_jk (1 - c / |q_jk|) where this is 0;
                   0 if no other metric could be the best.

    This is Dunnett's (1955) law of comparisons with one of K independent metrics; p_best is never
    below the two-sided p-value of a pair. Its level was measured (``experiments/difference``). The
    upper limit needs no correction: it must hold only for the true best.

    Parameters
    ----------
    quantiles : array_like, shape (K, K)
        Signed normal quantiles of pairwise tests, above 0 if the row's metric is better than the
        column's; 0 for copies, which count as one metric. Pairs with NaN are not compared.
    differences, upper_limits : array_like, shape (K, K)
        Row minus column (larger is better), and the upper limits of two-sided intervals of this
        confidence level. NaN on the diagonal, and for a metric without a value.
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
    >>> print(found.p_best.round(3), found.behind_lower.round(2), found.behind_upper.round(2))
    [1.    0.617 0.   ] [0.  0.  0.2] [0.2  0.25 0.6 ]
    """
    check_confidence_level(confidence_level)
    q, ahead, limits = (np.asarray(x, np.float64) for x in (quantiles, differences, upper_limits))
    if q.ndim != 2 or {q.shape, ahead.shape, limits.shape} != {(len(q), len(q))}:
        raise InputError(f"shapes {q.shape}, {ahead.shape}, {limits.shape} are not one square")
    distinct = _distinct(q, ahead)
    others = max(int(distinct.sum()) - 1, 1)
    seen = np.nan_to_num(q).max(axis=0, initial=0.0)
    alpha = round(1 - confidence_level, 12)
    p_joint = dunnett_p_values(seen, others)
    return _with_best(q, ahead, limits, p_joint, _dunnett_quantile(alpha, others), alpha)


def dunnett_p_values(largest: Floats, others: int) -> Floats:
    """Chance that the largest of so many standard normals that correlate by 1/2 exceeds this.

    They are sqrt(1/2) times the sum of an own and of a common normal number; this integrates over
    the common one, x: ``1 - Phi(sqrt(2) largest - x)^others``.
    """
    middle = np.asarray(largest)[..., np.newaxis] / np.sqrt(2)
    x = middle + _NODES  # where the integrand is largest if the chance is small
    above = -np.expm1(others * log_ndtr(2 * middle - x))
    density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
    return np.asarray(np.minimum((above * density).sum(axis=-1) * (_NODES[1] - _NODES[0]), 1.0))


@lru_cache
def _dunnett_quantile(alpha: float, others: int) -> float:
    """Value that the largest exceeds with the chance alpha."""
    low, high = -10.0, -float(ndtri(alpha / others))
    for _ in range(60):
        middle = (low + high) / 2
        above = dunnett_p_values(np.asarray(middle), others) > alpha
        low, high = (middle, high) if above else (low, middle)
    return high


def best_of_replicates(
    values: ArrayLike,
    replicates: ArrayLike,
    left_out: ArrayLike,
    *,
    units: int | None = None,
    confidence_level: float = 0.95,
) -> WithBest:
    """Compare every metric with the best one, by bootstrap replicates of all metrics.

    Each pair is tested by Student's t with ``units - 1`` degrees of freedom. The variance is the
    mean square of the replicates' differences minus the observed one, times ``units / (units - 1)``
    and times 1 + b, where b is the `largest_shares` of one unit: if a few documents cause most of a
    difference, a sample without such a document underestimates the variance. The joint distribution
    is that of the centred replicates.

    Parameters
    ----------
    values : array_like, shape (K,)
        Values of metrics; larger is better, NaN if undefined.
    replicates : array_like, shape (B, K)
        Values of all metrics on the same resamples. Resamples without any value are ignored; a
        metric that lacks a value on other resamples is not compared.
    left_out : array_like, shape (units, K)
        Values leaving out each of the drawn units, such as documents.
    units : int, optional
        Number of units of the scarcest kind; by default the number of rows of `left_out`.
    confidence_level : float, default 0.95

    Returns
    -------
    WithBest
        Metrics with the same difference in every replicate (copies) are not compared.

    Raises
    ------
    InputError
        If the shapes do not fit, or there are fewer than two units.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> drawn = [0.9, 0.88, 0.5] + 0.02 * rng.normal(size=(999, 3))
    >>> left_out = [0.9, 0.88, 0.5] + 0.002 * rng.normal(size=(100, 3))
    >>> found = best_of_replicates([0.9, 0.88, 0.5], drawn, left_out)
    >>> print(found.p_best > 0.05, found.behind_lower.round(1))
    [ True  True False] [0.  0.  0.3]
    """
    check_confidence_level(confidence_level)
    value, drawn, left = (np.asarray(x, np.float64) for x in (values, replicates, left_out))
    if value.ndim != 1 or any(x.shape[1:] != value.shape for x in (drawn, left)) or len(left) < 2:
        raise InputError(
            f"shapes {value.shape}, {drawn.shape} and {left.shape} are not those of (metrics,), "
            "(replicates, metrics) and (units, metrics) with at least two units"
        )
    units = len(left) if units is None else units
    drawn = drawn[~np.isnan(drawn).all(axis=1)]
    if len(drawn) == 0:
        return WithBest(*(np.full(value.shape, np.nan) for _ in range(3)))
    value = np.where(np.isnan(drawn).any(axis=0), np.nan, value)
    centred = np.nan_to_num(drawn - value)
    ahead = value[:, np.newaxis] - value
    plain = _spread(centred)
    spread = plain * np.sqrt((1 + largest_shares(left)) * units / (units - 1))
    varied = spread > VALUE_TIE
    t = np.abs(ahead) / np.where(varied, spread, np.inf)
    quantiles = -np.sign(ahead) * ndtri(np.maximum(stdtr(units - 1, -t), _TINY))
    limits = ahead + stdtrit(units - 1, (1 + confidence_level) / 2) * np.where(varied, spread, 0.0)
    null = _largest_ahead(centred, np.where(np.isfinite(ahead), plain, 0.0))
    seen = np.nan_to_num(quantiles).max(axis=0, initial=0.0)
    exceeded = (null >= seen * (1 - REPLICATE_TIE)).sum(axis=0)
    alpha = round(1 - confidence_level, 12)
    p_joint = (1 + exceeded) / (1 + len(null))
    return _with_best(quantiles, ahead, limits, p_joint, _critical(null, alpha), alpha)


def largest_shares(left_out: ArrayLike) -> Floats:
    """Largest share of one unit in the jackknife variance of each difference, (K, K).

    It is 0 if no difference depends on a unit; a unit without a value has no share.
    """
    left = np.asarray(left_out, np.float64)
    defined = np.isfinite(left)
    means = np.where(defined, left, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    influences = np.where(defined, left - means, 0.0)
    found = np.zeros((left.shape[1], left.shape[1]))
    for j, own in enumerate(influences.T):
        squares = (own[:, np.newaxis] - influences[:, j:]) ** 2
        total = squares.sum(axis=0)
        found[j, j:] = found[j:, j] = squares.max(axis=0) / np.where(total > 0, total, 1.0)
    return found


def _with_best(
    q: Floats,
    ahead: Floats,
    limits: Floats,
    p_joint: Floats,
    critical: Floats | float,
    alpha: float,
) -> WithBest:
    """Combine p-values and limits; `critical` is the quantile at which p_joint is alpha."""
    tested, compared = q, np.isfinite(q)
    q = np.where(compared, q, 0.0)
    seen = q.max(axis=0, initial=0.0)
    p_best = np.where(seen > 0, np.maximum(p_joint, 2 * ndtr(-seen)), 1.0)
    c = np.maximum(critical, -ndtri(alpha / 2))
    counts = (q > c) & (p_best <= alpha)
    shrunk = np.divide(c, q, out=np.ones_like(q), where=counts)
    lower = np.where(counts, ahead * (1 - shrunk), 0.0)
    upper = np.where(compared, limits, 0.0).max(axis=0, initial=0.0)
    # limits of single pairs are not corrected for many, so the leader's can be 0 too soon or late
    possible = (p_best > alpha)[:, np.newaxis] & compared & ~_copies(tested, ahead)
    few = possible & (q < 0) & (upper <= 0)
    c = np.where(np.isfinite(c), c, 2 * -q.min(axis=1, initial=-1.0))[..., np.newaxis]
    grown = np.divide(c, -q, out=np.ones_like(q), where=few)
    least = np.where(few, np.maximum(ahead * (1 - grown), VALUE_TIE), 0.0)
    upper = np.where(possible.any(axis=0), np.maximum(upper, least.max(axis=0, initial=0.0)), 0.0)
    found = (p_best, lower.max(axis=0, initial=0.0), upper)
    unknown = np.isnan(np.diag(ahead))
    if _distinct(tested, ahead).sum() > 1:
        unknown |= ~(compared & ~_copies(tested, ahead)).any(axis=0)
    return WithBest(*(np.where(unknown, np.nan, x) for x in found))


def _copies(q: Floats, ahead: Floats) -> NDArray[np.bool_]:
    """Whether two metrics count as one."""
    return np.asarray((q == 0) & (np.abs(ahead) <= VALUE_TIE) | np.eye(len(q), dtype=bool))


def _distinct(q: Floats, ahead: Floats) -> NDArray[np.bool_]:
    """Metrics with a value that are not copies of an earlier metric."""
    first = _copies(q, ahead).argmax(axis=1) == np.arange(len(q))
    return np.asarray(np.isfinite(np.diag(ahead)) & first)


def _largest_ahead(drawn: Floats, spread: Floats) -> Floats:
    """Largest lead of any other metric over each metric, in each draw, in units of spread; or 0."""
    weights = np.where(spread > VALUE_TIE, 1 / np.maximum(spread, VALUE_TIE), 0.0)
    largest = np.zeros(drawn.shape)
    for j, weight in enumerate(weights):
        np.maximum(largest, (drawn[:, j : j + 1] - drawn) * weight, out=largest)
    return largest


def _critical(null: Floats, alpha: float) -> Floats:
    """Value of each column that a share below alpha exceeds, counting the observed value."""
    allowed = int(alpha * (1 + len(null)) + REPLICATE_TIE) - 1
    if allowed < 0:
        return np.full(null.shape[1], np.inf)
    place = len(null) - 1 - allowed
    return np.asarray(np.partition(null, place, axis=0)[place])


def _spread(drawn: Floats) -> Floats:
    """Root mean square of the difference of each pair of columns."""
    apart = [np.square(drawn - column[:, np.newaxis]).mean(axis=0) for column in drawn.T]
    return np.asarray(np.sqrt(apart))  # without a BLAS, because its bits depend on the processor
