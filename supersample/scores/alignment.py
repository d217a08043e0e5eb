"""Match the systems and segments of a file, or its lines, to those of Scores.

Every reader that adds scores to other Scores aligns them here. If files write a system's name
differently, names are matched where exactly one fits. Labels of segments that only seem to match,
because one file counts from 0 and the other from 1, are refused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError, WholeSystemsError, check_alike, listed, visible

# Attribute of Scores: why the order of their segments differs from the test set's order.
UNORDERED = "segments_unordered"
_TELLING = 3  # fewer matching segments may match by chance
_NUMBER = re.compile(r"(.*?)([0-9]{1,15})(\.0)?", re.ASCII)
_RUN = re.compile(r"(?<=[^\W\d_])\.(0|[0-9]{2,})$")  # "Online-A.1574", but not "gpt-4.1"
TABLE = "write a table with the columns system, segment and score"
OF_WHOLE = (
    "no segments, so one score of each system, where scores of segments are needed; rank and "
    f"compare take it (r over systems, without --measure); otherwise {TABLE}"
)


def lines_of_segments(scores: xr.Dataset, count: int, what: str) -> tuple[NDArray[np.int64], str]:
    """Find the line (from 0) of each segment of the Scores, and say how it was found.

    Segments are placed by the numbers in their labels, in whatever order the Scores are: "seg-17"
    is line 17 if segments are counted from 0, and line 16 if they are counted from 1. If numbers
    have gaps and the file has one line per segment, lines are in the order of the numbers. If
    labels are not numbers, lines are in the order of the Scores, if that is the order of the test
    set.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    count : int
        Number of lines of the file; one line per segment.
    what : str
        Name of the lines, for the error message.

    Returns
    -------
    tuple of numpy.ndarray and str
        Lines, shape (segments,), and a text such as "by segment numbers, line 1 being segment 0".

    Raises
    ------
    InputError
        If the number of lines does not fit, or they fit in more than one way.

    Examples
    --------
    >>> from supersample import make_scores
    >>> scores = make_scores(
    ...     [[1.0, 2], [3, 4]],
    ...     [[[1.0, 2], [3, 4]]],
    ...     systems=["A", "B"],
    ...     metrics=["m"],
    ...     segments=["2", "0"],
    ... )
    >>> lines_of_segments(scores, 3, "scores.txt")
    (array([2, 0]), 'by segment numbers, line 1 being segment 0')
    """
    labels = [str(label) for label in scores["segment"].to_numpy()]
    if count == 1 < len(labels):
        raise WholeSystemsError(f"{what}: {OF_WHOLE}")
    numbers = segment_numbers(labels)
    if numbers is None:
        return _in_order(labels, count, what, str(scores.attrs.get(UNORDERED, "")))
    first, last = int(numbers.min()), int(numbers.max())
    fits = f"{what}: {count:,} lines for {len(labels)} segments, {first} to {last}"
    if first == 0 and count > last:
        return numbers, "by segment numbers, line 1 being segment 0"
    if first > 0 and count == last:
        return numbers - 1, "by segment numbers, line 1 being segment 1"
    if count == len(labels):
        if (np.diff(numbers) < 0).any():
            raise InputError(
                f"{fits}, which have another order here, so lines may follow the numbers or this "
                f"order; {TABLE}"
            )
        return np.arange(count), "in the order of segment numbers"
    if count > last:
        raise InputError(f"{fits}: line 1 may be segment 0 or segment 1; {TABLE}")
    raise InputError(f"{fits}: give a line for each, or {TABLE}")


def align(found: xr.DataArray, scores: xr.Dataset, what: str) -> tuple[Floats, str]:
    """Place scores of a file at the systems and segments of Scores; see `match_names`.

    Also says which names were matched, and what the Scores lack.

    Raises
    ------
    InputError
        If the file has none of them, or counts segments from another number.
    """
    to = {str(dim): labels_of(scores, str(dim)) for dim in found.dims}
    names = labels_of(found, "system")
    matched = match_names(names, to["system"])
    renamed = [matched.get(name, name) for name in names]
    found = found.assign_coords(system=np.array(renamed, dtype=object))
    others = [name for name in renamed if name not in to["system"]]
    unused = [f"systems {listed(others, 5)}"] if others else []
    note = f"; matched {matched_text(matched)}" if matched else ""
    if "segment" in to:
        segments, existing = labels_of(found, "segment"), set(to["segment"])
        check_alike(f"{what}, the segment", [*segments, *to["segment"]])
        if moved := _counted_otherwise(segments, to["segment"]):
            note += f"; segments are counted otherwise: {segments[0]} there is {moved[0]} here"
            segments = moved
            found = found.assign_coords(segment=np.array(segments, dtype=object))
        check_numbering(what, segments, to["segment"])
        segments = [label for label in segments if label not in existing]
        unused += [f"{len(segments)} segments ({listed(segments, 5)})"] if segments else []
    values = found.reindex(to)
    if values.isnull().all():
        had = f"{what}: no score of these systems and segments; it has {listed(names, 3)}"
        raise InputError(f"{had}, they are {listed(to['system'], 3)}")
    return values.to_numpy(), note + f"; not in these data: {', '.join(unused)}" * bool(unused)


def labels_of(scores: xr.Dataset | xr.DataArray, dim: str) -> list[str]:
    """Labels along a dimension."""
    return [str(label) for label in scores[dim].to_numpy()]


def check_numbering(
    what: str, found: Sequence[str], existing: Sequence[str], others: str = "the scores"
) -> None:
    """Refuse segments of a file that are counted from another number than the others.

    That is so if more labels would match after a shift, or if the file begins at 0 and the others
    at 1.
    """
    here, there = _numbered(found), _numbered(existing)
    if here and there and here.keys() != there.keys():
        first, other = (min(number for _, number in labels) for labels in (here, there))
        shifted = first != other and are_shifted(found, existing)  # else there are only gaps
        if (first, other) == (0, 1) or shifted:
            starts = f"segments are numbered from {first} here and from {other} in {others}"
            so = ", so each would match the next segment" if abs(first - other) < 2 else ""
            raise InputError(f"{what}: {starts}{so}; start at {other} here")


def are_shifted(found: Sequence[str], existing: Sequence[str]) -> bool:
    """Whether more labels, at least three, would match if counting began at another number.

    Examples
    --------
    >>> are_shifted(["0", "1", "2"], ["1", "2", "3"]), are_shifted(["1", "2"], ["1", "2", "3"])
    (True, False)
    """
    here, there = _numbered(found), _numbered(existing)
    shifts = {1, -1}
    if here and len(here) == len(there):
        shifts.add(min(n for _, n in here) - min(n for _, n in there))
    moved = ({(text, number + shift) for text, number in there} for shift in shifts)
    most = max((len(each & here.keys()) for each in moved), default=0)
    return most >= _TELLING and most > len(there.keys() & here.keys())


def _counted_otherwise(found: Sequence[str], existing: Sequence[str]) -> list[str]:
    """Rename segments that are all the existing ones, counted from 1 instead of 0, or from 0."""
    here, there = _numbered(found), _numbered(existing)
    starts = [min((number for _, number in labels), default=2) for labels in (here, there)]
    shift = starts[1] - starts[0]
    moved = [(text, number + shift) for text, number in here]
    if sorted(starts) != [0, 1] or len(here) < len(found) or {*moved} != there.keys():
        return []
    return [there[at] for at in moved]


def _numbered(labels: Sequence[str]) -> dict[tuple[str, int], str]:
    """Split labels into a text and a number; empty if a label has no number."""
    found = [_NUMBER.fullmatch(label) for label in labels]
    return {(m[1], int(m[2])): m[0] for m in found if m} if all(found) else {}


def plain_name(name: str, around: Sequence[str] = ()) -> tuple[str, str]:
    """Reduce a name to the part that files agree on, and the number of a run.

    Case and separators are ignored, except separators between digits, as in version numbers.
    `around` names texts before or after the name, separated by a dot: the test set and the language
    pair.

    Examples
    --------
    >>> plain_name("newstest2020.Online-A.1574.en-de", ["newstest2020", "en-de"])
    ('onlinea', '1574')
    >>> plain_name("Llama-3.1 8B")
    ('llama3.1.8b', '')
    """
    for text in around:
        name = name.removeprefix(f"{text}.").removesuffix(f".{text}")
    run = _RUN.search(name)
    plain = visible(name[: run.start() if run else None]).casefold()
    plain = re.sub(r"(?<=\d)[\s._/:-]+(?=\d)", ".", plain)
    plain = re.sub(r"(?<!\d)[\s._/:-]+|[\s._/:-]+(?!\d)", "", plain)
    return plain or name, run[1] if run else ""


def match_names(
    names: Iterable[str], existing: Iterable[str], around: Sequence[str] = ()
) -> dict[str, str]:
    """Match each name that does not exist to the one existing name that fits it.

    No match is made if several names fit, or if two names have the numbers of different runs.

    Examples
    --------
    >>> match_names(["Online-A", "new"], ["Online-A.1574", "Online-B.1590"])
    {'Online-A': 'Online-A.1574'}
    >>> match_names(["gpt-4"], ["gpt-4.1"])
    {}
    """
    targets = set(existing)
    free, foreign = targets - set(names), [name for name in names if name not in targets]
    by_plain: dict[str, list[list[tuple[str, str]]]] = {}
    for side, group in enumerate((foreign, sorted(free))):
        for name in group:
            plain, run = plain_name(name, around)
            by_plain.setdefault(plain, [[], []])[side].append((name, run))
    single = (pair for pair in by_plain.values() if len(pair[0]) == len(pair[1]) == 1)
    runs = ((ours, theirs) for [ours], [theirs] in single)
    return {ours: theirs for (ours, a), (theirs, b) in runs if a == b or not (a and b)}


def matched_text(matched: Mapping[str, str]) -> str:
    """Say which names were matched."""
    return ", ".join(f"{ours} = {theirs}" for ours, theirs in matched.items())


def segment_numbers(labels: Sequence[str]) -> NDArray[np.int64] | None:
    """Give the numbers in labels that differ only in their number; None for other labels.

    Examples
    --------
    >>> segment_numbers(["seg-2", "seg-10"]).tolist()
    [2, 10]
    >>> segment_numbers(["a:1", "b:1"])
    """
    found = [_NUMBER.fullmatch(label) for label in labels]
    parts = [match.groups() for match in found if match]
    if len(parts) < len(labels) or len({(before, after) for before, _, after in parts}) != 1:
        return None
    numbers = np.array([int(digits) for _, digits, _ in parts], dtype=np.int64)
    return numbers if np.unique(numbers).size == numbers.size else None


def _in_order(
    labels: Sequence[str], count: int, what: str, unordered: str
) -> tuple[NDArray[np.int64], str]:
    if count != len(labels):
        raise InputError(
            f"{what}: {count:,} lines for {len(labels)} segments "
            f"({listed(labels, 1)}); give a line for each, or {TABLE}"
        )
    if unordered:
        raise InputError(f"{what}: lines do not name segments, and {unordered}; {TABLE}")
    return np.arange(count), "in the order of the segments"
