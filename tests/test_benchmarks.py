"""Benchmarks run, small, so that they can't rot. Nothing is timed here."""

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import _report
from benchmarks._report import Report

ROOT = Path(__file__).parent.parent
BENCHMARKS = {path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py")}
IN_ONE_TABLE = "growth"


# in this process, where everything is imported once; the one of the table runs below
@pytest.mark.parametrize("name", sorted(BENCHMARKS - {IN_ONE_TABLE}))
def test_smoke(name, monkeypatch, capsys):
    if name == "corpus_metrics":
        pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
    monkeypatch.setattr(sys, "argv", [name, "--smoke"])
    import_module(f"benchmarks.{name}").main()
    assert capsys.readouterr().out.strip()


def test_all_figures_come_into_one_page(tmp_path, monkeypatch):
    def run_here(command, **_):
        monkeypatch.setattr(sys, "argv", command[2:])
        import_module(command[2]).main()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run_here)
    monkeypatch.setattr(sys, "argv", ["", IN_ONE_TABLE, "--results", str(tmp_path), "--smoke"])
    import_module("benchmarks.__main__").main()
    assert "| growth | 20 hybrids |" in (tmp_path / "README.md").read_text()
    assert (tmp_path / "growth-hybrids.png").stat().st_size > 0


@pytest.mark.parametrize(
    ("limit", "smoke", "missed"),
    [
        ({"at_most": 1.0}, False, True),
        ({"at_least": 3.0}, False, True),
        ({"at_most": 1.0}, True, False),
        ({"at_most": 2.0}, False, False),
        ({"at_least": 2.0}, False, False),
        ({}, False, False),
    ],
)
def test_a_missed_limit_is_an_error(limit, smoke, missed, tmp_path, monkeypatch):
    monkeypatch.setattr(_report, "pace", lambda: 1.0)
    report = Report("name", argparse.Namespace(smoke=smoke, results=tmp_path))
    report.add("figure", 2.0, "s", **limit)
    if missed:
        with pytest.raises(SystemExit, match="missed: figure: 2 s, not"):
            report.end()
    else:
        report.end()
    kept = "" if not limit else "yes" if limit in ({"at_most": 2.0}, {"at_least": 2.0}) else "no"
    assert (tmp_path / "name.csv").read_text().splitlines()[1].endswith(f",{kept}")


def test_limits_in_seconds_go_with_the_machine(tmp_path, monkeypatch):
    monkeypatch.setattr(_report, "pace", lambda: 1.5)
    report = Report("name", argparse.Namespace(smoke=False, results=tmp_path))
    report.add("slow", 2.9, "s", at_most=2.0)
    report.add("ratio", 2.9, "x", at_most=2.0)
    with pytest.raises(SystemExit, match=r"missed: ratio: 2\.9 x, not <= 2$"):
        report.end()
