"""Reader for long tables: one row for each (system, segment, scorer) and its score.

The header names the columns ``system``, ``segment``, ``scorer`` and ``score``, in any order, and
optionally ``document`` and ``domain``. Files end in .csv, .tsv or .parquet; text comes from
standard input as "-".
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.data.records import open_records
from supersample.data.schema import make_scores
from supersample.data.text import listed, number, shortened
from supersample.errors import InputError

REQUIRED = ("system", "segment", "scorer", "score")
OPTIONAL = ("document", "domain")
MISSING = ("", "none", "nan", "na", "null")
SPARSEST = 1000  # places for a score for each row of the table, and no memory for more


class _LongTable:
    """Columns of a long table as they are read, labels as numbers in order of appearance."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.labels: dict[str, dict[str, int]] = {
            name: {} for name in ("system", "segment", "scorer")
        }
        self.codes: dict[str, list[int]] = {name: [] for name in self.labels}
        self.scores: list[float] = []
        self.of_segment: dict[str, dict[int, str]] = {}

    def append(self, where: str, row: dict[str, str]) -> None:
        for name, labels in self.labels.items():
            label = row[name].strip()
            if not label:
                raise InputError(f"{where}: the {name} is empty")
            self.codes[name].append(labels.setdefault(label, len(labels)))
        self.scores.append(number(where, row["score"], MISSING))
        for name in OPTIONAL:
            if name in row:
                known = self.of_segment.setdefault(name, {})
                label = row[name].strip()
                earlier = known.setdefault(self.codes["segment"][-1], label)
                if earlier != label:
                    raise InputError(
                        f"{where}: segment '{shortened(row['segment'])}' has {name} "
                        f"'{shortened(label)}' here and '{shortened(earlier)}' earlier"
                    )


def read_table(
    path: str | Path,
    *,
    human: str = "human",
    lower_is_better: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> xr.Dataset:
    """Read Scores from a long table (CSV, TSV or Parquet).

    Parameters
    ----------
    path : str or Path
        The file; "-" reads CSV or TSV from standard input.
    human : str, default "human"
        The scorer that holds the human scores; every other scorer is a metric.
    lower_is_better : sequence of str
        Scorers whose higher scores mean worse translations, the human one perhaps among them. All
        others are declared higher-is-better.
    include : sequence of str
        Systems to keep; all when empty.
    exclude : sequence of str
        Systems to leave out.

    Returns
    -------
    xarray.Dataset
        Scores. A score left empty, or None, NA or NaN, is missing, as is a row that is not there.

    Raises
    ------
    InputError
        With file and line, if a column is missing or there twice, a row is too short or long, a
        label is empty, a score is no number or infinite, or (system, segment, scorer) occurs twice;
        or if a named scorer or system is not there.

    Examples
    --------
    >>> read_table("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    table, rows = _read_rows(path)
    if not table.scores:
        raise InputError(f"{table.source} has a header but no rows")
    scorers = list(table.labels["scorer"])
    for name in (human, *lower_is_better):
        if name not in scorers:
            raise InputError(f"no scorer '{name}' in {table.source}; there are {listed(scorers)}")
    metrics = [name for name in scorers if name != human]
    if not metrics:
        raise InputError(f"{table.source} has no scorer but '{human}'; metrics are needed")
    cube = _fill(table, rows)
    systems = list(table.labels["system"])
    kept, left_out = _choose(systems, include, exclude, table.source)
    order = [table.labels["scorer"][name] for name in metrics]
    return make_scores(
        cube[table.labels["scorer"][human]][kept],
        cube[order][:, kept],
        systems=[systems[i] for i in kept],
        metrics=metrics,
        segments=list(table.labels["segment"]),
        higher_is_better=[name not in lower_is_better for name in metrics],
        human_higher_is_better=human not in lower_is_better,
        document=_segment_labels(table, "document"),
        domain=_segment_labels(table, "domain"),
        attrs={"source": table.source, "human": human, "systems_left_out": ", ".join(left_out)},
    )


def _read_rows(path: str | Path) -> tuple[_LongTable, Sequence[str]]:
    """Read the table, and where each row stands ('file, line 7')."""
    delimiters = None if str(path) == "-" else {".csv": ",", ".tsv": "\t"}
    records = open_records(path, delimiters)
    _check_header(records.source, records.header)
    table = _LongTable(records.source)
    rows: list[str] = []
    for where, row in records.rows:
        table.append(where, dict(zip(records.header, row, strict=True)))
        rows.append(where)
    return table, rows


def _check_header(source: str, header: Sequence[str]) -> None:
    absent = [name for name in REQUIRED if name not in header]
    if absent:
        raise InputError(
            f"{source}, line 1: no column '{absent[0]}'; the header names system, segment, scorer "
            f"and score, here it has {listed(header) or 'nothing'}"
        )
    repeated = [name for name in (*REQUIRED, *OPTIONAL) if header.count(name) > 1]
    if repeated:
        raise InputError(f"{source}, line 1: there are several columns '{repeated[0]}'")


def _fill(table: _LongTable, rows: Sequence[str]) -> NDArray[np.float64]:
    """Scores as an array (scorer, system, segment), NaN where there is no row."""
    shape = [len(table.labels[name]) for name in ("scorer", "system", "segment")]
    if math.prod(shape) > SPARSEST * max(len(rows), SPARSEST):
        raise InputError(
            f"{table.source}: only {len(rows)} rows for {shape[1]} systems, {shape[2]} segments "
            f"and {shape[0]} scorers; does each label stand in its own column, and do systems "
            "share the labels of segments?"
        )
    codes = [np.array(table.codes[name]) for name in ("scorer", "system", "segment")]
    flat = np.ravel_multi_index(codes, shape)
    _, first = np.unique(flat, return_index=True)
    if first.size < flat.size:
        repeated = np.setdiff1d(np.arange(flat.size), first)[0]
        names = [
            list(table.labels[name])[codes[i][repeated]]
            for i, name in enumerate(("scorer", "system", "segment"))
        ]
        raise InputError(
            f"{rows[repeated]}: a second score of '{names[0]}' for system '{names[1]}', "
            f"segment '{names[2]}'"
        )
    cube = np.full(shape, np.nan)
    cube.ravel()[flat] = table.scores
    return cube


def _choose(
    systems: Sequence[str], include: Sequence[str], exclude: Sequence[str], source: str
) -> tuple[list[int], list[str]]:
    for asked in (*include, *exclude):
        if asked not in systems:
            raise InputError(f"no system '{asked}' in {source}; there are {listed(systems)}")
    kept = [
        i
        for i, system in enumerate(systems)
        if (not include or system in include) and system not in exclude
    ]
    left_out = [system for i, system in enumerate(systems) if i not in kept]
    return kept, left_out


def _segment_labels(table: _LongTable, name: str) -> list[str] | None:
    if name not in table.of_segment:
        return None
    return [table.of_segment[name][i] for i in range(len(table.labels["segment"]))]
