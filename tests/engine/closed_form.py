"""Exact moments of all pair hybrids without a loop over pairs: the second route in the tests."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersample.engine.designs import PairHybrids


class HybridMoments(NamedTuple):
    """Covariance of hybrid scores, shape (scorers, scorers), and the parts that add up to it."""

    between: NDArray[np.float64]
    """Covariance of the pairs' midpoints; its correlations are the original systems' own."""
    share: NDArray[np.float64]
    """What comes of shares other than a half: hybrids move along the line between two systems."""
    within: NDArray[np.float64]
    """What comes of which units are taken from which system."""

    @property
    def covariance(self) -> NDArray[np.float64]:
        """The sum of the parts."""
        return self.between + self.share + self.within


def pair_hybrid_moments(scores: NDArray[np.float64], design: PairHybrids) -> HybridMoments:
    """Covariance of the scores of all hybrids of a design, for mean scores without gaps.

    With pair (a, b), unit differences d_l = x_a(l) - x_b(l), their mean d over units and the share
    p of a random orientation, a hybrid's expectation is (x_a + x_b)/2 + (p - 1/2) d and its
    covariance given p is p(1 - p) sum_l d_l d_l' / L^2 (a sum of independent choices). Averaging
    over p, E[p(1 - p)] = 1/4 - Var(p) with E[p] = 1/2 by symmetry; over pairs, the identity
    mean_{a<b} d d' = 2 C, with C the sample covariance over systems, leaves no loop over pairs.

    Parameters
    ----------
    scores : ndarray, shape (systems, units, scorers)
        Contributions of each unit to the mean, scaled so that the mean over units is the score.
        No NaN.
    design : PairHybrids
        Balanced and random pairs have the same population.

    Returns
    -------
    HybridMoments
        With the number of hybrids as divisor, as befits a population.
    """
    systems, units, scorers = scores.shape
    share_variance = 1.0 / 12.0 if isinstance(design.share, str) else (design.share - 0.5) ** 2
    means = scores.mean(axis=1)
    system_covariance = np.atleast_2d(np.cov(means, rowvar=False))
    centred = scores - scores.mean(axis=0)
    flat = centred.reshape(-1, scorers)
    unit_covariances = flat.T @ flat / (systems - 1)
    # over pairs, Cov(midpoints) = C (k - 2) / (2 k): midpoints share systems, two systems have one
    between = system_covariance * (systems - 2) / (2.0 * systems)
    share = 2.0 * share_variance * system_covariance
    within = 2.0 * (0.25 - share_variance) * unit_covariances / units**2
    return HybridMoments(between, share, within)
