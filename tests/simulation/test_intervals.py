"""Intervals around r, exact and simulated."""

import numpy as np
import pytest

import supersample as ss


def test_simulated_and_exact_agree_and_the_symmetric_one_leaves_the_range():
    found = ss.simulation.intervals_of_r(0.91, 5, replicates=40_000)
    exact = ss.inference.quantile_of_r([0.025, 0.975], 0.91, 5)
    at = {"interval": "simulated"}
    tails = ss.inference.distribution_function_of_r(
        [found["lower"].sel(at).item(), found["upper"].sel(at).item()], 0.91, 5
    )
    np.testing.assert_allclose(tails, [0.025, 0.975], atol=4 * np.sqrt(0.025 / 40_000))
    np.testing.assert_allclose(
        [found["lower"].sel(interval="exact"), found["upper"].sel(interval="exact")], exact
    )
    assert found["upper"].sel(interval="symmetric") > 1
    assert found["count"].sum() == 40_000
    area = np.trapezoid(found["density"], found["at"])
    assert area == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("r", [-1, 1])
def test_a_perfect_correlation_has_intervals_without_width(r):
    found = ss.simulation.intervals_of_r(r, 4, replicates=50)
    np.testing.assert_array_equal(found["lower"], np.full(4, r))
    np.testing.assert_array_equal(found["upper"], np.full(4, r))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.5, 5), "must be from -1 to 1"),
        ((np.nan, 5), "must be from -1 to 1"),
        ((0.5, 3), "at least 4"),
        ((0.5, 5, {"confidence_level": 0}), "confidence level"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    r, n, *options = arguments
    with pytest.raises(ss.InputError, match=message):
        ss.simulation.intervals_of_r(r, n, **(options[0] if options else {}))
