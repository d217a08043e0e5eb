"""Read any table as columns: delimited text, JSON, spreadsheets, Parquet, data frames.

Arrow reads text and its own files. If it refuses text, rows are read one by one, which accepts them
or says what is wrong in which line.
"""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from numbers import Number
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

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
from supersample.readers.columns import Columns, categories, in_order
from supersample.readers.headers import Choose, Header, Wanted, check_title, lowered
from supersample.readers.json_tables import JSON, json_table, object_table
from supersample.readers.text import (
    MISSING,
    Row,
    check_unpacked,
    checked_file,
    data_suffix,
    decode,
    is_number,
    number,
    read_raw,
)

TEXTS = (".csv", ".tsv")
SPREADSHEETS = (".xlsx", ".xls", ".ods")
TABLES = (*TEXTS, *JSON, *SPREADSHEETS, ".parquet")
INSTALL = "spreadsheets need python-calamine: pip install 'supersample[excel]', or save it as CSV"
NO_BOOK = (KeyError, StopIteration, ElementTree.ParseError)
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
_BOOK = ("workbook.xml", "_rels/workbook.xml.rels")
_PLACE = re.compile(rb"<(?:\w+:)?(?:c|row)\s[^>]*?\br=[\"']([A-Za-z]*)([0-9]+)[\"']")
MOST_BETWEEN, SPARSEST_SHEET = 2**23, 100  # cells in a sheet's rectangle: in all, for each cell
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
_HEAD, _ROWS_OF_HEAD = 1 << 16, 1000  # bytes and rows at the start that show what columns are
_AS_WRITTEN = {*("", "None", "none", "NaN", "nan", "NA", "na", "null", "NULL")}


def read_columns(
    table: object,
    choose: Choose,
    *,
    suffixes: Collection[str] = TEXTS,
    sheet: str | None = None,
    missing: Sequence[str] = (),
) -> Columns:
    """Read a table: text, JSON, a spreadsheet, Parquet, "-" for standard input, or a data frame.

    `choose` selects the wanted columns from the header; see `chooser`. Text must have one of the
    `suffixes`, if there are any; its first line shows whether tabs, commas, semicolons or blanks
    separate columns. Texts in `missing` also mean missing numbers.
    """
    absent = (*MISSING, *lowered(missing))
    if not isinstance(table, str | Path):
        return _of_frame(table, choose, absent)
    suffix = "" if str(table) == "-" else data_suffix(checked_file(table))
    if suffix == ".parquet":
        return _of_parquet(Path(table), choose, absent)
    if suffix in SPREADSHEETS:
        return _of_cells(*_sheet(Path(table), sheet), choose, absent)
    if sheet is not None:
        raise InputError(f"{table} is not a spreadsheet and has no sheets; leave its sheet out")
    if suffix in JSON:
        source, names, rows, left_out = json_table(*read_raw(table), suffix)
        return _of_cells(source, names, rows, choose, absent, left_out)
    if suffix and suffixes and suffix not in suffixes:
        kinds = ".csv, .tsv, .xlsx, .json, .jsonl or .parquet"
        if str(table).endswith((".seg.score", ".sys.score")):
            fix = f"if it holds scores of one metric: rank DATA --add-metric NAME={table}"
            raise InputError(f"{table} is not a table ({kinds}); {fix}")
        raise InputError(f"{table}: the name of a table ends in {kinds}, perhaps with .gz or .zst")
    text, header = text_and_header(*read_raw(table), absent)
    return text.columns(header.names, choose(header))


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
    def plain(cls, path: str | Path, delimiters: str, *, header: bool) -> "Text":
        """Read a file without quotes; the delimiter is the first one found in its first line."""
        source, raw = read_raw(path)
        found = next((one for one in delimiters if one.encode() in _first_line(raw)), None)
        return cls(source, raw, found, header)

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
        plain = wanted.decimal == "." and not (self.quoted and b'"' in self.raw)
        if self.delimiter is not None and plain:
            with suppress(pa.ArrowException, InputError):  # reading row by row says what is wrong
                return self._quick(names, wanted).each_name(as_named)
        rows = islice(self.rows(), int(self.header), None)
        return _of_rows(self.source, names, rows, wanted, self.where).each_name(as_named)

    def _quick(self, names: Sequence[str], wanted: Wanted) -> Columns:
        """Read text by Arrow, which refuses quotes and blank lines."""
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
        top = 1 + self.header
        return _of_arrow(self.source, table, lambda row: self.where(row + top), wanted)


def _first_line(raw: bytes) -> bytes:
    return raw[: raw.find(b"\n") + 1] or raw


def text_and_header(
    source: str, raw: bytes, missing: tuple[str, ...] = MISSING
) -> tuple[Text, Header]:
    """Find the delimiter, whether decimals have commas, and which columns are numbers."""
    start = raw[:_HEAD].decode("utf-8-sig", errors="replace").splitlines()
    for one in "\t,;":
        with suppress(csv.Error):
            check_title(source, list(islice(csv.reader(start, delimiter=one), 3)))
    delimiter = next((one for one in "\t,;" if one.encode() in _first_line(raw)), None)
    text = Text(source, raw, delimiter, quoted=True)
    text = replace(text, quoted=delimiter is not None and text.has_quotes())
    guesses = ["divided by semicolons"] if delimiter == ";" else []
    head = replace(text, raw=raw[: raw.find(b"\n", _HEAD) + 1] or raw).rows()
    names = [as_named(cell.strip()) for cell in next(head, ("", []))[1]]
    cells: list[list[str]] = []
    with suppress(InputError):  # cut within a cell, or refused later when all is read
        cells.extend(row for _, row in head)
    decimal = "."
    if delimiter != ",":
        texts = [cell for row in cells for cell in row]
        commas = any("," in text and is_number(text.replace(",", ".")) for text in texts)
        if commas and not any("." in text and is_number(text) for text in texts):
            decimal = ","
            guesses.append("decimal commas")
    more = {"read_as": ", ".join(guesses), "decimal": decimal, "missing": missing}
    return text, Header.of_rows(source, names, cells, **more)


def _of_cells(
    source: str,
    names: Sequence[str],
    rows: list[Row],
    choose: Choose,
    missing: tuple[str, ...],
    read_as: str = "",
) -> Columns:
    """Columns from rows in memory."""
    cells = [row for _, row in rows]
    check_title(source, [names, *cells[:2]])
    header = Header.of_rows(source, names, cells, missing=missing, read_as=read_as)
    return _of_rows(source, header.names, rows, choose(header))


def _of_rows(
    source: str, header: Sequence[str], rows: Iterable[Row], wanted: Wanted, where: Any = str
) -> Columns:
    """Columns from rows of texts; `where` names the places of rows."""
    names = list({*wanted.texts.values(), *wanted.values.values()})
    pick = itemgetter(*map(header.index, names))
    kept = [(place, pick(row)) for place, row in rows]
    columns = [pa.array([cells[i] for _, cells in kept], pa.string()) for i in range(len(names))]
    return _of_arrow(source, pa.table(columns, names), lambda row: where(kept[row][0]), wanted)


def _of_arrow(source: str, table: Any, place: Callable[[int], str], wanted: Wanted) -> Columns:
    """Columns from an Arrow table, one row per scorer and row; refuse errors."""
    if not table.num_rows:
        raise InputError(f"{source} has a header but no rows")
    found = dict(zip(lowered(table.column_names), table.columns, strict=True))
    labels: dict[str, Any] = {}
    try:
        for label, name in wanted.texts.items():
            if pa.types.is_nested(found[name].type):
                raise InputError(f"{source}: the {name} is a list; write one text in each row")
            labels[label] = _labels(found[name])
            if label in wanted.labels and "" in labels[label].categories.to_numpy():
                row = int((labels[label] == "").argmax())
                raise InputError(f"{place(row)}: the {name} is empty")
        columns = {name: found[column] for name, column in wanted.values.items()}
        written = {name: wanted.numbers.get(name, name) for name in columns}
        numbers = {x: _numbers(written[x], each, place, wanted) for x, each in columns.items()}
    except UNREADABLE as error:
        raise InputError(f"{source} cannot be read: {_reason(error)}") from error
    if wanted.scorers:
        frame = pd.concat([pd.DataFrame(labels)] * len(numbers))
        codes = np.repeat(np.arange(len(numbers)), table.num_rows)
        stands_for = [wanted.headings.get(name, {"scorer": name}) for name in numbers]
        for label in stands_for[0]:
            frame[label] = categories([each[label] for each in stands_for], codes)
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
    names = [*map(_text, whole.dictionary.to_pylist()), ""]  # the last is for missing values
    known = set(names)  # may contain "1" and "1.0", which are one number
    wholes = [name.removesuffix(".0") for name in names]
    names = [b if b.isdecimal() and b in known else a for a, b in zip(names, wholes, strict=True)]
    indices = whole.indices.fill_null(len(names) - 1) if whole.null_count else whole.indices
    return in_order(names, indices.to_numpy())


def _numbers(name: str, column: Any, place: Callable[[int], str], wanted: Wanted) -> Any:
    """Convert a column to numbers, NaN where missing: all at once, or one by one to find errors."""
    texts = not _is_number(column.type) and not pa.types.is_null(column.type)
    if texts and wanted.decimal == ",":
        _check_commas([_text(cell) for cell in column.to_pylist()], place)
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
    cells = (_text(cell).replace(wanted.decimal, ".") for cell in column.to_pylist())
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


def _check_commas(cells: Sequence[str], place: Callable[[int], str]) -> None:
    """Refuse commas that may separate thousands: all are followed by three digits."""
    commas = [i for i, cell in enumerate(cells) if "," in cell]
    whole = any(cell.lstrip("+-").isdecimal() for cell in cells)
    if commas and whole and all(_THOUSANDS.fullmatch(cells[i]) for i in commas):
        first = cells[commas[0]]
        raise InputError(
            f"{place(commas[0])}: {first} may be {first.replace(',', '')} or "
            f"{first.replace(',', '.')}; write decimals with a point, and thousands without commas"
        )


def _is_number(kind: Any) -> bool:
    return any(is_kind(kind) for is_kind in _NUMBERS)


def _text(value: object) -> str:
    """Text of a cell, or of a name in a dictionary."""
    return "" if value is None else str(value).strip()


def _of_parquet(path: Path, choose: Choose, missing: tuple[str, ...]) -> Columns:
    """Read only the wanted columns of a Parquet file."""
    from pyarrow import parquet

    file: Any = path
    try:
        if any("\ud800" <= c <= "\udfff" for c in str(path)):  # Arrow cannot open such names
            file = pa.BufferReader(path.read_bytes())
        schema = parquet.read_schema(file)
        if any(pa.types.is_struct(each.type) for each in schema):
            return _of_objects(printable(path), parquet.read_table(file), choose, missing)
        read = partial(parquet.read_table, file, read_dictionary=schema.names)
        first = next(parquet.ParquetFile(file).iter_batches(_ROWS_OF_HEAD), None)
        head = schema.empty_table() if first is None else pa.Table.from_batches([first])
        return _of_schema(printable(path), head, read, choose, missing)
    except UNREADABLE as error:
        raise InputError(f"{path} cannot be read as Parquet: {_reason(error)}") from error


def _of_frame(frame: Any, choose: Choose, missing: tuple[str, ...]) -> Columns:
    """Read columns of a data frame: pandas, polars, a Hugging Face dataset, an Arrow table."""
    source, mixed = type(frame).__name__, False
    try:
        if isinstance(frame, pd.DataFrame):
            frame, mixed = _native(frame)
        table = _arrow_table(frame)
    except (*UNREADABLE, TypeError, ValueError, NotImplementedError) as error:
        raise InputError(f"{source} cannot be read as a table: {_reason(error)}") from error
    if table is None:
        lazy = "; collect it first" if hasattr(frame, "collect") else ""
        raise InputError(
            f"{source}: not a data frame; it has neither __arrow_c_stream__ nor __dataframe__{lazy}"
        )
    if mixed or any(pa.types.is_struct(each.type) for each in table.schema):
        return _of_objects(source, table, choose, missing)
    head = table.slice(0, _ROWS_OF_HEAD)
    return _of_schema(source, head, lambda columns: table.select(columns), choose, missing)


def _of_objects(source: str, table: Any, choose: Choose, missing: tuple[str, ...]) -> Columns:
    """Columns from a table with nested objects, as in JSON."""
    records = [(f"{source}, row {i}", row) for i, row in enumerate(table.to_pylist(), start=1)]
    source, names, rows, left_out = object_table(source, records)
    return _of_cells(source, names, rows, choose, missing, left_out)


def _of_schema(
    source: str, head: Any, read: Callable[..., Any], choose: Choose, missing: tuple[str, ...]
) -> Columns:
    """Columns from a source with a schema; only the wanted ones are read beyond the first rows."""
    found = dict(zip(lowered(head.column_names), head.schema, strict=True))
    numeric = frozenset(name for name, column in found.items() if _is_number(column.type))
    rows = zip(lowered(head.column_names), head.columns, strict=True)
    cells = {name: [*map(_text, column.to_pylist())] for name, column in rows}
    wanted = choose(Header(source, head.column_names, numeric, cells=cells, missing=missing))
    names = dict.fromkeys([*wanted.texts.values(), *wanted.values.values()])
    table = read(columns=[found[name].name for name in names])
    return _of_arrow(source, table, lambda row: f"{source}, row {row + 1}", wanted)


def _native(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Columns of types that Arrow knows, and whether one mixed numbers and texts, now texts.

    Named levels of the index become columns; numbers of rows do not.
    """
    levels = [name for name in frame.index.names if name is not None]
    flat = (frame.reset_index(levels) if levels else frame).reset_index(drop=True)
    if not flat.columns.is_unique:
        name = flat.columns[flat.columns.duplicated()][0]
        raise ValueError(f"several columns are called {quoted(name)}; rename them")
    mixed, columns = False, {}
    for name, column in flat.items():
        kind: Any = column.dtype
        if kind.kind == "c":
            raise ValueError(f"{quoted(name)} has complex numbers; take their real parts")
        if isinstance(kind, pd.SparseDtype):
            columns[name] = column.sparse.to_dense()
        elif isinstance(kind, np.dtype) and (kind.itemsize > 8 or not kind.isnative):
            columns[name] = column.astype(
                np.float64 if kind.itemsize > 8 else kind.newbyteorder("=")
            )
        elif kind.kind == "O" and _is_mixed(column):
            mixed, columns[name] = True, column.map(str, na_action="ignore")
    whole = [columns.get(name, column) for name, column in flat.items()]
    return pd.concat(whole, axis=1) if columns else flat, mixed


def _is_mixed(column: Any) -> bool:
    kinds = {type(cell) for cell in column.dropna()}
    return str in kinds and len(kinds) > 1 and all(issubclass(x, str | Number) for x in kinds)


def _arrow_table(frame: Any) -> Any:
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    if hasattr(frame, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(frame)
    if not hasattr(frame, "with_format"):
        return None
    # a Hugging Face dataset is based on Arrow; class labels become names
    if not hasattr(frame, "column_names") or isinstance(frame.column_names, dict):
        raise InputError(f"{type(frame).__name__} holds several splits; name one of them")
    table = frame.with_format("arrow")[:]
    for name, feature in (getattr(frame, "features", None) or {}).items():
        names = getattr(feature, "names", None)
        if names and pa.types.is_integer(table.schema.field(name).type):
            numbers = table.column(name).to_pylist()
            texts = [None if i is None or i < 0 else names[i] for i in numbers]
            at = table.column_names.index(name)
            table = table.set_column(at, name, pa.array(texts, pa.string()))
    return table


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
                size = sum(part.file_size for part in packed.infolist())
                check_unpacked(path, size, path.stat().st_size)
                _check_extent(path, packed)
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
    if zipfile.is_zipfile(path) and (cell := _uncomputed(path, name)):
        raise InputError(
            f"{path}, sheet {name}: the formula in {cell} was never computed; open the file in a "
            "spreadsheet program and save it"
        )
    header, *rows = [[_cell(cell) for cell in row] for row in sheets[name]]
    where = f"{path}, sheet {name}"
    rest = [(f"{where}, row {i}", row) for i, row in enumerate(rows, start=2) if any(row)]
    return printable(path), header, rest


def _check_extent(path: Path, packed: zipfile.ZipFile) -> None:
    """Refuse cells far apart in .xlsx, because the reader takes memory for all cells between."""
    for part in (name for name in packed.namelist() if "/worksheets/" in name):
        cells = _PLACE.findall(packed.read(part))
        rows = [int(row) for _, row in cells]
        letters = {column.upper().decode() for column, _ in cells}
        columns = [sum(26**i * (ord(x) - 64) for i, x in enumerate(name[::-1])) for name in letters]
        area = (max(rows, default=0) + 1) * (max(columns, default=0) + 1)
        if area > max(MOST_BETWEEN, SPARSEST_SHEET * len(cells)):
            last = max(letters, key=lambda name: (len(name), name))
            raise InputError(
                f"{path}: the cells reach to row {max(rows):,} and column {last}; remove those far "
                "from the table"
            )


def _uncomputed(path: Path, sheet: str) -> str:
    """First cell of a compressed sheet that has a formula but no value; "" if there is none."""
    with zipfile.ZipFile(path) as packed, suppress(*NO_BOOK):
        part = {name: ElementTree.fromstring(packed.read(f"xl/{name}")) for name in _BOOK}
        names, links = (list(each.iterfind(".//{*}*")) for each in part.values())
        of_sheet = next(each.attrib for each in names if each.get("name") == sheet)
        places = {link.get("Id"): PurePosixPath("/xl", link.get("Target", "")) for link in links}
        place = next(places[value] for key, value in of_sheet.items() if key.endswith("}id"))
        content = packed.read(str(place)[1:])
        cells = ElementTree.fromstring(content) if b"<f" in content else ElementTree.Element("none")
        for cell in cells.iterfind(".//{*}c[{*}f]"):
            value = cell.find("{*}v")
            if value is None or not (value.text or cell.get("t") == "str"):
                return cell.get("r", "a cell")
    return ""


def _cell(cell: Any) -> str:
    """Text of a cell; whole numbers become integers, because labels are numbered."""
    return _text(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
