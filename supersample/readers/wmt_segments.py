"""Segments of metrics-task files: their order, their labels, and human scores placed on them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError, listed
from supersample.readers.columns import Columns, fill_cube, label_pairs, renamed, rows_of
from supersample.readers.score_files import read_human_table
from supersample.scores.names import match_names

Place = tuple[str, str]
"""Document and segment; the document is empty where files name none."""


def segment_places(files: Sequence[Columns]) -> list[Place]:
    """Every (document, segment) of the files, once, in order of appearance."""
    places: dict[Place, None] = {}
    for columns in files:
        pairs, codes = label_pairs(columns, "document", "segment")
        _, first = np.unique(codes, return_index=True)
        places |= dict.fromkeys(pairs[i] for i in np.argsort(first))
    return list(places)


def ordered_places(files: Sequence[Columns]) -> tuple[list[Place], str]:
    """Segments in the order of the test set, and which files tell it.

    A file tells it where each document is in one piece, its segments in order. A file whose
    documents are sorted by name tells nothing if another is not: sorting has lost the order.
    """
    places = segment_places(files)
    orders: dict[tuple[str, ...], list[str]] = {}
    for columns in files:
        in_file = segment_places([columns])
        documents = list(dict.fromkeys(document for document, _ in in_file))
        rank = {document: i for i, document in enumerate(documents)}
        keys = [(rank[document], _number(segment)) for document, segment in in_file]
        if len(in_file) == len(places) and keys == sorted(keys):
            orders.setdefault(tuple(documents), []).append(columns.source)
    telling = {order: sources for order, sources in orders.items() if list(order) != sorted(order)}
    chosen = telling or orders
    if len(chosen) > 1:
        first, second = (sources[0] for sources in list(chosen.values())[:2])
        raise InputError(f"{first} and {second} have the documents in different orders; name one")
    if not chosen:
        return places, "of the first file"
    [(order, sources)] = chosen.items()
    rank = {document: i for i, document in enumerate(order)}
    places.sort(key=lambda place: (rank[place[0]], _number(place[1])))
    return places, f"of {len(sources)} of {len(files)} files"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.inf


def label_of(place: Place) -> str:
    """Label of a segment: its document, if it names one, and its number in it."""
    return ":".join(filter(None, place))


def with_documents(columns: Columns) -> Columns:
    """Rows whose segments are labelled by document and number together, if they have documents."""
    if "document" not in columns.names:
        return columns
    pairs, codes = label_pairs(columns, "document", "segment")
    return columns.with_label("segment", [label_of(pair) for pair in pairs], codes)


def human_array(
    path: str | Path, systems: Sequence[str], segments: Sequence[str], around: Sequence[str]
) -> tuple[str, NDArray[np.float64], dict[str, str], str]:
    """Human scores of these systems and segments, names matched, and segments not among them."""
    name, table = read_human_table(path)
    new = match_names(table.names["system"], systems, around)
    table = renamed(table, "system", new)
    if "document" in table.names:
        table = with_documents(table)
        table = rows_of(table, np.ones(table.numbers["score"].size, dtype=bool))
    elif not set(table.names["segment"]) & set(segments):
        counted = {str(i): label for i, label in enumerate(segments, start=1)}
        table = renamed(table, "segment", counted)
    place = {segment: i for i, segment in enumerate(segments)}
    unknown = [segment for segment in table.names["segment"] if segment not in place]
    if len(unknown) == len(table.names["segment"]):
        raise InputError(
            f"{path}: none of its segments is one of the metrics'; it has "
            f"{listed(table.names['segment'], 3)}, they have {listed(segments, 3)}"
        )
    cube = fill_cube(table.with_scorer(name))[0]
    people = np.full((len(systems), len(segments)), np.nan)
    columns = [i for i, s in enumerate(table.names["segment"]) if s in place]
    at = [place[table.names["segment"][i]] for i in columns]
    for i, system in enumerate(systems):
        if system in table.names["system"]:
            people[i, at] = cube[table.names["system"].index(system), columns]
    foreign = [s for s in table.names["system"] if s not in systems]
    left_out = [f"{len(unknown)} ({listed(unknown, 5)})"] if unknown else []
    left_out += [f"those of {listed(foreign)}, which no metric scored"] if foreign else []
    return name, people, new, ", ".join(left_out)
