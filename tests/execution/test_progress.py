import io
import sys

import numpy as np
import pytest

from supersample.execution import progress
from supersample.execution.workers import compute_rows


class Terminal(io.StringIO):
    def isatty(self):
        return True


def rows(start, stop):
    return np.zeros((stop - start, 1))


@pytest.fixture
def no_patience(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)


@pytest.mark.usefixtures("no_patience")
def test_a_terminal_gets_a_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    compute_rows(rows, 10, 1, progress="hybrids")
    assert "hybrids" in sys.stderr.getvalue()
    assert "left" in sys.stderr.getvalue()


@pytest.mark.usefixtures("no_patience")
@pytest.mark.parametrize(("stream", "text"), [(io.StringIO, "hybrids"), (Terminal, None)])
def test_others_get_none(monkeypatch, stream, text):
    monkeypatch.setattr(sys, "stderr", stream())
    compute_rows(rows, 10, 1, progress=text)
    assert sys.stderr.getvalue() == ""


@pytest.mark.usefixtures("no_patience")
def test_elsewhere_there_is_a_line_a_minute(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.Meter("hybrids", 10_000, done=400) as meter:
        meter.add(600, finished_before=True)
        for now[0], done in ((30.0, 1_000), (61.0, 2_050), (70.0, 950), (125.0, 5_000)):
            meter.add(done)
    assert sys.stderr.getvalue().splitlines() == [
        "hybrids: 2,000 of 10,000, 33 a second, 0:04:00 left",  # at once, for it takes long
        "hybrids: 10,000 of 10,000, 72 a second, 0:00:00 left",
    ]


def test_quick_work_gets_none(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    compute_rows(rows, 10, 1, progress="hybrids")
    assert sys.stderr.getvalue() == ""


@pytest.mark.usefixtures("no_patience")
def test_items_of_work_are_tracked_and_all_come(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(progress.tracked(["a", "b"], "figures")) == ["a", "b"]
    assert "figures" in sys.stderr.getvalue()
