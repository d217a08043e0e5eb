"""``supersample intervals``."""

from pathlib import Path


def test_intervals_stand_side_by_side(command):
    result = command("intervals", "--example", "--resamples", "99", "--out", "out")
    assert result.status == 0
    for name in ("Fisher", "bootstrap-bca", "human-only", "plus-minus"):
        assert name in result.out
    assert {path.name for path in Path("out").iterdir()} == {
        "intervals.csv",
        "intervals.json",
        "intervals.md",
        "intervals.tex",
    }
