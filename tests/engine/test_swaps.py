import numpy as np
import pytest

from supersample.engine.swaps import (
    swap_masks,
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
