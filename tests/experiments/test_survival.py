"""Which published differences survive, and what rival methods leave."""

import numpy as np
import pytest

import supersample as ss
from experiments.committed import rows_of
from experiments.survival.asked import claims_of, found_again, halves_r, ranks
from experiments.survival.plan import ALPHA, RIVALS, SETS_FOR_RANKS, SMOKE
from experiments.survival.rivals import all_rivals, drawn_again, rank_confidence_set
from experiments.survival.sets import scores_array
from experiments.survival.study import main, measured, settings_of
from experiments.wmt import read_wmt15, read_wmt23


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


def test_only_a_metric_that_is_clearly_worse_cannot_have_the_first_rank():
    for test in ("fisher-jackknife", "williams"):
        assert list(ranks(scores(), test)) == [1, 1, 3]
    assert 2 / (SETS_FOR_RANKS + 1) == ALPHA  # one side each, of as many sets and a new one


def test_people_agree_between_halves_of_documents_as_far_as_their_noise_allows():
    rng = np.random.default_rng(3)
    people = scores()[:, :1] + 0.5 * rng.standard_normal((40, 60))
    document = np.repeat(np.arange(20), 3)
    r = np.mean([halves_r(people, document, rng) for _ in range(20)])
    assert r == pytest.approx(1 / (1 + 0.5**2 / 30), abs=0.01)


@pytest.mark.real_data
def test_the_set_itself_gives_the_counts_of_survival(data_root):
    [row] = rows_of("survival/results/survival.csv", {"set": "WMT15 de-en"})
    of_set = scores_array(read_wmt15(data_root, "de-en"))
    found = found_again(of_set[np.newaxis], claims_of(of_set))[:, 0]
    assert [str(int(count)) for count in found] == [
        row[name] for name in ("claims", "systems", "systems_adjusted")
    ]


@pytest.mark.real_data
def test_smoke(data_root, tmp_path, monkeypatch):
    few = {
        "WMT15 de-en": read_wmt15(data_root, "de-en"),
        "WMT23 en-de": ss.system_level_scores(read_wmt23(data_root, "en-de")),
    }
    monkeypatch.setattr("experiments.survival.study.DATA", data_root)
    monkeypatch.setattr("experiments.survival.sets.WAVES", {})
    for module in ("sets", "study"):
        monkeypatch.setattr(f"experiments.survival.{module}.test_sets", lambda _: few)
    for module in ("sets", "study", "survivors"):
        monkeypatch.setattr(f"experiments.survival.{module}.wmt23_pairs", lambda _: ["en-de"])
    name, setting = next(iter(settings_of(SMOKE, data_root).items()))
    rows = measured(name, setting, SMOKE)
    assert [row["method"] for row in rows] == list(RIVALS)
    assert main(["--smoke", "--part", "sets", "--to", str(tmp_path)]) == 0
    assert main(["--smoke", "--part", "asked", "--to", str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.iterdir()} == {
        "survival", "all-metrics", "rivals", "outliers", "ceilings", "if-true", "new-sets",
        "survivors", "williams-levels", "listed",
    }  # fmt: skip
