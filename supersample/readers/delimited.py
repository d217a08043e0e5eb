"""Tables in text: delimited columns with or without a header, JSON, and spreadsheets."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from supersample.errors import InputError, listed, printable
from supersample.readers.arrow import csv_columns, frame_columns, parquet_columns
from supersample.readers.columns import MISSING, Columns, Rows, Wanted, collect_rows
from supersample.readers.headers import Header, is_number, numeric_columns
from supersample.readers.json_tables import JSON, json_table
from supersample.readers.spreadsheets import SPREADSHEETS, sheet_rows
from supersample.readers.text import checked_file, data_suffix, decode, read_raw

DELIMITERS = {".csv": ",", ".tsv": "\t"}
TABLES = (*DELIMITERS, *JSON, *SPREADSHEETS, ".parquet")
_HEAD = 1 << 16  # bytes whose cells tell which columns are numbers
Choose = Callable[[Header], Wanted]


@dataclass(frozen=True)
class Plain:
    """Text whose columns are divided by a delimiter, or by blanks (None), without quotes."""

    source: str
    raw: bytes
    delimiter: str | None
    header: bool
    """Whether the first line names the columns; an error then says so."""

    @classmethod
    def read(cls, path: str | Path, delimiters: str, *, header: bool) -> "Plain":
        """Read a file; the delimiter is the first that its first line has, else blanks."""
        source, raw = read_raw(path)
        first = raw[: raw.find(b"\n") + 1] or raw
        found = next((one for one in delimiters if one.encode() in first), None)
        return cls(source, raw, found, header)

    def first(self) -> list[str]:
        """Cells of the first line."""
        line = self.raw[: self.raw.find(b"\n") + 1] or self.raw
        return self._cells(decode(self.source, line))

    def columns(self, names: Sequence[str], wanted: Wanted) -> Columns:
        """Read the columns wanted, where `names` says what each column is."""
        found = None
        if self.delimiter is not None:
            found = csv_columns(self.source, self.raw, self.delimiter, names, wanted, self.header)
        return found or collect_rows(self.source, names, self._rows(len(names)), wanted)

    def _rows(self, width: int) -> Rows:
        lines = decode(self.source, self.raw).split("\n")
        for i, line in enumerate(lines[self.header :], start=1 + self.header):
            if not line.strip():
                continue
            cells = self._cells(line)
            if len(cells) != width:
                what = "header" if self.header else "first line"
                raise InputError(
                    f"{self.source}, line {i}: {len(cells)} columns, the {what} has {width}"
                )
            yield f"{self.source}, line {i}", cells

    def _cells(self, line: str) -> list[str]:
        return [cell.strip() for cell in line.rstrip("\r\n").split(self.delimiter)]


def long_columns(
    table: object,
    choose: Choose,
    delimiters: Mapping[str, str] | None = DELIMITERS,
    sheet: str | None = None,
) -> Columns:
    """Read a table: text, JSON, a spreadsheet, Parquet, "-" for standard input, or a data frame.

    `choose` turns the header into the columns wanted; see `chooser`. `delimiters` are by suffix,
    and other suffixes are refused. None accepts any name. The first line decides between the
    delimiter of the suffix and semicolons.
    """
    if not isinstance(table, str | Path):
        columns = frame_columns(table, choose)
    elif str(table) != "-" and data_suffix(checked_file(table)) == ".parquet":
        columns = parquet_columns(Path(table), choose)
    else:
        columns = _text_columns(table, choose, delimiters, sheet)
    if not next(iter(columns.numbers.values())).size:
        raise InputError(f"{columns.source} has a header but no rows")
    return columns


def chooser(
    labels: Sequence[str], *, optional: Sequence[str] = (), numbers: Sequence[str], names: str
) -> Choose:
    """Choose columns by name: `labels` and `numbers`, and labels that may be absent or empty.

    `names` says what the header names, for the error message.
    """

    def choose(read: Header) -> Wanted:
        source, header = read.source, read.names
        for name in (*labels, *numbers, *optional):
            if name not in header and name not in optional:
                raise InputError(
                    f"{source}, line 1: no column '{name}'; the header {names}, here it has "
                    f"{listed(header) or 'nothing'}"
                )
            if header.count(name) > 1:
                raise InputError(f"{source}, line 1: there are several columns '{name}'")
        notes = tuple(name for name in optional if name in header)
        return Wanted(tuple(labels), notes, tuple(numbers), decimal=read.decimal)

    return choose


def _text_columns(
    path: str | Path,
    choose: Choose,
    delimiters: Mapping[str, str] | None,
    sheet: str | None,
) -> Columns:
    suffix = "" if str(path) == "-" else data_suffix(path)
    if suffix in SPREADSHEETS:
        return _listed_columns(printable(path), *sheet_rows(Path(path), sheet), choose)
    if sheet is not None:
        raise InputError(f"{path} is no spreadsheet and has no sheets; leave --sheet out")
    if suffix and delimiters is not None and suffix not in (*delimiters, *JSON):
        raise InputError(
            f"{path}: a table ends in .csv, .tsv, .xlsx, .json, .jsonl or .parquet, perhaps with "
            ".gz or .zst"
        )
    source, raw = read_raw(path)
    if suffix in JSON:
        return _listed_columns(source, *json_table(source, raw, suffix), choose)
    head = _head(source, raw, (delimiters or {}).get(suffix))
    delimiter = head.delimiter
    if b'"' not in raw:
        header = Header(source, head.names, head.numeric, head.read_as, head.decimal)
        found = csv_columns(source, raw, delimiter, header.names, choose(header), True)
        if found is not None:
            return found
    names, rows = _csv_rows(source, raw, delimiter)
    header = Header(source, names, head.numeric, head.read_as, head.decimal)
    return collect_rows(source, header.names, rows, choose(header))


def _listed_columns(
    source: str, names: Sequence[str], rows: list[tuple[str, Sequence[str]]], choose: Choose
) -> Columns:
    """Columns of rows that are in memory."""
    lowered = [name.strip().lower() for name in names]
    cells = (row for _, row in rows)
    header = Header(source, names, numeric_columns(lowered, cells, MISSING))
    return collect_rows(source, lowered, rows, choose(header))


@dataclass(frozen=True)
class _Head:
    """What the first lines of a text tell."""

    delimiter: str
    names: list[str]
    numeric: frozenset[str]
    decimal: str
    read_as: str


def _head(source: str, raw: bytes, usual: str | None) -> _Head:
    """Find the delimiter, whether decimals have commas, and which columns are numbers."""
    first = raw[: raw.find(b"\n") + 1] or raw
    delimiter = "\t" if b"\t" in first else usual or ","
    guesses = []
    if delimiter.encode() not in first and b";" in first:
        delimiter = ";"
        guesses.append("divided by semicolons")
    part = raw[:_HEAD]
    part = part if len(part) == len(raw) else part[: part.rfind(b"\n") + 1]
    names, rows = _csv_rows(source, part, delimiter)
    cells: list[Sequence[str]] = []
    with suppress(InputError):  # cut within a cell, or refused when all is read
        cells.extend(row for _, row in rows)
    decimal = "."
    if delimiter != ",":
        texts = [cell.strip() for row in cells for cell in row if "," in cell]
        points = any("." in cell and is_number(cell.strip()) for row in cells for cell in row)
        if not points and any(is_number(text, ",") for text in texts):
            decimal = ","
            guesses.append("decimal commas")
    lowered = [name.strip().lower() for name in names]
    numeric = numeric_columns(lowered, cells, MISSING, decimal)
    return _Head(delimiter, names, numeric, decimal, ", ".join(guesses))


def _csv_rows(source: str, raw: bytes, delimiter: str) -> tuple[list[str], Rows]:
    """Header, and rows as long as it."""
    rows = split_rows(source, decode(source, raw), delimiter)
    header = [name.strip() for name in next(rows, ("", []))[1]]

    def checked() -> Iterator[tuple[str, list[str]]]:
        for where, row in rows:
            if len(row) != len(header):
                raise InputError(f"{where}: {len(row)} columns, the header has {len(header)}")
            yield where, row

    return header, checked()


def split_rows(source: str, text: str, delimiter: str = ",") -> Iterator[tuple[str, list[str]]]:
    """Rows of delimited text with their places; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield f"{source}, line {reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}") from error
