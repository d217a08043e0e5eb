"""Sign-flip sums on a lattice: finding the step, and the exact distribution by convolution.

Differences of scores such as MQM are whole multiples of a step h. Then ``S = sum s_l d_l`` takes
few values, ties with the observed sum are common, and the mid-p needs their probability exactly.

How the step is found. Floating point blurs multiples (-25.2 is stored as -25.200000000000003), so
the greatest common divisor is taken by Euclid's algorithm with nearest remainders, where a
remainder below ``RESOLUTION / 2`` of the largest |d| counts as zero; the step is then refitted by
least squares over all values, ``h = sum k d / sum k^2`` with k the nearest whole multiples, and
accepted only if *every* difference is within ``ROUNDING`` of the largest |d| of its multiple.
Steps below ``RESOLUTION`` of the largest |d| are not looked for: nothing is then called a lattice
by chance, as its residuals would have to be below 1e-4 of a step for every single difference.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

RESOLUTION = 1e-6  # smallest step looked for, as a share of the largest |d|
ROUNDING = 1e-10  # accepted distance to a multiple, as a share of the largest |d|


@njit(cache=True, nogil=True)
def lattice_step(differences: NDArray[np.float64]) -> float:
    """Step h of which all differences are whole multiples, or 0.0 where there is none.

    Parameters
    ----------
    differences : ndarray, shape (units,)
        Finite; zeros are multiples of any step. All zeros give 0.0.

    Returns
    -------
    float
        The greatest such step, in the units of the differences; see the module for how
        floating-point noise is treated.
    """
    largest = 0.0
    for d in differences:
        largest = max(largest, abs(d))
    if largest == 0.0:
        return 0.0
    zero = 0.5 * RESOLUTION * largest
    step = 0.0
    for d in differences:
        a, b = abs(d), step
        while b > zero:
            a, b = b, abs(a - np.rint(a / b) * b)
        if a > zero:
            step = a
        if 0.0 < step < RESOLUTION * largest:
            return 0.0
    if step == 0.0:
        return 0.0
    cross, square = 0.0, 0.0
    for d in differences:
        multiple = np.rint(d / step)
        cross += multiple * d
        square += multiple * multiple
    step = cross / square
    for d in differences:
        if abs(d - np.rint(d / step) * step) > ROUNDING * largest:
            return 0.0
    return step


@njit(cache=True, nogil=True)
def convolved_tail(multiples: NDArray[np.int64]) -> tuple[float, float]:
    """Return P(S > observed) and P(S = observed) for whole-number differences, exactly.

    S = sum s_l k_l with fair independent signs, and the observed sum is that of the multiples.
    The number of heads-up ``sum_l [s_l = -1] |k_l|`` is convolved one |k| after another, smallest
    first; every term is a sum of non-negative numbers, so nothing cancels.

    Parameters
    ----------
    multiples : ndarray of int64, shape (units,)
        d_l / h. Time grows as units x sum |k| / 2, memory as sum |k|.
    """
    size = np.sort(np.abs(multiples))
    total = size.sum()
    # S = total - 2 * F, where F sums the |k| whose sign differs from all-plus; the observed S is
    # reached at F = sum of |k| over negative k.
    observed = 0
    for k in multiples:
        if k < 0:
            observed -= k
    mass = np.zeros(total + 1)
    old = np.zeros(total + 1)
    mass[0] = 1.0
    reach = 0
    for k in size:
        if k == 0:
            continue
        old[: reach + 1] = mass[: reach + 1]
        for f in range(reach + 1):
            mass[f] *= 0.5
        for f in range(reach + 1):
            mass[f + k] += 0.5 * old[f]
        reach += k
    return mass[:observed].sum(), mass[observed]
