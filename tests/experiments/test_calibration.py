"""The calibration study on a few small samples, and its rule on numbers made up for it."""

import csv
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

from experiments.calibration import settings, study
from experiments.calibration.coverage import Setting

RESULTS = Path(study.__file__).parent / "results"


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


def made_up(covered, width):
    """Results of two settings by procedure; others cover nothing."""
    names = list(study.PROCEDURES)
    shape = (2, 1, len(names))
    found = xr.Dataset(
        {"coverage": (("setting", "quantity", "procedure"), np.zeros(shape))},
        coords={"setting": ["a", "b"], "quantity": ["difference"], "procedure": names},
    )
    found["width"] = xr.ones_like(found["coverage"])
    for name, values in covered.items():
        found["coverage"].loc[{"procedure": name}] = np.reshape(values, (2, 1))
    for name, values in width.items():
        found["width"].loc[{"procedure": name}] = np.reshape(values, (2, 1))
    return found


def test_the_rule_counts_settings_first_and_width_second():
    zou, bca, jackknife = study.ZOU, "bca:systems:observed", "jackknife:systems:observed"
    found = made_up({zou: [0.95, 0.9], bca: [0.94, 0.96], jackknife: [0.93, 0.97]}, {bca: [1.2, 1]})
    assert study.choose(found) == jackknife
    assert float(study.relative_width(found).sel(procedure=bca)) == pytest.approx(1.2)
    found = made_up({zou: [0.95, 0.95], bca: [0.94, 0.98]}, {})
    assert study.choose(found) == zou


def test_what_is_stored_is_what_is_concluded():
    """The shrunken jackknife alone is honest in all 24 settings, and wider than Zou's."""
    with (RESULTS / "verdicts.csv").open() as stream:
        rows = {row["interval"]: row for row in csv.DictReader(stream)}
    honest = [n for n, row in rows.items() if float(row["choosing"]) == 16]
    assert honest == ["shrunken-jackknife(0.3):systems:observed"]
    assert float(rows[honest[0]]["confirming"]) == 8
    assert float(rows[honest[0]]["width"]) > 1
    assert not any(row["meets"] == "true" for row in rows.values())
