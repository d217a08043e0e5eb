"""Scores of whole systems, for sets without scores of segments, and of systems or hybrids."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np
import xarray as xr

from supersample.errors import InputError, check_names, listed, quoted
from supersample.readers.columns import (
    Columns,
    choose_systems,
    fill_cube,
    join_matched,
    make_dataset,
    of_pair,
    rows_of,
    rows_with,
)
from supersample.readers.table_files import (
    TABLES,
    TEXTS,
    Text,
    Wanted,
    lowered,
    read_columns,
    text_and_header,
)
from supersample.readers.tables import human_name, systems_wanted
from supersample.readers.text import checked_file, data_suffix, number, read_raw
from supersample.readers.wmt import SYSTEM_LAYOUTS, read_score_file, score_files

SUFFIXES = (".sys.score", ".sys.score.gz")
_HEADER = ("metric", "language pair", "test set", "system")
_MEANINGS = {"lp": "language pair", "testset": "test set", "data": "test set"}


def read_system_scores(
    files: str | Path | Sequence[str | Path],
    *,
    human: str = "HUMAN",
    language_pair: str | None = None,
    test_set: str | None = None,
    reference: str | None = None,
    lower_is_better: Sequence[str] = (),
    only: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> xr.Dataset:
    """Read system-level human and metric scores: WMT12's and WMT15's tables, or ``.sys.score``.

    Parameters
    ----------
    files : str, Path or sequence of them
        Tables with the header ``METRIC LP TESTSET SYSTEM SCORE`` (or DATA) and perhaps ``HUMAN``,
        or with a row for each system and a column for each scorer, files without a header as the
        metrics task has them, or folders of ``.sys.score`` files.
    human : str, default "HUMAN"
        The scorer that holds the human scores; what to call the column ``HUMAN`` if there is one.
        Of a column for each scorer also the only one that is called as human scores are.
    language_pair, test_set, reference : str, optional
        Needed where the files have several.
    lower_is_better : sequence of str
        Scorers whose higher scores mean worse translations, the human one perhaps among them.
    only, exclude : sequence of str
        Systems to keep (all when empty), and to leave out.

    Returns
    -------
    xarray.Dataset
        As `make_system_scores` gives: correlations, intervals and tests take it. There are no
        hybrids of it, since there are no segments to mix. Systems without a human score, and
        metrics that have no score for one of the systems left, are left out and named
        (``systems_left_out``, ``metrics_left_out``).

    Raises
    ------
    InputError
        With file and line, if a file is malformed or a system has two scores of one scorer; or if
        the files lack what was named, or something must be named.

    Examples
    --------
    >>> read_system_scores("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    rows, matched = _read_rows(files, human, language_pair, test_set, reference)
    cube = fill_cube(rows, ("metric", "system"))
    check_names("scorer", [human], rows.names("metric"), f"{rows.source}, nor a column HUMAN")
    people, scores = cube.sel(metric=human), cube.drop_sel(metric=human)
    of_metrics = rows.frame[rows.frame["metric"] != human].sort_values("metric", kind="stable")
    named = dict.fromkeys([*of_metrics["system"], *rows.names("system")])
    scored = [
        name for name in of_metrics["system"].unique() if name in people.dropna("system")["system"]
    ]
    source = f"{rows.names('test set')[0]} {rows.names('language pair')[0]}".strip()
    systems, left_out = choose_systems(scored, only, exclude, source)
    left_out += [f"{name} (no human or no metric score)" for name in named if name not in scored]
    gaps = {
        name: row.index[row.isna()]
        for name, row in scores.sel(system=systems).to_pandas().iterrows()
    }
    metrics = [name for name, missing in gaps.items() if not len(missing)]
    incomplete = [f"{m} (no score for {listed(out, 3)})" for m, out in gaps.items() if len(out)]
    if len(systems) < 2 or not metrics:
        raise InputError(
            f"{source}: {len(systems)} systems have a human score, and {len(metrics)} metrics "
            "have scores of them all; at least 2 and 1 are needed"
        )
    check_names("scorer", lower_is_better, [human, *gaps])
    return make_dataset(
        people.sel(system=systems),
        scores.sel(metric=metrics, system=systems),
        lower_is_better,
        {
            "source": source,
            "human": human,
            "reference": reference or None,
            "systems_left_out": ", ".join(left_out),
            "metrics_left_out": ", ".join(incomplete),
            "names_matched": ", ".join(f"{a} = {b}" for a, b in matched.items()),
        },
        human_higher_is_better=human not in lower_is_better,
    )


def _read_rows(
    files: str | Path | Sequence[str | Path],
    human: str,
    language_pair: str | None,
    test_set: str | None,
    reference: str | None,
) -> tuple[Columns, dict[str, str]]:
    """Read files of one language pair, with names of systems matched between them."""
    read = [_read_file(path, human) for path in score_files(files, SUFFIXES)]
    parts = of_pair([part for file in read for part in file], language_pair)
    rows, _, matched = join_matched(parts, ["system"], language_pair, test_set)
    references = filter(None, rows.names("reference") if "reference" in rows.frame else [])
    if len([*references]) > 1 or reference:
        rows = rows_with(rows, "reference", reference)
    if max(map(len, read)) > 1:  # a column of human scores repeats them for every metric
        again = rows.frame.duplicated(["metric", "system", "score"])
        rows = rows_of(rows, ~np.asarray(again & (rows.frame["metric"] == human)))
    return rows, matched


def _read_file(path: Path, human: str) -> list[Columns]:
    """Rows of metrics, and those of a column of human scores if there is one."""
    text = Text.plain(path, "", header=True)
    header = [_MEANINGS.get(name, name) for name in lowered(text.first())]
    if "metric" not in header or "score" not in header:
        if data_suffix(path) in TABLES:
            return [_wide(path, human)]
        return [read_score_file(path, SYSTEM_LAYOUTS)]
    if not {*_HEADER, "score"} <= {*header} or len(set(header)) < len(header):
        raise InputError(
            f"{text.source}, line 1: the header is METRIC LP TESTSET SYSTEM SCORE and perhaps "
            f"HUMAN, here it has {listed(header)}"
        )
    numbers = {name: name for name in ("score", "human") if name in header}
    columns = text.columns(header, Wanted({name: name for name in _HEADER}, numbers=numbers))
    if "human" not in header:
        return [columns]
    if human in columns.names("metric"):
        raise InputError(
            f"{text.source}: {quoted(human)} is a metric, and there is a column HUMAN besides"
        )
    scores = columns.frame.assign(score=columns.frame["human"])
    return [columns, replace(columns, frame=scores).with_one("metric", human)]


def _wide(path: Path, human: str) -> Columns:
    """Rows of a table with a column for each scorer, the human one by the name asked for."""
    columns = read_columns(path, systems_wanted)
    names = columns.names("scorer")
    people = human_name(names, None if human == "HUMAN" else human, columns.source)
    metrics = [human if name == people else name for name in names]
    columns = columns.with_label("metric", metrics, columns.codes("scorer"))
    return columns.with_one("test set", path.stem).with_one("language pair", "")


def read_score_columns(
    path: str | Path, *, key: Literal["hybrid", "system"]
) -> dict[str, dict[str, float]]:
    """Read a CSV or TSV file with one row for each hybrid or system.

    Parameters
    ----------
    path : str or Path
        The file, whose header names `key` and the metrics.
    key : {"hybrid", "system"}
        The column that says whose scores a row has: the number of a hybrid, or a system's name.

    Returns
    -------
    dict of str to dict of str to float
        The scores of each metric, by key.

    Raises
    ------
    InputError
        With file and line, if a column is missing or repeated, a row is too short or long, a key
        is no number of a hybrid or occurs twice, or a score is no finite number.

    Examples
    --------
    >>> read_score_columns("nowhere.csv", key="hybrid")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    path = checked_file(path)
    if path.suffix.lower() not in TEXTS:
        raise InputError(f"{path}: a table of scores ends in .csv or .tsv")
    text, found = text_and_header(*read_raw(path))
    header = found.written
    if header.count(key) != 1 or len(set(header)) < len(header) or len(header) < 2:
        raise InputError(
            f"{path}, line 1: the header names '{key}' and metrics, each once; here it has "
            f"{listed(header) or 'nothing'}"
        )
    scores: dict[str, dict[str, float]] = {name: {} for name in header if name != key}
    for where, row in islice(text.rows(), 1, None):
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        label = cells.pop(key)
        if key == "hybrid":
            if not (label.isascii() and label.isdecimal() and len(label) < 19):
                raise InputError(f"{where}: {quoted(label)} is no number of a hybrid")
            label = str(int(label))
        for metric, cell in cells.items():
            if label in scores[metric]:
                raise InputError(f"{where}: a second row of {key} {quoted(label)}")
            scores[metric][label] = number(where, cell, ())
    return scores
