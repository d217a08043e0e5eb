"""System scores of people and two metrics: correlations, and Fisher's z without each system.

What the procedures of `williams_jackknife` and `projection` have in common. They need the scores
themselves, not only three correlations: scores tell how heavy the tails are, and on which systems a
difference rests.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError
from supersample.inference.two_correlations.statistics import (
    overlapping_gap,
    uncorrelated_share,
)

Floats = NDArray[np.float64]

SMALLEST_N = 5
"""Systems needed: without one of them, four are left, the fewest for which z has a variance."""

LARGEST_R = 1.0 - 1e-12
"""Largest |r| on Fisher's scale, where 1 is infinite."""

TINY = 1e-300
"""In place of a variance of 0."""

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ScorePairs:
    """Human scores and the scores of pairs of metrics over n systems.

    `score_pairs` makes it of a matrix of scores, `sampled_pairs` of many samples.

    Parameters
    ----------
    human, a, b : ndarray, shape (n, ...)
        Scores standardised to mean 0 and sum of squares 1.
    r_a, r_b, r_ab : ndarray, shape (...)
        Correlations of the human scores with both metrics, and of the metrics. NaN where a score is
        not finite, where one of the three is constant (with all systems or without one), and where
        n < 5.
    left_a, left_b : ndarray, shape (n, ...)
        Fisher's z of r_a and r_b without each system in turn.
    same : ndarray of bool, shape (...)
        Whether both metrics' standardised scores differ by rounding alone: copies, or affine copies
        with a positive factor.
    """

    human: Floats
    a: Floats
    b: Floats
    r_a: Floats
    r_b: Floats
    r_ab: Floats
    left_a: Floats
    left_b: Floats
    same: NDArray[np.bool_]

    @property
    def n(self) -> int:
        """Number of systems."""
        return int(self.human.shape[0])

    @property
    def z_a(self) -> Floats:
        """Fisher's z of r_a."""
        return fisher_z(self.r_a)

    @property
    def z_b(self) -> Floats:
        """Fisher's z of r_b."""
        return fisher_z(self.r_b)

    @property
    def normal_c(self) -> Floats:
        """Correlation of both z under a normal population (Olkin and Siotani 1964).

        0 where |r_a| or |r_b| is 1, where no result depends on it.
        """
        gap = overlapping_gap(self.r_a, self.r_b, self.r_ab)
        return np.clip(1.0 - uncorrelated_share(self.r_a, self.r_b, gap), -1.0, 1.0)

    @property
    def normal_variance(self) -> Floats:
        """Variance of z_a - z_b under a normal population, ``2 (1 - c) / (n - 3)``."""
        return np.maximum(2.0 * (1.0 - self.normal_c) / max(self.n - 3, 1), TINY)

    @property
    def jackknife_variance(self) -> Floats:
        """Variance of z_a - z_b by the jackknife over systems."""
        return jackknife_variance(self.left_a - self.left_b)


def score_pairs(scores: ArrayLike, first: ArrayLike, second: ArrayLike) -> ScorePairs:
    """Pairs of metrics of one matrix of system scores.

    Parameters
    ----------
    scores : array_like, shape (n, 1 + K)
        Scores of n systems, the human scores in the first column, higher always better.
    first, second : array_like of int, shape (pairs,)
        Numbers of the metrics, from 0.

    Returns
    -------
    ScorePairs
        Of shape (pairs,).

    Raises
    ------
    InputError
        If `scores` is no matrix of at least two columns.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(12, 3))
    >>> pairs = score_pairs(scores, [0], [1])
    >>> bool(np.allclose(pairs.r_a, np.corrcoef(scores.T)[0, 1]))
    True
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] < 2:
        raise InputError(f"expected scores of shape (systems, 1 + metrics), not {x.shape}")
    standardised, rounding = _standardised(x)
    i, j = 1 + np.asarray(first, np.int64), 1 + np.asarray(second, np.int64)
    return _pairs(
        np.broadcast_to(standardised[:, :1], (x.shape[0], i.size)),
        standardised[:, i],
        standardised[:, j],
        rounding[i] + rounding[j],
    )


def sampled_pairs(samples: ArrayLike) -> ScorePairs:
    """One pair of metrics in each of many samples.

    Parameters
    ----------
    samples : array_like, shape (samples, n, 3)
        Scores of n systems: human, first metric, second metric.

    Returns
    -------
    ScorePairs
        Of shape (samples,).

    Raises
    ------
    InputError
        If the last dimension is not of length 3.
    """
    x = np.asarray(samples, dtype=np.float64)
    if x.ndim != 3 or x.shape[2] != 3:
        raise InputError(f"expected samples of shape (samples, systems, 3), not {x.shape}")
    standardised, rounding = _standardised(np.moveaxis(x, 1, 0))
    human, a, b = np.moveaxis(standardised, 2, 0)
    return _pairs(human, a, b, rounding[:, 1] + rounding[:, 2])


def fisher_z(r: Floats) -> Floats:
    """``arctanh(r)``, finite also where |r| is 1."""
    return np.asarray(np.arctanh(np.clip(r, -LARGEST_R, LARGEST_R)))


def jackknife_variance(left_out: Floats) -> Floats:
    """Tukey's (1958) jackknife, ``(n - 1) / n sum (x_i - mean)^2`` over the first axis."""
    n = left_out.shape[0]
    spread = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.maximum((n - 1) / n * spread, TINY))


def _standardised(x: Floats) -> tuple[Floats, Floats]:
    """Scores of mean 0 and sum of squares 1 over the first axis, and the rounding in them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = x - x.mean(axis=0)
        centred = centred - centred.mean(axis=0)  # what rounding of the mean left
        norm = np.sqrt((centred * centred).sum(axis=0))
        rounding = _EPS * np.abs(x).max(axis=0, initial=0.0) / norm
        constant = norm <= _EPS * np.abs(x).max(axis=0, initial=0.0) * x.shape[0]
        return np.where(constant, np.nan, centred / norm), rounding + _EPS


def _pairs(human: Floats, a: Floats, b: Floats, rounding: Floats) -> ScorePairs:
    n = human.shape[0]
    factor = n / max(n - 1, 1)
    with np.errstate(invalid="ignore"):
        # share of the sum of squares that is left without a system
        rest = [1.0 - factor * x * x for x in (human, a, b)]
        defined = np.all([(share > 8 * n * _EPS).all(axis=0) for share in rest], axis=0)
    defined = defined & (n >= SMALLEST_N)
    r_a, r_b, r_ab = (
        np.where(defined, np.clip((x * y).sum(axis=0), -1.0, 1.0), np.nan)
        for x, y in ((human, a), (human, b), (a, b))
    )
    left = [
        fisher_z((r - factor * human * x) / np.sqrt(np.where(defined, rest[0] * share, 1.0)))
        for r, x, share in ((r_a, a, rest[1]), (r_b, b, rest[2]))
    ]
    apart = np.sqrt(((a - b) ** 2).sum(axis=0))
    with np.errstate(invalid="ignore"):
        same = defined & (apart <= 4 * np.sqrt(n) * rounding)
    return ScorePairs(human, a, b, r_a, r_b, r_ab, left[0], left[1], same)
