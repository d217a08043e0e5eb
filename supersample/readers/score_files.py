"""Files of the WMT metrics task: no header, each line a metric's score and what it is the score of.

Columns have changed over the years. They are told by their number, by whether the last one is a
score, and by the name of the file (``.seg.score`` or ``.sys.score``, perhaps with ``.gz``).
"""

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from supersample.errors import InputError
from supersample.readers.arrow import arrow_columns
from supersample.readers.column_types import MISSING, Columns, Wanted
from supersample.readers.records import checked_file
from supersample.readers.text import decode, number

_ABOUT = ("metric", "language pair", "test set")
_EXTRA = ("ensemble", "available")
SEGMENT_LAYOUTS = (
    (*_ABOUT, "system", "segment", "score"),  # until WMT16
    (*_ABOUT, "reference", "system", "segment", "score"),  # WMT20 and WMT21
    (*_ABOUT, "reference", "system", "document", "segment", "score"),  # WMT20
    (*_ABOUT, "system", "segment", "score", *_EXTRA),  # WMT17 to WMT19
    (*_ABOUT, "reference", "system", "segment", "score", *_EXTRA),
    (*_ABOUT, "domain", "document", "reference", "system", "segment", "score"),  # since WMT22
)
SYSTEM_LAYOUTS = (
    (*_ABOUT, "system", "score"),
    (*_ABOUT, "reference", "system", "score"),
    (*_ABOUT, "domain", "reference", "system", "score"),
    (*_ABOUT, "system", "score", *_EXTRA),
    (*_ABOUT, "reference", "system", "score", *_EXTRA),
)
SUFFIXES = (".seg.score", ".seg.score.gz", ".sys.score", ".sys.score.gz")


def raw_bytes(path: str | Path) -> bytes:
    """Bytes of a file, unpacked where its name ends in .gz.

    Raises
    ------
    InputError
        If there is no such file, or it cannot be unpacked.
    """
    path = checked_file(path)
    raw = path.read_bytes()
    if path.suffix.lower() != ".gz":
        return raw
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be unpacked: {error}") from error


def read_score_file(path: str | Path, layouts: Sequence[tuple[str, ...]]) -> Columns:
    """Read a file of the metrics task: codes of every label, and the number "score".

    Raises
    ------
    InputError
        With file and line, if a line has other columns than the first or none that are known, a
        label is empty, or a score is no number.
    """
    source, raw = str(path), raw_bytes(path)
    first = decode(source, raw[: raw.find(b"\n") + 1] or raw)
    if not first.strip():
        raise InputError(f"{source} is empty, or begins with an empty line")
    delimiter = "\t" if "\t" in first else None
    names = _layout(source, _fields(first, delimiter), layouts)
    labels = tuple(name for name in names if name not in ("score", *_EXTRA))
    wanted = Wanted(labels, (), ("score",))
    if delimiter is not None:
        columns = quick_columns(source, raw, names, wanted)
        if columns is not None:
            return columns
    return _by_lines(source, raw, delimiter, names, wanted)


def _fields(line: str, delimiter: str | None) -> list[str]:
    return [field.strip() for field in line.rstrip("\r\n").split(delimiter)]


def _layout(source: str, first: list[str], layouts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    for names in layouts:
        if len(names) == len(first) and (names[-1] == "score") == _is_score(first[-1]):
            return names
    counts = ", ".join(str(n) for n in sorted({len(names) for names in layouts}))
    raise InputError(
        f"{source}, line 1: {len(first)} columns, the last one '{first[-1][:40] if first else ''}';"
        f" a file of the metrics task has {counts}, and one of them is the score"
    )


def _is_score(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lower() in MISSING
    return True


def quick_columns(
    source: str, raw: bytes, names: tuple[str, ...], wanted: Wanted
) -> Columns | None:
    """Read well-formed text by columns; None where there is anything to look at more closely."""
    types = {name: pa.dictionary(pa.int32(), pa.string()) for name in names}
    types["score"] = pa.float64()
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(raw.removeprefix(b"\xef\xbb\xbf")),
            read_options=pyarrow.csv.ReadOptions(column_names=names),
            parse_options=pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=types,
                include_columns=[*wanted.labels, "score"],
                null_values=["None", "NaN", "nan"],
                strings_can_be_null=False,
            ),
        )
        if table.num_rows != raw.count(b"\n") + (not raw.endswith(b"\n")):
            return None
        columns = arrow_columns(source, table, wanted)
    except (pa.ArrowException, InputError):
        return None
    return Columns(
        source,
        columns.names,
        columns.codes,
        columns.numbers,
        lambda row: f"{source}, line {row + 1}",
    )


def _by_lines(
    source: str, raw: bytes, delimiter: str | None, names: tuple[str, ...], wanted: Wanted
) -> Columns:
    known: dict[str, dict[str, int]] = {name: {} for name in wanted.labels}
    codes: dict[str, list[int]] = {name: [] for name in known}
    scores: list[float] = []
    lines: list[int] = []
    for i, line in enumerate(decode(source, raw).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{source}, line {i}"
        fields = _fields(line, delimiter)
        if len(fields) != len(names):
            raise InputError(f"{where}: {len(fields)} columns, the first line has {len(names)}")
        row = dict(zip(names, fields, strict=True))
        for name, labels in known.items():
            if not row[name]:
                raise InputError(f"{where}: the {name} is empty")
            codes[name].append(labels.setdefault(row[name], len(labels)))
        scores.append(number(where, row["score"], MISSING))
        lines.append(i)
    return Columns(
        source,
        {name: list(labels) for name, labels in known.items()},
        {name: np.array(own, dtype=np.int64) for name, own in codes.items()},
        {"score": np.array(scores, dtype=np.float64)},
        lambda row: f"{source}, line {lines[row]}",
    )
