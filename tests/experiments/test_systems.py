"""The study of systems runs small on the public data."""

import csv

import pytest

from experiments.systems import study


@pytest.mark.real_data
def test_the_study_runs(data_root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "DATA", data_root)
    monkeypatch.setattr(study, "SETS", study.SETS[2:3])
    assert study.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "documents and assessors" in capsys.readouterr().out
    with (tmp_path / "populations.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["way"] for row in rows] == [*study.WAYS]
    assert all(0 <= float(row["ranks"]) <= 1 for row in rows)
