import numpy as np
import pytest
from scipy.stats import norm, t

from supersample.errors import InputError
from supersample.inference.two_correlations.system_scores import (
    jackknife_of_z,
    sampled_pairs,
    score_pairs,
    tempered_williams,
    williams_jackknife,
)
from tests.inference.two_correlations.system_samples import metric_scores

TESTS = (tempered_williams, jackknife_of_z, williams_jackknife)


def plainly(scores):
    """The three two-sided p-values and the sign, written anew from the formulas."""
    n = len(scores)
    r = np.corrcoef(scores.T)
    a, b, ab = r[0, 1], r[0, 2], r[1, 2]
    determinant = np.linalg.det(r)
    denominator = 2 * (n - 1) / (n - 3) * determinant + (a + b) ** 2 / 4 * (1 - ab) ** 3
    williams = (a - b) * np.sqrt((n - 1) * (1 + ab) / denominator)
    h, x, y = ((s - s.mean()) / s.std() for s in scores.T)
    u, v = x - y, 2 * h - (a + b) / 2 * (x + y)
    g = np.mean(u**2 * v**2) / (np.mean(u**2) * np.mean(v**2))
    k = np.mean(u**4) / np.mean(u**2) ** 2
    tempered = 2 * t.sf(abs(williams) / (g * k / 3) ** 0.375, n - 3)
    z = np.arctanh(r[0, 1:])
    left = np.array([np.arctanh(np.corrcoef(np.delete(scores, i, 0).T)[0, 1:]) for i in range(n)])
    variance = (n - 1) ** 2 / n * np.var(left[:, 0] - left[:, 1], ddof=1)
    jackknifed = 2 * t.sf(abs(z[0] - z[1]) / np.sqrt(variance), n - 1)
    q = 0.5 * norm.isf(tempered / 2) + 0.5 * norm.isf(jackknifed / 2)
    return np.array([tempered, jackknifed, 2 * norm.sf(q)]), np.sign(a - b)


@pytest.mark.parametrize("seed", range(5))
def test_plain_computation(seed):
    scores = metric_scores(7 + 3 * seed, [0.3, 0.6], seed)
    pairs = score_pairs(scores, [0], [1])
    expected, sign = plainly(scores)
    found = [test(pairs) for test in TESTS]
    np.testing.assert_allclose([x.p_value[0] for x in found], expected, rtol=1e-8)
    assert all(np.sign(x.statistic[0]) == sign for x in found)
    for share, alone in ((0.0, tempered_williams), (1.0, jackknife_of_z)):
        p = williams_jackknife(pairs, jackknife_share=share).p_value
        np.testing.assert_allclose(p, alone(pairs).p_value, rtol=1e-8)


@pytest.mark.parametrize("test", TESTS)
def test_alternatives_and_swapping(test):
    scores = metric_scores(12, [0.3, 0.6], seed=1)
    pairs, swapped = score_pairs(scores, [0], [1]), score_pairs(scores, [1], [0])
    np.testing.assert_allclose(test(pairs).statistic, -test(swapped).statistic, rtol=1e-10)
    greater, less = (test(pairs, alternative=x).p_value for x in ("greater", "less"))
    np.testing.assert_allclose(greater + less, 1.0)
    np.testing.assert_allclose(test(pairs).p_value, 2 * np.minimum(greater, less), rtol=1e-10)
    np.testing.assert_allclose(greater, test(swapped, alternative="less").p_value, rtol=1e-10)
    with pytest.raises(InputError, match="alternative"):
        test(pairs, alternative="both")


@pytest.mark.parametrize("test", TESTS)
def test_affine_changes_and_the_order_of_systems_change_nothing(test):
    scores = metric_scores(12, [0.3, 0.6], seed=2)
    changed = scores[np.random.default_rng(0).permutation(12)] * [2, 0.1, 30] + [1, 50, -9]
    np.testing.assert_allclose(
        test(score_pairs(scores, [0], [1])).p_value,
        test(score_pairs(changed, [0], [1])).p_value,
        rtol=1e-9,
    )


@pytest.mark.parametrize(
    ("draw", "williams_rejects"),
    [
        (lambda rng, size: rng.normal(size=size), (0.03, 0.07)),
        (lambda rng, size: rng.standard_t(4, size=size), (0.08, 0.2)),
        (lambda rng, size: rng.gamma(3, size=size) / np.sqrt(3), (0.08, 0.12)),
    ],
)
def test_level_at_little_noise(draw, williams_rejects):
    """Williams' test rejects equality too often where errors have tails; this one does not."""
    from supersample.inference.two_correlations.overlapping import williams1959

    rng = np.random.default_rng(20)
    quality = rng.normal(size=(6_000, 12, 1))
    errors = 0.25 * draw(rng, (6_000, 12, 2))
    pairs = sampled_pairs(np.concatenate([quality, quality + errors], axis=2))
    assert 0.03 <= (williams_jackknife(pairs).p_value <= 0.05).mean() <= 0.07
    williams = williams1959(pairs.r_a, pairs.r_b, pairs.r_ab, 12).p_value
    assert williams_rejects[0] <= (williams <= 0.05).mean() <= williams_rejects[1]
