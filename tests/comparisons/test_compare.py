"""Comparisons of any measures: groups, options, orders, and what is refused."""

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.measures.systems import Correlation
from supersample.results import pairs as pairwise
from tests.toy_scores import lattice, scores_of, small

pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")

EXAMPLE = ss.load_example()
SCORES = scores_of(*small())
MEASURES = ["pearson", "SPA", "PA", "acc_eq", "MAE"]


def test_values_are_those_of_agreement_and_scores_stay_as_they_were():
    given = EXAMPLE.isel(segment=slice(100))
    before = given.copy(deep=True)
    found = ss.agreement(given, MEASURES)
    for options in ({}, {"random": "segments"}):
        compared = ss.compare(given, MEASURES, resamples=9, **options)
        assert (compared["value"] == found["value"].squeeze("basis")).all()
        difference = compared["value"] - compared["value"].rename(metric="other_metric")
        xr.testing.assert_equal(
            compared["difference"],
            difference.reset_coords(drop=True).assign_coords(tested_by=compared["tested_by"]),
        )
    xr.testing.assert_identical(given, before)


@pytest.mark.parametrize("larger", [True, False])
def test_alternatives_mirror_each_other(larger):
    rng = np.random.default_rng(3)
    values, null = rng.normal(size=(1, 3)), rng.normal(size=(1, 99, 3)).round(1)
    values[0, 1] = values[0, 0] + 0.1
    how = {"estimator": "(k+1)/(B+1)", "significance_level": 0.05, "ties": "exact"}
    p = {
        alternative: pairwise.tested(
            values, null, np.array([larger]), alternative=alternative, **how
        )["p_value"][0]
        for alternative in ("two-sided", "greater", "less")
    }
    np.testing.assert_array_equal(p["greater"], p["less"].T)
    np.testing.assert_array_equal(p["two-sided"], p["two-sided"].T)
    assert all((np.diag(each) == 1).all() for each in p.values())
    for k, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        sign, difference = (1 if larger else -1), values[0, i] - values[0, j]
        above = (sign * null[0, :, k] >= sign * difference - 1e-10).sum()
        assert p["greater"][i, j] == (above + 1) / 100
        below = (sign * null[0, :, k] <= sign * difference + 1e-10).sum()
        assert p["less"][i, j] == (below + 1) / 100
        both = (np.abs(null[0, :, k]) >= abs(difference) - 1e-10).sum()
        assert p["two-sided"][i, j] == (both + 1) / 100


def test_estimators_and_adjusted_p_values():
    counted, plain = (
        ss.compare(EXAMPLE, MEASURES[1:4], estimator=estimator, resamples=99)
        for estimator in ("(k+1)/(B+1)", "k/B")
    )
    xr.testing.assert_allclose(counted["p_value"], (99 * plain["p_value"] + 1) / 100)
    assert "|estimator:k/B|" in plain.attrs["signature"]
    for name in ("p_holm",):
        assert (counted[name] >= counted["p_value"]).all()
    off = ~np.eye(8, dtype=bool)
    np.testing.assert_array_equal(counted["significant"], (counted["p_value"] <= 0.05) & off)


def test_the_order_of_metrics_and_systems_changes_nothing():
    human, score = small(metrics=4)
    given = ss.compare(scores_of(human, score), MEASURES, resamples=99)
    order, names = [2, 0, 3, 1, 5, 4], ["m3", "m2", "m1", "m0"]
    turned = scores_of(human[order], score[::-1, order], metrics=names)
    moved = ss.compare(turned, MEASURES, resamples=99)
    moved = moved.sel(metric=names[::-1], other_metric=names[::-1])
    xr.testing.assert_allclose(given["p_value"], moved["p_value"])


def test_groups_are_what_their_segments_give_alone_and_their_mean():
    human, score = small(segments=14)
    scores = scores_of(human, score, domain=["news"] * 8 + ["speech"] * 5 + ["lone"])
    grouped = ss.agreement(scores, MEASURES, by="domain")
    assert list(grouped["group"].values) == ["average", "news", "speech"]
    assert grouped.attrs["groups_left_out"] == "lone"
    for name in ("news", "speech"):
        alone = ss.agreement(scores.isel(segment=scores["domain"] == name), MEASURES)
        np.testing.assert_array_equal(grouped["value"].sel(group=[name]), alone["value"])
    mean = grouped["value"].sel(group=["news", "speech"]).mean("group")
    np.testing.assert_allclose(grouped["value"].sel(group="average"), mean)
    assert (grouped["segments"] == [13, 8, 5]).all()
    assert (grouped["systems"] == [12, 6, 6]).all()
    assert "|by:domain|" in grouped.attrs["signature"]
    assert "6 systems in 2 domains" in grouped.attrs["signature"]
    # identical on average is identical in every group; rank takes comparisons of groups
    half = score.copy()
    half[1, :, :8] = half[0, :, :8]
    compared = ss.compare(scores_of(human, half, domain=["a"] * 8 + ["b"] * 6), "PA", by="domain")
    same = compared["identical"].sel(metric="m0", other_metric="m1")
    assert same.sel(group=["average", "a", "b"]).values.tolist() == [False, True, False]
    order = ss.rank(compared)["value"].sel(group="average", measure="PA")
    assert (np.diff(order) <= 0).all()


def test_sets_are_compared_on_what_is_common():
    human, score = small()
    other_human, other_score = small(seed=5, systems=4)
    pairs = {
        "aa-bb": scores_of(human, score, metrics=["a", "b", "c"]),
        "cc-dd": scores_of(other_human, other_score, metrics=["d", "c", "a"]),
    }
    result = ss.agreement(pairs, ["SPA", "pdp"])
    assert list(result["metric"].values) == ["a", "c"]
    assert list(result["group"].values) == ["average", "aa-bb", "cc-dd"]
    assert result.attrs["metrics_left_out"] == "b (not in all), d (not in all)"
    assert "6 systems of aa-bb, 4 systems of cc-dd" in ss.agreement(pairs, "SPA").attrs["signature"]
    assert "translations of cc-dd" in result.attrs["signature"]
    alone = ss.agreement(pairs["cc-dd"], ["SPA", "pdp"])["value"]
    np.testing.assert_array_equal(result["value"].sel(group=["cc-dd"]), alone[..., [2, 1]])


def test_errors_rank_the_smallest_first_and_depend_on_the_scale():
    found = ss.compare(EXAMPLE.drop_sel(metric="errors-85"), "MAE")
    ranking = ss.rank(found)
    of_mae = ranking["value"].sel(measure="MAE").values
    assert (np.diff(of_mae) >= 0).all()
    np.testing.assert_array_equal(ranking["rank"].squeeze(), np.arange(7) + 1)
    best = {"metric": ranking["metric"].values[0], "other_metric": ranking["metric"].values[-1]}
    assert ranking["wins_over"].sel(measure="MAE", **best)
    assert ranking["p_best"].values.ravel()[0] == 1
    greater = ss.compare(EXAMPLE, "MAE", alternative="greater", resamples=99)["p_value"]
    assert greater.sel(best).item() == 0.01
    twice = EXAMPLE.sel(metric=["good-90"]).assign_coords(metric=["twice"])
    twice["score"] = 2 * twice["score"]
    both = xr.concat([EXAMPLE.sel(metric=["good-90"]), twice], "metric", data_vars="minimal")
    same = [ss.compare(both, name, resamples=9)["identical"] for name in ("MAE", "SPA")]
    assert [bool(each.all()) for each in same] == [False, True]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": []}, "name the measures"),
        ({"measure": ["SPA", "SPA"]}, "each once"),
        ({"measure": ["acc_eq", "acc_eq/item"]}, "each once"),
        ({"measure": "KIT"}, "no measure 'KIT'; there are pearson, spearman"),
        ({"method": "rows"}, "no kind of swap 'rows'; there are inputs"),
        ({"measure": "pearson", "method": "pairs"}, "no kind of swap 'pairs'"),
        ({"measure": "acc_eq", "method": "both"}, "no swaps of both; it allows inputs"),
        ({"measure": "acc_eq/none"}, "no swaps of inputs; draw segments"),
        ({"random": "words"}, "no random unit 'words'; there are systems, segments"),
        ({"random": "documents"}, "have no documents"),
        ({"random": "systems", "method": "normal"}, "no bootstrap method 'normal'"),
        ({"random": "systems", "alternative": "less"}, "intervals are two-sided"),
        ({"alternative": "more"}, "no alternative 'more'"),
        ({"estimator": "k"}, "no estimator 'k'"),
        ({"ties": "half"}, "no rule for ties 'half'"),
        ({"resamples": 0}, "resamples are counted from 1"),
        ({"workers": "processes"}, "compared by threads"),
        ({"confidence_level": 1.0}, "between 0 and 1"),
        ({"mask": "some"}, "no mask 'some'"),
        ({"seed": -1}, "a seed must be an integer"),
        ({"by": "domain"}, "have no domains to group by"),
        ({"by": "system"}, "no label to group by 'system'"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, said):
    with pytest.raises(ss.InputError, match=said):
        ss.compare(SCORES, **{"measure": "SPA", **options})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Correlation(coefficient="phi"), "no coefficient 'phi'; there are pearson"),
        (lambda: ss.agreement(SCORES, Correlation("some")), "no human mean 'some'"),
        (
            lambda: ss.compare(SCORES, "SPA", method="both"),
            "SPA allows no swaps of both; it allows inputs",
        ),
        (
            lambda: ss.measures.register_measure("PA", ss.measures.PairwiseAccuracy),
            "'PA' is already registered",
        ),
        (lambda: ss.agreement(SCORES.isel(system=[0]), "SPA"), "at least 2 systems are needed"),
        (lambda: ss.agreement(SCORES.isel(segment=[0]), "SPA"), "at least 2 segments are needed"),
        (lambda: ss.agreement(ss.system_level_scores(SCORES), "SPA"), "this needs segments"),
        (lambda: ss.compare(ss.system_level_scores(SCORES), random="segments"), "scores of segm"),
    ],
)
def test_measures_that_there_are_not_are_refused(make, said):
    with pytest.raises(ss.InputError, match=said):
        make()


def test_sets_that_do_not_fit_are_refused():
    human, score = small()
    one, gap, unrated = scores_of(human, score), score.copy(), human.copy()
    gap[0, 0], unrated[:, 1:] = np.nan, np.nan
    renamed = scores_of(human, score, metrics=["x", "y", "z"])
    turned = scores_of(human, score, higher_is_better=[True, False, True])
    labelled = scores_of(human, score, document=[str(i) for i in range(14)])
    domains = lattice(domain=list("aabbbbbbb"), gaps=0, constant=False)
    for given, options, said in (
        ({"a": one, "b": renamed}, {}, "no metric is common"),
        ({"a": one, "b": turned}, {}, "'m1' is declared higher-is-better in a, but not in b"),
        ({"a": one}, {"by": "domain"}, "already groups"),
        ({"average": one}, {}, "'average' is the name of the average"),
        ({}, {}, "no Scores to compare"),
        ({"a": one, "b": scores_of(human, gap)}, {}, "b: fewer than two seg.* metrics m0"),
        (scores_of(unrated, score), {}, "only 1 of 14 segments"),
        (labelled, {"by": "document"}, "no document has two complete segments"),
        (domains, {"by": "domain", "measure": ["PA", "pdp"]}, "need different groups"),
    ):
        with pytest.raises(ss.InputError, match=said):
            ss.agreement(given, **{"measure": "PA", **options})


@pytest.mark.parametrize("how", [{"method": "inputs"}, {"random": "documents"}])
def test_one_file_under_four_names_is_one_file(how):
    scores = ss.load_example()
    alone = ss.compare(scores, "SPA", resamples=199, **how)
    four = ss.compare(dict.fromkeys("abcd", scores), "SPA", resamples=199, **how)
    p = four["p_value"].sel(group=["average"])
    if "method" in how:
        np.testing.assert_array_equal(p, alone["p_value"])
    else:  # other draws of the same documents
        np.testing.assert_allclose(p, alone["p_value"], rtol=0, atol=0.08)
