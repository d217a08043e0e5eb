"""Rows of long tables as arrays (scorer, system, segment), and labels of segments."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.readers.column_types import Columns
from supersample.readers.text import listed, shortened

SPARSEST = 1000  # places for a score for each row of the table, and no memory for more
AXES = ("scorer", "system", "segment")
_, SYSTEM, SEGMENT = AXES


def fill_cube(columns: Columns) -> NDArray[np.float64]:
    """Scores as an array (scorer, system, segment), NaN where there is no row.

    Raises
    ------
    InputError
        If a place has two scores, with the row of the second, or nearly all have none.
    """
    scores = columns.numbers["score"]
    shape = [len(columns.names[name]) for name in AXES]
    if math.prod(shape) > SPARSEST * max(scores.size, SPARSEST):
        raise InputError(
            f"{columns.source}: only {scores.size} rows for {shape[1]} systems, {shape[2]} "
            f"segments and {shape[0]} scorers; does each label stand in its own column, and do "
            "systems share the labels of segments?"
        )
    flat = np.ravel_multi_index([columns.codes[name] for name in AXES], shape)
    rows = np.arange(flat.size)
    last = np.zeros(math.prod(shape), dtype=np.int64)
    last[flat] = rows
    if (last[flat] != rows).any():
        _, first = np.unique(flat, return_index=True)
        repeated = int(np.setdiff1d(rows, first)[0])
        names = [columns.names[name][columns.codes[name][repeated]] for name in AXES]
        scorer, system, segment = map(shortened, names)
        raise InputError(
            f"{columns.where(repeated)}: a second score of '{scorer}' for system '{system}', "
            f"segment '{segment}'"
        )
    cube = np.full(shape, np.nan)
    cube.ravel()[flat] = scores
    return cube


def segment_labels(columns: Columns, name: str) -> list[str] | None:
    """Label of each segment, such as its document; None where the table has none.

    Raises
    ------
    InputError
        If two rows of a segment disagree, with the later one.
    """
    if name not in columns.codes:
        return None
    segments, labels = columns.codes[SEGMENT], columns.codes[name]
    first = np.zeros(len(columns.names[SEGMENT]), dtype=np.int64)
    first[segments[::-1]] = np.arange(segments.size - 1, -1, -1)
    of_segment = labels[first]
    wrong = np.flatnonzero(of_segment[segments] != labels)
    if wrong.size:
        row = int(wrong[0])
        here, earlier = columns.names[name][labels[row]], labels[first[segments[row]]]
        raise InputError(
            f"{columns.where(row)}: segment '{shortened(columns.names[SEGMENT][segments[row]])}' "
            f"has {name} '{shortened(here)}' here and "
            f"'{shortened(columns.names[name][earlier])}' earlier"
        )
    return [columns.names[name][code] for code in of_segment]


def choose_systems(
    systems: Sequence[str], only: Sequence[str], exclude: Sequence[str], source: str
) -> tuple[list[int], list[str]]:
    """Positions of systems to keep, and names of those left out.

    Raises
    ------
    InputError
        If a system named is not there.
    """
    for asked in (*only, *exclude):
        if asked not in systems:
            raise InputError(f"no system '{asked}' in {source}; there are {listed(systems)}")
    kept = [
        i
        for i, system in enumerate(systems)
        if (not only or system in only) and system not in exclude
    ]
    left_out = [system for i, system in enumerate(systems) if i not in kept]
    return kept, left_out
