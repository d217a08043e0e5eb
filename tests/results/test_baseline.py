import numpy as np
import pytest
import xarray as xr
from scipy.stats import ttest_1samp

import supersample as ss
from supersample.inference.p_values import holm
from supersample.inference.systems_needed import systems_needed, units_needed
from supersample.inference.two_correlations.fisher_jackknife import (
    fisher_jackknife,
    sampled_pairs,
)
from supersample.presentation import answer as sentences
from supersample.results.outputs import results_of
from supersample.results.ranks_and_clusters import pair_of, rank

COMPARED = ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife")


def test_the_numbers_are_those_of_the_pairs():
    found = ss.compare_to_baseline(COMPARED, "good-90").squeeze()
    assert "good-90" not in found["metric"]
    for metric in found["metric"].values:
        pair = COMPARED.sel(basis="systems", metric=metric, other_metric="good-90")
        for name in ("difference", "difference_lower", "difference_upper", "p_value"):
            assert found[name].sel(metric=metric) == pair[name]
    np.testing.assert_allclose(found["p_baseline"], holm(found["p_value"]))
    np.testing.assert_array_equal(found["differs"], found["p_baseline"] <= 0.05)


def test_the_order_of_metrics_does_not_matter():
    ranked = ss.compare_to_baseline(ss.rank(COMPARED), "fair-70")
    plain = ss.compare_to_baseline(COMPARED, "fair-70").sel(metric=ranked["metric"])
    np.testing.assert_array_equal(ranked["p_baseline"], plain["p_baseline"])


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_so_many_systems_would_show_it(scale):
    """The test's own error counts: a tenth of the systems are outliers, or none."""
    rng = np.random.default_rng(0)

    def drawn(samples, systems):
        normal = rng.multivariate_normal(np.zeros(3), _matrix(0.95, 0.85, 0.8), (samples, systems))
        return normal * np.where(rng.random((samples, systems, 1)) < 0.1, scale, 1.0)

    p = np.median(fisher_jackknife(sampled_pairs(drawn(400, 150))).p_value)
    needed = units_needed(150, p, freedom="n - 2", **AT_LEVEL).item()
    assert (
        abs((fisher_jackknife(sampled_pairs(drawn(400, int(needed)))).p_value <= 0.05).mean() - 0.8)
        < 0.06
    )
    found = ss.compare_to_baseline(COMPARED, "good-90").squeeze()
    assert np.isnan(found["systems_needed"][found["differs"]]).all()


def test_so_many_documents_would_show_it():
    """A mean of normal numbers, whose test is Student's, is shown in the share that is asked."""
    p = ttest_1samp(np.tile([1.3, -0.7], 20), 0).pvalue
    rng, size = np.random.default_rng(0), int(units_needed(40, p, freedom="n - 1", **AT_LEVEL))
    drawn = 0.3 + np.sqrt(40 / 39) * rng.normal(size=(4_000, size))
    assert abs((ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05).mean() - 0.8) < 0.03
    both = ss.rank(ss.load_example(), n=0)
    found = ss.compare_to_baseline(both, "strong-95").squeeze()["texts_needed"]
    assert found.sel(basis="documents", metric="strong-98") > 40
    assert found.sel(basis="systems").isnull().all()


AT_LEVEL = {
    "comparisons": 1,
    "power": 0.8,
    "confidence_level": 0.95,
    "alternative": "two-sided",
}


def _matrix(a, b, ab):
    return [[1, a, b], [a, 1, ab], [b, ab, 1]]


@pytest.mark.parametrize("seed", range(4))
def test_the_formula_meets_the_simulation_in_drawn_populations(seed):
    rng = np.random.default_rng(seed)
    while True:
        a, ab = rng.uniform(0.5, 0.98, 2)
        b = rng.uniform(0.3, a)
        comparisons = int(rng.integers(1, 30))
        if np.linalg.eigvalsh(_matrix(a, b, ab))[0] < 0.01:
            continue
        needed = systems_needed(a, b, ab, comparisons=comparisons).item()
        if 15 < needed < 200:
            break
    drawn = rng.multivariate_normal(np.zeros(3), _matrix(a, b, ab), (600, int(needed)))
    shown = fisher_jackknife(sampled_pairs(drawn)).p_value <= 0.05 / comparisons
    assert 0.75 < shown.mean() < 0.95


def test_systems_needed_at_the_edges():
    same = systems_needed([0.9, 1.0, np.nan], [0.9, 0.2, 0.5], [0.8, 0.2, 0.4])
    assert same[0] == np.inf
    assert 5 <= same[1] < 20
    assert np.isnan(same[2])
    assert systems_needed(0.9, 0.5, 0.5, power=0.9) > systems_needed(0.9, 0.5, 0.5)
    assert np.isnan(systems_needed(0.9, 0.5, 0.5, alternative="less"))
    assert systems_needed(0.9, 0.5, 0.5, alternative="greater") < systems_needed(0.9, 0.5, 0.5)
    assert systems_needed(0.5, 0.9, 0.5) == systems_needed(0.9, 0.5, 0.5)


def test_one_sided_comparisons_need_the_systems_of_a_one_sided_test():
    both = ss.compare_to_baseline(COMPARED, "good-90").squeeze()
    compared = ss.correlations.compare_correlations(
        ss.load_example(), method="fisher-jackknife", alternative="greater"
    )
    found = ss.compare_to_baseline(compared, "good-90").squeeze()
    needed = found["systems_needed"]
    ahead = found["difference"] > 0
    assert np.isnan(needed[~ahead]).all()
    shown = needed[ahead & ~found["differs"]]
    assert shown.size
    for metric in shown["metric"].values:
        # the same statistic at a level twice as generous
        assert shown.sel(metric=metric) < both["systems_needed"].sel(metric=metric)


def test_systems_needed_by_the_corrected_level_and_by_the_independent_systems_of_teams():
    """Each system handed in twice is one system; Holm divides the level by seven comparisons."""
    once = ss.system_level_scores(ss.load_example())
    names = once["system"].values
    twice = once.isel(system=np.repeat(range(names.size), 2))
    twice = twice.assign_coords(system=[f"{x}{'-again' * i}" for x in names for i in range(2)])
    teams = {x: [x, f"{x}-again"] for x in names}
    needed = []
    for scores in (once, ss.declare_teams(twice, teams)):
        compared = ss.correlations.compare_correlations(scores, method="fisher-jackknife")
        found = ss.compare_to_baseline(compared, "strong-95").squeeze()
        how = {**AT_LEVEL, "comparisons": 7}
        expected = units_needed(names.size, found["p_value"], freedom="n - 2", **how)
        needed.append(found["systems_needed"].where(~found["differs"], drop=True))
        np.testing.assert_allclose(needed[-1], expected[~found["differs"]])
    assert (np.abs(needed[1] / needed[0] - 1) < 0.2).all()  # only n - 3 is not doubled


def test_more_are_needed_than_there_are():
    found = ss.compare_to_baseline(COMPARED, "good-90", metrics=["strong-95"])
    found = found.assign(n=found["n"] * 0 + 5_000, systems_needed=found["value"] * 0 + 9e9)
    assert "more than 5,000 systems in all (there are 5,000)" in sentences.pair_lines(found)[0]


def test_only_the_metrics_that_are_asked_for_or_added_are_compared():
    two = ["strong-98", "fair-70"]
    found = ss.compare_to_baseline(COMPARED, "good-90", metrics=two)
    assert found.attrs["comparisons"] == 2
    every = ss.compare_to_baseline(COMPARED, "good-90").sel(metric=found["metric"])
    assert {*found["metric"].values} == {*two}
    xr.testing.assert_equal(found["p_value"], every["p_value"])
    assert (found["p_baseline"] <= every["p_baseline"]).all()
    added = COMPARED.assign_attrs(added_metrics="\n".join(two))
    xr.testing.assert_equal(ss.compare_to_baseline(added, "good-90"), found)
    pair = ss.keep_metrics(ss.load_example(), ["good-90", "fair-70"])
    alone = ss.correlations.compare_correlations(pair, method="fisher-jackknife")
    alone = ss.compare_to_baseline(alone, "good-90")
    found = ss.compare_to_baseline(COMPARED, "good-90", metrics=["fair-70"])
    xr.testing.assert_allclose(found.drop_attrs(), alone.drop_attrs())


ONE_SIDED = {"method": "fisher-jackknife", "alternative": "greater"}


def test_one_sided_the_first_named_of_two_metrics_is_compared():
    names, told = ["fair-70", "good-90"], {}
    for order in (names, names[::-1]):
        scores = ss.keep_metrics(ss.load_example(), order)
        found = ss.correlations.compare_correlations(scores, **ONE_SIDED)
        found = pair_of(rank(rank(found)))  # of a ranking again, too
        told[found["metric"].item()] = sentences.pair_lines(found)[0]
        assert found.attrs["baseline"] == order[1]
    assert "one-sided p = 0.9" in told["fair-70"]
    assert "one-sided p = 0.0" in told["good-90"]


def test_an_interval_of_fishers_z_is_none_of_r():
    found = ss.correlations.compare_correlations(ss.load_example(), method="meng1992")
    assert "p_value" in found
    assert "difference_lower" not in found


def test_the_value_of_the_baseline_is_that_of_the_ranking():
    """An average over sets that lack metrics is fitted: differences are no subtraction there."""
    scores = ss.load_example()
    sets = {"a": scores, "b": scores.sel(metric=scores["metric"] != "strong-98"), "c": scores}
    ranking = ss.rank(sets, n=0, in_at_least=2)
    own = ranking["value"].sel(metric="good-90", drop=True)
    xr.testing.assert_equal(ss.compare_to_baseline(ranking, "good-90")["baseline_value"], own)


def test_mistakes_are_refused():
    with pytest.raises(ss.InputError, match="no metric 'y'"):
        ss.compare_to_baseline(COMPARED, "good-90", metrics=["y"])
    with pytest.raises(ss.InputError, match="no metric 'x'"):
        ss.compare_to_baseline(COMPARED, "x")
    with pytest.raises(ss.InputError, match="the only metric"):
        ss.compare_to_baseline(
            COMPARED.sel(metric=["weak-40"], other_metric=["weak-40"]), "weak-40"
        )
    drawn = ss.compare(ss.load_example(), random="systems", method="bca", resamples=20)
    with pytest.raises(ss.InputError, match="p-values, which a comparison of two metrics needs"):
        ss.compare_to_baseline(drawn, "good-90")
    two = ss.rank(drawn.sel(metric=["good-90", "fair-70"], other_metric=["good-90", "fair-70"]))
    with pytest.raises(ss.InputError, match="bca over systems gives no p-values, which a compar"):
        pair_of(two, margin=0.1)
    few = ss.load_example().isel(segment=slice(40))
    of_segments = ss.compare(few, "pdp", random="segments", method="bca", resamples=20)
    with pytest.raises(ss.InputError, match="take another method, or other random units"):
        ss.compare_to_baseline(of_segments, "good-90")
    for wrong in (COMPARED.drop_vars("value"), ss.load_example()):
        with pytest.raises(ss.InputError, match="needs a result of rank, compare or compare_corr"):
            ss.compare_to_baseline(wrong, "good-90")


def test_accuracies_are_compared_too():
    ranked = ss.rank(ss.compare(ss.load_example(), ["SPA", "PA"], resamples=19))
    found = ss.compare_to_baseline(ranked, "good-90")
    assert found["p_baseline"].dims == ("measure", "basis", "group", "metric")
    assert "systems_needed" not in found
    others = found["metric"].values
    for kind in ("SPA", "PA"):
        own = ranked.sel(measure=kind).squeeze()
        p = own["p_value"].sel(metric=others, other_metric="good-90")
        adjusted = found["p_baseline"].sel(measure=kind).squeeze()
        np.testing.assert_array_equal(adjusted, holm(p.values))
        np.testing.assert_array_equal(
            found["differs"].sel(measure=kind).squeeze(), adjusted <= 0.05
        )
        expected = own["value"].sel(metric=others) - own["value"].sel(metric="good-90")
        np.testing.assert_allclose(
            found["difference"].sel(measure=kind).squeeze(), expected, atol=1e-12
        )
    tables = results_of(found).pages
    assert list(tables) == ["baseline-SPA", "baseline-PA"]
    own = ranked["value"].sel(measure="PA", metric="good-90").item()
    assert tables["baseline-PA"].caption.startswith(f"Difference from good-90 (PA = {own:.3f}), ")
    told = sentences.pair_lines(found)
    assert [line.split(" by ")[1:] for line in told] == [["SPA (Holm, 95 %)"], ["PA"], []]
    assert len(ss.to_frame(found)) == 2 * 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 1.5}, "the power is a number between 0 and 1, such as 0.8, not 1.5"),
        ({"power": float("nan")}, "the power is a number between 0 and 1, such as 0.8, not nan"),
        ({"confidence_level": 1.5}, "confidence level must be between 0 and 1"),
        ({"alternative": "more"}, "no alternative 'more'"),
    ],
)
def test_systems_needed_refuses_what_is_out_of_range(options, message):
    with pytest.raises(ss.InputError, match=message):
        systems_needed(0.9, 0.8, 0.7, **options)
