"""Rows of text tables with the place of each, for the readers of long tables."""

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from supersample.data.text import decode
from supersample.errors import InputError


@dataclass(frozen=True)
class Records:
    """A table as it is read: names of the columns, in lower case, and rows of texts.

    Rows come with their place ('file, line 7'), and have as many texts as there are columns.
    """

    source: str
    header: list[str]
    rows: Iterator[tuple[str, list[str]]]


def open_records(path: str | Path, delimiters: Mapping[str, str] | None = None) -> Records:
    """Open a table: a text file, a Parquet file, or "-", text from standard input.

    Parameters
    ----------
    path : str or Path
    delimiters : mapping of str to str, optional
        Delimiter by suffix (".csv"); other suffixes but .parquet are then refused. By default any
        name is taken, and the first line decides: tabs where it has one, else commas.

    Raises
    ------
    InputError
        If there is no such file, or it cannot be read as text or Parquet; from the rows, with the
        line, if one is too short or long.
    """
    if str(path) != "-":
        path = checked_file(path)
        suffix = path.suffix.lower()
        if suffix == ".parquet":
            return _parquet_records(path)
        if delimiters is not None:
            if suffix not in delimiters:
                raise InputError(f"{path}: a table ends in .csv, .tsv or .parquet")
            return text_records(*raw_text(path), delimiters[suffix])
    return text_records(*raw_text(path))


def checked_file(path: str | Path) -> Path:
    """Refuse a path that is no file."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a .csv, .tsv or .parquet file")
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    return path


def raw_text(path: str | Path) -> tuple[str, bytes]:
    """Name and bytes of a text file, or of standard input ("-")."""
    if str(path) != "-":
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
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}") from error

    def rows() -> Iterator[tuple[str, list[str]]]:
        try:
            for row in reader:
                where = f"{source}, line {reader.line_num}"
                if not row:
                    continue
                if len(row) != len(header):
                    raise InputError(f"{where}: {len(row)} columns, the header has {len(header)}")
                yield where, row
        except csv.Error as error:
            raise InputError(f"{source}, line {reader.line_num}: {error}") from error

    return Records(source, header, rows())


def _parquet_records(path: Path) -> Records:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        columns = pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from error
    header = [name.strip().lower() for name in columns.column_names]

    def rows() -> Iterator[tuple[str, list[str]]]:
        texts = [_texts(column.to_pylist()) for column in columns.columns]
        for i, row in enumerate(zip(*texts, strict=True), start=1):
            yield f"{path}, row {i}", list(row)

    return Records(str(path), header, rows())


def _texts(values: Iterable[object]) -> list[str]:
    return ["" if value is None else str(value) for value in values]
