"""The study of tests of errors: what its kept results say, and that its predictors are equal."""

import numpy as np
import pytest

from experiments.committed import rows_of
from experiments.error_tests import study

CONTINUOUS = "error_tests/results/continuous.csv"


@pytest.mark.parametrize("measure", ["MAE", "RMSE"])
def test_the_bootstrap_of_errors_keeps_its_level_on_continuous_gold(measure):
    rows = rows_of(CONTINUOUS, {"test": f"{measure}, student bootstrap"})
    levels = np.array([float(row["rejected"]) for row in rows])
    assert levels.size == 20
    assert ((levels >= 0.04) & (levels <= 0.06)).all()


def test_settings_are_drawn_beforehand():
    drawn = study.drawn_settings(20)
    assert drawn == study.drawn_settings(20)
    assert drawn[:5] == study.drawn_settings(5)
    kept = {(int(row["segments"]), row["gold"], row["error"]) for row in rows_of(CONTINUOUS)}
    assert kept == {(each.segments, each.gold, each.error) for each in drawn}


@pytest.mark.parametrize("shape", study.SHAPES)
def test_shapes_are_standard(shape):
    numbers = study.standard(shape, np.random.default_rng(0), (400_000,))
    np.testing.assert_allclose([numbers.mean(), numbers.var()], [0, 1], atol=0.02)
