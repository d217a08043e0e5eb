"""Any table as columns: delimited text, JSON, a spreadsheet, an Arrow file, or a data frame.

Arrow reads text and its own files. Where text is not as it expects, rows are read one by one, which
accepts the rest or says what is wrong in which line.
"""

import csv
import io
import zipfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from supersample.errors import InputError, check_names, listed, printable
from supersample.readers.columns import (
    Choose,
    Columns,
    Header,
    Rows,
    Wanted,
    categories,
    collect_rows,
    in_order,
    lowered,
    make_columns,
    numeric_columns,
)
from supersample.readers.json_tables import JSON, json_table
from supersample.readers.text import (
    check_unpacked,
    checked_file,
    data_suffix,
    decode,
    is_number,
    read_raw,
)

TEXTS = (".csv", ".tsv")
SPREADSHEETS = (".xlsx", ".xls", ".ods")
TABLES = (*TEXTS, *JSON, *SPREADSHEETS, ".parquet")
INSTALL = "spreadsheets need python-calamine: pip install 'supersample[excel]', or save it as CSV"
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
_HEAD = 1 << 16  # bytes whose cells tell which columns are numbers
_MISSING_AS_WRITTEN = ("", "None", "none", "NaN", "nan", "NA", "na", "null", "NULL")


def read_columns(
    table: object,
    choose: Choose,
    *,
    suffixes: Collection[str] | None = TEXTS,
    sheet: str | None = None,
) -> Columns:
    """Read a table: text, JSON, a spreadsheet, Parquet, "-" for standard input, or a data frame.

    `choose` turns the header into the columns wanted; see `chooser`. Text has one of the
    `suffixes`, or any with None. Its first line tells the delimiter: tabs, commas or semicolons.
    """
    suffix = ""
    if isinstance(table, str | Path) and str(table) != "-":
        suffix = data_suffix(checked_file(table))
    if not isinstance(table, str | Path):
        columns = _frame_columns(table, choose)
    elif suffix == ".parquet":
        columns = _parquet_columns(Path(table), choose)
    elif suffix in SPREADSHEETS:
        columns = _listed_columns(printable(table), *_sheet_rows(Path(table), sheet), choose)
    elif sheet is not None:
        raise InputError(f"{table} is no spreadsheet and has no sheets; leave --sheet out")
    elif suffix in JSON:
        source, raw = read_raw(table)
        columns = _listed_columns(source, *json_table(source, raw, suffix), choose)
    elif suffix and suffixes is not None and suffix not in suffixes:
        raise InputError(
            f"{table}: a table ends in .csv, .tsv, .xlsx, .json, .jsonl or .parquet, perhaps with "
            ".gz or .zst"
        )
    else:
        text, header = text_and_header(*read_raw(table))
        columns = text.columns(header.names, choose(header))
    return columns.filled()


@dataclass(frozen=True)
class Text:
    """Text whose columns are divided by a delimiter, or by blanks (None)."""

    source: str
    raw: bytes
    delimiter: str | None
    header: bool = True
    """Whether the first line names the columns; an error then says so."""
    quoted: bool = False
    """Whether cells may stand in quotes, with delimiters and line ends in them."""

    @classmethod
    def plain(cls, path: str | Path, delimiters: str, *, header: bool) -> "Text":
        """Read a file without quotes; the delimiter is the first that its first line has."""
        text = cls(*read_raw(path), None, header)
        found = (one for one in delimiters if one.encode() in text.first_line)
        return replace(text, delimiter=next(found, None))

    @property
    def first_line(self) -> bytes:
        """The first line, with its end."""
        return self.raw[: self.raw.find(b"\n") + 1] or self.raw

    def first(self) -> list[str]:
        """Cells of the first line."""
        return next(replace(self, raw=self.first_line).rows(), ("", []))[1]

    def rows(self) -> Iterator[tuple[str, list[str]]]:
        """Place and cells of each line that is not blank, refused unless all have as many cells."""
        width = 0
        for where, cells in self._split():
            width = width or len(cells)
            if len(cells) != width:
                first = "header" if self.header else "first line"
                raise InputError(f"{where}: {len(cells)} columns, the {first} has {width}")
            yield where, [cell.strip() for cell in cells]

    def _split(self) -> Iterator[tuple[str, list[str]]]:
        text = decode(self.source, self.raw)
        if self.quoted:
            yield from split_rows(self.source, text, self.delimiter or ",")
            return
        for i, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield f"{self.source}, line {i}", line.rstrip("\r").split(self.delimiter)

    def columns(self, names: Sequence[str], wanted: Wanted) -> Columns:
        """Read the columns wanted, where `names` says what each column is."""
        found = None
        if self.delimiter is not None and not (self.quoted and b'"' in self.raw):
            found = csv_columns(self.source, self.raw, self.delimiter, names, wanted, self.header)
        if found is None:
            rows = islice(self.rows(), int(self.header), None)
            found = collect_rows(self.source, names, rows, wanted)
        return found.filled() if self.header else found


def split_rows(source: str, text: str, delimiter: str = ",") -> Iterator[tuple[str, list[str]]]:
    """Rows of delimited text with their places; blank lines are passed over."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield f"{source}, line {reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{source}, line {reader.line_num}: {error}") from error


def text_and_header(source: str, raw: bytes) -> tuple[Text, Header]:
    """Find the delimiter, whether decimals have commas, and which columns are numbers."""
    text = Text(source, raw, ",", quoted=True)
    found = next((one for one in "\t,;" if one.encode() in text.first_line), ",")
    text = replace(text, delimiter=found)
    guesses = ["divided by semicolons"] if found == ";" else []
    head = replace(text, raw=raw[: raw.find(b"\n", _HEAD) + 1] or raw).rows()
    names, cells = next(head, ("", []))[1], []
    with suppress(InputError):  # cut within a cell, or refused when all is read
        cells.extend(row for _, row in head)
    decimal = "."
    if found != ",":
        commas = any(is_number(x.replace(",", ".")) for row in cells for x in row if "," in x)
        if commas and not any("." in x and is_number(x) for row in cells for x in row):
            decimal = ","
            guesses.append("decimal commas")
    numeric = numeric_columns(lowered(names), cells, decimal)
    return text, Header(source, names, numeric, ", ".join(guesses), decimal)


def _listed_columns(
    source: str, names: Sequence[str], rows: list[tuple[str, Sequence[str]]], choose: Choose
) -> Columns:
    """Columns of rows that are in memory."""
    numeric = numeric_columns(lowered(names), (row for _, row in rows))
    return collect_rows(source, lowered(names), rows, choose(Header(source, names, numeric)))


def csv_columns(
    source: str, raw: bytes, delimiter: str, names: Sequence[str], wanted: Wanted, header: bool
) -> Columns | None:
    """Read well-formed text without quotes; None where something needs a closer look.

    `names` names each column, also where the first line is a header.
    """
    lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    if lines <= header or not raw:
        return None  # without rows Arrow's reader fails, and its thread may abort the exit
    types = dict.fromkeys(wanted.texts.values(), pa.dictionary(pa.int32(), pa.string()))
    types |= dict.fromkeys(wanted.values.values(), pa.float64())
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(raw if header else raw.removeprefix(b"\xef\xbb\xbf")),
            read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=int(header)),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=[x for x in _MISSING_AS_WRITTEN if x.lower() in wanted.missing],
                strings_can_be_null=False,
                decimal_point=wanted.decimal,
            ),
        )
    except pa.ArrowException:
        return None
    if table.num_rows + header != lines:  # a blank line, which rows count and Arrow does not
        return None
    return _quick_columns(source, table, wanted, lambda row: f"{source}, line {row + 1 + header}")


def _quick_columns(source: str, table: Any, wanted: Wanted, place: Any) -> Columns | None:
    """Columns of an Arrow table, None where a label is empty or a number is none or infinite."""
    found = dict(zip(lowered(table.column_names), table.columns, strict=True))
    try:
        labels = {label: _labels(found[name]) for label, name in wanted.texts.items()}
        numbers = {name: _numbers(found[column]) for name, column in wanted.values.items()}
    except UNREADABLE:
        return None
    if any("" in labels[label].categories for label in wanted.labels):
        return None
    if any(np.isinf(values).any() for values in numbers.values()):
        return None
    return make_columns(source, labels, numbers, place, wanted)


def _labels(column: Any) -> Any:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = pa.concat_arrays(column.unify_dictionaries().chunks)
    names = [*map(_text, whole.dictionary.to_pylist()), ""]  # the last where there is no value
    codes = whole.indices.cast(pa.int64()).fill_null(len(names) - 1).to_numpy()
    return in_order(categories(names, codes))


def _numbers(column: Any) -> NDArray[np.float64]:
    kind = column.type
    if not (_is_number(kind) or _is_text(kind) or pa.types.is_null(kind)):
        raise pa.ArrowInvalid("neither numbers nor texts")
    return np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _text(value: object) -> str:
    """Text of a cell, or of a name in a dictionary."""
    return "" if value is None else str(value).strip()


def _arrow_columns(source: str, table: Any, wanted: Wanted) -> Columns:
    """Columns of an Arrow table; what is wrong in it is said by row."""
    columns = _quick_columns(source, table, wanted, lambda row: f"{source}, row {row + 1}")
    if columns is not None:
        return columns
    names = [*wanted.texts.values(), *wanted.values.values()]
    found = dict(zip(lowered(table.column_names), table.columns, strict=True))
    try:
        cells = zip(*(map(_text, found[name].to_pylist()) for name in names), strict=True)
    except UNREADABLE as error:
        raise InputError(f"{source} cannot be read: {_first_line(error)}") from error
    rows: Rows = ((f"{source}, row {i}", row) for i, row in enumerate(cells, start=1))
    return collect_rows(source, names, rows, wanted)


def _parquet_columns(path: Path, choose: Choose) -> Columns:
    """Read the columns of a Parquet file that are wanted, and no others."""
    from pyarrow import parquet

    file: Any = path
    try:
        if any("\ud800" <= c <= "\udfff" for c in str(path)):  # Arrow opens no such names
            file = pa.BufferReader(path.read_bytes())
        schema = parquet.read_schema(file)
        wanted = choose(_header(printable(path), schema))
        found = dict(zip(lowered(schema.names), schema.names, strict=True))
        names = [found[name] for name in (*wanted.texts.values(), *wanted.values.values())]
        texts = [name for name in names if _is_text(schema.field(name).type)]
        table = parquet.read_table(file, columns=names, read_dictionary=texts)
    except UNREADABLE as error:
        raise InputError(f"{path} cannot be read as Parquet: {_first_line(error)}") from error
    return _arrow_columns(printable(path), table, wanted)


def _frame_columns(frame: Any, choose: Choose) -> Columns:
    """Read columns of a data frame: pandas, polars, a Hugging Face dataset, an Arrow table."""
    source = type(frame).__name__
    try:
        table = _arrow_table(frame)
    except (*UNREADABLE, TypeError, ValueError, NotImplementedError) as error:
        raise InputError(f"{source} cannot be read as a table: {_first_line(error)}") from error
    if table is None:
        lazy = "; collect it first" if hasattr(frame, "collect") else ""
        raise InputError(
            f"{source} is no data frame: it has neither __arrow_c_stream__ nor __dataframe__{lazy}"
        )
    return _arrow_columns(source, table, choose(_header(source, table.schema)))


def _header(source: str, schema: Any) -> Header:
    """Names of the columns, and which are numbers."""
    kinds = zip(lowered(schema.names), schema.types, strict=True)
    numeric = frozenset(name for name, kind in kinds if _is_number(kind))
    return Header(source, schema.names, numeric)


def _arrow_table(frame: Any) -> Any:
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    if hasattr(frame, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(frame)
    if not hasattr(frame, "with_format"):
        return None
    # a Hugging Face dataset, which is Arrow underneath; class labels by their names
    if not hasattr(frame, "column_names") or isinstance(frame.column_names, dict):
        raise InputError(f"{type(frame).__name__} holds several splits; name one of them")
    table = frame.with_format("arrow")[:]
    for name, feature in (getattr(frame, "features", None) or {}).items():
        names = getattr(feature, "names", None)
        if names and pa.types.is_integer(table.schema.field(name).type):
            texts = [None if i is None else names[i] for i in table.column(name).to_pylist()]
            at = table.column_names.index(name)
            table = table.set_column(at, name, pa.array(texts, pa.string()))
    return table


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _sheet_rows(path: Path, sheet: str | None) -> tuple[list[str], list[tuple[str, Sequence[str]]]]:
    """Header and rows of a sheet, cells as texts; of the only sheet with cells if none is named."""
    try:
        from python_calamine import CalamineError, load_workbook
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    try:
        if zipfile.is_zipfile(path):  # its sheets are packed
            with zipfile.ZipFile(path) as packed:
                size = sum(part.file_size for part in packed.infolist())
            check_unpacked(path, size, path.stat().st_size)
        with load_workbook(str(path)) as book:
            names = book.sheet_names
            sheets = {name: book.get_sheet_by_name(name).to_python() for name in names}
    except InputError:
        raise
    except (CalamineError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} cannot be read as a spreadsheet: {error}") from error
    filled = [name for name, cells in sheets.items() if cells]
    if sheet is None and len(filled) != 1:
        raise InputError(f"{path} has the sheets {listed(filled) or 'none'}; name one by --sheet")
    check_names("sheet", [] if sheet is None else [sheet], names, str(path))
    chosen = sheet or filled[0]
    rows = [[_cell(cell) for cell in row] for row in sheets[chosen]]
    if not rows:
        raise InputError(f"{path}: the sheet {chosen} is empty")
    places = (f"{path}, sheet {chosen}, row {i}" for i in range(2, len(rows) + 1))
    filled_rows = zip(places, rows[1:], strict=True)
    return rows[0], [(where, row) for where, row in filled_rows if any(row)]


def _cell(cell: Any) -> str:
    """Text of a cell; numbers without a fraction as integers, as labels are numbered."""
    return _text(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
