"""Reader of quality estimation: predictions of segments' quality, and gold standards.

Two layouts, text with tabs or commas, told apart by the header:

- that of WMT's shared task, ``METRIC SID SCORE RANK HUMAN``: system, segment, prediction, rank
  (not used), and the gold label, the same in the rows of every system;
- a long table, ``system segment score`` and optionally ``trained_on``: one row for each number.
  Some of the names in the column ``system`` are gold standards, one perhaps the length in words.
  In a table that has a column ``scorer`` besides (as `read_table` takes), the scorers predict, and
  what they predict for is the translation of a segment by a system.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.readers.column_types import Columns, Wanted
from supersample.readers.columns import read_columns
from supersample.readers.text import listed, shortened
from supersample.scores.predictions import make_predictions

SPARSEST = 1000  # places for a number for each row of the table, and no memory for more
_WMT = ("metric", "sid", "score", "human")


def read_predictions(
    path: str | Path, *, gold: Sequence[str] = (), length: str | None = None
) -> xr.Dataset:
    """Read Predictions from WMT's quality estimation layout or from a long table.

    Parameters
    ----------
    path : str or Path
        The file; "-" reads text from standard input. A name that ends in .parquet is Parquet,
        any other text; tabs in its first line are the delimiter, else commas.
    gold : sequence of str, default ("human",)
        Of a long table, the names that are gold standards. Of WMT's layout, what to call its one.
    length : str, optional
        Of a long table, the name that is the length of translations, in words.

    Returns
    -------
    xarray.Dataset
        Predictions. A number left empty, or None, NA or NaN, is missing, as is a row that is not
        there.

    Raises
    ------
    InputError
        With file and line, if a column is missing or there twice, a row is too short or long, a
        name is empty, a number is none or infinite, a segment has two predictions of a system or
        two gold labels, or a system two kinds of labels it was trained on; or if a named gold
        standard is not there.

    Examples
    --------
    >>> read_predictions("nowhere.tsv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.tsv
    """
    columns = read_columns(path, _choose)
    if not columns.numbers["score"].size:
        raise InputError(f"{columns.source} has a header but no rows")
    if "metric" in columns.names:
        return _wmt(columns, list(gold), length)
    return _long(columns, list(gold or ["human"]), length)


def _choose(source: str, header: Sequence[str]) -> Wanted:
    if "metric" in header or "sid" in header:
        wanted = Wanted(("metric", "sid"), (), ("score", "human"))
    else:
        notes = ("trained_on",) if "trained_on" in header else ()
        own = ("system", "segment", "scorer") if "scorer" in header else ("system", "segment")
        wanted = Wanted(own, notes, ("score",))
    for name in (*wanted.labels, *wanted.notes, *wanted.numbers):
        if name not in header:
            raise InputError(
                f"{source}, line 1: no column '{name}'; the header is METRIC SID SCORE RANK HUMAN, "
                "or system segment score and perhaps trained_on; here it has "
                f"{listed(header) or 'nothing'}"
            )
        if header.count(name) > 1:
            raise InputError(f"{source}, line 1: there are several columns '{name}'")
    return wanted


def _wmt(columns: Columns, gold: list[str], length: str | None) -> xr.Dataset:
    if length is not None:
        raise InputError(f"{columns.source}: this layout has no lengths; a long table may")
    if len(gold) > 1:
        raise InputError(f"{columns.source}: this layout has one gold standard, not {listed(gold)}")
    segment, human = columns.codes["sid"], columns.numbers["human"]
    labels = np.full(len(columns.names["sid"]), np.nan)
    labels[segment[::-1]] = human[::-1]  # the first row of each segment decides
    known = labels[segment]
    differing = np.flatnonzero((known != human) & ~(np.isnan(known) & np.isnan(human)))
    if differing.size:
        row = int(differing[0])
        name = shortened(columns.names["sid"][segment[row]])
        raise InputError(
            f"{columns.where(row)}: segment '{name}' has the gold label {human[row]:g} here and "
            f"{known[row]:g} earlier"
        )
    return make_predictions(
        _fill(columns, "metric", segment, columns.names["sid"]),
        labels[np.newaxis],
        systems=columns.names["metric"],
        gold=gold or ["human"],
        segments=columns.names["sid"],
        attrs={"source": columns.source},
    )


def _long(columns: Columns, gold: list[str], length: str | None) -> xr.Dataset:
    who = "scorer" if "scorer" in columns.names else "system"
    names = columns.names[who]
    for name in (*gold, *([] if length is None else [length])):
        if name not in names:
            raise InputError(f"no {who} '{name}' in {columns.source}; there are {listed(names)}")
    if len(set(gold)) < len(gold) or length in gold:
        raise InputError("gold standards, and the length, are different columns; name each once")
    segment, segments = columns.codes["segment"], columns.names["segment"]
    if who == "scorer":
        segment, segments = _translations(columns)
    cube = _fill(columns, who, segment, segments)
    systems = [i for i, name in enumerate(names) if name not in (*gold, length)]
    if not systems:
        raise InputError(f"{columns.source} has no {who} but the gold standards; none predicts")
    trained_on = _trained_on(columns, who) if "trained_on" in columns.names else None
    return make_predictions(
        cube[systems],
        cube[[names.index(name) for name in gold]],
        systems=[names[i] for i in systems],
        gold=gold,
        segments=segments,
        length=None if length is None else cube[names.index(length)],
        trained_on=None if trained_on is None else [trained_on[i] for i in systems],
        attrs={"source": columns.source},
    )


def _translations(columns: Columns) -> tuple[NDArray[np.int64], list[str]]:
    """Code the (system, segment) of each row, and name them 'system/segment'."""
    count = len(columns.names["segment"])
    both = columns.codes["system"] * count + columns.codes["segment"]
    there, codes = np.unique(both, return_inverse=True)
    systems, segments = columns.names["system"], columns.names["segment"]
    return codes, [f"{systems[code // count]}/{segments[code % count]}" for code in there]


def _fill(
    columns: Columns, who: str, segment: NDArray[np.int64], segments: Sequence[str]
) -> NDArray[np.float64]:
    """Scores as an array (who, segment), NaN where there is no row."""
    names, codes = columns.names[who], columns.codes[who]
    shape = (len(names), len(segments))
    if math.prod(shape) > SPARSEST * max(codes.size, SPARSEST):
        raise InputError(
            f"{columns.source}: only {codes.size} rows for {shape[0]} systems and {shape[1]} "
            "segments; does each name stand in its own column, and do systems share segments?"
        )
    flat = codes * shape[1] + segment
    if np.bincount(flat).max() > 1:
        _, first = np.unique(flat, return_index=True)
        row = int(np.setdiff1d(np.arange(flat.size), first)[0])
        raise InputError(
            f"{columns.where(row)}: a second score of '{shortened(names[codes[row]])}' for segment "
            f"'{shortened(segments[segment[row]])}'"
        )
    cube = np.full(shape, np.nan)
    cube.ravel()[flat] = columns.numbers["score"]
    return cube


def _trained_on(columns: Columns, who: str) -> list[str]:
    """Labels that each one was trained on, as its first row says."""
    noted, codes = columns.codes["trained_on"], columns.codes[who]
    first = np.zeros(len(columns.names[who]), dtype=np.int64)
    first[codes[::-1]] = noted[::-1]
    differing = np.flatnonzero(noted != first[codes])
    texts = columns.names["trained_on"]
    if differing.size:
        row = int(differing[0])
        raise InputError(
            f"{columns.where(row)}: '{shortened(columns.names[who][codes[row]])}' is trained on "
            f"'{texts[noted[row]]}' here and '{texts[first[codes[row]]]}' earlier; two systems "
            "have two names"
        )
    return [texts[code] for code in first]
