"""Tables in text: delimited columns with or without a header, and JSON lines."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from supersample.errors import InputError, listed, quoted
from supersample.readers.arrow import csv_columns, frame_columns, parquet_columns
from supersample.readers.columns import Columns, Rows, Wanted, collect_rows
from supersample.readers.text import checked_file, decode, read_raw

JSON_LINES = (".jsonl", ".ndjson")
DELIMITERS = {".csv": ",", ".tsv": "\t"}
Choose = Callable[[str, Sequence[str]], Wanted]


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
    table: object, choose: Choose, delimiters: Mapping[str, str] | None = DELIMITERS
) -> Columns:
    """Read a long table: text, JSON lines, Parquet, "-" for standard input, or a data frame.

    `choose` turns the source and its header, in lower case, into the columns wanted; see `chooser`.
    `delimiters` are by suffix, and other suffixes are refused. None accepts any name, and the first
    line decides: tabs where it has one, else commas.
    """
    if not isinstance(table, str | Path):
        columns = frame_columns(table, choose)
    elif str(table) != "-" and checked_file(table).suffix.lower() == ".parquet":
        columns = parquet_columns(Path(table), choose)
    else:
        columns = _text_columns(table, choose, delimiters)
    if not next(iter(columns.numbers.values())).size:
        raise InputError(f"{columns.source} has a header but no rows")
    return columns


def chooser(
    labels: Sequence[str], *, optional: Sequence[str] = (), numbers: Sequence[str], names: str
) -> Choose:
    """Choose columns by name: `labels` and `numbers`, and labels that may be absent or empty.

    `names` says what the header names, for the error message.
    """

    def choose(source: str, header: Sequence[str]) -> Wanted:
        for name in (*labels, *numbers, *optional):
            if name not in header and name not in optional:
                raise InputError(
                    f"{source}, line 1: no column '{name}'; the header {names}, here it has "
                    f"{listed(header) or 'nothing'}"
                )
            if header.count(name) > 1:
                raise InputError(f"{source}, line 1: there are several columns '{name}'")
        notes = tuple(name for name in optional if name in header)
        return Wanted(tuple(labels), notes, tuple(numbers))

    return choose


def _text_columns(
    path: str | Path, choose: Choose, delimiters: Mapping[str, str] | None
) -> Columns:
    suffix = "" if str(path) == "-" else Path(path).suffix.lower()
    if suffix in JSON_LINES:
        source, raw = read_raw(path)
        header, rows = _json_rows(source, raw)
        return collect_rows(source, header, rows, choose(source, header))
    if suffix and delimiters is not None and suffix not in delimiters:
        raise InputError(f"{path}: a table ends in .csv, .tsv, .jsonl or .parquet")
    source, raw = read_raw(path)
    first = raw[: raw.find(b"\n") + 1] or raw
    delimiter = (delimiters or {}).get(suffix) or ("\t" if b"\t" in first else ",")
    if b'"' not in raw:
        header, _ = _csv_rows(source, first, delimiter)
        columns = csv_columns(source, raw, delimiter, header, choose(source, header), True)
        if columns is not None:
            return columns
    header, rows = _csv_rows(source, raw, delimiter)
    return collect_rows(source, header, rows, choose(source, header))


def _csv_rows(source: str, raw: bytes, delimiter: str) -> tuple[list[str], Rows]:
    """Header, in lower case, and rows as long as it."""
    rows = split_rows(source, decode(source, raw), delimiter)
    header = [name.strip().lower() for name in next(rows, ("", []))[1]]

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


def _json_rows(source: str, raw: bytes) -> tuple[list[str], Rows]:
    """JSON lines: an object a line, all with the names of the first."""
    numbered = enumerate(decode(source, raw).split("\n"), start=1)
    lines = [(f"{source}, line {i}", line) for i, line in numbered if line.strip()]
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
                    f"{where}: {quoted(odd[0])} is a name here or in the first line, not in both"
                )
            yield where, ["" if values[name] is None else str(values[name]) for name in first]

    return header, rows()


def _json_object(where: str, line: str) -> dict[str, object]:
    try:
        pairs = json.loads(line, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    if not isinstance(pairs, _Pairs):
        raise InputError(f"{where}: expected a JSON object, with a name for each value")
    values = dict(pairs)
    if len(values) < len(pairs):
        raise InputError(f"{where}: a name occurs twice")
    return values


class _Pairs(list[tuple[str, object]]):
    """Names and values of a JSON object in their order."""
