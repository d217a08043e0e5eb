"""Scores computed elsewhere: a table with a column of keys and one for each metric."""

from pathlib import Path
from typing import Literal

from supersample.errors import InputError, listed, quoted
from supersample.readers.delimited import DELIMITERS, split_rows
from supersample.readers.text import checked_file, decode, number, read_raw


def read_score_columns(
    path: str | Path, *, key: Literal["hybrid", "system"]
) -> dict[str, dict[str, float]]:
    """Read a CSV or TSV file with one row for each hybrid or system.

    Parameters
    ----------
    path : str or Path
        The file, whose header names `key` and the metrics.
    key : {"hybrid", "system"}
        The column that says whose scores a row has: the number of a hybrid, or a system's name.

    Returns
    -------
    dict of str to dict of str to float
        The scores of each metric, by key.

    Raises
    ------
    InputError
        With file and line, if a column is missing or repeated, a row is too short or long, a key
        is no number of a hybrid or occurs twice, or a score is no finite number.

    Examples
    --------
    >>> read_score_columns("nowhere.csv", key="hybrid")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    path = checked_file(path)
    if path.suffix.lower() not in DELIMITERS:
        raise InputError(f"{path}: a table of scores ends in .csv or .tsv")
    source, raw = read_raw(path)
    rows = split_rows(source, decode(source, raw), DELIMITERS[path.suffix.lower()])
    header = [name.strip() for name in next(rows, ("", []))[1]]
    if header.count(key) != 1 or len(set(header)) < len(header) or len(header) < 2:
        raise InputError(
            f"{path}, line 1: the header names '{key}' and metrics, each once; here it has "
            f"{listed(header) or 'nothing'}"
        )
    scores: dict[str, dict[str, float]] = {name: {} for name in header if name != key}
    for where, row in rows:
        if len(row) != len(header):
            raise InputError(f"{where}: {len(row)} columns, the header has {len(header)}")
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        label = cells.pop(key)
        if key == "hybrid":
            if not (label.isascii() and label.isdecimal() and len(label) < 19):
                raise InputError(f"{where}: {quoted(label)} is no number of a hybrid")
            label = str(int(label))
        for metric, text in cells.items():
            if label in scores[metric]:
                raise InputError(f"{where}: a second row of {key} {quoted(label)}")
            scores[metric][label] = number(where, text, ())
    return scores
