"""Rows of several files as one table, and the rows of it that are asked for."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.readers.column_types import Columns
from supersample.readers.text import listed


def join_columns(files: Sequence[Columns]) -> Columns:
    """Columns of several files, one after the other; a label that a file lacks is empty there."""
    sizes = [columns.numbers["score"].size for columns in files]
    starts = np.cumsum([0, *sizes])
    labels = list(dict.fromkeys(name for columns in files for name in columns.names))
    names: dict[str, list[str]] = {}
    codes: dict[str, NDArray[np.int64]] = {}
    for label in labels:
        known: dict[str, int] = {}
        parts = []
        for columns, size in zip(files, sizes, strict=True):
            own = columns.names.get(label, [""])
            new = np.array([known.setdefault(name, len(known)) for name in own], dtype=np.int64)
            parts.append(new[columns.codes.get(label, np.zeros(size, dtype=np.int64))])
        names[label], codes[label] = list(known), np.concatenate(parts)

    def where(row: int) -> str:
        file = bisect_right(starts.tolist(), row) - 1
        return files[file].where(row - int(starts[file]))

    source = files[0].source if len(files) == 1 else f"{files[0].source} and {len(files) - 1} more"
    scores = np.concatenate([columns.numbers["score"] for columns in files])
    return Columns(source, names, codes, {"score": scores}, where)


def rows_of(columns: Columns, chosen: NDArray[np.bool_]) -> Columns:
    """Keep some rows, and of the labels those that these have, in order of appearance."""
    rows = np.flatnonzero(chosen)
    names, codes = {}, {}
    for label, own in columns.codes.items():
        used, first, inverse = np.unique(own[rows], return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(order.size)
        names[label] = [columns.names[label][used[i]] for i in order]
        codes[label] = place[inverse]
    scores = columns.numbers["score"][rows]
    return replace(
        columns,
        names=names,
        codes=codes,
        numbers={"score": scores},
        where=lambda row: columns.where(int(rows[row])),
    )


def rows_with(columns: Columns, label: str, asked: str | None) -> Columns:
    """Keep the rows of one language pair or test set: that asked for, or the only one.

    Raises
    ------
    InputError
        If it is not there, or several are and none was asked for.
    """
    there = columns.names[label]
    if asked is None and len(there) > 1:
        raise InputError(f"{columns.source} has several {label}s: name one of {listed(there)}")
    if asked is not None and asked not in there:
        raise InputError(f"no {label} '{asked}' in {columns.source}; there is {listed(there)}")
    wanted = there.index(asked) if asked is not None else 0
    return rows_of(columns, columns.codes[label] == wanted) if len(there) > 1 else columns


def renamed(columns: Columns, label: str, new: dict[str, str]) -> Columns:
    """Give labels other names; labels that get the same name become one."""
    known: dict[str, int] = {}
    codes = np.array(
        [known.setdefault(new.get(name, name), len(known)) for name in columns.names[label]],
        dtype=np.int64,
    )
    return replace(
        columns,
        names={**columns.names, label: list(known)},
        codes={**columns.codes, label: codes[columns.codes[label]]},
    )
