from itertools import product

import numpy as np
import pytest

from supersample.errors import InputError
from supersample.inference.resampling.p_values import holm
from supersample.inference.two_correlations.best_set import compare_metrics, sign_flips
from supersample.inference.two_correlations.system_scores import score_pairs, williams_jackknife
from tests.inference.two_correlations.system_samples import metric_scores


def plainly(scores, signs):
    """p-values in the set, metric by metric and flip by flip."""
    n, metrics = len(scores), range(scores.shape[1] - 1)
    z = np.arctanh(np.corrcoef(scores.T)[0, 1:])
    left = np.array([np.arctanh(np.corrcoef(np.delete(scores, i, 0).T)[0, 1:]) for i in range(n)])
    influence = (n - 1) * (left.mean(axis=0) - left) * np.sqrt(n / (n - 3))
    kept, p_values, largest = list(metrics), {}, 0.0
    while len(kept) > 1:
        if len(kept) == 2:
            p = float(williams_jackknife(score_pairs(scores, [kept[0]], [kept[1]])).p_value[0])
        else:

            def farthest(values):
                mean = sum(values) / len(values)
                return max(abs(value - mean) for value in values)

            observed = farthest([z[k] for k in kept])
            reached = 1
            for sign in signs:
                flipped = [sum(sign[i] * influence[i, k] for i in range(n)) / n for k in kept]
                reached += farthest(flipped) >= observed * (1 - 1e-12)
            p = reached / (1 + len(signs))
        largest = max(largest, p)
        worst = min(kept, key=lambda k: z[k])
        p_values[worst] = largest
        kept.remove(worst)
    p_values[kept[0]] = 1.0
    return np.array([p_values[k] for k in metrics])


@pytest.mark.parametrize("turned", [False, True])  # a metric that is against people is the worst
@pytest.mark.parametrize("noise", [(0.1, 0.3, 0.9, 1.5), (0.1, 0.2, 1.2)])
@pytest.mark.parametrize("seed", range(3))
def test_plain_computation(seed, noise, turned):
    scores = metric_scores(8, noise, seed)
    scores[:, 2] *= -1.0 if turned else 1.0
    signs = sign_flips(8)
    found = compare_metrics(scores, signs)
    first, second = np.triu_indices(len(noise), 1)
    p = williams_jackknife(score_pairs(scores, first, second)).p_value
    np.testing.assert_array_equal(found.p_values[first, second], p)
    doubled = np.minimum(1, 2 * holm(p))
    np.testing.assert_array_equal(found.adjusted[second, first], doubled)
    r = np.corrcoef(scores.T)[0, 1:]
    expected = np.minimum(1, 2 * plainly(scores, signs))
    for pair, (i, j) in zip(doubled, zip(first, second, strict=True), strict=True):
        loser = i if r[i] < r[j] else j
        expected[loser] = min(expected[loser], pair)
    np.testing.assert_allclose(found.may_be_best, expected)


def test_signs_are_all_there_are_or_drawn():
    assert {tuple(x) for x in sign_flips(4)} == {
        (1, *rest) for rest in product((1.0, -1.0), repeat=3)
    } - {(1, 1, 1, 1)}
    drawn = sign_flips(12, 50, seed=3)
    assert drawn.shape == (50, 12)
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    np.testing.assert_array_equal(drawn, sign_flips(12, 50, seed=3))
    np.testing.assert_array_equal(drawn[:20], sign_flips(12, 20, seed=3))
    assert (drawn != sign_flips(12, 50, seed=4)).any()
    assert sign_flips(100, 5).shape == (5, 100)
    with pytest.raises(InputError, match="at least one flip"):
        sign_flips(5, 0)


def test_the_order_of_metrics_and_affine_changes_change_nothing():
    scores = metric_scores(12, [0.1, 0.2, 0.5, 0.9], seed=4)
    found = compare_metrics(scores, sign_flips(12))
    order = [2, 0, 3, 1]
    changed = scores[:, [0, *(1 + k for k in order)]] * [3, 2, 0.1, 5, 1] + [1, 2, 3, 4, 5]
    other = compare_metrics(changed, sign_flips(12))
    np.testing.assert_allclose(other.may_be_best, found.may_be_best[order])
    np.testing.assert_allclose(other.adjusted, found.adjusted[np.ix_(order, order)])


def test_copies_share_their_result_and_change_no_others():
    scores = metric_scores(12, [0.1, 0.2, 0.9], seed=5)
    alone = compare_metrics(scores, sign_flips(12))
    copied = np.column_stack([scores, 3 * scores[:, 3] + 7, scores[:, 1] - 4])
    found = compare_metrics(copied, sign_flips(12))
    np.testing.assert_array_equal(found.may_be_best, alone.may_be_best[[0, 1, 2, 2, 0]])
    assert found.adjusted[2, 3] == found.adjusted[0, 4] == 1.0
    order = [0, 1, 2, 2, 0]
    np.testing.assert_array_equal(found.adjusted, alone.adjusted[np.ix_(order, order)])


def test_metrics_without_a_correlation_take_no_part():
    scores = metric_scores(12, [0.1, 0.2, 0.9, 0.5], seed=6)
    expected = compare_metrics(scores[:, :4], sign_flips(12))
    scores[:, 4] = 1.0
    found = compare_metrics(scores, sign_flips(12))
    np.testing.assert_array_equal(found.may_be_best[:3], expected.may_be_best)
    np.testing.assert_array_equal(found.adjusted[:3, :3], expected.adjusted)
    assert np.isnan(found.may_be_best[3])
    assert np.isnan(found.adjusted[3]).all()


@pytest.mark.parametrize("metrics", [1, 2])
def test_one_or_two_metrics(metrics):
    scores = metric_scores(12, [0.1, 0.9][:metrics], seed=7)
    found = compare_metrics(scores, sign_flips(12))
    assert found.may_be_best[0] == 1.0
    if metrics == 2:
        p = float(williams_jackknife(score_pairs(scores, [0], [1])).p_value[0])
        assert found.may_be_best[1] == found.adjusted[0, 1] == p


def test_nothing_is_defined_with_few_systems():
    found = compare_metrics(metric_scores(4, [0.1, 0.2, 0.3], seed=8), sign_flips(4))
    assert np.isnan(found.may_be_best).all()
    assert np.isnan(found.adjusted).all()


def test_opposite_metrics_are_no_error():
    scores = metric_scores(12, [0.1, 0.2], seed=9)
    scores[:, 2] = -scores[:, 1]
    assert (compare_metrics(scores, sign_flips(12)).may_be_best == 1.0).all()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="signs"):
        compare_metrics(np.zeros((5, 3)), sign_flips(6))


def test_equally_good_metrics_are_seldom_told_apart():
    """Unadjusted, the largest of ten claims wins in most samples."""
    claims = 0
    for seed in range(200):
        scores = metric_scores(12, [0.3] * 10, seed=1_000 + seed)
        claims += bool((compare_metrics(scores, sign_flips(12, 199)).adjusted <= 0.05).any())
    assert claims <= 17  # of 200; 5 % of samples give more with a chance of .01


def test_a_metric_that_is_far_better_is_alone():
    scores = metric_scores(20, [0.05, 1.0, 1.2, 1.1], seed=10, quality_noise=0.0)
    found = compare_metrics(scores, sign_flips(20))
    np.testing.assert_array_equal(found.may_be_best > 0.05, [True, False, False, False])
    assert (found.adjusted[0, 1:] <= 0.05).all()
