import itertools

import numpy as np
import pytest

from supersample.inference.accuracies.sign_flip import (
    ROUTES,
    convolved_tail,
    enumerated_tail,
    lattice_step,
    sign_flip_tails,
)
from supersample.inference.arguments import SUM_TIE


def route(differences):
    return ROUTES[int(sign_flip_tails(differences).route)]


def test_routes_are_taken_as_documented():
    rng = np.random.default_rng(0)
    assert route(np.zeros(9)) == "none"
    assert route(np.concatenate([rng.normal(size=24), np.zeros(500)])) == "enumeration"
    assert route(np.round(rng.normal(size=400), 1)) == "convolution"
    assert route(rng.normal(size=40)) == "enumeration"
    assert route(np.round(rng.normal(size=400), 3)) == "lattice inversion"
    assert route(rng.normal(size=41)) == "inversion"


@pytest.mark.parametrize("decimals", [3, 4])
def test_tails_change_little_where_the_route_changes(decimals):
    # rounding moves the sums by less than it moves the tail; all three routes are then neighbours
    d = np.random.default_rng(1).normal(0.05, 1.0, size=300)
    plain, rounded = sign_flip_tails(d), sign_flip_tails(np.round(d, decimals))
    middle = rounded.above + rounded.equal / 2
    assert plain.above + plain.equal / 2 == pytest.approx(middle, abs=10.0**-decimals)


def test_shape_and_order_of_units_and_scale():
    d = np.random.default_rng(2).normal(0.1, 1.0, size=(2, 3, 120))
    tails = sign_flip_tails(d)
    assert tails.above.shape == tails.route.shape == (2, 3)
    again = sign_flip_tails(7.0 * d[..., ::-1])
    np.testing.assert_allclose(again.above, tails.above, atol=1e-9)


def test_hardly_possible_sums_have_tails_of_zero_and_one():
    d = np.random.default_rng(3).uniform(0.5, 1.0, size=300)
    assert sign_flip_tails(d).above == pytest.approx(0.0, abs=1e-9)
    assert sign_flip_tails(-d).above == pytest.approx(1.0, abs=1e-9)


def brute_force(differences):
    signs = np.array(list(itertools.product([-1.0, 1.0], repeat=differences.size)))
    null, observed = signs @ differences, differences.sum()
    slack = SUM_TIE * np.abs(differences).sum()
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


@pytest.mark.parametrize("step", [1.0, 0.1, 1 / 3, 0.04, 2.5e-4])
def test_step_of_noisy_multiples_is_found(step):
    rng = np.random.default_rng(0)
    multiples = rng.integers(-250, 250, size=400)
    multiples[:2] = 6, 35  # coprime, so that no coarser step fits
    noise = 1.0 + rng.uniform(-4e-15, 4e-15, size=400)
    assert lattice_step(multiples * step * noise) == pytest.approx(step, rel=1e-12)


def test_step_survives_standardising():
    scores = -np.round(np.random.default_rng(1).exponential(3.0, size=(2, 300)), 1)
    z = (scores - scores.mean()) / scores.std()
    step = lattice_step(z[0] - z[1])
    assert step == pytest.approx(0.1 / scores.std(), rel=1e-9)


def test_step_is_the_greatest():
    assert lattice_step(np.array([0.6, -1.5, 0.9, 0.0])) == pytest.approx(0.3)
    assert lattice_step(np.array([-25.200000000000003, 25.2, 4.2])) == pytest.approx(4.2)


def test_continuous_values_and_zeros_have_no_step():
    rng = np.random.default_rng(2)
    for _ in range(200):
        assert lattice_step(rng.normal(size=25)) == 0.0
    assert lattice_step(np.zeros(5)) == 0.0
    almost = 0.1 * np.arange(1, 30) + 1e-6 * rng.normal(size=29)
    assert lattice_step(almost) == 0.0


def test_convolution_is_the_binomial_distribution_for_equal_steps():
    # 5 of 9 signs positive: P(S > 1) = P(more than 5 heads), P(S = 1) = P(5 heads) of 9
    multiples = np.array([1] * 5 + [-1] * 4)
    above, equal = convolved_tail(multiples)
    assert above == pytest.approx((84 + 36 + 9 + 1) / 512, rel=1e-14)
    assert equal == pytest.approx(126 / 512, rel=1e-14)
