"""Scores of one metric in whatever form its author has them, to be set beside others."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.readers.column_types import MISSING, Columns, Wanted
from supersample.readers.cubes import fill_cube
from supersample.readers.human_tables import one_scorer
from supersample.readers.joined import rows_with
from supersample.readers.records import JSON_LINES
from supersample.readers.score_files import SEGMENT_LAYOUTS, raw_bytes, read_score_file
from supersample.readers.text import decode, listed, number, shortened
from supersample.scores.names import match_names

_TABLES = (".csv", ".tsv", ".parquet", *JSON_LINES)
_DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class AddedScores:
    """Scores (system, segment), or (system,) of systems as wholes, and what was not used."""

    values: NDArray[np.float64]
    unused: str


def read_added(
    name: str, path: str | Path, systems: Sequence[str], segments: Sequence[str] | None
) -> AddedScores:
    """Read scores of the systems, and of the segments, that there are.

    Parameters
    ----------
    name : str
        The metric; needed where a file has several.
    path : str or Path
        A long table (system, segment, score and perhaps scorer), a ``.seg.score`` file of the
        metrics task, lines of a system and a score (a system's lines in the order of the segments),
        or a folder with a file of scores for each system, a score a line.
    systems, segments : sequence of str
        Segments are None where there are system-level scores alone; then lines are one for each
        system: a system and a score, or, in the order of the systems, a score.

    Raises
    ------
    InputError
        With file and line, if the file is malformed, or none of its systems is among those here.
    """
    path = Path(path)
    if path.is_dir():
        found = _folder(path, systems, segments)
    elif path.suffix.lower() in _TABLES and segments is not None:
        found = _table(name, path)
    else:
        first = decode(str(path), raw_bytes(path)).partition("\n")[0]
        several = len(first.split("\t" if "\t" in first else None)) > 2
        if several and segments is not None:
            found = _rows(name, read_score_file(path, SEGMENT_LAYOUTS))
        else:
            found = _lines(path, systems, segments)
    return _placed(path, found, systems, segments)


_Found = dict[str, dict[str, float]]
"""Score by system and segment."""


def _table(name: str, path: Path) -> _Found:
    from supersample.readers.columns import read_columns

    def choose(source: str, header: Sequence[str]) -> Wanted:
        wanted = ["system", "segment", *(["scorer"] if "scorer" in header else [])]
        for column in (*wanted, "score"):
            if header.count(column) != 1:
                raise InputError(
                    f"{source}, line 1: the header names system, segment, score and perhaps "
                    f"scorer, once each; here it has {listed(header) or 'nothing'}"
                )
        return Wanted(tuple(wanted), (), ("score",))

    columns = read_columns(path, choose, _DELIMITERS)
    if not columns.numbers["score"].size:
        raise InputError(f"{path} has a header but no rows")
    if "scorer" in columns.names:
        asked = name if len(columns.names["scorer"]) > 1 else None
        columns = rows_with(columns, "scorer", asked)
    return _by_place(one_scorer(columns, name))


def _rows(name: str, columns: Columns) -> _Found:
    asked = name if len(columns.names["metric"]) > 1 else None
    rows = one_scorer(rows_with(columns, "metric", asked), name)
    for label in ("language pair", "test set", "reference"):
        if len(rows.names.get(label, [])) > 1:
            raise InputError(f"{rows.source} has several {label}s; one is needed")
    if "document" in rows.names:
        segments = rows.names["segment"]
        both = rows.codes["document"] * len(segments) + rows.codes["segment"]
        used, codes = np.unique(both, return_inverse=True)
        pairs = (divmod(int(code), len(segments)) for code in used)
        names = [f"{rows.names['document'][d]}:{segments[s]}" for d, s in pairs]
        rows = Columns(
            rows.source,
            {**rows.names, "segment": names},
            {**rows.codes, "segment": codes},
            rows.numbers,
            rows.where,
        )
    return _by_place(rows)


def _by_place(columns: Columns) -> _Found:
    cube = fill_cube(columns)[0]
    segments = columns.names["segment"]
    return {
        system: dict(zip(segments, row.tolist(), strict=True))
        for system, row in zip(columns.names["system"], cube, strict=True)
    }


def _lines(path: Path, systems: Sequence[str], segments: Sequence[str] | None) -> _Found:
    """Lines of a system and a score, or of scores of systems alone."""
    source = str(path)
    lines = decode(source, raw_bytes(path)).rstrip("\n").split("\n")
    rows = [line.rstrip("\r").split("\t" if "\t" in line else None) for line in lines]
    bare = all(len(row) == 1 for row in rows)
    if bare and segments is None and len(rows) == len(systems):
        rows = [[system, row[0]] for system, row in zip(systems, rows, strict=True)]
    elif bare and segments is not None:
        raise InputError(
            f"{source}: {len(rows)} scores without a system; write a system before each, or give "
            "a folder with such a file for each system"
        )
    by_system: dict[str, list[float]] = {}
    last: dict[str, int] = {}
    for i, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0].strip():
            raise InputError(f"{source}, line {i}: expected a system and a score")
        value = number(f"{source}, line {i}", row[1], MISSING)
        by_system.setdefault(row[0].strip(), []).append(value)
        last[row[0].strip()] = i
    wanted = [""] if segments is None else list(segments)
    for system, own in by_system.items():
        if len(own) != len(wanted):
            raise InputError(
                f"{source}, line {last[system]}: '{shortened(system)}' has {len(own)} scores, "
                f"{'one is' if segments is None else f'{len(wanted)} segments are'} expected"
            )
    return {system: dict(zip(wanted, own, strict=True)) for system, own in by_system.items()}


def _folder(folder: Path, systems: Sequence[str], segments: Sequence[str] | None) -> _Found:
    if segments is None:
        raise InputError(f"{folder} is a folder; scores of systems alone come in one file")
    files = {path.name.split(".txt")[0].split(".score")[0]: path for path in folder.iterdir()}
    found: _Found = {}
    for system, path in sorted(files.items()):
        if path.is_dir():
            continue
        lines = decode(str(path), path.read_bytes()).rstrip("\n").split("\n")
        if len(lines) != len(segments):
            raise InputError(f"{path}: {len(lines)} lines for {len(segments)} segments")
        found[system] = {
            segment: number(f"{path}, line {i}", line.strip(), MISSING)
            for i, (segment, line) in enumerate(zip(segments, lines, strict=True), start=1)
        }
    return found


def _placed(
    path: Path, found: _Found, systems: Sequence[str], segments: Sequence[str] | None
) -> AddedScores:
    new = match_names(found, systems)
    by_system = {new.get(system, system): own for system, own in found.items()}
    wanted = [""] if segments is None else list(segments)
    values = np.full((len(systems), len(wanted)), np.nan)
    for i, system in enumerate(systems):
        own = by_system.get(system, {})
        values[i] = [own.get(segment, np.nan) for segment in wanted]
    if np.isnan(values).all():
        raise InputError(
            f"{path}: no score of these systems and segments; it has {listed(list(found), 3)}, "
            f"they are {listed(systems, 3)}"
        )
    here = set(wanted)
    foreign = Counter(segment for own in found.values() for segment in own if segment not in here)
    others = [system for system in by_system if system not in systems]
    unused = [f"systems {listed(others, 5)}"] if others else []
    unused += [f"{len(foreign)} segments"] if foreign else []
    unused += [f"({a} read as {b})" for a, b in new.items()]
    return AddedScores(values[:, 0] if segments is None else values, ", ".join(unused))
