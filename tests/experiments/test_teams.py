"""The study of teams on a few small samples, and what its committed results say."""

import csv

from experiments.teams import study


def rows_of(path):
    with path.open() as stream:
        return {row["candidate"]: row for row in csv.DictReader(stream)}


def test_the_study_runs_and_teams_kept_the_bounds(tmp_path):
    assert study.main(["--smoke", "--part", "confirming", "--out", str(tmp_path)]) == 0
    measured = {study.CHOSEN, "larger", "unknown teams", "no teams"}
    assert set(rows_of(tmp_path / "confirming.csv")) == measured
    found = rows_of(study.RESULTS / "confirming.csv")
    chosen, unknown = (
        {k: float(x) for k, x in found[name].items() if k != "candidate"}
        for name in (study.CHOSEN, "unknown teams")
    )
    for wrong in ("best_out", "false_pair"):
        assert chosen[wrong] <= 0.05
        assert chosen[f"{wrong}_within_7"] >= 0.95 > unknown[f"{wrong}_within_7"]
    assert chosen["behind"] >= 0.93


def test_near_copies_were_found_and_few_others():
    with (study.RESULTS / "suspicion.csv").open() as stream:
        drawn = [row for row in csv.DictReader(stream) if "drawn" in row["set"]]
    assert [row["of"] for row in drawn] == ["scores", "segments"]
    assert all(float(row["found"]) >= 0.9 for row in drawn)
    assert all(float(row["false_alarms"]) <= 0.05 for row in drawn)
