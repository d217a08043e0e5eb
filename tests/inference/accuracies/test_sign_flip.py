import numpy as np
import pytest
from scipy import stats

from supersample import InputError
from supersample.inference.pairs_of_systems import (
    _normal_cdf,
    normal_p_values,
    normal_p_values_of_moments,
    pair_differences,
    system_pairs,
)
from tests.signed_sums import exact_p_values


def example(units=200, systems=5):
    rng = np.random.default_rng(0)
    return rng.normal(size=(systems, units)) + np.linspace(0.0, 0.3, systems)[:, None]


@pytest.mark.parametrize("p_values", [normal_p_values, exact_p_values])
def test_identical_systems_get_a_half_and_at_least_gets_one(p_values):
    d = pair_differences([[1.0, 25.200000000000003], [1.0, 25.2]])
    assert p_values(d).tolist() == [0.5]
    assert p_values(d, convention="at_least").tolist() == [1.0]


def test_exact_p_is_scipys_by_exhaustion():
    # scipy exhausts all 2^12 sign assignments when n_resamples is that many or more
    x, y = np.round(example(12, 2), 1)
    result = stats.permutation_test(
        (x, y),
        lambda a, b: np.round(np.sum(a - b), 6),
        permutation_type="samples",
        alternative="greater",
        n_resamples=2**12,
    )
    p = exact_p_values(pair_differences([x, y]), convention="at_least")
    assert p == pytest.approx(result.pvalue, abs=1e-12)


def test_normal_p_tends_to_the_exact_one():
    gaps = []
    for units in (10, 40, 160):
        d = pair_differences(example(units))
        gaps.append(np.abs(normal_p_values(d) - exact_p_values(d)).max())
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 2e-3


def test_normal_p_does_not_depend_on_scale_and_has_a_value_for_constant_scores():
    d = pair_differences(example())
    np.testing.assert_allclose(normal_p_values(3.0 * d), normal_p_values(d), rtol=1e-12)
    assert normal_p_values(pair_differences(np.full((2, 9), 0.1))).tolist() == [0.5]
    assert normal_p_values_of_moments(2.0, 1.0) == pytest.approx(stats.norm.sf(2.0))


def test_the_tabulated_normal_distribution_is_scipys():
    z = np.concatenate([np.linspace(-9.5, 9.5, 20011), [-9.0, 9.0, 0.0]])
    table = np.array([_normal_cdf(x) for x in z])
    assert np.abs(table - stats.norm.cdf(z)).max() < 1e-15


def test_one_segment_has_a_defined_value():
    # two signs: the observed sum and its negative
    d = pair_differences([[2.0], [1.0]])
    assert exact_p_values(d).tolist() == [0.25]
    assert exact_p_values(d, convention="at_least").tolist() == [0.5]


def test_unusable_input_is_refused():
    with pytest.raises(InputError, match="needs at least two systems, not 1"):
        pair_differences([[1.0, 2.0]])
    with pytest.raises(InputError, match="finite scores"):
        pair_differences([[1.0, np.nan], [1.0, 2.0]])
    assert list(zip(*system_pairs(3), strict=True)) == [(0, 1), (0, 2), (1, 2)]
