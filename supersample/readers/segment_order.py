"""The order of a test set's segments, where files name a document and a number within it."""

from collections.abc import Sequence

import numpy as np

from supersample.errors import InputError
from supersample.readers.column_types import Columns

Place = tuple[str, str]
"""Document and segment."""


def segment_places(files: Sequence[Columns]) -> list[Place]:
    """Every (document, segment) of the files, once, in order of appearance."""
    places: dict[Place, None] = {}
    for columns in files:
        documents = columns.names.get("document", [""])
        segments = columns.names["segment"]
        of_row = columns.codes.get("document", np.zeros(columns.numbers["score"].size, np.int64))
        both = of_row * len(segments) + columns.codes["segment"]
        _, first = np.unique(both, return_index=True)
        for row in np.sort(first):
            code = int(both[row])
            places[documents[code // len(segments)], segments[code % len(segments)]] = None
    return list(places)


def ordered_places(files: Sequence[Columns]) -> tuple[list[Place], str]:
    """Segments in the order of the test set, and which files say so.

    A file says so where each document stands in one piece, its segments in order. One whose
    documents are sorted by name tells nothing if another is not: sorting has lost the order.

    Raises
    ------
    InputError
        If two files disagree.
    """
    places = segment_places(files)
    orders: dict[tuple[str, ...], list[str]] = {}
    for columns in files:
        own = segment_places([columns])
        documents = list(dict.fromkeys(document for document, _ in own))
        rank = {document: i for i, document in enumerate(documents)}
        keys = [(rank[document], _number(segment)) for document, segment in own]
        if len(own) == len(places) and keys == sorted(keys):
            orders.setdefault(tuple(documents), []).append(columns.source)
    telling = {order: said for order, said in orders.items() if list(order) != sorted(order)}
    chosen = telling or orders
    if len(chosen) > 1:
        first, second = (said[0] for said in list(chosen.values())[:2])
        raise InputError(f"{first} and {second} have the documents in different orders; name one")
    if not chosen:
        return places, "of the first file"
    [(order, said)] = chosen.items()
    rank = {document: i for i, document in enumerate(order)}
    places.sort(key=lambda place: (rank[place[0]], _number(place[1])))
    return places, f"of {len(said)} of {len(files)} files"


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.inf
