"""Files of the WMT metrics task, segment by segment or system by system, and of human scores.

They have no header: each line is a metric's score and what it is the score of. Columns have changed
over the years. They are told by their number, by whether the last one is a score, and by the name
of the file (``.seg.score`` or ``.sys.score``, perhaps with ``.gz``).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, check_names, listed, quoted, shortened
from supersample.readers.columns import (
    Columns,
    fill_cube,
    join_labels,
    join_matched,
    label_pairs,
    make_dataset,
    of_pair,
    renamed,
    rows_with,
    systems_left,
)
from supersample.readers.table_files import Text, Wanted, lowered
from supersample.readers.text import MISSING, decode, is_number
from supersample.scores.selection import match_names

SUFFIXES = (".seg.score", ".seg.score.gz")
TRANSLATED_BY_PEOPLE = ("ref", "human")
_ABOUT = ("metric", "language pair", "test set")
_EXTRA = ("ensemble", "available")
SEGMENT_LAYOUTS = (
    (*_ABOUT, "system", "segment", "score"),  # until WMT16
    (*_ABOUT, "reference", "system", "segment", "score"),  # WMT20 and WMT21
    (*_ABOUT, "reference", "system", "document", "segment", "score"),  # WMT20
    (*_ABOUT, "system", "segment", "score", *_EXTRA),  # WMT17 to WMT19
    (*_ABOUT, "reference", "system", "segment", "score", *_EXTRA),
    (*_ABOUT, "domain", "document", "reference", "system", "segment", "score"),  # since WMT22
)
SYSTEM_LAYOUTS = (
    (*_ABOUT, "system", "score"),
    (*_ABOUT, "reference", "system", "score"),
    (*_ABOUT, "domain", "reference", "system", "score"),
    (*_ABOUT, "system", "score", *_EXTRA),
    (*_ABOUT, "reference", "system", "score", *_EXTRA),
)
SEGMENT_NAMES = ("segment", "seg_id", "segid", "sid", "seg")


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
    paths = score_files(files, SUFFIXES)
    parts = of_pair([read_score_file(path, SEGMENT_LAYOUTS) for path in paths], language_pair)
    around = sorted({part.names("test set")[0] for part in parts})
    labels = ("system", "document")
    rows, parts, matched = join_matched(parts, labels, language_pair, test_set, around)
    rows, unscored = _with_reference(rows, reference)
    places, order = _ordered_places(parts)
    asked = set(_segment_places(rows))
    places = [place for place in places if place in asked]
    segments = [_label_of(place) for place in places]
    cube = fill_cube(join_labels(rows, "document")).sel(segment=segments)
    has_documents = bool(places[0][0])
    facts = {"segment_order": order} if has_documents else {}
    if Path(human).is_file():
        name, people, more, left = _human_scores(human, cube, around)
        facts["segments_left_out"] = left
        matched |= more
    else:
        name = str(human)
        check_names("file or metric", [name], rows.names("scorer"))
        people, cube = cube.sel(scorer=name), cube.drop_sel(scorer=name)
    systems, left_out = _choose_systems(people, cube, include, exclude)
    cube = cube.sel(system=systems)
    scored = cube.notnull().any(("system", "segment")).to_numpy()
    scorers = cube["scorer"].to_numpy()
    metrics = scorers[scored].tolist()
    check_names("metric", lower_is_better, metrics)
    return make_dataset(
        people.sel(system=systems),
        cube[scored],
        lower_is_better,
        {
            "source": f"{rows.names('test set')[0]} {rows.names('language pair')[0]}",
            "human": name,
            "reference": reference or None,
            "systems_left_out": ", ".join(left_out),
            "metrics_left_out": ", ".join([*unscored, *scorers[~scored]]),
            "names_matched": ", ".join(f"{a} = {b}" for a, b in matched.items()),
            **facts,
        },
        human_higher_is_better=human_higher_is_better,
        document=[document for document, _ in places] if has_documents else None,
    )


def score_files(paths: str | Path | Sequence[str | Path], suffixes: Sequence[str]) -> list[Path]:
    """Files named, or those of a folder that end as files of this kind do."""
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[Path] = []
    for path in map(Path, named):
        inside = [path]
        if path.is_dir():
            inside = sorted(p for p in path.iterdir() if p.name.endswith(tuple(suffixes)))
        if not inside:
            raise InputError(f"no file in {path} ends in {' or '.join(suffixes)}")
        files += inside
    if not files:
        raise InputError("name a file or a folder of scores")
    return files


def read_score_file(path: str | Path, layouts: Sequence[tuple[str, ...]]) -> Columns:
    """Read a file of the metrics task: codes of every label, and the number "score"."""
    text = Text.plain(path, "\t", header=False)
    first = text.first()
    if not any(first):
        raise InputError(f"{text.source} is empty, or begins with an empty line")
    names = _layout(text.source, first, layouts)
    labels = {name: name for name in names if name not in ("score", *_EXTRA)}
    return text.columns(names, Wanted(labels))


def _layout(source: str, first: list[str], layouts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    is_score = is_number(first[-1]) or first[-1].lower() in MISSING
    for names in layouts:
        if len(names) == len(first) and (names[-1] == "score") == is_score:
            return names
    counts = ", ".join(str(n) for n in sorted({len(names) for names in layouts}))
    raise InputError(
        f"{source}, line 1: {len(first)} columns, the last one '{shortened(first[-1])}'; a file of "
        f"the metrics task has {counts}, and one of them is the score"
    )


class _Pairs(Text):
    """Lines of a system and its score, divided by a tab or by blanks."""

    def rows(self) -> Iterator[tuple[str, list[str]]]:
        """Place and cells of each line; a blank one would shift the segments, and is refused."""
        lines = decode(self.source, self.raw).split("\n")
        for i, line in enumerate(lines if lines[-1] else lines[:-1], start=1):
            cells = line.split("\t" if "\t" in line else None)
            if len(cells) != 2 or not cells[0].strip():
                raise InputError(f"{self.source}, line {i}: expected a system and a score")
            yield f"{self.source}, line {i}", cells


def read_pairs(source: str, raw: bytes, missing: tuple[str, ...] = MISSING) -> Columns:
    """Read lines of a system and its score."""
    if not raw:
        empty = pd.DataFrame({"system": pd.Categorical([]), "score": np.empty(0)})
        return Columns(source, empty, str)
    wanted = Wanted({"system": "system"}, missing=missing)
    return _Pairs(source, raw, "\t", header=False).columns(("system", "score"), wanted)


def scores_by_system(columns: Columns, expected: int) -> dict[str, NDArray[np.float64]]:
    """Scores of each system in the order of the rows; each has as many as expected."""
    found = {}
    codes, scores = columns.codes("system"), columns.scores
    for code, system in enumerate(columns.names("system")):
        rows = np.flatnonzero(codes == code)
        if rows.size != expected:
            where = columns.where(int(rows[expected] if rows.size > expected else rows[-1]))
            raise InputError(
                f"{where}: {quoted(system)} has {rows.size} scores, {expected} are expected"
            )
        found[system] = scores[rows]
    return found


def read_human_table(path: str | Path) -> tuple[str, Columns]:
    """Read a table of human scores: MQM averages (``avg_seg_scores.tsv``) and their like.

    The header names a system, a segment, one score, whatever its name, and perhaps a document;
    columns are divided by tabs, commas or spaces. Returns the name of the score, and the columns.
    """
    text = Text.plain(path, "\t,", header=True)
    header = lowered(text.first())
    meanings = {"segment" if name in SEGMENT_NAMES else name: name for name in header}
    labels = {
        name: meanings[name] for name in ("system", "segment", "document") if name in meanings
    }
    scores = [name for name in header if name not in {*labels.values(), *SEGMENT_NAMES}]
    if not {"system", "segment"} <= labels.keys() or len(scores) != 1:
        raise InputError(
            f"{text.source}, line 1: the header names a system, a segment and one score, perhaps a "
            f"document; here it has {listed(header)}"
        )
    if len(meanings) < len(header):
        raise InputError(f"{text.source}, line 1: a column occurs twice")
    return scores[0], text.columns(header, Wanted(labels, numbers={"score": scores[0]}))


def _with_reference(columns: Columns, reference: str | None) -> tuple[Columns, list[str]]:
    """Rows with the reference asked for, their metrics as scorers, and metrics without any."""
    if reference == "all":
        pairs, codes = label_pairs(columns, "metric", "reference")
        count = Counter(metric for metric, _ in pairs)
        names = [m if count[m] == 1 else f"{m}:{reference}" for m, reference in pairs]
        return columns.with_label("scorer", names, codes), []
    rows = rows_with(columns, "reference", reference)
    without = [name for name in columns.names("metric") if name not in rows.names("metric")]
    left_out = [f"{name} (no scores with {reference})" for name in without]
    return rows.with_label("scorer", rows.names("metric"), rows.codes("metric")), left_out


def _choose_systems(
    people: xr.DataArray, cube: xr.DataArray, include: Sequence[str], exclude: Sequence[str]
) -> tuple[list[str], list[str]]:
    def reason(system: str) -> str:
        if system in exclude:
            return "excluded"
        if people.sel(system=system).isnull().all():
            return "nobody rated it"
        if system.lower().startswith(TRANSLATED_BY_PEOPLE) and system not in include:
            return "translated by people"
        return "no metric scored it" if cube.sel(system=system).isnull().all() else ""

    systems = cube["system"].to_numpy().tolist()
    check_names("system", (*include, *exclude), systems)
    return systems_left({system: reason(system) for system in systems})


Place = tuple[str, str]
"""Document and segment; the document is empty where files name none."""


def _segment_places(columns: Columns) -> list[Place]:
    """Every (document, segment), in order of appearance."""
    pairs, codes = label_pairs(columns, "document", "segment")
    return [pairs[code] for code in pd.unique(codes)]


def _ordered_places(files: Sequence[Columns]) -> tuple[list[Place], str]:
    """Segments in the order of the test set, and which files tell it.

    A file tells it where each document is in one piece, its segments in order. A file whose
    documents are sorted by name tells nothing if another is not: sorting has lost the order.
    """
    found = [_segment_places(columns) for columns in files]
    places = list(dict.fromkeys(place for in_file in found for place in in_file))
    orders: dict[tuple[str, ...], list[str]] = {}
    for columns, in_file in zip(files, found, strict=True):
        documents = tuple(dict.fromkeys(document for document, _ in in_file))
        if len(in_file) == len(places) and in_file == sorted(in_file, key=_place_in(documents)):
            orders.setdefault(documents, []).append(columns.source)
    telling = {order: sources for order, sources in orders.items() if list(order) != sorted(order)}
    chosen = telling or orders
    if len(chosen) > 1:
        first, second = [sources[0] for sources in chosen.values()][:2]
        raise InputError(f"{first} and {second} have the documents in different orders; name one")
    if not chosen:
        return places, "of the first file"
    [(order, sources)] = chosen.items()
    return sorted(places, key=_place_in(order)), f"of {len(sources)} of {len(files)} files"


def _place_in(documents: Sequence[str]) -> Callable[[Place], tuple[int, float]]:
    """Place of a segment in a test set whose documents come in this order."""
    rank = {document: i for i, document in enumerate(documents)}
    return lambda place: (rank[place[0]], float(place[1]) if is_number(place[1]) else np.inf)


def _label_of(place: Place) -> str:
    """Label of a segment: its document, if it names one, and its number in it."""
    return ":".join(filter(None, place))


def _human_scores(
    path: str | Path, cube: xr.DataArray, around: Sequence[str]
) -> tuple[str, xr.DataArray, dict[str, str], str]:
    """Human scores of what metrics scored, names matched, and what else they are of."""
    name, table = read_human_table(path)
    systems, segments = (cube[dim].to_numpy().tolist() for dim in ("system", "segment"))
    new = match_names(table.names("system"), systems, around)
    table = renamed(table, "system", new)
    if "document" in table.frame:
        table = join_labels(table, "document")
    elif not set(table.names("segment")) & set(segments):
        table = renamed(table, "segment", {str(i): label for i, label in enumerate(segments, 1)})
    labels = table.names("segment")
    unknown = pd.Index(labels).difference(segments, sort=False).tolist()
    if len(unknown) == len(labels):
        raise InputError(
            f"{path}: none of its segments is one of the metrics'; it has {listed(labels, 3)}, "
            f"they have {listed(segments, 3)}"
        )
    people = fill_cube(table.with_one("scorer", name))[0]
    foreign = [s for s in table.names("system") if s not in systems]
    left_out = [f"{len(unknown)} ({listed(unknown, 5)})"] if unknown else []
    left_out += [f"those of {listed(foreign)}, which no metric scored"] if foreign else []
    return name, people.reindex(system=systems, segment=segments), new, ", ".join(left_out)
