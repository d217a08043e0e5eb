"""Columns by Arrow: delimited text, Parquet files, and data frames with an interchange protocol."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from supersample.errors import InputError, printable
from supersample.readers.columns import MISSING, Columns, Wanted
from supersample.readers.headers import Header
from supersample.readers.text import number

UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
Choose = Callable[[Header], Wanted]
_MISSING_AS_WRITTEN = ("", "None", "none", "NaN", "nan", "NA", "na", "null", "NULL")


def csv_columns(
    source: str, raw: bytes, delimiter: str, names: Sequence[str], wanted: Wanted, header: bool
) -> Columns | None:
    """Read well-formed text without quotes; None where something needs a closer look.

    `names` names each column, also where the first line is a header.
    """
    lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    if lines <= header or not raw:
        return None  # without rows Arrow's reader fails, and its thread may abort the exit
    types = {name: pa.dictionary(pa.int32(), pa.string()) for name in wanted.texts}
    types |= {name: pa.float64() for name in wanted.numbers}
    missing = [text for text in _MISSING_AS_WRITTEN if text.lower() in wanted.missing]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(raw if header else raw.removeprefix(b"\xef\xbb\xbf")),
            read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows=int(header)),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=missing,
                strings_can_be_null=False,
                decimal_point=wanted.decimal,
            ),
        )
        if table.num_rows + header != lines:  # a blank line, which rows count and Arrow does not
            return None
        columns = arrow_columns(source, table, wanted)
    except (pa.ArrowException, InputError):
        return None
    return replace(columns, where=lambda row: f"{source}, line {row + 1 + header}")


def parquet_columns(path: Path, choose: Choose) -> Columns:
    """Read the columns of a Parquet file that are wanted, and no others."""
    from pyarrow import parquet

    source: Any = path
    try:
        if any("\ud800" <= c <= "\udfff" for c in str(path)):  # Arrow opens no such names
            source = pa.BufferReader(path.read_bytes())
        schema = parquet.read_schema(source)
        header = _lowered(schema.names)
        wanted = choose(_header(printable(path), schema))
        names = [schema.names[header.index(name)] for name in (*wanted.texts, *wanted.numbers)]
        texts = [name for name in names if _is_text(schema.field(name).type)]
        table = parquet.read_table(source, columns=names, read_dictionary=texts)
    except UNREADABLE as error:
        raise InputError(f"{path} cannot be read as Parquet: {_first_line(error)}") from error
    return arrow_columns(printable(path), table, wanted)


def frame_columns(frame: object, choose: Choose) -> Columns:
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
    return arrow_columns(source, table, choose(_header(source, table.schema)))


def arrow_columns(source: str, table: Any, wanted: Wanted) -> Columns:
    """Labels of an Arrow table as codes in order of appearance, numbers as floats."""
    header = _lowered(table.column_names)

    def where(row: int) -> str:
        return f"{source}, row {row + 1}"

    def column(name: str) -> Any:
        return table.column(header.index(name))

    names: dict[str, list[str]] = {}
    codes: dict[str, NDArray[np.int64]] = {}
    try:
        for name in wanted.texts:
            names[name], codes[name] = _labels(column(name))
            if name in wanted.labels and "" in names[name]:
                row = int(np.argmax(codes[name] == names[name].index("")))
                raise InputError(f"{where(row)}: the {name} is empty")
        numbers = {name: _numbers(column(name), where) for name in wanted.numbers}
    except UNREADABLE as error:
        raise InputError(f"{source} cannot be read: {_first_line(error)}") from error
    return Columns(source, names, codes, numbers, where)


def _header(source: str, schema: Any) -> Header:
    """Names of the columns, and which are numbers."""
    kinds = dict(zip(_lowered(schema.names), schema.types, strict=True))
    numeric = {name for name, kind in kinds.items() if _is_number(kind)}
    return Header(source, schema.names, frozenset(numeric))


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _lowered(names: Sequence[object]) -> list[str]:
    return [str(name).strip().lower() for name in names]


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _arrow_table(frame: Any) -> Any:
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    if hasattr(frame, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(frame)
    if hasattr(frame, "with_format"):  # a Hugging Face dataset, which is Arrow underneath
        return _with_class_names(frame)
    return None


def _with_class_names(dataset: Any) -> Any:
    """Arrow table of a Hugging Face dataset, numbers of class labels replaced by their names."""
    if not hasattr(dataset, "column_names") or isinstance(dataset.column_names, dict):
        raise InputError(f"{type(dataset).__name__} holds several splits; name one of them")
    table = dataset.with_format("arrow")[:]
    for name, feature in (getattr(dataset, "features", None) or {}).items():
        names = getattr(feature, "names", None)
        if names and pa.types.is_integer(table.schema.field(name).type):
            texts = [None if i is None else names[i] for i in table.column(name).to_pylist()]
            at = table.column_names.index(name)
            table = table.set_column(at, name, pa.array(texts, pa.string()))
    return table


def _labels(column: Any) -> tuple[list[str], NDArray[np.int64]]:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = column.unify_dictionaries().chunks
    if not chunks:
        return [], np.empty(0, dtype=np.int64)
    found = [*map(_text, chunks[0].dictionary.to_pylist()), ""]  # the last where there is no value
    indices = [chunk.indices.cast(pa.int64()).fill_null(len(found) - 1) for chunk in chunks]
    codes = np.concatenate([part.to_numpy(zero_copy_only=False) for part in indices])
    first = np.full(len(found), codes.size, dtype=np.int64)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
    new: dict[str, int] = {}
    renumber = np.zeros(len(found), dtype=np.int64)
    for old in np.argsort(first, kind="stable"):
        if first[old] < codes.size:
            renumber[old] = new.setdefault(found[old], len(new))
    return list(new), renumber[codes]


def _text(value: object) -> str:
    return "" if value is None else str(value).strip()


def _numbers(column: Any, where: Callable[[int], str]) -> NDArray[np.float64]:
    kind = column.type
    if _is_number(kind) or pa.types.is_null(kind):
        values = np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
        infinite = np.flatnonzero(np.isinf(values))
        if infinite.size:
            number(where(int(infinite[0])), str(values[infinite[0]]), MISSING)
        return values
    texts = map(_text, column.to_pylist())
    return np.array([number(where(i), text, MISSING) for i, text in enumerate(texts)])


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
