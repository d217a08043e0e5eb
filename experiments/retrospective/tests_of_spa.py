"""p-values of every two metrics' difference in SPA, as `supersample.compare` has them, and no more.

A study of many samples computes them without the rest of a comparison: intervals, p-values of all
pairs at once, and the best.
"""

from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from experiments.retrospective.accuracies import BY_DOCUMENT
from supersample.engine.swaps import Scheme, standardise, swap_masks
from supersample.inference.bootstrap_intervals import student_p_value
from supersample.inference.pairs_of_systems import (
    mean_agreement,
    normal_p_values,
    pair_differences,
)
from supersample.measures.soft_pairwise_accuracy import (
    MeasuredPairs,
    PairScores,
    SoftPairwiseAccuracy,
)
from supersample.resampling import Replicates, samplers
from supersample.results.pairs import swap_p_values
from supersample.tolerances import VALUE_TIE

Floats = NDArray[np.float64]
RESAMPLES = 199
SPA = SoftPairwiseAccuracy()
SPA_BY_DOCUMENT = SoftPairwiseAccuracy(BY_DOCUMENT)


class Sample:
    """Scores of one sample, on segments that are complete.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, with a document for each segment.
    seed : int
        Of swaps and of draws.
    """

    def __init__(self, scores: xr.Dataset, seed: int) -> None:
        self.scores, self._seed = scores, seed

    def by_swaps(self, scheme: Scheme) -> Floats:
        """Swap what the scheme says, of segments; p-values of the pairs of metrics."""
        if scheme == "inputs":
            return _swapped(self.measured, scheme)
        return pairs(self.measured.values, self._null_differences(scheme))

    def _null_differences(self, scheme: Any) -> Floats:
        """Differences of SPA after each swap of systems or of single scores, by definition."""
        z, human = standardise(self.prepared.metrics), pair_differences(self.prepared.human)
        systems, segments = z.shape[1:]
        numbers = np.arange(RESAMPLES, dtype=np.uint64)
        shape = {"systems": systems, "segments": segments}
        masks = swap_masks(scheme, **shape, seed=self._seed, replicates=numbers)
        p, (first, second) = normal_p_values(human), np.triu_indices(len(z), 1)
        null = np.empty((RESAMPLES, first.size))
        for r, mask in enumerate(masks):
            sides = np.where(mask, z[second], z[first]), np.where(mask, z[first], z[second])
            one, other = (mean_agreement(p, normal_p_values(pair_differences(x))) for x in sides)
            null[r] = one - other
        return null

    def by_documents(self) -> Floats:
        """Take documents as the unit of SPA's p-values, and swap the scores of whole documents."""
        prepared = _prepared(SPA_BY_DOCUMENT, self.scores, self._seed)
        return _swapped(SPA_BY_DOCUMENT.on(prepared), "inputs")

    def by_bootstrap(self) -> Floats:
        """Draw documents, and take Student's interval."""
        measured, seed = self.measured, self._seed
        [drawing] = samplers("documents", [measured.labels("documents")], [seed], seed=seed)
        drawn, values = measured.resampled(drawing.bootstrap(0, RESAMPLES)), measured.values
        nothing = values[np.newaxis]  # Student's interval needs no values without a unit
        found = Replicates(drawn, values, nothing, drawing.units, SPA.lowest, SPA.highest)
        return student_p_value(found.of_differences("student", 0.95), found.units)

    @cached_property
    def prepared(self) -> PairScores:
        """Oriented scores."""
        return _prepared(SPA, self.scores, self._seed)

    @cached_property
    def measured(self) -> MeasuredPairs:
        """SPA, by p-values on segments."""
        return SPA.on(self.prepared)


def pairs(values: Floats, null: Floats) -> Floats:
    """p-values of the pairs of metrics, by the differences (resamples, pairs) after swaps."""
    p = swap_p_values(values, null, alternative="two-sided", tie=VALUE_TIE)
    return np.asarray(p[np.triu_indices(len(p), 1)])


def _swapped(measured: MeasuredPairs, scheme: Scheme) -> Floats:
    return pairs(measured.values, measured.null_differences(scheme, RESAMPLES, map))


def _prepared(measure: SoftPairwiseAccuracy, scores: xr.Dataset, seed: int) -> PairScores:
    return measure.prepare(measure.select(scores, measure.mask, complete=True), seed)
