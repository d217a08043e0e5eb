"""The calibration study on a few small samples, and its rule on numbers made up for it."""

import pytest

from experiments.calibration import settings, study
from experiments.calibration.coverage import Setting
from experiments.committed import rows_of


@pytest.fixture
def small(monkeypatch):
    """One small setting to choose by, one to confirm by."""
    tiny = Setting(settings.CHOOSING["normal, no difference"].population, systems=6, segments=20)
    monkeypatch.setattr(study, "CHOOSING", {"tiny": tiny})
    monkeypatch.setattr(study, "CONFIRMING", {"other": tiny})
    monkeypatch.setattr(study, "RESAMPLES", 20)


def test_the_study_runs_and_writes(small, tmp_path, capsys):
    assert study.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "chosen by the rule" in capsys.readouterr().out
    assert (tmp_path / "verdicts.csv").exists()
    assert (tmp_path / "confirming" / "coverage-of-difference.png").exists()


def test_what_is_stored_is_what_is_concluded():
    """The shrunken jackknife alone is honest in all 24 settings, and wider than Zou's."""
    rows = {row["interval"]: row for row in rows_of("calibration/results/verdicts.csv")}
    honest = [n for n, row in rows.items() if float(row["choosing"]) == 16]
    assert honest == ["shrunken-jackknife(0.3):systems:observed"]
    assert float(rows[honest[0]]["confirming"]) == 8
    assert float(rows[honest[0]]["width"]) > 1
    assert not any(row["meets"] == "true" for row in rows.values())
