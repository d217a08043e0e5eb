import numpy as np
import pytest
from scipy.stats import t as student

from supersample.errors import InputError
from supersample.inference.one_correlation.intervals import LEAST_SHARE
from supersample.inference.two_correlations.averages import (
    average_difference,
    jackknife_differences,
    over_new_sets,
    set_correlations,
    set_differences,
)
from supersample.inference.two_correlations.system_scores import (
    projection_interval,
    score_pairs,
    williams_jackknife,
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


def averaged(sets, systems, **options):
    return average_difference(set_differences(sets, systems, **options))


ONE, TWO = pairs_of(group(1)), pairs_of(group(2))


@pytest.mark.parametrize("copies", [1, 4])
def test_one_group_under_any_number_of_names_has_its_own_test_and_interval(copies):
    found = averaged([ONE] * copies, [NAMES] * copies)
    np.testing.assert_allclose(found.p_value, williams_jackknife(ONE).p_value, rtol=1e-9)
    lower, upper = projection_interval(ONE)
    np.testing.assert_allclose(found.lower, lower, rtol=1e-9)
    np.testing.assert_allclose(found.upper, upper, rtol=1e-9)
    z = averaged([ONE] * copies, [NAMES] * copies, scale="z")
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


def test_independent_groups_add_their_errors_in_squares():
    found = averaged([ONE, TWO], [NAMES, OTHERS])
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
    apart = averaged([ONE, ONE], [NAMES, OTHERS])
    once = averaged([ONE], [NAMES])
    np.testing.assert_allclose(apart.statistic, np.sqrt(2) * once.statistic)


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


@pytest.mark.parametrize("shared", [12, 7])
def test_shared_systems_count_by_what_they_say_in_both_groups(shared):
    """A second route to rho, system by system; the second group has its systems in reverse."""
    systems = NAMES, np.concatenate([OTHERS[shared:], NAMES[:shared][::-1]])
    found = averaged([ONE, TWO], systems)
    for k in range(FIRST.size):
        error = [((p.r_a - p.r_b) / williams_jackknife(p).statistic)[k] for p in (ONE, TWO)]
        sums = np.zeros((3, 3))  # of jackknife, u and v: products, squares of one and of the other
        for row, of in enumerate(("left", "u", "v")):
            x, y = (part_of(p, of)[:, k] for p in (ONE, TWO))
            for i in range(shared):
                sums[row, 0] += x[i] * y[11 - i]
            sums[row, 1:] = (x**2).sum(), (y**2).sum()
        c = sums[:, 0] / np.sqrt(sums[:, 1] * sums[:, 2])
        rho = (c[0] + np.clip(c[1] * c[2] * 12 / shared, -1, 1)) / 2
        apart = error[0] ** 2 + error[1] ** 2
        square = max(apart + 2 * rho * error[0] * error[1], LEAST_SHARE * apart)
        assert found.statistic[k] == pytest.approx(found.difference[k] / (np.sqrt(square) / 2))


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
    found = over_new_sets(set_differences(sets, systems, scale="z"))
    differences = np.array([each.z_a - each.z_b for each in sets])
    least = differences.mean(axis=0) / averaged(sets, systems, scale="z").statistic
    error = np.maximum(differences.std(axis=0, ddof=1) / np.sqrt(6), np.abs(least))
    mean = differences.mean(axis=0)
    np.testing.assert_allclose(found.averaged.p_value, 2 * student.sf(np.abs(mean) / error, 5))
    fixed = averaged(sets, systems, scale="z").upper - mean
    arm = np.maximum(student.ppf(0.975, 5) * error, fixed)
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
    fast, generic = set_differences(pairs, systems, scale="z"), by_jackknife(tables, systems)
    np.testing.assert_allclose(fast.difference, generic.difference, atol=1e-12)
    np.testing.assert_allclose(set_correlations(pairs, systems)[0], generic.correlations, atol=1e-9)
    np.testing.assert_allclose(fast.error, generic.error, rtol=0.08)
    np.testing.assert_allclose(fast.above, generic.above, rtol=0.1)
    one, other = average_difference(fast), average_difference(generic)
    np.testing.assert_allclose(one.statistic, other.statistic, rtol=0.1, atol=0.05)
    new, again = over_new_sets(fast), over_new_sets(generic)
    np.testing.assert_allclose(new.averaged.difference, again.averaged.difference)


def test_a_difference_that_no_system_moves_says_nothing():
    value, still = np.array([0.75, 0.5, 0.5]), np.tile([0.75, 0.5, 0.5], (6, 1))
    found = average_difference(jackknife_differences([value], [still], [np.arange(6)]))
    np.testing.assert_allclose(found.p_value, [*[2 * student.sf(1, 5)] * 2, 1])


def test_mistakes_are_refused():
    with pytest.raises(InputError, match="an average needs a group"):
        set_differences([], [])
    with pytest.raises(InputError, match="a name for each of its systems"):
        set_differences([ONE, pairs_of(group(3, n=9))], [NAMES, NAMES])
    with pytest.raises(InputError, match="no scale 'rho'"):
        set_differences([ONE], [NAMES], scale="rho")
