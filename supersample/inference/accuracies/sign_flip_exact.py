"""Which exact route a sign-flip tail takes, in one place.

In order, for n differences that are not zero:

1. ``none``: n = 0. The null sum is always the observed one.
2. ``enumeration``: n <= 24. All 2^n sums, met in the middle.
3. ``convolution``: all differences are multiples of a step h and sum |d| / h <= 2^16. Error:
   rounding only.
4. ``enumeration``: n <= 40.
5. ``lattice inversion``: multiples of a finer step, while no more than 2^17 points are needed.
   Error: at most 1e-10.
6. ``inversion``: all else. Error as reported, about 1e-10 where the characteristic function dies
   down. P(null = observed) is taken from the smoothed density where there is a lattice (too fine
   for the routes above: at most about 2e-5), else as 0.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.inference.accuracies.enumeration import enumerated_tail
from supersample.inference.accuracies.inversion import (
    inverted_lattice_tail,
    inverted_tail,
    lattice_inversion_points,
)
from supersample.inference.accuracies.lattice import convolved_tail, lattice_step

ROUTES = ("none", "enumeration", "convolution", "lattice inversion", "inversion")
ALWAYS_ENUMERATE = 24
ENUMERATE = 40
LATTICE_POINTS = 1 << 17  # some 30 ms
CONVOLVE = 1 << 16  # largest sum |d| / h: some 10 ms for 1,000 segments


class SignFlipTails(NamedTuple):
    """Tails of the sign-flip null at the observed sum, one per set of differences."""

    above: NDArray[np.float64]
    """P(null > observed)."""
    equal: NDArray[np.float64]
    """P(null = observed)."""
    error: NDArray[np.float64]
    """Bound or estimate of the absolute error of above + equal / 2; 0 where only rounding is."""
    route: NDArray[np.int8]
    """Index into `ROUTES`."""


@njit(cache=True, nogil=True)
def _tail(differences: NDArray[np.float64]) -> tuple[float, float, float, int]:
    """Dispatch one set of differences; see the module."""
    used = differences[differences != 0.0]
    if used.size == 0:
        return 0.0, 1.0, 0.0, 0
    if used.size <= ALWAYS_ENUMERATE:
        above, equal = enumerated_tail(used)
        return above, equal, 0.0, 1
    step = lattice_step(used)
    if step > 0.0 and np.abs(used).sum() <= CONVOLVE * step:
        above, equal = convolved_tail(np.rint(used / step).astype(np.int64))
        return above, equal, 0.0, 2
    if used.size <= ENUMERATE:
        above, equal = enumerated_tail(used)
        return above, equal, 0.0, 1
    if step > 0.0 and lattice_inversion_points(used, step) <= LATTICE_POINTS:
        above, equal, error = inverted_lattice_tail(used, step)
        return above, equal, error, 3
    middle, density, error = inverted_tail(used)
    equal = 2.0 * step * density
    return min(max(middle - 0.5 * equal, 0.0), 1.0 - equal), equal, error, 4


@njit(cache=True, nogil=True)
def _tails(
    differences: NDArray[np.float64],
    above: NDArray[np.float64],
    equal: NDArray[np.float64],
    error: NDArray[np.float64],
    route: NDArray[np.int8],
) -> None:
    for i in range(differences.shape[0]):
        above[i], equal[i], error[i], route[i] = _tail(differences[i])


def sign_flip_tails(differences: NDArray[np.float64]) -> SignFlipTails:
    """Tails of ``S = sum_l s_l d_l``, s_l fair independent signs, at the observed sum_l d_l.

    Parameters
    ----------
    differences : ndarray, shape (..., units)
        Paired differences, finite, in any unit.

    Returns
    -------
    SignFlipTails
        Arrays of shape (...). The module says which route is taken when.

    Examples
    --------
    1, -1 and 2 sum to 2; of their eight signed sums one is above that and two equal it:

    >>> tails = sign_flip_tails(np.array([1.0, -1.0, 2.0]))
    >>> float(tails.above), float(tails.equal), ROUTES[int(tails.route)]
    (0.125, 0.25, 'enumeration')
    """
    shape = differences.shape[:-1]
    flat = np.ascontiguousarray(differences, dtype=np.float64).reshape(-1, differences.shape[-1])
    above, equal, error = np.empty((3, flat.shape[0]))
    route = np.empty(flat.shape[0], np.int8)
    _tails(flat, above, equal, error, route)
    return SignFlipTails(
        above.reshape(shape), equal.reshape(shape), error.reshape(shape), route.reshape(shape)
    )
