"""Resamples as positions or as counts of each unit, never as copies of the data."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.kernel import zeros
from supersample.engine.streams import stream_key, uniform

_COLUMNS_AT_ONCE, _UNITS_AT_ONCE = 512, 64


def bootstrap_counts(
    units: int,
    *,
    seed: int,
    replicates: NDArray[np.uint64],
    purpose: str = "bootstrap",
    draws: int | None = None,
) -> Floats:
    """Count draws of each unit, with replacement; shape (replicates, units).

    A replicate's draws depend only on its number, the seed and the purpose; draws for different
    purposes are independent. By default as many units are drawn as there are (at most 2**20);
    `draws` sets another number. The first of more draws are the draws of fewer.

    Examples
    --------
    >>> bootstrap_counts(5, seed=0, replicates=np.arange(2, dtype=np.uint64)).sum(axis=1)
    array([5., 5.])
    """
    count = units if draws is None else draws
    counts = zeros(replicates.size, units)
    _count_draws(stream_key(seed, purpose), replicates, count, counts)
    return counts


@njit(cache=True, nogil=True)
def _count_draws(key: np.uint64, replicates: NDArray[np.uint64], n: int, counts: Floats) -> None:
    """Draw n positions, at most 2**20, each of all units, into the counts (replicates, units)."""
    for i in range(replicates.size):
        for draw in range(n):
            share = uniform(key, replicates[i], np.uint64(draw))
            counts[i, np.int64(share * counts.shape[1])] += 1.0


@dataclass(frozen=True)
class LeftOut:
    """Counts that leave out each of the units start to stop - 1 in turn; they take no memory.

    Examples
    --------
    >>> np.asarray(LeftOut(3, 0, 2))
    array([[0., 1., 1.],
           [1., 0., 1.]])
    """

    units: int
    start: int
    stop: int

    @property
    def shape(self) -> tuple[int, int]:
        """Replicates and units."""
        return self.stop - self.start, self.units

    def __len__(self) -> int:
        return self.stop - self.start

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return 1.0 - np.eye(*self.shape, self.start)


Counts = Floats | LeftOut
"""How often each unit counts in each replicate, (replicates, units)."""


@njit(cache=True, nogil=True)
def unit_sums(unit_of: NDArray[np.int64], values: Floats, units: int) -> Floats:
    """Sum the values (segments, columns) of each unit, in the order of its segments."""
    out = np.zeros((units, values.shape[1]))
    for segment in range(values.shape[0]):
        for column in range(values.shape[1]):
            out[unit_of[segment], column] += values[segment, column]
    return out


def counted_sums(counts: Counts, values: Floats) -> Floats:
    """Sum finite values over drawn units, ``sum_l counts[r, l] * values[l, c]``, in their order.

    The same bits on every run: no matrix product, hence no dependence on a BLAS. Units that were
    not drawn cost nothing. If units are left out in turn, the units before and after each of them
    are added separately, so all sums together take two passes and lose no digits. Both arrays
    get one layout, which needs one compiled version and has the numbers of a unit side by side.
    """
    values = np.ascontiguousarray(values)
    if isinstance(counts, LeftOut):
        return _left_out_sums(values, counts.start, counts.stop)
    return _counted_sums(np.ascontiguousarray(counts), values)


@njit(cache=True, nogil=True)
def _left_out_sums(values: Floats, start: int, stop: int) -> Floats:
    """Add from the first unit up to the one left out, and from the last one down to it."""
    units, columns = values.shape
    out = np.zeros((stop - start, columns))
    before, after = np.zeros(columns), np.zeros(columns)
    for unit in range(stop):
        for column in range(columns):
            if unit >= start:
                out[unit - start, column] = before[column]
            before[column] += values[unit, column]
    for unit in range(units - 1, start - 1, -1):
        for column in range(columns):
            if unit < stop:
                out[unit - start, column] += after[column]
            after[column] += values[unit, column]
    return out


@njit(cache=True, nogil=True)
def _counted_sums(counts: Floats, values: Floats) -> Floats:
    """Add some units in some columns to all replicates while a cache holds them, four at a time."""
    replicates, units = counts.shape
    out = np.zeros((replicates, values.shape[1]))
    drawn, count = np.zeros(_UNITS_AT_ONCE + 4, np.int64), np.zeros(_UNITS_AT_ONCE + 4)
    for start in range(0, values.shape[1], _COLUMNS_AT_ONCE):
        stop = min(start + _COLUMNS_AT_ONCE, values.shape[1])
        for first in range(0, units, _UNITS_AT_ONCE):
            for r in range(replicates):
                number = 0
                for unit in range(first, min(first + _UNITS_AT_ONCE, units)):
                    drawn[number], count[number] = unit, counts[r, unit]
                    number += counts[r, unit] != 0.0
                for k in range(number, number + 4):
                    drawn[k], count[k] = 0, 0.0
                sums = out[r, start:stop]
                for k in range(0, number, 4):
                    a, b = values[drawn[k], start:stop], values[drawn[k + 1], start:stop]
                    c, d = values[drawn[k + 2], start:stop], values[drawn[k + 3], start:stop]
                    of_a, of_b, of_c, of_d = count[k], count[k + 1], count[k + 2], count[k + 3]
                    for i in range(sums.size):
                        first_two = (sums[i] + of_a * a[i]) + of_b * b[i]
                        sums[i] = (first_two + of_c * c[i]) + of_d * d[i]
    return out
