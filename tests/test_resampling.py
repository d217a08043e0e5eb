"""Bootstrap over systems, swapping, and human-only intervals."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.resampling import complete_cases

EXAMPLE = ss.load_example()


def _normal_systems(n, seed=0):
    """Many systems with r = 0.6 and 0.6 between human and two metrics, normal."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=n)
    scores = 0.6 * human + 0.8 * rng.normal(size=(2, n))
    names = [str(i) for i in range(n)]
    return ss.make_system_scores(human, scores, systems=names, metrics=["a", "b"])


def test_bootstrap_of_many_normal_systems_agrees_with_fisher_and_zou():
    systems = _normal_systems(400)
    formula = ss.compare_correlations(systems)
    drawn = ss.bootstrap_intervals(systems, resamples=4_999)
    # two routes to the same interval: limits agree within a tenth of its width
    width = float((formula["upper"] - formula["lower"]).max())
    np.testing.assert_allclose(drawn["lower"], formula["lower"], atol=width / 10)
    np.testing.assert_allclose(drawn["upper"], formula["upper"], atol=width / 10)
    differences = ss.compare_by_bootstrap(systems, resamples=4_999)
    for limit in ("difference_lower", "difference_upper"):
        ours = float(differences[limit].sel(metric="a", other_metric="b").item())
        zou = float(formula[limit].sel(metric="a", other_metric="b").item())
        assert ours == pytest.approx(zou, abs=0.015)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_bootstrap_differences_are_antisymmetric(method, coefficient):
    d = ss.compare_by_bootstrap(EXAMPLE, method=method, coefficient=coefficient, resamples=199)
    lower = d["difference_lower"].values[0]
    np.testing.assert_array_equal(lower, -d["difference_upper"].values[0].T)
    np.testing.assert_array_equal(d["difference"].values[0], -d["difference"].values[0].T)
    assert d.attrs["method"] == f"bootstrap-{method}"
    assert "resamples:199" in d.attrs["signature"]


def test_percentile_limits_are_quantiles_of_scipys_bootstrap():
    systems = _normal_systems(30)
    ours = ss.bootstrap_intervals(systems, method="percentile", resamples=20_000)
    data = (systems["system_human"].values, systems["system_score"].values[:, 0])
    theirs = stats.bootstrap(
        data,
        lambda x, y: stats.pearsonr(x, y)[0],
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=4_000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    # each limit is a quantile of a few thousand draws of standard deviation about 0.12
    assert float(ours["lower"][0, 0]) == pytest.approx(theirs.low, abs=0.03)
    assert float(ours["upper"][0, 0]) == pytest.approx(theirs.high, abs=0.03)


def test_undefined_replicates_are_counted():
    systems = ss.make_system_scores(
        [1, 1, 1, 2], [[1, 2, 3, 4]], systems=list("ABCD"), metrics=["m"]
    )
    undefined = int(ss.bootstrap_intervals(systems, resamples=2_000)["undefined"].item())
    # no r when D is not drawn, or nothing but D: (3/4)^4 + (1/4)^4 = 0.3203
    assert stats.binomtest(undefined, 2_000, 0.3203).pvalue > 1e-4


def test_fewer_than_four_systems_have_no_interval():
    systems = ss.make_system_scores([1, 2, 3], [[1, 3, 2]], systems=list("ABC"), metrics=["m"])
    assert np.isnan(ss.bootstrap_intervals(systems, resamples=99)["lower"]).all()


@pytest.mark.parametrize("scheme", ["systems", "inputs", "both"])
@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_swapping_agrees_with_scores_swapped_by_hand(scheme, coefficient):
    from supersample.engine.swaps import standardise, swap_masks

    small = EXAMPLE.isel(metric=[0, 4], segment=slice(40))
    d = ss.compare_by_swapping(small, scheme=scheme, coefficient=coefficient, resamples=60, seed=4)
    complete = complete_cases(small)
    signs = np.array([1.0, -1.0])[:, None, None]  # errors-85 is lower-is-better
    a, b = standardise(complete["score"].values * signs)
    human = complete["human"].mean("segment").values
    r = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}[coefficient]
    masks = swap_masks(
        scheme, systems=12, segments=a.shape[1], seed=4, replicates=np.arange(60, dtype=np.uint64)
    )
    null = []
    for mask in masks:
        first, second = np.where(mask, b, a).mean(axis=1), np.where(mask, a, b).mean(axis=1)
        null.append(r(human, first)[0] - r(human, second)[0])
    observed = r(human, a.mean(axis=1))[0] - r(human, b.mean(axis=1))[0]
    k = (np.abs(null) >= abs(observed) - 1e-12).sum()
    assert float(d["p_value"][0, 0, 1]) == pytest.approx((k + 1) / 61)


def test_alternatives_of_swapping():
    p = {
        alternative: ss.compare_by_swapping(EXAMPLE, alternative=alternative, resamples=99)
        for alternative in ("two-sided", "greater", "less")
    }
    greater, less = (p[side]["p_value"].values[0] for side in ("greater", "less"))
    np.testing.assert_array_equal(greater, less.T)
    assert (np.diag(p["two-sided"]["p_value"].values[0]) == 1).all()
    assert greater[0, 6] == 0.01  # strong-98 over weak-40


def test_a_copied_metric_is_never_significant():
    doubled = EXAMPLE.isel(metric=[0, 0, 3]).assign_coords(metric=["one", "copy", "other"])
    for d in (
        ss.compare_by_swapping(doubled, resamples=99),
        ss.compare_by_bootstrap(doubled, resamples=99),
        ss.compare_correlations(doubled),
    ):
        pair = d.sel(metric="one", other_metric="copy")
        assert bool(pair["identical"])
        assert float(pair["difference"].item()) == 0
        assert not bool(pair["significant"].item())
        if "p_value" in d:
            assert float(pair["p_value"].item()) == 1
        if "difference_lower" in d:
            assert float(pair["difference_lower"].item()) == 0
            assert float(pair["difference_upper"].item()) == 0


def test_swapping_is_of_complete_cases():
    holed = EXAMPLE.copy(deep=True)
    holed["score"][2, 3, :100] = np.nan
    complete = complete_cases(holed)
    assert complete.sizes["segment"] < 400
    assert "complete" in complete.attrs["mask"]
    holed["score"][2, 3, 1:] = np.nan
    with pytest.raises(ss.InputError, match="fewer than two segments"):
        complete_cases(holed)


def test_human_only_intervals_by_hand():
    scores = EXAMPLE.isel(metric=[0], segment=slice(60))
    ours = ss.human_only_intervals(scores, resamples=4_000, seed=1)
    selected = ss.select_segments(scores)
    human, metric = selected["human"].values, selected["score"].values[0].mean(axis=1)
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(4_000):
        segments = rng.integers(0, human.shape[1], human.shape[1])
        draws.append(np.corrcoef(human[:, segments].mean(axis=1), metric)[0, 1])
    expected = np.quantile(draws, [0.025, 0.975])
    # two Monte-Carlo runs of 4,000: quantiles agree to a few percent of the spread
    assert float(ours["lower"].item()) == pytest.approx(expected[0], abs=0.1 * np.std(draws))
    assert float(ours["upper"].item()) == pytest.approx(expected[1], abs=0.1 * np.std(draws))
    half = (ours["upper"] - ours["lower"]) / 2
    np.testing.assert_allclose(ours["plus_minus"], half)
    np.testing.assert_allclose(ours["symmetric_upper"], ours["r"] + half)


@pytest.mark.real_data
def test_wmt23_human_only_intervals_are_narrower_and_their_plus_minus_passes_1(data_root):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de", metrics="all")
    narrow, fisher = ss.human_only_intervals(scores), ss.correlate(scores)
    ratio = (fisher["upper"] - fisher["lower"]) / (narrow["upper"] - narrow["lower"])
    assert float(ratio.min()) > 1
    # the symmetric form passes 1 for the metric with the highest r
    assert float(narrow["upper"].max()) < 1 < float(narrow["symmetric_upper"].max())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.compare_by_bootstrap(EXAMPLE, method="normal"), "no bootstrap method"),
        (lambda: ss.compare_by_bootstrap(EXAMPLE, coefficient="phi"), "no coefficient"),
        (lambda: ss.compare_by_bootstrap(EXAMPLE, resamples=0), "at least one resample"),
        (lambda: ss.compare_by_swapping(EXAMPLE, scheme="all"), "no scheme"),
        (lambda: ss.compare_by_swapping(EXAMPLE, alternative="more"), "no alternative"),
        (lambda: ss.compare_by_swapping(_normal_systems(9)), "segment-level"),
        (lambda: ss.human_only_intervals(_normal_systems(9)), "segment-level"),
        (lambda: ss.bootstrap_intervals(EXAMPLE, confidence_level=1.0), "between 0 and 1"),
    ],
)
def test_bad_options_are_named(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()
