"""Verbs: what correlations and their comparisons say, and what they do where r is undefined."""

from functools import cache

import dask
import numpy as np
import pytest
import xarray as xr
from scipy import stats

import supersample as ss
from supersample import DegenerateScoreWarning, InputError
from supersample.comparisons.correlations.by_formula import bases_of
from supersample.comparisons.scopes import compare_over_groups
from supersample.inference.one_correlation import interval_of_r

EXAMPLE = ss.load_example()
METHODS = ("zou2007", "williams1959")


@cache
def hybrids():
    return ss.hybrid_supersample(EXAMPLE, n=400, seed=1)


def small(*metrics, human=None, systems=6, **options):
    """Scores of two segments each; a metric is given by its system means."""
    human = np.arange(systems) ** 1.5 if human is None else np.asarray(human, float)
    both = np.stack([human, *np.asarray(metrics, float)])[..., np.newaxis] + [-0.25, 0.25]
    return ss.make_scores(
        both[0],
        both[1:],
        systems=[f"s{i}" for i in range(systems)],
        metrics=[f"m{i}" for i in range(len(metrics))],
        **options,
    )


GOOD = [1, 3, 2, 4, 6, 5]
POOR = [3, 1, 2, 6, 4, 5]


def test_r_is_pearson_over_hybrids_and_over_systems():
    r = ss.correlations.correlate(hybrids())
    assert list(r["basis"].values) == ["hybrids", "systems"]
    assert r["n"].values.ravel().tolist() == [400, 12]
    sign = np.where(EXAMPLE["higher_is_better"], 1, -1)
    for basis, human, score in (
        ("hybrids", hybrids()["human"], hybrids()["score"]),
        ("systems", hybrids()["system_human"], hybrids()["system_score"]),
    ):
        expected = [stats.pearsonr(human, own).statistic for own in score.values.T] * sign
        np.testing.assert_allclose(r["value"].sel(basis=basis).squeeze(), expected, atol=1e-12)
        between = np.corrcoef(score.values.T) * np.outer(sign, sign)
        np.testing.assert_allclose(r["metric_r"].sel(basis=basis).squeeze(), between, atol=1e-12)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_limits_are_robust_over_systems_and_fishers_over_hybrids(level):
    r = ss.correlations.correlate(hybrids(), confidence_level=level)
    own = r.sel(basis="hybrids")
    margin = stats.norm.ppf((1 + level) / 2) / np.sqrt(400 - 3)
    np.testing.assert_allclose(own["lower"], np.tanh(np.arctanh(own["value"]) - margin))
    np.testing.assert_allclose(own["upper"], np.tanh(np.arctanh(own["value"]) + margin))
    [systems] = bases_of(hybrids(), ["systems"])
    limits = interval_of_r(systems.scores, confidence_level=level)
    np.testing.assert_allclose(
        r[["lower", "upper"]].sel(basis="systems").squeeze().to_array(), limits
    )
    assert r.attrs["interval"] == "fisher-jackknife; over hybrids Fisher"


def test_correlations_of_another_level_are_refused():
    given = ss.correlations.correlate(hybrids(), confidence_level=0.8)
    found = ss.correlations.compare_correlations(given, confidence_level=0.8)
    np.testing.assert_array_equal(found["lower"], given["lower"])
    with pytest.raises(ss.InputError, match=r"limits of the level 0\.8, not 0\.95; compute"):
        ss.correlations.compare_correlations(given)


def test_scores_give_what_the_original_systems_of_a_sample_give():
    alone = ss.correlations.compare_correlations(EXAMPLE)
    assert list(alone["basis"].values) == ["systems"]
    beside = ss.correlations.compare_correlations(hybrids()).sel(basis=["systems"])
    xr.testing.assert_allclose(alone.drop_vars("identical"), beside.drop_vars("identical"))


def test_a_lazy_sample_gives_the_same():
    lazy = ss.hybrid_supersample(EXAMPLE, n=400, seed=1, chunks=64)
    assert dask.is_dask_collection(lazy["score"].data)
    with dask.config.set(scheduler="synchronous"):
        for method in METHODS:
            xr.testing.assert_identical(
                ss.correlations.compare_correlations(lazy, method=method),
                ss.correlations.compare_correlations(hybrids(), method=method),
            )


@pytest.mark.parametrize("method", METHODS)
def test_what_correlate_gave_may_be_compared(method):
    xr.testing.assert_identical(
        ss.correlations.compare_correlations(ss.correlations.correlate(hybrids()), method=method),
        ss.correlations.compare_correlations(hybrids(), method=method),
    )


def test_lower_is_better_turns_the_sign_of_r_and_nothing_else():
    higher = ss.correlations.correlate(small(GOOD, POOR))
    lower = ss.correlations.correlate(small(GOOD, POOR, higher_is_better=[True, False]))
    np.testing.assert_array_equal(lower["value"].values, higher["value"].values * [1, -1])
    np.testing.assert_array_equal(
        lower["metric_r"][0, 0, 0, 0], higher["metric_r"][0, 0, 0, 0] * [1, -1]
    )
    np.testing.assert_array_equal(
        lower["metric_r"][0, 0, 0, 1], higher["metric_r"][0, 0, 0, 1] * [-1, 1]
    )


def test_lower_is_better_human_scores_turn_every_sign():
    higher = ss.correlations.correlate(small(GOOD, POOR))
    with pytest.warns(ss.OrientationWarning, match="clearly negative r over the 6 systems: m0 "):
        lower = ss.correlations.correlate(small(GOOD, POOR, human_higher_is_better=False))
    np.testing.assert_array_equal(lower["value"], -higher["value"])
    np.testing.assert_array_equal(lower["metric_r"], higher["metric_r"])


@pytest.mark.parametrize("method", METHODS)
def test_comparisons_are_antisymmetric(method):
    d = ss.correlations.compare_correlations(hybrids(), method=method)
    turned = (..., "other_metric", "metric")

    def back(name):
        return d[name].transpose(*turned).values

    np.testing.assert_array_equal(d["difference"], -back("difference"))
    np.testing.assert_array_equal(d["significant"], back("significant"))
    if method == "zou2007":
        np.testing.assert_allclose(d["difference_lower"], -back("difference_upper"), atol=1e-12)
        inside = d["difference_lower"] <= d["difference"]
        assert (inside & (d["difference"] <= d["difference_upper"])).all()
    else:
        np.testing.assert_allclose(d["statistic"], -back("statistic"), atol=1e-9)
        np.testing.assert_allclose(d["p_value"], back("p_value"), atol=1e-12)


def test_significant_means_what_the_method_says():
    zou = ss.correlations.compare_correlations(hybrids())
    excluded = (zou["difference_lower"] > 0) | (zou["difference_upper"] < 0)
    xr.testing.assert_equal(zou["significant"], excluded)
    williams = ss.correlations.compare_correlations(
        hybrids(), method="williams1959", confidence_level=0.9
    )
    np.testing.assert_array_equal(williams["significant"], williams["p_value"] < 0.1)
    assert 0 < zou["significant"].sum() < zou["significant"].size


# Zou (2007), p. 409: r12 = .396, r13 = .179, r23 = .088, n = 66 gives (-.093, .517).
def test_the_published_interval_comes_through_the_verb():
    matrix = np.array([[1, 0.396, 0.179], [0.396, 1, 0.088], [0.179, 0.088, 1]])
    drawn = np.random.default_rng(0).normal(size=(66, 3))
    drawn -= drawn.mean(0)
    white = drawn @ np.linalg.inv(np.linalg.cholesky(drawn.T @ drawn / 66)).T
    human, a, b = (white @ np.linalg.cholesky(matrix).T).T
    d = ss.correlations.compare_correlations(small(a, b, human=human, systems=66))
    pair = d.isel(basis=0, metric=0, other_metric=1)
    assert pair["difference"].item() == pytest.approx(0.396 - 0.179)
    assert pair["difference_lower"].item() == pytest.approx(-0.093, abs=5e-4)
    assert pair["difference_upper"].item() == pytest.approx(0.517, abs=5e-4)


@pytest.mark.parametrize("method", METHODS)
def test_identical_metrics_do_not_differ(method):
    scores = small(GOOD, POOR, GOOD, np.negative(GOOD), higher_is_better=[True] * 3 + [False])
    sample = ss.hybrid_supersample(scores, n=200)
    d = ss.correlations.compare_correlations(sample, method=method)
    same = np.array([[1, 0, 1, 1], [0, 1, 0, 0], [1, 0, 1, 1], [1, 0, 1, 1]], dtype=bool)
    np.testing.assert_array_equal(d["identical"][0], same)
    assert (d["difference"].values[..., same] == 0).all()
    assert not d["significant"].values[..., same].any()
    if method == "zou2007":
        assert (d["difference_lower"].values[..., same] == 0).all()
        assert (d["difference_upper"].values[..., same] == 0).all()
    else:
        assert (d["statistic"].values[..., same] == 0).all()
        assert (d["p_value"].values[..., same] == 1).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [100.0, 0.1, 7.3])
def test_a_metric_in_other_units_does_not_differ(method, factor):
    scores = small(GOOD, np.array(GOOD) * factor + 3, POOR)
    d = ss.correlations.compare_correlations(ss.hybrid_supersample(scores, n=300), method=method)
    assert not d["significant"].values[..., 0, 1].any()


def test_a_metric_that_does_not_vary_is_named_and_breaks_nothing():
    flat = np.full(6, 7.0)
    with pytest.warns(DegenerateScoreWarning) as caught:
        d = ss.correlations.compare_correlations(small(GOOD, flat, POOR))
    assert [str(w.message) for w in caught] == [
        "no variance, or a missing score, over the systems: r is NaN for m1"
    ]
    without = ss.correlations.compare_correlations(small(GOOD, POOR)).assign_coords(
        metric=["m0", "m2"], other_metric=["m0", "m2"]
    )
    rest = ["m0", "m2"]
    for name in ("value", "lower", "difference", "difference_lower", "significant"):
        chosen = {dim: rest for dim in ("metric", "other_metric") if dim in d[name].dims}
        xr.testing.assert_allclose(d[name].sel(chosen), without[name])
    own = d.sel(metric="m1", basis="systems")
    for name in ("value", "lower", "upper"):
        assert np.isnan(own[name])
    for name in ("difference", "difference_lower", "difference_upper"):
        assert np.isnan(own[name]).all()
    assert not own["significant"].any()


def test_a_metric_without_scores_for_one_system_has_no_r_over_systems():
    scores = small(GOOD, POOR)
    scores["score"][1, 2] = np.nan
    with pytest.warns(DegenerateScoreWarning, match="over the systems: r is NaN for m1"):
        r = ss.correlations.correlate(scores)
    assert np.isnan(r["value"].sel(metric="m1").item())
    assert r["value"].sel(metric="m0").item() > 0.5


@pytest.mark.parametrize("method", METHODS)
def test_human_scores_that_do_not_vary_leave_every_r_undefined(method):
    with pytest.warns(DegenerateScoreWarning, match="human scores do not vary over the systems"):
        d = ss.correlations.compare_correlations(small(GOOD, POOR, human=np.ones(6)), method=method)
    assert d["value"].isnull().all()
    assert not d["significant"].any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("systems", [2, 3])
def test_fewer_than_four_systems_have_an_r_but_no_interval(method, systems):
    scores = small(GOOD[:systems], POOR[:systems], systems=systems)
    d = ss.correlations.compare_correlations(ss.hybrid_supersample(scores, n=50), method=method)
    own, limits = d.sel(basis="systems"), ["lower", "upper"]
    limits += ["difference_lower"] if method == "zou2007" else ["p_value"]
    assert own["value"].notnull().all()
    assert own[limits].isnull().all().to_array().all()
    assert not own["significant"].any()
    assert d.sel(basis="hybrids")["lower"].notnull().all()


def test_what_is_neither_sample_nor_scores_is_refused():
    with pytest.raises(InputError, match="a sample of hybrid_supersample, Scores"):
        ss.correlations.correlate(xr.Dataset())
    with pytest.raises(
        InputError,
        match=r"no method 'steiger': did you mean 'steiger1980'\? .*williams1959, .*zou2007",
    ):
        ss.correlations.compare_correlations(hybrids(), method="steiger")


def test_signatures_say_how_the_result_was_made():
    facts = dict(
        part.split(":", 1)
        for part in ss.correlations.compare_correlations(hybrids()).attrs["signature"].split("|")
    )
    assert facts["statistic"] == "difference of pearson"
    assert facts["method"] == "zou2007"
    assert facts["n"] == "400 hybrids, 12 systems"
    assert facts["design"] == "PairHybrids(balanced,0.5,segment)"
    assert facts["seed"] == "1"
    assert facts["mask"] == "common 463/500"
    assert facts["source"] == "embedded example"


def _reversed_metric():
    """Nine metrics that agree with people, and one whose scores are errors, not declared so."""
    scores = ss.load_example()
    return scores.assign(higher_is_better=("metric", np.ones(8, dtype=bool)))


@pytest.mark.parametrize(
    "verb",
    [
        ss.correlations.correlate,
        ss.correlations.compare_correlations,
        lambda s: ss.agreement(s, ["pearson", "SPA", "pdp"]),
        lambda s: ss.compare(s, ["PA", "pearson"], resamples=9),
        lambda s: ss.compare(s, random="systems", method="bca", resamples=9),
        lambda s: compare_over_groups(s.isel(segment=slice(200)), by="document", n=None),
        lambda s: ss.correlations.stream_correlations(s, n=100),
    ],
)
def test_a_metric_that_points_the_wrong_way_is_warned_of(verb):
    pattern = (
        r"^clearly negative r over the 12 systems: errors-85 \(r = -0\.\d+\); if it counts errors"
    )
    with pytest.warns(ss.OrientationWarning, match=pattern) as found:
        verb(_reversed_metric())
    assert len(found) == 1


def test_no_basis_is_refused():
    with pytest.raises(ss.InputError, match="name at least one basis, such as systems"):
        ss.correlations.correlate(ss.load_example(), bases=[])


def test_what_is_not_clear_is_not_warned_of():
    scores = ss.make_system_scores([1, 2, 3], [[3, 2, 1]], systems=list("abc"), metrics=["m"])
    assert ss.correlations.correlate(scores)["value"].item() == pytest.approx(-1)
