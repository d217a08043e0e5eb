"""Human scores in a table of their own: MQM averages (``avg_seg_scores.tsv``) and their like.

The header names a system, a segment and one score, whatever the score is called; columns are
divided by tabs, commas or spaces.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from supersample.errors import InputError
from supersample.readers.column_types import MISSING, Columns
from supersample.readers.score_files import raw_bytes
from supersample.readers.text import decode, listed, number

SEGMENT_NAMES = ("segment", "seg_id", "segid", "sid", "seg")
LABELS = ("system", "segment", "document")


def read_human_table(path: str | Path) -> tuple[str, Columns]:
    """Name of the score, and the columns system, segment, score and perhaps document.

    Raises
    ------
    InputError
        With file and line, if the header names no system, no segment or not one score, a line has
        other columns than the header, a label is empty, or a score is no number.
    """
    source = str(path)
    lines = decode(source, raw_bytes(path)).split("\n")
    delimiter = next((d for d in ("\t", ",") if d in lines[0]), None)
    header = [name.strip().lower() for name in lines[0].split(delimiter)]
    meanings = ["segment" if name in SEGMENT_NAMES else name for name in header]
    scores = [name for name in meanings if name not in LABELS]
    if sorted(set(meanings) - {"document", *scores}) != ["segment", "system"] or len(scores) != 1:
        raise InputError(
            f"{source}, line 1: the header names a system, a segment and one score, perhaps a "
            f"document; here it has {listed(header)}"
        )
    if len(set(meanings)) < len(meanings):
        raise InputError(f"{source}, line 1: a column stands there twice")
    known: dict[str, dict[str, int]] = {name: {} for name in LABELS if name in meanings}
    codes: dict[str, list[int]] = {name: [] for name in known}
    values: list[float] = []
    places: list[int] = []
    for i, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        where = f"{source}, line {i}"
        fields = [field.strip() for field in line.rstrip("\r").split(delimiter)]
        if len(fields) != len(header):
            raise InputError(f"{where}: {len(fields)} columns, the header has {len(header)}")
        row = dict(zip(meanings, fields, strict=True))
        for name, labels in known.items():
            if not row[name]:
                raise InputError(f"{where}: the {name} is empty")
            codes[name].append(labels.setdefault(row[name], len(labels)))
        values.append(number(where, row[scores[0]], MISSING))
        places.append(i)
    if not values:
        raise InputError(f"{source} has a header but no rows")
    return scores[0], Columns(
        source,
        {name: list(labels) for name, labels in known.items()},
        {name: np.array(own, dtype=np.int64) for name, own in codes.items()},
        {"score": np.array(values)},
        lambda row: f"{source}, line {places[row]}",
    )


def one_scorer(columns: Columns, name: str) -> Columns:
    """Name the scorer of all rows."""
    rows = columns.numbers["score"].size
    return Columns(
        columns.source,
        {**columns.names, "scorer": [name]},
        {**columns.codes, "scorer": np.zeros(rows, dtype=np.int64)},
        columns.numbers,
        columns.where,
    )


def score_files(paths: str | Path | Sequence[str | Path], suffixes: Sequence[str]) -> list[Path]:
    """Files named, or those of a folder that end as files of this kind do.

    Raises
    ------
    InputError
        If a folder has none of them, or nothing was named.
    """
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    found: list[Path] = []
    for path in map(Path, named):
        if path.is_dir():
            own = sorted(p for p in path.iterdir() if p.name.endswith(tuple(suffixes)))
            if not own:
                raise InputError(f"no file in {path} ends in {' or '.join(suffixes)}")
            found += own
        else:
            found.append(path)
    if not found:
        raise InputError("name a file or a folder of scores")
    return found
