"""Differences of MAE and RMSE by bootstrap and by swaps, against SciPy's tests of the same."""

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_rel

import supersample as ss

RNG = np.random.default_rng(4)
GOLD = RNG.gamma(2.0, size=150)
NEAR, FAR = GOLD + 0.6 * RNG.normal(size=150), GOLD + 0.72 * RNG.normal(size=150)
PAIR = {"system": "near", "other_system": "far"}
compare_errors = ss.quality_estimation.compare_errors


def predictions(label=(GOLD,), gold=("HTER",), **options):
    return ss.make_predictions(
        [NEAR, FAR, np.ones(150)], label, systems=["near", "far", "one"], gold=gold, **options
    )


@pytest.fixture(scope="module")
def compared():
    return compare_errors(predictions(), resamples=1999, seed=3).sel(gold="HTER")


def mae(prediction, gold):
    return np.abs(prediction - gold).mean(axis=-1)


def rmse(prediction, gold):
    return np.sqrt(np.square(prediction - gold).mean(axis=-1))


def test_all_workers_give_the_same_bits(clients):
    found = [
        compare_errors(predictions(), resamples=19, workers=clients[name])
        for name in ("synchronous", "threads")
    ]
    assert found[0].identical(found[1])


@pytest.mark.parametrize(("name", "error"), [("MAE", mae), ("RMSE", rmse)])
def test_differences_and_swaps(compared, name, error):
    found = compared.sel(measure=name, **PAIR)
    assert float(found["difference"]) == pytest.approx(error(NEAR, GOLD) - error(FAR, GOLD))
    by_scipy = permutation_test(
        (np.abs(NEAR - GOLD), np.abs(FAR - GOLD)),
        lambda x, y: error(x, 0.0) - error(y, 0.0),
        permutation_type="samples",
        n_resamples=1999,
        rng=np.random.default_rng(0),
    )
    assert float(found["p_swapped"]) == pytest.approx(by_scipy.pvalue, abs=0.02)


def test_the_bootstrap_of_mae_is_about_the_paired_t_test(compared):
    found = compared.sel(measure="MAE", **PAIR)
    by_scipy = ttest_rel(np.abs(NEAR - GOLD), np.abs(FAR - GOLD))
    assert float(found["p_value"]) == pytest.approx(by_scipy.pvalue, abs=0.01)
    limits = by_scipy.confidence_interval()
    assert float(found["difference_lower"]) == pytest.approx(limits.low, abs=0.01)
    assert float(found["difference_upper"]) == pytest.approx(limits.high, abs=0.01)


def test_both_orders_agree_and_the_seed_decides(compared):
    turned = compared.rename(system="other_system", other_system="system")
    np.testing.assert_array_equal(
        compared["p_value"], turned["p_value"].transpose(..., "system", "other_system")
    )
    again = compare_errors(predictions(), resamples=1999, seed=3).sel(gold="HTER")
    other = compare_errors(predictions(), resamples=1999, seed=4).sel(gold="HTER")
    np.testing.assert_array_equal(compared["p_swapped"], again["p_swapped"])
    assert (compared["p_swapped"] != other["p_swapped"]).any()


def test_errors_in_other_units_are_not_compared():
    data = predictions((GOLD, 60 * GOLD), ("HTER", "PET"), trained_on=["HTER", "HTER", "PET"])
    found = compare_errors(data, resamples=99)
    assert found["gold"].values.tolist() == ["HTER"]
    expected = [[False, False, True], [False, False, True], [True, True, True]]
    np.testing.assert_array_equal(found["difference"].isnull()[0, 0], expected)
    alone = predictions((GOLD, 60 * GOLD), ("HTER", "PET"), trained_on=["HTER", "PET", "x"])
    with pytest.raises(ss.InputError, match="in the units of one gold standard"):
        compare_errors(alone)
