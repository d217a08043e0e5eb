"""Tests and intervals agree, and nothing is concluded beside an interval that denies it."""

import numpy as np
import pytest

import supersample as ss
from supersample.results.pairs import is_significant

pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")


def heavy_tailed(seed):
    """System-level scores whose test and interval often disagree: few systems, uneven metrics."""
    rng = np.random.default_rng(seed)
    n, metrics = int(rng.integers(5, 13)), int(rng.integers(2, 4))
    quality = rng.normal(size=n)
    slopes = rng.choice([1.0, 1.0, -0.5, 0.0], metrics)[:, np.newaxis]
    noise = rng.normal(size=(metrics, n)) * rng.choice([0.05, 0.3, 1.0, 3.0], metrics)[:, None]
    return ss.make_system_scores(
        quality,
        slopes * quality + noise,
        systems=[f"s{i}" for i in range(n)],
        metrics=[f"m{i}" for i in range(metrics)],
    )


@pytest.mark.parametrize(
    "seeds", [range(180, 200), pytest.param(range(1_000, 3_000), marks=pytest.mark.faults)]
)
def test_no_conclusion_beside_an_interval_that_holds_zero(seeds):
    for seed in seeds:
        compared = ss.correlations.compare_correlations(
            heavy_tailed(seed), method="fisher-jackknife"
        )
        found = ss.rank(compared)
        flat = found.squeeze()
        lower, upper, p, differs, difference = (
            flat[name].values
            for name in (
                "difference_lower",
                "difference_upper",
                "p_simultaneous",
                "differs_adjusted",
                "difference",
            )
        )
        holds = (lower < 0) & (upper > 0)
        own = flat["p_value"].values
        shown = is_significant(own, 0.05)
        assert not (shown & holds).any()
        assert ((lower <= 0) & (upper >= 0))[~shown].all()
        tested = compared["p_simultaneous"].reindex_like(found).values.squeeze()
        np.testing.assert_array_equal(differs, is_significant(tested, 0.05))
        np.testing.assert_array_equal(differs, is_significant(p, 0.05))
        out = ~flat["may_be_best"].values
        np.testing.assert_array_equal(out, is_significant(flat["p_best"].values, 0.05))
        assert ((difference > 0) & ~holds).any(axis=0)[out].all()
        for baseline in found["metric"].values:
            beside = ss.compare_to_baseline(found, str(baseline))
            limits = beside["difference_lower"].values, beside["difference_upper"].values
            assert not (beside["differs"].values & (limits[0] < 0) & (limits[1] > 0)).any()
            p_of_all = beside["p_baseline"].values
            np.testing.assert_array_equal(beside["differs"].values, is_significant(p_of_all, 0.05))


def test_intervals_of_another_level_deny_nothing():
    told = 0
    for seed in range(180, 200):
        scores = heavy_tailed(seed)
        compared = ss.correlations.compare_correlations(scores, method="fisher-jackknife")
        p = compared["p_simultaneous"].values.squeeze()
        found = ss.rank(compared.assign_attrs(significance_level=0.1))
        expected = p[np.triu_indices(len(p), 1)] <= 0.1
        assert found["differs_adjusted"].values.sum() == 2 * expected.sum()
        told += int(((p > 0.05) & (p <= 0.1)).any())
    assert told > 0  # beside a 95 % interval that holds zero


def assert_not_below_own(compared):
    """No p-value that is corrected for all pairs is below that of the pair alone."""
    own, together = compared["p_value"], compared["p_simultaneous"]
    assert (
        (together >= own * (1 - 1e-9)).where(np.isfinite(together) & np.isfinite(own), True).all()
    )


def assert_corrected_verdicts_agree(compared):
    """A pair that differs among all pairs differs alone, and beside either metric."""
    assert_not_below_own(compared)
    found = ss.rank(compared)
    for name in found["metric"].values:
        others = found["metric"].values != name
        beside = ss.compare_to_baseline(found, str(name))["differs"]
        among = found["differs_adjusted"].isel(metric=others).sel(other_metric=name, drop=True)
        assert (beside | ~among.transpose(*beside.dims)).all()
    return int(found["differs_adjusted"].sum())


def uneven(seed, systems="s"):
    """System-level scores of four to six metrics, some much noisier; odd seeds have a copy."""
    rng = np.random.default_rng(seed)
    n, metrics = int(rng.integers(8, 20)), int(rng.integers(4, 7))
    quality = rng.normal(size=n)
    noise = rng.standard_t(4, (metrics, n)) * rng.choice([0.1, 0.3, 1.0, 3.0], metrics)[:, None]
    names = [f"{systems}{i}" for i in range(n)]
    every = np.vstack([quality + noise, *[3 - quality - noise[0]] * (seed % 2)])
    orientation = np.arange(len(every)) < metrics  # a last one counts what the first one lacks
    return ss.make_system_scores(
        quality,
        every,
        systems=names,
        metrics=[f"m{i}" for i in range(len(every))],
        higher_is_better=orientation,
    )


def test_what_differs_among_all_pairs_differs_alone_and_beside_either_metric():
    told = sum(
        assert_corrected_verdicts_agree(ss.compare(uneven(seed), random="systems"))
        for seed in range(10)
    )
    assert told > 0


@pytest.mark.parametrize("sets", [2, 5])
def test_the_same_of_averages_of_each_set_and_of_new_sets(sets):
    for seed in range(0, 30, 10):
        parts = {
            f"set {i}": uneven(seed + 2 * i, systems=f"s{i % 3}-").isel(metric=slice(4))
            for i in range(sets)
        }
        assert_corrected_verdicts_agree(ss.compare(parts, random="systems"))


@pytest.mark.parametrize("measure", ["spearman", "SPA", "acc_eq/item"])
def test_p_values_by_swaps_are_not_below_those_of_a_pair_alone(measure):
    assert_not_below_own(ss.compare(ss.load_example(), measure, resamples=99))


def test_a_pair_of_the_example_does_not_differ_beside_one_metric_alone():
    four = ss.keep_metrics(ss.load_example(), ["strong-95", "errors-85", "good-90", "weak-40"])
    found = ss.compare(four, random="systems").sel(metric="good-90", other_metric="weak-40")
    assert found["p_simultaneous"].item() == pytest.approx(3 * 0.0234, abs=2e-4)
