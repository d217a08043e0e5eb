"""``supersample spa``."""

import re
from pathlib import Path

import pytest
import xarray as xr

import supersample as ss
from tests.long_tables import SCORES, rows_of, table_text


def test_spa_ranks_the_example_and_writes_everything(command, tmp_path):
    asked = ("--resamples", 99, "--out", "out", "--figures", "all", "--full")
    result = command("spa", "example", *asked)
    assert result.status == 0
    lines = result.out.splitlines()
    assert lines[0].startswith("strong-98 agrees best with people here (SPA = ")
    assert "Agreement of 8 metrics with human scores over 12 systems, 463 segments" in lines
    for kind in ("SPA", "PA"):
        assert any(line.startswith(f"{kind}: ") and "of 28 pairs" in line for line in lines)
    assert lines[-1].startswith("statistic:difference of SPA,PA|method:perm-inputs|")
    assert "|resamples:99|" in lines[-1]
    tables = {"ranking", "comparisons", "summary"}
    assert {path.stem for path in (tmp_path / "out").glob("*.csv")} == tables
    assert {path.stem for path in (tmp_path / "out").glob("*.json")} == tables
    for suffix, notes in (("md", set()), ("tex", {f"{x}-notes" for x in tables if x[0] in "rt"})):
        pages = {path.stem for path in (tmp_path / "out").glob(f"*.{suffix}")}
        assert pages == tables - {"comparisons"} | notes
    figures = {"differences", "significance-SPA", "significance-PA"}
    for suffix in ("png", "pdf"):
        assert {path.stem for path in (tmp_path / "out").glob(f"*.{suffix}")} == figures
    expected = ss.rank(ss.load_example(), ["SPA", "PA"], method="inputs", resamples=99)
    with xr.open_zarr(tmp_path / "out" / "ranking.zarr") as read:
        xr.testing.assert_equal(read.load(), expected)
    rows = rows_of(tmp_path / "out" / "ranking.csv")
    assert [row["metric"] for row in rows] == list(expected["metric"].values)


def test_spa_compares_with_a_baseline(command):
    known = ["spa", "-", "--human", "people", "--lower-is-better", "ter", "--resamples", 9]
    told = [*known, "--baseline", "good", "--out", "out", "--figures", "none"]
    result = command(*told, stdin=table_text(SCORES))
    assert result.status == 0, result.err
    for name in ("SPA", "PA"):
        table = Path(f"out/baseline-{name}.md").read_text()
        assert f"Difference from good ({name} = " in table
    assert re.findall(r"ter's (S?PA) is above good's by ", result.out) == ["SPA", "PA"]
    names = {path.name for path in Path("out").iterdir()}
    assert {"baseline.csv", "baseline-SPA.tex", "baseline-PA-notes.tex"} <= names


@pytest.mark.real_data
def test_language_pairs_of_wmt23_are_averaged(command, data_root, tmp_path):
    mtme = data_root / "mt-metrics-eval-v2" / "wmt23"
    some = ["--metrics", "BLEU,COMET,XCOMET-XL", "--resamples", 99]
    written = ("--out", "out", "--figures", "significance", "--full")
    result = command("spa", mtme / "en-de", mtme / "zh-en", *some, *written)
    assert result.status == 0
    assert "12 systems of wmt23 en-de, 15 systems of wmt23 zh-en" in result.out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "significance-SPA-wmt23-en-de.png" in names
    twice = command("spa", mtme / "en-de", mtme / "en-de", *some)
    assert (twice.status, "all groups have the same systems" in twice.err) == (0, True)


def test_no_metric_is_best_where_people_prefer_no_system(command, tmp_path):
    same = SCORES.assign(human=0 * SCORES["human"] + 3.3)
    (tmp_path / "same.csv").write_text(table_text(same))
    for words in (["spa"], ["rank", "--measure", "pearson", "--measure", "spearman"]):
        result = command(words[0], "same.csv", "--human", "people", *words[1:])
        assert "No metric can be ranked: no " in result.out
        assert "best" not in result.out
