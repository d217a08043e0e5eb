"""``supersample influence``."""

from pathlib import Path


def test_influence_names_what_changes(command):
    result = command("influence", "--example", "--out", "out")
    assert result.status == 0
    assert "system-09" in result.out
    names = {path.name for path in Path("out").iterdir()}
    assert {"influence.csv", "left-out.csv", "influence.png", "influence.tex"} < names
