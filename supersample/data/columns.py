"""Columns of a long table as arrays: labels as codes, numbers as floats, and where rows stand.

Well-formed text is read by columns, many millions of numbers in seconds. Whatever that refuses is
read again a row at a time, which accepts the rest or says what is wrong in which line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from supersample.data.records import (
    Records,
    checked_file,
    open_records,
    raw_text,
    text_records,
)
from supersample.data.tables import MISSING
from supersample.data.text import number
from supersample.errors import InputError

_MISSING_AS_WRITTEN = ["", "None", "none", "NaN", "nan", "NA", "na", "null", "NULL"]


@dataclass(frozen=True)
class Wanted:
    """Which columns are to be read."""

    labels: tuple[str, ...]
    """Never empty."""
    notes: tuple[str, ...]
    """Labels that may be empty."""
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """What was read: codes of each label, in order of appearance, and numbers, NaN for missing."""

    source: str
    names: dict[str, list[str]]
    codes: dict[str, NDArray[np.int64]]
    numbers: dict[str, NDArray[np.float64]]
    where: Callable[[int], str]
    """The place of a row: 'file, line 7'."""


def read_columns(path: str | Path, choose: Callable[[str, Sequence[str]], Wanted]) -> Columns:
    """Read the columns of a long table: text of any name, Parquet, or "-", standard input.

    Parameters
    ----------
    path : str or Path
    choose : callable
        From the source and its header, in lower case, to the columns wanted; raises InputError
        where the header does not do.

    Raises
    ------
    InputError
        With file and line, if a row is too short or long, a label is empty, or a number is none.
    """
    if str(path) != "-" and checked_file(path).suffix.lower() == ".parquet":
        records = open_records(path)
        return _by_rows(records, choose(records.source, records.header))
    source, raw = raw_text(path)
    if b'"' not in raw:
        first = raw[: raw.find(b"\n") + 1] or raw
        header = text_records(source, first).header
        wanted = choose(source, header)
        columns = _by_columns(source, raw, "\t" if b"\t" in first else ",", header, wanted)
        if columns is not None:
            return columns
    records = text_records(source, raw)
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
