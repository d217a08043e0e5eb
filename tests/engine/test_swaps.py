import numpy as np
import pytest

from supersample.engine.swaps import (
<<<<<<< HEAD
    input_swapped_sums,
    permutation_words,
    signed_totals,
    standardise,
    swap_masks,
    swapped_totals,
=======
    swap_masks,
>>>>>>> main
)

SCHEMES = ("systems", "inputs", "both")
NUMBERS = np.arange(20, dtype=np.uint64)


def masks_of(scheme):
    return swap_masks(scheme, systems=5, segments=70, seed=4, replicates=NUMBERS)


def test_masks_exchange_what_the_scheme_says():
    assert masks_of("systems").shape == (20, 5, 1)
    assert masks_of("inputs").shape == (20, 1, 70)
    both = masks_of("both")
    assert both.shape == (20, 5, 70)
    # rows are not copies of each other, nor of one another's complement, as they would be if
    # systems were swapped and then inputs
    agreement = (both[:, :1] == both[:, 1:]).mean(axis=2)
    assert ((agreement > 0.2) & (agreement < 0.8)).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_masks_are_fair_and_keyed_by_replicate(scheme):
    many = np.arange(3000, dtype=np.uint64)
    masks = swap_masks(scheme, systems=5, segments=70, seed=4, replicates=many)
    # at least 15,000 coins: five standard errors
    assert abs(masks.mean() - 0.5) < 2.5 / np.sqrt(masks.size)
    assert np.array_equal(masks[:20], masks_of(scheme))
    other = swap_masks(scheme, systems=5, segments=70, seed=5, replicates=NUMBERS)
    assert not np.array_equal(other, masks_of(scheme))
<<<<<<< HEAD


@pytest.mark.parametrize("scheme", SCHEMES)
def test_totals_are_those_of_the_swapped_scores(scheme):
    scores = example_scores()
    masks = masks_of(scheme)
    handed, totals = swapped_totals(scores, masks), scores.sum(axis=2)
    for metrics in ((0, 1), (2, 0), (1, 2)):
        for r in range(20):
            for side, x in enumerate(swapped(scores[list(metrics)], masks[r])):
                mine, partner = metrics[side], metrics[1 - side]
                linear = totals[mine] - handed[mine, r] + handed[partner, r]
                np.testing.assert_allclose(linear, x.sum(axis=1), atol=1e-12)


def test_input_swaps_of_any_additive_value_match_the_masks():
    values = np.random.default_rng(0).normal(size=(70, 4, 2))
    masks = masks_of("inputs")[:, 0].astype(float)
    sums = input_swapped_sums(values, seed=4, replicates=NUMBERS)
    np.testing.assert_allclose(sums, np.einsum("rl,lab->rab", masks, values), atol=1e-12)


def test_signed_totals_of_swapped_inputs():
    scores, mask = example_scores(), masks_of("inputs")[7]
    words = permutation_words(70, seed=1, replicates=NUMBERS)
    signs = sign_masks(70, seed=1, replicates=NUMBERS).astype(float)
    expected = np.einsum("bl,msl->msb", signs, np.where(mask, scores, 0.0))
    by_unit = scores.transpose(2, 0, 1).copy()
    result = signed_totals(words, by_unit, np.flatnonzero(mask))
    np.testing.assert_allclose(result, expected, atol=1e-12)
=======
>>>>>>> main
