"""What accuracies are means of, and without one system: held to Scores that never had it."""

import numpy as np
import pytest

import supersample as ss
from experiments.spa24.components import accuracy_components
from supersample.comparisons.compare import parts_of
from supersample.comparisons.question import Question
from supersample.resampling import Weights
from supersample.scores.selection import complete_cases

EXAMPLE = ss.load_example()


def test_components_stand_in_the_order_of_human_scores():
    parts = accuracy_components(EXAMPLE)
    human = ss.select_segments(EXAMPLE)["human"].mean("segment").sel(system=parts["system"])
    assert (np.diff(human) < 0).all()
    upper = parts["human"].sel(measure="PA").values[np.triu_indices(12, 1)]
    np.testing.assert_array_equal(upper, 0.0)  # nobody is worse than the next
    means = parts["agreement"].mean(("system", "other_system"))
    np.testing.assert_allclose(means, parts["accuracy"])
    np.testing.assert_allclose(
        parts["accuracy"], ss.agreement(EXAMPLE, ["PA", "SPA"])["value"].squeeze()
    )


@pytest.mark.parametrize("p_values", ["normal", "monte_carlo"])
def test_without_a_system_accuracies_are_those_of_scores_without_it(p_values):
    scores = EXAMPLE.copy(deep=True)
    scores["score"][2, 4, 100:140] = np.nan  # of one metric and system alone
    scores = scores.isel(segment=slice(60, 160), metric=slice(4))
    drawn = ss.measures.PValues(p_values, permutations=50)
    measures = [ss.measures.PairwiseAccuracy(drawn), ss.measures.SoftPairwiseAccuracy(drawn)]
    parts = [part.of[0] for part in parts_of(scores, Question(measures))]
    without = Weights(1.0 - np.eye(12), None, np.zeros(0, np.int64))
    found = np.stack([part.resampled(without) for part in parts])
    kept = complete_cases(scores)  # the segments that all systems together leave
    for i, name in ((4, "system-05"), (8, "system-09")):
        expected = ss.agreement(kept.drop_sel(system=name), measures)["value"].squeeze()
        own = expected.sel(metric=scores["metric"].values)
        np.testing.assert_allclose(found[:, i], own, rtol=1e-12)
    fewer = ss.agreement(scores.drop_sel(system="system-05"), "SPA")
    assert fewer["segments"] > len(kept["segment"])
