import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import t as student

from supersample import InputError
from supersample.inference.one_correlation import interval_of_r
from supersample.inference.two_correlations.fisher_jackknife import (
    fisher_jackknife,
    fisher_jackknife_interval,
    largest_difference,
    sampled_pairs,
    score_pairs,
)
from supersample.inference.two_correlations.overlapping import williams1959, zou2007
from tests.inference.two_correlations.system_samples import metric_scores


def plainly(scores, level=0.95):
    """t, p and both limits, written anew from the formulas, the ellipse by an optimiser."""
    n = len(scores)
    r = np.corrcoef(scores.T)
    a, b, ab = r[0, 1], r[0, 2], r[1, 2]
    c = ((ab - a * b / 2) * (1 - a**2 - b**2 - ab**2) + ab**3) / ((1 - a**2) * (1 - b**2))
    z = np.arctanh(r[0, 1:])
    left = np.array([np.arctanh(np.corrcoef(np.delete(scores, i, 0).T)[0, 1:]) for i in range(n)])
    normal = 2 * (1 - c) / (n - 3)
    ratio = (n - 1) ** 2 / n * np.var(left[:, 0] - left[:, 1], ddof=1) / normal
    raised = max(1, ratio) ** (n / (n + 6))
    t = (z[0] - z[1]) / np.sqrt(normal * raised)
    m = student.ppf((1 + level) / 2, n - 2) * np.sqrt(raised)

    def limit(sign):
        def difference(angle):
            x = z[0] + m * np.cos(angle) / np.sqrt(n - 3)
            y = z[1] + m * (c * np.cos(angle) + np.sqrt(1 - c * c) * np.sin(angle)) / np.sqrt(n - 3)
            return sign * (np.tanh(x) - np.tanh(y))

        options = {"xatol": 1e-9}
        found = [
            minimize_scalar(difference, bounds=(s, s + 1), method="bounded", options=options)
            for s in np.linspace(0, 2 * np.pi, 13)
        ]
        return sign * min(each.fun for each in found)

    return t, 2 * student.sf(abs(t), n - 2), limit(1), limit(-1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_plain_computation(seed, level):
    scores = metric_scores(8 + 3 * seed, [0.2 + 0.1 * seed, 0.4], seed)
    pairs = score_pairs(scores, [0], [1])
    found = (*fisher_jackknife(pairs), *fisher_jackknife_interval(pairs, confidence_level=level))
    np.testing.assert_allclose([x[0] for x in found], plainly(scores, level), rtol=1e-9, atol=1e-12)


def heavy(samples, seed):
    """Samples of 5 to 30 systems, of any tails, quality and gap."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 31))
    quality = rng.standard_t(rng.uniform(2, 30), size=(samples, n, 1))
    sizes = np.exp(rng.uniform(-4, 1, size=(samples, 1, 2)))
    common = rng.normal(size=(samples, n, 1)) * np.exp(rng.uniform(-4, 1, size=(samples, 1, 1)))
    errors = rng.standard_t(rng.uniform(2, 30), size=(samples, n, 2)) * sizes + common
    return sampled_pairs(np.concatenate([quality, quality + errors], axis=2))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_interval_leaves_out_zero_exactly_where_the_test_rejects(seed, level):
    pairs = heavy(300, seed)
    lower, upper = fisher_jackknife_interval(pairs, confidence_level=level)
    rejected = fisher_jackknife(pairs).p_value < 1 - level
    np.testing.assert_array_equal((lower > 0) | (upper < 0), rejected)
    assert 0 < rejected.sum() < 300
    assert ((lower <= pairs.r_a - pairs.r_b) & (pairs.r_a - pairs.r_b <= upper)).all()


def test_swapping_the_metrics_turns_everything_round():
    for seed in range(20):
        scores = metric_scores(7 + seed, [0.3, 0.6], seed)
        pairs, swapped = score_pairs(scores, [0], [1]), score_pairs(scores, [1], [0])
        assert fisher_jackknife(pairs).statistic == -fisher_jackknife(swapped).statistic
        lower, upper = fisher_jackknife_interval(pairs)
        of_swapped = fisher_jackknife_interval(swapped)
        np.testing.assert_allclose((-upper, -lower), of_swapped, rtol=0, atol=1e-12)
        greater, less = (
            fisher_jackknife(pairs, alternative=x).p_value for x in ("greater", "less")
        )
        np.testing.assert_allclose(greater + less, 1.0)
        both = fisher_jackknife(pairs).p_value
        np.testing.assert_allclose(both, 2 * np.minimum(greater, less), rtol=1e-10)
    with pytest.raises(InputError, match="alternative"):
        fisher_jackknife(pairs, alternative="both")
    with pytest.raises(InputError, match="confidence level"):
        fisher_jackknife_interval(pairs, confidence_level=1.0)


def test_affine_changes_and_the_order_of_systems_change_nothing():
    scores = metric_scores(12, [0.3, 0.6], seed=3)
    changed = scores[np.random.default_rng(0).permutation(12)] * [2, 0.1, 30] + [1, 50, -9]
    for function in (fisher_jackknife, fisher_jackknife_interval):
        found = function(score_pairs(scores, [0], [1]))
        np.testing.assert_allclose(function(score_pairs(changed, [0], [1])), found, rtol=1e-8)


def test_near_copies_are_compared_by_their_small_differences():
    """1 - r of both metrics is 1e-14 there, which their correlation alone does not show."""
    rng = np.random.default_rng(4)
    quality, error, noise = rng.normal(size=(3, 14))
    found = []
    for size in (1e-3, 1e-5, 1e-7):
        scores = np.column_stack([quality, quality + 0.3 * error, quality + 0.3 * error])
        scores[:, 2] += size * noise
        pairs = score_pairs(scores, [0], [1])
        lower, upper = fisher_jackknife_interval(pairs)
        found.append([fisher_jackknife(pairs).p_value[0], lower[0] / size, upper[0] / size])
    np.testing.assert_allclose(found[1:], found[:1] * np.ones((2, 1)), rtol=0.01)


def test_opposite_metrics_and_a_metric_that_repeats_the_human_scores():
    scores = metric_scores(12, [0.3, 0.6], seed=7)
    opposite = np.column_stack([scores[:, :2], -scores[:, 1]])
    pairs = score_pairs(opposite, [0], [1])
    lower, upper = fisher_jackknife_interval(pairs)
    assert fisher_jackknife(pairs).p_value < 0.05
    assert 0 < lower[0] < 2 * pairs.r_a[0] < upper[0] < 2
    scores[:, 1] = 2 * scores[:, 0] + 1
    lower, upper = fisher_jackknife_interval(score_pairs(scores, [0], [1]))
    assert 0 < lower[0] < 1 - np.corrcoef(scores.T)[0, 2] < upper[0] < 2


def test_many_systems_give_the_delta_method():
    """The interval is then Zou's, and the test Williams', to first order."""
    pairs = score_pairs(metric_scores(4_000, [0.3, 0.35], seed=4), [0], [1])
    zou = zou2007(pairs.r_a, pairs.r_b, pairs.r_ab, 4_000)
    raised = np.sqrt(pairs.variance / pairs.normal_variance)
    middle = (zou.lower + zou.upper) / 2
    arm = (zou.upper - zou.lower) / 2 * raised
    np.testing.assert_allclose(
        fisher_jackknife_interval(pairs), (middle - arm, middle + arm), atol=1e-4
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
    rng = np.random.default_rng(20)
    quality = rng.normal(size=(6_000, 12, 1))
    errors = 0.25 * draw(rng, (6_000, 12, 2))
    pairs = sampled_pairs(np.concatenate([quality, quality + errors], axis=2))
    assert 0.02 <= (fisher_jackknife(pairs).p_value <= 0.05).mean() <= 0.06
    williams = williams1959(pairs.r_a, pairs.r_b, pairs.r_ab, 12).p_value
    assert williams_rejects[0] <= (williams <= 0.05).mean() <= williams_rejects[1]


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


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_interval_of_one_r_by_a_plain_loop(level):
    for n, heavy in ((5, 1), (12, 1), (24, 4)):
        scores = metric_scores(n, [0.3, 0.6], seed=n)
        scores[0] *= heavy
        found = interval_of_r(scores, confidence_level=level)
        for k in (0, 1):
            pair = scores[:, [0, 1 + k]]
            z = np.arctanh(np.corrcoef(pair.T)[0, 1])
            left = [np.arctanh(np.corrcoef(np.delete(pair, i, 0).T)[0, 1]) for i in range(n)]
            ratio = (n - 3) * (n - 1) / n * np.sum((left - np.mean(left)) ** 2)
            arm = np.sqrt(max(1, ratio) ** (n / (n + 6)) / (n - 3))
            arm *= student.ppf((1 + level) / 2, n - 2)
            np.testing.assert_allclose(
                [found.lower[k], found.upper[k]], np.tanh([z - arm, z + arm]), rtol=1e-9
            )


def test_the_interval_of_one_r_is_known_where_r_is_one_or_unknown():
    scores = metric_scores(12, [0.3, 0.6, 0.9], seed=1)
    scores[:, 1], scores[:, 2], scores[:, 3] = 3 * scores[:, 0] - 1, -scores[:, 0], 2.0
    lower, upper = interval_of_r(scores)
    np.testing.assert_allclose(lower, [1, -1, np.nan], atol=1e-11)
    np.testing.assert_allclose(upper, [1, -1, np.nan], atol=1e-11)
    assert np.isnan(interval_of_r(metric_scores(4, [0.3], seed=1))).all()
