"""Measures of translations: what counts, ties that are calibrated, memory, refusals."""

import tracemalloc

import numpy as np
import pytest

import supersample as ss
from supersample.engine.bootstrap import bootstrap_counts
from supersample.inference.translations_and_ties import (
    PEARSON,
    Flat,
    calibrated_threshold,
    weighted_values,
)
from supersample.measures.registry import as_measure
from supersample.measures.segments import TranslationMeasure
from supersample.resampling import Weights
from tests.toy_scores import lattice, oriented


def test_pdp_is_the_correlation_of_the_pooled_covariance():
    scores = lattice(gaps=0, segments=30, constant=False).isel(segment=slice(2, None))
    human, metrics, _ = oriented(scores)
    pooled = sum(np.cov([human[:, s], *metrics[:, :, s]]) for s in range(human.shape[1]))
    r = pooled[0, 1:] / np.sqrt(pooled[0, 0] * np.diag(pooled)[1:])
    found = ss.agreement(scores, "pdp")["value"].squeeze()
    np.testing.assert_allclose(found, r, atol=1e-12, rtol=0)
    mixed = ss.exact_hybrid_correlations(scores, design=ss.MixHybrids())
    np.testing.assert_allclose(mixed["r"], found, atol=1e-12, rtol=0)


def test_masks_say_which_translations_count():
    scores = lattice()
    everything = ss.agreement(scores, "acc_23")
    assert "scored by every metric" in everything.attrs["mask"]
    assert everything["translations"].item() == oriented(scores)[2].sum()
    full = lattice(gaps=0, segments=12)
    common, whole = ss.agreement(full, "acc_23", mask="common"), ss.agreement(full, "acc_23")
    assert common["segments"].item() == 10
    assert common.attrs["mask"] == "common 10/12"
    assert whole["segments"].item() == 11  # with the one rated for two systems
    assert (whole["value"] != common["value"]).any()


def test_groups_of_too_few_are_left_out_and_those_without_a_value_named():
    scores = lattice(domain=list("aaaabbbcc"), constant=False)
    scores["human"][1:, 4:7] = np.nan  # one rating of each segment of b
    found = ss.agreement(scores, ["acc_23", "pearson/none"], by="domain")
    assert found["group"].to_numpy().tolist() == ["average", "a", "c"]
    assert found.attrs["groups_left_out"] == "b"
    assert found["threshold"].sel(group="average").isnull().all()
    compared = ss.compare(scores, "acc_23", by="domain", resamples=9)
    assert compared.attrs["groups_left_out"] == "b"
    with pytest.raises(
        ss.InputError, match="no domain has two segments, one of them with two transl"
    ):
        ss.agreement(scores.isel(segment=[1, 4, 5, 7]), "acc_23", by="domain")
    flat = lattice(gaps=0, domain=list("aaaaabbbb"), constant=False)
    flat["score"].loc[{"metric": "fine", "segment": flat["segment"][:5]}] = 1.0
    for random in (None, "segments"):
        with pytest.warns(ss.DegenerateScoreWarning, match="no pdp/item of fine in a, so its"):
            found = ss.compare(flat, "pdp", by="domain", random=random, resamples=9)
        undefined = found["value"].sel(metric="fine").isnull()
        assert undefined.values.ravel().tolist() == [True, True, False]


@pytest.mark.parametrize("grouping", ["none", "system"])
def test_pearson_by_sums_over_units_is_that_of_each_translation(grouping):
    scores = lattice(gaps=0.1, segments=60, constant=False)
    scores["score"][0, :, 3] += 1e7  # where it is not drawn, the others differ by little
    measure = as_measure(f"pearson/{grouping}")
    prepared = measure.prepare(measure.select(scores, "all", complete=False), 0)
    flat = prepared.by(grouping)
    unit_of = np.arange(60) // 4
    counts = bootstrap_counts(15, seed=0, replicates=np.arange(40, dtype=np.uint64))
    found = measure.on(prepared).resampled(Weights(None, counts, unit_of))
    groups = np.ones((40, flat.sizes.size))
    for k, metric in enumerate(flat.metrics):
        how = counts, unit_of[flat.segments], groups, 0.0
        r = weighted_values(PEARSON, flat.human, metric, flat.starts, *how)
        np.testing.assert_allclose(found[:, k], r, rtol=0, atol=1e-10)


def test_calibration_holds_four_arrays_at_once():
    rng = np.random.default_rng(0)
    human = rng.normal(size=700)
    metric = human + rng.normal(size=700) / 100
    count = human.size
    starts, zeros = np.array([0, count]), np.zeros(count, np.int64)
    flat = Flat(human, metric[np.newaxis], starts, np.arange(count), zeros)
    calibrated_threshold(flat, 0)
    tracemalloc.start()
    calibrated_threshold(flat, 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4.1 * 8 * flat.pairs.sum()


@pytest.mark.parametrize(
    ("statistic", "options", "message"),
    [
        ("nonsense", {}, "no segment-level statistic 'nonsense'"),
        ("acc_eq", {"grouping": "rows"}, "no grouping 'rows'"),
        ("pdp", {"grouping": "system"}, "pairs within a segment"),
    ],
)
def test_options_that_there_are_not_are_refused(statistic, options, message):
    with pytest.raises(ss.InputError, match=message):
        TranslationMeasure(statistic, **options)


def test_too_few_translations_are_refused():
    scores = lattice()
    with pytest.raises(ss.InputError, match="at least 2 systems"):
        ss.agreement(scores.isel(system=[0]), "pdp")
    scores["score"][1, 1:] = np.nan
    with pytest.raises(ss.InputError, match="leave out the metric fine"):
        ss.agreement(scores, "pdp")
