"""The exact distribution of r against r of normal samples."""

import numpy as np
import pytest
from scipy.special import gamma, hyp2f1

from experiments.naacl16.sampling import N, R, exact_density, exact_limits, population
from supersample.inference.coefficients import pearson


def test_exact_limits_are_quantiles_of_normal_samples():
    rng = np.random.default_rng(1)
    samples = 100_000
    human, noise = rng.standard_normal((2, samples, N))
    systems = np.stack([human, R * human + np.sqrt(1 - R**2) * noise], axis=-1)
    r = pearson(systems)[:, 0, 1]
    # the share below an exact quantile is binomial; 4 standard errors
    error = 4 * np.sqrt(0.025 * 0.975 / samples)
    lower, upper = exact_limits()
    assert (r < lower).mean() == pytest.approx(0.025, abs=error)
    assert (r > upper).mean() == pytest.approx(0.025, abs=error)


def test_exact_density_has_the_known_mean():
    # E r = 2 / (n - 1) (Gamma(n / 2) / Gamma((n - 1) / 2))^2 rho 2F1(1/2, 1/2; (n + 1) / 2; rho^2)
    r = np.linspace(-1, 1, 200_001)
    density = exact_density(r)
    mean = np.trapezoid(r * density, r) / np.trapezoid(density, r)
    factor = 2 / (N - 1) * (gamma(N / 2) / gamma((N - 1) / 2)) ** 2
    assert mean == pytest.approx(factor * R * hyp2f1(0.5, 0.5, (N + 1) / 2, R**2), abs=1e-6)


def test_population_has_exactly_the_r_wanted():
    assert pearson(population(np.random.default_rng(5)))[0, 1] == pytest.approx(R, abs=1e-12)
