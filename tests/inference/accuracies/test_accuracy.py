import numpy as np
import pytest

from supersample.inference.pairs_of_systems import (
    mean_agreement,
    pair_differences,
    preferences,
)


def test_pairwise_accuracy_by_hand():
    human = np.array([[3.0], [2.0], [1.0]])
    metric = np.array([[1.0], [2.0], [1.0]])
    # pairs (0,1), (0,2), (1,2): people 0, 0, 0; the metric 1, 1/2, 0
    half = mean_agreement(*(preferences(pair_differences(x)) for x in (human, metric)))
    assert half == pytest.approx((0.0 + 0.5 + 1.0) / 3)


def test_ties_of_decimal_scores_are_exact():
    # sums of 0.1 + 0.2 and 0.3 + 0.0 differ by one bit
    assert preferences(pair_differences([[0.1, 0.2], [0.3, 0.0]])).tolist() == [0.5]
