import numpy as np
import pytest
import scipy.stats
import xarray as xr

import supersample as ss
from supersample.comparisons.correlations.declared import declared_intervals
from supersample.comparisons.correlations.evidence import Evidence
from supersample.comparisons.correlations.interval_methods import (
    INTERVAL_PROCEDURES,
    IntervalMethod,
    IntervalProcedure,
    interval_of_r,
    register_interval,
)
from supersample.engine.resamples import bootstrap_counts
from supersample.inference.arguments import Interval
from supersample.inference.resampling.p_values import may_be_best
from supersample.resampling.replicates import _deviations


def infer(scores, interval="projection:systems:observed", **options):
    return declared_intervals(scores, *interval.split(":"), **options)


SMALL = {
    "systems": 7,
    "segments": 40,
    "correlations": {"a": 0.9, "b": 0.6, "c": 0.2},
    "segment_deviation": 1.0,
    "seed": 3,
}


DRAWN = {"resamples": 199}


@pytest.fixture(scope="module")
def scores():
    return ss.simulate_scores(**SMALL, lower_is_better=("b",))


def test_zou_over_systems_is_compare_correlations(scores):
    own = infer(scores, "zou:systems:observed")
    other = ss.correlations.compare_correlations(scores)
    for name in ("value", "lower", "upper", "difference", "difference_lower", "difference_upper"):
        np.testing.assert_allclose(own[name], other[name], atol=1e-10)
    np.testing.assert_array_equal(own["significant"], other["significant"])


def test_projection_is_compare_over_systems(scores):
    own, other = (
        infer(scores),
        ss.correlations.compare_correlations(scores, method="williams-jackknife"),
    )
    assert own.attrs["interval"] == "projection:systems:observed"
    for name in ("value", "lower", "upper", "difference", "difference_lower", "difference_upper"):
        np.testing.assert_allclose(own[name], other[name], atol=1e-10)
    for name in ("p_best", "p_simultaneous"):
        np.testing.assert_allclose(own[name], other[name], atol=1e-9)


def test_a_bootstrap_concludes_on_all_metrics_from_its_joint_replicates(scores):
    own = infer(scores, "percentile:segments:observed", resamples=400, seed=4)
    p = own["p_simultaneous"].to_numpy()[0]
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(own["p_best"], may_be_best(own["value"], p[np.newaxis]))
    options = {"random": "segments", "method": "percentile", "resamples": 400, "seed": 4}
    drawn = ss.compare(scores, **options)
    apart = np.abs(own["difference"].to_numpy()[0])
    wide = (drawn["difference_upper"] - drawn["difference_lower"]).to_numpy()[0] / 2
    at = np.triu_indices(len(p), 1)
    # where a difference exceeds twice its own half-width it survives; far below, it does not
    assert (p[at][(apart > 2 * wide)[at]] <= 0.05).all()
    assert (p[at][(apart < 0.5 * wide)[at]] > 0.05).all()
    assert "p_best" not in infer(scores, "jackknife:segments:observed")


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_the_bootstrap_over_systems_is_that_of_compare_with_its_conclusions(scores, method):
    options = {"random": "systems", "method": method, "resamples": 200, "seed": 4}
    own = ss.rank(scores, **options).isel(basis=0)
    other = ss.rank(scores, "pearson", **options).isel(measure=0)
    of_limits = ("lower", "upper", "difference_lower", "difference_upper")
    of_all = ("p_best", "behind_lower", "behind_upper", "p_simultaneous", "may_be_best")
    for name in (*of_limits, *of_all):
        np.testing.assert_allclose(own[name], other[name], atol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("random", "place"), [("systems", "new systems"), ("segments", "these systems, new documents")]
)
def test_an_interval_of_single_pairs_concludes_nothing_on_all_metrics(scores, random, place):
    found = ss.rank(scores, random=random, method="jackknife")
    assert {"p_best", "may_be_best", "p_simultaneous"}.isdisjoint(found)
    why = "jackknife compares two metrics at a time; percentile and bca compare all"
    assert f"{place}  not known: {why}" in str(ss.show(found))


@pytest.mark.parametrize(
    "design",
    [
        ss.PairHybrids(),
        ss.PairHybrids(share="uniform"),
        ss.PairHybrids(unit="document"),
        ss.MixHybrids(),
    ],
)
def test_hybrid_correlations_are_the_exact_ones(scores, design):
    own = infer(scores, "zou:systems:hybrid", design=design)
    np.testing.assert_allclose(
        own["value"][0], ss.exact_hybrid_correlations(scores, design=design)["r"], atol=1e-9
    )


def test_hybrid_correlations_with_gaps_are_near_the_exact_ones():
    """Hybrids weigh two systems by their counts of ratings, contributions alike: 0.006 at most
    where a tenth is missing."""
    gaps = ss.simulate_scores(**{**SMALL, "segments": 400}, missing_ratings=0.1)
    own = infer(gaps, "zou:systems:hybrid", mask="all")["value"][0]
    exact = ss.exact_hybrid_correlations(gaps, mask="all")["r"]
    np.testing.assert_allclose(own, exact, atol=6e-3)


def resampled(scores, systems, segments):
    """Scores of drawn systems and segments, as a user would put them together."""
    taken = scores.isel(system=systems, segment=segments)
    names = [f"s{i}" for i in range(len(systems))]
    numbers = [f"l{i}" for i in range(len(segments))]
    return taken.assign_coords(system=names, segment=numbers)


@pytest.mark.parametrize("estimand", ["observed", "hybrid", "true"])
@pytest.mark.parametrize("unit", ["systems", "segments", "systems+segments"])
def test_a_replicate_is_the_correlation_of_what_it_drew(scores, unit, estimand):
    from supersample.comparisons.correlations.declared import score_contributions
    from supersample.comparisons.correlations.evidence import MomentResampling
    from supersample.scores.prepared import prepare_scores

    contributions = score_contributions(prepare_scores(scores).statistics, "system")
    contributions = contributions * [1, 1, -1, 1]
    replicates = MomentResampling(contributions, estimand, seed=5).drawn(unit, 6)
    for number in range(6):
        numbers = np.array([number], dtype=np.uint64)
        systems, segments = np.arange(7), np.arange(40)
        if "systems" in unit:
            counts = bootstrap_counts(7, seed=5, replicates=numbers, purpose="bootstrap of systems")
            systems = np.repeat(systems, counts[0].astype(int))
        if "segments" in unit:
            counts = bootstrap_counts(40, seed=5, replicates=numbers, purpose="bootstrap of units")
            segments = np.repeat(segments, counts[0].astype(int))
        own = infer(resampled(scores, systems, segments), f"zou:systems:{estimand}")
        np.testing.assert_allclose(replicates[number], own["value"][0], atol=1e-9)


@pytest.mark.parametrize("unit", ["systems", "segments"])
def test_left_out_is_the_correlation_of_the_others(scores, unit):
    from supersample.comparisons.correlations.declared import score_contributions
    from supersample.comparisons.correlations.evidence import MomentResampling
    from supersample.scores.prepared import prepare_scores

    contributions = score_contributions(prepare_scores(scores).statistics, "system")
    contributions = contributions * [1, 1, -1, 1]
    left = MomentResampling(contributions, "hybrid").left_out(unit)
    for i in (0, 3):
        systems = np.delete(np.arange(7), i) if unit == "systems" else np.arange(7)
        segments = np.delete(np.arange(40), i) if unit == "segments" else np.arange(40)
        own = infer(resampled(scores, systems, segments), "zou:systems:hybrid")["value"][0]
        if unit == "systems":
            np.testing.assert_allclose(left[i], own, atol=0.02)  # weights are of all k systems
        else:
            np.testing.assert_allclose(left[i], own, atol=1e-3)


def test_true_correlations_are_recovered():
    """r of 40 systems over few noisy segments is attenuated; the correction takes that off."""
    noisy = ss.simulate_scores(
        systems=400, segments=30, correlations={"a": 0.95}, shared_noise=0.0, seed=8
    )
    observed = infer(noisy)["value"].item()
    true = infer(noisy, "zou:systems:true")["value"].item()
    assert observed < 0.93 < true < 0.97


@pytest.mark.parametrize("name", ["threads", "processes", "synchronous"])
def test_workers_give_the_same_bits(clients, scores, name):
    one = infer(scores, "bca:systems+segments:hybrid", resamples=50, workers="synchronous")
    other = infer(scores, "bca:systems+segments:hybrid", resamples=50, workers=clients[name])
    assert one.identical(other)


def test_the_interval_declares_itself(scores):
    own = infer(scores, "percentile:systems+documents:true", resamples=99)
    assert own.attrs["unit"] == "systems+documents"
    assert "infinitely many segments" in own.attrs["estimand_is"]
    assert "percentile:systems+documents:true" in own.attrs["signature"]
    assert own.attrs["design"].endswith("document)")


def test_identical_metrics_do_not_differ(scores):
    twin = scores.sel(metric="a").assign_coords(metric="twin")
    import xarray as xr

    both = xr.concat([scores["score"], twin["score"]], "metric")
    higher = xr.concat([scores["higher_is_better"], twin["higher_is_better"]], "metric")
    doubled = scores.drop_dims("metric").assign(score=both, higher_is_better=higher)
    own = infer(doubled, "bca", resamples=99).sel(metric="a", other_metric="twin")
    assert own["difference_lower"].item() == own["difference_upper"].item() == 0
    assert not own["significant"].item()


def test_too_few_systems_have_no_interval():
    few = ss.simulate_scores(**{**SMALL, "systems": 3})
    own = infer(few, "bca", resamples=50)
    assert np.isnan(own["lower"]).all()
    assert not own["significant"].any()
    four = ss.simulate_scores(**{**SMALL, "systems": 4})
    assert np.isnan(infer(four, "shrunken-jackknife")["lower"]).all()
    apart = infer(four, "projection")["difference_lower"].to_numpy()[0]
    assert np.isnan(apart[np.triu_indices(3, 1)]).all()
    assert np.isfinite(infer(four)["lower"]).all()


def test_a_constant_metric_is_warned_of(scores):
    constant = scores.copy(deep=True)
    constant["score"][0] = 1.0
    with pytest.warns(ss.DegenerateScoreWarning, match="a"):
        own = infer(constant)
    assert np.isnan(own["value"][0, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wald", "no interval 'wald'"),
        ("zou:segments", "is over systems, hybrids"),
        ("zou:hybrids:observed", "over hybrids needs the estimand"),
        ("shrunken-jackknife:segments", "is over systems, not segments"),
        ("projection:segments", "is over systems, not segments"),
        ("projection:systems:true", "is for observed, not true"),
        ("jackknife:systems+segments", "is over systems, segments, documents"),
        ("bca:words", "no random unit 'words'"),
        ("bca:systems:perfect", "no estimand 'perfect'"),
        ("bca:systems:true:more", "METHOD"),
        ("shrunken-jackknife(2)", "weight"),
        ("shrunken-jackknife(0.3.1)", "METHOD"),
        ("zou(0.5)", "only shrunken-jackknife has a weight"),
    ],
)
def test_intervals_that_there_are_not(text, message):
    with pytest.raises(ss.InputError, match=message):
        IntervalMethod.parse(text)


def test_names_come_back():
    for text in ("zou:hybrids:hybrid", "shrunken-jackknife(0.3):systems:true"):
        assert str(IntervalMethod.parse(text)) == text


def test_bad_input(scores):
    with pytest.raises(ss.InputError, match="resample"):
        infer(scores, "bca", resamples=0)
    with pytest.raises(ss.InputError, match="made of documents"):
        infer(scores, "bca:documents", design=ss.PairHybrids())
    systems = ss.make_system_scores([1, 2], [[1, 2]], systems=["A", "B"], metrics=["m"])
    with pytest.raises(ss.InputError, match="have no segments"):
        infer(systems, "bca:segments")


@pytest.mark.real_data
def test_wmt23_exact_hybrids(data_root):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "zh-en", metrics="reference")
    own = infer(scores, "zou:systems:hybrid")["value"][0]
    np.testing.assert_allclose(own, ss.exact_hybrid_correlations(scores)["r"], atol=1e-11)


def test_the_jackknife_over_documents_is_as_wide_as_new_documents_ask():
    """Mean of its variance, by the scatter of z over draws of 8 documents; 1 but for curvature."""
    rng = np.random.default_rng(5)
    true = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=12)
    quantile = scipy.stats.t.ppf(0.975, 7)
    z, variances = [], []
    for _ in range(400):
        own = true[:, np.newaxis] + 0.3 * rng.normal(size=(12, 8, 2))
        evidence = Evidence(own, own, ss.PairHybrids())
        lower, upper = interval_of_r(IntervalMethod.parse("jackknife:documents"), evidence)
        z.append(np.arctanh(evidence.correlations("observed")[0, 1]))
        variances.append(((np.arctanh(upper[0]) - np.arctanh(lower[0])) / 2 / quantile) ** 2)
    assert 0.85 < np.mean(variances) / np.var(z) < 1.2


def test_segments_that_all_agree_leave_no_width():
    own = np.broadcast_to(np.random.default_rng(6).normal(size=(8, 1, 3)), (8, 6, 3)).copy()
    scores = ss.make_scores(
        own[..., 0],
        np.moveaxis(own[..., 1:], -1, 0),
        systems=list("ABCDEFGH"),
        metrics=["a", "b"],
    )
    found = infer(scores, "jackknife:segments")
    np.testing.assert_allclose(found["difference_lower"], found["difference"], atol=1e-12)
    np.testing.assert_allclose(found["difference_upper"], found["difference"], atol=1e-12)


def test_one_part_without_r_does_not_hide_the_others_from_bca():
    own = np.array([[0.1], [np.nan], [0.4], [0.2]])
    scaled = _deviations(own)
    np.testing.assert_allclose(scaled[[0, 2, 3], 0], (own[[0, 2, 3], 0] - 0.7 / 3) * 0.75)


def test_an_interval_can_be_registered_from_outside():
    def of_r(method, evidence, level):
        r = evidence.correlations(method.estimand)[0, 1:]
        return Interval(r - 0.1, r + 0.1)

    def of_difference(method, evidence, pairs, level):
        r = evidence.correlations(method.estimand)[0, 1:]
        return Interval(r[pairs[0]] - r[pairs[1]] - 0.2, r[pairs[0]] - r[pairs[1]] + 0.2)

    register_interval("tenth", IntervalProcedure(of_r, of_difference, ("systems",)))
    try:
        inferred = infer(ss.load_example(), "tenth:systems:observed")
        np.testing.assert_allclose(inferred["upper"] - inferred["lower"], 0.2)
        assert "tenth:systems:observed" in inferred.attrs["signature"]
        with pytest.raises(ss.InputError, match="already"):
            register_interval("tenth", IntervalProcedure(of_r, of_difference))
    finally:
        del INTERVAL_PROCEDURES["tenth"]


@pytest.mark.parametrize(
    ("interval", "drawn"),
    [("zou", {}), ("shrunken-jackknife", {}), ("bca", DRAWN), ("bca:segments", DRAWN)],
)
def test_a_rescaled_copy_does_not_differ(interval, drawn):
    scores = ss.load_example().sel(metric=["good-90", "weak-40"])
    copy = scores.sel(metric=["good-90"]).assign_coords(metric=["copy"])
    copy["score"] = copy["score"] / 3 + 0.7
    both = xr.concat([scores, copy], "metric", data_vars="minimal", join="exact")
    found = infer(both, interval, **drawn)
    pair = {"metric": "good-90", "other_metric": "copy"}
    assert bool(found["identical"].sel(pair))
    for name in ("difference", "difference_lower", "difference_upper"):
        assert float(found[name].sel(pair).item()) == 0
    assert not found["significant"].sel(pair).item()
    assert not found["identical"].sel(metric="weak-40", other_metric="copy")


def test_a_rescaled_copy_is_tied_by_every_comparison():
    scores = ss.load_example().sel(metric=["good-90", "weak-40"])
    copy = scores.sel(metric=["good-90"]).assign_coords(metric=["copy"])
    copy["score"] = copy["score"] / 3 + 0.7
    both = xr.concat([scores, copy], "metric", data_vars="minimal", join="exact")
    pair = {"metric": "good-90", "other_metric": "copy"}
    for found in (
        ss.correlations.compare_correlations(ss.hybrid_supersample(both, n=200)),
        ss.correlations.compare_correlations(ss.correlations.stream_correlations(both, n=200)),
    ):
        assert bool(found["identical"].sel(pair))
        assert (found["difference"].sel(pair) == 0).all()
        for name, value in (("difference_lower", 0), ("difference_upper", 0), ("p_value", 1)):
            if name in found:  # NaN by measures that have none
                own = found[name].sel(pair)
                assert (own.isnull() | (own == value)).all()


@pytest.mark.parametrize(
    ("method", "drawn"),
    [("zou", {}), ("jackknife", {}), ("shrunken-jackknife", {}), ("bca", DRAWN)],
)
def test_system_level_scores_have_intervals_over_systems(method, drawn):
    scores = ss.load_example()
    whole = infer(scores, method, **drawn)
    alone = infer(ss.system_level_scores(scores), method, **drawn)
    for name in ("value", "lower", "upper", "difference_lower", "difference_upper"):
        np.testing.assert_allclose(alone[name], whole[name], atol=1e-9)
    np.testing.assert_array_equal(alone["identical"], whole["identical"])
    for interval in ("zou:systems:true", "jackknife:segments", "zou:hybrids:hybrid"):
        with pytest.raises(ss.InputError, match=r"have no segments: .* over systems for observed"):
            infer(ss.system_level_scores(scores), interval)


def test_where_replicates_are_undefined_nothing_is_told_of_the_best(scores, monkeypatch):
    whole = Evidence.drawn

    def first_undefined(self, *arguments):
        found = whole(self, *arguments).copy()
        found[0, 1] = np.nan
        return found

    monkeypatch.setattr(Evidence, "drawn", first_undefined)
    own = infer(scores, "percentile:segments:observed", resamples=99)
    assert own["value"].to_numpy()[0].argmax() == 1  # ahead of the others, without p-values
    assert np.isnan(own["p_simultaneous"].to_numpy()[0, 1, [0, 2]]).all()
    np.testing.assert_array_equal(np.isnan(own["p_best"].to_numpy()[0]), [False, True, False])
