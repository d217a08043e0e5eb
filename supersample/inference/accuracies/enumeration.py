"""The sign-flip distribution by enumeration, met in the middle.

The 2^n signed sums of n differences are the sums of one element from each of two sorted lists of
2^(n/2): the list of each half is built by merging, and pairs above the observed sum are counted
with two pointers, so that n = 40 takes two million steps and no approximation.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

TIE = 1e-12  # sums closer than this share of sum |d| are equal: floating-point noise, no more


@njit(cache=True, nogil=True)
def _signed_sums(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all signed sums, ascending."""
    sums = np.zeros(1)
    for d in differences:
        shift = abs(d)
        count = sums.size
        merged = np.empty(2 * count)
        low, high = 0, 0
        for position in range(2 * count):
            take_low = high >= count or (low < count and sums[low] - shift <= sums[high] + shift)
            # sums - shift and sums + shift are each ascending, so this is one merge
            if low < count and take_low:
                merged[position] = sums[low] - shift
                low += 1
            else:
                merged[position] = sums[high] + shift
                high += 1
        sums = merged
    return sums


@njit(cache=True, nogil=True)
def _count_above(low: NDArray[np.float64], high: NDArray[np.float64], bound: float) -> int:
    """Count pairs with low + high > bound."""
    count = 0
    j = high.size
    for i in range(low.size):
        while j > 0 and low[i] + high[j - 1] > bound:
            j -= 1
        count += high.size - j
    return count


@njit(cache=True, nogil=True)
def enumerated_tail(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return P(S > observed) and P(S = observed), S = sum s_l d_l with fair signs, exactly.

    Parameters
    ----------
    differences : ndarray, shape (units,)
        Up to about 40 of them; sums within `TIE` x sum |d| of the observed one are ties.
    """
    observed = differences.sum()
    slack = TIE * np.abs(differences).sum()
    half = differences.size // 2
    low = _signed_sums(differences[:half])
    high = _signed_sums(differences[half:])
    everything = 2.0**differences.size
    above = _count_above(low, high, observed + slack)
    at_least = _count_above(low, high, observed - slack)
    return above / everything, (at_least - above) / everything
