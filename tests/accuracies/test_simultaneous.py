"""What is concluded of all metrics at once from permutations of their scores."""

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.inference.resampling.p_values import may_be_best, step_down_p_values
from tests.accuracies.test_comparisons import compare, plain_null
from tests.accuracies.test_pairwise import scores_of, small

pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")


def test_p_values_of_two_metrics_need_no_adjustment():
    human, score = small(seed=3)
    score[1] = 0.1 * score[1] + human
    found = compare(scores_of(human, score[:2]))
    np.testing.assert_array_equal(found["p_simultaneous"], found["p_value"])


def test_they_are_of_the_joint_replicates_of_all_pairs():
    human, score = small(seed=4)
    found = compare(scores_of(human, score), seed=2)
    pairs = [(0, 1), (0, 2), (1, 2)]
    nulls = []
    for first, second in pairs:
        both = plain_null(human, score[[first, second]], "inputs", "normal", 99, 2)[:, 0]
        nulls.append(both[:, 0] - both[:, 1])
    soft = found.sel(measure="SPA")
    observed = [soft["difference"].values[pair] for pair in pairs]
    expected = step_down_p_values(observed, np.stack(nulls, axis=1))
    np.testing.assert_allclose([soft["p_simultaneous"].values[pair] for pair in pairs], expected)
    best = may_be_best(found["value"], found["p_simultaneous"])
    np.testing.assert_array_equal(found["p_best"], best)


def test_groups_and_their_average_have_them():
    human, score = small(seed=4)
    groups = {"x": scores_of(human, score), "y": scores_of(human[:, ::-1], score[:, :, ::-1])}
    found = compare(groups)
    for name in ("p_simultaneous", "p_best"):
        assert found[name].dims[:2] == ("measure", "group")
        assert np.isfinite(found[name]).all()
    assert (found["p_simultaneous"] >= found["p_value"]).all()


@pytest.mark.parametrize("scheme", ["inputs", "systems"])
def test_equally_good_metrics_are_rarely_told_apart(scheme):
    claims = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        quality = rng.normal(size=(6, 1))
        human = quality + rng.standard_t(4, size=(6, 30))
        shared = rng.standard_t(4, size=(6, 30))
        score = quality + shared + rng.standard_t(4, size=(5, 6, 30))
        found = ss.compare_accuracies(
            scores_of(human, score), scheme=scheme, resamples=99, seed=seed, measures=["SPA"]
        )
        claims.append(bool((found["p_best"] <= 0.05).any()))
    assert np.mean(claims) <= 0.15  # 60 samples: 0.05 +- 0.085


def test_an_affine_copy_is_no_metric_of_its_own():
    scores = ss.load_example()
    strong = scores.sel(metric=["strong-98"])
    copy = strong.assign(score=9.0618 * strong["score"] + 29.632).assign_coords(metric=["copy"])
    names = [str(name) for name in scores["metric"].values]
    more = xr.concat([scores, copy], "metric", data_vars="minimal")
    alone, found = (
        ss.compare_accuracies(each, measures="SPA", resamples=99).isel(measure=0)
        for each in (scores, more)
    )
    pair = {"metric": "copy", "other_metric": "strong-98"}
    assert found["p_value"].sel(pair) == found["p_simultaneous"].sel(pair) == 1
    at = {"metric": names, "other_metric": names}
    np.testing.assert_array_equal(found["p_simultaneous"].sel(at), alone["p_simultaneous"])
    np.testing.assert_array_equal(found["p_best"].sel(metric=names), alone["p_best"])
    assert found["p_best"].sel(metric="copy") == alone["p_best"].sel(metric="strong-98")
