"""Statistics of segments against double loops, on scores with gaps, ties and constants."""

import tracemalloc

import numpy as np
import pytest
from supersample.segments.statistics import KINDS

import supersample as ss
from supersample.inference.segments.statistics import Flat, calibrated_threshold
from tests.segments.brute_force import calibrated, statistic

STATISTICS = [f"{name}/{grouping}" for name, kind in KINDS.items() for grouping in kind.groupings]


def scores(systems=6, segments=9, seed=0, gaps=0.2, values=5, **options):
    """Scores on a lattice, so that many tie, with gaps, a constant metric, and a lone rating."""
    rng = np.random.default_rng(seed)
    human = rng.integers(0, values, (systems, segments)).astype(float)
    metric = human + rng.integers(-2, 3, human.shape) / 2
    fine = human + rng.normal(size=human.shape)
    human[rng.random(human.shape) < gaps] = np.nan
    human[:, 0] = np.nan
    human[2:, 1] = np.nan  # rated for two systems only
    human[:2, 1] = 0.0, 3.0
    if gaps:
        human[1:, 2], human[0, 2] = np.nan, 1.0  # one rating
        metric[2, 4] = np.nan
    constant = np.full(human.shape, 0.1)
    return ss.make_scores(
        human,
        np.stack([metric, fine, constant, -fine]),
        systems=[f"s{i}" for i in range(systems)],
        metrics=["lattice", "fine", "constant", "error"],
        higher_is_better=[True, True, True, False],
        **options,
    )


def arrays(data):
    human, metrics = data["human"].to_numpy(), data["score"].to_numpy()
    keep = ~np.isnan(human) & ~np.isnan(metrics).any(axis=0)
    return human, metrics * np.array([1, 1, 1, -1])[:, None, None], keep


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", STATISTICS)
def test_equals_a_double_loop(name, seed):
    kind, grouping = name.split("/")
    data = scores(seed=seed, systems=7 if seed else 6)
    chosen = ss.SegmentStatistic(kind, grouping, 2.0)
    found = ss.segment_agreement(data, chosen).sel(measure=name)
    human, metrics, keep = arrays(data)
    for k, metric in enumerate(metrics):
        threshold, plain = {"kendall_like": 2.0}.get(kind, 0.0), kind
        if kind.endswith("_eq"):
            _, threshold = calibrated(human, metric, keep, grouping)
            plain = kind.replace("_eq", "_23")
        with np.errstate(invalid="ignore"):
            constant = kind == "pdp" and np.ptp(metric[keep]) == 0
            value, undefined = (
                (np.nan, None)
                if constant
                else statistic(plain, human, metric, keep, grouping, threshold)
            )
        assert found["value"][k].item() == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert found["threshold"][k].item() == threshold
        if undefined is not None:
            assert found["undefined_groups"][k].item() == undefined


def test_many_translations_are_counted_like_few():
    # groups of more than 32 translations are counted by order statistics
    data = scores(systems=3, segments=46, seed=3)
    human, metrics, keep = arrays(data)
    with pytest.warns(ss.DegenerateScoreWarning, match="no kendall_like/none of lattice, fine, "):
        found = ss.segment_agreement(data, ["tau_b/none", "acc_eq/system", "kendall_like/none"])
    for k in (0, 1):
        assert keep.sum(axis=1).min() > 32
        value, _ = statistic("tau_b", human, metrics[k], keep, "none")
        assert found["value"][0, k].item() == pytest.approx(value, abs=1e-12)
        best, threshold = calibrated(human, metrics[k], keep, "system")
        assert found["value"][1, k].item() == pytest.approx(best, abs=1e-12)
        assert found["threshold"][1, k].item() == threshold


def test_pdp_is_the_correlation_of_the_pooled_covariance():
    data = scores(gaps=0, segments=30)
    human, metrics, _ = arrays(data)
    human, metrics = human[:, 2:], metrics[:, :, 2:]
    pooled = sum(np.cov([human[:, s], *metrics[:, :, s]]) for s in range(human.shape[1]))
    r = pooled[0, 1:3] / np.sqrt(pooled[0, 0] * np.diag(pooled)[1:3])
    found = ss.segment_agreement(data.isel(segment=slice(2, None)), "pdp")["value"][0]
    np.testing.assert_allclose(found[:2], r, atol=1e-12, rtol=0)
    mixed = ss.exact_hybrid_correlations(data.isel(segment=slice(2, None)), design=ss.MixHybrids())
    np.testing.assert_allclose(mixed["r"], found, atol=1e-12, rtol=0)


def test_masks_say_which_translations_count():
    data = scores()
    everything = ss.segment_agreement(data, "acc_23")
    assert "scored by every metric" in everything.attrs["mask"]
    assert int(everything["translations"]) == arrays(data)[2].sum()
    full = scores(gaps=0, segments=12)
    common = ss.segment_agreement(full, "acc_23", mask="common")
    assert int(common["segments"]) == 10
    assert common.attrs["mask"] == "common 10/12"
    whole = ss.segment_agreement(full, "acc_23")
    assert int(whole["segments"]) == 11  # with the one rated for two systems
    assert (whole["value"] != common["value"]).any()


def test_groups_and_their_average():
    data = scores(domain=list("aaaaabbbb"))
    parts = ss.segment_agreement(data, ["acc_eq", "pearson/none"], by="domain")
    assert list(parts["group"].to_numpy()) == ["average", "a", "b"]
    alone = ss.segment_agreement(data.isel(segment=slice(5)), ["acc_eq", "pearson/none"])
    np.testing.assert_array_equal(parts["value"].sel(group="a"), alone["value"])
    mean = parts["value"].isel(group=[1, 2]).mean("group", skipna=False)
    np.testing.assert_allclose(parts["value"].sel(group="average"), mean)
    assert parts["threshold"].sel(group="average").isnull().all()
    pairs = ss.segment_agreement({"x": data, "y": scores(seed=5)}, "acc_eq")
    assert "translations of x" in pairs.attrs["signature"]


def test_a_metric_without_a_value_in_one_group_is_named_for_its_average_has_none():
    data = scores(gaps=0, domain=list("aaaaabbbb"))
    data["score"].loc[{"metric": "fine", "segment": data["segment"][:5]}] = 1.0
    with pytest.warns(ss.DegenerateScoreWarning, match="no pdp/item of fine in a, so that its av"):
        found = ss.segment_agreement(data, "pdp", by="domain")["value"].sel(metric="fine")
    assert found.isnull().values.tolist() == [[True, True, False]]


def test_groups_without_two_translations_of_a_segment_are_left_out():
    data = scores(domain=list("aaaabbbcc"))
    human = data["human"].to_numpy().copy()
    human[1:, 4:7] = np.nan  # one rating of each segment of b
    data["human"] = data["human"].dims, human
    found = ss.segment_agreement(data, ["acc_23", "pearson/none"], by="domain")
    assert found["group"].to_numpy().tolist() == ["average", "a", "c"]
    assert found.attrs["groups_left_out"] == "b"
    assert found["value"].sel(metric="fine").notnull().all()
    compared = ss.compare_segments(data, ["acc_23", "pdp"], by="domain", resamples=9)
    assert compared.attrs["groups_left_out"] == "b"
    assert compared["p_value"].sel(metric="fine", other_metric="error").notnull().all()
    lone = data.isel(segment=[1, 4, 5, 7])
    with pytest.raises(ss.InputError, match="no domain has two segments, and of one two transl"):
        ss.segment_agreement(lone, "acc_23", by="domain")


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
    ("options", "message"),
    [
        ({"statistics": "nonsense"}, "no segment-level statistic 'nonsense'"),
        ({"statistics": "acc_eq/rows"}, "no grouping 'rows'"),
        ({"statistics": "pdp/system"}, "pairs within a segment"),
        ({"statistics": []}, "each once"),
        ({"statistics": ["acc_eq", "acc_eq/item"]}, "each once"),
        ({"mask": "some"}, "no mask 'some'"),
        ({"by": "domain"}, "name no domains"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.segment_agreement(scores(), **{"statistics": "acc_eq", **options})
    with pytest.raises(ss.InputError, match="above 0"):
        ss.SegmentStatistic("kendall_like", human_threshold=0)


def test_too_few_translations_are_refused():
    data = scores()
    with pytest.raises(ss.InputError, match="at least 2 systems"):
        ss.segment_agreement(data.isel(system=[0]))
    lone = data.copy(deep=True)
    lone["score"][1, 1:] = np.nan
    with pytest.raises(ss.InputError, match="leave out the metric fine"):
        ss.segment_agreement(lone)
