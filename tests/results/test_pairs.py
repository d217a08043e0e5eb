"""One rule of significance, and matrices of pairs."""

import numpy as np
import pytest

from supersample.results.pairs import (
    adjusted_p_values,
    excludes_zero,
    identical_items,
    is_significant,
)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_p_at_the_bound_is_significant_at_every_level(level):
    p = np.array([round(1 - level, 12), round(1 - level, 12) + 1e-9, np.nan])
    assert is_significant(p, 1 - level).tolist() == [True, False, False]


def test_an_interval_that_touches_zero_does_not_exclude_it():
    lower, upper = np.array([0.1, 0.0, -0.2, -0.3, np.nan]), np.array([0.2, 0.2, 0.2, -0.1, 1.0])
    assert excludes_zero(lower, upper).tolist() == [True, False, False, True, False]


def test_p_values_are_adjusted_over_all_pairs():
    p = np.array([[[1.0, 0.01, 0.04], [0.01, 1.0, 0.03], [0.04, 0.03, 1.0]]])
    found = adjusted_p_values(p, "two-sided")
    first, second = np.triu_indices(3, 1)
    np.testing.assert_allclose(found["p_holm"][0, first, second], [0.03, 0.06, 0.06])
    np.testing.assert_array_equal(found["p_holm"][0], found["p_holm"][0].T)


def test_one_sided_adjustment_counts_ordered_pairs():
    p = np.array([[0.5, 0.01], [0.99, 0.5]])
    found = adjusted_p_values(p, "greater")["p_holm"]
    assert found.tolist() == [[0.5, 0.02], [0.99, 0.5]]


def test_items_that_are_told_apart_by_their_last_value_are_not_identical():
    long = np.random.default_rng(0).normal(size=40)
    other, constant, missing = long.copy(), np.ones(40), np.full(40, np.nan)
    other[-1] += 1e-9
    same = identical_items([[long], [3 * long + 1], [other], [constant], [2 * constant], [missing]])
    expected = np.eye(6, dtype=bool)
    expected[0, 1] = expected[1, 0] = True
    np.testing.assert_array_equal(same, expected)
