import numpy as np
import pytest

from supersample.inference.two_correlations.statistics import (
    difference_of_z,
    mean_by_z,
    studentized,
)


def test_difference_of_z_is_the_difference_of_arctanh():
    a, b = np.random.default_rng(1).uniform(-0.999, 0.999, (2, 50))
    np.testing.assert_allclose(difference_of_z(a, b), np.arctanh(a) - np.arctanh(b), rtol=1e-11)


def test_difference_of_z_of_close_and_of_perfect_correlations():
    close = difference_of_z(np.float64(0.5 + 2.0**-50), np.float64(0.5))
    assert close == pytest.approx(2.0**-50 / 0.75, rel=1e-14)
    ends = difference_of_z(np.array([1, -1, 1, -1, 1]), np.array([1, -1, -1, 1, 0.5]))
    np.testing.assert_array_equal(ends, [0, 0, np.inf, -np.inf, np.inf])


def test_mean_by_z():
    assert mean_by_z(np.float64(0.9), np.float64(0.1)) == pytest.approx(
        np.tanh((np.arctanh(0.9) + np.arctanh(0.1)) / 2)
    )
    ends = mean_by_z(np.array([1.0, 1.0, -1.0]), np.array([-1.0, 0.2, -1.0]))
    np.testing.assert_array_equal(ends, [0, 1, -1])


def test_studentized_at_the_edges():
    difference = np.array([0.0, 0.0, 0.5, -0.5, 0.5, np.nan])
    variance = np.array([0.0, np.nan, 0.0, 0.0, -1.0, 1.0])
    expected = [0, 0, np.inf, -np.inf, np.nan, np.nan]
    np.testing.assert_array_equal(studentized(difference, variance), expected)
