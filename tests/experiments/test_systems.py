"""The study of systems runs small on the public data."""

import pytest

from experiments.committed import rows_of
from experiments.systems import study


@pytest.mark.real_data
def test_the_study_runs(data_root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "DATA", data_root)
    monkeypatch.setattr(study, "SETS", study.SETS[2:3])
    assert study.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "documents and assessors" in capsys.readouterr().out
    rows = rows_of(tmp_path / "populations.csv")
    assert [row["way"] for row in rows] == [*study.WAYS]
    assert all(0 <= float(row["ranks"]) <= 1 for row in rows)
