"""Resamples as counts: how often each unit is drawn. Never a copy of the data."""

import numpy as np
from numpy.typing import NDArray

from supersample.engine.streams import stream_key, uniforms


def bootstrap_counts(
    units: int, *, seed: int, replicates: NDArray[np.uint64], purpose: str = "bootstrap"
) -> NDArray[np.float64]:
    """How often each unit is drawn when as many as there are are drawn with replacement.

    Parameters
    ----------
    units : int
        How many there are, of systems or segments for instance; at most 2**20.
    seed : int
        With the purpose, keys the draws.
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers; each one's draws depend on its own number alone.
    purpose : str
        What is drawn; draws for different purposes are unrelated.

    Returns
    -------
    ndarray of float64, shape (replicates, units)
        Whole numbers that add up to `units` in each row.

    Examples
    --------
    >>> bootstrap_counts(5, seed=0, replicates=np.arange(2, dtype=np.uint64)).sum(axis=1)
    array([5., 5.])
    """
    drawn = (uniforms(stream_key(seed, purpose), replicates, units) * units).astype(np.int64)
    rows = np.arange(replicates.size)[:, np.newaxis] * units
    counts = np.bincount((rows + drawn).ravel(), minlength=replicates.size * units)
    return counts.reshape(replicates.size, units).astype(np.float64)


def jackknife_counts(units: int) -> NDArray[np.float64]:
    """Every unit once but one, which is left out in its turn; shape (units, units)."""
    return 1.0 - np.eye(units)
