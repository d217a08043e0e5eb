"""``supersample task``."""

import json
import re

import numpy as np
import pytest

from tests.toy_sets import SYSTEMS, segment_lines, write_test_set


def test_task_prints_the_table(command, tmp_path):
    data = write_test_set(tmp_path / "sets")
    arguments = ["task", "wmt23", "--mtme", data, "--out", "o", "--resamples", 20]
    arguments += ["--language-pair", "en-de,zh-en"]
    status, out, err = command(*arguments, "--full")
    assert status == 0, err
    assert "BLEU agrees best with people here (average = " in out
    assert "0.25 for wmt23 en-de,zh-en PA" in " ".join(out.split())
    assert "GEMBA-MQM*" in out
    assert "average: 4 of 6 pairs differ significantly" in out
    assert "written to o: report.html, table.csv, task.png, and 8 more files" in err
    assert len([*(tmp_path / "o").iterdir()]) == 11
    page = (tmp_path / "o" / "report.html").read_text()
    assert "average: 4 of 6 pairs differ significantly" in page
    assert "wmt23 zh-en acc_eq/item" in page
    mine = tmp_path / "sets/wmt23/metric-scores/{pair}/CometKiwi-XL-src.seg.score"
    added = ["--add-metric", f"mine={mine}", "--higher-is-better", "mine"]
    assert "the folder o is not empty" in command(*arguments, *added).err
    (tmp_path / "o" / "report.html").unlink()
    status, out, err = command(*arguments[:-1], "all", *added, "--overwrite", "--metrics", "all")
    assert status == 0, err
    assert f"left out, as they are not in {data}: wmt23 he-en" in err.splitlines()
    assert "mine ◀" in out
    assert re.search(r"the best is one of \d of 6 metrics: BLEU, COMET, chrF", out)
    assert ("Ranks and values in each task: --all.\n" in out, "pearson" in out) == (True, False)
    assert (tmp_path / "o" / "report.html").exists()


def test_labels_of_error_free_segments_are_compared_by_matthews_coefficient(command, tmp_path):
    pair, rng = "en-cs_CZ", np.random.default_rng(0)
    data = write_test_set(tmp_path / "sets", [pair], test_set="wmt26")
    human = rng.random((len(SYSTEMS), 30)) < 0.3
    labels = {"close": human ^ (rng.random(human.shape) < 0.1), "chance": rng.permuted(human)}
    root = data / "wmt26"
    (root / f"human-scores/{pair}.error-free.seg.score").write_text(segment_lines(1.0 * human))
    for name, found in labels.items():
        path = root / f"metric-scores/{pair}/{name}-src.seg.score"
        path.write_text(segment_lines(1.0 * found))
    options = ("--language-pair", pair, "--metrics", "all", "--resamples", 20)
    status, _, err = command("task", "wmt26", "--mtme", data, *options, "--out", "o")
    assert status == 0, err
    rows = json.loads((tmp_path / "o/table.json").read_text())["rows"]
    values = {row["metric"]: row for row in rows}
    column = f"value_wmt26_{pair}_pearson/none_gold_error-free"
    for name, found in labels.items():
        both = [*zip(human.ravel(), found.ravel(), strict=True)]
        tp, tn, fp, fn = (both.count(x) for x in [(1, 1), (0, 0), (0, 1), (1, 0)])
        sizes = float((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        assert values[name][column] == pytest.approx((tp * tn - fp * fn) / np.sqrt(sizes))
