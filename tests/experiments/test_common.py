"""How published figures are held against ours."""

from types import ModuleType

import pytest

from experiments import common
from experiments.common import Check, Part, reported
from supersample.presentation.table import Column, Table
from supersample.results.outputs import Results


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        (Check("t", "rounds to it", 0.881, 0.88065, 3), "agrees"),
        (Check("t", "rounds to the next", 0.881, 0.88049, 3), "DIFFERS"),
        (Check("t", "count", 36, 36), "agrees"),
        (Check("t", "count", 36, 37), "DIFFERS"),
        (Check("t", "text", "a, b", "a, c"), "DIFFERS"),
        (Check("t", "no value of ours", 0.1, None, 1), "DIFFERS"),
        (Check("t", "nan", 0.1, float("nan"), 1), "DIFFERS"),
        (reported("t", "far off", 0.1, 0.9, 1), "reported"),
    ],
)
def test_verdict(check, verdict):
    assert check.verdict == verdict


def paper(*checks):
    module = ModuleType("experiments.fake.reproduce", "A paper.")
    module.reproduce = lambda data, *, smoke: [Part(list(checks))]
    return module


def test_a_difference_is_an_exit_status(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(common, "DATA", tmp_path)
    same, other = Check("t", "same", 1, 1), Check("t", "other", 1, 2)
    arguments = ["--out", str(tmp_path / "out")]
    assert common.run(paper(same), arguments) == 0
    assert common.run(paper(same, other), arguments) == 1
    assert "DIFFERS" in capsys.readouterr().out
    assert "other" in (tmp_path / "out" / "checks.csv").read_text()


def test_kept_numbers_are_written_in_full_size_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(common, "DATA", tmp_path)
    monkeypatch.setattr(common, "OUT", tmp_path / "out")
    table = Table((Column("a", "a"),), ((1,),))
    counted = paper()
    counted.reproduce = lambda data, *, smoke: [Part([], Results(numbers={"counts": table}))]
    kept = tmp_path / "kept"
    assert common.run(counted, ["--smoke"], kept) == 0
    assert common.run(counted, ["--out", str(tmp_path / "other")], kept) == 0
    assert not kept.exists()
    assert common.run(counted, [], kept) == 0
    assert [file.name for file in kept.iterdir()] == ["counts.csv"]
    assert (kept / "counts.csv").read_text() == "a\n1\n"
