"""Scores computed elsewhere, by hybrid or system."""

import pytest

from supersample.errors import InputError
from supersample.readers.tables import read_score_columns


def _read(tmp_path, text, key="hybrid", name="scores.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_score_columns(path, key=key)


def test_a_column_for_each_metric(tmp_path):
    scores = _read(tmp_path, "m, hybrid,other\n0.5,1,2\n\n0.25,00,1e3\n")
    assert scores == {"m": {"1": 0.5, "0": 0.25}, "other": {"1": 2.0, "0": 1000.0}}
    assert _read(tmp_path, "system\tm\nA b\t1\n", "system", "s.TSV") == {"m": {"A b": 1.0}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: expected 'hybrid' and a column for each metric; found nothing"),
        ("number,m\n0,1\n", r"line 1: .* found number, m"),
        ("hybrid\n0\n", "line 1: expected"),
        ("hybrid,m,m\n0,1,1\n", "line 1: expected"),
        ("hybrid,m\n0\n", "line 2 has 1 columns, but the header has 2"),
        ("hybrid,m\n-1,2\n", "line 2: '-1' is not the number of a hybrid"),
        ("hybrid,m\n0,2\n00,3\n", "line 3: a second score of 'm' for hybrid '0'"),
        ("hybrid,m\n0,\n", "line 2: the score '' is not a number"),
        ("hybrid,m\n0,nan\n", "line 2: the score 'nan' is not a number"),
        ('hybrid,m\n0,"1\n', "line 2: unexpected end of data"),
    ],
)
def test_bad_tables_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        _read(tmp_path, text)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"ends in \.csv, \.tsv"):
        _read(tmp_path, "hybrid,m\n", name="scores.txt")
