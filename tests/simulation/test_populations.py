"""Populations, and what they refuse."""

import numpy as np
import pytest

import supersample as ss
from experiments.calibration.populations import ShapedPopulation, shaped_moments, simulated_moments
from supersample.simulation.populations import exact_moments

REPLICATES = np.arange(4000, dtype=np.uint64)
WITH_SEGMENTS = [[1, 0.9, 0.8], [0.9, 1, 0.75], [0.8, 0.75, 1]]
MATRIX = [[1, 0.8, 0.6], [0.8, 1, 0.7], [0.6, 0.7, 1]]
DISTRIBUTIONS = ["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]


def test_a_population_draws_by_replicate_alone():
    population = ss.simulation.Population(MATRIX)
    samples = population.draw(3, REPLICATES[:20], 6)
    assert samples.shape == (20, 6, 1 + len(population.metrics))
    np.testing.assert_array_equal(population.draw(3, REPLICATES[[9, 4]], 6), samples[[9, 4]])
    assert not np.array_equal(population.draw(4, REPLICATES[:20], 6), samples)
    assert population.describe()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ss.simulation.Population(1.2), "must be from -1 to 1"),
        (lambda: ss.simulation.Population(np.nan), "must be from -1 to 1"),
        (lambda: ss.simulation.Population([[1, 0.9], [0.8, 1]]), "symmetric"),
        (lambda: ss.simulation.Population([[2, 0.9], [0.9, 1]]), "must be from -1 to 1"),
        (lambda: ss.simulation.Population([1, 0.5]), "square"),
        (
            lambda: ss.simulation.Population([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]),
            "positive semidefinite",
        ),
        (lambda: ss.simulation.Population(MATRIX, metrics=("a", "a")), "different labels"),
    ],
)
def test_what_is_no_population_is_refused(make, message):
    with pytest.raises(ss.InputError, match=message):
        make()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("outliers", ["none", "one", "some"])
def test_moments_in_closed_form_are_those_of_draws(distribution, outliers):
    """Batch means give the Monte-Carlo error; 18 moments, so 4 standard errors."""
    noise = {"segment_deviation": [1, 2, 3], "shared_noise": 0.4}
    shape = {"distribution": distribution, "outliers": outliers}
    population = ShapedPopulation(WITH_SEGMENTS, **noise, **shape)
    exact = np.array(shaped_moments(population, 6, 5))
    if shape == {"distribution": "normal", "outliers": "none"}:
        normal = ss.simulation.Population(WITH_SEGMENTS, **noise)
        np.testing.assert_allclose(exact, exact_moments(normal, 5), rtol=1e-15)
    batches = [simulated_moments(population, 6, 5, seed=seed, total=2_000) for seed in range(20)]
    error = np.std(batches, axis=0, ddof=1) / np.sqrt(len(batches))
    assert (np.abs(np.mean(batches, axis=0) - exact) < 4.5 * error).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correlation": [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]}, "semidefinite"),
        ({"segment_deviation": -1}, "at least 0"),
        ({"segment_deviation": [1, 2]}, "one number, at least 0, or one for each of 3"),
        ({"shared_noise": 2}, "from 0 to 1"),
        ({"shared_noise": [[1, 0], [0, 1]]}, "3 x 3"),
    ],
)
def test_what_is_no_parameter_is_refused(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.simulation.Population(**{"correlation": WITH_SEGMENTS, **options})
