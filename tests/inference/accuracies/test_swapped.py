import numpy as np
import pytest
from scipy.special import ndtr

from supersample.engine.swaps import input_swapped_sums, standardise, swap_masks
from supersample.inference.accuracies import (
    InputMoments,
    _normal_cdf,
    mean_agreement,
    normal_p_values,
    normal_swaps,
    pair_differences,
    preferences,
)
from supersample.inference.replicates import permutation_p_value

RESAMPLES = np.arange(40, dtype=np.uint64)
SYSTEMS, SEGMENTS = 5, 60


def example():
    """Human scores and four metrics: two plain, one on a coarse lattice, one a duplicate."""
    rng = np.random.default_rng(0)
    human = rng.normal(size=(SYSTEMS, SEGMENTS)) + 0.2 * np.arange(SYSTEMS)[:, None]
    metrics = human + rng.normal(size=(4, SYSTEMS, SEGMENTS))
    metrics[2] = np.round(metrics[2])
    metrics[3] = metrics[0]
    d = pair_differences(human)
    return normal_p_values(d), preferences(d), standardise(metrics)


def by_definition(human, human_preferences, scores, mask):
    """Swap the scores of two metrics, then score each anew."""
    sides = np.where(mask, scores[1], scores[0]), np.where(mask, scores[0], scores[1])
    d = [pair_differences(x) for x in sides]
    soft = [mean_agreement(human, normal_p_values(x)) for x in d]
    hard = [mean_agreement(human_preferences, preferences(x)) for x in d]
    return soft, hard


def by_inputs(human, hard, scores, mapped=map):
    d = pair_differences(scores)
    swap = {"seed": 7, "replicates": RESAMPLES}
    sums, squares = (
        np.stack([input_swapped_sums(x.T, **swap) for x in values]) for values in (d, d**2)
    )
    return normal_swaps(human, hard, InputMoments.of(d, sums, squares), mapped=mapped)


def test_null_accuracies_are_those_of_swapped_and_rescored_metrics():
    human, hard, scores = example()
    shape = {"systems": SYSTEMS, "segments": SEGMENTS}
    masks = swap_masks("inputs", **shape, seed=7, replicates=RESAMPLES)
    null = by_inputs(human, hard, scores)
    for pair, (a, b) in enumerate(zip(null.first, null.second, strict=True)):
        for r in range(RESAMPLES.size):
            soft, pa = by_definition(human, hard, scores[[a, b]], masks[r])
            np.testing.assert_allclose(null.soft[:, r, pair], soft, atol=1e-12)
            np.testing.assert_allclose(null.hard[:, r, pair], pa, atol=1e-12)


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_workers_change_nothing(clients, name):
    human, hard, scores = example()
    alone = by_inputs(human, hard, scores)
    together = by_inputs(human, hard, scores, mapped=clients[name].map)
    assert np.array_equal(alone.soft, together.soft)
    assert np.array_equal(alone.hard, together.hard)


def test_a_duplicate_metric_is_tied_exactly_and_never_significant():
    human, hard, scores = example()
    null = by_inputs(human, hard, scores)
    pair = int(np.flatnonzero((null.first == 0) & (null.second == 3))[0])
    assert np.array_equal(null.soft[0, :, pair], null.soft[1, :, pair])
    difference = (null.soft[0] - null.soft[1])[:, [pair]]
    assert permutation_p_value([0.0], difference).tolist() == [1.0]


def test_tabulated_normal_distribution():
    z = np.concatenate([np.linspace(-9.5, 9.5, 20011), [-9.0, 9.0, 0.0]])
    table = np.array([_normal_cdf(x) for x in z])
    assert np.abs(table - ndtr(z)).max() < 1e-15
