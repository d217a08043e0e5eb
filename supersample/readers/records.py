"""Rows of text tables with the place of each, for the readers of long tables."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from supersample.errors import InputError
from supersample.readers.text import decode, shortened

JSON_LINES = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class Records:
    """A table as it is read: names of the columns, in lower case, and rows of texts.

    Rows come with their place ('file, line 7'), and have as many texts as there are columns.
    """

    source: str
    header: list[str]
    rows: Iterator[tuple[str, list[str]]]


def open_records(path: str | Path, delimiters: Mapping[str, str] | None = None) -> Records:
    """Open a table: a text file, JSON lines, or "-", text from standard input.

    Parameters
    ----------
    path : str or Path
    delimiters : mapping of str to str, optional
        Delimiter by suffix (".csv"); other suffixes are then refused. By default any name is taken,
        and the first line decides: tabs where it has one, else commas.

    Raises
    ------
    InputError
        If there is no such file, or it cannot be read as text; from the rows, with the line, if
        one is too short or long.
    """
    if str(path) != "-":
        path = checked_file(path)
        if path.suffix.lower() in JSON_LINES:
            return json_records(*raw_text(path))
    return text_records(*raw_text(path), delimiter_of(path, delimiters))


def delimiter_of(path: str | Path, delimiters: Mapping[str, str] | None) -> str | None:
    """Delimiter that the name of a file says, None where the first line is to decide."""
    if delimiters is None or str(path) == "-":
        return None
    suffix = Path(path).suffix.lower()
    if suffix not in delimiters:
        raise InputError(f"{path}: a table ends in .csv, .tsv, .jsonl or .parquet")
    return delimiters[suffix]


def checked_file(path: str | Path) -> Path:
    """Refuse a path that is no file."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; {_folder_hint(Path(path))}")
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    return path


def raw_text(path: str | Path) -> tuple[str, bytes]:
    """Name and bytes of a text file, or of standard input ("-")."""
    if str(path) != "-":
        checked_file(path)
        return str(path), Path(path).read_bytes()
    if sys.stdin is None:
        raise InputError("standard input is closed; pipe a table into it, or name a file")
    return "standard input", sys.stdin.buffer.read()


def text_records(source: str, raw: bytes, delimiter: str | None = None) -> Records:
    """Read records of delimited text; the first line decides the delimiter where none is given."""
    stream = io.StringIO(decode(source, raw), newline="")
    if delimiter is None:
        delimiter = "\t" if "\t" in stream.readline() else ","
        stream.seek(0)
    rows = split_rows(source, stream.read(), delimiter)
    header = [name.strip().lower() for name in next(rows, ("", []))[1]]

    def checked() -> Iterator[tuple[str, list[str]]]:
        for where, row in rows:
            if len(row) != len(header):
                raise InputError(f"{where}: {len(row)} columns, the header has {len(header)}")
            yield where, row

    return Records(source, header, checked())


def split_rows(source: str, text: str, delimiter: str = ",") -> Iterator[tuple[str, list[str]]]:
    """Rows of delimited text with their places; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield f"{source}, line {reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}") from error


def json_records(source: str, raw: bytes) -> Records:
    """Read JSON lines: an object a line, all with the names of the first."""
    lines = [
        (f"{source}, line {i}", line)
        for i, line in enumerate(decode(source, raw).split("\n"), start=1)
        if line.strip()
    ]
    first = list(_json_object(*lines[0])) if lines else []
    header = [name.strip().lower() for name in first]
    if len(set(header)) < len(header):
        raise InputError(f"{source}, line 1: two names differ in case or spaces alone")

    def rows() -> Iterator[tuple[str, list[str]]]:
        for where, line in lines:
            values = _json_object(where, line)
            if values.keys() != set(first):
                odd = sorted(values.keys() ^ set(first))
                raise InputError(
                    f"{where}: '{shortened(odd[0])}' stands here or in the first line, not in both"
                )
            yield where, ["" if values[name] is None else str(values[name]) for name in first]

    return Records(source, header, rows())


def _json_object(where: str, line: str) -> dict[str, object]:
    try:
        pairs = json.loads(line, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    if not isinstance(pairs, _Pairs):
        raise InputError(f"{where}: expected a JSON object, with a name for each value")
    values = dict(pairs)
    if len(values) < len(pairs):
        raise InputError(f"{where}: a name stands there twice")
    return values


class _Pairs(list[tuple[str, object]]):
    """Names and values of a JSON object as they stand there."""


def _folder_hint(folder: Path) -> str:
    """Say how to read what a folder seems to hold."""
    sets = sorted(own.parent.name for own in folder.glob("*/metric-scores") if own.is_dir())
    if sets:
        there = ", ".join(sets)
        return f"it has the test sets {there}: say --mtme, --test-set and --language-pair"
    if any(folder.glob("*.seg.score*")):
        return "it has segment-level files of the metrics task: say --wmt and --human"
    if any(folder.glob("*.sys.score*")):
        return "it has system-level scores: say --systems"
    return "give a .csv, .tsv, .jsonl or .parquet file"
