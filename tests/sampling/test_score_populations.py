import numpy as np
import pytest

import supersample as ss
from supersample.sampling.score_populations import exact_moments, simulated_moments

MATRIX = [[1, 0.9, 0.8], [0.9, 1, 0.75], [0.8, 0.75, 1]]
DISTRIBUTIONS = ["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("outliers", ["none", "one", "some"])
def test_moments_in_closed_form_are_those_of_draws(distribution, outliers):
    """Batch means give the Monte-Carlo error; 18 moments, so 4 standard errors."""
    population = ss.ScorePopulation(
        MATRIX, distribution, outliers, segment_deviation=[1, 2, 3], shared_noise=0.4
    )
    exact = np.array(exact_moments(population, 6, 5))
    batches = [simulated_moments(population, 6, 5, seed=seed, total=6_000) for seed in range(20)]
    error = np.std(batches, axis=0, ddof=1) / np.sqrt(len(batches))
    assert (np.abs(np.mean(batches, axis=0) - exact) < 4.5 * error).all()


def test_levels_and_missing_ratings_have_no_closed_form():
    assert exact_moments(ss.ScorePopulation(MATRIX, human_levels=5), 6, 5) is None
    assert exact_moments(ss.ScorePopulation(MATRIX, missing_ratings=0.1), 6, 5) is None


def test_a_sample_is_a_function_of_seed_and_number():
    population = ss.ScorePopulation(MATRIX, "skewed", "some", human_levels=5, missing_ratings=0.2)
    many = population.draw(3, 5, 8, np.arange(10, dtype=np.uint64))
    one = population.draw(3, 5, 8, np.array([7], dtype=np.uint64))
    np.testing.assert_array_equal(many[7], one[0])
    assert not np.array_equal(many[7], population.draw(4, 5, 8, np.array([7], dtype=np.uint64))[0])


def test_levels_are_whole_numbers():
    population = ss.ScorePopulation(MATRIX, human_levels=5)
    human = population.draw(0, 8, 50, np.arange(4, dtype=np.uint64))[..., 0]
    assert set(np.unique(human)) == {0, 1, 2, 3, 4}


def test_the_mean_contribution_is_the_mean_over_rated_segments():
    complete = ss.ScorePopulation(MATRIX)
    gappy = ss.ScorePopulation(MATRIX, missing_ratings=0.4)
    numbers = np.arange(200, dtype=np.uint64)
    scores = complete.draw(1, 5, 30, numbers)[..., 0]
    means = gappy.draw(1, 5, 30, numbers)[..., 0].mean(axis=-1)
    # unbiased, and as noisy as means over 18 of 30 segments
    difference = means - scores.mean(axis=-1)
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(difference.size)
    expected = 6.0 * np.sqrt(1 / 18 - 1 / 30)
    assert difference.std() == pytest.approx(expected, rel=0.1)


def test_one_outlier_is_the_first_system():
    population = ss.ScorePopulation(MATRIX, outliers="one")
    scores = population.draw(0, 12, 100, np.arange(300, dtype=np.uint64)).mean(axis=(0, 2))
    assert (scores[0] < -4.5).all()
    assert (np.abs(scores[1:]) < 0.5).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correlation": 0.9}, "3 x 3"),
        ({"correlation": [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]}, "semidefinite"),
        ({"distribution": "odd"}, "no distribution 'odd'"),
        ({"outliers": "many"}, "no outliers 'many'"),
        ({"segment_deviation": 0}, "above 0"),
        ({"segment_deviation": [1, 2]}, "one number or three"),
        ({"shared_noise": 2}, r"\[0, 1\]"),
        ({"shared_noise": [[1, 0], [0, 1]]}, "3 x 3"),
        ({"human_levels": 1}, "at least 2"),
        ({"missing_ratings": 1}, "share"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.ScorePopulation(**{"correlation": MATRIX, **options})
