"""Exact moments of the population of all hybrids, and co-moments of those that are drawn.

The population is a mixture. Within a component, such as a pair of systems and a share, units are
drawn independently, so the mean and the covariance of totals are exact. A score is a function of
totals; its mean and covariance follow by the delta method (first order), and exactly if it is
linear, such as the mean of complete scores.

One pass over drawn hybrids, without storing them, is enough for all correlations: the centred
products of a block lose no digits, and two blocks merge exactly except for rounding (Chan, Golub
and LeVeque 1979, "Updating formulae and a pairwise algorithm for computing sample variances",
equation 2.1b). Blocks are merged in a fixed order.
"""

from collections.abc import Iterable
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.additive import Statistics, system_totals
from supersample.engine.kernel import zeros

_STEP = 1e-4  # relative step of numerical derivatives; exact to rounding if the score is linear
_UNITS_AT_ONCE = 4_096  # whose contributions stay in a cache

Tangent = Literal["system", "common"]


class MomentWeights(NamedTuple):
    """Weights of a covariance ``scores B + units S``.

    B is the covariance of scores over systems, S the mean over units of the covariance of units'
    contributions. ``MomentWeights(1.0, 0.0)`` is B itself: scores on the existing segments.
    """

    scores: float
    units: float


def true_weights(units: int) -> MomentWeights:
    """Weights of true scores, on infinitely many units: B without the noise of units.

    A unit's contributions are true scores plus noise, independent between units. So with U units
    ``E B = T + N / U`` and ``E S = T + N``, and therefore ``T = B - (S - B) / (U - 1)``. This is
    Spearman's (1904) correction for attenuation, for covariances, so also for noise shared by
    scorers.
    """
    return MomentWeights(1.0 + 1.0 / (units - 1), -1.0 / (units - 1))


class TwoAgreements(NamedTuple):
    """R of infinitely many hybrids as a mixture of r of systems (from B) and of units (from S).

    ``r = systems_r sqrt(u_0 u_k) + units_r sqrt((1 - u_0) (1 - u_k))``, with u the share of
    ``scores B`` in a scorer's variance ``scores B + units S`` (see `MomentWeights`).
    """

    systems_r: Floats
    """Correlations of scorer 0 with each other one over systems, shape (scorers - 1,)."""
    units_r: Floats
    """Within units over systems: for segments, the pairwise difference Pearson."""
    shares: Floats
    """u of each scorer, shape (scorers,)."""
    balance: Floats
    """Units of a hybrid for which both correlations have equal weights, given B and S."""

    @property
    def weights(self) -> tuple[Floats, Floats]:
        """Weights of both correlations, each of shape (scorers - 1,)."""
        first, others = self.shares[0], self.shares[1:]
        return np.sqrt(first * others), np.sqrt((1.0 - first) * (1.0 - others))


def two_agreements(statistics: Statistics, weights: MomentWeights) -> TwoAgreements:
    """Split r of infinitely many hybrids of these units; exact for means without gaps."""
    statistics = statistics.about_centres()
    scores = statistics.finalize(system_totals(statistics.values))
    within = score_contributions(statistics, "common")
    within -= within.mean(axis=0)
    systems, units, _ = within.shape
    between = scores - scores.mean(axis=0)
    parts = []
    for centred, divisor in ((between, systems - 1), (within, (systems - 1) * units)):
        axes = tuple(range(centred.ndim - 1))
        variances = (centred**2).sum(axis=axes) / divisor
        covariances = (centred[..., :1] * centred).sum(axis=axes)[1:] / divisor
        scale = np.sqrt(variances[0] * variances[1:])
        parts.append((variances, covariances / np.where(scale > 0, scale, np.nan)))
    (of_scores, systems_r), (of_units, units_r) = parts
    total = weights.scores * of_scores + weights.units * of_units
    shares = weights.scores * of_scores / np.where(total > 0, total, np.nan)
    odds = weights.units * of_units / np.where(shares > 0, weights.scores * of_scores, np.nan)
    balance = units * np.sqrt(odds[0] * odds[1:])
    return TwoAgreements(systems_r, units_r, shares, balance)


class HybridMixture(NamedTuple):
    """Components of the population, each with its probability."""

    weights: Floats
    """Shape (components,)."""
    strata: NDArray[np.int64]
    """Stratum of each component, shape (components,), in the order of rotation."""
    midpoints: Floats
    """Scores at the mean totals of the component's systems, shape (components, scorers)."""
    means: Floats
    """Shape (components, scorers)."""
    covariances: Floats
    """Shape (components, scorers, scorers)."""

    @property
    def between(self) -> Floats:
        """Covariance of midpoints over components, shape (scorers, scorers)."""
        return _weighted_covariance(self.midpoints, self.weights)

    @property
    def share(self) -> Floats:
        """Variance due to shares other than one half, along the line between two systems."""
        return _weighted_covariance(self.means, self.weights) - self.between

    @property
    def within(self) -> Floats:
        """Variance due to the choice of the units from each system."""
        return np.asarray(np.tensordot(self.weights, self.covariances, axes=1))

    @property
    def covariance(self) -> Floats:
        """Covariance of hybrid scores, the sum of the parts."""
        return self.between + self.share + self.within


def standard_errors(mixture: HybridMixture, r: Floats, *, n: int) -> Floats:
    """Compute standard errors of r of scorer 0 with the others over n hybrids, (scorers - 1,).

    One hybrid changes r by the influence ``x y - r (x^2 + y^2) / 2`` of its standard scores
    (Devlin, Gnanadesikan and Kettenring 1975). Its variance follows from normal components: a
    quadratic form z'Az of z ~ N(m, S) has the variance ``2 tr(ASAS) + 4 m'ASAm``. The correlations
    `r` are those of the population. Only variation within strata changes r at random. If n is not a
    multiple of the number of strata, the first strata have one more hybrid than the others. This
    changes r by a fixed amount, which the error includes.
    """
    population, mixture = r, _in_rotation(mixture, n)
    r = np.clip(correlation_of(mixture.covariance)[0, 1:], -1.0, 1.0)
    centre = mixture.weights @ mixture.means
    deviations = np.sqrt(np.diag(mixture.covariance))
    errors = np.full(r.shape, np.nan)
    for k in np.flatnonzero(~np.isnan(population + r)):
        pair = np.array([0, k + 1])
        scale = deviations[pair]
        means = (mixture.means[:, pair] - centre[pair]) / scale
        covariances = mixture.covariances[:, pair][:, :, pair] / np.outer(scale, scale)
        form = np.array([[-r[k] / 2, 0.5], [0.5, -r[k] / 2]])
        product = form @ covariances
        variance = 2 * np.einsum("pij,pji->p", product, product)
        variance += 4 * np.einsum("pi,pij,jk,pk->p", means @ form, covariances, form, means)
        expected = np.einsum("pi,ij,pj->p", means, form, means) + np.einsum("pii->p", product)
        total = mixture.weights @ variance
        mass = np.bincount(mixture.strata, mixture.weights)
        sums = np.bincount(mixture.strata, mixture.weights * expected)
        stratum = sums / np.where(mass > 0, mass, 1.0)  # fewer hybrids than strata leave some empty
        total += mixture.weights @ (expected - stratum[mixture.strata]) ** 2
        # the variance is 0 except for rounding where |r| = 1
        errors[k] = np.sqrt(max(total, 0.0) / n + (r[k] - population[k]) ** 2)
    return errors


def _in_rotation(mixture: HybridMixture, n: int) -> HybridMixture:
    """Weight strata by their number of hybrids: the first n mod strata have one more."""
    strata = int(mixture.strata.max()) + 1
    if n % strata == 0:
        return mixture
    counts = n // strata + (np.arange(strata) < n % strata)
    mass = np.bincount(mixture.strata, mixture.weights)
    return mixture._replace(weights=mixture.weights * (counts / (n * mass))[mixture.strata])


def scores_of_totals(
    statistics: Statistics, totals: Floats, covariances: Iterable[Floats]
) -> tuple[Floats, Floats]:
    """Means and covariances of scores from those of totals, (n, columns), by the delta method.

    Slopes of totals without variance do not count: a count that is 0 for every system (no matching
    4-gram) has no score below it.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        columns, slopes = _slopes(statistics, totals)
    found = np.empty((len(totals), len(columns), len(columns)))
    for out, each, covariance in zip(found, slopes, covariances, strict=True):
        own = np.where(np.diag(covariance)[columns] > 0, each, 0.0)
        out[:] = _weighted(_weighted(covariance, columns, own).T, columns, own)
    return statistics.finalize(totals), found


def score_contributions(statistics: Statistics, tangent: Tangent) -> Floats:
    """Contributions of units to scores, whose mean over units is the score.

    With totals T, a unit's statistics t and U units, a unit contributes ``score + U g'(t - T /
    U)``, where g is the gradient of the score. This is the first-order (delta-method) contribution.
    It equals the unit's score if scores are means without gaps (minus their centre, if one was
    subtracted). The gradient is taken at each system's totals, to draw other units, or at the mean
    totals of all systems ("common"), to exchange units between systems, as hybrids do. Shape:
    (systems, units, scorers).
    """
    values, statistics = statistics.values, statistics.about_centres()
    systems, units, _ = values.shape
    totals = system_totals(values)
    at = totals if tangent == "system" else np.broadcast_to(totals.mean(axis=0), totals.shape)
    scores = statistics.finalize(totals)
    out = zeros(systems, units, scores.shape[1])
    columns, slopes = _slopes(statistics, at)
    for s, start in product(range(systems), range(0, units, _UNITS_AT_ONCE)):
        some = slice(start, start + _UNITS_AT_ONCE)
        deviations = values[s, some] - totals[s] / units
        out[s, some] = scores[s] + units * _weighted(deviations, columns, slopes[s])
    return out


def _slopes(statistics: Statistics, totals: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Columns of each scorer, and derivatives of its score by them; 0 beyond its own columns.

    Shapes (scorers, width) and (..., scorers, width).
    """
    width = max(map(len, statistics.columns))
    columns = np.array([own + own[:1] * (width - len(own)) for own in statistics.columns])
    slopes = np.zeros((*totals.shape[:-1], *columns.shape))
    for finalizer in dict.fromkeys(statistics.finalizers):
        scorers = np.array([f == finalizer for f in statistics.finalizers]).nonzero()[0]
        own = columns[scorers, : finalizer.width]
        at = totals[..., own]
        for place in range(finalizer.width):
            same = own == own[:, place : place + 1]  # a score may use a column twice
            steps = _STEP * np.maximum(np.abs(at[..., place]), 1.0)
            moves = steps[..., np.newaxis] * same
            slope = (finalizer(at + moves) - finalizer(at - moves)) / (2 * steps)
            slopes[..., scorers, place] = np.where(same[:, :place].any(axis=1), 0.0, slope)
    return columns, slopes


def _weighted(values: Floats, columns: NDArray[np.intp], slopes: Floats) -> Floats:
    """Sum values (rows, columns) times the slopes of each scorer, (rows, scorers)."""
    out = np.zeros((len(values), len(columns)))
    for place in np.flatnonzero((slopes != 0).any(axis=0)):
        out += np.take(values, columns[:, place], axis=1) * slopes[:, place]
    return out


def correlation_of(covariance: Floats) -> Floats:
    """Correlation matrix of a covariance matrix; NaN for scorers without variance."""
    variances = np.diag(covariance)
    deviations = np.sqrt(np.where(variances > 0, variances, np.nan))
    correlations: Floats = covariance / np.outer(deviations, deviations)
    return correlations


def _weighted_covariance(values: Floats, weights: Floats) -> Floats:
    centred = values - weights @ values
    return np.asarray((weights[:, np.newaxis] * centred).T @ centred)


class CoMoments(NamedTuple):
    """Means and centred products of some rows of scores, (rows, scorers)."""

    rows: int
    means: Floats
    products: Floats
    """Sums of products of deviations from the means, shape (scorers, scorers)."""
    lowest: Floats
    highest: Floats
    same: NDArray[np.bool_]
    """Whether two scorers have the same score in every row, shape (scorers, scorers)."""


def co_moments(scores: Floats) -> CoMoments:
    """Co-moments of scores, shape (rows, scorers), at least one row; NaN if a score is NaN."""
    rows = np.ascontiguousarray(scores, dtype=np.float64)
    if not len(rows):
        raise ValueError("co-moments need at least one row")
    return CoMoments(rows.shape[0], *_centred_products(rows), _same(rows))


@njit(cache=True, nogil=True)
def _centred_products(scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Means, centred products, lowest and highest scores.

    Sums are in the order of the rows, so that the bits do not depend on a BLAS. They use
    differences from the first row, because sums of scores far from zero would lose the digits in
    which scores differ.
    """
    count, scorers = scores.shape
    means = np.zeros(scorers)
    lowest, highest = scores[0].copy(), scores[0].copy()
    for row in range(count):
        for k in range(scorers):
            score = scores[row, k]
            means[k] += score - scores[0, k]
            if score < lowest[k] or np.isnan(score):
                lowest[k] = score
            if score > highest[k] or np.isnan(score):
                highest[k] = score
    means /= count
    products = np.zeros((scorers, scorers))
    deviations = np.empty(scorers)
    for row in range(count):
        for k in range(scorers):
            deviations[k] = scores[row, k] - scores[0, k] - means[k]
        for i in range(scorers):
            for j in range(scorers):
                products[i, j] += deviations[i] * deviations[j]
    return scores[0] + means, products, lowest, highest


@njit(cache=True, nogil=True)
def _same(scores: Floats) -> NDArray[np.bool_]:
    count, scorers = scores.shape
    same = np.ones((scorers, scorers), np.bool_)
    for i in range(scorers):
        for j in range(i + 1, scorers):
            row = 0
            while row < count and scores[row, i] == scores[row, j]:
                row += 1
            same[i, j] = same[j, i] = row == count
    return same


def merged(first: CoMoments, second: CoMoments) -> CoMoments:
    """Co-moments of the rows of `first` followed by those of `second`."""
    count = first.rows + second.rows
    apart = second.means - first.means
    share = second.rows / count
    return CoMoments(
        count,
        first.means + apart * share,
        first.products + second.products + np.outer(apart, apart) * (first.rows * share),
        np.minimum(first.lowest, second.lowest),
        np.maximum(first.highest, second.highest),
        first.same & second.same,
    )


def correlations(moments: CoMoments) -> Floats:
    """Pearson correlations of all scorers, shape (scorers, scorers); NaN where scores are equal."""
    varies = moments.highest > moments.lowest
    products = moments.products.copy()
    np.fill_diagonal(products, np.where(varies, np.diag(products), 0.0))
    r = correlation_of(products)
    np.fill_diagonal(r, np.where(varies, 1.0, np.nan))
    return np.asarray(np.clip(r, -1.0, 1.0))
