"""Errors and rescalings by their definitions, in plain Python, and what they promise."""

import math
import statistics

import numpy as np
import pytest

import supersample as ss
from supersample.quality_estimation.evaluation import rescaled_predictions

RNG = np.random.default_rng(9)
PREDICTIONS, GOLD = RNG.normal(3, 2, (4, 30)), RNG.random(30)
DATA = ss.make_predictions(PREDICTIONS, [GOLD], systems=list("abcd"), gold=["HTER"])


def test_errors_are_their_definitions():
    found = ss.quality_estimation.evaluate_predictions(DATA)
    for row, mae, rmse in zip(PREDICTIONS, found["mae"][0], found["rmse"][0], strict=True):
        pairs = list(zip(row, GOLD, strict=True))
        assert mae == pytest.approx(statistics.fmean(abs(p - g) for p, g in pairs))
        assert rmse == pytest.approx(math.sqrt(statistics.fmean((p - g) ** 2 for p, g in pairs)))


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_rescaled_predictions_have_the_mean_and_deviation_they_are_given(share):
    found = rescaled_predictions(DATA, "HTER", share=share)["prediction"]
    changed = (found.sel(rescaling=name).values for name in ("to gold", "to own"))
    for row, gold_like, own_like in zip(PREDICTIONS, *changed, strict=True):
        assert statistics.fmean(gold_like) == pytest.approx(statistics.fmean(GOLD))
        assert statistics.stdev(gold_like) == pytest.approx(share * statistics.stdev(GOLD))
        assert statistics.fmean(own_like) == pytest.approx(statistics.fmean(row))
        assert statistics.stdev(own_like) == pytest.approx(share * statistics.stdev(row))
        for rescaled in (gold_like, own_like):
            assert np.corrcoef(row, rescaled)[0, 1] == pytest.approx(1)


def test_what_does_not_vary_cannot_be_given_a_deviation():
    flat = ss.make_predictions([np.full(5, 0.3)], [GOLD[:5]], systems=["a"], gold=["HTER"])
    found = rescaled_predictions(flat, "HTER")["prediction"]
    assert found.sel(rescaling="to gold").isnull().all()
    np.testing.assert_array_equal(found.sel(rescaling="to own"), [np.full(5, 0.3)])


@pytest.mark.parametrize("share", [0, -1, math.nan])
def test_a_share_is_positive(share):
    with pytest.raises(ss.InputError, match="share of a standard deviation must be positive"):
        ss.quality_estimation.rescaling_study(DATA, share=share)
