"""Densities of scores, smoothed by Gaussian kernels."""

import numpy as np
from numpy.typing import NDArray

BLOCK = 2_000  # scores at a time, so that memory stays small


def density(scores: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian kernel density with Silverman's bandwidth, ``0.9 min(sd, IQR / 1.34) n^(-1/5)``.

    Parameters
    ----------
    scores : ndarray, shape (n,)
        At least two, without NaN.
    at : ndarray, shape (m,)
        Where it is wanted.

    Returns
    -------
    ndarray, shape (m,)
        NaN where the scores do not vary. With an interquartile range of 0, sd alone counts.

    References
    ----------
    Silverman (1986), "Density estimation for statistics and data analysis", equation 3.31.

    Examples
    --------
    >>> grid = np.linspace(-10, 10, 2001)
    >>> round(float(density(np.array([-1.0, 0.0, 2.0]), grid).sum() * 0.01), 6)
    1.0
    """
    deviation = scores.std(ddof=1)
    quartiles = np.percentile(scores, [25, 75])
    spread = min(deviation, (quartiles[1] - quartiles[0]) / 1.34) or deviation
    bandwidth = 0.9 * spread * scores.size**-0.2
    if np.ptp(scores) == 0:
        return np.full(at.shape, np.nan)
    total = np.zeros(at.shape)
    for start in range(0, scores.size, BLOCK):
        z = (at[:, np.newaxis] - scores[start : start + BLOCK]) / bandwidth
        total += np.exp(-(z**2) / 2).sum(axis=1)
    return np.asarray(total / (scores.size * bandwidth * np.sqrt(2 * np.pi)))
