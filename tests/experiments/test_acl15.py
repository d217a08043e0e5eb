"""ACL15 reproduced: every number that must agree does, and the effect of Figure 1 is seen."""

from importlib import import_module

import numpy as np
import pytest

from experiments.acl15 import discrete, published

CITED = ("Table 2", "Table 3", "Table 5", "Figure 2")


@pytest.mark.real_data
def test_every_published_number_is_met(data_root):
    parts = import_module("experiments.acl15.reproduce").reproduce(data_root, smoke=True)
    checks = [check for part in parts for check in part.checks]
    assert [check for check in checks if check.verdict == "DIFFERS"] == []
    agreed = [check.where for check in checks if check.verdict == "agrees"]
    assert [agreed.count(where) for where in CITED] == [22, 22, 23, 2]
    names = [name for part in parts for name in part.results.figures]
    assert {"figure-1", "figure-2", "figure-4", "figure-6-hter-trained"} <= set(names)


def test_the_tables_name_the_same_systems():
    assert set(published.MAE) == set(published.RMSE) == set(published.R)
    assert all(published.R[system][1] == mae for system, (mae, _) in published.MAE.items())


def test_mae_prefers_the_continuous_system_that_knows_less():
    checks = discrete.figure_1(test_sets=100).checks
    ours = {check.what: check.ours for check in checks}
    assert ours["mean MAE of B (continuous)"] < ours["mean MAE of A (discrete)"] - 0.03
    assert ours["mean r of A (discrete)"] > ours["mean r of B (continuous)"] + 0.03


def test_simulated_labels_have_the_shares_they_are_said_to():
    sets = discrete.simulate(50, seed=1)
    for name in ("label", "A"):
        values, counts = np.unique(sets[name].values, return_counts=True)
        np.testing.assert_array_equal(values, [1, 2, 3])
        np.testing.assert_allclose(counts / counts.sum(), [0.3, 0.4, 0.3], atol=0.01)
