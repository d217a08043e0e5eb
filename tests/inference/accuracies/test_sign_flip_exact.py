import numpy as np
import pytest

from supersample.inference.accuracies.sign_flip_exact import ROUTES, sign_flip_tails


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
