"""Errors and rescalings by their definitions, in plain Python, and what they promise."""

import math
import statistics

import numpy as np
import pytest

from supersample.quality_estimation.evaluation import (
    mean_absolute_error,
    rescale_to_gold,
    rescale_to_own,
    root_mean_squared_error,
)

RNG = np.random.default_rng(9)
PREDICTIONS, GOLD = RNG.normal(3, 2, (4, 30)), RNG.random(30)


def test_errors_are_their_definitions():
    for row, mae, rmse in zip(
        PREDICTIONS,
        mean_absolute_error(PREDICTIONS, GOLD),
        root_mean_squared_error(PREDICTIONS, GOLD),
        strict=True,
    ):
        pairs = list(zip(row, GOLD, strict=True))
        assert mae == pytest.approx(statistics.fmean(abs(p - g) for p, g in pairs))
        assert rmse == pytest.approx(math.sqrt(statistics.fmean((p - g) ** 2 for p, g in pairs)))


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_rescaled_predictions_have_the_mean_and_deviation_they_are_given(share):
    to_gold = rescale_to_gold(PREDICTIONS, GOLD, share=share)
    to_own = rescale_to_own(PREDICTIONS, share=share)
    for row, gold_like, own_like in zip(PREDICTIONS, to_gold, to_own, strict=True):
        assert statistics.fmean(gold_like) == pytest.approx(statistics.fmean(GOLD))
        assert statistics.stdev(gold_like) == pytest.approx(share * statistics.stdev(GOLD))
        assert statistics.fmean(own_like) == pytest.approx(statistics.fmean(row))
        assert statistics.stdev(own_like) == pytest.approx(share * statistics.stdev(row))
        for changed in (gold_like, own_like):
            assert np.corrcoef(row, changed)[0, 1] == pytest.approx(1)


def test_what_does_not_vary_cannot_be_given_a_deviation():
    assert np.isnan(rescale_to_gold(np.full(5, 0.3), GOLD[:5])).all()
    np.testing.assert_array_equal(rescale_to_own(np.full(5, 0.5)), np.full(5, 0.5))


@pytest.mark.parametrize("share", [0, -1, math.nan])
def test_a_share_is_positive(share):
    with pytest.raises(ValueError, match="share of a standard deviation must be positive"):
        rescale_to_own([1, 2], share=share)
    with pytest.raises(ValueError, match="share of a standard deviation must be positive"):
        rescale_to_gold([1, 2], [1, 2], share=share)


def test_one_number_has_no_deviation():
    with pytest.raises(ValueError, match="at least two"):
        rescale_to_own([1.0])
