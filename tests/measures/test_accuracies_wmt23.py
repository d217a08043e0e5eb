"""The figures of Thompson et al. (2024), Table 1, and p-values of real scores, on WMT23."""

import numpy as np
import pytest

from supersample.engine.permutations import permuted_totals
from supersample.engine.swaps import input_swapped_sums, standardise
from supersample.inference.accuracies.agreement import mean_agreement, preferences
from supersample.inference.accuracies.monte_carlo import monte_carlo_p_values
from supersample.inference.accuracies.sign_flip import (
    exact_p_values,
    normal_p_values,
    pair_differences,
)
from supersample.inference.accuracies.swapped import InputMoments, normal_input_swaps
from supersample.inference.resampling.p_values import permutation_p_value
from supersample.readers.mtme import read_mtme
from supersample.results.ranking import greedy_clusters
from supersample.scores.selection import select_segments
from tests.conftest import DATA_ROOT

FOLDER = DATA_ROOT / "mt-metrics-eval-v2" / "wmt23"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no WMT23 scores: set SUPERSAMPLE_DATA to a data root with them"
)


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23(request):
    """Language pair, human scores (systems, segments) and metric scores (metrics, ...)."""
    scores = select_segments(read_mtme(FOLDER.parent, "wmt23", request.param))
    return request.param, scores["human"].to_numpy(), scores["score"].to_numpy()


def accuracies(people, scores):
    differences = [pair_differences(x) for x in (people, scores)]
    human, metric = (normal_p_values(d) for d in differences)
    rounded, hard = (preferences(d) for d in differences)
    return human, rounded, mean_agreement(human, metric), mean_agreement(rounded, hard)


def test_shapes_are_those_of_the_data(wmt23):
    pair, people, scores = wmt23
    assert scores.shape == {"en-de": (25, 12, 460), "zh-en": (25, 15, 1177)}[pair]
    assert people.shape == scores.shape[1:]


def test_distinct_values_are_the_published_ones(wmt23):
    # Table 1: PA 12 and 12, SPA 24 and 25; two metrics of en-de are identical
    pair, people, scores = wmt23
    _, _, soft, hard = accuracies(people, scores)
    assert np.unique(hard.round(10)).size == 12
    assert np.unique(soft.round(10)).size == {"en-de": 24, "zh-en": 25}[pair]


def test_significant_comparisons_and_clusters(wmt23):
    # Table 1 (one seed of other masks): SPA 206 pairs in 6 clusters and 229 in 7. Over the seeds
    # 0 to 11 this code gives 206-210 in 6, and 227-230 in 7 (once 8); PA with exact ties 157-161
    # and 179-183, compared in floating point as they fall 169-172 and 184-187 (printed 171, 186).
    pair, people, scores = wmt23
    human, rounded, soft, hard = accuracies(people, scores)
    d = pair_differences(standardise(scores))
    swap = {"seed": 0, "replicates": np.arange(1000, dtype=np.uint64)}
    sums, squares = (
        np.stack([input_swapped_sums(x.T, **swap) for x in values]) for values in (d, d**2)
    )
    null = normal_input_swaps(human, rounded, InputMoments.of(d, sums, squares), threads=2)
    first, second = null.first, null.second

    def p_value(values, replicates, tie):
        return permutation_p_value(
            values[first] - values[second], replicates[0] - replicates[1], estimator="k/B", tie=tie
        )

    p = p_value(soft, null.soft, 1e-10)
    significant = np.zeros((25, 25), bool)
    significant[first, second] = significant[second, first] = p <= 0.05
    low, high = {"en-de": (206, 210), "zh-en": (227, 231)}[pair]
    assert low <= (p <= 0.05).sum() <= high
    assert greedy_clusters(soft, significant).max() == {"en-de": 6, "zh-en": 7}[pair]
    low, high = {"en-de": (157, 161), "zh-en": (179, 183)}[pair]
    assert low <= (p_value(hard, null.hard, 1e-10) <= 0.05).sum() <= high
    low, high = {"en-de": (169, 173), "zh-en": (184, 187)}[pair]
    assert low <= (p_value(hard, null.hard, 0.0) <= 0.05).sum() <= high


def test_exact_p_values_are_within_the_error_of_many_permutations(wmt23):
    # some systems and scorers at 20,000 permutations; benchmarks/sign_flip_p_values.py takes all
    # of them at a million
    _, people, scores = wmt23
    values = np.stack([people, *scores[::6]])[:, :7]
    exact = exact_p_values(pair_differences(values))
    by_scorer = values.transpose(1, 2, 0)
    null = permuted_totals(by_scorer, seed=0, replicates=20000)
    drawn = monte_carlo_p_values(null, by_scorer)
    gap = np.abs(drawn - exact)
    error = np.sqrt(exact * (1.0 - exact) / 20000)
    # below a tenth of an expected count the binomial error is no measure; a single count is
    assert (gap <= np.maximum(5 * error, 1.5 / 20000)).all()


def test_normal_p_values_are_close_to_exact_ones(wmt23):
    # largest differences over all pairs and scorers: 0.0056 (en-de), 0.0169 (zh-en, prismRef)
    _, people, scores = wmt23
    d = pair_differences(np.stack([people, *scores[::6]])[:, -7:])
    gap = np.abs(normal_p_values(d) - exact_p_values(d))
    assert gap[0].max() < 0.003
    assert gap.max() < 0.02
    assert gap.mean() < 4e-4
