import itertools

import numpy as np
import pytest

from supersample.inference.accuracies.enumeration import TIE, enumerated_tail


def brute_force(differences):
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=differences.size)))
    null, observed = signs @ differences, differences.sum()
    slack = TIE * np.abs(differences).sum()
    return (null > observed + slack).mean(), (np.abs(null - observed) <= slack).mean()


@pytest.mark.parametrize("units", [1, 2, 3, 7, 14])
@pytest.mark.parametrize("kind", ["continuous", "lattice"])
def test_tails_are_those_of_all_signs(units, kind):
    rng = np.random.default_rng(units)
    d = rng.normal(0.3, 1.0, size=units)
    if kind == "lattice":
        d = np.round(4 * d) / 10
    assert enumerated_tail(d) == pytest.approx(brute_force(d), abs=1e-15)


def test_ties_in_decimals_are_exact():
    # 0.1 + 0.2 and 0.3 differ in floating point: of the eight sums, +-0.1 +- 0.2 +- 0.3, two equal
    # the observed 0.0 and three are above it
    assert enumerated_tail(np.array([0.1, 0.2, -0.3])) == (0.375, 0.25)
