"""The population of all hybrids as a mixture: of pairs and shares, within which units are drawn.

Given a pair and a share p, a hybrid's totals have the mean T_b + p (T_a - T_b) and the covariance
p (1 - p) sum_l d_l d_l', with d_l the difference of the two systems at unit l: exact, for choices
are independent. A score is a function of totals; its mean and covariance follow by the delta method
(first order), exactly where it is linear, as the mean of complete scores is.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersample.engine.designs import Design, PairHybrids
from supersample.engine.hybrids import system_totals
from supersample.engine.statistics import Statistics

_STEP = 1e-4  # of numerical derivatives, relative; exact to rounding where the score is linear
_NODES = 8  # Gauss-Legendre nodes over a uniform share; moments are polynomials of low degree in it


class HybridMixture(NamedTuple):
    """Components of the population, each with its probability."""

    weights: NDArray[np.float64]
    """Shape (components,)."""
    strata: NDArray[np.int64]
    """Which components a design that goes in rotation does not tell apart, shape (components,)."""
    midpoints: NDArray[np.float64]
    """Scores halfway between the component's two systems, shape (components, scorers)."""
    means: NDArray[np.float64]
    """Shape (components, scorers)."""
    covariances: NDArray[np.float64]
    """Shape (components, scorers, scorers)."""

    @property
    def between(self) -> NDArray[np.float64]:
        """Covariance of midpoints over components, shape (scorers, scorers)."""
        return _weighted_covariance(self.midpoints, self.weights)

    @property
    def share(self) -> NDArray[np.float64]:
        """What moving along the line between two systems adds, by shares other than a half."""
        return _weighted_covariance(self.means, self.weights) - self.between

    @property
    def within(self) -> NDArray[np.float64]:
        """What comes of which units are taken from which system."""
        return np.asarray(np.tensordot(self.weights, self.covariances, axes=1))

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Covariance of hybrid scores, the sum of the parts."""
        return self.between + self.share + self.within


def hybrid_mixture(statistics: Statistics, design: Design) -> HybridMixture:
    """Moments of the population of hybrids that a design draws from.

    Parameters
    ----------
    statistics : Statistics
        Their units are the design's.
    design : PairHybrids or MixHybrids
        Balanced and random pairs have the same population. A mix of all systems is one component,
        whose midpoint is its mean.

    Returns
    -------
    HybridMixture
    """
    values = statistics.values
    totals = system_totals(values)
    if not isinstance(design, PairHybrids):
        mean = totals.mean(axis=0)
        flat = (values - values.mean(axis=0)).reshape(-1, values.shape[2])
        covariance = flat.T @ flat / values.shape[0]
        component = _scored(statistics, mean, covariance)
        mean, covariance = component[0][np.newaxis], component[1][np.newaxis]
        return HybridMixture(np.ones(1), np.zeros(1, np.int64), mean, mean, covariance)
    shares, weights = _shares(design)
    pairs = [(a, b) for a in range(len(totals)) for b in range(a + 1, len(totals))]
    midpoints, means, covariances = [], [], []
    for a, b in pairs:
        differences = values[a] - values[b]
        squares = differences.T @ differences
        middle = statistics.finalize((totals[a] + totals[b]) / 2)
        for p in shares:
            total = totals[b] + p * (totals[a] - totals[b])
            mean, covariance = _scored(statistics, total, p * (1 - p) * squares)
            midpoints.append(middle)
            means.append(mean)
            covariances.append(covariance)
    components = np.arange(len(pairs) * shares.size)
    return HybridMixture(
        np.tile(weights, len(pairs)) / len(pairs),
        components // shares.size if isinstance(design.share, str) else components,
        np.array(midpoints),
        np.array(means),
        np.array(covariances),
    )


def standard_errors(
    mixture: HybridMixture, r: NDArray[np.float64], *, n: int, stratified: bool
) -> NDArray[np.float64]:
    """Compute the standard error of r of scorer 0 with the others over n hybrids.

    One hybrid moves r by the influence ``x y - r (x^2 + y^2) / 2`` of its standard scores (Devlin,
    Gnanadesikan and Kettenring 1975), whose variance follows from normal components: a quadratic
    form z'Az of z ~ N(m, S) has the variance ``2 tr(ASAS) + 4 m'ASAm``.

    Parameters
    ----------
    mixture : HybridMixture
    r : ndarray, shape (scorers - 1,)
        Correlations of the population.
    n : int
        Hybrids drawn.
    stratified : bool
        Whether strata come in rotation, so that only what varies within them is left.

    Returns
    -------
    ndarray, shape (scorers - 1,)
    """
    centre = mixture.weights @ mixture.means
    deviations = np.sqrt(np.diag(mixture.covariance))
    errors = np.full(r.shape, np.nan)
    for k in np.flatnonzero(~np.isnan(r)):
        own = np.array([0, k + 1])
        scale = deviations[own]
        means = (mixture.means[:, own] - centre[own]) / scale
        covariances = mixture.covariances[:, own][:, :, own] / np.outer(scale, scale)
        form = np.array([[-r[k] / 2, 0.5], [0.5, -r[k] / 2]])
        product = form @ covariances
        variance = 2 * np.einsum("pij,pji->p", product, product)
        variance += 4 * np.einsum("pi,pij,jk,pk->p", means @ form, covariances, form, means)
        expected = np.einsum("pi,ij,pj->p", means, form, means) + np.einsum("pii->p", product)
        total = mixture.weights @ variance
        strata = mixture.strata if stratified else np.zeros_like(mixture.strata)
        mass = np.bincount(strata, mixture.weights)
        stratum = np.bincount(strata, mixture.weights * expected) / mass
        total += mixture.weights @ (expected - stratum[strata]) ** 2
        errors[k] = np.sqrt(max(total, 0.0) / n)  # 0 but for rounding where |r| = 1
    return errors


def _shares(design: PairHybrids) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of a pair's first system, and their probabilities."""
    if isinstance(design.share, str):
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        return (nodes + 1) / 2, weights / 2
    if design.share == 0.5:
        return np.array([0.5]), np.array([1.0])
    return np.array([design.share, 1 - design.share]), np.array([0.5, 0.5])


def _scored(
    statistics: Statistics, total: NDArray[np.float64], covariance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and covariance of scores from those of totals, by the delta method.

    Totals without variance stay where they are: a count of 0 that every system has (no 4-gram of
    any matches) has no score below it.
    """
    varying = np.flatnonzero(np.diag(covariance) > 0)
    steps = _STEP * np.maximum(np.abs(total[varying]), 1.0)
    moves = np.zeros((varying.size, total.size))
    moves[np.arange(varying.size), varying] = steps
    above, below = statistics.finalize(total + moves), statistics.finalize(total - moves)
    gradient = (above - below) / (2 * steps[:, np.newaxis])
    own = covariance[np.ix_(varying, varying)]
    return statistics.finalize(total), gradient.T @ own @ gradient


def correlation_of(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation matrix of a covariance matrix; NaN for scorers without variance."""
    variances = np.diag(covariance)
    deviations = np.sqrt(np.where(variances > 0, variances, np.nan))
    correlations: NDArray[np.float64] = covariance / np.outer(deviations, deviations)
    return correlations


def _weighted_covariance(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    centred = values - weights @ values
    return np.asarray((weights[:, np.newaxis] * centred).T @ centred)
