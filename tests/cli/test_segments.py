"""``supersample segments``: what it prints and writes, and its errors."""

import json

from tests.long_tables import rows_of

OPTIONS = ("segments", "example", "--resamples", "19")


def test_prints_a_ranking_with_thresholds_and_clusters(command):
    named = ("--measure", "acc_eq,tau_eq")
    printed = command(*OPTIONS, *named, "--full").out
    assert "over 12 systems, 485 segments, 5,797 translations" in " ".join(printed.split())
    assert "ties to" in printed
    assert "tau_eq/item: " in printed
    assert "statistic:difference of acc_eq/item,tau_eq/item|method:perm-inputs" in printed


def test_writes_tables_and_figures(command, tmp_path):
    result = command(*OPTIONS, "--measure", "pdp", "--out", "out", "--figures", "significance")
    assert result.status == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"ranking.csv", "ranking.tex"} <= names
    assert "significance-pdp-item.png" in names
    rows = rows_of(tmp_path / "out" / "ranking.csv")
    assert len(rows) == 8
    assert 0 < float(rows[0]["value_pdp/item"]) < 1
    assert "Small points: " in (tmp_path / "out" / "report.html").read_text()
    facts = json.loads((tmp_path / "out" / "comparisons.json").read_text())
    assert facts["method"] == "perm-inputs"


def test_bootstrap_shows_intervals(command, tmp_path):
    options = (*OPTIONS, "--measure", "pdp", "--random", "segments")
    result = command(*options, "--out", "out", "--figures", "none", "--full")
    assert "method:bootstrap-student over segments|confidence_level:0.95" in result.out
    row = rows_of(tmp_path / "out" / "comparisons.csv")[0]
    assert float(row["lower"]) < float(row["difference"]) < float(row["upper"])
    assert 0 < float(row["p_value"]) <= 1
