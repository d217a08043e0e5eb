"""Reader for segment-level files of the WMT metrics task, with human scores from another file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, check_names, listed, quoted
from supersample.readers.columns import (
    Columns,
    fill_cube,
    join_columns,
    label_pairs,
    match_labels,
    parts_with,
    renamed,
    rows_of,
    rows_with,
)
from supersample.readers.score_files import (
    SEGMENT_LAYOUTS,
    read_human_table,
    read_score_file,
    score_files,
)
from supersample.scores.schema import make_scores
from supersample.scores.selection import match_names

SUFFIXES = (".seg.score", ".seg.score.gz")
TRANSLATED_BY_PEOPLE = ("ref", "human")


def read_wmt(
    files: str | Path | Sequence[str | Path],
    *,
    human: str | Path,
    language_pair: str | None = None,
    test_set: str | None = None,
    reference: str | None = None,
    lower_is_better: Sequence[str] = (),
    human_higher_is_better: bool = True,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> xr.Dataset:
    """Read Scores from segment-level files of the WMT metrics task (``.seg.score``).

    Parameters
    ----------
    files : str, Path or sequence of them
        ``.seg.score`` files, packed by gzip or not, or folders of them.
    human : str or Path
        File of human scores: a table with the columns system, segment and a score, such as MQM's
        ``avg_seg_scores.tsv``. Or, if there is no such file, the metric among the files that is
        the human one.
    language_pair, test_set : str, optional
        Needed where the files have several.
    reference : str, optional
        The reference that metrics compare with, or "all": then a metric with several is one metric
        for each, named "metric:reference". Needed where the files have several.
    lower_is_better : sequence of str
        Metrics whose higher scores mean worse translations.
    human_higher_is_better : bool, default True
        Whether higher human scores mean better translations.
    include : sequence of str
        Systems to keep although left out by default: translations by people, whose names begin
        with "ref" or "human".
    exclude : sequence of str
        Further systems to leave out.

    Returns
    -------
    xarray.Dataset
        Scores. Names of systems that differ between files are matched where one fits (attribute
        ``names_matched``); ``systems_left_out``, ``metrics_left_out`` and ``segments_left_out``
        name what is not read. Where files name a document and a number within it and the human
        scores a number within the test set, documents are counted in the order in which the files
        have them (``segment_order``).

    Raises
    ------
    InputError
        With file and line, if a file is malformed or a translation has two scores of one metric; or
        if the files lack what was named, or something must be named.

    Examples
    --------
    >>> read_wmt("nowhere.seg.score", human="mqm.tsv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.seg.score
    """
    parts = [read_score_file(path, SEGMENT_LAYOUTS) for path in score_files(files, SUFFIXES)]
    parts = parts_with(parts, "language pair", language_pair)  # others' names are not matched
    around = sorted({part.names["test set"][0] for part in parts})
    parts, matched = match_labels(parts, ("system", "document"), around)
    rows = rows_with(join_columns(parts), "language pair", language_pair)
    rows, unscored = _with_reference(rows_with(rows, "test set", test_set), reference)
    places, order = ordered_places(parts)
    asked = set(segment_places([rows]))
    places = [place for place in places if place in asked]
    rows = with_documents(rows) if places[0][0] else rows
    scorers, systems = rows.names["scorer"], rows.names["system"]
    segments = [label_of(place) for place in places]
    at = {label: i for i, label in enumerate(rows.names["segment"])}
    cube = fill_cube(rows)[:, :, [at[label] for label in segments]]
    facts = {"segment_order": order} if places[0][0] else {}
    if Path(human).is_file():
        found = human_array(human, systems, segments, around)
        name, people, more, facts["segments_left_out"] = found
        matched |= more
    else:
        check_names("file or metric", [name := str(human)], scorers)
        people = cube[scorers.index(name)]
        cube = np.delete(cube, scorers.index(name), axis=0)
        scorers = [scorer for scorer in scorers if scorer != name]
    kept, left_out = _kept_systems(systems, people, cube, include, exclude)
    scored = np.asarray(~np.isnan(cube[:, kept]).all(axis=(1, 2)))
    metrics = [scorers[i] for i in np.flatnonzero(scored)]
    check_names("metric", lower_is_better, metrics)
    return make_scores(
        people[kept],
        cube[scored][:, kept],
        systems=[systems[i] for i in kept],
        metrics=metrics,
        segments=segments,
        higher_is_better=[metric not in lower_is_better for metric in metrics],
        human_higher_is_better=human_higher_is_better,
        document=[document for document, _ in places] if places[0][0] else None,
        attrs={
            "source": f"{rows.names['test set'][0]} {rows.names['language pair'][0]}",
            "human": name,
            **({"reference": reference} if reference else {}),
            "systems_left_out": ", ".join(left_out),
            "metrics_left_out": ", ".join([*unscored, *(m for m in scorers if m not in metrics)]),
            "names_matched": ", ".join(f"{a} = {b}" for a, b in matched.items()),
            **facts,
        },
    )


def _with_reference(columns: Columns, reference: str | None) -> tuple[Columns, list[str]]:
    """Rows with the reference asked for, their metrics as scorers, and metrics without any."""
    left_out: list[str] = []
    if "reference" in columns.names and reference != "all":
        rows = rows_with(columns, "reference", reference)
        without = [name for name in columns.names["metric"] if name not in rows.names["metric"]]
        left_out = [f"{name} (no scores with {reference})" for name in without]
        columns = rows
    elif reference not in (None, "all"):
        raise InputError(f"{columns.source} names no references; leave out {quoted(reference)}")
    if reference != "all" or "reference" not in columns.names:
        names, codes = columns.names["metric"], columns.codes["metric"]
    else:
        pairs, codes = label_pairs(columns, "metric", "reference")
        metrics = [metric for metric, _ in pairs]
        names = [m if metrics.count(m) == 1 else f"{m}:{reference}" for m, reference in pairs]
    return columns.with_label("scorer", names, codes), left_out


def _kept_systems(
    systems: Sequence[str],
    people: NDArray[np.float64],
    cube: NDArray[np.float64],
    include: Sequence[str],
    exclude: Sequence[str],
) -> tuple[list[int], list[str]]:
    check_names("system", (*include, *exclude), systems)
    kept, left_out = [], []
    for i, system in enumerate(systems):
        if system in exclude:
            left_out.append(f"{system} (excluded)")
        elif np.isnan(people[i]).all():
            left_out.append(f"{system} (nobody rated it)")
        elif system.lower().startswith(TRANSLATED_BY_PEOPLE) and system not in include:
            left_out.append(f"{system} (translated by people)")
        elif np.isnan(cube[:, i]).all():
            left_out.append(f"{system} (no metric scored it)")
        else:
            kept.append(i)
    if not kept:
        raise InputError(f"no system is left: {listed(left_out)}")
    return kept, left_out


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
        first, second = [sources[0] for sources in chosen.values()][:2]
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
    labels = table.names["segment"]
    unknown = [segment for segment in labels if segment not in place]
    if len(unknown) == len(labels):
        raise InputError(
            f"{path}: none of its segments is one of the metrics'; it has {listed(labels, 3)}, "
            f"they have {listed(segments, 3)}"
        )
    cube = fill_cube(table.with_scorer(name))[0]
    people = np.full((len(systems), len(segments)), np.nan)
    columns = [i for i, segment in enumerate(labels) if segment in place]
    at = [place[labels[i]] for i in columns]
    for scores, system in zip(cube, table.names["system"], strict=True):
        if system in systems:
            people[systems.index(system), at] = scores[columns]
    foreign = [s for s in table.names["system"] if s not in systems]
    left_out = [f"{len(unknown)} ({listed(unknown, 5)})"] if unknown else []
    left_out += [f"those of {listed(foreign)}, which no metric scored"] if foreign else []
    return name, people, new, ", ".join(left_out)
