"""Read any table as columns: delimited text, JSON, spreadsheets, Parquet, data frames.

Every table becomes a `Header`: its first cells, from which columns are chosen, and a function that
reads the chosen ones by Arrow. Arrow also splits text, unless it has quotes or irregular lines;
then lines are split one by one, so that errors name the line.
"""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
from pyarrow import compute

from supersample.errors import (
    InputError,
    as_named,
    check_alike,
    check_names,
    listed,
    printable,
    quoted,
)
from supersample.readers.cells import (
    Choose,
    Columns,
    Header,
    Wanted,
    categories,
    cell_text,
    in_order,
    is_numeric,
    lowered,
)
from supersample.readers.text import (
    JSON,
    MISSING,
    Row,
    checked_file,
    data_suffix,
    decode,
    is_number,
    json_table,
    number,
    read_raw,
)

TEXTS = (".csv", ".tsv")
SPREADSHEETS = (".xlsx", ".xls", ".ods")
TABLES = (*TEXTS, *JSON, *SPREADSHEETS, ".parquet")
INSTALL = "spreadsheets need python-calamine: pip install 'supersample[excel]', or save it as CSV"
UNREADABLE = (pa.ArrowException, OSError, UnicodeError)
_UNCOMPUTED = re.compile(
    rb"<(?:\w+:)?c\s(?![^>]*\bt=[\"']str)[^>]*?\br=[\"'](\w+)[\"'][^>]*>"
    rb"<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)(?:<v/>|<v></v>)?</"
)
_HEAD, _ROWS_OF_HEAD = 1 << 16, 1000  # bytes and rows at the start that show what columns are
_AS_WRITTEN = {*("", "None", "none", "NaN", "nan", "NA", "na", "null", "NULL")}
Place = Callable[[int], str]  # place of a row in its file


def read_columns(
    table: object,
    choose: Choose,
    *,
    suffixes: Collection[str] = TEXTS,
    sheet: str | None = None,
    missing: Sequence[str] = (),
) -> Columns:
    """Read a table: text, JSON, a spreadsheet, Parquet, "-" for standard input, or a data frame.

    `choose` selects the wanted columns from the header. Text must have one of the
    `suffixes`, if there are any; its first line shows whether tabs, commas, semicolons or blanks
    separate columns. Texts in `missing` also mean missing numbers.
    """
    name = type(table).__name__ if not isinstance(table, str | Path) else printable(table)
    try:
        if isinstance(table, str | Path):
            header = _of_file(table, name, suffixes, sheet)
        else:
            arrow = _arrow_table(table)
            head = arrow.slice(0, _ROWS_OF_HEAD)
            header = _header(name, head, arrow.select, lambda row: f"{name}, row {row + 1}")
        header = replace(header, missing=(*MISSING, *lowered(missing)))
        return header.read(choose(header))
    except UNREADABLE as error:
        raise InputError(f"{name} cannot be read: {_reason(error)}") from error


def _of_file(path: str | Path, name: str, suffixes: Collection[str], sheet: str | None) -> Header:
    """Open a file, or standard input, by its suffix."""
    suffix = "" if str(path) == "-" else data_suffix(checked_file(path))
    if suffix == ".parquet":
        return _of_parquet(Path(path), name)
    if suffix in SPREADSHEETS:
        return _of_rows(*_sheet(Path(path), sheet))
    if sheet is not None:
        raise InputError(f"{path} is not a spreadsheet and has no sheets; leave its sheet out")
    if suffix in JSON:
        return _of_rows(*json_table(*read_raw(path), suffix))
    if suffix and suffixes and suffix not in suffixes:
        kinds = ".csv, .tsv, .xlsx, .json, .jsonl or .parquet"
        if str(path).endswith((".seg.score", ".seg.score.gz")):
            fix = f"if it holds scores of one metric: rank DATA --add-metric NAME={path}"
            raise InputError(f"{path} is not a table ({kinds}); {fix}")
        raise InputError(f"{path}: the name of a table ends in {kinds}, perhaps with .gz or .zst")
    return text_source(*read_raw(path))


def _columns(table: Any) -> dict[str, Any]:
    """Columns of an Arrow table by their names in lower case."""
    return dict(zip(lowered(table.column_names), table.columns, strict=True))


@dataclass(frozen=True)
class Text:
    """Text in columns.

    Parameters
    ----------
    source : str
    raw : bytes
    delimiter : str or None
        Separator of columns; blanks if None.
    header : bool
        Whether the first line names the columns.
    quoted : bool
        Whether cells may be quoted and contain delimiters and line ends.
    """

    source: str
    raw: bytes
    delimiter: str | None
    header: bool = True
    quoted: bool = False

    @classmethod
    def bare(cls, source: str, raw: bytes, delimiters: str = "\t") -> "Text":
        """Text without a header; the delimiter is the first one found in its first line."""
        found = next((one for one in delimiters if one.encode() in _first_line(raw)), None)
        return cls(source, raw, found, header=False, quoted=found == ",")

    def first(self) -> list[str]:
        """Cells of the first line."""
        rows = replace(self, raw=_first_line(self.raw)).rows()
        return [cell.strip() for _, cells in rows for cell in cells]

    def where(self, line: int) -> str:
        """Place of a line."""
        return f"{self.source}, line {line}"

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Lines that are not blank, with their numbers and (equally many) cells."""
        width = 0
        for line, cells in self.split():
            width = width or len(cells)
            if len(cells) != width:
                first = "header" if self.header else "first line"
                raise InputError(
                    f"{self.where(line)} has {len(cells)} columns, but the {first} has {width}"
                )
            yield line, cells

    def split(self) -> Iterator[tuple[int, list[str]]]:
        """Lines that are not blank, with their numbers and cells."""
        text = decode(self.source, self.raw)
        if not self.quoted:
            for line, cells in enumerate(text.split("\n"), start=1):
                if cells.strip():
                    yield line, cells.rstrip("\r").split(self.delimiter)
            return
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=self.delimiter or ",", strict=True)
        try:
            for row in reader:
                if row:
                    yield reader.line_num, row
        except csv.Error as error:
            raise InputError(f"{self.where(reader.line_num)}: {error}") from error

    def has_quotes(self) -> bool:
        """Whether quotes group cells. With tabs they do not, if each line is complete without.

        Otherwise InputError refuses quotes that join such lines.
        """
        if b'"' not in self.raw:
            return True
        lines = [len(cells) for _, cells in replace(self, quoted=False).split()]
        whole = lines.count(lines[0])  # lines that are rows without quotes
        if self.delimiter != "\t" and whole < len(lines):
            return True
        try:
            rows = [len(cells) for _, cells in self.split()]
        except InputError:
            return self.delimiter != "\t" or whole < len(lines)  # see the error there
        if whole < len(lines):
            return len(rows) >= whole
        if self.delimiter != "\t" and rows != lines:
            raise InputError(
                f"{self.source}: quotes join {len(lines)} lines into {len(rows)}; write a quote "
                "within a cell twice, and put the cell in quotes"
            )
        return rows == lines

    def columns(self, names: Sequence[str], wanted: Wanted) -> Columns:
        """Read the wanted columns; `names` are the names of all columns."""
        if self.delimiter and wanted.decimal == "." and not (self.quoted and b'"' in self.raw):
            with suppress(pa.ArrowException, InputError):  # split line by line to find errors
                table = self._split(names, wanted)
                top = 1 + self.header
                return self._named(table, lambda row: self.where(row + top), wanted)
        pick = itemgetter(*map(names.index, wanted.names), 0)
        rows = [(line, pick(row)) for line, row in islice(self.rows(), int(self.header), None)]
        cells = {name: [row[i] for _, row in rows] for i, name in enumerate(wanted.names)}
        table = pa.table({name: pa.array(each, pa.string()) for name, each in cells.items()})
        return self._named(table, lambda row: self.where(rows[row][0]), wanted)

    def _named(self, table: Any, place: Place, wanted: Wanted) -> Columns:
        return arrow_columns(self.source, table, place, wanted).each_name(as_named)

    def _split(self, names: Sequence[str], wanted: Wanted) -> Any:
        """Split text by Arrow, which refuses quotes and blank lines."""
        lines = self.raw.count(b"\n") + (not self.raw.endswith(b"\n"))
        if lines <= self.header or not self.raw:  # if Arrow fails, its thread may abort the exit
            raise pa.ArrowInvalid("no rows")
        types = dict.fromkeys(wanted.texts.values(), pa.dictionary(pa.int32(), pa.string()))
        types |= dict.fromkeys(wanted.values.values(), pa.float64())
        table = pyarrow.csv.read_csv(
            pa.BufferReader(self.raw if self.header else self.raw.removeprefix(b"\xef\xbb\xbf")),
            read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=int(self.header)),
            parse_options=pyarrow.csv.ParseOptions(delimiter=self.delimiter, quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=[
                    x for x in _AS_WRITTEN | {*wanted.missing} if x.lower() in wanted.missing
                ],
                strings_can_be_null=False,
            ),
        )
        if table.num_rows + self.header != lines:
            raise pa.ArrowInvalid("blank lines")
        return table


def _first_line(raw: bytes) -> bytes:
    return raw[: raw.find(b"\n") + 1] or raw


def text_source(source: str, raw: bytes) -> Header:
    """Find the delimiter, whether cells are quoted, and whether decimals have commas."""
    delimiter = next((one for one in "\t,;" if one.encode() in _first_line(raw)), None)
    text = Text(source, raw, delimiter, quoted=True)
    text = replace(text, quoted=delimiter is not None and text.has_quotes())
    guesses = ["divided by semicolons"] if delimiter == ";" else []
    head = replace(text, raw=raw[: raw.find(b"\n", _HEAD) + 1] or raw).rows()
    names = [as_named(cell.strip()) for cell in next(head, ("", []))[1]]
    rows: list[list[str]] = []
    with suppress(InputError):  # cut within a cell, or refused later when all is read
        rows.extend(row for _, row in head)
    decimal = "."
    if delimiter != ",":
        texts = [cell for row in rows for cell in row]
        commas = any("," in cell and is_number(cell.replace(",", ".")) for cell in texts)
        if commas and not any("." in cell and is_number(cell) for cell in texts):
            decimal = ","
            guesses.append("decimal commas")
    keys, cells = lowered(names), _table(names, rows)
    return Header(source, cells, lambda x: text.columns(keys, x), ", ".join(guesses), decimal)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Any:
    """Make an Arrow table of rows of texts."""
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(names))]
    return pa.table(columns, list(names))


def _of_rows(source: str, names: Sequence[str], rows: Sequence[Row], left_out: str = "") -> Header:
    """Open rows in memory."""
    table = _table(names, [row for _, row in rows])
    return _header(source, table, table.select, lambda row: str(rows[row][0]), left_out)


def _header(
    source: str, head: Any, read: Callable[[Sequence[str]], Any], place: Place, left_out: str = ""
) -> Header:
    """Open a table that Arrow reads."""
    written = dict(zip(lowered(head.column_names), head.column_names, strict=True))

    def columns(wanted: Wanted) -> Columns:
        table = read([written[x] for x in wanted.names])
        return replace(arrow_columns(source, table, place, wanted), left_out=left_out)

    return Header(source, head, columns)


def _of_parquet(path: Path, source: str) -> Header:
    """Open a Parquet file; only its first rows and the wanted columns are read."""
    from pyarrow import parquet  # slow to import, and seldom needed

    schema = parquet.read_schema(path)
    first = next(parquet.ParquetFile(path).iter_batches(_ROWS_OF_HEAD), None)
    head = schema.empty_table() if first is None else pa.Table.from_batches([first])

    def read(names: Sequence[str]) -> Any:
        return parquet.read_table(path, columns=list(names), read_dictionary=schema.names)

    return _header(source, head, read, lambda row: f"{source}, row {row + 1}")


def arrow_columns(source: str, table: Any, place: Place, wanted: Wanted) -> Columns:
    """Make columns from an Arrow table, one row per scorer and row; refuse errors."""
    if not table.num_rows:
        raise InputError(f"{source} has a header but no rows")
    found = _columns(table)
    labels: dict[str, Any] = {}
    for label, name in wanted.texts.items():
        if pa.types.is_nested(found[name].type):
            raise InputError(f"{source}: the {name} is a list; write one text in each row")
        labels[label] = _labels(found[name])
        if label in wanted.labels and "" in labels[label].categories.to_numpy():
            row = int((labels[label] == "").argmax())
            raise InputError(f"{place(row)}: the {name} is empty")
    written = {name: wanted.numbers.get(name, name) for name in wanted.values}
    numbers = {
        name: _numbers(written[name], found[column], place, wanted)
        for name, column in wanted.values.items()
    }
    if wanted.scorers:
        frame = pd.concat([pd.DataFrame(labels, range(table.num_rows))] * len(numbers))
        codes = np.repeat(np.arange(len(numbers)), table.num_rows)
        frame["scorer"] = categories(list(numbers), codes)
        frame["score"] = np.concatenate(list(numbers.values()))
    else:
        frame = pd.DataFrame({**labels, **numbers}, copy=False)
    for label in (x for x in frame if frame[x].dtype == "category"):
        check_alike(f"{source}, the {label}", frame[label].array.categories)
    positional = wanted.labels.get("segment") == "position"
    return Columns(source, frame, place, wanted.read_as, positional)


def _labels(column: Any) -> pd.Categorical:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.unify_dictionaries().combine_chunks()
    names = [*map(cell_text, whole.dictionary.to_pylist()), ""]  # the last is for missing values
    known = set(names)  # may contain "1" and "1.0", which are one number
    wholes = [name.removesuffix(".0") for name in names]
    names = [b if b.isdecimal() and b in known else a for a, b in zip(names, wholes, strict=True)]
    indices = whole.indices.fill_null(len(names) - 1) if whole.null_count else whole.indices
    return in_order(names, indices.to_numpy())


def _numbers(name: str, column: Any, place: Place, wanted: Wanted) -> Any:
    """Convert a column to numbers, NaN where missing: all at once, or one by one to find errors."""
    texts = not is_numeric(column.type) and not pa.types.is_null(column.type)
    with suppress(pa.ArrowException):
        found = column
        if texts:
            found = compute.utf8_trim_whitespace(found)
            found = compute.replace_substring(found, wanted.decimal, ".")
            missing = compute.is_in(compute.utf8_lower(found), pa.array(wanted.missing))
            found = compute.if_else(missing, None, found)
            if compute.all(compute.ends_with(found, "%")).as_py():
                found = compute.utf8_rtrim(found, "%")
        values = found.cast(pa.float64(), safe=False).to_numpy()
        counted = texts or not wanted.missing  # numbers of other files may be NaN
        if not (np.isinf(values).any() or (counted and np.isnan(values).sum() > found.null_count)):
            return values
    cells = (cell_text(cell).replace(wanted.decimal, ".") for cell in column.to_pylist())
    missing = wanted.missing
    return np.array([_number(place(i), name, cell, missing) for i, cell in enumerate(cells)])


def _number(where: str, name: str, cell: str, missing: Sequence[str]) -> float:
    """Read a score; an error names the column, and says how to fix it."""
    try:
        return number(where, cell, missing)
    except InputError as error:
        mend = ""
        if is_number(cell.removesuffix("%")) and cell.endswith("%"):
            mend = "; write percent signs in every row, or in none"
        elif missing and not re.search(r"\d|inf", cell, re.IGNORECASE):
            mend = f"; if it stands for a missing score, say DATA:missing={cell}"
        of = "" if name == "score" else f" (column {name})"
        raise InputError(f"{error}{of}{mend}") from error


def _arrow_table(frame: Any) -> Any:
    """Arrow table of a data frame, with named levels of a pandas index as columns."""
    if not hasattr(frame, "__arrow_c_stream__"):
        lazy = "; collect it first" if hasattr(frame, "collect") else ""
        kind = type(frame).__name__
        raise InputError(f"{kind}: not a data frame; it has no __arrow_c_stream__{lazy}")
    if not isinstance(frame, pd.DataFrame):
        return pa.table(frame)
    levels = [name for name in frame.index.names if name is not None]
    flat = (frame.reset_index(levels) if levels else frame).reset_index(drop=True)
    if not flat.columns.is_unique:
        name = flat.columns[flat.columns.duplicated()][0]
        raise InputError(f"DataFrame: several columns are called {quoted(name)}; rename them")
    return pa.table({str(name): _array(flat[name]) for name in flat})


def _array(column: Any) -> Any:
    """Arrow array of a column; as texts if its type is unknown to Arrow, or mixed."""
    with suppress(TypeError, ValueError, pa.ArrowException):
        return pa.array(column, from_pandas=True)
    texts = [None if pd.isna(cell) else str(cell) for cell in column]
    return pa.array(texts, pa.string())


def _reason(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _sheet(path: Path, sheet: str | None) -> tuple[str, list[str], list[Row]]:
    """Name, header and rows of a sheet as texts; by default the only sheet with cells."""
    try:
        from python_calamine import CalamineError, load_workbook
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    try:
        if zipfile.is_zipfile(path):  # its sheets are compressed
            with zipfile.ZipFile(path) as packed:
                _check_formulas(path, packed)
        with load_workbook(str(path)) as book:
            sheets = {x: book.get_sheet_by_name(x).to_python() for x in book.sheet_names}
    except InputError:
        raise
    except (CalamineError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} cannot be read as a spreadsheet: {error}") from error
    chosen = [name for name, cells in sheets.items() if cells] if sheet is None else [sheet]
    check_names("sheet", chosen, sheets, str(path))
    if len(chosen) != 1:
        raise InputError(
            f"{path} has the sheets {listed(chosen) or 'none'}; name one by DATA:sheet=NAME"
        )
    name = chosen[0]
    if not sheets[name]:
        raise InputError(f"{path}: the sheet {name} is empty")
    header, *rows = [[_cell(cell) for cell in row] for row in sheets[name]]
    where = f"{path}, sheet {name}"
    rest = [(f"{where}, row {i}", row) for i, row in enumerate(rows, start=2) if any(row)]
    return printable(path), header, rest


def _check_formulas(path: Path, packed: zipfile.ZipFile) -> None:
    """Refuse formulas without a value, which would be missing scores."""
    for part in (name for name in packed.namelist() if "/worksheets/" in name):
        if formula := _UNCOMPUTED.search(packed.read(part)):
            raise InputError(
                f"{path}: the formula in {formula[1].decode()} was never computed; open the file "
                "in a spreadsheet program and save it"
            )


def _cell(cell: Any) -> str:
    """Text of a cell; whole numbers become integers, because labels are numbered."""
    return cell_text(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
