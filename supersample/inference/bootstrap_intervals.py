"""Intervals from replicates of any resampling: percentile, BCa, and by Student's law.

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
    If the confidence level is not between 0 and 1.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from supersample.inference.arguments import Floats, Interval, check_confidence_level
from supersample.tolerances import SUM_TIE


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
