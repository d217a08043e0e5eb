"""The figures of Thompson et al. (2024), Table 1, and p-values of real scores, on WMT23."""

import os
from pathlib import Path

import numpy as np
import pytest

from supersample.engine.permutations import permuted_totals
from supersample.engine.swaps import input_swapped_sums, standardise
from supersample.inference.accuracies import mean_agreement, preferences
from supersample.inference.monte_carlo import monte_carlo_p_values
from supersample.inference.sign_flip import exact_p_values, normal_p_values, pair_differences
from supersample.inference.significance import greedy_clusters, replicate_p_values
from supersample.inference.swapped_accuracies import normal_input_swaps

DEFAULT = Path(__file__).parents[1] / ".." / "shared" / "data"
FOLDER = Path(os.environ.get("SUPERSAMPLE_DATA", DEFAULT)) / "mt-metrics-eval-v2" / "wmt23"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no WMT23 scores: set SUPERSAMPLE_DATA to a data root with them"
)


def read(path):
    scores = {}
    for line in path.read_text().splitlines():
        system, score = line.split()
        scores.setdefault(system, []).append(np.nan if score == "None" else float(score))
    return scores


@pytest.fixture(scope="module", params=["en-de", "zh-en"])
def wmt23(request):
    """Language pair, human scores (systems, segments) and metric scores (metrics, ...)."""
    pair = request.param
    human = read(FOLDER / "human-scores" / f"{pair}.mqm.seg.score")
    systems = [name for name in human if name not in ("refA", "synthetic_ref")]
    metrics = [
        read(path) for path in sorted((FOLDER / "metric-scores" / pair).glob("*-refA.seg.score"))
    ]
    rated = np.isfinite([human[name] for name in systems]).all(axis=0)
    people = np.array([human[name] for name in systems])[:, rated]
    scores = np.array([[scores[name] for name in systems] for scores in metrics])[..., rated]
    return pair, people, scores


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
    null = normal_input_swaps(human, rounded, d, sums, squares, threads=2)
    first, second = null.first, null.second
    p = replicate_p_values(soft[first] - soft[second], null.soft[0] - null.soft[1])
    matrix = np.ones((25, 25))
    matrix[first, second] = matrix[second, first] = p
    low, high = {"en-de": (206, 210), "zh-en": (227, 231)}[pair]
    assert low <= (p <= 0.05).sum() <= high
    assert greedy_clusters(soft, matrix).max() == {"en-de": 6, "zh-en": 7}[pair]
    observed = hard[first] - hard[second]
    exact, floating = (
        replicate_p_values(observed, null.hard[0] - null.hard[1], tie=tie) for tie in (1e-10, 0.0)
    )
    low, high = {"en-de": (157, 161), "zh-en": (179, 183)}[pair]
    assert low <= (exact <= 0.05).sum() <= high
    low, high = {"en-de": (169, 173), "zh-en": (184, 187)}[pair]
    assert low <= (floating <= 0.05).sum() <= high


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
