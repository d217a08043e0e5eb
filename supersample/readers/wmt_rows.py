"""Rows of metrics-task files as scorers and segments, and human scores set beside them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.readers.column_types import Columns
from supersample.readers.cubes import fill_cube
from supersample.readers.human_tables import one_scorer, read_human_table
from supersample.readers.joined import renamed, rows_with
from supersample.readers.segment_order import Place
from supersample.readers.text import listed
from supersample.scores.names import match_names


def with_reference(columns: Columns, reference: str | None) -> tuple[Columns, list[str]]:
    """Rows with the reference asked for, their metrics as scorers, and metrics without any."""
    left_out: list[str] = []
    if "reference" in columns.names and reference != "all":
        rows = rows_with(columns, "reference", reference)
        without = [name for name in columns.names["metric"] if name not in rows.names["metric"]]
        left_out = [f"{name} (no scores with {reference})" for name in without]
        columns = rows
    elif reference not in (None, "all"):
        raise InputError(f"{columns.source} names no references; leave out '{reference}'")
    metrics = columns.names["metric"]
    if reference != "all" or "reference" not in columns.names:
        names, codes = metrics, columns.codes["metric"]
    else:
        references = columns.names["reference"]
        both = columns.codes["metric"] * len(references) + columns.codes["reference"]
        pairs, codes = np.unique(both, return_inverse=True)
        of_metric = [int(pair) // len(references) for pair in pairs]
        names = [
            metrics[m]
            if of_metric.count(m) == 1
            else f"{metrics[m]}:{references[int(pair) % len(references)]}"
            for m, pair in zip(of_metric, pairs, strict=True)
        ]
    return Columns(
        columns.source,
        {**columns.names, "scorer": names},
        {**columns.codes, "scorer": codes.astype(np.int64)},
        columns.numbers,
        columns.where,
    ), left_out


def label_of(place: Place) -> str:
    """Label of a segment: its document, if it names one, and its number in it."""
    return ":".join(filter(None, place))


def segments_named(columns: Columns, places: Sequence[Place]) -> Columns:
    """Rows whose segments are named by document and number together."""
    if not places[0][0]:
        return columns
    segments = columns.names["segment"]
    both = columns.codes["document"] * len(segments) + columns.codes["segment"]
    used, codes = np.unique(both, return_inverse=True)
    documents = columns.names["document"]
    names = [
        label_of((documents[int(c) // len(segments)], segments[int(c) % len(segments)]))
        for c in used
    ]
    return Columns(
        columns.source,
        {**columns.names, "segment": names},
        {**columns.codes, "segment": codes.astype(np.int64)},
        columns.numbers,
        columns.where,
    )


def human_array(
    path: str | Path, systems: Sequence[str], segments: Sequence[str], around: Sequence[str]
) -> tuple[str, NDArray[np.float64], dict[str, str], str]:
    """Human scores of these systems and segments, names matched, and segments not among them."""
    name, table = read_human_table(path)
    new = match_names(table.names["system"], systems, around)
    table = renamed(table, "system", new)
    if "document" in table.names:
        both = _labels_of_rows(table)
        table = _renamed_rows(table, both)
    elif not set(table.names["segment"]) & set(segments):
        counted = {str(i): label for i, label in enumerate(segments, start=1)}
        table = renamed(table, "segment", {s: counted.get(s, s) for s in table.names["segment"]})
    known = set(segments)
    unknown = [segment for segment in table.names["segment"] if segment not in known]
    if len(unknown) == len(table.names["segment"]):
        raise InputError(
            f"{path}: none of its segments is one of the metrics'; it has "
            f"{listed(table.names['segment'], 3)}, they have {listed(segments, 3)}"
        )
    cube = fill_cube(one_scorer(table, name))[0]
    people = np.full((len(systems), len(segments)), np.nan)
    columns = [i for i, s in enumerate(table.names["segment"]) if s in known]
    place = {segment: i for i, segment in enumerate(segments)}
    at = [place[table.names["segment"][i]] for i in columns]
    for i, system in enumerate(systems):
        if system in table.names["system"]:
            people[i, at] = cube[table.names["system"].index(system), columns]
    foreign = [s for s in table.names["system"] if s not in systems]
    said = [f"{len(unknown)} ({listed(unknown, 5)})"] if unknown else []
    said += [f"those of {listed(foreign)}, which no metric scored"] if foreign else []
    return name, people, new, ", ".join(said)


def _labels_of_rows(table: Columns) -> list[str]:
    """Document and segment of each row, as one label."""
    documents, segments = table.names["document"], table.names["segment"]
    pairs = zip(table.codes["document"], table.codes["segment"], strict=True)
    return [label_of((documents[d], segments[s])) for d, s in pairs]


def _renamed_rows(table: Columns, labels: Sequence[str]) -> Columns:
    """Give each row's segment the label that stands for it."""
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64)
    return Columns(
        table.source,
        {**table.names, "segment": list(known)},
        {**table.codes, "segment": codes},
        table.numbers,
        table.where,
    )
