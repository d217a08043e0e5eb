import gzip

import numpy as np
import pytest

import supersample as ss

ROWS = [(system, doc, seg) for system in "AB" for doc in "zx" for seg in "12"]
SCORES = ss.make_scores(
    [[0.0, -1, -2, -3], [-4, -5, -6, -7]],
    np.empty((0, 2, 4)),
    systems=["A", "B"],
    metrics=[],
    segments=["z:1", "z:2", "x:1", "x:2"],
)


def lines(columns):
    rows = (["m", "xx-yy", "set", *columns(*row), str(k + 0.5)] for k, row in enumerate(ROWS))
    return "".join("\t".join(row) + "\n" for row in rows)


def eight(system, doc, seg):
    return ["r", system, doc, seg]


def nine(system, doc, seg):
    return ["news", doc, "r", system, seg]


def added(path, text):
    raw = text.encode()
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return ss.add_metric(SCORES, "m", path, orientation="higher-is-better")


@pytest.mark.parametrize("columns", [eight, nine])
@pytest.mark.parametrize("name", ["m.seg.score", "m.seg.score.gz"])
def test_eight_and_nine_columns_packed_or_not(tmp_path, columns, name):
    scores = added(tmp_path / name, lines(columns))
    np.testing.assert_array_equal(scores["score"][0], [[0.5, 1.5, 2.5, 3.5], [4.5, 5.5, 6.5, 7.5]])


def test_columns_of_ensembles_stand_behind_the_score(tmp_path):
    text = "".join(
        f"m\txx-yy\tset\t{s}\t{d}:{seg}\t{v}.5\tnon-ensemble\tno\n"
        for v, s in enumerate("AB")
        for d in "zx"
        for seg in "12"
    )
    scores = added(tmp_path / "m.seg.score", text)
    np.testing.assert_array_equal(scores["score"][0], [[0.5] * 4, [1.5] * 4])
