import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from supersample.errors import InputError
from supersample.inference.accuracies.accuracy import (
    component_matrices,
    mean_agreement,
    preferences,
)
from supersample.inference.accuracies.sign_flip import (
    normal_p_values,
    pair_differences,
)
from tests.signed_sums import exact_p_values

scores = arrays(np.float64, (4, 6), elements=st.integers(-20, 20).map(lambda k: k / 10))


@given(scores, scores)
def test_identities(human, metric):
    h, m = (exact_p_values(pair_differences(x)) for x in (human, metric))
    reverse = exact_p_values(pair_differences(-metric))
    assert mean_agreement(m, m) == 1.0
    flipped = np.mean(1.0 - np.abs(h + m - 1.0))
    assert mean_agreement(h, reverse) == pytest.approx(flipped, abs=1e-12)


@given(scores, scores)
def test_pairwise_accuracy_is_the_soft_one_of_rounded_mid_p_values(human, metric):
    for x in (human, metric):
        d = pair_differences(x)
        for p_values in (exact_p_values, normal_p_values):
            p = p_values(d)
            rounded = np.where(np.abs(p - 0.5) < 1e-12, 0.5, np.round(p))
            assert preferences(d).tolist() == rounded.tolist()


@given(scores, scores, st.permutations(range(4)), st.permutations(range(6)))
def test_order_of_systems_and_segments_changes_nothing(human, metric, systems, segments):
    def accuracies(h, m):
        pairs = [pair_differences(x) for x in (h, m)]
        soft = mean_agreement(*(exact_p_values(d) for d in pairs))
        return float(soft), float(mean_agreement(*(preferences(d) for d in pairs)))

    moved = [x[np.ix_(systems, segments)] for x in (human, metric)]
    assert accuracies(*moved) == pytest.approx(accuracies(human, metric), abs=1e-12)


def test_pairwise_accuracy_by_hand():
    human = np.array([[3.0], [2.0], [1.0]])
    metric = np.array([[1.0], [2.0], [1.0]])
    # pairs (0,1), (0,2), (1,2): people 0, 0, 0; the metric 1, 1/2, 0
    half = mean_agreement(*(preferences(pair_differences(x)) for x in (human, metric)))
    assert half == pytest.approx((0.0 + 0.5 + 1.0) / 3)
    up = mean_agreement(*(preferences(pair_differences(x), ties="up") for x in (human, metric)))
    assert up == pytest.approx(1 / 3)


def test_ties_of_decimal_scores_are_exact():
    # sums of 0.1 + 0.2 and 0.3 + 0.0 differ by one bit
    assert preferences(pair_differences([[0.1, 0.2], [0.3, 0.0]])).tolist() == [0.5]


def test_components_average_to_the_accuracy():
    rng = np.random.default_rng(0)
    human, metric = rng.uniform(size=(2, 10))
    panels = component_matrices(human, metric)
    assert [x.shape for x in panels] == [(5, 5)] * 3
    assert np.nanmean(panels[2]) == pytest.approx(mean_agreement(human, metric))
    assert panels[0][1, 2] == human[4]


def test_unusable_input_is_refused():
    with pytest.raises(InputError, match="not those of system pairs"):
        component_matrices(np.zeros(4), np.zeros(4))
    with pytest.raises(InputError, match="no tie rule 'down'; there are half, up"):
        preferences([1.0], ties="down")
