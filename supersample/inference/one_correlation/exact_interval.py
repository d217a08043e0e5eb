"""The interval for a population's correlation that inverts the exact distribution of r."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from supersample.inference.arguments import Interval, check_confidence_level
from supersample.inference.one_correlation.distribution_of_r import distribution_function_of_r

_ITERATIONS = 100
_PROBIT_ERROR = 1e-9


def exact_interval(r: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> Interval:
    """Interval for a bivariate normal population's correlation that covers exactly as it says.

    Its limits are the rho at which an r at least (lower limit), or at most (upper limit), as large
    as that observed has probability ``(1 - confidence_level) / 2``.

    Parameters
    ----------
    r : array_like
        Pearson correlations, in [-1, 1].
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


def _rho_with(
    probability: float, r: NDArray[np.float64], n: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Find rho at which a sample's correlation is at most r with this probability, by secants.

    The probit of that probability falls nearly straight along Fisher's z of rho.
    """
    target, z = ndtri(probability), np.arctanh(r)

    def excess(zeta: NDArray[np.float64]) -> NDArray[np.float64]:
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
