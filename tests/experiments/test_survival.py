"""Which published differences survive, and what rival methods leave."""

import numpy as np
import pytest

from experiments.committed import rows_of
from experiments.survival.plan import RIVALS, SMOKE
from experiments.survival.rivals import all_rivals, drawn_again, rank_confidence_set
from experiments.survival.study import main, measured, settings_of


def scores(n=40, seed=0):
    """People's scores, one very good metric, one good one and one that is noise."""
    rng = np.random.default_rng(seed)
    people = rng.standard_normal((n, 1))
    errors = rng.standard_normal((n, 3)) * (0.1, 0.12, 5)
    return np.concatenate([people, people + errors], axis=1)


def test_every_method_rules_out_noise_and_keeps_what_is_close():
    left = all_rivals(scores(), np.random.default_rng(1), SMOKE, 199)
    assert set(left) == set(RIVALS)
    assert all(of[0] and not of[2] for of in left.values())


def test_a_rank_confidence_set_of_two_metrics_is_a_bootstrap_test():
    z, replicates = drawn_again(scores()[:, :3], np.random.default_rng(2), 999)
    ahead, of = z[0] - z[1], replicates[:, 0] - replicates[:, 1]
    p = ((of - ahead) >= ahead).mean()
    assert list(rank_confidence_set(z, replicates)) == [True, p > 0.05]


def test_survivors_are_claims():
    rows = rows_of("survival/results/survival.csv")
    for row in rows:
        counts = [int(value) for name, value in row.items() if name != "set" and value]
        assert max(counts[3:]) <= int(row["claims"])
    for row in rows_of("retrospective/results/conclusions.csv"):
        [own] = [each for each in rows if each["set"] == row["set"]]
        assert own["claims"] == row["williams"]


@pytest.mark.real_data
def test_smoke(data_root, tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.survival.study.DATA", data_root)
    monkeypatch.setattr("experiments.survival.sets.WAVES", {})
    name, setting = next(iter(settings_of(SMOKE, data_root).items()))
    rows = measured(name, setting, SMOKE)
    assert [row["method"] for row in rows] == list(RIVALS)
    assert main(["--smoke", "--part", "sets", "--to", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"survival.csv", "rivals.csv"}
