"""Finalizers: pure functions from summed statistics to system-level scores."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray


class Finalizer(Protocol):
    """Turns totals of `width` statistics, on the last axis, into a score."""

    @property
    def width(self) -> int:
        """How many statistics the last axis of the totals holds."""
        ...

    def __call__(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of the shape of `totals` without its last axis; `totals` stays as it is."""
        ...


@dataclass(frozen=True)
class Mean:
    """Mean of (sum, count); NaN where nothing was counted.

    Examples
    --------
    >>> Mean()(np.array([[6.0, 3.0], [0.0, 0.0]]))
    array([ 2., nan])
    """

    @property
    def width(self) -> int:
        """Two: the sum and the count."""
        return 2

    def __call__(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Divide the sums by the counts."""
        sums, counts = totals[..., 0], totals[..., 1]
        means = np.full(counts.shape, np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return means


@njit(cache=True, nogil=True)
def fill_means(
    totals: NDArray[np.float64],
    columns: NDArray[np.int64],
    scorers: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Do what `Mean` does for many scorers whose sums and counts lie in any columns, in one pass.

    Parameters
    ----------
    totals : ndarray, shape (replicates, columns)
    columns : ndarray of int, shape (scorers, 2)
        Columns of each scorer's sum and count.
    scorers : ndarray of int, shape (scorers,)
        Where each scorer's means go along the last axis of `out`.
    out : ndarray, shape (replicates, at least scorers)
    """
    for r in range(totals.shape[0]):
        for k in range(scorers.size):
            count = totals[r, columns[k, 1]]
            total = totals[r, columns[k, 0]]
            out[r, scorers[k]] = total / count if count > 0.0 else np.nan
