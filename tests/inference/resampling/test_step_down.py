import numpy as np
import pytest

from supersample.inference.p_values import may_be_best, step_down_p_values


def plain_step_down(observed, null):
    """Westfall and Young (1993), algorithm 2.8, for |difference| by its root mean square."""
    scale = np.sqrt(np.mean(np.vstack([observed, null]) ** 2, axis=0))
    t, replicates = np.abs(observed) / scale, np.abs(null) / scale
    left, adjusted, largest = list(range(len(t))), np.empty(len(t)), 0.0
    while left:
        top = max(left, key=lambda pair: t[pair])
        count = sum(max(row[left]) >= t[top] for row in replicates)
        largest = adjusted[top] = max(largest, (1 + count) / (1 + len(null)))
        left.remove(top)
    return adjusted


@pytest.fixture
def joint():
    rng = np.random.default_rng(5)
    items = rng.normal(size=(199, 5)) * [1, 1, 3, 0.2, 1]
    first, second = np.triu_indices(5, 1)
    return rng.normal(size=10) * 2, items[:, first] - items[:, second]


def test_agrees_with_the_definition(joint):
    np.testing.assert_allclose(step_down_p_values(*joint), plain_step_down(*joint))


def test_replicates_that_fall_short_by_rounding_alone_reach_what_was_observed():
    observed = np.array([0.1 + 0.2, 0.05])
    null = np.array([[0.3, -0.05], [0.01, 0.02], [-0.3, 0.01], [0.02, -0.01]])
    assert observed[0] > null[0, 0]
    np.testing.assert_allclose(step_down_p_values(observed, null)[0], 3 / 5)


def test_identical_and_undefined_pairs_take_no_part(joint):
    observed, null = joint
    more = np.concatenate([observed, [0.0, np.nan]])
    wider = np.column_stack([null, np.zeros(199), np.full(199, np.nan)])
    found = step_down_p_values(more, wider)
    np.testing.assert_array_equal(found[:10], step_down_p_values(observed, null))
    np.testing.assert_array_equal(found[10:], [1.0, np.nan])


def test_the_level_is_exact_where_all_are_exchangeable():
    """A scale of replicates alone is larger where they are, and rejects 11 % of these."""
    drawn = np.random.default_rng(2).normal(size=(2_000, 1 + 39, 20))
    claims = [(step_down_p_values(each[0], each[1:]) <= 0.05).any() for each in drawn]
    assert 0.035 <= np.mean(claims) <= 0.065  # 0.05 +- 3 standard errors


def test_what_may_be_the_best():
    p = np.array([[1, 0.2, 0.01], [0.2, 1, 0.04], [0.01, 0.04, 1]])
    np.testing.assert_array_equal(may_be_best([0.9, 0.8, 0.7], p), [1.0, 0.2, 0.01])
    # a significant difference to one behind leaves a metric where it is
    np.testing.assert_array_equal(may_be_best([0.7, 0.8, 0.9], p), [0.01, 0.04, 1.0])
    np.testing.assert_array_equal(may_be_best([0.9, np.nan, 0.7], p), [1.0, np.nan, 0.01])


def test_rounding_is_no_difference(joint):
    observed, null = joint
    rounding = np.random.default_rng(2).choice([-1e-16, 0.0, 1e-16], size=199)
    found = step_down_p_values([*observed, 2e-16], np.column_stack([null, rounding]))
    np.testing.assert_array_equal(found, [*step_down_p_values(observed, null), 1.0])
    # replicates of a true hypothesis that vary count among the others', whatever was observed
    varied = np.column_stack([null, null[:, 0]])
    found = step_down_p_values([*observed, 1e-16], varied)
    np.testing.assert_array_equal(found, step_down_p_values([*observed, 0.0], varied))
    assert found[-1] == 1.0


def test_nobody_is_ahead_by_rounding():
    p = np.array([[1, 0.002], [0.002, 1]])
    np.testing.assert_array_equal(may_be_best([0.9 + 1e-15, 0.9], p), [1.0, 1.0])
    np.testing.assert_array_equal(may_be_best([0.9 + 1e-9, 0.9], p), [1.0, 0.002])


def test_without_a_p_value_against_one_ahead_it_is_unknown():
    p = np.array([[1, 0.3, np.nan], [0.3, 1, 0.2], [np.nan, 0.2, 1]])
    np.testing.assert_array_equal(may_be_best([0.9, 0.8, 0.7], p), [1.0, 0.3, np.nan])
    np.testing.assert_array_equal(may_be_best([0.7, 0.8, 0.9], p), [np.nan, 0.2, 1.0])
