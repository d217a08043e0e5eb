"""`ss.rank`: what it takes, and what of it has an effect."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from tests.corpora import mean_as_corpus_metric

SCORES = ss.load_example().isel(metric=slice(3), segment=slice(120))


def test_samples_and_scores_have_one_ranking():
    sample = ss.hybrid_supersample(SCORES, n=200, seed=4)
    found = ss.rank(SCORES, method="dunn1969", n=200, seed=4)
    assert found["basis"].values.tolist() == ["systems", "documents", "hybrids"]
    known = found.sel(basis=["systems", "hybrids"])  # a sample has no documents
    xr.testing.assert_equal(ss.rank(sample, method="dunn1969"), known)
    assert ss.rank(sample, method="dunn1969").attrs == known.attrs
    lazy = ss.hybrid_supersample(SCORES, n=200, seed=4, chunks=100)
    xr.testing.assert_allclose(ss.rank(lazy), ss.rank(sample))


def test_measures_and_groups_are_ranked_too():
    found = ss.rank(SCORES, ["SPA", "pearson"], random="segments", resamples=19, seed=2)
    compared = ss.compare(SCORES, ["SPA", "pearson"], random="segments", resamples=19, seed=2)
    xr.testing.assert_identical(found, ss.rank(compared))
    groups = ss.rank({"x": SCORES, "y": SCORES.isel(system=slice(8))}, n=50)
    assert groups["group"].values.tolist() == ["average", "x", "y"]
    by = ss.rank(SCORES, by="document", n=20)
    assert by.attrs["by"] == "document"


@pytest.mark.parametrize("random", ["systems", "segments"])
def test_r_over_what_is_random_is_the_measure_pearson(random):
    options = {"random": random, "method": "percentile", "resamples": 19}
    xr.testing.assert_identical(ss.rank(SCORES, **options), ss.rank(SCORES, "pearson", **options))
    groups = {"x": SCORES, "y": SCORES.isel(system=slice(8))}
    xr.testing.assert_identical(ss.rank(groups, **options), ss.rank(groups, "pearson", **options))
    of_segments = ss.rank(SCORES, human_mean="segments", mask="all", **options)
    assert of_segments.attrs["human_mean"] == "segments"
    assert of_segments.attrs["mask"].startswith("all")


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (SCORES, {"measure": "SPA", "n": 5}, "by measures does not use n; leave it out"),
        (
            SCORES,
            {"measure": "SPA", "human_mean": "segments"},
            "by measures does not use human_mean",
        ),
        (SCORES, {"by": "document", "method": "zou2007"}, "in groups does not use method"),
        (SCORES, {"random": "systems", "in_at_least": 2}, "by measures does not use in_at_least"),
        (SCORES, {"random": "segments", "n": 50}, "by measures does not use n"),
        (ss.system_level_scores(SCORES), {"n": 5}, "over systems does not use n"),
        (ss.compare(SCORES), {"seed": 1, "mask": "all"}, "a comparison does not use mask, seed"),
    ],
)
def test_options_without_effect_are_refused(data, options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.rank(data, **options)


@pytest.mark.parametrize(
    ("name", "usual"),
    [
        *(("n", 10_000), ("mask", "common"), ("human_mean", "ratings"), ("seed", 0)),
        *(("confidence_level", 0.95), ("workers", "threads")),
    ],
)
def test_an_option_with_its_usual_value_is_refused_too(name, usual):
    at_another_level = ss.compare(SCORES, confidence_level=0.9)
    with pytest.raises(ss.InputError, match=f"of a comparison does not use {name}"):
        ss.rank(at_another_level, **{name: usual})


def test_a_mask_that_is_given_is_used():
    found = ss.rank(SCORES, "acc_eq/item", mask="common")
    compared = ss.compare(SCORES, "acc_eq/item", mask="common")
    assert found["segments"].item() == compared["segments"].item()
    assert found["segments"].item() < ss.rank(SCORES, "acc_eq/item")["segments"].item()


def test_a_formula_refuses_resamples():
    with pytest.raises(ss.InputError, match="fisher-jackknife draws no resamples"):
        ss.rank(SCORES, random="systems", resamples=9)


@pytest.mark.parametrize("options", [{}, {"random": "systems"}, {"method": "williams1959"}])
def test_a_single_set_by_name_is_the_average(options):
    alone = ss.compare(SCORES, **options)
    named = ss.compare({"x": SCORES}, **options)
    for name in ("value", "lower", "upper", "difference", "p_value"):
        for group in ("average", "x"):
            np.testing.assert_array_equal(named[name].sel(group=[group]), alone[name])
    assert ss.rank({"x": SCORES}, "pearson").sizes["group"] == 2
    with pytest.raises(ss.InputError, match="y: Scores are needed, not int"):
        ss.rank({"x": SCORES, "y": 3})


def test_measures_together_conclude_as_alone():
    both = ss.rank(SCORES, ["pearson", "SPA"], resamples=19)
    for measure, options in (("pearson", {}), ("SPA", {"resamples": 19})):
        alone = ss.rank(SCORES, measure, **options)
        own = both.sel(measure=[measure], basis=alone["basis"]).reindex_like(alone["metric"])
        for name in ("p_best", "behind_upper", "may_be_best"):
            np.testing.assert_array_equal(own[name], alone[name])


def test_a_corpus_metric_has_its_conclusions_on_new_texts():
    found = ss.rank(mean_as_corpus_metric(SCORES, "strong-95"), n=100)
    assert "no_new_texts" not in found.attrs
    on_texts = found.sel(basis="documents")
    assert on_texts["p_best"].notnull().all()
    names = ["strong-95", "strong-95 again"]
    np.testing.assert_allclose(*(on_texts["behind_upper"].sel(metric=name) for name in names))
    assert bool(on_texts["identical"].sel(metric=names[0], other_metric=names[1]))


def test_swaps_without_known_texts_conclude_nothing():
    few = SCORES.isel(segment=slice(20))
    assert np.unique(few["document"]).size < 5
    assert ss.rank(few, "SPA", resamples=19)["p_best"].isnull().all()


def test_rankings_in_four_threads_leave_the_warnings_of_the_process_alone():
    scores = ss.load_example()
    names = scores["metric"].values.tolist()

    def ranked(number):
        return ss.rank(ss.keep_metrics(scores, names[: 2 + number % 4]), n=100)

    ranked(0)  # libraries may add filters when they are imported
    before = [*warnings.filters]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ranked, range(8)))
    assert warnings.filters == before
    with pytest.warns(ss.OrientationWarning, match="clearly negative r") as told:
        ss.rank(scores.assign(score=-scores["score"]), n=20)
    assert len(told) == 1


def test_what_is_told_of_the_whole_is_not_told_of_its_parts_again():
    reversed_ones = SCORES.assign(score=-SCORES["score"])
    with pytest.warns(ss.OrientationWarning) as told:
        ss.rank(reversed_ones, n=20)
    assert len(told) == 1


@pytest.mark.parametrize("measure", ["pearson", "MAE"])
@pytest.mark.parametrize("seed", range(20, 26))
def test_the_leader_may_be_behind_exactly_if_another_metric_could_be_the_best(measure, seed):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(16, 1))
    human = quality + 0.3 * rng.normal(size=(16, 60))
    metrics = [
        quality + error * rng.normal(size=(16, 1)) + 0.3 * rng.normal(size=(16, 60))
        for error in (0.05, 0.5, 0.7, 0.9, 1.0)
    ]
    systems, names = [f"system-{i}" for i in range(16)], list("abcde")
    scores = ss.make_scores(human, metrics, systems=systems, metrics=names)
    drawn = {"random": "systems", "resamples": 199} if measure == "MAE" else {}
    found = ss.rank(ss.compare(scores, measure, **drawn)).squeeze("measure")
    others = found["may_be_best"].sum("metric") - found["may_be_best"]
    np.testing.assert_array_equal(found["behind_upper"] > 0, others > 0)
