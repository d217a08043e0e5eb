"""Files of the WMT metrics task: no header, each line a metric's score and what it is the score of.

Columns have changed over the years. They are told by their number, by whether the last one is a
score, and by the name of the file (``.seg.score`` or ``.sys.score``, perhaps with ``.gz``).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError, listed, quoted, shortened
from supersample.readers.arrow import csv_columns
from supersample.readers.columns import MISSING, Columns, Rows, Wanted, collect_rows
from supersample.readers.delimited import Plain
from supersample.readers.text import decode

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
SEGMENT_NAMES = ("segment", "seg_id", "segid", "sid", "seg")


def score_files(paths: str | Path | Sequence[str | Path], suffixes: Sequence[str]) -> list[Path]:
    """Files named, or those of a folder that end as files of this kind do."""
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[Path] = []
    for path in map(Path, named):
        inside = [path]
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.name.endswith(tuple(suffixes)))
        if not inside:
            raise InputError(f"no file in {path} ends in {' or '.join(suffixes)}")
        files += inside
    if not files:
        raise InputError("name a file or a folder of scores")
    return files


def read_score_file(path: str | Path, layouts: Sequence[tuple[str, ...]]) -> Columns:
    """Read a file of the metrics task: codes of every label, and the number "score"."""
    text = Plain.read(path, "\t", header=False)
    first = text.first()
    if not any(first):
        raise InputError(f"{text.source} is empty, or begins with an empty line")
    names = _layout(text.source, first, layouts)
    return text.columns(names, Wanted(tuple(n for n in names if n not in ("score", *_EXTRA))))


def _layout(source: str, first: list[str], layouts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    for names in layouts:
        if len(names) == len(first) and (names[-1] == "score") == _is_score(first[-1]):
            return names
    counts = ", ".join(str(n) for n in sorted({len(names) for names in layouts}))
    raise InputError(
        f"{source}, line 1: {len(first)} columns, the last one '{shortened(first[-1])}'; a file of "
        f"the metrics task has {counts}, and one of them is the score"
    )


def _is_score(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.lower() in MISSING
    return True


def read_pairs(source: str, raw: bytes, missing: tuple[str, ...] = MISSING) -> Columns:
    """Read lines of a system and its score, divided by a tab or by blanks."""
    names, wanted = ("system", "score"), Wanted(("system",), missing=missing)
    columns = csv_columns(source, raw, "\t", names, wanted, header=False)
    if columns is not None:
        return columns

    def rows() -> Rows:
        lines = decode(source, raw).split("\n")
        for i, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
            cells = line.split("\t" if "\t" in line else None)
            if len(cells) != 2 or not cells[0].strip():
                raise InputError(f"{source}, line {i}: expected a system and a score")
            yield f"{source}, line {i}", cells

    return collect_rows(source, names, rows(), wanted)


def scores_by_system(columns: Columns, expected: int) -> dict[str, NDArray[np.float64]]:
    """Scores of each system in the order of the rows; each has as many as expected."""
    found = {}
    for code, system in enumerate(columns.names["system"]):
        rows = np.flatnonzero(columns.codes["system"] == code)
        if rows.size != expected:
            where = columns.where(int(rows[expected] if rows.size > expected else rows[-1]))
            raise InputError(
                f"{where}: {quoted(system)} has {rows.size} scores, {expected} are expected"
            )
        found[system] = columns.numbers["score"][rows]
    return found


def read_human_table(path: str | Path) -> tuple[str, Columns]:
    """Read a table of human scores: MQM averages (``avg_seg_scores.tsv``) and their like.

    The header names a system, a segment, one score, whatever its name, and perhaps a document;
    columns are divided by tabs, commas or spaces. Returns the name of the score, and the columns.
    """
    text = Plain.read(path, "\t,", header=True)
    header = [name.lower() for name in text.first()]
    meanings = ["segment" if name in SEGMENT_NAMES else name for name in header]
    labels = tuple(name for name in ("system", "segment", "document") if name in meanings)
    scores = [name for name in meanings if name not in labels]
    if not {"system", "segment"} <= set(labels) or len(scores) != 1:
        raise InputError(
            f"{text.source}, line 1: the header names a system, a segment and one score, perhaps a "
            f"document; here it has {listed(header)}"
        )
    if len(set(meanings)) < len(meanings):
        raise InputError(f"{text.source}, line 1: a column occurs twice")
    names = ["score" if name == scores[0] else name for name in meanings]
    columns = text.columns(names, Wanted(labels))
    if not columns.numbers["score"].size:
        raise InputError(f"{text.source} has a header but no rows")
    return scores[0], columns
