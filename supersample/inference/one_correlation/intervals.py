"""Intervals for one correlation."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from supersample.inference.arguments import (
    Interval,
    check_confidence_level,
    correlations,
    sample_size,
)


def fisher_interval(r: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for Pearson's correlation by Fisher's r-to-z transformation.

    ``tanh(arctanh(r) -+ q / sqrt(n - 3))``, q the standard normal quantile of
    ``(1 + confidence_level) / 2``

    Parameters
    ----------
    r : array_like
        Correlations, in [-1, 1].
    n : array_like
        How many pairs of scores each correlation rests on, at least 4; broadcasts against `r`.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Limits of the broadcast shape. Where |r| = 1 both limits are r; where r is NaN, NaN.

    Raises
    ------
    InputError
        If r lies outside [-1, 1], n < 4, or the confidence level is not between 0 and 1.

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

    Parameters
    ----------
    r : array_like
        Spearman correlations, in [-1, 1].
    n : array_like
        How many pairs of scores each rests on, at least 4; broadcasts against `r`.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Limits of the broadcast shape. Where |r| = 1 both limits are r; where r is NaN, NaN.

    Raises
    ------
    InputError
        If r lies outside [-1, 1], n < 4, or the confidence level is not between 0 and 1.

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

    Parameters
    ----------
    tau : array_like
        Kendall correlations, in [-1, 1].
    n : array_like
        How many pairs of scores each rests on, at least 5; broadcasts against `tau`.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Limits of the broadcast shape. Where |tau| = 1 both limits are tau; where tau is NaN, NaN.

    Raises
    ------
    InputError
        If tau lies outside [-1, 1], n < 5, or the confidence level is not between 0 and 1.

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

    Parameters
    ----------
    r : array_like
        Correlations, in [-1, 1].
    n : array_like
        How many pairs of scores each correlation rests on, at least 4; broadcasts against `r`.
    confidence_level : float
        Strictly between 0 and 1, 0.95 unless given.

    Returns
    -------
    Interval
        Limits of the broadcast shape, not cut at -1 and 1. Where |r| = 1 both limits are r; where r
        is NaN, NaN.

    Raises
    ------
    InputError
        If r lies outside [-1, 1], n < 4, or the confidence level is not between 0 and 1.

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


def _interval_of_z(
    r: NDArray[np.float64], standard_error: NDArray[np.float64], confidence_level: float
) -> Interval:
    """Interval for a coefficient whose arctanh is normal with the given standard error."""
    check_confidence_level(confidence_level)
    margin = ndtri((1 + confidence_level) / 2) * standard_error
    with np.errstate(divide="ignore"):  # |r| = 1 is at infinity, and stays there
        z = np.arctanh(r)
    return Interval(np.asarray(np.tanh(z - margin)), np.asarray(np.tanh(z + margin)))
