"""Correlations over resampled systems, units or both, on exact moments: no hybrids are drawn."""

from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from supersample.engine.designs import Design, PairHybrids
from supersample.engine.moment_products import (
    ROUNDING,
    centre_over_systems,
    correlations_of_products,
    gram_products,
    product_pairs,
    products_of_each,
    score_products,
    unit_grams,
    unit_products,
)
from supersample.engine.moment_weights import (
    MomentWeights,
    hybrid_weights,
    observed_weights,
    true_weights,
)
from supersample.engine.resamples import bootstrap_counts, counted_sums, jackknife_counts
from supersample.execution.workers.blocks import Scheduler, compute_rows

Estimand = Literal["observed", "true", "hybrid"]
RandomUnit = Literal["systems", "segments", "documents", "systems+segments", "systems+documents"]

ESTIMANDS = {
    "observed": "of scores on this test set, over a population of systems",
    "true": "of true scores (infinitely many segments), over a population of systems",
    "hybrid": "of infinitely many hybrids of such systems",
}
"""What each estimand is the correlation of."""


@dataclass
class MomentResampling:
    """Correlations with scorer 0 of an estimand, as they are and over resamples.

    Parameters
    ----------
    contributions : ndarray, shape (systems, units, scorers)
        Of units to scores, the human scores first; see `score_contributions`.
    estimand : {"observed", "true", "hybrid"}
    design : PairHybrids or MixHybrids
        Of hybrids; others take no notice.
    seed : int
    first_replicate : int
        Number of the first resample, so that several studies draw differently.
    """

    contributions: NDArray[np.float64]
    estimand: Estimand = "observed"
    design: Design = field(default_factory=PairHybrids)
    seed: int = 0
    first_replicate: int = 0

    def __post_init__(self) -> None:
        self.systems, self.units, self.scorers = self.contributions.shape
        self._centred = centre_over_systems(self.contributions)
        self._means = self._centred.mean(axis=1)
        self._pairs = product_pairs(self.scorers)
        self._grams: NDArray[np.float64] | None = None
        self._unit_products: NDArray[np.float64] | None = None

    @property
    def weights(self) -> MomentWeights:
        """Of the two moments, for the estimand."""
        if self.estimand == "observed":
            return observed_weights()
        if self.estimand == "true":
            return true_weights(self.units)
        return hybrid_weights(self.design, self.systems, self.units)

    def correlations(self) -> NDArray[np.float64]:
        """All scorers' correlations with each other, shape (scorers, scorers)."""
        first, second = (p.astype(np.int64) for p in np.triu_indices(self.scorers, 1))
        own = np.arange(self.scorers)
        ones = np.ones((1, self.systems))
        pairs = np.concatenate([own, first]), np.concatenate([own, second])
        products = score_products(self._means, ones, *pairs) * self.weights.scores
        if self.weights.units:
            grams = unit_grams(self._centred, *pairs)
            products = products + gram_products(grams, ones, self.units) * self.weights.units
        variances, covariances = products[0, : self.scorers], products[0, self.scorers :]
        matrix = np.eye(self.scorers)
        # the same operations as in replicates, so that one that drew every system once ties
        positive = np.where(variances > 0, variances, np.nan)
        r = covariances / np.sqrt(positive[first] * positive[second])
        r = np.clip(np.where(np.abs(r) > 1 + ROUNDING, np.nan, r), -1.0, 1.0)
        matrix[first, second] = matrix[second, first] = r
        return matrix

    def left_out(self, unit: str) -> NDArray[np.float64]:
        """R with each system or each unit left out in its turn, shape (n, scorers - 1)."""
        if unit == "systems":
            return self._of_systems(jackknife_counts(self.systems))
        rest = self.units - 1
        sums = self._centred.sum(axis=1)
        means = (sums - self._centred.swapaxes(0, 1)) / rest
        ones = np.ones((self.units, self.systems))
        products = products_of_each(np.ascontiguousarray(means), ones, *self._pairs)
        products *= self.weights.scores
        if self.weights.units:
            own = self._products_of_units()
            products += (own.sum(axis=0) - own) / rest * self.weights.units
        return correlations_of_products(products)

    def drawn(
        self, unit: str, resamples: int, *, scheduler: Scheduler = "synchronous"
    ) -> NDArray[np.float64]:
        """Draw with replacement and correlate, shape (resamples, scorers - 1)."""
        if self.weights.units and unit == "systems":  # once, not in every thread
            self._grams_of_units()
        elif self.weights.units and not unit.startswith("systems"):
            self._products_of_units()
        block = partial(_drawn_block, self, unit)
        if scheduler == "synchronous":
            return block(0, resamples)
        return compute_rows(block, resamples, self.scorers - 1, scheduler=scheduler)

    def _of_systems(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        products = score_products(self._means, counts, *self._pairs) * self.weights.scores
        if self.weights.units:
            own = gram_products(self._grams_of_units(), counts, self.units)
            products = products + own * self.weights.units
        return correlations_of_products(products)

    def _grams_of_units(self) -> NDArray[np.float64]:
        if self._grams is None:
            self._grams = unit_grams(self._centred, *self._pairs)
        return self._grams

    def _of_units(
        self, system_counts: NDArray[np.float64], unit_counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        flat = np.ascontiguousarray(self._centred.swapaxes(0, 1)).reshape(self.units, -1)
        sums = counted_sums(unit_counts, flat) / unit_counts.sum(axis=1, keepdims=True)
        means = sums.reshape(-1, self.systems, self.scorers)
        products = products_of_each(means, system_counts, *self._pairs) * self.weights.scores
        if self.weights.units and (system_counts == 1.0).all():
            drawn = unit_counts.sum(axis=1, keepdims=True)
            own = counted_sums(unit_counts, self._products_of_units()) / drawn
            products += own * self.weights.units
        elif self.weights.units:
            own = unit_products(self._centred, system_counts, unit_counts, *self._pairs)
            products += own * self.weights.units
        return correlations_of_products(products)

    def _products_of_units(self) -> NDArray[np.float64]:
        """Covariances over all systems of each unit's contributions, shape (units, pairs)."""
        if self._unit_products is None:
            ones = np.ones((self.units, self.systems))
            each = np.eye(self.units)
            self._unit_products = unit_products(self._centred, ones, each, *self._pairs)
        return self._unit_products


def _drawn_block(
    resampling: MomentResampling, unit: str, start: int, stop: int
) -> NDArray[np.float64]:
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
