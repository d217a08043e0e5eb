"""What a terminal of any width shows: whole numbers and names, wrapped prose."""

import re

import numpy as np
import pytest

import supersample as ss

LONG = "MetricX-23-QE-b-with-a-name-that-goes-on"
CUT_SHORT = "MetricX-23-…-goes-on"
CUT = [
    ("compare",),
    ("compare", "--baseline", "a b"),
    ("rank", "-n", "60", "--all"),
    ("spa", "--resamples", "19"),
]
"""First screens, which shorten long names in their table."""
NAMES = (LONG, "XCOMET-Ensemble", "chrF", "a b", "[x]", "r")
SCORES = ss.simulate_scores(
    systems=9,
    segments=20,
    correlations=dict(zip(NAMES, np.linspace(0.97, 0.2, 6), strict=True)),
    lower_is_better=("chrF",),
    seed=4,
)


def numbers(text):
    return set(re.findall(r"-?\d+\.\d+", text.rpartition("statistic:")[0]))


@pytest.fixture
def shown(command, monkeypatch, tmp_path):
    """Run a command on a terminal of some width, or piped; what it prints but the signature."""
    ss.write_scores(SCORES, tmp_path / "scores.csv")
    known = ("scores.csv", "--human", SCORES.attrs["human"], "--lower-is-better", "chrF", "-q")

    def run(name, *options, width=None):
        monkeypatch.delenv("COLUMNS", raising=False)
        if width is not None:
            monkeypatch.setenv("COLUMNS", str(width))
        result = command(name, *known, *options)
        assert result.status == 0, result.err
        return result.out

    return run


@pytest.mark.parametrize("call", [*CUT, ("compare", "--full", "--explain")])
def test_no_number_or_name_is_cut_off(shown, call):
    piped = shown(*call)
    for width in (60, 200):
        text = shown(*call, width=width)
        assert call in CUT or "…" not in text
        assert "…" not in text.replace(CUT_SHORT, "")
        lines = [line for line in text.splitlines() if "|" not in line]  # a signature is one word
        assert max(map(len, lines)) <= width
        assert numbers(text) == numbers(piped)
        for name in NAMES[1:]:
            assert name in text
        if width == 200:
            assert (CUT_SHORT if call in CUT else LONG) in text
        folded = "".join(line.strip(" 0123456789.[],-") for line in lines)
        assert LONG.strip("-")[:20] in folded.replace(" ", "")


def test_piped_rows_and_sentences_are_a_line_each(shown):
    text = shown("compare", "--full", "--explain")
    headings = [line for line in text.splitlines() if line.split()[:2] == ["metric", "#"]]
    assert len(headings) == 1
    assert {"cluster", "wins", "behind", "best?"} <= set(headings[0].split())
    assert "cluster: Groups from the top down by tests that are not corrected for multiple" in text


def test_what_is_said_wraps_too(shown, command, monkeypatch):
    shown("compare")
    for width in (None, 40):
        if width:
            monkeypatch.setenv("COLUMNS", str(width))
        told = command("compare", "scores.csv", "--human", SCORES.attrs["human"]).err
        lines = [line for line in told.splitlines() if not line.startswith("warning")]
        assert (max(map(len, lines)) <= 40) == bool(width)
