"""Populations, and what they refuse."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.simulation.populations import exact_moments, simulated_moments

REPLICATES = np.arange(4000, dtype=np.uint64)
WITH_SEGMENTS = [[1, 0.9, 0.8], [0.9, 1, 0.75], [0.8, 0.75, 1]]
MATRIX = [[1, 0.8, 0.6], [0.8, 1, 0.7], [0.6, 0.7, 1]]
DISTRIBUTIONS = ["normal", "skewed", "heavy-tailed", "log-normal", "uneven"]
POPULATIONS = {
    "normal": ss.simulation.Population(MATRIX),
    "copula": ss.simulation.Population(
        MATRIX, [stats.gamma(2).ppf, stats.expon.ppf, [1, 2, 2, 5]], metrics=("a", "b")
    ),
    "finite": ss.simulation.FinitePopulation(ss.load_example()),
    "finite, with": ss.simulation.FinitePopulation(ss.load_example(), replacement="with"),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_every_population_draws_by_replicate_alone(name):
    population = POPULATIONS[name]
    samples = population.draw(3, REPLICATES[:20], 6)
    assert samples.shape == (20, 6, 1 + len(population.metrics))
    np.testing.assert_array_equal(population.draw(3, REPLICATES[[9, 4]], 6), samples[[9, 4]])
    assert not np.array_equal(population.draw(4, REPLICATES[:20], 6), samples)
    assert population.describe()


def test_a_copula_has_the_marginals_and_the_ranks_of_its_normal():
    population = ss.simulation.Population(0.8, [stats.gamma(2).ppf, stats.expon.ppf])
    human, metric = population.draw(0, REPLICATES, 5).reshape(-1, 2).T
    assert stats.kstest(human, stats.gamma(2).cdf).pvalue > 0.001
    assert stats.kstest(metric, stats.expon.cdf).pvalue > 0.001
    (known,) = population.coefficients("spearman")
    assert known == pytest.approx(6 / np.pi * np.arcsin(0.4))
    assert stats.spearmanr(human, metric)[0] == pytest.approx(known, abs=4 * 0.4 / np.sqrt(20_000))
    assert np.isnan(population.coefficients("pearson")).all()


def test_observed_marginals_stay_within_and_may_tie():
    population = ss.simulation.Population(0.5, [[3, 1, 1, 1, 7], [0.0, 1.0]])
    human = population.draw(0, REPLICATES, 5)[..., 0]
    assert human.min() == 1
    assert human.max() == 7
    assert (human == 1).mean() == pytest.approx(0.5, abs=0.02)  # up to (3 - 1/2) / 5
    assert np.isnan(population.coefficients("spearman")).all()


def test_known_coefficients_of_a_normal_population():
    normal = ss.simulation.Population(0.5)
    assert normal.coefficients("pearson") == [0.5]
    assert normal.coefficients("kendall") == pytest.approx([1 / 3])
    assert ss.simulation.Population(1).coefficients("spearman") == pytest.approx([1])


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
        (lambda: ss.simulation.Population(0.5, [[1, 2]]), "1 marginals for 2"),
        (lambda: ss.simulation.Population(0.5, [[1, 2], [1, np.nan]]), "finite"),
        (lambda: ss.simulation.FinitePopulation([[1, 2], [2, np.inf]]), "finite"),
        (lambda: ss.simulation.FinitePopulation([1, 2, 3]), "shape"),
        (lambda: ss.simulation.FinitePopulation([[1, 2]], replacement="no"), "no replacement 'no'"),
    ],
)
def test_what_is_no_population_is_refused(make, message):
    with pytest.raises(ss.InputError, match=message):
        make()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("outliers", ["none", "one", "some"])
def test_moments_in_closed_form_are_those_of_draws(distribution, outliers):
    """Batch means give the Monte-Carlo error; 18 moments, so 4 standard errors."""
    population = ss.simulation.Population(
        WITH_SEGMENTS, distribution, outliers, segment_deviation=[1, 2, 3], shared_noise=0.4
    )
    exact = np.array(exact_moments(population, 6, 5))
    batches = [simulated_moments(population, 6, 5, seed=seed, total=6_000) for seed in range(20)]
    error = np.std(batches, axis=0, ddof=1) / np.sqrt(len(batches))
    assert (np.abs(np.mean(batches, axis=0) - exact) < 4.5 * error).all()


def test_a_sample_is_a_function_of_seed_and_number():
    population = ss.simulation.Population(
        WITH_SEGMENTS, "skewed", "some", human_levels=5, missing_ratings=0.2
    )
    many = population.draw(3, REPLICATES[:10], 5, 8)
    one = population.draw(3, REPLICATES[[7]], 5, 8)
    np.testing.assert_array_equal(many[7], one[0])
    assert not np.array_equal(many[7], population.draw(4, REPLICATES[[7]], 5, 8)[0])


def test_the_mean_contribution_is_the_mean_over_rated_segments():
    complete = ss.simulation.Population(WITH_SEGMENTS)
    gappy = ss.simulation.Population(WITH_SEGMENTS, missing_ratings=0.4)
    scores = complete.draw(1, REPLICATES[:200], 5, 30)[..., 0]
    means = gappy.draw(1, REPLICATES[:200], 5, 30)[..., 0].mean(axis=-1)
    # unbiased, and as noisy as means over 18 of 30 segments
    difference = means - scores.mean(axis=-1)
    assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(difference.size)
    expected = 6.0 * np.sqrt(1 / 18 - 1 / 30)
    assert difference.std() == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"correlation": [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]]}, "semidefinite"),
        ({"distribution": "odd"}, "no distribution 'odd'"),
        ({"outliers": "many"}, "no outliers 'many'"),
        ({"segment_deviation": 0}, "above 0"),
        ({"segment_deviation": [1, 2]}, "one number, or one for each of 3"),
        ({"shared_noise": 2}, "from 0 to 1"),
        ({"shared_noise": [[1, 0], [0, 1]]}, "3 x 3"),
        ({"human_levels": 1}, "at least 2"),
        ({"missing_ratings": 1}, "missing ratings must be 0"),
    ],
)
def test_what_is_no_parameter_is_refused(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.simulation.Population(**{"correlation": WITH_SEGMENTS, **options})


def test_true_scores_of_infinitely_many_segments_are_the_limit():
    """Correlations of any number of scorers; levels as their mean over segments."""
    population = ss.simulation.Population(
        WITH_SEGMENTS, "log-normal", human_levels=4, segment_deviation=2
    )
    human = population.draw(0, REPLICATES, 20)[..., 0]
    segments = population.draw(0, REPLICATES[:200], 20, 400)[..., 0]
    assert human.mean() == pytest.approx(segments.mean(), abs=0.03)
    within = segments.var(axis=-1, ddof=1).mean() / 400  # what is left of segments' noise
    assert human.var() == pytest.approx(segments.mean(axis=-1).var() - within, rel=0.08)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_known_coefficients_are_those_of_large_samples(distribution):
    population = ss.simulation.Population(0.7, distribution)
    samples = population.draw(1, REPLICATES[:200], 2000)
    human, metric = samples[..., 0], samples[..., 1]
    r = [np.corrcoef(x, y)[0, 1] for x, y in zip(human, metric, strict=True)]
    assert population.coefficients("pearson") == pytest.approx(np.mean(r), abs=0.004)
    assert np.isnan(
        ss.simulation.Population(0.7, distribution, "one").coefficients("pearson")
    ).all()


def test_a_copula_may_have_segments():
    population = ss.simulation.Population(
        WITH_SEGMENTS, [stats.gamma(2).ppf, stats.norm.ppf, [1, 2, 5]]
    )
    assert exact_moments(population, 6, 5) is None
    drawn = population.draw(2, REPLICATES[:50], 6, 5)
    assert drawn.shape == (50, 6, 5, 3)
    assert population.describe() == "copula(0.9,0.8,0.75)"
    with pytest.raises(ss.InputError, match="marginals are functions"):
        population.facts()
