import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from supersample.inference.p_values import holm, permutation_p_value


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


def test_ties_within_rounding_and_the_plain_share_by_name():
    null = [0.3, -0.3, 0.1, 0.2]
    plain = {"estimator": "k/B"}
    assert permutation_p_value(0.1 + 0.2, null, **plain) == 0  # 0.30000000000000004
    assert permutation_p_value(0.1 + 0.2, null, **plain, tie=1e-10) == 2 / 4
    assert permutation_p_value(0.1 + 0.2, null, alternative="greater", tie=1e-10) == 2 / 5
    assert permutation_p_value(0.1 - 0.4, null, alternative="less", **plain, tie=1e-10) == 1 / 4
    with pytest.raises(ValueError, match="estimator"):
        permutation_p_value(1.0, [1.0], estimator="k")


P = [0.01, 0.02, 0.03, 0.04, 0.05, 0.5, 0.02]


# Rscript -e 'p <- c(.01,.02,.03,.04,.05,.5,.02); p.holm(p, "holm"); p.holm(p, "BH")'
# R 4.2.2
def test_agrees_with_r():
    expected = [0.07, 0.12, 0.12, 0.12, 0.12, 0.5, 0.12]
    np.testing.assert_allclose(holm(P), expected, rtol=1e-14)


def test_missing_p_values_do_not_count():
    table = np.array([[0.01, np.nan, 0.2], [0.04, 0.03, np.nan]])
    ours = holm(table)
    assert ours.shape == table.shape
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(table))
    np.testing.assert_array_equal(ours[~np.isnan(ours)], holm(table[~np.isnan(table)]))
    assert np.isnan(table[0, 1])
    assert table[0, 0] == 0.01
    assert holm([]).shape == (0,)
    np.testing.assert_array_equal(holm([np.nan]), np.nan)
    assert holm(0.3) == 0.3


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusting_raises_and_keeps_the_order(p):
    raw = np.array(p)
    strict = holm(raw)
    assert (strict >= raw * (1 - 1e-15)).all()
    assert (strict <= np.minimum(1, raw * raw.size) * (1 + 1e-15)).all()
    assert (np.diff(strict[np.argsort(raw, kind="stable")]) >= 0).all()
