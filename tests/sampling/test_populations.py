"""Populations, and what they refuse."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.sampling.populations import Population

REPLICATES = np.arange(4000, dtype=np.uint64)
MATRIX = [[1, 0.8, 0.6], [0.8, 1, 0.7], [0.6, 0.7, 1]]
POPULATIONS = {
    "normal": ss.NormalPopulation(MATRIX),
    "copula": ss.CopulaPopulation(
        MATRIX, [stats.gamma(2).ppf, stats.expon.ppf, [1, 2, 2, 5]], ("a", "b")
    ),
    "finite": ss.finite_population(ss.load_example()),
    "finite, with": ss.finite_population(ss.load_example(), replacement="with"),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_every_population_draws_by_replicate_alone(name):
    population = POPULATIONS[name]
    assert isinstance(population, Population)
    samples = population.draw(3, 6, REPLICATES[:20])
    assert samples.shape == (20, 1 + len(population.metrics), 6)
    np.testing.assert_array_equal(population.draw(3, 6, REPLICATES[[9, 4]]), samples[[9, 4]])
    assert not np.array_equal(population.draw(4, 6, REPLICATES[:20]), samples)
    assert population.describe()


def test_a_copula_has_the_marginals_and_the_ranks_of_its_normal():
    population = ss.CopulaPopulation(0.8, [stats.gamma(2).ppf, stats.expon.ppf])
    human, metric = np.swapaxes(population.draw(0, 5, REPLICATES), 0, 1).reshape(2, -1)
    assert stats.kstest(human, stats.gamma(2).cdf).pvalue > 0.001
    assert stats.kstest(metric, stats.expon.cdf).pvalue > 0.001
    (known,) = population.coefficients("spearman")
    assert known == pytest.approx(6 / np.pi * np.arcsin(0.4))
    assert stats.spearmanr(human, metric)[0] == pytest.approx(known, abs=4 * 0.4 / np.sqrt(20_000))
    assert np.isnan(population.coefficients("pearson")).all()


def test_observed_marginals_stay_within_and_may_tie():
    population = ss.CopulaPopulation(0.5, [[3, 1, 1, 1, 7], [0.0, 1.0]])
    human = population.draw(0, 5, REPLICATES)[:, 0]
    assert human.min() == 1
    assert human.max() == 7
    assert (human == 1).mean() == pytest.approx(0.5, abs=0.02)  # up to (3 - 1/2) / 5
    assert np.isnan(population.coefficients("spearman")).all()


def test_known_coefficients_of_a_normal_population():
    normal = ss.NormalPopulation(0.5)
    assert normal.coefficients("pearson") == [0.5]
    assert normal.coefficients("kendall") == pytest.approx([1 / 3])
    assert ss.NormalPopulation(1).coefficients("spearman") == pytest.approx([1])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ss.NormalPopulation(1.2), "lies in"),
        (lambda: ss.NormalPopulation(np.nan), "lies in"),
        (lambda: ss.NormalPopulation([[1, 0.9], [0.8, 1]]), "symmetric"),
        (lambda: ss.NormalPopulation([[2, 0.9], [0.9, 1]]), "lies in"),
        (lambda: ss.NormalPopulation([1, 0.5]), "square"),
        (
            lambda: ss.NormalPopulation([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]),
            "positive semidefinite",
        ),
        (lambda: ss.NormalPopulation(MATRIX, ("a", "a")), "different labels"),
        (lambda: ss.CopulaPopulation(0.5, [[1, 2]]), "1 marginals for 2"),
        (lambda: ss.CopulaPopulation(0.5, [[1, 2], [1, np.nan]]), "finite"),
        (lambda: ss.FinitePopulation([[1, 2], [2, np.inf]]), "finite"),
        (lambda: ss.FinitePopulation([1, 2, 3]), "shape"),
        (lambda: ss.FinitePopulation([[1, 2]], replacement="no"), "no replacement 'no'"),
    ],
)
def test_what_is_no_population_is_refused(make, message):
    with pytest.raises(ss.InputError, match=message):
        make()
