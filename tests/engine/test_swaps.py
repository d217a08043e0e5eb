import numpy as np
import pytest

from supersample.engine.buffers import Workspace
from supersample.engine.swaps import (
    EntryMoments,
    input_swapped_sums,
    permutation_words,
    standardise,
    swap_masks,
    swapped_signed_totals,
    swapped_totals,
    system_swapped_moments,
)
from tests.sign_masks import sign_masks

SCHEMES = ("systems", "inputs", "both")
NUMBERS = np.arange(20, dtype=np.uint64)


def example_scores():
    return standardise(np.random.default_rng(2).normal(size=(3, 5, 70)))


def masks_of(scheme):
    return swap_masks(scheme, systems=5, segments=70, seed=4, replicates=NUMBERS)


def swapped(scores, mask):
    """The definition: two metrics' scores with the masked entries exchanged."""
    return np.where(mask, scores[1], scores[0]), np.where(mask, scores[0], scores[1])


def moments_by_definition(x):
    """Sums over segments, one after the other, of differences of systems and their squares."""
    i, j = np.triu_indices(len(x), 1)
    d = x[i] - x[j]
    return d.cumsum(axis=1)[:, -1], np.square(d).cumsum(axis=1)[:, -1]


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


@pytest.mark.parametrize("scheme", SCHEMES)
def test_totals_and_moments_are_those_of_the_swapped_scores(scheme):
    scores = example_scores()
    masks = masks_of(scheme)
    handed, totals = swapped_totals(scores, masks), scores.sum(axis=2)
    a, b = np.array([0, 2, 1]), np.array([1, 0, 2])
    sums, squares = EntryMoments.of(scores, masks).swapped(a, b)
    assert sums.shape == squares.shape == (3, 2, 20, 10)
    for k, metrics in enumerate(zip(a, b, strict=True)):
        for r in range(20):
            for side, x in enumerate(swapped(scores[list(metrics)], masks[r])):
                mine, partner = metrics[side], metrics[1 - side]
                linear = totals[mine] - handed[mine, r] + handed[partner, r]
                np.testing.assert_allclose(linear, x.sum(axis=1), atol=1e-12)
                expected = moments_by_definition(x)
                np.testing.assert_allclose(sums[k, side, r], expected[0], atol=1e-12)
                np.testing.assert_allclose(squares[k, side, r], expected[1], rtol=1e-13)


def test_moments_of_a_metric_pair_do_not_depend_on_the_others():
    moments = EntryMoments.of(example_scores(), masks_of("both"))
    alone = moments.swapped(np.array([1]), np.array([2]))
    among = moments.swapped(np.array([0, 1]), np.array([1, 2]))
    for one, two in zip(alone, among, strict=True):
        np.testing.assert_array_equal(one[0], two[1])


def test_entries_swapped_into_equal_systems_leave_exactly_nothing():
    scores = example_scores()
    scores[1, 3] = scores[0, 2]
    scores[1, 2] = scores[0, 3] = scores[0, 2]
    sums, squares = EntryMoments.of(scores, masks_of("both")).swapped(np.array([0]), np.array([1]))
    equal = list(zip(*np.triu_indices(5, 1), strict=True)).index((2, 3))
    assert not squares[..., equal].any()
    assert np.abs(sums[..., equal]).max() < 1e-13


def test_moments_of_swapped_systems_are_those_of_the_definition_to_the_bit():
    scores = example_scores()
    scores[1, 2] = scores[0, 3]  # a swap makes two systems equal
    masks = masks_of("systems")
    found = system_swapped_moments(scores[0], scores[1], masks)
    for r in range(20):
        for side, x in enumerate(swapped(scores, masks[r])):
            for part, expected in zip(found, moments_by_definition(x), strict=True):
                np.testing.assert_array_equal(part[side, r], expected)


def test_input_swaps_of_any_additive_value_match_the_masks():
    values = np.random.default_rng(0).normal(size=(70, 4, 2))
    masks = masks_of("inputs")[:, 0].astype(float)
    sums = input_swapped_sums(values, seed=4, replicates=NUMBERS)
    np.testing.assert_allclose(sums, np.einsum("rl,lab->rab", masks, values), atol=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_signed_totals_of_swapped_entries(scheme):
    scores, mask = example_scores(), masks_of(scheme)[7]
    words = permutation_words(70, seed=1, replicates=NUMBERS)
    signs = sign_masks(70, seed=1, replicates=NUMBERS).astype(float)
    expected = np.einsum("bl,msl->msb", signs, np.where(mask, scores, 0.0))
    by_unit = scores.transpose(2, 0, 1).copy()
    result = swapped_signed_totals(words, by_unit, mask, Workspace())
    np.testing.assert_allclose(result, expected, atol=1e-12)
