"""Intervals for one correlation, and for the mean of independent estimates.

All but `mean_interval` take the same arguments.

Parameters
----------
r (tau) : array_like
    Correlations, in [-1, 1].
n : array_like
    Number of pairs of scores that each rests on, at least 4 (5 for Kendall's tau); broadcasts
    against `r`.
confidence_level : float, default 0.95
    Strictly between 0 and 1.

Returns
-------
Interval
    Limits of the broadcast shape. Where |r| = 1 both limits are r; where r is NaN, NaN.

Raises
------
InputError
    If r lies outside [-1, 1], n is too small, or the confidence level is not between 0 and 1.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from supersample.errors import InputError
from supersample.inference.arguments import (
    Floats,
    Interval,
    check_confidence_level,
    correlations,
    sample_size,
)
from supersample.inference.one_correlation.distribution_of_r import distribution_function_of_r

_ITERATIONS = 100
_PROBIT_ERROR = 1e-9


def fisher_interval(r: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for Pearson's correlation by Fisher's r-to-z transformation.

    ``tanh(arctanh(r) -+ q / sqrt(n - 3))``, q the standard normal quantile of
    ``(1 + confidence_level) / 2``

    References
    ----------
    Fisher (1921), "On the 'probable error' of a coefficient of correlation deduced from a small
    sample", Metron 1.

    Examples
    --------
    >>> lower, upper = fisher_interval(0.883, 15)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.677 to 0.961
    """
    (r_,) = correlations(r=r)
    size = sample_size(n, smallest=4, formula="Fisher's interval")
    return _interval_of_z(r_, 1 / np.sqrt(size - 3), confidence_level)


def spearman_interval(r: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for Spearman's correlation by Fisher's z with the variance of Bonett and Wright.

    ``tanh(arctanh(r) -+ q sqrt((1 + r^2 / 2) / (n - 3)))``, q the standard normal quantile of
    ``(1 + confidence_level) / 2``

    References
    ----------
    Bonett and Wright (2000), "Sample size requirements for estimating Pearson, Kendall and Spearman
    correlations", Psychometrika 65; they vouch for the variance where |r| < 0.95.

    Examples
    --------
    >>> lower, upper = spearman_interval(0.965, 12)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.841 to 0.993
    """
    (r_,) = correlations(r=r)
    size = sample_size(n, smallest=4, formula="the Bonett-Wright interval for Spearman's r")
    return _interval_of_z(r_, np.sqrt((1 + r_**2 / 2) / (size - 3)), confidence_level)


def kendall_interval(tau: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for Kendall's tau by Fisher's z with the variance of Fieller, Hartley and Pearson.

    ``tanh(arctanh(tau) -+ q sqrt(0.437 / (n - 4)))``, q the standard normal quantile of
    ``(1 + confidence_level) / 2``; Bonett and Wright (2000) adopt this variance.

    References
    ----------
    Fieller, Hartley and Pearson (1957), "Tests for rank correlation coefficients I", Biometrika 44;
    Bonett and Wright (2000), Psychometrika 65, who vouch for the variance where |tau| < 0.8.

    Examples
    --------
    >>> lower, upper = kendall_interval(0.636, 12)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.285 to 0.837
    """
    (tau_,) = correlations(tau=tau)
    size = sample_size(n, smallest=5, formula="the Bonett-Wright interval for Kendall's tau")
    return _interval_of_z(tau_, np.sqrt(0.437 / (size - 4)), confidence_level)


def symmetric_interval(r: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for Pearson's correlation that takes r itself as normal, to be seen beside others.

    ``r -+ q (1 - r^2) / sqrt(n - 1)``, q the standard normal quantile of
    ``(1 + confidence_level) / 2``. As a plus-or-minus it ignores that the distribution of r is
    skewed: for strong correlations in small samples it covers too little, and reaches beyond 1.

    The limits are not cut at -1 and 1.

    References
    ----------
    Pearson and Filon (1898), "Mathematical contributions to the theory of evolution IV",
    Philosophical Transactions of the Royal Society A 191, for the standard error in large samples.

    Examples
    --------
    >>> lower, upper = symmetric_interval(0.91, 5)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.742 to 1.078
    """
    (r_,) = correlations(r=r)
    size = sample_size(n, smallest=4, formula="the symmetric interval")
    check_confidence_level(confidence_level)
    margin = ndtri((1 + confidence_level) / 2) * (1 - r_**2) / np.sqrt(size - 1)
    return Interval(np.asarray(r_ - margin), np.asarray(r_ + margin))


def _interval_of_z(r: Floats, standard_error: Floats, confidence_level: float) -> Interval:
    """Interval for a coefficient whose arctanh is normal with the given standard error."""
    check_confidence_level(confidence_level)
    margin = ndtri((1 + confidence_level) / 2) * standard_error
    with np.errstate(divide="ignore"):  # |r| = 1 is at infinity, and stays there
        z = np.arctanh(r)
    return Interval(np.asarray(np.tanh(z - margin)), np.asarray(np.tanh(z + margin)))


def exact_interval(r: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for a bivariate normal population's correlation that covers exactly as it says.

    Its limits are the rho at which an r at least (lower limit), or at most (upper limit), as large
    as that observed has probability ``(1 - confidence_level) / 2``.

    References
    ----------
    David (1938), Tables of the Correlation Coefficient, charts these limits.

    Examples
    --------
    >>> lower, upper = exact_interval(0.91, 5)
    >>> print(f"{lower:.3f} to {upper:.3f}")
    0.135 to 0.988
    """
    check_confidence_level(confidence_level)
    tail = (1 - confidence_level) / 2
    values, size = np.broadcast_arrays(np.asarray(r, np.float64), np.asarray(n, np.float64))
    distribution_function_of_r(values, 0.0, size)  # refuses what is no r or no n
    limits = [values.copy(), values.copy()]
    inside = np.abs(values) < 1
    for limit, probability in zip(limits, (1 - tail, tail), strict=True):
        limit[inside] = _rho_with(probability, values[inside], size[inside])
    return Interval(*limits)


def _rho_with(probability: float, r: Floats, n: Floats) -> Floats:
    """Find rho at which a sample's correlation is at most r with this probability, by secants.

    The probit of that probability falls nearly straight along Fisher's z of rho.
    """
    target, z = ndtri(probability), np.arctanh(r)

    def excess(zeta: Floats) -> Floats:
        below = distribution_function_of_r(r, np.tanh(zeta), n)
        return np.asarray(ndtri(np.clip(below, 1e-300, 1 - 1e-16)) - target)

    before, at = z, z - target / np.sqrt(n - 1.5)
    error_before, error = excess(before), excess(at)
    for _ in range(_ITERATIONS):
        if np.all(np.abs(error) < _PROBIT_ERROR):
            return np.tanh(at)
        moved = error != error_before
        slope = (error - error_before)[moved] / (at - before)[moved]
        before, error_before = at, error
        at = at.copy()
        at[moved] -= error[moved] / slope
        error = excess(at)
    raise ArithmeticError(f"a limit of rho was found to {np.max(np.abs(error)):.1g} only")


def mean_interval(estimates: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Interval:
    """Interval of the mean of independent estimates, recovered from their limits (MOVER).

    With G estimates e and their limits l and u, ``mean(e) - sqrt(sum (e - l)^2) / G`` to
    ``mean(e) + sqrt(sum (u - e)^2) / G``. Unlike mean -+ q s.e. it keeps the asymmetry of the
    limits, as those of a correlation near 1 have it; where they are symmetric it is the same.

    All arguments have the shape (G, ...). The estimates are independent of each other, and the
    limits have one confidence level, that of the result; NaN where a limit is.

    References
    ----------
    Zou and Donner (2008), "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27, for sums of two; Zou, Huang and Zhang (2009), "A note on
    confidence interval estimation for a linear function of binomial proportions", Computational
    Statistics and Data Analysis 53, for linear functions of any number.

    Examples
    --------
    >>> lower, upper = mean_interval([0.9, 0.5], [0.6, 0.1], [0.96, 0.8])
    >>> print(f"{lower:.3f} {upper:.3f}")
    0.450 0.853
    """
    values, below, above = (np.asarray(x, dtype=np.float64) for x in (estimates, lower, upper))
    if values.ndim == 0 or not values.shape[0]:
        raise InputError("a mean needs at least one estimate")
    if not values.shape == below.shape == above.shape:
        raise InputError("estimates and limits differ in shape")
    centre = values.mean(axis=0)
    return Interval(
        np.asarray(centre - _length(values - below)), np.asarray(centre + _length(above - values))
    )


def _length(arms: Floats) -> Floats:
    return np.asarray(np.sqrt((arms**2).sum(axis=0)) / arms.shape[0])
