import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample import DegenerateScoreWarning, InputError
from supersample.results.ranks_and_clusters import greedy_clusters

COMPARED = ss.correlations.compare_correlations(
    ss.hybrid_supersample(ss.load_example(), n=400, seed=1)
)
RANKED = ss.rank(COMPARED)


def test_metrics_stand_in_the_order_of_r_over_the_systems():
    leading = RANKED["value"].sel(basis="systems").values.squeeze()
    assert (np.diff(leading) < 0).all()
    np.testing.assert_array_equal(RANKED["rank"].sel(basis="systems").squeeze(), np.arange(1, 9))
    assert (np.diff(RANKED["value"].sel(basis="hybrids")) > 0).any()
    assert list(RANKED["metric"].values) == list(RANKED["other_metric"].values)


def test_ranking_moves_numbers_and_changes_none():
    back = RANKED.reindex(
        {dim: COMPARED[dim].values for dim in ("basis", "metric", "other_metric")}
    )
    same = back[list(COMPARED.data_vars)].assign_attrs(kind="comparison")
    assert same.attrs.pop("first_metric") == COMPARED["metric"][0]
    xr.testing.assert_identical(same, COMPARED)


def test_wins_are_significant_differences_upwards():
    np.testing.assert_array_equal(
        RANKED["wins_over"], RANKED["significant"] & (RANKED["difference"] > 0)
    )
    both = RANKED["wins_over"].values
    assert not (both & both.swapaxes(-1, -2)).any()
    np.testing.assert_array_equal(RANKED["wins"], both.sum(axis=-1))


def test_what_survives_adjustment_is_decided_once():
    ranked = ss.rank(
        ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife")
    )
    np.testing.assert_array_equal(ranked["may_be_best"], ranked["p_best"] > 0.05)
    np.testing.assert_array_equal(ranked["differs_adjusted"], ranked["p_simultaneous"] <= 0.05)
    np.testing.assert_array_equal(RANKED["differs_adjusted"], RANKED["p_holm"] <= 0.05)
    assert "may_be_best" not in RANKED
    one_sided = ss.rank(
        ss.correlations.compare_correlations(
            ss.load_example(), method="williams1959", alternative="greater"
        )
    )
    p = one_sided["p_holm"].values.squeeze()
    either = one_sided["differs_adjusted"].values.squeeze()
    np.testing.assert_array_equal(either, np.fmin(p, p.T) <= 0.05)
    assert 0 < either.sum() < 56
    drawn = ss.rank(ss.compare(ss.load_example(), "kendall", random="systems", resamples=20))
    np.testing.assert_array_equal(drawn["differs_adjusted"], drawn["p_simultaneous"] <= 0.05)


def test_equal_r_shares_a_rank_and_a_cluster():
    human = np.arange(12.0).reshape(6, 2) ** 1.5
    noisy = human + np.array([0, 9, -9, 9, 0, -9])[:, None]
    scores = ss.make_scores(
        human, [noisy, human, noisy], systems=list("ABCDEF"), metrics=["a", "b", "c"]
    )
    ranked = ss.rank(ss.correlations.compare_correlations(scores)).squeeze()
    assert list(ranked["metric"].values) == ["b", "a", "c"]
    np.testing.assert_array_equal(ranked["rank"], [1, 2, 2])
    assert ranked["cluster"][1] == ranked["cluster"][2]


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")
def test_metrics_without_an_r_come_last_without_rank_or_cluster():
    human = np.arange(12.0).reshape(6, 2)
    scores = ss.make_scores(
        human, [np.ones((6, 2)), -human, human], systems=list("ABCDEF"), metrics=["a", "b", "c"]
    )
    with pytest.warns(DegenerateScoreWarning):
        ranked = ss.rank(ss.correlations.compare_correlations(scores)).squeeze()
    assert list(ranked["metric"].values) == ["c", "b", "a"]
    np.testing.assert_array_equal(ranked["rank"], [1, 2, np.nan])
    np.testing.assert_array_equal(ranked["cluster"], [1, 2, np.nan])
    np.testing.assert_array_equal(ranked["wins"], [1, 0, 0])


def test_what_holds_no_comparisons_is_refused():
    with pytest.raises(InputError, match="expected a result of compare or compare_correlations"):
        ss.rank(ss.correlations.correlate(ss.load_example()))


def clusters(values, *wins):
    over = np.zeros((len(values), len(values)), dtype=bool)
    for better, worse in wins:
        over[better, worse] = True
    return list(greedy_clusters(np.array(values, dtype=float), over))


# Worked by hand from the definition: from the top down, a metric significantly worse than any
# member of the current cluster opens the next.
def test_greedy_clusters_by_hand():
    assert clusters([3, 2, 1]) == [1, 1, 1]
    assert clusters([3, 2, 1], (0, 1), (0, 2), (1, 2)) == [1, 2, 3]
    assert clusters([3, 2, 1], (0, 2)) == [1, 1, 2]
    assert clusters([3, 2, 1], (0, 1)) == [1, 2, 2]
    # worse than the second member only
    assert clusters([4, 3, 2, 1], (1, 2)) == [1, 1, 2, 2]
    # beaten by a metric of an earlier cluster alone: no new cluster
    assert clusters([4, 3, 2, 1], (0, 1), (0, 2), (0, 3)) == [1, 2, 2, 2]
    # the order of the metrics is not the order of their values
    assert clusters([1, 3, 2], (1, 0), (1, 2)) == [2, 1, 2]


def test_greedy_clusters_leave_out_what_has_no_value():
    np.testing.assert_array_equal(clusters([np.nan, 2, 1], (1, 2)), [np.nan, 1, 2])
    np.testing.assert_array_equal(clusters([np.nan, np.nan]), [np.nan, np.nan])
    assert clusters([]) == []


@pytest.mark.parametrize("method", ["williams1959", "zou2007"])
def test_both_one_sided_alternatives_tell_the_same_wins(method):
    example = ss.load_example()
    greater, less = (
        ss.rank(
            ss.correlations.compare_correlations(example, method=method, alternative=alternative)
        )
        for alternative in ("greater", "less")
    )
    for name in ("wins_over", "wins", "cluster", "significant_pairs"):
        np.testing.assert_array_equal(greater[name], less[name])
    assert int(greater["significant_pairs"].item()) == int(greater["wins_over"].sum()) > 0


def test_the_lowest_error_is_the_best():
    scores = ss.load_example().sel(metric=["weak-40", "strong-95", "good-85"])
    compared = ss.compare(scores, ["MAE", "pearson"], resamples=99)
    ranked = ss.rank(compared)
    assert list(ranked["metric"].values) == ["strong-95", "good-85", "weak-40"]
    errors = ranked.sel(measure="MAE", basis="inputs").squeeze()
    assert (np.diff(errors["value"]) > 0).all()
    assert (ranked["rank"] == [1, 2, 3]).all()
    np.testing.assert_array_equal(
        errors["wins_over"], errors["significant"] & (errors["difference"] < 0)
    )
    assert errors["wins"][0] == 2
    assert errors["p_best"][0] == 1


def test_copies_of_a_metric_count_once():
    scores = ss.system_level_scores(ss.load_example())
    names = [*scores["metric"].values, "good-90", "good-90"]
    copied = scores.sel(metric=names).assign_coords(metric=[*names[:8], "twice", "again"])
    ranking = ss.rank(ss.correlations.compare_correlations(copied))
    assert ranking.sizes["metric"] == 10
    assert (ranking["distinct_metrics"] == 8).all()


def test_a_metric_that_two_sets_turn_in_opposite_directions_is_not_to_be_turned():
    scores = np.random.default_rng(2).normal(size=12)
    systems = {"systems": [f"s{i}" for i in range(12)], "metrics": ["a", "b"]}
    sets = {
        name: ss.make_system_scores(scores, [scores + 0.1, sign * scores], **systems)
        for name, sign in (("A", 1.0), ("B", -1.0))
    }
    with pytest.warns(ss.OrientationWarning, match="b .*in B.*clearly positive in another set"):
        ss.rank(sets, n=None)
