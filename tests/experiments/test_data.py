"""What experiments say of missing data, and the list of all files."""

import hashlib
import re
import shutil
from importlib import import_module

import pytest

from experiments import common
from experiments.data import SETS
from supersample import public_sets

PAPERS = sorted(path.parent.name for path in common.ROOT.glob("experiments/*/reproduce.py"))
SUMS = dict(
    reversed(line.split(maxsplit=1))
    for line in (common.ROOT / "experiments" / "data.sha256").read_text().splitlines()
)


def stopped(run, capsys):
    """What a program printed in its one line before it ended with status 2."""
    with pytest.raises(SystemExit) as stop:
        run()
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


@pytest.mark.parametrize("name", PAPERS)
@pytest.mark.parametrize("folder", ["empty", "nowhere"])
def test_papers_without_data(name, folder, tmp_path, monkeypatch, capsys):
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(common, "DATA", tmp_path / folder)
    paper = import_module(f"experiments.{name}.reproduce")
    said = stopped(lambda: common.run(paper, []), capsys)
    assert said.startswith(f"error: there is no {tmp_path / folder}")
    assert "published at https://" in said


@pytest.mark.real_data
def test_one_missing_file_is_named(data_root, tmp_path, monkeypatch, capsys):
    for name in ("wmt12", "wmt15"):
        shutil.copytree(data_root / name, tmp_path / name, copy_function=shutil.copyfile)
    (tmp_path / "wmt15").chmod(0o755)
    (tmp_path / "wmt15" / "wmt-r.de-en.csv").unlink()
    monkeypatch.setattr(common, "DATA", tmp_path)
    paper = import_module("experiments.emnlp14.reproduce")
    said = stopped(lambda: common.run(paper, ["--out", str(tmp_path / "out")]), capsys)
    assert "wmt-r.de-en.csv; published at https://github.com/ygraham" in said


@pytest.mark.real_data
def test_every_file_is_listed_with_its_checksum(data_root):
    files = [path for path in data_root.rglob("*") if path.is_file() and path.name != "README.md"]
    sums = {
        str(path.relative_to(data_root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    assert {name: SUMS[name] for name in sums} == sums
    for name, facts in SETS.items():
        assert all(any((data_root / name).glob(pattern)) for pattern in facts["needs"])


def test_sets_say_what_they_are():
    assert {name.split("/")[0] for name in SUMS} == set(SETS)
    for facts in SETS.values():
        assert {"paper", "published", "licence", "needs"} <= set(facts)
        asked = re.findall(r"supersample fetch ([\w.-]+)", facts["published"])
        assert set(asked) <= set(public_sets())


@pytest.mark.parametrize("name", ["wmt12", "wmt14-qe", "wmt15", "wmt23-esa"])
def test_what_is_fetched_has_the_checksums_of_the_list(name):
    fetched = {f"{name}/{file.name}": file.sha256 for file in public_sets()[name].files}
    listed = {file: sum_ for file, sum_ in SUMS.items() if file in fetched}
    assert listed == {file: sum_ for file, sum_ in fetched.items() if sum_}
    by_hand = {file for file in SUMS if file.startswith(f"{name}/")} - listed.keys()
    assert all("conclusions" in file or file.endswith(".seg.score") for file in by_hand)


@pytest.mark.parametrize("name", ["segment_tests", "error_tests"])
def test_smoke_leaves_committed_results(name, tmp_path, monkeypatch):
    study = import_module(f"experiments.{name}.study")
    monkeypatch.setattr(study, "OUT", tmp_path)
    monkeypatch.setattr("sys.argv", ["study", "--smoke"])
    kept = {path: path.read_bytes() for path in (study.HERE / "results").iterdir()}
    study.main()
    assert {path: path.read_bytes() for path in (study.HERE / "results").iterdir()} == kept
    assert any((tmp_path / name).iterdir())
