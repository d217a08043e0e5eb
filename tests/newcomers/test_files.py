"""Files of newcomers are read rightly, or refused with a line that leads to success."""

import re
import shlex

import numpy as np
import pytest

import supersample as ss
from tests.newcomers.files import FILES, put
from tests.readers.files_people_have import HUMAN, SCORE, SYSTEMS, text, wide

OF_DATA = re.compile(r"DATA(:\w+=[^\s;,]+)")
OPTION = re.compile(r"(--[a-z-]+) ('[^']*'|[^\s;,]+(?:,[^\s;,]+)*)")


def read(command, file, options):
    """Read a file by the command line: what it says, and the Scores, None where it refuses.

    Options that begin with a colon are those of the file.
    """
    name = file.name + "".join(x for x in options if x[0] == ":")
    options = [x for x in options if x[0] != ":"]
    result = command("inspect", name, *options, "--to", "read.zarr")
    assert result.status in (0, 2), result.err
    if result.status:
        assert len(result.err.splitlines()) == 1
        return result.err, None
    shown = command("inspect", name, *options)
    return shown.out + shown.err, ss.read_scores("read.zarr")


@pytest.mark.parametrize("file", FILES, ids=[f"{k} {file.name}" for k, file in enumerate(FILES, 1)])
def test_files_are_read_rightly_or_refused_with_what_mends_them(command, tmp_path, file):
    put(tmp_path / file.name, file.content)
    metrics, options = file.metrics, [*file.options]
    if not metrics:  # people's scores alone, beside which a metric is set
        added = [f"{s}\t{x}\n" for s, row in zip(SYSTEMS, SCORE[0], strict=True) for x in row]
        (tmp_path / "COMET.seg.score").write_text("".join(added))
        options += ["--add-metric", "COMET=COMET.seg.score", "--higher-is-better", "COMET"]
        metrics = ("COMET",)
    said, scores = read(command, file, options)
    if file.refused:
        assert scores is None
        assert file.refused in said

        if file.mended is None:  # as the line says, to the letter
            found = [shlex.split(" ".join(pair)) for pair in OPTION.findall(said)]
            found += [[each] for each in OF_DATA.findall(said)]
            options = [*options, *(part for pair in found for part in pair)]
        else:
            put(tmp_path / file.name, file.mended)
        if "annotator" in said:
            ranked = command("rank", file.name, *options)
            assert (ranked.status, ranked.err) == (0, ranked.err)
            options = [*options[:-1], options[-1].split(",")[1]]
        said, scores = read(command, file, options)
    assert scores is not None, said
    assert file.said in said
    assert len(scores["system"]) == len(SYSTEMS)
    sign = -1 if file.name in ("mqm.tsv", "beside.csv") else 1
    np.testing.assert_allclose(scores["human"], sign * HUMAN, rtol=0, atol=1e-9)
    found = scores["score"].sel(metric=list(metrics))
    np.testing.assert_allclose(found, SCORE[: len(metrics)], rtol=0, atol=1e-12)


def test_a_metric_column_that_cannot_be_read_has_a_line_of_its_own(command, tmp_path):
    header, *rows = wide()
    rows = [[*header, "notes", "BLEURT", "empty"], *([*row, "a note", "-", ""] for row in rows)]
    rows[1][-2] = "0.5 (ok)"
    put(tmp_path / "t.csv", text(rows))
    lines = command("inspect", "t.csv").err.splitlines()
    assert "warning: t.csv: the column 'empty' is not read: it is empty" in lines
    put(tmp_path / "t.csv", text([[*row[:-3], row[-2]] for row in rows]).replace("-\n", "0.1 x\n"))
    assert (
        "the column 'BLEURT' is not read: '0.5 (ok)' is not a number"
        in command("inspect", "t.csv").err
    )


def test_numbers_beside_judges_are_no_systems(command, tmp_path):
    rows = [["item", "judge", "verdict", "seconds"], ["1", "a", 3, 0.5], ["2", "a", 4, 0.7]]
    put(tmp_path / "t.csv", text(rows))
    assert "no column is the system; the header has" in command("inspect", "t.csv").err


def test_there_are_54_files_and_more_of_which_46_are_read():
    assert len(FILES) >= 54
    assert sum(not file.refused for file in FILES) >= 46
