"""Intervals of the mean of independent estimates, each with an interval of its own."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError
from supersample.inference.arguments import Interval


def mean_interval(estimates: ArrayLike, lower: ArrayLike, upper: ArrayLike) -> Interval:
    """Interval of the mean of independent estimates, recovered from their own limits (MOVER).

    With G estimates e and their limits l and u, ``mean(e) - sqrt(sum (e - l)^2) / G`` to
    ``mean(e) + sqrt(sum (u - e)^2) / G``. Unlike mean -+ q s.e. it keeps the asymmetry of the
    limits, as those of a correlation near 1 have it; where they are symmetric it is the same.

    Parameters
    ----------
    estimates, lower, upper : array_like, shape (G, ...)
        Estimates, statistically independent of each other, and limits of one confidence level.

    Returns
    -------
    Interval
        Of that level, shape (...); NaN where a limit is.

    Raises
    ------
    InputError
        If there is no estimate, or shapes differ.

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
        raise InputError("there is no estimate to take the mean of")
    if not values.shape == below.shape == above.shape:
        raise InputError("estimates and limits differ in shape")
    centre = values.mean(axis=0)
    return Interval(
        np.asarray(centre - _length(values - below)), np.asarray(centre + _length(above - values))
    )


def _length(arms: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sqrt((arms**2).sum(axis=0)) / arms.shape[0])
