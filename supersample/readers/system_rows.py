"""System-level scores in files: tables of WMT12 and WMT15, and ``.sys.score`` of the metrics task.

A table's header names METRIC, LP, DATA or TESTSET, SYSTEM, SCORE and perhaps HUMAN, the human score
of the row's system. Columns are divided by tabs or spaces.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.readers.column_types import MISSING, Columns
from supersample.readers.human_tables import score_files
from supersample.readers.joined import join_columns, renamed, rows_with
from supersample.readers.score_files import SYSTEM_LAYOUTS, raw_bytes, read_score_file
from supersample.readers.text import decode, listed, number, shortened
from supersample.scores.names import match_names

SUFFIXES = (".sys.score", ".sys.score.gz")
_MEANINGS = {"lp": "language pair", "testset": "test set", "data": "test set"}
_HEADER = ("metric", "language pair", "test set", "system", "score")


@dataclass(frozen=True)
class SystemRows:
    """System-level scores as files have them: the human ones and those of each metric by system."""

    source: str
    human: dict[str, float]
    metrics: dict[str, dict[str, float]]
    matched: dict[str, str]


def read_system_rows(
    files: str | Path | Sequence[str | Path],
    *,
    human: str,
    language_pair: str | None,
    test_set: str | None,
    reference: str | None,
) -> SystemRows:
    """Read system-level files of one language pair, names of systems matched between files.

    Raises
    ------
    InputError
        With file and line, if a file is malformed or a system has two scores of one scorer; or if
        what was named is not there, or must be named.
    """
    parts, people = [], {}
    for path in score_files(files, SUFFIXES):
        part, own = _read_file(path, human)
        parts.append(part)
        if own is not None:
            people[part.source] = own
    known: dict[str, None] = {}
    matched: dict[str, str] = {}
    for i, part in enumerate(parts):
        around = [*part.names["test set"], *part.names["language pair"]]
        new = match_names(part.names["system"], known, around)
        parts[i] = renamed(part, "system", new)
        if part.source in people:
            people[part.source] = renamed(people[part.source], "system", new)
        matched |= new
        known.update(dict.fromkeys(parts[i].names["system"]))
    rows = join_columns([*parts, *people.values()])
    for label, asked in (("language pair", language_pair), ("test set", test_set)):
        rows = rows_with(rows, label, asked)
    if len([name for name in rows.names.get("reference", []) if name]) > 1 or reference:
        if "reference" not in rows.names:
            raise InputError(f"{rows.source} names no references; leave out '{reference}'")
        rows = rows_with(rows, "reference", reference)
    scores = _by_scorer(rows, {human} if people else set())
    if human not in scores:
        raise InputError(
            f"no scorer '{human}' in {rows.source}, nor a column HUMAN; there are "
            f"{listed(list(scores))}"
        )
    people_scores = scores.pop(human)
    source = f"{rows.names['test set'][0]} {rows.names['language pair'][0]}"
    return SystemRows(source, people_scores, scores, matched)


def _read_file(path: Path, human: str) -> tuple[Columns, Columns | None]:
    """Rows of metrics, and those of a column of human scores."""
    source = str(path)
    text = decode(source, raw_bytes(path))
    lines = text.split("\n")
    header = [_MEANINGS.get(name, name) for name in lines[0].lower().split()]
    if "metric" not in header or "score" not in header:
        return read_score_file(path, SYSTEM_LAYOUTS), None
    absent = [name for name in _HEADER if name not in header]
    if absent or len(set(header)) < len(header):
        raise InputError(
            f"{source}, line 1: the header is METRIC LP TESTSET SYSTEM SCORE and perhaps HUMAN, "
            f"here it has {listed(header)}"
        )
    return _table_rows(source, lines, header, human)


def _table_rows(
    source: str, lines: Sequence[str], header: Sequence[str], human: str
) -> tuple[Columns, Columns | None]:
    known: dict[str, dict[str, int]] = {name: {} for name in _HEADER[:-1]}
    codes: dict[str, list[int]] = {name: [] for name in known}
    scores: list[float] = []
    people: list[float] = []
    places: list[int] = []
    for i, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        where, fields = f"{source}, line {i}", line.split()
        if len(fields) != len(header):
            raise InputError(f"{where}: {len(fields)} columns, the header has {len(header)}")
        row = dict(zip(header, fields, strict=True))
        for name, own in known.items():
            codes[name].append(own.setdefault(row[name], len(own)))
        scores.append(number(where, row["score"], MISSING))
        if "human" in row:
            people.append(number(where, row["human"], MISSING))
        places.append(i)
    if not scores:
        raise InputError(f"{source} has a header but no rows")

    def columns(names: list[str], values: list[float], metric: list[int]) -> Columns:
        return Columns(
            source,
            {**{name: list(own) for name, own in known.items()}, "metric": names},
            {**{n: np.array(c) for n, c in codes.items()}, "metric": np.array(metric)},
            {"score": np.array(values)},
            lambda row: f"{source}, line {places[row]}",
        )

    metrics = columns(list(known["metric"]), scores, codes["metric"])
    if not people:
        return metrics, None
    if human in known["metric"]:
        raise InputError(f"{source}: '{human}' is a metric, and there is a column HUMAN besides")
    return metrics, columns([human], people, [0] * len(people))


def _by_scorer(columns: Columns, repeated: set[str]) -> dict[str, dict[str, float]]:
    """Score by scorer and system; those of scorers in `repeated` may stand there again."""
    scores: dict[str, dict[str, float]] = {}
    values: NDArray[np.float64] = columns.numbers["score"]
    for row, value in enumerate(values):
        scorer = columns.names["metric"][columns.codes["metric"][row]]
        system = columns.names["system"][columns.codes["system"][row]]
        own = scores.setdefault(scorer, {})
        same = scorer in repeated and system in own and np.array_equal(own[system], value, True)
        if system in own and not same:
            raise InputError(
                f"{columns.where(row)}: a second score of '{shortened(scorer)}' for system "
                f"'{shortened(system)}'"
            )
        own[system] = float(value)
    return scores
