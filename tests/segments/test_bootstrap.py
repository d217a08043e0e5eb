"""Bootstrap of agreement on segments against data that are drawn and computed anew."""

import numpy as np
import pytest
from scipy import stats
from supersample.segments.agreement import compute
from supersample.segments.bootstrap import _draws, _replicates
from supersample.segments.inputs import groups_of

import supersample as ss
from supersample.engine.resamples import bootstrap_counts
from supersample.inference.segments.statistics import TAU_C, weighted_values
from tests.segments.test_agreement import scores

UNITS = {"segment": 8, "document": 3, "system": 5}


def data():
    return scores(systems=5, segments=9, seed=4, document=list("aaabbbccc"))


def replicates_of(groups, statistic, unit, resamples, threads=1):
    """Statistic and replicates of a single group."""
    [part] = groups.of.values()
    found = compute(part, statistic)
    [draws] = _draws(groups, [found], unit, part.seed)
    return found, _replicates(statistic, found, draws, resamples, threads)


def drawn_anew(part, statistic, thresholds, unit, counts):
    """Value on Scores with each unit repeated as drawn; pairs of copies left out by labels."""
    if unit == "system":
        labels = np.arange(part.keep.shape[0])
    else:
        labels = part.scores["document"].to_numpy() if unit == "document" else np.arange(9)
        used = part.keep.any(axis=0)
        labels = np.where(used, np.unique(labels, return_inverse=True)[1], -1)
    kept = np.unique(labels[labels >= 0])
    repeats = np.array([counts[np.searchsorted(kept, x)] if x >= 0 else 0 for x in labels])
    at = np.repeat(np.arange(labels.size), repeats.astype(int))
    axis = 0 if unit == "system" else 1
    again = part._replace(
        human=np.take(part.human, at, axis=axis),
        metrics=np.take(part.metrics, at, axis=axis + 1),
        keep=np.take(part.keep, at, axis=axis),
    )
    return compute(again, statistic, thresholds).values


@pytest.mark.parametrize("unit", ["segment", "document", "system"])
@pytest.mark.parametrize(
    "name", ["pearson/item", "pearson/none", "pearson/system", "pdp", "spearman/none"]
)
def test_weights_are_copies(name, unit):
    statistic = ss.SegmentStatistic.parse(name)
    groups = groups_of(data(), mask="all", by=None)
    [part] = groups.of.values()
    found, replicates = replicates_of(groups, statistic, unit, 4, 2)
    numbers = np.arange(4, dtype=np.uint64)
    counts = bootstrap_counts(
        UNITS[unit], seed=0, replicates=numbers, purpose=f"bootstrap of {unit}s"
    )
    for row, values in zip(counts, replicates.drawn, strict=True):
        expected = drawn_anew(part, statistic, found.thresholds, unit, row)
        np.testing.assert_allclose(values, expected, atol=1e-12)


def test_copies_form_no_pair():
    statistic = ss.SegmentStatistic("acc_23", "item")
    full = scores(systems=4, segments=6, gaps=0).isel(segment=slice(2, None))
    groups = groups_of(full, mask="all", by=None)
    [part] = groups.of.values()
    _, replicates = replicates_of(groups, statistic, "system", 6)
    numbers = np.arange(6, dtype=np.uint64)
    counts = bootstrap_counts(4, seed=0, replicates=numbers, purpose="bootstrap of systems")
    first, second = np.triu_indices(4, 1)
    for row, values in zip(counts, replicates.drawn, strict=True):
        weights = row[first] * row[second]
        for k, metric in enumerate(part.metrics):
            right = np.sign(metric[first] - metric[second]) == np.sign(
                part.human[first] - part.human[second]
            )
            expected = (weights @ right / weights.sum()).mean()
            assert values[k] == pytest.approx(expected, abs=1e-12)


def test_left_out_units_are_left_out():
    full = data()
    groups = groups_of(full, mask="all", by=None)
    _, replicates = replicates_of(groups, ss.SegmentStatistic("pdp"), "segment", 1)
    left_out = replicates.left_out
    rest = full.isel(segment=[i for i in range(9) if i != 1])
    np.testing.assert_allclose(left_out[0], ss.segment_agreement(rest, "pdp")["value"][0])


def test_intervals_and_ranking():
    example = ss.load_example()
    found = ss.bootstrap_segments(example, ["pdp", "acc_eq"], resamples=299)
    assert ((found["lower"] < found["value"]) & (found["value"] < found["upper"])).all()
    pair = {"metric": "strong-95", "other_metric": "weak-40"}
    assert found["significant"].sel(pair).all()
    turned = found["difference_lower"].sel(metric="weak-40", other_metric="strong-95")
    np.testing.assert_array_equal(turned, -found["difference_upper"].sel(pair))
    assert ss.rank(found)["metric"].to_numpy()[0] == "strong-95"
    percentile = ss.bootstrap_segments(example, "pdp", method="bca", resamples=299)
    assert abs(percentile["lower"] - found["lower"]).max() < 0.02
    again = ss.bootstrap_segments(example, "pdp", resamples=299, workers=ss.Workers("threads", 3))
    np.testing.assert_array_equal(again["lower"][0], found["lower"][0])


@pytest.mark.parametrize("name", ["pdp", "acc_23"])
def test_students_interval_lies_on_fishers_scale(name):
    groups = groups_of(data(), mask="all", by=None)
    found, replicates = replicates_of(groups, ss.SegmentStatistic.parse(name), "segment", 99)
    lower, upper = replicates.of_values("student", 0.9)
    # An accuracy a is as the correlation 2 a - 1, the share of right pairs less that of wrong ones.
    lowest = 0 if name == "acc_23" else -1
    as_r = [(2 * x - 1 - lowest) / (1 - lowest) for x in (lower, found.values, upper)]
    z = np.arctanh(as_r)
    drawn = np.arctanh((2 * replicates.drawn - 1 - lowest) / (1 - lowest))
    arm = stats.t.ppf(0.95, 7) * drawn.std(axis=0, ddof=1) * np.sqrt(8 / 7)
    np.testing.assert_allclose(z[1] - z[0], arm)
    np.testing.assert_allclose(z[2] - z[1], arm)


def test_of_systems_drawn_percentiles_are_the_default():
    # draws of two systems alone have r of 1 or -1, which have no standard deviation as z
    found = ss.bootstrap_segments(data(), "pearson/item", unit="system", resamples=99)
    assert found.attrs["method"] == "bootstrap-percentile over systems"
    assert (found["upper"] - found["lower"]).max() < 1.9


@pytest.mark.parametrize("method", ["student", "percentile", "bca"])
def test_copies_of_a_metric_do_not_differ_by_rounding(method):
    full = ss.load_example().isel(segment=slice(40), metric=[0, 0, 1])
    copies = full.assign_coords(metric=["a", "copy", "b"]).copy(deep=True)
    copies["score"][1] = copies["score"][0] / 3 + 7
    found = ss.bootstrap_segments(copies, "pearson/item", method=method, resamples=199)
    a, copy = {"metric": "a", "other_metric": "copy"}, {"metric": "copy", "other_metric": "a"}
    assert found["identical"].sel(a)
    assert not found["significant"].sel(a).any()
    assert not found["significant"].sel(copy).any()


def test_a_perfect_metric_has_an_interval_at_one():
    perfect = data()
    perfect["score"][0] = perfect["human"]
    found = ss.bootstrap_segments(perfect, "pdp", resamples=19).isel(measure=0, metric=0)
    assert [float(found[name]) for name in ("lower", "upper")] == pytest.approx([1, 1], abs=1e-12)


def test_groups_are_drawn_apart():
    both = {"x": scores(seed=1, segments=20), "y": scores(seed=2, segments=20)}
    found = ss.bootstrap_segments(both, "pdp", resamples=99).isel(measure=0)
    width = (found["upper"] - found["lower"]).sel(metric="fine").to_numpy()
    assert width[0] < width[1:].max()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "word"}, "no unit of the bootstrap 'word'"),
        ({"unit": "document"}, "name no documents"),
        ({"method": "basic"}, "no bootstrap method"),
        ({"resamples": 0}, "at least one resample"),
        ({"confidence_level": 1.0}, "confidence level"),
        ({"workers": "processes"}, "takes threads"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ss.InputError, match=message):
        ss.bootstrap_segments(scores(), "pdp", **options)


def test_few_units_have_no_interval():
    with pytest.warns(UserWarning, match="fewer than 4 documents: there are 3"):
        found = ss.bootstrap_segments(data(), "pdp", unit="document", resamples=9)
    assert found["lower"].isnull().all()
    assert not found["significant"].any()


def test_groups_of_few_units_have_no_interval_nor_has_their_average():
    example = ss.load_example()
    options = {"by": "document", "resamples": 19}
    with pytest.warns(UserWarning, match="document-01 has 1, .* so the average has none"):
        alone = ss.bootstrap_segments(example, "pdp", unit="document", **options)
    for name in ("lower", "upper"):
        assert alone[name].isnull().all()
    assert not alone["significant"].any()
    two = scores(segments=20, gaps=0, domain=["a", "a", "a", "b", *"bbbbbbbbbbbbbbbb"])
    with pytest.warns(UserWarning, match="fewer than 4 segments: a has 2; so the average"):
        found = ss.bootstrap_segments(two, "pdp", by="domain", resamples=19)
    empty = found["lower"].sel(metric=["lattice", "fine"]).isnull().all(["measure", "metric"])
    assert dict(zip(found["group"].values.tolist(), empty.values.tolist(), strict=True)) == {
        "average": True,
        "a": True,
        "b": False,
    }


def test_systems_that_groups_share_are_drawn_once():
    # two domains with the same scores: their average is each of them, replicate by replicate
    half = scores(segments=9, gaps=0, systems=8)
    human, metrics = half["human"].to_numpy(), half["score"].to_numpy()
    twice = ss.make_scores(
        np.concatenate([human, human], axis=1),
        np.concatenate([metrics, metrics], axis=2),
        systems=half["system"].to_numpy().tolist(),
        metrics=half["metric"].to_numpy().tolist(),
        higher_is_better=half["higher_is_better"].to_numpy().tolist(),
        domain=["a"] * 9 + ["b"] * 9,
    )
    names = ["lower", "upper", "difference_lower", "difference_upper"]
    options = {"unit": "system", "resamples": 49}
    for method in ("student", "percentile", "bca"):
        found = ss.bootstrap_segments(twice, "pdp", by="domain", method=method, **options)[names]
        for group in ("a", "b"):
            for name, values in found.sel(group=group).data_vars.items():
                np.testing.assert_allclose(values, found[name].sel(group="average"), atol=1e-12)
    # of separate language pairs systems differ, and are drawn apart
    apart = ss.bootstrap_segments({"x": half, "y": half}, "pdp", **options)
    width = (apart["upper"] - apart["lower"]).sel(metric="fine")[0]
    assert (width[1] != width[2]).item()
    assert width[0] < width[1:].max()


@pytest.mark.parametrize("counts", [(3, 1, 1, 1, 0, 0), (2, 2, 1, 1, 0, 0), (1, 1, 1, 1, 1, 1)])
def test_tau_c_leaves_copies_out_of_all_pairs(counts):
    # Stuart's tau_c is (C - D) / pairs times (n - 1) / n * m / (m - 1), of the whole group
    human = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    tied = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 2.0])
    weights = np.array(counts, dtype=float)
    first, second = np.triu_indices(6, 1)
    of_pairs = weights[first] * weights[second]
    for metric, classes in ((human, 6), (tied, 3)):
        [found] = weighted_values(
            TAU_C, human, metric, np.array([0, 6]), weights[None], np.arange(6), 0.0
        )
        signs = np.sign(human[first] - human[second]) * np.sign(metric[first] - metric[second])
        expected = of_pairs @ signs / of_pairs.sum() * 5 / 6 * classes / (classes - 1)
        assert found == pytest.approx(expected, abs=1e-12)
        if metric is human:
            assert found == pytest.approx(1.0, abs=1e-12)
        if min(counts):
            tau = stats.kendalltau(human, metric, variant="c").statistic
            assert found == pytest.approx(tau, abs=1e-12)


def test_documents_of_several_groups_are_drawn_once_for_all():
    parts = scores(systems=5, segments=12, seed=4, document=list("aabbccddeeff"))
    recurring = parts.assign_coords(domain=("segment", list("xyxyxyxyxyxy")))
    apart = parts.assign_coords(domain=("segment", list("xxxxxxyyyyyy")))
    [statistic] = [ss.SegmentStatistic.parse("pdp")]

    def draws_of(data):
        groups = groups_of(data, mask="all", by="domain", seed=3)
        found = [compute(part, statistic) for part in groups.of.values()]
        return _draws(groups, found, "document", 3)

    first, second = draws_of(recurring)
    np.testing.assert_array_equal(first.counts(20), second.counts(20))
    assert first.drawn_from == second.drawn_from == 6
    first, second = draws_of(apart)
    assert not np.array_equal(first.counts(20), second.counts(20))
    assert first.drawn_from == 3


@pytest.mark.parametrize("compare", [ss.bootstrap_segments, ss.compare_segments])
def test_a_group_without_a_value_is_named(compare):
    data = scores(systems=5, segments=12, seed=4, domain=list("xxxxxxyyyyyy"))
    data["human"] = data["human"].where(data["domain"] == "x", 1.0)
    data = data.drop_sel(metric="constant")
    message = r"no pearson/none of .* in y, so that its average is undefined: scores do not"
    with pytest.warns(ss.DegenerateScoreWarning, match=message):
        compare(data, "pearson/none", by="domain", resamples=9)
