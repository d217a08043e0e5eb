"""The study of a judge's intervals, small, and what its kept results say."""

from pathlib import Path

import pandas as pd

from experiments.judges import near_one, replacing, study, verdicts

RESULTS = Path(study.__file__).parent / "results"


def test_the_study_runs_and_writes(tmp_path, capsys):
    assert study.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "r, judge with people" in capsys.readouterr().out
    assert {"coverage.csv", "widths.csv"} <= {path.name for path in tmp_path.iterdir()}


def test_intervals_of_a_judge_keep_their_promise():
    rows = pd.read_csv(RESULTS / "coverage.csv")
    low = rows[rows["covered"] < study.COVERED]["setting"]
    assert (rows["setting"].nunique(), low.nunique()) == (study.SETTINGS, study.SETTINGS - 28)
    assert (len(rows), rows["covered"].min().round(3)) == (218, 0.927)


def test_plans_keep_the_promised_width():
    rows = pd.read_csv(RESULTS / "widths.csv")
    assert rows["setting"].nunique() == study.SETTINGS
    assert ((rows["fitted"] - 1).abs() <= study.WITHIN).mean() >= study.OF_PLANS


def test_an_equal_judge_is_seldom_called_better(tmp_path, capsys):
    assert verdicts.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "fading places" in capsys.readouterr().out
    rows = pd.read_csv(RESULTS / "verdicts-judged.csv").query("items <= 60")
    every, equal = ({"t": 0, "places": 0} for _ in range(2))
    for part, found in ((rows, every), (rows[rows["kind"] != "other"], equal)):
        for way in found:
            sides = 100 * part.loc[part["way"] == way, ["too_high", "too_low"]]
            found[way] = sides.agg(["mean", "max"]).round(1).to_numpy().ravel().tolist()
    assert every == {"t": [6.9, 0.7, 20.3, 4.3], "places": [0.7, 0.6, 4.0, 3.3]}
    assert equal == {"t": [7.3, 0.6, 20.3, 4.3], "places": [0.6, 0.6, 3.3, 3.3]}


def test_limits_near_one_cover_the_truth(tmp_path, capsys):
    assert near_one.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "wilson at one" in capsys.readouterr().out
    rows = pd.read_csv(RESULTS / "near-one-summary.csv").set_index(["statistic", "way"])
    good = rows[rows["good"] >= 0.9]
    for statistic in near_one.STATISTICS:
        assert good.loc[statistic]["width"].idxmin() == "wilson at one"


def test_a_judge_is_tested_by_segments(tmp_path, capsys):
    assert replacing.main(["--smoke", "--out", str(tmp_path)]) == 0
    assert "by segments" in capsys.readouterr().out
