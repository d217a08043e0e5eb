"""Sampling distributions against exact ones, enumeration and themselves in other blocks."""

import numpy as np
import pytest

import supersample as ss
from supersample.inference.coefficients import COEFFICIENTS
from supersample.inference.one_correlation import moments_of_r
from supersample.simulation import distributions as sampling

EXAMPLE = ss.load_example()
MATRIX = [[1, 0.9, 0.7], [0.9, 1, 0.8], [0.7, 0.8, 1]]


@pytest.mark.parametrize(("rho", "n"), [(0.91, 5), (-0.5, 4), (0.0, 15), (0.999, 60)])
def test_draws_from_a_normal_population_follow_the_exact_distribution(rho, n):
    draws = 40_000
    found = ss.simulation.sampling_distribution(ss.simulation.Population(rho), n, draws)
    r = np.sort(found["r"].to_numpy()[:, 0])
    below = ss.inference.distribution_function_of_r(r[:: draws // 400], rho, n)
    distance = np.abs(below - np.arange(0, draws, draws // 400) / draws).max()
    assert distance < 1.95 / np.sqrt(draws)  # Kolmogorov's 0.1 % point
    exact = moments_of_r(rho, n)
    error = np.sqrt(exact.variance / draws)
    assert found["mean"].item() == pytest.approx(float(exact.mean), abs=4 * float(error))
    assert found["standard_deviation"].item() ** 2 == pytest.approx(float(exact.variance), rel=0.1)
    tails = ss.inference.distribution_function_of_r(
        [found["lower"].item(), found["upper"].item()], rho, n
    )
    np.testing.assert_allclose(tails, [0.025, 0.975], atol=4 * np.sqrt(0.025 / draws))


def test_differences_have_the_large_sample_standard_error():
    found = ss.simulation.sampling_distribution(ss.simulation.Population(MATRIX), 200, 20_000)
    # Pearson and Filon (1898); Olkin and Siotani (1976) for the covariance of r12 and r13
    a, b, c = 0.9, 0.7, 0.8
    covariance = c * (1 - a**2 - b**2) - a * b * (1 - a**2 - b**2 - c**2) / 2
    variance = ((1 - a**2) ** 2 + (1 - b**2) ** 2 - 2 * covariance) / 200
    difference = found["r"][:, 0] - found["r"][:, 1]
    assert difference.std().item() == pytest.approx(variance**0.5, rel=0.03)
    assert difference.mean().item() == pytest.approx(0.2, abs=0.005)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_draws_are_the_same_bits_in_any_blocks(coefficient, monkeypatch):
    names = ["good-90", "fair-70"]
    population = ss.simulation.fit_population(EXAMPLE, metrics=names)

    def run(draws=151, **options):
        return ss.simulation.sampling_distribution(
            population, 6, draws, coefficient=coefficient, seed=5, **options
        )

    whole = run()
    monkeypatch.setattr(sampling, "_SCORES_AT_ONCE", 100)
    for workers in ("synchronous", ss.Workers("threads", 3)):
        assert run(workers=workers).identical(whole)
    np.testing.assert_array_equal(run(200)["r"][:151], whole["r"])


@pytest.mark.parametrize("rho", [-1, 1])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_perfect_correlation_stays_perfect(rho, coefficient):
    found = ss.simulation.sampling_distribution(
        ss.simulation.Population(rho), 5, 300, coefficient=coefficient
    )
    np.testing.assert_array_equal(found["r"], np.full((300, 1), rho))
    assert (found["mean"].item(), found["standard_deviation"].item()) == (rho, 0)
    assert np.isnan(found["skewness"].item())


@pytest.mark.parametrize(
    ("population", "n", "options", "message"),
    [
        (EXAMPLE, 5, {}, "takes a Population as population, not xarray.Dataset"),
        (ss.simulation.Population(0.5), 1, {}, "a sample has 2 to"),
        (ss.simulation.Population(0.5), 5, {"replicates": 0}, "counted from 1 in whole numbers"),
        (ss.simulation.Population(0.5), 5, {"coefficient": "r"}, "no coefficient"),
        (ss.simulation.Population(0.5), 5, {"confidence_level": 1}, "confidence level"),
        (ss.simulation.Population(0.5), 5, {"workers": "me"}, "scheduler"),
        (ss.simulation.Population(0.5), 5, {"seed": -1}, "seed"),
    ],
)
def test_bad_arguments_are_refused(population, n, options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.simulation.sampling_distribution(population, n, **options)
