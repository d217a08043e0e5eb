"""Reader for segment-level files of the WMT metrics task, with human scores from another file."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, listed, quoted
from supersample.readers.columns import (
    Columns,
    fill_cube,
    join_columns,
    label_pairs,
    renamed,
    rows_with,
)
from supersample.readers.score_files import SEGMENT_LAYOUTS, read_score_file, score_files
from supersample.readers.wmt_segments import (
    human_array,
    label_of,
    ordered_places,
    segment_places,
    with_documents,
)
from supersample.scores.names import match_names
from supersample.scores.schema import make_scores

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
    around = sorted({part.names["test set"][0] for part in parts})
    parts, matched = _matched(parts, around)
    rows = rows_with(join_columns(parts), "language pair", language_pair)
    rows = rows_with(rows, "test set", test_set)
    rows, metrics_out = _with_reference(rows, reference)
    places, order = ordered_places(parts)
    asked = set(segment_places([rows]))
    places = [place for place in places if place in asked]
    rows = with_documents(rows) if places[0][0] else rows
    scorers, systems = rows.names["scorer"], rows.names["system"]
    segments = [label_of(place) for place in places]
    at = {label: i for i, label in enumerate(rows.names["segment"])}
    cube = fill_cube(rows)[:, :, [at[label] for label in segments]]
    facts = {"segment_order": order} if places[0][0] else {}
    name, people, more, unplaced = _human_scores(human, cube, scorers, systems, segments, around)
    matched |= more
    if Path(human).is_file():
        facts["segments_left_out"] = unplaced
    else:
        cube = np.delete(cube, scorers.index(name), axis=0)
        scorers = [scorer for scorer in scorers if scorer != name]
    kept, left_out = _kept_systems(systems, people, cube, include, exclude)
    scored = np.asarray(~np.isnan(cube[:, kept]).all(axis=(1, 2)))
    metrics_out += [s for s, is_scored in zip(scorers, scored, strict=True) if not is_scored]
    metrics = [s for s, is_scored in zip(scorers, scored, strict=True) if is_scored]
    _check_declared(lower_is_better, metrics)
    attrs = {
        "source": f"{rows.names['test set'][0]} {rows.names['language pair'][0]}",
        "human": name,
        **({"reference": reference} if reference else {}),
        "systems_left_out": ", ".join(left_out),
        "metrics_left_out": ", ".join(metrics_out),
        "names_matched": ", ".join(f"{a} = {b}" for a, b in matched.items()),
        **facts,
    }
    return make_scores(
        people[kept],
        cube[scored][:, kept],
        systems=[systems[i] for i in kept],
        metrics=metrics,
        segments=segments,
        higher_is_better=[metric not in lower_is_better for metric in metrics],
        human_higher_is_better=human_higher_is_better,
        document=[document for document, _ in places] if places[0][0] else None,
        attrs=attrs,
    )


def _matched(
    parts: Sequence[Columns], around: Sequence[str]
) -> tuple[list[Columns], dict[str, str]]:
    """Files with the names of systems and documents that the files before them have."""
    out: list[Columns] = []
    matched: dict[str, str] = {}
    earlier: dict[str, dict[str, None]] = {"system": {}, "document": {}}
    for part in parts:
        for label, names in earlier.items():
            if label in part.names:
                near = [*around, *part.names["language pair"]]
                new = match_names(part.names[label], names, near)
                part = renamed(part, label, new)
                matched |= new
                names.update(dict.fromkeys(part.names[label]))
        out.append(part)
    return out, matched


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


def _human_scores(
    human: str | Path,
    cube: NDArray[np.float64],
    scorers: Sequence[str],
    systems: Sequence[str],
    segments: Sequence[str],
    around: Sequence[str],
) -> tuple[str, NDArray[np.float64], dict[str, str], str]:
    """Human scores of a file or of one of the metrics; see `human_array`."""
    if Path(human).is_file():
        return human_array(human, systems, segments, around)
    if str(human) not in scorers:
        raise InputError(
            f"{quoted(human)} is no file, and no metric here; there are {listed(scorers)}"
        )
    return str(human), cube[scorers.index(str(human))], {}, ""


def _kept_systems(
    systems: Sequence[str],
    people: NDArray[np.float64],
    cube: NDArray[np.float64],
    include: Sequence[str],
    exclude: Sequence[str],
) -> tuple[list[int], list[str]]:
    for asked in (*include, *exclude):
        if asked not in systems:
            raise InputError(f"no system {quoted(asked)}; there are {listed(systems)}")
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


def _check_declared(lower_is_better: Sequence[str], metrics: Sequence[str]) -> None:
    for name in lower_is_better:
        if name not in metrics:
            raise InputError(
                f"no metric {quoted(name)} to be lower-is-better; there are {listed(metrics)}"
            )
