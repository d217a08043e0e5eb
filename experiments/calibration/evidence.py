"""The data behind intervals: correlations over resampled systems and units.

All are functions of two exact moments, so no hybrids are drawn.
"""

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal

import numpy as np

from experiments.calibration.moment_products import (
    centre_over_systems,
    centred_means,
    correlations_of_pairs,
    correlations_of_products,
    gram_products,
    product_pairs,
    products_of_each,
    score_products,
    unit_grams,
    unit_products,
)
from supersample.engine import Floats
from supersample.engine.bootstrap import bootstrap_counts, counted_sums
from supersample.engine.hybrid_designs import Design, PairHybrids
from supersample.engine.moments import MomentWeights, true_weights
from supersample.execution.workers import AnyWorkers, compute_rows
from supersample.resampling import joined

Estimand = Literal["observed", "true", "hybrid"]
"""Correlated scores: observed, true, or those of infinitely many hybrids."""


@dataclass
class MomentResampling:
    """Correlations with scorer 0 for an estimand, on the data and on resamples.

    Parameters
    ----------
    contributions : ndarray, shape (systems, units, scorers)
        Contributions of units to scores, human scores first; see `score_contributions`.
    estimand : {"observed", "true", "hybrid"}
    design : Design
        Design of hybrids; only the estimand "hybrid" uses it.
    seed : int
    first_replicate : int
        Number of the first resample, so that several studies use different draws.
    """

    contributions: Floats
    estimand: Estimand = "observed"
    design: Design = field(default_factory=PairHybrids)
    seed: int = 0
    first_replicate: int = 0

    def __post_init__(self) -> None:
        self.systems, self.units, self.scorers = self.contributions.shape
        self._means = centred_means(self.contributions)
        self._pairs = product_pairs(self.scorers)

    @cached_property
    def _centred(self) -> Floats:
        return centre_over_systems(self.contributions)

    @property
    def weights(self) -> MomentWeights:
        """Weights of the two moments for the estimand."""
        if self.estimand == "observed":
            return MomentWeights(1.0, 0.0)
        if self.estimand == "true":
            return true_weights(self.units)
        return self.design.moment_weights(self.systems, self.units)

    def correlations(self) -> Floats:
        """Correlations between all scorers, shape (scorers, scorers)."""
        first, second = (p.astype(np.int64) for p in np.triu_indices(self.scorers, 1))
        scorers = np.arange(self.scorers)
        ones = np.ones((1, self.systems))
        pairs = np.concatenate([scorers, first]), np.concatenate([scorers, second])
        products = score_products(self._means, ones, *pairs) * self.weights.scores
        if self.weights.units:
            grams = unit_grams(self._centred, *pairs)
            products = products + gram_products(grams, ones, self.units) * self.weights.units
        variances, covariances = products[0, : self.scorers], products[0, self.scorers :]
        matrix = np.eye(self.scorers)
        # the same operations as in replicates: drawing every system once gives exactly this r
        r = correlations_of_pairs(covariances, variances[first], variances[second])
        matrix[first, second] = matrix[second, first] = r
        return matrix

    def left_out(self, unit: str) -> Floats:
        """Correlations leaving out each system or unit in turn, shape (n, scorers - 1)."""
        if unit == "systems":
            return self._of_systems(1.0 - np.eye(self.systems))
        rest = self.units - 1
        sums = self._centred.sum(axis=1)
        means = (sums - self._centred.swapaxes(0, 1)) / rest
        ones = np.ones((self.units, self.systems))
        products = products_of_each(np.ascontiguousarray(means), ones, *self._pairs)
        products *= self.weights.scores
        if self.weights.units:
            of_units = self._products_of_units
            products += (of_units.sum(axis=0) - of_units) / rest * self.weights.units
        return correlations_of_products(products)

    def drawn(self, unit: str, resamples: int, *, workers: AnyWorkers = "synchronous") -> Floats:
        """Draw with replacement and correlate, shape (resamples, scorers - 1)."""
        if unit != "systems":  # computed once, not in every thread
            _ = self._centred
        if self.weights.units and unit == "systems":
            _ = self._grams_of_units
        elif self.weights.units and not unit.startswith("systems"):
            _ = self._products_of_units
        block = partial(_drawn_block, self, unit)
        if workers == "synchronous":
            return block(0, resamples)
        return compute_rows(block, resamples, self.scorers - 1, workers=workers)

    def _of_systems(self, counts: Floats) -> Floats:
        products = score_products(self._means, counts, *self._pairs) * self.weights.scores
        if self.weights.units:
            of_units = gram_products(self._grams_of_units, counts, self.units)
            products = products + of_units * self.weights.units
        return correlations_of_products(products)

    @cached_property
    def _grams_of_units(self) -> Floats:
        return unit_grams(self._centred, *self._pairs)

    def _of_units(self, system_counts: Floats, unit_counts: Floats) -> Floats:
        flat = np.ascontiguousarray(self._centred.swapaxes(0, 1)).reshape(self.units, -1)
        sums = counted_sums(unit_counts, flat) / unit_counts.sum(axis=1, keepdims=True)
        means = sums.reshape(-1, self.systems, self.scorers)
        products = products_of_each(means, system_counts, *self._pairs) * self.weights.scores
        if self.weights.units and (system_counts == 1.0).all():
            drawn = unit_counts.sum(axis=1, keepdims=True)
            of_units = counted_sums(unit_counts, self._products_of_units) / drawn
            products += of_units * self.weights.units
        elif self.weights.units:
            of_units = unit_products(self._centred, system_counts, unit_counts, *self._pairs)
            products += of_units * self.weights.units
        return correlations_of_products(products)

    @cached_property
    def _products_of_units(self) -> Floats:
        """Covariances over systems of each unit's contributions, shape (units, pairs)."""
        ones, each = np.ones((self.units, self.systems)), np.eye(self.units)
        return unit_products(self._centred, ones, each, *self._pairs)


def _drawn_block(resampling: MomentResampling, unit: str, start: int, stop: int) -> Floats:
    first = resampling.first_replicate
    numbers = np.arange(first + start, first + stop, dtype=np.uint64)
    systems = np.ones((numbers.size, resampling.systems))
    if unit.startswith("systems"):
        systems = bootstrap_counts(
            resampling.systems,
            seed=resampling.seed,
            replicates=numbers,
            purpose="bootstrap of systems",
        )
    if unit == "systems":
        return resampling._of_systems(systems)
    units = bootstrap_counts(
        resampling.units, seed=resampling.seed, replicates=numbers, purpose="bootstrap of units"
    )
    return resampling._of_units(systems, units)


@dataclass
class Evidence:
    """The data behind intervals: contributions, and their resamples, which are computed once.

    Parameters
    ----------
    at_system, at_mean : ndarray, shape (systems, units, scorers)
        Contributions linearised at each system's totals, and at the mean totals; human scores
        first. Hybrids use the latter.
    design : Design
    resamples, seed, first_replicate : int
    hybrids : int
        Number of hybrids, n of intervals over hybrids.
    workers : Workers, Client or str
        Workers that draw resamples.
    """

    at_system: Floats
    at_mean: Floats
    design: Design
    resamples: int = 9_999
    seed: int = 0
    first_replicate: int = 0
    hybrids: int = 10_000
    workers: AnyWorkers = "synchronous"

    def __post_init__(self) -> None:
        self._of: dict[str, MomentResampling] = {}
        self._computed: dict[tuple[str, ...], Floats] = {}

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.at_system.shape[0])

    def system_scores(self) -> Floats:
        """Observed scores of the systems, shape (systems, scorers)."""
        return np.asarray(self.at_system.mean(axis=1))

    def correlations(self, estimand: Estimand) -> Floats:
        """Correlations of all scorers, shape (scorers, scorers)."""
        key = ("r", estimand)
        if key not in self._computed:
            self._computed[key] = self._resampling(estimand).correlations()
        return self._computed[key]

    def left_out(self, estimand: Estimand, unit: str) -> Floats:
        """Correlations leaving out each unit in turn; see `joined` for two kinds of unit."""
        key = ("left out", estimand, unit)
        if key not in self._computed:
            parts = [self._resampling(estimand).left_out(kind) for kind in unit.split("+")]
            self._computed[key] = joined(parts, self.correlations(estimand)[0, 1:])
        return self._computed[key]

    def drawn(self, estimand: Estimand, unit: str) -> Floats:
        """Return bootstrap replicates of r, shape (resamples, metrics)."""
        key = ("drawn", estimand, unit)
        if key not in self._computed:
            resampling = self._resampling(estimand)
            self._computed[key] = resampling.drawn(unit, self.resamples, workers=self.workers)
        return self._computed[key]

    def _resampling(self, estimand: Estimand) -> MomentResampling:
        if estimand not in self._of:
            contributions = self.at_mean if estimand == "hybrid" else self.at_system
            self._of[estimand] = MomentResampling(
                contributions, estimand, self.design, self.seed, self.first_replicate
            )
        return self._of[estimand]
