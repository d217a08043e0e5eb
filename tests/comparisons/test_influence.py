import numpy as np
import pytest

import supersample as ss

EXAMPLE = ss.load_example()


def test_each_row_is_the_ranking_without_that_system():
    influence = ss.leave_one_out(EXAMPLE, method="williams1959")
    systems = ss.hybrid_supersample(EXAMPLE, n=4)
    for i in (0, 8):
        fewer = ss.make_system_scores(
            np.delete(systems["system_human"].values, i),
            np.delete(systems["system_score"].values, i, axis=0).T,
            systems=np.delete(systems["system"].values, i),
            metrics=list(systems["metric"].values),
            higher_is_better=list(systems["higher_is_better"].values),
        )
        ranked = ss.rank(ss.correlations.compare_correlations(fewer, method="williams1959")).isel(
            basis=0
        )
        own = influence.isel(system=i).sel(metric=ranked["metric"].values)
        own = own.sel(other_metric=ranked["metric"].values)
        np.testing.assert_allclose(own["r_without"], ranked["value"], rtol=1e-10)
        np.testing.assert_array_equal(own["rank_without"], ranked["rank"])
        np.testing.assert_array_equal(own["wins_over_without"], ranked["wins_over"])


def test_metrics_that_differ_on_one_system_alone_are_identical_without_it():
    rng = np.random.default_rng(1)
    human, other = rng.normal(size=(2, 20))
    one = human + 0.3 * rng.normal(size=20)
    two = np.concatenate([[one[0] + 6], one[1:]])
    names = [f"s{i:02}" for i in range(20)]
    systems = ss.make_system_scores(
        human, [one, two, other], systems=names, metrics=["one", "two", "other"]
    )
    influence = ss.leave_one_out(systems)
    metrics = influence["metric"].values
    order = {"metric": metrics, "other_metric": metrics}
    for i in range(20):
        fewer = systems.isel(system=np.delete(np.arange(20), i))
        ranked = ss.rank(ss.correlations.compare_correlations(fewer)).isel(basis=0)
        wins = ranked["wins_over"].sel(order).values
        changed = wins != influence["wins_over"].values
        np.testing.assert_array_equal(influence["wins_over_without"].values[i], wins)
        assert influence["wins_changed"].values[i] == np.triu(changed | changed.T).sum()
    assert influence["wins_over"].sel(metric="one", other_metric="two")
    assert not influence["wins_over_without"].sel(metric="one", other_metric="two", system="s00")
    assert influence["wins_over_without"].sel(metric="one", other_metric="two", system="s01")


def test_changes_are_counted_by_pair():
    influence = ss.leave_one_out(EXAMPLE)
    for i in range(12):
        before, after = influence["wins_over"].values, influence["wins_over_without"].values[i]
        pairs = {frozenset(pair) for pair in np.argwhere(before != after).tolist()}
        assert influence["wins_changed"].values[i] == len(pairs)


def test_a_metric_that_one_system_carries():
    systems = ss.make_system_scores(
        [1.0, 2.0, 3.0, 4.0, 50.0],
        [[2.0, 1.0, 2.0, 1.0, 40.0], [1.0, 2.0, 3.0, 4.0, 5.0]],
        systems=list("ABCDE"),
        metrics=["carried", "steady"],
    )
    influence = ss.leave_one_out(systems)
    assert influence["r"].sel(metric="carried") > 0.99
    assert influence["r_without"].sel(metric="carried", system="E") < 0
    assert influence["largest_change"].argmax("system") == 4


def test_four_systems_are_too_few():
    systems = ss.make_system_scores(
        [1, 2, 3, 4], [[1, 3, 2, 4]], systems=list("ABCD"), metrics=["m"]
    )
    with pytest.raises(ss.InputError, match="at least 5"):
        ss.leave_one_out(systems)


def test_a_pair_whose_order_turns_round_without_a_system_is_counted():
    rng = np.random.default_rng(0)
    human = rng.normal(size=20)
    steady = human + 0.8 * rng.normal(size=20)
    fooled = human + 0.1 * rng.normal(size=20)
    fooled[0] += 5.0
    systems = ss.make_system_scores(
        human,
        [steady, fooled],
        systems=[f"s{i:02}" for i in range(20)],
        metrics=["steady", "fooled"],
    )
    influence = ss.leave_one_out(systems)
    pair = {"metric": "fooled", "other_metric": "steady"}
    assert list(influence["metric"].values) == ["steady", "fooled"]
    assert not influence["wins_over"].any()
    assert influence["wins_over_without"].sel(pair).values[0]
    assert influence["wins_changed"].values[0] == 1
