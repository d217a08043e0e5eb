"""Correlations of many samples against the coefficients of one at a time."""

import numpy as np
import pytest

from supersample.inference.coefficients import COEFFICIENTS

rng = np.random.default_rng(0)
SAMPLES = {
    "normal": lambda n: rng.normal(size=(40, 4, n)),
    "huge": lambda n: rng.normal(size=(40, 4, n)) * 1e180,
    "tiny": lambda n: rng.normal(size=(40, 4, n)) * 1e-180,
    "tied and far from zero": lambda n: rng.integers(0, 4, size=(40, 4, n)) + 1e7,
}


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("n", [2, 3, 5, 64, 65, 90])
def test_each_agrees_with_the_coefficient(name, kind, n):
    samples = SAMPLES[kind](n)
    one_by_one = COEFFICIENTS[name].matrix(np.swapaxes(samples, 1, 2))[:, 0, 1:]
    np.testing.assert_allclose(
        COEFFICIENTS[name].of_samples(samples.copy()), one_by_one, atol=1e-14
    )


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_degenerate_samples(name):
    human = np.array([0.1, 0.7, 0.2, 0.9, 0.4])
    constant = np.full(5, 0.1)
    samples = [[human, human, -human, constant], [constant, human, human, human]]
    r = COEFFICIENTS[name].of_samples(np.array(samples))
    np.testing.assert_array_equal(r[0], [1, -1, np.nan])
    assert np.isnan(r[1]).all()
