import numpy as np
import pytest
from scipy import stats

from supersample.inference.resampling.permutation import permutation_p_value


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_agrees_with_scipy(alternative):
    x, y = np.random.default_rng(1).normal(size=(2, 12))
    result = stats.permutation_test(
        (x - y,),
        np.mean,
        permutation_type="samples",
        n_resamples=499,
        alternative=alternative,
        vectorized=False,
        rng=np.random.default_rng(2),
    )
    null = result.null_distribution
    ours = permutation_p_value(result.statistic, null, alternative=alternative)
    if alternative == "two-sided":  # scipy doubles the smaller side
        ours = permutation_p_value(result.statistic, np.r_[null, -null])
        both = [
            permutation_p_value(result.statistic, np.r_[null, -null], alternative=side)
            for side in ("greater", "less")
        ]
        assert ours == pytest.approx(2 * min(both), abs=1.1 / 999)
    else:
        assert ours == pytest.approx(result.pvalue)


def test_counts_ties_and_itself():
    null = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 2.0, 3.0])
    assert permutation_p_value(2.0, null, alternative="greater") == 4 / 8
    assert permutation_p_value(2.0, null, alternative="less") == 7 / 8
    assert permutation_p_value(2.0, null) == permutation_p_value(-2.0, null) == 5 / 8
    assert permutation_p_value(9.0, null) == 1 / 8
    assert permutation_p_value(0.0, null) == 1


def test_one_p_value_a_statistic_and_undefined_replicates_left_out():
    null = np.array([[1.0, 0.0, np.nan], [np.nan, 0.5, np.nan], [3.0, -2.0, np.nan]])
    ours = permutation_p_value([2.0, 1.0, 1.0], null)
    np.testing.assert_array_equal(ours, [2 / 3, 2 / 4, np.nan])
    np.testing.assert_array_equal(permutation_p_value(np.nan, [1.0, 2.0]), np.nan)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="null replicates"):
        permutation_p_value(1.0, [])
    with pytest.raises(ValueError, match="alternative"):
        permutation_p_value(1.0, [1.0], alternative="larger")


def test_ties_within_rounding_and_the_plain_share_by_name():
    null = [0.3, -0.3, 0.1, 0.2]
    plain = {"estimator": "k/B"}
    assert permutation_p_value(0.1 + 0.2, null, **plain) == 0  # 0.30000000000000004
    assert permutation_p_value(0.1 + 0.2, null, **plain, tie=1e-10) == 2 / 4
    assert permutation_p_value(0.1 + 0.2, null, alternative="greater", tie=1e-10) == 2 / 5
    assert permutation_p_value(0.1 - 0.4, null, alternative="less", **plain, tie=1e-10) == 1 / 4
    with pytest.raises(ValueError, match="estimator"):
        permutation_p_value(1.0, [1.0], estimator="k")
