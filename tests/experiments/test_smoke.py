"""Experiments run small on the public data, and what must agree agrees."""

from importlib import import_module
from importlib.util import find_spec

import pytest

from experiments import common

PAPERS = sorted(path.parent.name for path in common.ROOT.glob("experiments/*/reproduce.py"))
OF_TEXTS = set() if find_spec("sacrebleu") else {"naacl16", "spa24"}  # need the extra 'text'


@pytest.mark.real_data
@pytest.mark.parametrize("name", [name for name in PAPERS if name not in OF_TEXTS])
def test_smoke(name, data_root, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(common, "DATA", data_root)
    paper = import_module(f"experiments.{name}.reproduce")
    assert common.run(paper, ["--smoke", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "agrees" in printed
    assert "DIFFERS" not in printed
    written = {path.name for path in tmp_path.iterdir()}
    assert "checks.csv" in written
    assert any(name.startswith("figure-1") and name.endswith(".png") for name in written)


def test_readmes_list_every_paper():
    for name in PAPERS:
        assert (common.ROOT / "experiments" / name / "README.md").is_file()
