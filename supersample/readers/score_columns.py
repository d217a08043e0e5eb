"""Scores computed elsewhere: a table with a column of keys and one for each metric."""

import csv
from pathlib import Path
from typing import Literal

from supersample.errors import InputError
from supersample.readers.text import listed, number, read_lines, shortened

DELIMITERS = {".csv": ",", ".tsv": "\t"}


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
        With file and line, if a column is missing or there twice, a row is too short or long, a key
        is no number of a hybrid or occurs twice, or a score is no finite number.

    Examples
    --------
    >>> read_score_columns("nowhere.csv", key="hybrid")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if path.suffix.lower() not in DELIMITERS:
        raise InputError(f"{path}: a table of scores ends in .csv or .tsv")
    reader = csv.reader(read_lines(path), delimiter=DELIMITERS[path.suffix.lower()], strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if header.count(key) != 1 or len(set(header)) < len(header) or len(header) < 2:
            raise InputError(
                f"{path}, line 1: the header names '{key}' and metrics, each once; here it has "
                f"{listed(header) or 'nothing'}"
            )
        scores: dict[str, dict[str, float]] = {name: {} for name in header if name != key}
        for row in reader:
            if row:
                _add_row(f"{path}, line {reader.line_num}", key, header, row, scores)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from error
    return scores


def _add_row(
    where: str, key: str, header: list[str], row: list[str], scores: dict[str, dict[str, float]]
) -> None:
    if len(row) != len(header):
        raise InputError(f"{where}: {len(row)} columns, the header has {len(header)}")
    own = dict(zip(header, (cell.strip() for cell in row), strict=True))
    label = own.pop(key)
    if key == "hybrid":
        if not (label.isascii() and label.isdecimal()):
            raise InputError(f"{where}: '{shortened(label)}' is no number of a hybrid")
        label = str(int(label))
    for metric, text in own.items():
        if label in scores[metric]:
            raise InputError(f"{where}: a second row of {key} '{shortened(label)}'")
        scores[metric][label] = number(where, text, ())
