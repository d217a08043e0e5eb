import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import norm
from scipy.stats import t as student

from experiments.sets.measure import on_z
from supersample.inference.one_correlation import LEAST_SHARE
from supersample.inference.two_correlations.averages import (
    Errors,
    SetDifferences,
    average_difference,
    jackknife_differences,
    over_new_sets,
    set_differences,
)
from supersample.inference.two_correlations.fisher_jackknife import (
    fisher_jackknife,
    fisher_jackknife_interval,
    score_pairs,
)

FIRST, SECOND = np.triu_indices(4, 1)
NAMES = np.array([f"system {i}" for i in range(12)])
OTHERS = np.char.add(NAMES, " of two")


def group(seed, n=12, metrics=4, noise=(0.2, 0.8)):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    errors = rng.normal(size=(n, metrics)) * np.linspace(*noise, metrics)
    return np.column_stack([quality, quality[:, np.newaxis] + errors])


def pairs_of(scores):
    return score_pairs(scores, FIRST, SECOND)


def averaged(sets, systems, measured=set_differences, **options):
    return average_difference(measured(sets, systems, **options))


ONE, TWO = pairs_of(group(1)), pairs_of(group(2))


@pytest.mark.parametrize("copies", [1, 4])
def test_one_group_under_any_number_of_names_has_its_own_test_and_interval(copies):
    found = averaged([ONE] * copies, [NAMES] * copies)
    np.testing.assert_allclose(found.p_value, fisher_jackknife(ONE).p_value, rtol=1e-9)
    lower, upper = fisher_jackknife_interval(ONE)
    np.testing.assert_allclose(found.lower, lower, rtol=1e-9)
    np.testing.assert_allclose(found.upper, upper, rtol=1e-9)
    z = averaged([ONE] * copies, [NAMES] * copies, on_z)
    np.testing.assert_allclose(z.difference, ONE.z_a - ONE.z_b)
    excluded = (z.lower > 0) | (z.upper < 0)
    np.testing.assert_array_equal(excluded, z.p_value <= 0.05)


def test_the_slope_of_equal_correlations_is_the_limit_of_those_of_nearly_equal_ones():
    half = np.random.default_rng(3).normal(size=(2, 6))
    quality = np.concatenate([half[0], -half[0, ::-1]])
    first = quality + np.concatenate([half[1], half[1] ** 2])
    second = -first[::-1]  # another metric of the same r
    found = []
    for more in (0.0, 1e-3):
        scores = np.column_stack([quality, first, second + more * quality])
        pairs = score_pairs(scores, *np.triu_indices(2, 1))
        found.append(set_differences([pairs], [NAMES]).slope.item())
    assert abs(pairs.r_a - pairs.r_b).item() > 1e-6
    np.testing.assert_allclose(*found, rtol=1e-3)


def plainly(sets, systems, k):
    """D, S and n - 2 of pair k, written anew from the formulas, system by system."""
    count = len(sets)
    differences = np.array([(x.r_a - x.r_b)[k] for x in sets])
    slopes = differences / np.array([(x.z_a - x.z_b)[k] for x in sets])
    normal = slopes * np.sqrt([x.normal_variance[k] for x in sets]) / count
    jackknife = slopes * np.sqrt([x.jackknife_variance[k] for x in sets]) / count
    nu, rho = np.eye(count), np.eye(count)
    for g, h in zip(*np.triu_indices(count, 1), strict=True):
        c = []
        for of in ("left", "u", "v"):
            x, y = (part_of(sets[i], of)[:, k] for i in (g, h))
            product = shared = 0
            for i, name in enumerate(systems[g]):
                for j in np.flatnonzero(systems[h] == name):
                    product, shared = product + x[i] * y[j], shared + 1
            c.append(product / np.sqrt((x**2).sum() * (y**2).sum()))
        rho[g, h] = rho[h, g] = c[0]
        most = np.sqrt(len(systems[g]) * len(systems[h])) / max(shared, 1)
        nu[g, h] = nu[h, g] = np.clip(c[1] * c[2] * most, -1, 1)
    variances = [max(e @ r @ e, LEAST_SHARE * e @ e) for e, r in ((normal, nu), (jackknife, rho))]
    share = normal * (nu @ normal) / np.sqrt([x.n - 2 for x in sets])
    freedom = (normal @ nu @ normal) ** 2 / (share @ nu**2 @ share)
    n = freedom + 2
    raised = max(1, variances[1] / variances[0]) ** (n / (n + 6))
    return differences.mean(), np.sqrt(variances[0] * raised), freedom


@pytest.mark.parametrize("shared", [12, 7, 0])
def test_plain_computation(shared):
    """The second group has its systems in reverse."""
    systems = NAMES, np.concatenate([OTHERS[shared:], NAMES[:shared][::-1]])
    sets = set_differences([ONE, TWO], systems)
    found = average_difference(sets)
    for k in range(FIRST.size):
        mean, error, freedom = plainly([ONE, TWO], systems, k)
        assert found.difference[k] == pytest.approx(mean)
        assert sets.error[k] == pytest.approx(error)
        assert sets.mean_freedom[k] == pytest.approx(freedom)
        p = 2 * student.sf(abs(mean) / error, freedom)
        assert norm.isf(found.p_value[k] / 2) == pytest.approx(norm.isf(p / 2), abs=0.15)
    z = on_z([ONE, TWO], systems)
    t = stdtrit(z.mean_freedom, 0.975)
    found = average_difference(z)
    np.testing.assert_allclose(found.upper, z.mean + t * z.error)
    np.testing.assert_allclose(found.lower, z.mean - t * z.error)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("measured", [set_differences, on_z])
def test_limits_leave_out_zero_exactly_where_equality_is_rejected(level, measured):
    for seed in range(8):
        sets = [pairs_of(group(10 * seed + i, n=8 + i, noise=(0.1, 1.0))) for i in range(3)]
        systems = [np.arange(8 + i) + 3 * i for i in range(3)]
        found = average_difference(
            measured(sets, systems, weights=[1, 2, 3]), confidence_level=level
        )
        excluded = (found.lower > 0) | (found.upper < 0)
        np.testing.assert_array_equal(excluded, found.p_value < 1 - level)


def test_weights_count_by_their_sum_and_none_leaves_a_group_out():
    alone = averaged([ONE], [NAMES])
    for found in (
        averaged([ONE, TWO], [NAMES, NAMES], weights=[3, 0]),
        averaged([ONE, TWO], [NAMES, NAMES], weights=[[2.0] * 6, [0.0] * 6]),
    ):
        for one, other in zip(found, alone, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9)
    found = averaged([ONE, TWO], [NAMES, OTHERS], weights=[3, 1])
    np.testing.assert_allclose(
        found.difference, 0.75 * (ONE.r_a - ONE.r_b) + 0.25 * (TWO.r_a - TWO.r_b)
    )


def part_of(pairs, name):
    if name == "left":
        left = pairs.left_a - pairs.left_b
        return left - left.mean(axis=0)
    if name == "u":
        return pairs.a - pairs.b
    return 2 * pairs.human - (pairs.r_a + pairs.r_b) / 2 * (pairs.a + pairs.b)


def test_new_sets_are_tested_by_their_differences():
    sets = [pairs_of(group(seed)) for seed in range(6)]
    systems = [np.char.add(NAMES, f" of {i}") for i in range(6)]
    found = over_new_sets(on_z(sets, systems))
    differences = np.array([each.z_a - each.z_b for each in sets])
    mean, error = differences.mean(axis=0), differences.std(axis=0, ddof=1) / np.sqrt(6)
    fixed = averaged(sets, systems, on_z)
    p = 2 * student.sf(np.abs(mean) / error, 5)
    np.testing.assert_allclose(found.averaged.p_value, np.maximum(p, fixed.p_value))
    arm = np.maximum(student.ppf(0.975, 5) * error, fixed.upper - mean)
    np.testing.assert_allclose(found.averaged.upper - mean, arm)
    plain = [(x.normal_variance * x.jackknife_variance) ** 0.25 for x in sets]
    tau2 = np.maximum(differences.var(axis=0, ddof=1) - np.square(plain).mean(axis=0), 0)
    np.testing.assert_allclose(found.tau**2, tau2)
    np.testing.assert_allclose(found.i_squared, tau2 / (tau2 + np.square(plain).mean(axis=0)))
    reach = np.hypot(arm, student.ppf(0.975, 5) * np.sqrt(tau2))
    np.testing.assert_allclose(found.prediction_upper, mean + reach)
    few = over_new_sets(set_differences(sets[:4], systems[:4]))
    assert np.isnan(few.averaged.p_value).all()
    assert np.isnan(few.tau).all()


@pytest.mark.parametrize("weights", [(1,) * 5, (5, 1, 1, 1, 1), (10, 1, 1, 1, 1)])
def test_new_sets_of_unequal_weights_keep_the_level(weights):
    """Equal metrics in 4,000 samples of five sets; nothing but the sets varies."""
    rng = np.random.default_rng(1)
    one, many = np.ones((5, 4_000)), np.eye(5)[..., np.newaxis] * np.ones(4_000)
    share = np.array(weights)[:, np.newaxis] * one / sum(weights)
    errors = Errors(1e-9 * one, many)
    same = np.zeros(one.shape, bool)
    drawn = rng.normal(size=one.shape)
    sets = SetDifferences(share, drawn, one, 20 * one, errors, errors, same)
    found = over_new_sets(sets)
    assert (found.averaged.p_value <= 0.05).mean() < 0.07
    w = share[:, 0]
    between = (w**2 * (drawn.T - w @ drawn[:, 0]) ** 2)[0] / (1 - 2 * w + w @ w)
    width = found.averaged.upper[0] - found.averaged.difference[0]
    assert width > student.ppf(0.975, 4) * np.sqrt(between.sum()) * (1 - 1e-9)


@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_sets_of_the_same_systems_have_the_degrees_of_freedom_of_one(shared):
    """Equal metrics in 1,000 samples of five sets of ten systems, by a mean over systems."""
    rng = np.random.default_rng(5)
    shape = (1_000, 10, 5)
    of_system, own = rng.normal(size=(*shape[:2], 1)), rng.normal(size=shape)
    gaps = np.sqrt(shared) * of_system + np.sqrt(1 - shared) * own
    values = [np.stack([x, 0 * x]).T for x in gaps.mean(axis=1).T]
    left = [(gaps.sum(axis=1, keepdims=True) - gaps)[..., g] / 9 for g in range(5)]
    p = []
    for i in range(shape[0]):
        both = [np.stack([x[i], 0 * x[i]], axis=1) for x in left]
        sets = jackknife_differences([v[i] for v in values], both, [np.arange(10)] * 5)
        assert sets.mean_freedom == pytest.approx(9)
        p.append(average_difference(sets).p_value[0])
    assert 0.015 < np.mean(np.array(p) <= 0.05) < 0.06
    apart = [np.arange(10) + 10 * g for g in range(5)]
    assert jackknife_differences([v[0] for v in values], both, apart).mean_freedom > 20


def of_r(scores):
    """Fisher's z of r, and z without each system, as any measure gives its values."""
    r = [np.corrcoef(np.delete(scores, out, axis=0).T)[0, 1:] for out in ([], *range(len(scores)))]
    return np.arctanh(r[0]), np.arctanh(r[1:])


def by_jackknife(tables, systems, **options):
    values, left_out = zip(*map(of_r, tables), strict=True)
    return jackknife_differences(values, left_out, systems, **options)


def test_the_closed_form_of_r_is_held_to_the_jackknife_of_any_measure():
    tables = [group(seed, n=400, noise=(0.5, 0.6)) for seed in (1, 2, 3)]
    names = np.arange(600)
    systems = [names[:400], names[100:500], names[200:]]
    pairs = [pairs_of(table) for table in tables]
    fast, generic = on_z(pairs, systems), by_jackknife(tables, systems)
    np.testing.assert_allclose(fast.difference, generic.difference, atol=1e-12)
    np.testing.assert_allclose(fast.jackknife.sizes, generic.jackknife.sizes, atol=1e-9)
    rho = fast.jackknife.correlations
    np.testing.assert_allclose(rho, generic.jackknife.correlations, atol=1e-9)
    np.testing.assert_allclose(fast.error, generic.error, rtol=0.1)
    one, other = average_difference(fast), average_difference(generic)
    np.testing.assert_allclose(one.statistic, other.statistic, rtol=0.1, atol=0.05)
    new, again = over_new_sets(fast), over_new_sets(generic)
    np.testing.assert_allclose(new.averaged.difference, again.averaged.difference)


def test_a_difference_that_no_system_moves_says_nothing():
    value, still = np.array([0.75, 0.5, 0.5]), np.tile([0.75, 0.5, 0.5], (6, 1))
    found = average_difference(jackknife_differences([value], [still], [np.arange(6)]))
    np.testing.assert_allclose(found.p_value, [*[2 * student.sf(1, 5)] * 2, 1])
