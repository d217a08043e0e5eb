"""How often swaps and the bootstrap find metrics of WMT23 different that are made equal in SPA."""

import warnings
from collections.abc import Callable
from itertools import combinations

import numpy as np
import xarray as xr

from experiments.best.documents import OfDocuments, Population, _population, document_settings
from experiments.retrospective.correlations import ALPHA
from experiments.retrospective.tests_of_spa import RESAMPLES, Floats, Sample, pairs
from experiments.retrospective.variances import biases_apart, shares_apart, standardised
from supersample.engine.bootstrap import counted_sums, unit_sums
from supersample.engine.swaps import standardise
from supersample.inference.pairs_of_systems import (
    mean_agreement,
    normal_p_values_of_moments,
    pair_differences,
)

SEEDS = (340, 350)
SAMPLES, FITTED = 200, 400


def populations() -> list[OfDocuments]:
    """List the populations whose metrics are made equal in SPA."""
    drawn = (each for seed in SEEDS for each in document_settings(seed))
    return [each for each in drawn if each.equal and each.measure == "SPA"]


def rejected(setting: OfDocuments, samples: int, fitted: int = FITTED) -> dict[str, object]:
    """Share of samples in which each test finds two metrics different at 5 %, over all pairs.

    Beside it the pair for which this share is the largest, the median bias and documents' share of
    the population, as `variances` has them, and the largest difference of two metrics' expected
    SPA, by the standard deviation of the difference over samples.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        population = _population(setting, fitted)
        drawn = population.values(population.samples(np.random.default_rng(setting.seed), fitted))
        scores = population.measured.scores
        found = [
            {name: test(sample, i) <= ALPHA for name, test in TESTS.items()}
            for i in range(samples)
            for sample in (
                Sample(draw(population, np.random.default_rng([setting.seed, 9, i])), i),
            )
        ]
    first, second = np.triu_indices(drawn.shape[1], 1)
    apart = drawn[:, first] - drawn[:, second]
    of = standardised(scores)
    row: dict[str, object] = {
        "setting": setting.name,
        "pair": setting.pair,
        "systems": scores.sizes["system"],
        "documents": population.sample,
        "bias": float(np.median(biases_apart(of))),
        "shared": float(np.median(shares_apart(of))),
        "gap": float(np.abs(apart.mean(axis=0) / apart.std(axis=0)).max()),
        "samples": samples,
    }
    for name in TESTS:
        shares = np.mean([each[name] for each in found], axis=0)
        row |= {name: float(shares.mean()), f"{name}_worst": float(shares.max())}
    return row


def draw(population: Population, rng: np.random.Generator) -> xr.Dataset:
    """Draw documents with replacement; each drawn one is a document of its own."""
    scores, of = population.measured.scores, np.asarray(population.unit_of)
    chosen = rng.integers(0, population.total, population.sample)
    places = [np.flatnonzero(of == document) for document in chosen]
    at = np.concatenate(places)
    name = np.repeat([str(i) for i in range(chosen.size)], [each.size for each in places])
    drawn = scores.isel(segment=at).assign_coords(segment=np.arange(at.size))
    return drawn.assign_coords(document=("segment", name))


def swapped_documents(sample: Sample, seed: int) -> Floats:
    """p-values of every pair of metrics that swap their scores of whole documents.

    SPA keeps the p-values of segments, by which the metrics were made equal;
    `Sample.by_documents` takes those of documents.
    """
    document = np.unique(sample.scores["document"].to_numpy(), return_inverse=True)[1]
    documents = int(document.max()) + 1
    human = sample.measured.components[0]
    moments = []
    for metric in standardise(sample.prepared.metrics):
        differences = pair_differences(metric).T
        moments.append(unit_sums(document, np.hstack([differences, differences**2]), documents))
    coins = np.random.default_rng(seed).integers(0, 2, (RESAMPLES, documents)).astype(np.float64)

    def spa(sums: Floats) -> Floats:
        return mean_agreement(human, normal_p_values_of_moments(*np.split(sums, 2, axis=1)))

    null = []
    for one, other in combinations(moments, 2):
        taken = counted_sums(coins, one - other)
        null.append(spa(other.sum(axis=0) + taken) - spa(one.sum(axis=0) - taken))
    return pairs(sample.measured.values, np.stack(null, axis=1))


TESTS: dict[str, Callable[[Sample, int], Floats]] = {
    "swapped_segments": lambda sample, _: sample.by_swaps("inputs"),
    "swapped_documents": swapped_documents,
    "swapped_systems": lambda sample, _: sample.by_swaps("systems"),
    "swapped_both": lambda sample, _: sample.by_swaps("both"),
    "bootstrap": lambda sample, _: sample.by_bootstrap(),
}
