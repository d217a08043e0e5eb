import numpy as np
import pytest
from scipy import stats

import supersample as ss
from supersample.inference.resampling.p_values import holm
from supersample.presentation import printed, sentences

COMPARED = ss.correlations.compare_correlations(ss.load_example(), method="williams-jackknife")


def test_the_numbers_are_those_of_the_pairs():
    found = ss.compare_to_baseline(COMPARED, "good-90").sel(basis="systems")
    assert "good-90" not in found["metric"]
    for metric in found["metric"].values:
        pair = COMPARED.sel(basis="systems", metric=metric, other_metric="good-90")
        for name in ("difference", "difference_lower", "difference_upper", "p_value"):
            assert found[name].sel(metric=metric) == pair[name]
    np.testing.assert_allclose(found["p_baseline"], holm(found["p_value"]))
    np.testing.assert_array_equal(found["differs"], found["p_baseline"] <= 0.05)
    assert found.attrs["baseline_r"] == COMPARED["value"].sel(metric="good-90").item()


def test_the_order_of_metrics_does_not_matter():
    ranked = ss.compare_to_baseline(ss.rank(COMPARED), "fair-70")
    plain = ss.compare_to_baseline(COMPARED, "fair-70").sel(metric=ranked["metric"])
    np.testing.assert_array_equal(ranked["p_baseline"], plain["p_baseline"])


def test_so_many_systems_would_show_it():
    found = ss.compare_to_baseline(COMPARED, "good-90").sel(basis="systems")
    needed = found["systems_needed"]
    assert np.isnan(needed[found["differs"]]).all()
    for metric in needed["metric"].values[~found["differs"].values]:
        p = float(found["p_value"].sel(metric=metric))
        per_root = stats.norm.isf(p / 2) / np.sqrt(12 - 3)  # the quantile grows as sqrt(n - 3)
        reached = per_root * np.sqrt(float(needed.sel(metric=metric)) - 3)
        power = stats.norm.sf(stats.norm.isf(0.05 / 14) - reached)
        assert 0.8 <= power <= 0.82


def test_of_two_metrics_nothing_is_adjusted_and_the_needed_systems_are_right():
    """With as many systems of such a population the test does find it in about 80 %."""
    rng = np.random.default_rng(3)
    needed = 40
    found = []
    for _ in range(150):
        quality = rng.normal(size=needed)
        noise = rng.normal(size=(2, needed)) * [[0.3], [0.45]]
        scores = ss.make_system_scores(
            quality, quality + noise, systems=list(map(str, range(needed))), metrics=["a", "b"]
        )
        found.append(
            ss.compare_to_baseline(
                ss.correlations.compare_correlations(scores, method="williams-jackknife"), "b"
            )
        )
    p = np.array([float(each["p_value"].squeeze()) for each in found])
    estimated = np.median([_needed(x, needed) for x in p])
    power = np.mean(p <= 0.05)
    expected = stats.norm.sf(stats.norm.isf(0.025) - 2.8 * np.sqrt((needed - 3) / (estimated - 3)))
    assert power == pytest.approx(expected, abs=0.12)


def _needed(p, n):
    return 3 + (n - 3) * (2.8 / stats.norm.isf(p / 2)) ** 2


def test_one_sided_comparisons_need_the_systems_of_a_one_sided_test():
    both = ss.compare_to_baseline(COMPARED, "good-90").sel(basis="systems")
    compared = ss.correlations.compare_correlations(
        ss.load_example(), method="williams-jackknife", alternative="greater"
    )
    found = ss.compare_to_baseline(compared, "good-90").sel(basis="systems")
    needed = found["systems_needed"]
    ahead = found["difference"] > 0
    assert np.isnan(needed[~ahead]).all()
    shown = needed[ahead & ~found["differs"]]
    assert shown.size
    for metric in shown["metric"].values:
        quantile = stats.norm.isf(float(found["p_value"].sel(metric=metric)))
        sought = stats.norm.isf(0.05 / 7) + stats.norm.ppf(0.8)
        assert shown.sel(metric=metric) == np.ceil(3 + 9 * (sought / quantile) ** 2)
        # the same statistic at a level twice as generous
        assert shown.sel(metric=metric) < both["systems_needed"].sel(metric=metric)


def test_mistakes_are_refused():
    with pytest.raises(ss.InputError, match="no metric 'x'"):
        ss.compare_to_baseline(COMPARED, "x")
    with pytest.raises(ss.InputError, match="the only metric"):
        ss.compare_to_baseline(
            COMPARED.sel(metric=["weak-40"], other_metric=["weak-40"]), "weak-40"
        )
    drawn = ss.compare(ss.load_example(), random="systems", method="bca", resamples=20)
    with pytest.raises(ss.InputError, match="by; compare without"):
        ss.compare_to_baseline(drawn, "good-90")
    few = ss.load_example().isel(segment=slice(40))
    of_segments = ss.compare(few, "pdp", random="segments", method="bca", resamples=20)
    with pytest.raises(ss.InputError, match="compare without random units do"):
        ss.compare_to_baseline(of_segments, "good-90")
    for wrong in (COMPARED.drop_vars("value"), ss.load_example()):
        with pytest.raises(ss.InputError, match="compared by what rank, compare or compare_corr"):
            ss.compare_to_baseline(wrong, "good-90")


def test_accuracies_are_compared_too():
    ranked = ss.rank(ss.compare(ss.load_example(), ["SPA", "PA"], resamples=19))
    found = ss.compare_to_baseline(ranked, "good-90")
    assert found["p_baseline"].dims == ("measure", "metric")
    assert "systems_needed" not in found
    others = found["metric"].values
    for kind in ("SPA", "PA"):
        own = ranked.sel(measure=kind)
        p = own["p_value"].sel(metric=others, other_metric="good-90")
        adjusted = found["p_baseline"].sel(measure=kind)
        np.testing.assert_array_equal(adjusted, holm(p.values))
        np.testing.assert_array_equal(found["differs"].sel(measure=kind), adjusted <= 0.05)
        expected = own["value"].sel(metric=others) - own["value"].sel(metric="good-90")
        np.testing.assert_allclose(found["difference"].sel(measure=kind), expected, atol=1e-12)
    tables = printed.baseline_tables(found)
    assert list(tables) == ["baseline-SPA", "baseline-PA"]
    own = float(ranked["value"].sel(measure="PA", metric="good-90"))
    assert tables["baseline-PA"].caption.startswith(f"Difference to good-90 (PA = {own:.3f}), ")
    told = [line.split(" (Holm")[0][-7:] for line in sentences.pair_lines(found)]
    assert told == [" by SPA", "t by PA"]
    assert len(ss.to_frame(found)) == 2 * 7
