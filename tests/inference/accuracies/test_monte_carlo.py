import numpy as np
import pytest
from scipy import stats

from supersample.engine.permutations import permuted_totals
from supersample.inference.accuracies.accuracy import monte_carlo_p_values, p_values_of_counts
from supersample.inference.accuracies.sign_flip import (
    pair_differences,
    system_pairs,
)
from tests.signed_sums import exact_p_values


def example(kind="continuous"):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4, 150, 2)) + 0.1 * np.arange(4)[:, None, None]
    return np.round(values, 0) if kind == "lattice" else values


@pytest.mark.parametrize("kind", ["continuous", "lattice"])
@pytest.mark.parametrize("convention", ["mid", "at_least"])
@pytest.mark.parametrize("masks", ["shared", "independent"])
def test_drawn_p_values_are_within_their_error_of_exact_ones(kind, convention, masks):
    values = example(kind)
    null = permuted_totals(values, seed=0, replicates=20000, masks=masks)
    drawn = monte_carlo_p_values(null, values, convention=convention)
    exact = exact_p_values(pair_differences(values.transpose(2, 0, 1)), convention=convention)
    assert (np.abs(drawn - exact) <= 5 * np.sqrt(exact * (1 - exact) / 20000)).all()


def test_drawn_p_values_agree_with_scipys_permutation_test():
    values = example()
    drawn = monte_carlo_p_values(permuted_totals(values, seed=0, replicates=5000), values)
    pair = 0
    for i in range(4):
        for j in range(i + 1, 4):
            p = stats.permutation_test(
                (values[i, :, 0], values[j, :, 0]),
                lambda a, b, axis: np.mean(a - b, axis=axis),
                permutation_type="samples",
                alternative="greater",
                vectorized=True,
                n_resamples=5000,
                rng=np.random.default_rng(pair),
            ).pvalue
            # two draws of 5,000 differ by at most five standard errors of their difference
            assert abs(p - drawn[0, pair]) < 5 * np.sqrt(2 * max(p * (1 - p), 1e-4) / 5000)
            pair += 1


def test_counts_are_those_of_a_plain_loop():
    values = example("lattice")
    null = permuted_totals(values, seed=3, replicates=300)
    observed = values.sum(axis=1)
    p = monte_carlo_p_values(null, values)
    pair = 0
    for i in range(4):
        for j in range(i + 1, 4):
            difference = np.rint(null[:, i, 1] - null[:, j, 1])
            target = np.rint(observed[i, 1] - observed[j, 1])
            mid = (difference > target).mean() + (difference == target).mean() / 2
            assert p[1, pair] == pytest.approx(mid, abs=1e-12)
            pair += 1


@pytest.mark.parametrize("estimator", ["k/B", "(k+1)/(B+1)"])
def test_mid_p_adds_to_one_whatever_the_order_of_systems(estimator):
    values = example("lattice")
    back = values[::-1].copy()
    p, q = (
        monte_carlo_p_values(permuted_totals(x, seed=1, replicates=999), x, estimator=estimator)
        for x in (values, back)
    )
    pairs = list(zip(*system_pairs(4), strict=True))
    reverse = [pairs.index((3 - j, 3 - i)) for i, j in pairs]
    np.testing.assert_allclose(p + q[:, reverse], 1.0, atol=1e-12)


def test_identical_systems_get_exactly_a_half():
    values = example()
    values[2] = values[1]
    p = monte_carlo_p_values(permuted_totals(values, seed=0), values)
    assert p[:, 3].tolist() == [0.5, 0.5]


def test_estimators_by_name():
    counts = np.array([0, 9]), np.array([0, 1])
    assert p_values_of_counts(*counts, 99).tolist() == [0.0, 9.5 / 99]
    at_least = {"convention": "at_least", "estimator": "(k+1)/(B+1)"}
    assert p_values_of_counts(*counts, 99, **at_least).tolist() == [0.01, 0.11]
    with pytest.raises(ValueError, match="no estimator 'k'; there are k/B"):
        p_values_of_counts(*counts, 99, estimator="k")
