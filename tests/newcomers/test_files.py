"""Files of newcomers are read rightly, or refused with a line that leads to success."""

import re
import shlex

import numpy as np
import pytest

import supersample as ss
from tests.newcomers.files import DATA, FILES, HUMAN, SCORE, SYSTEMS, WIDE

OF_DATA = re.compile(r"DATA(:\w+=[^\s;,]+)")
OPTION = re.compile(r"(--[a-z-]+) ('[^']*'|[^\s;,]+(?:,[^\s;,]+)*)")


def read(command, file, options, folder):
    """Read a file by the command line: what it says, and the Scores, None where it refuses.

    Options that begin with a colon are those of the file.
    """
    name = file.name + "".join(x for x in options if x[0] == ":")
    options = [x for x in options if x[0] != ":"]
    result = command("inspect", name, *options, "--to", folder / "read.zarr", "--overwrite")
    assert result.status in (0, 2), result.err
    if result.status:
        assert len(result.err.splitlines()) == 1
        return result.err, None
    shown = command("inspect", name, *options)
    return shown.out + shown.err, ss.read_scores(folder / "read.zarr")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.name} {file.options}")
def test_files_are_read_rightly_or_refused_with_what_mends_them(
    command, tmp_path, monkeypatch, file
):
    if ".xlsx" in file.name:
        pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    monkeypatch.chdir(DATA)
    metrics, options = file.metrics, file.options.split()
    if not metrics:  # people's scores alone, beside which a metric is set
        added = [f"{s}\t{x}\n" for s, row in zip(SYSTEMS, SCORE[0], strict=True) for x in row]
        (tmp_path / "COMET.seg.score").write_text("".join(added))
        options += ["--add-metric", f"COMET={tmp_path / 'COMET.seg.score'}"]
        options += ["--higher-is-better", "COMET"]
        metrics = ("COMET",)
    said, scores = read(command, file, options, tmp_path)
    if file.refused:
        assert scores is None
        assert file.refused in said
        if file.by_hand:
            return
        found = [shlex.split(" ".join(pair)) for pair in OPTION.findall(said)]  # to the letter
        found += [[each] for each in OF_DATA.findall(said)]
        options = [*options, *(part for pair in found for part in pair)]
        if "annotator" in said:
            ranked = command("rank", file.name, *options)
            assert (ranked.status, ranked.err) == (0, ranked.err)
            options = [*options[:-1], options[-1].split(",")[1]]
        said, scores = read(command, file, options, tmp_path)
    assert scores is not None, said
    assert file.said in said
    assert list(scores["system"].values) == list(SYSTEMS)
    sign = -1 if file.name == "mqm.tsv" else 1
    np.testing.assert_allclose(scores["human"], sign * HUMAN, rtol=0, atol=1e-9)
    found = scores["score"].sel(metric=list(metrics))
    np.testing.assert_allclose(found, SCORE[: len(metrics)], rtol=0, atol=1e-12)


def test_a_metric_column_that_cannot_be_read_has_a_line_of_its_own(command, tmp_path):
    header, *rows = WIDE.splitlines()
    rows = [f"{row},a note,-," for row in rows]
    rows[0] = rows[0].replace("-", "0.5 (ok)")
    (tmp_path / "t.csv").write_text("\n".join([f"{header},notes,BLEURT,empty", *rows]))
    lines = command("inspect", "t.csv").err.splitlines()
    assert "warning: t.csv: the column 'empty' is not read: it is empty" in lines
    assert [line for line in lines if "the column 'BLEURT' is not read: " in line]


def test_numbers_beside_judges_are_no_systems(command, tmp_path):
    (tmp_path / "t.csv").write_text("item,judge,verdict,seconds\n1,a,3,0.5\n2,a,4,0.7\n")
    assert "no column is the system; the header has" in command("inspect", "t.csv").err
