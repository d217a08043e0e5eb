import numpy as np

from supersample.engine.swaps import permuted_totals, unit_totals
from tests.sign_masks import sign_masks

NUMBERS = np.arange(50, dtype=np.uint64)


def example_values():
    return np.random.default_rng(1).normal(size=(3, 4, 30))


def test_shared_masks_give_the_definition_for_every_system_and_scorer():
    values = example_values()
    signs = sign_masks(30, seed=5, replicates=NUMBERS)
    expected = np.einsum("bl,ksl->ksb", signs.astype(float), values)
    totals = permuted_totals(values, seed=5, replicates=50)
    np.testing.assert_allclose(totals, expected, atol=1e-13)


def test_first_replicates_of_many_are_those_of_few_and_seeds_differ():
    values = example_values()
    many, few = (permuted_totals(values, seed=0, replicates=n) for n in (200, 20))
    assert np.array_equal(many[..., :20], few)
    assert not np.array_equal(permuted_totals(values, seed=1, replicates=20), few)


def test_units_are_summed_in_the_order_of_their_first_segment():
    values = example_values().transpose(1, 2, 0)
    labels = np.repeat(["z", "a", "m"], 10)
    expected = values.reshape(4, 3, 10, 3).sum(axis=2)
    np.testing.assert_allclose(unit_totals(values, labels), expected, rtol=1e-12)
