"""Measures after swaps, from sums, against swapping the scores themselves and computing anew."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.engine.streams import coin_words, stream_key, unpack_coins
from supersample.measures.registry import as_measure
from supersample.measures.swapped_sums import task_units, unit_sums
from supersample.scores.selection import group_seed
from supersample.tasks.definitions import Source, SourceScores, Task
from supersample.tasks.running import Measured

SYSTEMS, SEGMENTS, DRAWS = 5, 14, 20


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr("supersample.measures.swapped_sums.BLOCK", 7)  # of 20 draws


def segment_scores(seed, gaps=True):
    rng = np.random.default_rng(seed)
    human = np.round(2 * rng.normal(size=(SYSTEMS, SEGMENTS)))
    metrics = {
        m: np.round(human + k * rng.normal(size=human.shape), 1) for k, m in ((1, "a"), (2, "b"))
    }
    if gaps:
        human[rng.random(human.shape) < 0.15] = np.nan
        human[:, 4] = np.nan
    kept = ~np.isnan(human)
    metrics = {name: np.where(kept, x, 0.0) for name, x in metrics.items()}
    return SourceScores([str(i) for i in range(SYSTEMS)], human, metrics, "")


def system_scores(seed, systems=7):
    rng = np.random.default_rng(seed)
    human = np.round(rng.normal(size=systems), 1)
    metrics = {m: human + k * rng.normal(size=systems) for k, m in ((1, "a"), (2, "b"))}
    return SourceScores([str(i) for i in range(systems)], human, metrics, "")


def measured(measure, scores, swap=None, draws=DRAWS, first_pair=0):
    chosen = as_measure(measure)
    sources = tuple(Source("toy", f"pair{first_pair + i}") for i in range(len(scores)))
    task = Task(chosen, sources, swap or task_units(chosen)[0])
    parts = [unit_sums(chosen, task.swap, each.human) for each in scores]
    sums = [
        {m: part.sums(x, draws, seed=seed_of(source)) for m, x in each.metrics.items()}
        for part, source, each in zip(parts, sources, scores, strict=True)
    ]
    return Measured(task, parts, sums)


def seed_of(source):
    return group_seed(3, source.name)


def null_of(found, first, second):
    return sum(found.nulls(first, second))


def coins(found, units):
    key = stream_key(seed_of(found.task.sources[0]), f"task swap {found.parts[0].unit}")
    return unpack_coins(coin_words(key, np.arange(DRAWS, dtype=np.uint64), units), units)


def z(scores, keep):
    return np.where(keep, (scores - scores[keep].mean()) / scores[keep].std(), 0.0)


def swapped(scores, mask):
    first, second = scores
    return np.where(mask, second, first), np.where(mask, first, second)


def preferences(x):
    i, j = np.triu_indices(len(x), 1)
    return np.sign(x[i] - x[j])


SYSTEM_LEVEL = {
    "pearson": lambda h, x: stats.pearsonr(h, x)[0],
    "spearman": lambda h, x: stats.spearmanr(h, x)[0],
    "kendall": lambda h, x: stats.kendalltau(h, x)[0],
    "PA": lambda h, x: np.mean(preferences(h) == preferences(x)),
}


@pytest.mark.parametrize("statistic", SYSTEM_LEVEL)
def test_system_level_statistics_swap_systems(statistic):
    scores = system_scores(1)
    found = measured(statistic, [scores])
    every = np.ones(scores.human.shape, bool)
    both = [z(x, every) for x in scores.metrics.values()]
    function = SYSTEM_LEVEL[statistic]
    assert found.value("a") == pytest.approx(function(scores.human, scores.metrics["a"]), abs=1e-12)
    expected = []
    for mask in coins(found, scores.human.size):
        a, b = (function(scores.human, x) for x in swapped(both, mask))
        expected.append(a - b)
    np.testing.assert_allclose(null_of(found, "a", "b"), expected, atol=1e-12)
    np.testing.assert_allclose(null_of(found, "b", "a"), np.negative(expected), atol=1e-12)


def test_pairwise_accuracy_is_pooled_over_pairs_of_systems_not_averaged():
    scores = [system_scores(1, 4), system_scores(2, 9)]
    found = measured("PA", scores)
    right = [preferences(s.human) == preferences(s.metrics["b"]) for s in scores]
    assert found.value("b") == pytest.approx(np.concatenate(right).mean(), abs=1e-12)
    assert found.value("b") != pytest.approx(np.mean([each.mean() for each in right]), abs=1e-3)


@pytest.mark.parametrize("swap", ["segments", "scores"])
def test_pearson_over_all_translations(swap):
    scores = segment_scores(5)
    found = measured("pearson/none", [scores], swap)
    keep = ~np.isnan(scores.human)
    human, both = scores.human[keep], [z(x, keep) for x in scores.metrics.values()]
    direct = stats.pearsonr(human, scores.metrics["a"][keep])[0]
    assert found.value("a") == pytest.approx(direct, abs=1e-12)
    units = SEGMENTS if swap == "segments" else SYSTEMS * SEGMENTS
    expected = []
    for mask in coins(found, units):
        mask = mask if swap == "segments" else mask.reshape(SYSTEMS, SEGMENTS)
        a, b = (stats.pearsonr(human, x[keep])[0] for x in swapped(both, mask))
        expected.append(a - b)
    np.testing.assert_allclose(null_of(found, "a", "b"), expected, atol=1e-12)


@pytest.mark.parametrize("statistic", ["acc_eq", "tau_eq", "pearson", "pdp"])
def test_statistics_by_item_swap_segments(statistic):
    scores = segment_scores(6)
    scores = scores._replace(human=20 * scores.human)
    found = measured(f"{statistic}/item", [scores])
    as_scores = ss.make_scores(
        scores.human,
        list(scores.metrics.values()),
        systems=scores.systems,
        metrics=list(scores.metrics),
    )
    agreement = ss.agreement(as_scores, f"{statistic}/item")
    value = agreement["value"].sel(metric="b").item()
    assert found.value("b") == pytest.approx(value, abs=1e-12)
    if statistic in ("acc_eq", "tau_eq"):  # thresholds stay with the metric they are of
        return
    keep = ~np.isnan(scores.human)
    both = [z(x, keep) for x in scores.metrics.values()]
    expected = []
    for mask in coins(found, SEGMENTS):
        exchanged = as_scores.assign(
            score=(("metric", "system", "segment"), np.stack(swapped(both, mask)))
        )
        a, b = ss.agreement(exchanged, f"{statistic}/item")["value"].to_numpy().ravel()
        expected.append(a - b)
    np.testing.assert_allclose(null_of(found, "a", "b"), expected, atol=1e-12)


@pytest.mark.parametrize("statistic", ["acc_eq", "tau_eq", "acc_23"])
@pytest.mark.parametrize("swap", ["segments", "pairs"])
def test_tied_accuracies_swap_whether_pairs_are_right(statistic, swap):
    scores = segment_scores(7)
    found = measured(f"{statistic}/item", [scores], swap)
    as_scores = ss.make_scores(
        scores.human, list(scores.metrics.values()), systems=scores.systems, metrics=["a", "b"]
    )
    thresholds = ss.agreement(as_scores, f"{statistic}/item")["threshold"].to_numpy().ravel()
    first, second = np.triu_indices(SYSTEMS, 1)
    rated = ~np.isnan(scores.human[first]) & ~np.isnan(scores.human[second])
    right = []
    for x, threshold in zip(scores.metrics.values(), thresholds, strict=True):
        d = x[first] - x[second]
        order = np.where(np.abs(d) <= threshold, 0, np.sign(d))
        right.append(order == np.sign(scores.human[first] - scores.human[second]))
    units = SEGMENTS if swap == "segments" else first.size * SEGMENTS
    expected = []
    for mask in coins(found, units):
        mask = mask if swap == "segments" else mask.reshape(first.size, SEGMENTS)
        items = [
            [x[rated[:, s], s].mean() for s in range(SEGMENTS) if rated[:, s].any()]
            for x in swapped(right, mask)
        ]
        difference = np.mean(items[0]) - np.mean(items[1])
        expected.append(2 * difference if statistic == "tau_eq" else difference)
    np.testing.assert_allclose(null_of(found, "a", "b"), expected, atol=1e-12)


@pytest.mark.filterwarnings("ignore::supersample.ApproximationWarning")
def test_soft_accuracy_swaps_segments_as_compare_does():
    scores = segment_scores(8, gaps=False)
    found = measured("SPA", [scores])
    as_scores = ss.make_scores(
        scores.human, list(scores.metrics.values()), systems=scores.systems, metrics=["a", "b"]
    )
    accuracy = ss.agreement(as_scores, "SPA")["value"].squeeze()
    assert found.value("a") == pytest.approx(accuracy.sel(metric="a").item(), abs=1e-12)
    every = np.ones(scores.human.shape, bool)
    both = [z(x, every) for x in scores.metrics.values()]
    expected = []
    for mask in coins(found, SEGMENTS):
        exchanged = as_scores.assign(
            score=(("metric", "system", "segment"), np.stack(swapped(both, mask)))
        )
        a, b = ss.agreement(exchanged, "SPA")["value"].values.ravel()
        expected.append(a - b)
    np.testing.assert_allclose(null_of(found, "a", "b"), expected, atol=1e-10)


@pytest.mark.filterwarnings("ignore::supersample.ApproximationWarning")
def test_soft_accuracy_is_of_segments_rated_for_every_system():
    scores = segment_scores(9)
    complete = ~np.isnan(scores.human).any(axis=0)
    assert 2 < complete.sum() < SEGMENTS
    as_scores = ss.make_scores(
        scores.human[:, complete],
        [x[:, complete] for x in scores.metrics.values()],
        systems=scores.systems,
        metrics=["a", "b"],
    )
    accuracy = ss.agreement(as_scores, "SPA")["value"][0].sel(metric="b").item()
    assert measured("SPA", [scores]).value("b") == pytest.approx(accuracy, abs=1e-12)


def test_tasks_on_the_same_scores_draw_the_same_units_and_others_do_not():
    scores = segment_scores(5)
    pearson = measured("pearson/none", [scores])
    accuracy = measured("acc_eq/item", [scores])
    soft = measured("SPA", [scores])
    drawn = [coins(found, SEGMENTS) for found in (pearson, accuracy, soft)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[0], drawn[2])
    both = measured("pearson/none", [scores, scores])
    assert (both.sums[0]["a"][1:] != both.sums[1]["a"][1:]).any()
