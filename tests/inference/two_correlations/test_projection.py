import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from supersample.errors import InputError
from supersample.inference.two_correlations.extremes import largest_difference
from supersample.inference.two_correlations.overlapping import zou2007
from supersample.inference.two_correlations.system_scores import (
    projected_limits,
    projection_interval,
    sampled_pairs,
    score_pairs,
)
from tests.inference.two_correlations.system_samples import metric_scores


def plainly(scores, scale=1.0):
    """Both limits, written anew from the module's formulas, the ellipse by an optimiser."""
    n = len(scores)
    r = np.corrcoef(scores.T)
    a, b, ab = r[0, 1], r[0, 2], r[1, 2]
    c = ((ab - a * b / 2) * (1 - a**2 - b**2 - ab**2) + ab**3) / ((1 - a**2) * (1 - b**2))
    z = np.arctanh(r[0, 1:])
    left = np.array([np.arctanh(np.corrcoef(np.delete(scores, i, 0).T)[0, 1:]) for i in range(n)])

    def jackknife(x):
        return (n - 1) ** 2 / n * np.var(x, ddof=1)

    normal, variance = 2 * (1 - c) / (n - 3), jackknife(left[:, 0] - left[:, 1])
    weights = 1 - np.abs(r[0, 1:])
    level = np.exp(np.average([np.log((n - 3) * jackknife(x)) for x in left.T], weights=weights))
    statistic = min(abs(z[0] - z[1]) / np.sqrt(normal**0.8 * variance**0.2), 4)
    size = scale * 1.86 * (variance / normal) ** 0.12 * level**0.11
    towards, away = size * np.exp(0.14 * statistic), size * np.exp(0.04 * statistic)

    def limit(m, sign):
        def difference(angle):
            x = z[0] + m * np.cos(angle) / np.sqrt(n - 3)
            y = z[1] + m * (c * np.cos(angle) + np.sqrt(1 - c * c) * np.sin(angle)) / np.sqrt(n - 3)
            return sign * (np.tanh(x) - np.tanh(y))

        starts = np.linspace(0, 2 * np.pi, 13)
        best = min(
            minimize_scalar(
                difference, bounds=(s, s + 1), method="bounded", options={"xatol": 1e-9}
            ).fun
            for s in starts
        )
        return sign * best

    low, high = (towards, away) if z[0] >= z[1] else (away, towards)
    return limit(low, 1), limit(high, -1)


@pytest.mark.parametrize("seed", range(5))
def test_plain_computation(seed):
    scores = metric_scores(8 + 3 * seed, [0.2 + 0.1 * seed, 0.4], seed)
    lower, upper = projection_interval(score_pairs(scores, [0], [1]))
    expected = plainly(scores)
    np.testing.assert_allclose((lower[0], upper[0]), expected, rtol=1e-12)


def test_another_level_scales_the_ellipse():
    scores = metric_scores(12, [0.3, 0.5], seed=1)
    found = projection_interval(score_pairs(scores, [0], [1]), confidence_level=0.9)
    expected = plainly(scores, scale=1.6448536 / 1.9599640)
    np.testing.assert_allclose([x[0] for x in found], expected, rtol=1e-6)
    with pytest.raises(InputError, match="confidence level"):
        projection_interval(score_pairs(scores, [0], [1]), confidence_level=1.0)


def test_limits_are_the_extremes_on_any_ellipse():
    """Also where two maxima are nearly equal, and where an ellipse is long, thin or large."""
    rng = np.random.default_rng(0)
    total, apart = (rng.normal(size=300) * 10 ** rng.uniform(-2, 1.2, 300) for _ in range(2))
    reach, arm = 10 ** rng.uniform(-2, 2.5, 300), 10 ** rng.uniform(-3, 2, 300)
    apart = np.where(rng.random(300) < 0.6, -arm * (1 + 10 ** rng.uniform(-3, 1, 300)), apart)
    found = largest_difference(np.abs(total), apart, reach, arm)
    turns = np.arctan(np.geomspace(1e-8, 1e8, 40_001))
    turns = np.concatenate([-turns, [0.0], turns])[:, np.newaxis]
    for part in np.split(np.arange(300), 30):
        s = np.abs(total[part]) + reach[part] * np.sin(turns)
        d = apart[part] + arm[part] * np.cos(turns)
        expected = (np.tanh((s + d) / 2) - np.tanh((s - d) / 2)).max(axis=0)
        assert (found[part] >= expected - 1e-12).all()
        np.testing.assert_allclose(found[part], expected, rtol=1e-6, atol=1e-12)


def test_swapping_the_metrics_turns_the_interval_round():
    scores = metric_scores(12, [0.3, 0.6], seed=2)
    lower, upper = projection_interval(score_pairs(scores, [0], [1]))
    swapped = projection_interval(score_pairs(scores, [1], [0]))
    np.testing.assert_allclose((-upper, -lower), swapped, rtol=1e-13)


def test_affine_changes_and_the_order_of_systems_change_nothing():
    scores = metric_scores(12, [0.3, 0.6], seed=3)
    changed = scores[np.random.default_rng(0).permutation(12)] * [2, 0.1, 30] + [1, 50, -9]
    np.testing.assert_allclose(
        projection_interval(score_pairs(scores, [0], [1])),
        projection_interval(score_pairs(changed, [0], [1])),
        rtol=1e-8,
    )


def test_many_systems_give_the_delta_method():
    """With m 1.96 the projection of the normal ellipse is Zou's interval to first order."""
    pairs = score_pairs(metric_scores(4_000, [0.3, 0.35], seed=4), [0], [1])
    zou = zou2007(pairs.r_a, pairs.r_b, pairs.r_ab, 4_000)
    np.testing.assert_allclose(projected_limits(pairs, 1.959964, 1.959964), zou, atol=3e-5)


def test_a_metric_that_repeats_the_human_scores():
    """Its r is 1 for certain, and the interval is the other metric's, turned round."""
    scores = metric_scores(12, [0.3, 0.6], seed=7)
    scores[:, 1] = 2 * scores[:, 0] + 1
    lower, upper = projection_interval(score_pairs(scores, [0], [1]))
    r = np.corrcoef(scores.T)[0, 2]
    assert 0 < lower[0] < 1 - r < upper[0] < 2


@pytest.mark.parametrize("errors", ["normal", "t4"])
def test_coverage_at_little_noise(errors):
    """Zou's interval covers .88 where errors are t with 4 degrees of freedom; this one does not."""
    rng = np.random.default_rng(21)
    quality = rng.normal(size=(4_000, 14, 1))
    size = (4_000, 14, 2)
    drawn = rng.normal(size=size) if errors == "normal" else rng.standard_t(4, size) / np.sqrt(2)
    pairs = sampled_pairs(np.concatenate([quality, quality + 0.3 * drawn], axis=2))
    lower, upper = projection_interval(pairs)
    assert ((lower <= 0) & (upper >= 0)).mean() >= 0.93
    zou = zou2007(pairs.r_a, pairs.r_b, pairs.r_ab, 14)
    if errors == "normal":
        assert (upper - lower).mean() <= 1.05 * (zou.upper - zou.lower).mean()
    else:
        assert ((zou.lower <= 0) & (zou.upper >= 0)).mean() < 0.92
