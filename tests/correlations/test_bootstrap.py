"""Bootstrap over systems, against formulas, scipy and binomial counts."""

import numpy as np
import pytest
from scipy import stats

import supersample as ss

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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.compare_by_bootstrap(EXAMPLE, method="normal"), "no bootstrap method"),
        (lambda: ss.compare_by_bootstrap(EXAMPLE, coefficient="phi"), "no coefficient"),
        (lambda: ss.compare_by_bootstrap(EXAMPLE, resamples=0), "at least one resample"),
        (lambda: ss.bootstrap_intervals(EXAMPLE, confidence_level=1.0), "between 0 and 1"),
    ],
)
def test_bad_options_are_named(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()
