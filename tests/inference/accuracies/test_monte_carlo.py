import numpy as np
import pytest

from supersample.engine.swaps import permuted_totals
from supersample.inference.pairs_of_systems import (
    monte_carlo_p_values,
    pair_differences,
    system_pairs,
)
from tests.signed_sums import exact_p_values


def example(kind="continuous"):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 4, 150)) + 0.1 * np.arange(4)[:, None]
    return np.round(values, 0) if kind == "lattice" else values


@pytest.mark.parametrize("kind", ["continuous", "lattice"])
@pytest.mark.parametrize("convention", ["mid", "at_least"])
def test_drawn_p_values_are_within_their_error_of_exact_ones(kind, convention):
    values = example(kind)
    null = permuted_totals(values, seed=0, replicates=20000)
    drawn = monte_carlo_p_values(null, values, convention=convention)
    exact = exact_p_values(pair_differences(values), convention=convention)
    assert (np.abs(drawn - exact) <= 5 * np.sqrt(exact * (1 - exact) / 20000)).all()


def test_mid_p_adds_to_one_whatever_the_order_of_systems():
    values = example("lattice")
    back = values[:, ::-1].copy()
    p, q = (
        monte_carlo_p_values(permuted_totals(x, seed=1, replicates=999), x) for x in (values, back)
    )
    pairs = list(zip(*system_pairs(4), strict=True))
    reverse = [pairs.index((3 - j, 3 - i)) for i, j in pairs]
    np.testing.assert_allclose(p + q[:, reverse], 1.0, atol=1e-12)
