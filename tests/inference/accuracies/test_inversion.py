import numpy as np
import pytest

from supersample.inference.accuracies import sign_flip
from supersample.inference.accuracies.sign_flip import (
    EPSILON,
    convolved_tail,
    enumerated_tail,
    inverted_lattice_tail,
    inverted_tail,
    lattice_step,
)


@pytest.mark.parametrize("units", [20, 28])
@pytest.mark.parametrize("kind", ["normal", "heavy", "uniform"])
def test_inversion_is_within_its_error_of_enumeration(units, kind):
    rng = np.random.default_rng(units)
    d = {
        "normal": rng.normal(0.2, 1.0, size=units),
        "heavy": rng.standard_t(2, size=units),
        "uniform": rng.uniform(-1.0, 1.3, size=units),
    }[kind]
    above, equal = enumerated_tail(d)
    middle, _, error = inverted_tail(d)
    assert abs(middle - above - equal / 2) <= error
    assert abs(middle - above - equal / 2) < 1e-6


@pytest.mark.parametrize("blur", [1e-3, 1e-5, 1e-7])
def test_blurred_lattices_are_within_the_reported_error(blur):
    rng = np.random.default_rng(1)
    d = 0.1 * rng.integers(-30, 33, size=40) + blur * rng.normal(size=40)
    above, equal = enumerated_tail(d)
    middle, _, error = inverted_tail(d)
    assert abs(middle - above - equal / 2) <= error
    assert (error < 1e-7) == (blur == 1e-3)


def test_half_of_the_squares_in_three_segments():
    # phi decays at the pace of the small differences only; the eight sign patterns of the large
    # ones split the distribution into eight normal ones to 1e-3, and enumeration over them of the
    # inverted rest is an independent route to the same tail
    rng = np.random.default_rng(3)
    rest = rng.normal(0.02, 1.0, size=300)
    large = np.array([11.0, -9.0, 10.0])
    observed = large.sum() + rest.sum()
    signs = 1 - 2 * np.array([*np.ndindex(2, 2, 2)])
    # P(rest sum > observed - shift) by moving the observed sum with one fixed difference
    total = shifted_tails(rest, observed - signs @ large).mean()
    middle, _, error = inverted_tail(np.concatenate([large, rest]))
    assert error < 1e-9
    assert middle == pytest.approx(total, abs=2e-9)


def shifted_tails(differences, x):
    """P(sum s d > x) + half a tie of each x, by the trapezium rule on a fine fixed grid."""
    t = (np.arange(40000) + 0.5) * 1e-4
    phi = np.prod([np.cos(t * d) for d in differences], axis=0)
    return 0.5 - (np.sin(np.outer(x, t)) * phi / t).sum(axis=1) * 1e-4 / np.pi


@pytest.mark.parametrize(("units", "step", "spread"), [(60, 0.1, 30), (300, 0.3, 100), (700, 1, 9)])
def test_lattice_inversion_is_convolution(units, step, spread):
    rng = np.random.default_rng(units)
    multiples = rng.integers(-spread, spread + 2, size=units)
    d = multiples * step
    found = lattice_step(d)
    above, equal, error = inverted_lattice_tail(d, found)
    expected = convolved_tail(np.rint(d / found).astype(np.int64))
    assert error == EPSILON
    assert (above, equal) == pytest.approx(expected, abs=1e-10)


def test_smoothed_density_gives_the_atoms_of_a_fine_lattice():
    rng = np.random.default_rng(9)
    d = rng.integers(-20000, 21000, size=200) * 1e-3
    _, density, _ = inverted_tail(d)
    _, equal, _ = inverted_lattice_tail(d, 1e-3)
    assert 2e-3 * density == pytest.approx(equal, rel=1e-6)


@pytest.mark.parametrize("whole", [False, True])
def test_bounds_of_phi_change_none_of_its_bits(whole):
    rng = np.random.default_rng(3)
    size = np.sort(np.abs(rng.normal(size=60)))[::-1].copy()
    size = np.ceil(3 * size) if whole else size
    step, bounds, phi = 0.004, np.empty(64), np.empty(64)
    below = 0
    for first in (0, 64, 640, 6_400, 1 << 19):
        expected = [sign_flip._phi(size, (first + j + 0.5) * step) for j in range(64)]
        sign_flip._bound(size, first, step, bounds)
        assert (bounds >= np.abs(expected)).all()
        sign_flip._fill_phi(size, first, step, phi)
        np.testing.assert_array_equal(phi, expected)
        below += int((bounds < 0.5 * sign_flip.NOTHING).sum())
    assert below > 64
