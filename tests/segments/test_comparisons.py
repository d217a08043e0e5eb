"""Permutation tests on segments against plain implementations, and what they promise."""

from itertools import combinations

import numpy as np
import pytest
import xarray as xr
from scipy import stats
from supersample.segments.agreement import compute
from supersample.segments.inputs import groups_of
from supersample.segments.swapping import _mapped, null_differences

import supersample as ss
from supersample.engine.bits import coin_words, unpack_coins
from supersample.engine.streams import stream_key
from supersample.engine.swaps import swap_masks
from tests.segments.brute_force import statistic
from tests.segments.test_agreement import arrays, scores

RESAMPLES = 5


def nulls(data, name, scheme, resamples=RESAMPLES):
    chosen = ss.SegmentStatistic.parse(name, human_threshold=2.0)
    [part] = groups_of(data, mask="all", by=None).of.values()
    found = compute(part, chosen)
    return found, null_differences(part, chosen, found, scheme, resamples, 2)


@pytest.mark.parametrize(
    "name",
    ["pearson/none", "pearson/item", "pearson/system", "pdp/item", "spearman/item", "tau_b/none"],
)
def test_swapped_scores_are_recomputed_statistics(name):
    data = scores(systems=5, segments=8)
    kind, grouping = name.split("/")
    _, null = nulls(data, name, "scores")
    human, metrics, keep = arrays(data)
    z = np.zeros_like(metrics)
    for k, metric in enumerate(metrics):
        z[k][keep] = stats.zscore(metric[keep]) if np.ptp(metric[keep]) else 0.0
    numbers = np.arange(RESAMPLES, dtype=np.uint64)
    masks = swap_masks("both", systems=5, segments=8, seed=0, replicates=numbers)
    for r, mask in enumerate(masks):
        for pair, (a, b) in enumerate(combinations(range(len(z)), 2)):
            sides = np.where(mask, z[b], z[a]), np.where(mask, z[a], z[b])
            values = [statistic(kind, human, side, keep, grouping)[0] for side in sides]
            assert null[r, pair] == pytest.approx(values[0] - values[1], abs=1e-12)


@pytest.mark.parametrize("name", ["acc_eq/item", "tau_23/system", "acc_23/none"])
def test_swapped_pairs_are_those_of_the_shared_task(name):
    # mt-metrics-eval, PairwisePermutationSigDiff: the results of pairs, by one coin each
    data = scores(systems=5, segments=8)
    kind = name.split("/")[0]
    found, null = nulls(data, name, "pairs")
    flat = found.flat
    count = int(flat.pairs.sum())
    key, numbers = stream_key(0, "metric swap pairs"), np.arange(RESAMPLES, dtype=np.uint64)
    coins = unpack_coins(coin_words(key, numbers, count), count)
    right = np.zeros((len(flat.metrics), count))
    weights, at = np.zeros(count), 0
    for first, last in zip(flat.starts[:-1], flat.starts[1:], strict=True):
        for i in range(first, last):
            for j in range(first, i):
                h = np.sign(flat.human[i] - flat.human[j])
                x = flat.metrics[:, i] - flat.metrics[:, j]
                right[:, at] = np.where(np.abs(x) <= found.thresholds, 0, np.sign(x)) == h
                weights[at] = 1 / ((last - first) * (last - first - 1) / 2)
                at += 1
    if kind.startswith("tau"):
        right = 2 * right - 1
    for r in range(RESAMPLES):
        for pair, (a, b) in enumerate(combinations(range(len(right)), 2)):
            swapped = [np.where(coins[r], *sides) for sides in (right[[b, a]], right[[a, b]])]
            values = [(side * weights).sum() / (flat.pairs > 0).sum() for side in swapped]
            assert null[r, pair] == pytest.approx(values[0] - values[1], abs=1e-12)


@pytest.mark.parametrize("name", ["acc_eq/item", "pearson/item", "pdp/item"])
def test_swapped_segments_are_recomputed_statistics(name):
    data = scores(systems=5, segments=8)
    statistic = ss.SegmentStatistic.parse(name)
    found, null = nulls(data, name, "segments")
    [part] = groups_of(data, mask="all", by=None).of.values()
    metrics = part.metrics
    if name.startswith("pdp"):
        metrics = np.zeros_like(metrics)
        for k, metric in enumerate(part.metrics):
            kept = metric[part.keep]
            metrics[k][part.keep] = stats.zscore(kept) if np.ptp(kept) else 0.0
    numbers = np.arange(RESAMPLES, dtype=np.uint64)
    masks = swap_masks("inputs", systems=1, segments=8, seed=0, replicates=numbers)
    for r, mask in enumerate(masks):
        for pair, (a, b) in enumerate(combinations(range(len(metrics)), 2)):
            if name.startswith("acc_eq") and found.thresholds[a] != found.thresholds[b]:
                continue  # each result keeps the threshold of its metric
            two = np.stack([np.where(mask, metrics[[b, a]], metrics[[a, b]])])[0]
            again = compute(part._replace(metrics=two), statistic, found.thresholds[[a, b]])
            first, second = np.nan_to_num(again.values)
            assert null[r, pair] == pytest.approx(first - second, abs=1e-12)


def test_kendall_like_swaps_the_pairs_that_count():
    found, null = nulls(scores(), "kendall_like", "pairs", 400)
    values = found.values
    assert np.abs(null).max() <= 2
    observed = np.abs(values[:, None] - values)[np.triu_indices(4, 1)]
    assert (np.abs(null.mean(axis=0)) < 4 * null.std(axis=0) / 20 + 1e-12).all()
    assert (np.abs(null).max(axis=0) >= 0.2 * observed).all()


def test_results_do_not_depend_on_threads_and_begin_alike():
    data = scores()
    one, three = (
        ss.compare_segments(data, ["acc_eq", "pdp"], resamples=99, workers=ss.Workers("threads", n))
        for n in (1, 3)
    )
    for name in one:
        np.testing.assert_array_equal(one[name], three[name])
    _, few = nulls(data, "pdp", "scores", 70)
    _, many = nulls(data, "pdp", "scores", 140)
    np.testing.assert_array_equal(many[:70], few)


def test_alternatives_and_ranking():
    data = ss.load_example()
    options = {"statistics": ["acc_eq", "pearson/none"], "resamples": 199}
    two = ss.compare_segments(data, **options)
    greater = ss.compare_segments(data, alternative="greater", **options)
    less = ss.compare_segments(data, alternative="less", **options)
    np.testing.assert_array_equal(
        greater["p_value"],
        less["p_value"].transpose(*two["p_value"].dims[:1], "other_metric", "metric"),
    )
    best = {"metric": "strong-95", "other_metric": "useless-00"}
    assert (greater["p_value"].sel(best) <= 0.01).all()
    assert (two["p_holm"] >= two["p_value"]).all()
    ranking = ss.rank(two)
    assert ranking["metric"].to_numpy()[0] == "strong-98"
    assert ranking["rank"].isel(measure=0).to_numpy()[0] == 1
    assert ranking["clusters"].to_numpy().min() > 1


def test_groups_are_swapped_apart_and_averaged():
    data = {"x": scores(seed=1), "y": scores(seed=2)}
    found = ss.compare_segments(data, "acc_23", resamples=50).isel(measure=0)
    statistic = ss.SegmentStatistic("acc_23")
    values, null = [], []
    for part in groups_of(data, mask="all", by=None).of.values():
        each = compute(part, statistic)
        values.append(each.values)
        null.append(null_differences(part, statistic, each, "pairs", 50, 1)[:, 1])
    observed = np.mean(values, axis=0)
    assert not np.array_equal(*null)
    extreme = np.abs(np.mean(null, axis=0)) >= abs(observed[0] - observed[2]) - 1e-10
    p = found["p_value"].sel(group="average", metric="lattice", other_metric="constant").item()
    assert p == pytest.approx((extreme.sum() + 1) / 51)


def test_p_values_of_all_pairs_at_once_are_the_single_ones_or_larger():
    data, options = ss.load_example(), {"resamples": 99, "scheme": "segments"}
    whole = ss.compare_segments(data, "acc_23", **options)
    two = ss.compare_segments(data.isel(metric=[0, 1]), "acc_23", **options)
    np.testing.assert_array_equal(two["p_simultaneous"], two["p_value"])
    assert (whole["p_simultaneous"] >= whole["p_value"]).all()
    assert (whole["p_simultaneous"] > whole["p_value"]).any()
    first = int(whole["value"].values.argmax())
    assert whole["p_best"][0, first] == 1
    assert (whole["p_best"][0].values <= whole["p_simultaneous"][0, first].values).all()
    # swapped results of pairs claim too much, so that whole segments are swapped all the same
    by_pairs = ss.compare_segments(data, "acc_23", resamples=99, scheme="pairs")
    assert (by_pairs["p_value"] != whole["p_value"]).any()
    np.testing.assert_array_equal(by_pairs["p_simultaneous"], whole["p_simultaneous"])


def test_identical_metrics_are_tied():
    data = scores(gaps=0)
    copy = data.sel(metric=["fine"]).assign_coords(metric=["copy"])
    copy["score"] = copy["score"] * 3 + 1
    both = xr.concat([data, copy], "metric", data_vars="minimal")
    found = ss.compare_segments(both, ["pdp", "acc_23"], resamples=99)
    pair = {"metric": "fine", "other_metric": "copy"}
    assert found["identical"].sel(pair).item()
    assert (found["p_value"].sel(pair) == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistics": "pearson", "scheme": "pairs"}, "no mean over pairs"),
        ({"statistics": "acc_eq", "scheme": "scores"}, "or acc_23"),
        ({"scheme": "both"}, "no scheme 'both'"),
        ({"resamples": 0}, "at least one resample"),
        ({"significance_level": 1.0}, "between 0 and 1"),
        ({"estimator": "k"}, "no estimator"),
        ({"alternative": "more"}, "no alternative"),
        ({"workers": "processes"}, "by threads"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.compare_segments(scores(), **options)


def test_thresholds_of_other_scores_are_used():
    data, other = scores(seed=1, segments=30), scores(seed=7, segments=30)
    found = ss.compare_segments(data, ["acc_eq", "acc_23"], calibrate_on=other, resamples=9)
    there = ss.segment_agreement(other, "acc_eq")["threshold"]
    np.testing.assert_array_equal(found["threshold"][0], there[0])
    human, metrics, keep = arrays(data)
    for k, metric in enumerate(metrics):
        value, _ = statistic("acc_23", human, metric, keep, "item", there[0, k].item())
        assert found["value"][0, k].item() == pytest.approx(value, abs=1e-12)
    own = ss.segment_agreement(data, "acc_eq")["value"][0]
    np.testing.assert_allclose(found["optimism"][0], own - found["value"][0])
    assert (found["optimism"][0] >= 0).all()
    assert found["optimism"][1].isnull().all()


def test_half_of_the_segments_are_calibrated_on_and_the_others_tested():
    data = scores(seed=1, segments=30, gaps=0)
    found = ss.compare_segments(data, "acc_eq", calibrate_on="half", resamples=9)
    assert int(found["segments"]) == 15  # of 29 that were rated, 14 are calibrated on
    assert found.attrs["calibrated_on"] == "half of the segments"
    again = ss.compare_segments(data, "acc_eq", calibrate_on="half", resamples=9, seed=1)
    assert (again["value"] != found["value"]).any()
    assert (found["optimism"] >= 0).all()
    with pytest.raises(ss.InputError, match="'quarter'"):
        ss.compare_segments(data, "acc_eq", calibrate_on="quarter")
    with pytest.raises(ss.InputError, match="nothing is calibrated"):
        ss.compare_segments(data, "pdp", calibrate_on="half")
    with pytest.raises(ss.InputError, match="no metric 'lattice' in the calibration's Scores"):
        ss.compare_segments(data, "acc_eq", calibrate_on=ss.load_example())


def test_coins_are_drawn_no_earlier_than_a_few_blocks_wait():
    drawn, ahead = [], []

    def blocks():
        for block in range(200):
            drawn.append(block)
            yield block

    def of_block(block):
        ahead.append(len(drawn) - block)
        return np.array(block)

    assert _mapped(of_block, blocks(), 2) == list(range(200))
    assert max(ahead) <= 5
