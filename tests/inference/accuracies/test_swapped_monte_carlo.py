import numpy as np
import pytest

from supersample.engine.swaps import (
    permutation_words,
    permuted_totals,
    signed_totals,
    standardise,
    swap_masks,
    swapped_totals,
)
from supersample.inference.pairs_of_systems import (
    mean_agreement,
    monte_carlo_p_values,
    monte_carlo_swaps,
    pair_differences,
    preferences,
)

RESAMPLES = np.arange(12, dtype=np.uint64)
PERMUTATIONS = np.arange(100, dtype=np.uint64)
SYSTEMS, SEGMENTS, SEED = 4, 50, 2


def p_values(values, **options):
    """p-values of (scorers, systems, segments), by the plain route."""
    null = permuted_totals(values, seed=SEED, replicates=PERMUTATIONS.size)
    return monte_carlo_p_values(null, values, **options)


def example():
    rng = np.random.default_rng(1)
    human = rng.normal(size=(1, SYSTEMS, SEGMENTS)) + 0.2 * np.arange(SYSTEMS)[None, :, None]
    metrics = human + rng.normal(size=(3, SYSTEMS, SEGMENTS))
    metrics[2] = np.round(metrics[2])
    return p_values(human)[0], preferences(pair_differences(human[0])), standardise(metrics)


def swaps(mapped=map, **options):
    human, hard, scores = example()
    masks = swap_masks("inputs", systems=SYSTEMS, segments=SEGMENTS, seed=9, replicates=RESAMPLES)
    words = permutation_words(SEGMENTS, seed=SEED, replicates=PERMUTATIONS)
    by_unit = scores.transpose(2, 0, 1).copy()
    return masks, monte_carlo_swaps(
        human,
        hard,
        scores,
        signed_totals(words, by_unit, np.arange(SEGMENTS)),
        lambda r, out: signed_totals(words, by_unit, np.flatnonzero(masks[r]), out),
        swapped_totals(scores, masks),
        mapped=mapped,
        **options,
    )


@pytest.mark.parametrize("options", [{}, {"convention": "at_least"}])
def test_null_accuracies_are_those_of_swapped_and_repermuted_metrics(options):
    human, hard, scores = example()
    masks, null = swaps(**options)
    for pair, (a, b) in enumerate(zip(null.first, null.second, strict=True)):
        for r in range(RESAMPLES.size):
            sides = np.stack(
                [
                    np.where(masks[r], scores[b], scores[a]),
                    np.where(masks[r], scores[a], scores[b]),
                ]
            )
            soft = mean_agreement(human, p_values(sides, **options))
            pa = mean_agreement(hard, preferences(pair_differences(sides)))
            np.testing.assert_allclose(null.soft[:, r, pair], soft, atol=1e-12)
            np.testing.assert_allclose(null.hard[:, r, pair], pa, atol=1e-12)


@pytest.mark.parametrize("name", ["threads", "synchronous"])
def test_workers_change_nothing(clients, name):
    alone, together = (swaps(mapped=m)[1] for m in (map, clients[name].map))
    assert np.array_equal(alone.soft, together.soft)
    assert np.array_equal(alone.hard, together.hard)
