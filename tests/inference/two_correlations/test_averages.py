import numpy as np
import pytest

from supersample.errors import InputError
from supersample.inference.two_correlations.averages import average_difference
from supersample.inference.two_correlations.system_scores import (
    projection_interval,
    score_pairs,
    williams_jackknife,
)

FIRST, SECOND = np.triu_indices(4, 1)


def group(seed, n=12, metrics=4):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    noise = rng.normal(size=(n, metrics)) * np.linspace(0.2, 0.8, metrics)
    return np.column_stack([quality, quality[:, np.newaxis] + noise])


def pairs_of(scores):
    return score_pairs(scores, FIRST, SECOND)


ONE, TWO = pairs_of(group(1)), pairs_of(group(2))


@pytest.mark.parametrize("shared", [False, True])
def test_of_one_group_it_is_the_test_and_the_interval_of_that_group(shared):
    found = average_difference([ONE], shared_systems=shared)
    np.testing.assert_allclose(found.p_value, williams_jackknife(ONE).p_value, rtol=1e-9)
    lower, upper = projection_interval(ONE)
    np.testing.assert_allclose(found.lower, lower, rtol=1e-9)
    np.testing.assert_allclose(found.upper, upper, rtol=1e-9)
    z = average_difference([ONE], scale="z", shared_systems=shared)
    np.testing.assert_allclose(z.difference, ONE.z_a - ONE.z_b)
    excluded = (z.lower > 0) | (z.upper < 0)
    np.testing.assert_array_equal(excluded, z.p_value <= 0.05)


def test_the_same_scores_twice_tell_no_more_than_once():
    once, twice = average_difference([ONE]), average_difference([ONE, ONE], shared_systems=True)
    for alone, together in zip(once, twice, strict=True):
        np.testing.assert_allclose(together, alone, rtol=1e-9)
    apart = average_difference([ONE, ONE])
    np.testing.assert_allclose(apart.statistic, np.sqrt(2) * once.statistic)


def test_independent_groups_add_their_errors_in_squares():
    found = average_difference([ONE, TWO])
    for k in range(FIRST.size):
        differences, errors, below = [], [], []
        for pairs in (ONE, TWO):
            difference = (pairs.r_a - pairs.r_b)[k]
            differences.append(difference)
            errors.append(difference / williams_jackknife(pairs).statistic[k])
            below.append(difference - projection_interval(pairs).lower[k])
        mean = np.mean(differences)
        assert found.difference[k] == pytest.approx(mean)
        assert found.statistic[k] == pytest.approx(mean / (np.hypot(*errors) / 2))
        assert found.lower[k] == pytest.approx(mean - np.hypot(*below) / 2)


def test_shared_systems_count_by_the_correlation_of_left_out_values():
    found = average_difference([ONE, TWO], shared_systems=True)
    k = 2
    errors = [((p.r_a - p.r_b) / williams_jackknife(p).statistic)[k] for p in (ONE, TWO)]
    left = [(p.left_a - p.left_b)[:, k] for p in (ONE, TWO)]
    rho = (1 + 3 * np.corrcoef(*left)[0, 1]) / 4
    error = np.sqrt(errors[0] ** 2 + errors[1] ** 2 + 2 * rho * errors[0] * errors[1]) / 2
    assert found.statistic[k] == pytest.approx(found.difference[k] / error)


def test_copies_are_the_same_and_gaps_stay_undefined():
    scores = [group(seed) for seed in (1, 2)]
    for table in scores:
        table[:, 2] = 3 * table[:, 1] + 1
    found = average_difference([pairs_of(table) for table in scores])
    assert (found.difference[0], found.lower[0], found.upper[0], found.p_value[0]) == (0, 0, 0, 1)
    scores[0][:, 4] = 7.0
    found = average_difference([pairs_of(table) for table in scores])
    assert np.isnan(found.p_value).tolist() == [False, False, True, False, True, True]


def test_mistakes_are_refused():
    with pytest.raises(InputError, match="an average needs a group"):
        average_difference([])
    with pytest.raises(InputError, match="same number"):
        average_difference([ONE, pairs_of(group(3, n=9))], shared_systems=True)
    with pytest.raises(InputError, match="no scale 'rho'"):
        average_difference([ONE], scale="rho")
