"""What accuracies are means of, and without one system: held to Scores that never had it."""

import numpy as np
import pytest

import supersample as ss
from experiments.spa24.components import accuracy_components
from supersample import InputError
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
    found = ss.leave_one_out(scores, measures)
    kept = complete_cases(scores)  # the segments that all systems together leave
    for name in ("system-05", "system-09"):
        expected = ss.agreement(kept.drop_sel(system=name), measures)["value"].squeeze()
        own = found.sel(system=name, metric=expected["metric"].values)
        np.testing.assert_allclose(own["value_without"], expected, rtol=1e-12)
        for ranks, values in zip(own["rank_without"].values, expected.values, strict=True):
            order = np.argsort(-values)
            np.testing.assert_array_equal(ranks[order], np.sort(ranks))
    fewer = ss.agreement(scores.drop_sel(system="system-05"), "SPA")
    assert fewer["segments"] > len(kept["segment"])


def test_four_systems_and_other_results_are_refused():
    with pytest.raises(InputError, match="at least 5 are needed; there are 4"):
        ss.leave_one_out(EXAMPLE.isel(system=slice(4)), "SPA")
    with pytest.raises(InputError, match="Scores"):
        ss.leave_one_out(ss.agreement(EXAMPLE, "PA"))
