"""The study of honest inference on a few small samples, and its rule on numbers made up for it."""

import numpy as np
import pytest

from experiments.committed import rows_of
from experiments.common import DATA, ROOT
from experiments.honest_inference import afterwards, needed, study
from experiments.honest_inference.accuracies import accuracy_settings
from experiments.honest_inference.candidates import (
    WILLIAMS_JACKKNIFE,
)
from experiments.honest_inference.earlier import CALIBRATED, JACKKNIFE_SHARE
from experiments.honest_inference.plan import SMOKE
from experiments.honest_inference.populations import (
    R_RANGE,
    SIZES,
    draw,
    draw_many,
    random_settings,
)
from experiments.honest_inference.simultaneous import many_settings, measure_many
from tests.experiments import needs

RESULTS = "honest_inference/results"
needs_data = needs("wmt15", "wmt20", "mt-metrics-eval-v2")


@pytest.fixture
def few_metrics(monkeypatch):
    """Two settings with many metrics, and two of accuracies, instead of all."""
    two = dict(list(many_settings(SMOKE.metrics_seed).items())[11:13])
    monkeypatch.setattr(study, "many_settings", lambda seed: two)
    others = dict(list(accuracy_settings(SMOKE.accuracies_seed).items())[5:7])
    monkeypatch.setattr(study, "accuracy_settings", lambda seed: others)


def test_the_study_runs_writes_and_resumes(few_metrics, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(study, "DATA", tmp_path / "none")
    monkeypatch.setattr(study, "require", lambda *needs: None)
    arguments = ["--smoke", "--processes", "1", "--out", str(tmp_path / "out")]
    assert study.main(arguments) == 0
    first = capsys.readouterr().out
    assert "chosen by the rule" in first
    for name in ("frontier.png", "intervals-confirming.csv", "many-metrics.md"):
        assert (tmp_path / "out" / name).exists()
    rows = rows_of(tmp_path / "out" / "accuracies.csv")
    assert [row["setting"] for row in rows] == ["equal 6", "graded 1"]
    measures = ("intervals", "tests", "shown", "many", "outside", "accuracies")
    for name in measures:
        monkeypatch.setattr(study, f"measure_{name}", None)  # computing anew would fail
    assert study.main(arguments) == 0
    assert capsys.readouterr().out.rsplit(".", 1)[0] == first.rsplit(".", 1)[0]


def test_printed_limits_miss_equality_as_often_as_the_test_rejects_it():
    setting = random_settings(3, 1, null=True)[0]
    found = afterwards.measure_power(setting, (3, 0), SMOKE)
    level = found[afterwards.CHOSEN]["level"]
    assert found[afterwards.PRINTED]["coverage"] == pytest.approx(1 - level)


@needs_data
def test_real_metrics_are_made_equal():
    from experiments.honest_inference.real_systems import (
        draw_real,
        made_equal,
        read_pooled,
        true_correlations,
        true_moments,
    )

    pooled = read_pooled(DATA)
    moments = true_moments(pooled, 5, 50)
    r = true_correlations(moments)
    made = made_equal(draw_real(pooled, 6, 300, 200), moments, 0, 5).reshape(-1, 3)
    np.testing.assert_allclose(np.corrcoef(made.T)[0, 1:], (r[0] + r[5]) / 2, atol=0.01)
    found = study.measure_real_tests(pooled, [(0, 5), (1, 2)], SMOKE)
    assert all(0 <= share <= 1 for row in found.values() for share in row["shown"].values())


def test_settings_have_the_correlations_that_they_name():
    for i, setting in enumerate(random_settings(3, 12)):
        assert SIZES[0] <= setting.n <= SIZES[1]
        assert R_RANGE[0] <= min(setting.r_a, setting.r_b)
        assert max(setting.r_a, setting.r_b) <= R_RANGE[1]
        scores = draw(setting, np.random.default_rng(i), 5_000).reshape(-1, 3)
        r = np.corrcoef(scores.T)
        np.testing.assert_allclose(r[0, 1:], [setting.r_a, setting.r_b], atol=0.01)
    many = many_settings(3)["graded 2"]
    drawn = draw_many(many, np.random.default_rng(0), 10_000)
    r = np.corrcoef(drawn.reshape(-1, 1 + len(many.r)).T)
    np.testing.assert_allclose(r[0, 1:], many.r, atol=0.02)


def test_equally_good_metrics_have_no_true_wins():
    setting = many_settings(3)["equal 1"]
    found = measure_many(setting, (3, 0), 3)
    assert found["false_win"] == found["any_win"]
    assert found["best_left_out"] == found["shrunk"] == found["claim"]


def test_what_is_stored_is_what_is_concluded():
    """The earlier procedures are what the rule chose, and keep their bounds elsewhere."""
    name = f"calibrated projection {CALIBRATED.base:.2f}"
    [interval] = rows_of(f"{RESULTS}/intervals-confirming.csv", {"interval": name})
    assert float(interval["least"]) >= 0.90
    assert float(interval["enough"]) >= 0.95
    assert float(interval["width"]) <= 1
    name = f"{WILLIAMS_JACKKNIFE} ({JACKKNIFE_SHARE:g})"
    [test] = rows_of(f"{RESULTS}/tests-confirming.csv", {"test": name})
    assert float(test["in_range"]) >= 0.95
    assert float(test["most"]) <= 0.09
    many = rows_of(f"{RESULTS}/many-metrics.csv")
    equal = [row for row in many if row["setting"].startswith("equal")]
    assert len(equal) == 12
    assert max(float(row["claim"]) for row in equal) <= 0.05
    assert max(float(row["best_left_out"]) for row in many) <= 0.05


def test_the_formula_for_systems_needed_is_near_the_simulation(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(needed, "OUT", tmp_path)
    assert needed.main(["--smoke"]) == 0
    assert (tmp_path / "honest_inference" / "needed.csv").read_text().count("\n") == 3
    assert (tmp_path / "honest_inference" / "needed-from-samples.csv").read_text().count("\n") == 3
    ratios = [float(row["ratio"]) for row in rows_of(f"{RESULTS}/needed.csv")]
    assert ratios[0] == pytest.approx(needed.study(1).rows[0][-1])
    text = (ROOT / "experiments/honest_inference/README.md").read_text("utf-8")
    assert f"{100 * min(ratios):.0f} to {100 * max(ratios):.0f} %" in text
