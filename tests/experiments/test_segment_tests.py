"""The study of tests on segments, small, and what its kept results say."""

import sys

from experiments.committed import rows_of
from experiments.segment_tests import study


def test_the_study_runs_and_writes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["study", "--smoke", "--out", str(tmp_path)])
    study.main()
    assert "acc_eq/item, perm-pairs" in capsys.readouterr().out
    bootstraps = len(study.BOOTSTRAPS) * len(study.METHODS)
    assert len(rows_of(tmp_path / "type-one-errors.csv")) == len(study.TESTS) + bootstraps
    assert len(rows_of(tmp_path / "coverage-of-pdp.csv")) == 1
