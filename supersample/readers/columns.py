"""Columns of a long table as arrays: labels as codes, numbers as floats, and where rows stand.

Well-formed text is read by columns, many millions of numbers in seconds. Whatever that refuses is
read again a row at a time, which accepts the rest or says what is wrong in which line.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from supersample.errors import InputError
from supersample.readers.arrow import parquet_columns
from supersample.readers.column_types import MISSING, Columns, Wanted
from supersample.readers.records import (
    JSON_LINES,
    Records,
    checked_file,
    delimiter_of,
    open_records,
    raw_text,
    text_records,
)
from supersample.readers.text import number

_MISSING_AS_WRITTEN = ["", "None", "none", "NaN", "nan", "NA", "na", "null", "NULL"]


def read_columns(
    path: str | Path,
    choose: Callable[[str, Sequence[str]], Wanted],
    delimiters: Mapping[str, str] | None = None,
) -> Columns:
    """Read the columns of a long table: text, JSON lines, Parquet, or "-", standard input.

    Parameters
    ----------
    path : str or Path
    choose : callable
        From the source and its header, in lower case, to the columns wanted; raises InputError
        where the header does not do.
    delimiters : mapping of str to str, optional
        As for `open_records`: delimiter by suffix, other suffixes refused.

    Raises
    ------
    InputError
        With file and line, if a row is too short or long, a label is empty, or a number is none.
    """
    if str(path) != "-":
        suffix = checked_file(path).suffix.lower()
        if suffix == ".parquet":
            return parquet_columns(Path(path), choose)
        if suffix in JSON_LINES:
            records = open_records(path)
            return _by_rows(records, choose(records.source, records.header))
    delimiter = delimiter_of(path, delimiters)
    source, raw = raw_text(path)
    if b'"' not in raw:
        first = raw[: raw.find(b"\n") + 1] or raw
        header = text_records(source, first, delimiter).header
        wanted = choose(source, header)
        between = delimiter or ("\t" if b"\t" in first else ",")
        columns = _by_columns(source, raw, between, header, wanted)
        if columns is not None:
            return columns
    records = text_records(source, raw, delimiter)
    return _by_rows(records, choose(source, records.header))


def _by_rows(records: Records, wanted: Wanted) -> Columns:
    place = {name: records.header.index(name) for name in records.header}
    known: dict[str, dict[str, int]] = {name: {} for name in (*wanted.labels, *wanted.notes)}
    codes: dict[str, list[int]] = {name: [] for name in known}
    numbers: dict[str, list[float]] = {name: [] for name in wanted.numbers}
    rows: list[str] = []
    for where, row in records.rows:
        for name, labels in known.items():
            label = row[place[name]].strip()
            if not label and name in wanted.labels:
                raise InputError(f"{where}: the {name} is empty")
            codes[name].append(labels.setdefault(label, len(labels)))
        for name, values in numbers.items():
            values.append(number(where, row[place[name]], MISSING))
        rows.append(where)
    return Columns(
        records.source,
        {name: list(labels) for name, labels in known.items()},
        {name: np.array(own, dtype=np.int64) for name, own in codes.items()},
        {name: np.array(own, dtype=np.float64) for name, own in numbers.items()},
        rows.__getitem__,
    )


def _by_columns(
    source: str, raw: bytes, delimiter: str, header: Sequence[str], wanted: Wanted
) -> Columns | None:
    """Read well-formed text; None where there is anything to look at more closely."""
    if raw.find(b"\n") in (-1, len(raw) - 1):
        return (
            None  # no rows: Arrow's reader fails, and its thread may outlive it, and abort the exit
        )
    labels = (*wanted.labels, *wanted.notes)
    types: dict[str, Any] = {name: pa.dictionary(pa.int32(), pa.string()) for name in labels}
    types |= {name: pa.float64() for name in wanted.numbers}
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(raw),
            read_options=pyarrow.csv.ReadOptions(column_names=header, skip_rows=1),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=_MISSING_AS_WRITTEN,
                strings_can_be_null=False,
            ),
        ).unify_dictionaries()
    except pa.ArrowException:
        return None
    lines = raw.count(b"\n") + (not raw.endswith(b"\n"))
    if lines != table.num_rows + 1 or table.num_rows == 0:  # blank lines: who stands where?
        return None
    names, codes = {}, {}
    for name in labels:
        column = table.column(name).combine_chunks()
        names[name] = column.dictionary.to_pylist()
        codes[name] = column.indices.to_numpy().astype(np.int64)
        if any(
            text != text.strip() or (not text and name in wanted.labels) for text in names[name]
        ):
            return None
    numbers = {
        name: table.column(name).to_numpy().astype(np.float64, copy=False)
        for name in wanted.numbers
    }
    if any(np.isinf(values).any() for values in numbers.values()):
        return None
    return Columns(source, names, codes, numbers, lambda row: f"{source}, line {row + 2}")
