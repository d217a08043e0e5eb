"""One test and the interval that is its inversion."""

import numpy as np
import pytest
from experiments.difference.procedure import (
    fisher_jackknife,
    fisher_jackknife_interval,
)
from scipy import stats

from supersample.errors import InputError
from supersample.inference.two_correlations.fisher_jackknife import sampled_pairs, score_pairs
from tests.inference.two_correlations.system_samples import metric_scores


def plainly(scores):
    """t and its p-value, written anew from the formulas."""
    n, r = len(scores), np.corrcoef(scores.T)
    a, b, ab = r[0, 1], r[0, 2], r[1, 2]
    c = ((ab - a * b / 2) * (1 - a**2 - b**2 - ab**2) + ab**3) / ((1 - a**2) * (1 - b**2))
    z = np.arctanh(r[0, 1:])
    left = np.array([np.arctanh(np.corrcoef(np.delete(scores, i, 0).T)[0, 1:]) for i in range(n)])
    normal = 2 * (1 - c) / (n - 3)
    jackknife = (n - 1) ** 2 / n * np.var(left[:, 0] - left[:, 1], ddof=1)
    t = (z[0] - z[1]) / np.sqrt(normal * max(1, jackknife / normal) ** (n / (n + 6)))
    return t, 2 * stats.t.sf(abs(t), n - 2)


@pytest.mark.parametrize("seed", range(5))
def test_plain_computation(seed):
    scores = metric_scores(8 + 3 * seed, [0.3, 0.6], seed)
    found = fisher_jackknife(score_pairs(scores, [0], [1]))
    np.testing.assert_allclose(np.ravel(found), plainly(scores), rtol=1e-8)


def drawn(seed, samples=6_250):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 25))
    quality, *errors = rng.standard_t(3, (3, samples, n))
    sizes = rng.uniform(0.01, 1, 2)
    metrics = [quality + size * error for size, error in zip(sizes, errors, strict=True)]
    return np.stack([quality, *metrics], axis=2)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_interval_leaves_out_zero_exactly_where_the_test_rejects(level):
    """Over 100,000 samples, at any level."""
    for seed in range(16):
        pairs = sampled_pairs(drawn(seed))
        lower, upper = fisher_jackknife_interval(pairs, confidence_level=level)
        rejects = fisher_jackknife(pairs).p_value < round(1 - level, 12)
        np.testing.assert_array_equal((lower > 0) | (upper < 0), rejects)
        difference = pairs.r_a - pairs.r_b
        assert ((lower <= difference) & (difference <= upper)).all()


def test_the_order_of_metrics_changes_the_sign_alone():
    scores = metric_scores(14, [0.1, 0.2, 0.5, 0.9, 1.4], seed=3)
    first, second = np.triu_indices(5, 1)
    pairs, turned = score_pairs(scores, first, second), score_pairs(scores, second, first)
    np.testing.assert_array_equal(
        fisher_jackknife(pairs).statistic, -fisher_jackknife(turned).statistic
    )
    lower, upper = fisher_jackknife_interval(pairs)
    np.testing.assert_allclose(fisher_jackknife_interval(turned), (-upper, -lower), rtol=1e-12)
    greater, less = (fisher_jackknife(pairs, alternative=x).p_value for x in ("greater", "less"))
    np.testing.assert_allclose(greater + less, 1.0)
    np.testing.assert_allclose(greater, fisher_jackknife(turned, alternative="less").p_value)


def test_copies_opposites_and_undefined_scores():
    scores = metric_scores(12, [0.3, 0.6], seed=5)
    scores[:, 2] = 3 * scores[:, 1] + 7
    same = score_pairs(scores, [0], [1])
    assert np.ravel(fisher_jackknife(same)).tolist() == [0.0, 1.0]
    assert np.ravel(fisher_jackknife_interval(same)).tolist() == [0.0, 0.0]
    scores[:, 2] = -scores[:, 1]
    assert fisher_jackknife(score_pairs(scores, [0], [1])).p_value[0] < 0.05
    few = score_pairs(scores[:4], [0], [1])
    assert np.isnan(fisher_jackknife(few).p_value).all()
    assert np.isnan(fisher_jackknife_interval(few)).all()
    with pytest.raises(InputError, match="confidence level"):
        fisher_jackknife_interval(same, confidence_level=1.0)
