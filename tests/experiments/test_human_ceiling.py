"""The study of people among the metrics, small, and what its kept results say."""

import numpy as np
import pytest

from experiments.committed import rows_of
from experiments.common import DATA
from experiments.data import lacking
from experiments.human_ceiling import study

RESULTS = "human_ceiling/results"


def test_the_study_runs_and_writes(tmp_path, capsys):
    is_there = not lacking(DATA, "mt-metrics-eval-v2", "wmt23-raters")
    parts = study.PARTS if is_there else ["coverage", "again"]
    chosen = [word for part in parts for word in ("--part", part)]
    assert study.main(["--smoke", "--out", str(tmp_path), *chosen]) == 0
    assert "share 0.5: mean" in capsys.readouterr().out
    assert len(rows_of(tmp_path / "coverage-confirming.csv")) == 2


@pytest.mark.parametrize("name", ["choosing", "confirming", "again"])
def test_limits_without_noise_keep_their_promise(name):
    rows = rows_of(f"{RESULTS}/coverage-{name}.csv")
    cover = np.array([float(row["cover_0.5"]) for row in rows])
    assert len(rows) == 40
    assert (cover >= 0.93).mean() >= 0.9


def test_metrics_below_people_where_few_segments_decide_are_controls():
    rows = [row for row in rows_of(f"{RESULTS}/shown-below.csv") if row["pair"] == "en-de"]
    for measure in ("pearson", "SPA"):
        named = [row for row in rows if (row["measure"], row["scope"]) == (measure, "documents")]
        assert {row["metric"] for row in named} == {"Random-sysname", "prismSrc"}
        assert all(row["below"] == row["comparisons"] == "6" for row in named)
