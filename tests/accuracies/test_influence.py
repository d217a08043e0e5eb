"""Accuracies without one system, held to Scores that never had it."""

import numpy as np
import pytest

import supersample as ss
from supersample.errors import InputError
from supersample.scores.selection import complete_cases

EXAMPLE = ss.load_example()
WITH_GAPS = EXAMPLE.copy(deep=True)
WITH_GAPS["score"][2, 4, 100:140] = np.nan  # of one metric and system alone


@pytest.mark.parametrize("p_values", ["normal", "monte_carlo"])
def test_without_a_system_accuracies_are_those_of_scores_without_it(p_values):
    scores = WITH_GAPS.isel(segment=slice(60, 160), metric=slice(4))
    drawn = ss.PValues(p_values, permutations=50)
    found = ss.leave_one_out_accuracies(ss.accuracy_components(scores, p_values=drawn))
    kept = complete_cases(scores)  # the segments that all systems together leave
    for name in ("system-05", "system-09"):
        fewer = kept.drop_sel(system=name)
        soft = ss.soft_pairwise_accuracy(fewer, p_values=drawn)["value"]
        own = found.sel(system=name)
        for kind, expected in (("SPA", soft), ("PA", ss.pairwise_accuracy(fewer)["value"])):
            without = own["accuracy_without"].sel(measure=kind)
            np.testing.assert_allclose(without, expected, rtol=1e-12)
            order = np.argsort(-expected.values)
            ranks = own["rank_without"].sel(measure=kind)
            np.testing.assert_array_equal(ranks[order], np.sort(ranks))
    assert ss.soft_pairwise_accuracy(scores.drop_sel(system="system-05"))["segments"] > len(
        kept["segment"]
    )


def test_with_all_systems_they_are_the_accuracies():
    components = ss.accuracy_components(EXAMPLE)
    found = ss.leave_one_out_accuracies(components)
    np.testing.assert_array_equal(found["accuracy"], components["accuracy"])
    # of every pair, 10 of 12 systems leave both: the mean without one is the mean
    np.testing.assert_allclose(found["accuracy_without"].mean("system"), found["accuracy"])
    for accuracy, rank in (("accuracy", "rank"), ("accuracy_without", "rank_without")):
        better = found[accuracy].values[..., :, None] < found[accuracy].values[..., None, :] - 1e-9
        np.testing.assert_array_equal(found[rank], 1 + better.sum(axis=-1))


def test_two_systems_and_other_results_are_refused():
    components = ss.accuracy_components(EXAMPLE.isel(system=[0, 1]))
    with pytest.raises(InputError, match="at least 3 systems are needed, there are 2"):
        ss.leave_one_out_accuracies(components)
    with pytest.raises(InputError, match="expected what accuracy_components gives"):
        ss.leave_one_out_accuracies(ss.pairwise_accuracy(EXAMPLE))
