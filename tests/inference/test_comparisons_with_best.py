"""Comparisons with the best, beside plain loops."""

from math import inf, sqrt

import numpy as np
import pytest
from scipy import optimize, stats

from supersample.inference.comparisons_with_best import (
    best_of_replicates,
    best_of_tests,
)
from tests.inference.two_correlations.system_samples import dunnett


def random_tests(count, seed):
    """Antisymmetric quantiles and differences, and upper limits, as of tests of all pairs."""
    rng = np.random.default_rng(seed)
    values = np.sort(rng.normal(size=count))[::-1] * 2.0
    noise = rng.normal(size=(count, count)) * 0.2
    q = values[:, np.newaxis] - values
    q = q + np.sign(q) * np.abs(noise + noise.T)
    d = 0.1 * (values[:, np.newaxis] - values)
    return q, d, d + 0.15


def plainly(q, d, upper, alpha):
    """p-values and limits, metric by metric."""
    count = len(q)
    c = max(optimize.brentq(lambda x: dunnett(x, count) - alpha, -9, 9), stats.norm.isf(alpha / 2))
    rows = []
    for k in range(count):
        p, low, high = 1.0, 0.0, 0.0
        for j in range(count):
            if j == k:
                continue
            if q[j][k] > 0:
                p = min(p, max(dunnett(q[j][k], count), 2 * stats.norm.sf(q[j][k])))
            if q[j][k] > c:
                low = max(low, d[j][k] * (1 - c / q[j][k]))
            high = max(high, upper[j][k])
        rows.append((p, low, high))
    for k, (p, low, high) in enumerate(rows):
        possible = [j for j in range(count) if j != k and q[j][k] < 0 and rows[j][0] > alpha]
        if not any(rows[j][0] > alpha for j in range(count) if j != k):
            rows[k] = p, low, 0.0
        elif high == 0 and possible:
            rows[k] = p, low, max(d[j][k] * (1 - c / abs(q[j][k])) for j in possible)
    return np.array(rows).T


@pytest.mark.parametrize("count", [1, 2, 3, 8])
@pytest.mark.parametrize("level", [0.95, 0.9])
def test_plain_computation(count, level):
    q, d, upper = random_tests(count, count)
    np.fill_diagonal(upper, 0.0)
    found = best_of_tests(q, d, upper, confidence_level=level)
    np.testing.assert_allclose(found, plainly(q, d, upper, 1 - level), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_a_metric_is_behind_exactly_where_it_is_ruled_out(seed):
    q, d, upper = random_tests(6, seed)
    found = best_of_tests(q, d, upper)
    np.testing.assert_array_equal(found.behind_lower > 0, found.p_best <= 0.05)
    assert (found.behind_lower <= found.behind_upper).all()
    assert found.p_best[0] == 1.0
    assert found.behind_lower[0] == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_the_leader_is_behind_exactly_where_another_could_be_the_best(seed):
    """Also where each pair's own limit says that the leader is ahead."""
    q, d, _ = random_tests(6, seed)
    found = best_of_tests(q, d, d * (1 + 1.96 / np.where(q == 0, 1.0, q) * np.sign(d)))
    assert (found.behind_upper[0] > 0) == (found.p_best[1:] > 0.05).any()
    assert (found.behind_upper[1:] > 0).all()


def test_copies_count_as_one_metric():
    q, d, upper = random_tests(4, 3)
    order = [0, 1, 2, 3, 3, 1]
    alone = best_of_tests(q, d, upper)
    copied = best_of_tests(*(x[np.ix_(order, order)] for x in (q, d, upper)))
    for one, other in zip(alone, copied, strict=True):
        np.testing.assert_array_equal(other, one[order])


def test_what_has_no_value_or_no_test_takes_no_part():
    q, d, upper = random_tests(4, 5)
    expected = best_of_tests(*(x[:3, :3] for x in (q, d, upper)))
    for x in (q, d, upper):
        x[3], x[:, 3] = np.nan, np.nan
    found = best_of_tests(q, d, upper)
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_array_equal(other[:3], one)
        assert np.isnan(other[3])


def test_nothing_is_known_of_a_metric_that_is_compared_with_no_other():
    q, d, upper = random_tests(4, 5)
    order = [0, 1, 2, 3, 3]
    q, d, upper = (x[np.ix_(order, order)] for x in (q, d, upper))
    q[:3, 3:], q[3:, :3] = np.nan, np.nan
    for x in best_of_tests(q, d, upper):
        np.testing.assert_array_equal(np.isnan(x), [False] * 3 + [True] * 2)
    alone = best_of_tests(*(x[3:, 3:] for x in (q, d, upper)))
    np.testing.assert_array_equal(alone.p_best, [1, 1])


def replicated(count, seed, *, replicates=199, units=30):
    rng = np.random.default_rng(seed)
    values = np.linspace(0.9, 0.9 - 0.02 * count, count)
    common = rng.normal(size=(replicates, 1)) * 0.02
    drawn = values + common + 0.02 * rng.normal(size=(replicates, count))
    left = values + 0.004 * rng.standard_t(3, size=(units, count))
    return values, drawn, left


def plain_replicates(values, drawn, left, alpha):
    """p-values and limits of replicates, number by number."""
    count, units = len(values), len(left)

    def spread(j, k):
        return sqrt(np.mean([((x[j] - x[k]) - (values[j] - values[k])) ** 2 for x in drawn]))

    def share(j, k):
        changes = left[:, j] - left[:, k]
        squares = (changes - changes.mean()) ** 2
        return squares.max() / squares.sum()

    rows = []
    for k in range(count):
        others = [j for j in range(count) if j != k]
        wide = {j: spread(j, k) for j in others}
        null = sorted(
            max(0.0, *(((x[j] - x[k]) - (values[j] - values[k])) / wide[j] for j in others))
            for x in drawn
        )
        error = {j: wide[j] * sqrt((1 + share(j, k)) * units / (units - 1)) for j in others}
        t = {j: (values[j] - values[k]) / error[j] for j in others}
        q = {j: -stats.norm.ppf(stats.t.sf(t[j], units - 1)) for j in others}
        top = max(q.values())
        reached = (1 + sum(x >= top * (1 - 1e-12) for x in null)) / (1 + len(null))
        p = max(reached, 2 * stats.norm.sf(top)) if top > 0 else 1.0
        allowed = int(alpha * (1 + len(null)) + 1e-9) - 1
        c = max(null[-1 - allowed] if allowed >= 0 else inf, stats.norm.isf(alpha / 2))
        lows = [(values[j] - values[k]) * (1 - c / q[j]) for j in others if q[j] > c]
        arm = stats.t.isf(alpha / 2, units - 1)
        highs = [values[j] - values[k] + arm * error[j] for j in others]
        rows.append((p, max(lows, default=0.0) if p <= alpha else 0.0, max(0.0, *highs)))
    return np.array(rows).T


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_plain_computation_of_replicates(count, level):
    given = replicated(count, count)
    found = best_of_replicates(*given, confidence_level=level)
    np.testing.assert_allclose(found, plain_replicates(*given, 1 - level), atol=1e-12)
    np.testing.assert_array_equal(found.behind_lower > 0, found.p_best <= round(1 - level, 12))


def test_copies_constants_and_nan_of_replicates():
    values, drawn, left = replicated(4, 2)
    alone = best_of_replicates(values, drawn, left)
    order = [0, 1, 2, 3, 3, 0]
    copied = best_of_replicates(values[order], drawn[:, order], left[:, order])
    for one, other in zip(alone, copied, strict=True):
        np.testing.assert_allclose(other, one[order], atol=1e-12)
    absent = [x.copy() for x in (values, drawn, left)]
    for x in absent:
        x[..., 3] = np.nan
    found = best_of_replicates(*absent)
    few = best_of_replicates(values[:3], drawn[:, :3], left[:, :3])
    for one, other in zip(few, found, strict=True):
        np.testing.assert_allclose(other[:3], one)
        assert np.isnan(other[3])
    np.testing.assert_array_equal(
        best_of_replicates([0.5], np.full((9, 1), 0.4), left[:, :1]).p_best, [1.0]
    )


def test_a_metric_without_a_value_on_a_replicate_is_not_compared():
    values, drawn, left = replicated(3, 4)
    drawn[7, 1] = np.nan
    found = np.array(best_of_replicates(values, drawn, left))
    others = [0, 2]
    assert np.isnan(found[:, 1]).all()
    apart = best_of_replicates(values[others], drawn[:, others], left[:, others])
    np.testing.assert_allclose(found[:, others], apart, rtol=1e-12)


def test_a_replicate_without_any_value_is_left_out():
    values, drawn, left = replicated(3, 4)
    drawn[7] = np.nan
    found = best_of_replicates(values, drawn, left)
    without = best_of_replicates(values, np.delete(drawn, 7, axis=0), left)
    np.testing.assert_array_equal(found, without)
    nothing = best_of_replicates(values, np.full_like(drawn, np.nan), left)
    assert np.isnan(nothing).all()
