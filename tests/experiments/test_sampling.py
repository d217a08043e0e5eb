"""The distribution of r in Figure 1 is the library's exact one."""

import numpy as np
import pytest

from experiments.naacl16.sampling import N, R, exact_density, exact_limits, population
from supersample.inference.coefficients import pearson
from supersample.inference.one_correlation import density_of_r, quantile_of_r


def test_limits_and_density_are_the_exact_ones():
    limits = quantile_of_r([0.025, 0.975], R, N)
    np.testing.assert_allclose(exact_limits(), limits, atol=1e-4)
    r = np.linspace(-0.5, 0.999, 50)
    ratio = exact_density(r) / density_of_r(r, R, N)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)


def test_population_has_exactly_the_r_wanted():
    assert pearson(population(np.random.default_rng(5)))[0, 1] == pytest.approx(R, abs=1e-12)
