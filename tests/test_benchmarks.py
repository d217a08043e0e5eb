"""Benchmarks run, small, so that they can't rot. Nothing is timed here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("[a-z]*.py"))


@pytest.mark.parametrize("name", BENCHMARKS)
def test_smoke(name):
    command = [sys.executable, "-m", f"benchmarks.{name}", "--smoke"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()
