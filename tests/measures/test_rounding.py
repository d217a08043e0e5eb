"""Scores that are equal on paper stay equal, however many numbers they are means of."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import supersample as ss
from supersample.engine.additive import tied

pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.DegenerateScoreWarning")
SYSTEMS, SEGMENTS = 8, 40
RNG = np.random.default_rng(11)
GAPS = RNG.random((SYSTEMS, SEGMENTS)) < 0.4
NOISE = RNG.normal(size=(2, SYSTEMS, SEGMENTS))


def with_gaps(human, metric):
    """Scores of people, of one metric and of noise, missing here and there."""
    metrics = np.where(GAPS, np.nan, [metric, NOISE[1]])
    return ss.make_scores(
        np.where(GAPS.T[::-1].T, np.nan, human),
        metrics,
        systems=[f"s{i}" for i in range(SYSTEMS)],
        metrics=["metric", "noise"],
        human_count=RNG.integers(1, 9, GAPS.shape),
    )


def correlations(scores):
    """r of the first metric by every verb that has one."""
    levels = ss.system_level_scores(scores, mask="all")
    hybrids = ss.hybrid_supersample(scores, mask="all", n=64)
    streamed = ss.correlations.stream_correlations(scores, mask="all", n=64)
    for coefficient in ("pearson", "spearman", "kendall"):
        yield ss.agreement(levels, coefficient)["value"].values.flat[0]
        drawn = ss.compare(scores, coefficient, random="segments", mask="all", resamples=9)
        yield from drawn[["value", "lower", "upper"]].to_array().sel(metric="metric").values.flat
    yield from ss.correlations.correlate(hybrids)["value"].sel(metric="metric").values.ravel()
    yield from streamed["value"].sel(metric="metric").values.ravel()
    yield ss.exact_hybrid_correlations(scores, mask="all")["r"].values[0]
    found = ss.compare(scores, random="systems", method="bca", mask="all", resamples=9)
    yield found["value"].sel(metric="metric").values.item()


@pytest.mark.parametrize("constant", [0.1, -1 / 3, 7e-9, 1e12 + 0.1])
@pytest.mark.parametrize("people", [True, False])
def test_constant_scores_have_no_correlation(constant, people):
    same = np.full(GAPS.shape, constant)
    scores = with_gaps(same, NOISE[0]) if people else with_gaps(NOISE[0], same)
    assert np.isnan([*correlations(scores)]).all()
    levels = ss.system_level_scores(scores, mask="all")
    assert not (people and ss.outlier_systems(levels)["outlier"].any())


@pytest.mark.parametrize("unit", [0.1, 1 / 7, 12345.6])
def test_ties_of_means_over_different_counts_stay_ties(unit):
    steps = unit * np.array([1, 1, 3, 3, 7, 7, 9, 11])
    scores = with_gaps(NOISE[0], np.repeat(steps[:, np.newaxis], SEGMENTS, axis=1))
    levels = ss.system_level_scores(scores, mask="all")
    assert np.unique(levels["system_score"].sel(metric="metric")).size == 5
    people = levels["system_human"].values
    expected = {"spearman": stats.spearmanr(people, steps)[0]}
    expected["kendall"] = stats.kendalltau(people, steps)[0]
    for name, value in expected.items():
        for found in (
            ss.agreement(levels, name),
            ss.agreement(scores, name, mask="all"),
            ss.compare(scores, name, random="segments", mask="all", resamples=9),
        ):
            assert found["value"].sel(metric="metric").item() == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_resamples_tie_means_that_differ_by_rounding_alone(coefficient):
    steps = np.array([1.0, 1, 3, 3, 7, 7, 9, 11])[:, np.newaxis].repeat(SEGMENTS, axis=1)
    options = {"random": "segments", "mask": "all", "resamples": 99}
    scores = with_gaps(NOISE[0], steps)  # sums of whole numbers are exact
    tenths = scores.assign(score=scores["score"] * 0.1)
    whole, rounded = (
        ss.compare(x, coefficient, **options)[["lower", "upper"]] for x in (scores, tenths)
    )
    xr.testing.assert_allclose(whole, rounded, rtol=0, atol=1e-12)


def test_tied_leaves_what_differs_as_it_is():
    scores = RNG.normal(size=(5, 12, 3))
    assert tied(scores) is scores
    far = 1e12 + np.array([[0.0], [1.0], [1.0], [3.0]])
    np.testing.assert_array_equal(tied(far), far)
    blurred = np.array([[3.0, np.nan], [1.0, 2.0], [1.0 + 1e-15, np.nan], [1.0 - 1e-15, 2.0]])
    np.testing.assert_array_equal(tied(blurred)[1:, 0], 1.0 - 1e-15)
    np.testing.assert_array_equal(tied(blurred)[:, 1], blurred[:, 1])


@pytest.mark.parametrize("offset", [1e9, -(2.0**37)])
def test_scores_far_from_zero_correlate_as_near_it_in_any_order(offset):
    steps = RNG.integers(-99, 99, (3, SYSTEMS, SEGMENTS)).astype(float)
    names = {"systems": [f"s{i}" for i in range(SYSTEMS)], "metrics": ["a", "b"]}
    near = ss.make_scores(steps[0], steps[1:], **names)
    far = ss.make_scores(steps[0] + offset, steps[1:] + offset, **names)
    shuffled = far.isel(segment=RNG.permutation(SEGMENTS))
    for verb in (
        lambda scores: ss.correlations.stream_correlations(scores, n=500)["value"].values[0, 0, 0],
        lambda scores: ss.exact_hybrid_correlations(scores)["r"].values,
    ):
        np.testing.assert_allclose(verb(far), verb(near), atol=1e-9)
    levels = [ss.system_level_scores(scores)["system_score"].values for scores in (far, shuffled)]
    np.testing.assert_array_equal(*levels)


def test_people_who_prefer_no_system_leave_nothing_to_conclude():
    same = np.full((SYSTEMS, SEGMENTS), 70.0)
    scores = ss.make_scores(
        same, NOISE, systems=[f"s{i}" for i in range(SYSTEMS)], metrics=["a", "b"]
    )
    for measure in ("PA", "SPA"):
        for options in ({}, {"random": "segments"}, {"random": "systems"}):
            ranking = ss.rank(ss.compare(scores, measure, resamples=9, **options))
            assert not ranking["wins_over"].any()
            assert not ranking["differs_adjusted"].any()
            assert (ranking["may_be_best"] | ranking["p_best"].isnull()).all()
            tested = ranking["p_value"] if "p_value" in ranking else ranking["difference_lower"]
            assert np.isnan(tested.values[..., 0, 1]).all()
