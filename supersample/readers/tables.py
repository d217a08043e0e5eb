"""Read tables of scores, ratings, answers and predictions: find what their columns are."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from supersample.errors import (
    InputError,
    LeftOutWarning,
    WholeSystemsError,
    as_option,
    check_names,
    instead,
    is_close,
    listed,
    plural,
    printable,
    quoted,
    warn,
)
from supersample.readers.cells import (
    AXES,
    Choose,
    Columns,
    Header,
    Wanted,
    join_columns,
    lowered,
    make_dataset,
)
from supersample.readers.table_files import read_columns
from supersample.readers.text import JSON, data_suffix, first_line
from supersample.scores.alignment import UNORDERED
from supersample.scores.inspection import named_as_people
from supersample.scores.ratings import kind_of, make_ratings
from supersample.scores.schema import make_predictions
from supersample.scores.selection import choose_systems, declare_teams

# names of columns by role, the most certain first
ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "system": "system system_id system_name systemid sys sys_id mt_system model model_id "
        "model_name summarizer_id summarizer engine",
        "segment": "segment segment_id globalsegid seg_id segid seg sid segment_number seg_num "
        "sentence_id sent_id sentence line_id line_number line item_id item instance_id "
        "example_id prompt_id prompt question_id question example sample_id sample id position",
        "assessor": "assessor assessor_id annotator annotator_id annotator_name rater rater_id "
        "worker worker_id user user_id completed_by",
        "scorer": "scorer metric metric_name judge judge_model judge_name evaluator",
        "score": "score value metric_score judge_score judgment judgement rating",
        "document": "document document_id doc_id docid doc document_name",
        "domain": "domain genre",
        "team": "team team_name",
        "language pair": "language_pair lang_pair langpair lp langs",
        "test set": "test_set testset data",
    }.items()
}
# names of human scores, the most certain first
HUMAN = (
    *("human", "human_score", "human_scores", "human_rating", "human_mean", "human_preference"),
    *("preference", "gold", "mqm", "mqm_score", "esa", "esa_score", "da", "da_score", "da_sqm"),
)
HUMAN_COLUMN, NOBODY = "human", "*"
_ROWS = ("", "index", "level_0", "index_level_0", "row", "row_id")


def read_table(
    table: object,
    *,
    human: str | None = None,
    lower_is_better: Sequence[str] = (),
    only: Sequence[str] = (),
    exclude: Sequence[str] = (),
    language_pair: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    sheet: str | None = None,
    missing: Sequence[str] = (),
) -> xr.Dataset:
    """Read Scores from a table: CSV, TSV, a spreadsheet, JSON, Parquet or a data frame.

    A long table has one row for each system, segment and scorer, with its score. A wide table has
    one row for each system and segment, and one column for each scorer. Text may be compressed
    (.gz, .zst), separated by semicolons, and have decimal commas. JSON may be lines or an array of
    such rows, or an output of COMET, WMT's general task or Pearmut (see ``readers/formats.toml``).
    With a column of assessors, scores are ratings, and their means are the human scores; so are the
    errors of an MQM table, and a CSV file of Appraise.

    Parameters
    ----------
    table : str, Path or data frame
        The file; "-" reads CSV or TSV from standard input. Or a folder with JSON, such as the
        automatic scores of WMT25, with a file for each system. Or a data frame: pandas, polars,
        Arrow, or any object with ``__arrow_c_stream__``.
    human : str, optional
        The scorer that is the human scores; every other scorer is a metric. There may be no metric
        yet; `add_metric` and `add_corpus_metrics` add some. Default: "human", or the only scorer
        with a usual name of human scores, such as "mqm". "*": no human scores; the first scorer
        takes their place, and stays a metric, until `take_as_gold` chooses others.
    lower_is_better : sequence of str
        Scorers for which higher scores mean worse translations; may include the human scores. For
        all others higher is better.
    only : sequence of str
        Systems to keep; all if empty.
    exclude : sequence of str
        Systems to leave out.
    language_pair : str, optional
        Needed if a column of language pairs has several.
    columns : mapping of str to str
        Names of columns by role: "system", "segment", "scorer", "score", "document" and "domain".
        Other columns are found by their names: those of the roles, or other usual names
        (``ROLES``), the most certain first.
    sheet : str, optional
        Sheet of a spreadsheet; needed if several sheets have cells.
    missing : sequence of str
        Texts that mean a missing score, such as "-", in addition to None, NA and NaN.

    Returns
    -------
    xarray.Dataset
        Scores. Empty scores, None, NA, NaN and absent rows are missing. The attribute ``read_as``
        says what was guessed.

    Warns
    -----
    LeftOutWarning
        For each column that may have scores, but is not read.

    Raises
    ------
    InputError
        With file and line, if a column is missing or occurs twice, a row is too short or long, a
        label is empty, a score is not a number or infinite, or (system, segment, scorer) occurs
        twice with different scores; or if a scorer or system of a given name does not exist, the
        language pair has no score, or `lower_is_better` names human scores that `human` "*" leaves
        out.

    Examples
    --------
    >>> read_table("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    check_names(
        "column", columns, [x for x in ROLES if x not in ("language pair", "test set", "assessor")]
    )
    options: Any = {"sheet": sheet, "missing": missing, "language_pair": language_pair}
    rows = _score_rows(table, columns, **options).rows_with("language pair", language_pair)
    rows = _once_each(rows)
    scorers = rows.names("scorer")
    try:
        asked = None if human == NOBODY else human_name(scorers, human, rows.source, rows.texts)
    except InputError as error:
        raise InputError(f"{error}{rows.guess}") from None
    no_metrics = [asked] if asked else [x for x in scorers if _plain(x) in HUMAN]
    check_names("scorer", lower_is_better, scorers, rows.source)
    unread = [] if asked else [name for name in lower_is_better if name in no_metrics]
    if unread:
        raise InputError(
            f"{rows.source}: {listed(unread)} is not read, as the human scores are in another "
            "file; leave it out of --lower-is-better"
        )
    kept, left_out = choose_systems(rows.names("system"), only, exclude, rows.source)
    guessed = "" if asked in (None, human or "human") else f"human scores {asked}"
    read_as = ", ".join(filter(None, [rows.read_as, guessed]))
    notes = {name: rows.texts_of(name) for name in ("document", "domain")}
    cube = rows.cube()
    if language_pair is not None:  # a column may be empty for this pair
        some = cube.notnull().any(["system", "segment"])
        if not some.any():
            raise InputError(f"{rows.source} has no scores of {language_pair}")
        cube = cube.isel(scorer=some | (some["scorer"] == asked))
    people = asked or str(cube["scorer"].to_numpy()[0])
    rows.check_numbering("scorer", people)
    cube = cube.sel(system=kept) if left_out else cube
    scores = make_dataset(
        cube.sel(scorer=people),
        cube.drop_sel(scorer=no_metrics, errors="ignore"),
        lower_is_better,
        {
            "source": rows.source,
            "human": people,
            "systems_left_out": ", ".join(left_out),
            "read_as": f"guessed: {read_as}" if read_as else None,
            "ratings_left_out": rows.left_out or None,
            UNORDERED: rows.unordered() or None,
        },
        human_higher_is_better=people not in lower_is_better,
        **{name: labels for name, labels in notes.items() if labels},
    )
    return with_teams_of(scores, rows)


def with_teams_of(scores: xr.Dataset, rows: Columns) -> xr.Dataset:
    """Declare the teams of a table's column of teams, if it has one."""
    teams: dict[str, list[str]] = {}
    of_systems = rows.labels_of("team", "system") or ()
    for system, team in zip(rows.names("system"), of_systems, strict=False):
        if team and system in scores["system"]:
            teams.setdefault(team, []).append(system)
    return declare_teams(scores, teams) if teams else scores


def table_pairs(
    table: object, test_set: str | None, human: str | None, **options: Any
) -> list[tuple[str, str]]:
    """Language pairs of a table (its test set is unknown); options are those of `read_table`."""
    if str(table) == "-":
        raise InputError("standard input is read once; write several language pairs to a file")
    rows = _score_rows(table, options.pop("columns", {}), **options)
    if "language pair" not in rows.frame:
        raise InputError(f"{rows.source} has no column of language pairs; name it lp")
    return [("", pair) for pair in rows.names("language pair")]


def score_columns(path: Path, missing: Sequence[str] = ()) -> Columns:
    """Read a table as rows of scorer, system, segment and score, and optional labels.

    A table without a column of scorers has one column for each scorer, or is for a single metric,
    which is then called "score". A column of human scores beside rows of other scorers is one more
    scorer. Ratings of several assessors are averaged.
    """
    return _once_each(_score_rows(path, {}, one_metric=True, missing=missing))


def _score_rows(
    table: object, given: Mapping[str, str], *, one_metric: bool = False, **options: Any
) -> Columns:
    """Rows of a table of scores; columns that are not read are noted, with a warning."""
    files = json_files(table) if isinstance(table, str | Path) else []
    if files:
        more: Any = {"one_metric": one_metric, **options}
        rows = join_columns([_score_rows(file, given, **more) for file in files])
        return replace(rows, source=printable(table))
    texts: dict[str, str] = {}

    def choose(header: Header) -> Wanted:
        wanted = scores_wanted(header, given, one_metric=one_metric)
        texts.update(_not_read(header, wanted))
        return wanted

    columns = replace(rated_rows(table, choose, **options), texts=texts)
    if HUMAN_COLUMN in columns.frame and HUMAN_COLUMN not in columns.names("scorer"):
        columns = columns.with_people("scorer", HUMAN_COLUMN, ["system", "segment"])
    return columns


def json_files(folder: str | Path) -> list[Path]:
    """JSON in a folder, such as the automatic scores of WMT25, a file for each system."""
    inside = Path(folder).rglob("*") if Path(folder).is_dir() else ()
    return sorted(path for path in inside if data_suffix(path) in JSON)


def _once_each(columns: Columns) -> Columns:
    """Rows without repetitions; segments may be numbered within documents."""
    if columns.is_unique(AXES):
        return columns
    axes = [*AXES, "document"] if "document" in columns.frame else list(AXES)
    columns = columns.merged(axes)
    if columns.is_unique(AXES) or not columns.is_unique(axes):
        return columns
    # numbers occur in several documents
    said = ", ".join(filter(None, [columns.read_as, "segments numbered within documents"]))
    return replace(columns.join_labels("document"), read_as=said)


def rated_rows(
    table: object, choose: Choose, *, language_pair: str | None = None, **options: Any
) -> Columns:
    """Rows of a table; MQM errors and rows of Appraise become ratings of assessors."""
    if isinstance(table, str | Path) and is_appraise(table):
        from supersample.readers.ratings import appraise_columns

        return appraise_columns(table, language_pair)
    columns = read_columns(table, choose, **options)
    if "severity" not in columns.frame:
        return columns
    from supersample.readers.ratings import rated_by_errors

    return rated_by_errors(columns)


def is_appraise(path: str | Path) -> bool:
    """Whether a file has rows of Appraise, which have no header."""
    first = first_line(path).split(",") if data_suffix(path) == ".csv" else []
    return len(first) > 8 and first[3].strip().strip('"') in ("TGT", "BAD")


def _not_read(header: Header, wanted: Wanted) -> dict[str, str]:
    """Columns that are not read, with one cell of each; warn if a column may have scores."""
    used = {*wanted.texts.values(), *wanted.values.values()}
    written = dict(zip(header.names, map(str, header.written), strict=True))
    left = [x for x in header.names if x not in used and _plain(x) not in _ROWS]
    for name in left if wanted.scorers else ():
        if name in header.doubtful:
            cell = header.doubtful[name]
            nothing = "it has texts" if header.values(name) else "it is empty"
            why = f"{quoted(cell)} is not a number" if cell else nothing
        elif name in header.numeric:
            why = "a table of ratings has one column of scores; add metrics by --add-metric"
        else:
            continue
        text = f"{header.source}: the column {quoted(written[name])} is not read: {why}"
        warn(text, LeftOutWarning, stacklevel=2)
    return {written[name]: next(iter(header.values(name)), "") for name in left}


def scores_wanted(header: Header, given: Mapping[str, str], *, one_metric: bool) -> Wanted:
    """Find what each column of a table of scores is, from the `given` names of columns by role.

    With `one_metric`, a table without scorers is for a single metric, which is then called "score".
    An InputError names the columns, and says what to do, if no reading fits.
    """
    labels = find_labels(header, given)
    close = "scorer" in labels and header.has_close(ROLES["score"], labels.values())
    needed = ("system", "segment", *["score"] * close)
    _check_labels(header, labels, *needed, named=not one_metric)
    if is_of_errors(header):
        return errors_wanted(header, labels)
    return _of_scorers(header, labels, one_metric=one_metric)


def _of_scorers(header: Header, labels: dict[str, str], *, one_metric: bool = False) -> Wanted:
    """Choose the columns of a table of scores whose labels are known."""
    score = labels.pop("score", None)
    if score is not None and "scorer" in labels:
        human = HUMAN_COLUMN in header.numeric - {*labels.values(), score}
        numbers = {"score": score} | ({HUMAN_COLUMN: HUMAN_COLUMN} if human else {})
        return replace(_wanted(header, {**labels, "score": score}), numbers=numbers)
    if score is not None and "assessor" in labels:
        return replace(_wanted(header, {**labels, "score": score}), scorers={HUMAN_COLUMN: score})
    if score is not None and one_metric:
        return replace(_wanted(header, {**labels, "score": score}), scorers={"score": score})
    labels.pop("scorer", None)
    return _wide(header, labels)


def find_labels(header: Header, given: Mapping[str, str]) -> dict[str, str]:
    """Find the column of each role by name; if there are no segments, documents are segments."""
    _check_header(header)
    found = {role: _column(header, role, given) for role in ROLES}
    labels = {role: name for role, name in found.items() if name is not None}
    if is_of_errors(header) and "doc" in header.names:  # there, doc_id counts segments
        labels["document"] = "doc"
    others = "segment" in labels or "document" in given or header.has_close(ROLES["segment"])
    if "document" in labels and not others:
        labels["segment"] = labels.pop("document")
    for role in ("scorer", "assessor"):
        if role in labels and role not in given and header.has_scores(labels, role):
            del labels[role]
    return labels


def is_of_errors(header: Header) -> bool:
    """Whether a table has one row for each MQM error."""
    return {"severity", "category"} <= set(header.names)


def errors_wanted(header: Header, labels: Mapping[str, str]) -> Wanted:
    """Choose the columns of a table of MQM errors."""
    wanted = _wanted(header, {**labels, "severity": "severity", "category": "category"})
    return replace(wanted, numbers={})


def systems_wanted(header: Header) -> Wanted:
    """Choose the columns of a table of systems: long, or with one column per scorer."""
    labels = find_labels(header, {})
    labels.pop("segment", None)
    lacking = [x for x in ("system", "language pair", "test set") if x not in labels]
    if {"scorer", "score"} <= labels.keys() and lacking:
        raise InputError(
            f"{header.source}, line 1: expected METRIC LP TESTSET SYSTEM SCORE and optionally "
            f"HUMAN; found {listed(header.names)}"
        )
    _check_labels(header, labels, "system", named=False)
    return _of_scorers(header, labels)


def _check_header(header: Header) -> None:
    if not header.names:
        raise InputError(f"{header.source}, line 1 is empty; the first line names the columns")
    header.check_once(header.names)


def _column(header: Header, role: str, given: Mapping[str, str]) -> str | None:
    """Column of a role, in lower case."""
    if role in given:
        [asked] = lowered([given[role]])
        if asked not in header.names:
            check_names("column", [given[role]], header.written, header.source)
        return asked
    free = [name for name in header.names if name not in lowered(given.values())]
    plain = {_plain(name): name for name in reversed(free)}
    return next((plain[name] for name in ROLES[role] if name in plain), None)


def _check_labels(header: Header, labels: Mapping[str, str], *needed: str, named: bool) -> None:
    """Refuse a table that lacks columns; of scores of DATA alone an option names them."""
    missing = [role for role in needed if role not in labels]
    if not missing:
        return
    found = f"{header.source}, line 1: no column is the {' or the '.join(missing)}; the header has "
    found += listed(header.written)
    free = [x for x in header.written if x.strip().lower() not in labels.values()]
    near = [(k, x) for k in missing for x in free if any(is_close(_plain(x), y) for y in ROLES[k])]
    meant = dict.fromkeys(missing, "NAME") | dict(near)
    likely = " and ".join(f"{quoted(x)} the {role}" for role, x in meant.items() if x in free)
    mend = f"say which it is by DATA:{','.join(f'{role}={x}' for role, x in meant.items())}"
    if not named:
        mend = " and ".join(f"rename {x} to {role}" for role, x in (dict(near) or meant).items())
    if likely:
        raise InputError(f"{found}: is {likely}? {'Rename it, or' if named else 'Then'} {mend}")
    if missing == ["segment"]:
        whole = "; scores without segments need the columns METRIC LP TESTSET SYSTEM SCORE"
        mend += whole if named else ", or keep one row of each system"
        raise WholeSystemsError(f"{found}: {mend}")
    if missing == ["system"]:
        mend += "; a judge of items of one system is compared with people by raters --judge NAME"
    raise InputError(f"{found}: {mend}")


def _wide(header: Header, labels: Mapping[str, str]) -> Wanted:
    """Choose the columns of a table with one column per scorer."""
    written = dict(zip(header.names, map(str, header.written), strict=True))
    free = [x for x in header.names if x not in labels.values() and _plain(x) not in _ROWS]
    scorers = {written[name].strip(): name for name in free if name in header.numeric}
    people = [x for x in free if _plain(x) in HUMAN and header.cells.get(x)]
    if people and not header.numeric & {*people}:
        words = next(iter(header.values(people[0])), "")
        raise InputError(
            f"{header.source}: the column {quoted(written[people[0]])} has {_words(words)}; write "
            "numbers instead, higher ones for better translations"
        )
    if not scorers:
        raise InputError(
            f"{header.source}, line 1: no column has scores; expected system, segment, "
            "scorer and score, or system, segment and a column for each scorer; found "
            f"{listed(header.written)}"
        )
    texts = [written[x] for x in free if x not in header.numeric and x not in header.doubtful]
    more = "a column for each scorer"
    more += f", {listed(texts, 5)} left out" if texts else ""
    return replace(_wanted(header, labels, more), scorers=scorers)


def _wanted(header: Header, columns: Mapping[str, str], more: str = "") -> Wanted:
    """Columns by role, and what was guessed: nothing if they have the names of their roles."""
    guessed = [f"{column} as {role}" for role, column in columns.items() if column != role]
    read_as = ", ".join(filter(None, [header.read_as, *guessed, more]))
    labels = {role: columns[role] for role in ("system", "segment", "scorer") if role in columns}
    notes = {role: columns[role] for role in columns if role not in (*labels, "score")}
    read: Any = {"missing": header.missing, "decimal": header.decimal, "read_as": read_as}
    return Wanted(labels, notes, **read)


def _words(cell: str) -> str:
    return f"words such as {quoted(cell)}, not numbers" if cell else "no numbers"


def human_name(
    scorers: Sequence[str],
    asked: str | None,
    source: str,
    texts: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Name of the scorer with the human scores: the given one, or the only likely one."""
    wanted = "human" if asked is None else asked
    if wanted in scorers:
        return wanted
    likely = [name for name in scorers if name.lower() == wanted.lower()]
    usual = [name for name in scorers if _plain(name) in HUMAN]
    if asked is None and not likely:
        likely = usual
    if len(likely) == 1:
        return likely[0]
    if wanted in texts:
        raise InputError(f"{source}: the column {quoted(wanted)} has {_words(texts[wanted])}")
    there = f"no scorer {quoted(wanted)} in {source}{instead(wanted, scorers)}"
    if [name.lower() for name in scorers] == ["score"]:
        needed = "a table with the column score also needs a column scorer"
        raise InputError(f"{there}; {needed}: say which it is by {source}:scorer=NAME")
    people = likely or usual or named_as_people(scorers)
    if people:
        names = shlex.quote(as_option(people))
        several = ", or one of them" if len(people) > 1 else ""
        raise InputError(f"{there}; name the human scores, such as --human {names}{several}")
    raise InputError(
        f"{there}; name the human scores by --human; if they are in another file, read that file, "
        "and add metrics by --add-metric"
    )


def _plain(name: str) -> str:
    """Normalise a name: 'SEG-ID' becomes 'seg_id'."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_").removeprefix("unnamed_0")


def read_ratings(table: object, *, language_pair: str | None = None) -> xr.Dataset:
    """Read raw ratings from a long table, or from a CSV file of Appraise (see `read_appraise`).

    Parameters
    ----------
    table : str, Path or data frame
        As in `read_table`, with the columns assessor, system, segment and score (or other usual
        names), and optionally type: TGT (or SYSTEM), a translation; BAD (BAD_REF), a damaged copy;
        REPEAT (CHK), a repeat; REF, a translation of the segment by people. Or one row per MQM
        error, with its severity and category.
    language_pair : str, optional
        Needed if a file of Appraise has several.

    Returns
    -------
    xarray.Dataset
        Ratings, as from `make_ratings`. Rows without a score are left out; the attribute
        ``dropped`` counts them.

    Raises
    ------
    InputError
        With file and line, if a column is missing or occurs twice, a label is empty, a score is not
        a number, or a type is unknown.

    Examples
    --------
    >>> read_ratings("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    if isinstance(table, str | Path) and is_appraise(table):
        from supersample.readers.ratings import read_appraise

        return read_appraise(table, language_pair=language_pair)
    columns = rated_rows(table, _ratings_wanted)
    labels = ("assessor", "system", "segment")
    frame = columns.frame[~np.isnan(columns.scores)]
    kinds = None
    if "type" in frame:
        kinds = [kind_of(x, f"{columns.place(row)}: ") for row, x in frame["type"].items()]
    empty = len(columns.frame) - len(frame)
    dropped = plural(empty, "rows without a score") if empty else ""
    return make_ratings(
        frame["score"],
        **{label: frame[label].tolist() for label in labels},
        kind=kinds,
        attrs={
            "source": columns.source,
            "dropped": ", ".join(filter(None, [columns.left_out, dropped])),
        },
    )


def _ratings_wanted(header: Header) -> Wanted:
    """Choose the columns of a table of ratings or of MQM errors."""
    labels = find_labels(header, {})
    if is_of_errors(header):
        return errors_wanted(header, labels)
    lacking = [x for x in ("assessor", "system", "segment", "score") if x not in labels]
    if lacking:
        raise InputError(
            f"{header.source}, line 1: no column is the {' or the '.join(lacking)}; expected "
            "assessor, system, segment, score and optionally type; found "
            f"{listed(header.written) or 'none'}"
        )
    kind = {"type": "type"} if "type" in header.names else {}
    texts = {name: labels[name] for name in ("assessor", "system", "segment")}
    numbers = {"score": labels["score"]}
    return Wanted(texts, kind, numbers, decimal=header.decimal)


Answers = dict[str, dict[Any, Any]]
_OF_ITEMS = ("system", "segment")
_NOT_ANSWERS = (*_OF_ITEMS, "document", "domain", "team", "language pair")
USUAL = (*HUMAN, *ROLES["score"])
"""Names of columns with answers of people."""
_NO_ANSWER = ("", "na", "nan")


def read_answers(
    table: object,
    judge: str | None = None,
    people: Sequence[str] = (),
    *,
    columns: Mapping[str, str] = MappingProxyType({}),
    **options: Any,
) -> Answers:
    """Read answers of people and judges to items.

    Parameters
    ----------
    table : str, Path or data frame
        A table, in any format of `read_table`. A long table has the columns annotator, item and
        answer. A wide table has a row for each item, with a column for the judge and for each
        person. Columns of systems and items have usual names, such as model and prompt, or are
        named by `columns`.
    judge : str, optional
        The judge. A table that has this column is wide.
    people : sequence of str, default ()
        People with a column in a wide table. By default the only other column, or those whose
        names say that people gave the answers.
    columns : mapping of str to str
        Names of columns by role: "system" and "segment" (the item).
    **options
        ``sheet`` and ``missing``, as of `read_table`.

    Returns
    -------
    dict of str to dict
        Answers by annotator and item; numbers where they are numbers, else texts. Empty answers,
        NA and NaN are left out. Items are pairs of a system and a segment if there are systems.
        Without a column of items, each row of a wide table is an item.

    Raises
    ------
    InputError
        If the file has another form, or an annotator gave two answers to an item.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"prompt": ["a", "b"], "human": [1, 2], "gpt": [1, 3]})
    >>> read_answers(table, "gpt")
    {'gpt': {'a': 1.0, 'b': 3.0}, 'human': {'a': 1.0, 'b': 2.0}}
    """
    choose = partial(_answers_wanted, judge=judge, people=people, given=columns)
    read = read_columns(table, choose, **options)
    frame, absent = read.frame, {*_NO_ANSWER, *lowered(options.get("missing", ()))}
    labels = [frame[x].astype(str) for x in _OF_ITEMS if x in frame]
    if "segment" not in frame:
        labels.append(pd.Series([read.place(row) for row in frame.index], frame.index))
    items = [*zip(*labels, strict=True)] if len(labels) > 1 else labels[0].tolist()
    answers: Answers = {}
    for column in (x for x in frame if x not in (*_OF_ITEMS, "scorer")):
        who = frame["scorer"] if "scorer" in frame else [column] * len(frame)
        for row, name, item, answer in zip(frame.index, who, items, frame[column], strict=True):
            of_annotator = answers.setdefault(str(name), {})
            if answer != answer or str(answer).lower() in absent:
                continue
            if item in of_annotator:
                raise InputError(
                    f"{read.place(row)}: {name} answered {item} before; keep one, or name the "
                    "column of systems: FILE:system=NAME (or leave the column out, if each row is "
                    "an item of its own)"
                )
            of_annotator[item] = answer
    return answers


def _answers_wanted(
    header: Header, judge: str | None, people: Sequence[str], given: Mapping[str, str]
) -> Wanted:
    """Choose the columns of a table of answers: long, or wide if the judge has a column."""
    header.check_once(header.names)
    asked = lowered([judge, *people]) if judge else []
    written = dict(zip(header.names, map(str, header.written), strict=True))
    if not asked or asked[0] not in header.names:
        return _long_answers(header, judge, given)
    columns = [*dict.fromkeys(written.values())]
    check_names("column", [written.get(x, x) for x in people], columns, header.source)
    labels = {role: x for role, x in find_labels(header, given).items() if x not in asked}
    for role in _OF_ITEMS:
        if header.has_close(ROLES[role], [*asked, *labels.values()]):
            _check_labels(header, labels, role, named=True)
    if not people:
        free = [x for x in header.names if x not in (asked[0], *map(labels.get, _NOT_ANSWERS))]
        asked += (
            free if len(free) == 1 else named_as_people(free) or [x for x in free if x in USUAL]
        )
        if len(asked) == 1:
            some = as_option(written[x] for x in free[:3]) or "NAME"
            raise InputError(f"{header.source}: name the people, such as --rater {some}")
    chosen = {role: labels[role] for role in _OF_ITEMS if role in labels}
    own = {written[name].strip(): name for name in asked}
    more: Any = {"scorers": own} if header.numeric & {*asked} else {"notes": own, "numbers": {}}
    return Wanted(chosen, missing=header.missing, decimal=header.decimal, **more)


def _long_answers(header: Header, judge: str | None, given: Mapping[str, str]) -> Wanted:
    """Choose the columns of a table with a row for each answer."""
    labels = find_labels(header, given)
    who = labels.get("assessor", labels.get("scorer"))
    answer = "answer" if "answer" in header.names else labels.get("score")
    if who is None or answer is None or "segment" not in labels:
        there = f"; found {listed(header.written) or 'nothing'}"
        there = (
            f", and no column {quoted(judge)}{instead(judge, header.written)}" if judge else there
        )
        wanted = "not the columns annotator, item and answer"
        raise InputError(f"{header.source}, line 1: {wanted}{there}")
    chosen = {role: labels[role] for role in _OF_ITEMS if role in labels} | {"scorer": who}
    of = {"score": answer}
    more: Any = {"numbers": of} if answer in header.numeric else {"notes": of, "numbers": {}}
    return Wanted(chosen, missing=header.missing, decimal=header.decimal, **more)


_LABELS = {"system": "system", "segment": "segment"}
_NAMES = "METRIC SID SCORE RANK HUMAN, or system segment score and optionally trained_on"


def read_predictions(
    path: str | Path, *, gold: Sequence[str] = (), length: str | None = None
) -> xr.Dataset:
    """Read Predictions from WMT's quality estimation layout or from a long table.

    Parameters
    ----------
    path : str or Path
        The file; "-" reads text from standard input. A name ending in .parquet is Parquet, any
        other is text: tabs in the first line are the delimiter, otherwise commas.
    gold : sequence of str, default ("human",)
        In a long table, the names of gold standards. In WMT's layout, a name for the only one.
    length : str, optional
        In a long table, the name of the length of translations, in words.

    Returns
    -------
    xarray.Dataset
        Predictions. Empty numbers, None, NA, NaN and absent rows are missing values.

    Raises
    ------
    InputError
        With file and line, if a column is missing or occurs twice, a row is too short or long, a
        name is empty, a number is invalid or infinite, a segment has two predictions of a system or
        two gold labels, or a system has two kinds of training labels; or if a gold standard does
        not exist.

    Examples
    --------
    >>> read_predictions("nowhere.tsv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.tsv
    """
    columns = read_columns(path, _choose, suffixes=())
    if "human" in columns.frame:
        if length is not None:
            raise InputError(f"{columns.source}: lengths need the columns system, segment, score")
        if len(gold) > 1:
            names = listed(gold)
            raise InputError(f"{columns.source}: this layout has one gold standard, not {names}")
        columns.labels_of("human", said="the gold label")
        columns = columns.with_people("system", [*gold, "human"][0], ["segment"])
    return _predictions(columns, list(gold or ["human"]), length)


def _choose(header: Header) -> Wanted:
    """Choose the columns of a table of predictions."""
    of_task = bool({"metric", "sid"} & {*header.names})
    labels = {"system": "metric", "segment": "sid"} if of_task else _LABELS
    labels = {**labels, **{x: x for x in ("scorer",) if x in header.names and not of_task}}
    notes = {x: x for x in ("trained_on",) if x in header.names and not of_task}
    numbers = {x: x for x in (("score", "human") if of_task else ("score",))}
    wanted = Wanted(labels, notes, numbers, decimal=header.decimal)
    for name in wanted.names:
        if name not in header.names:
            raise InputError(
                f"{header.source}, line 1: no column '{name}'; expected {_NAMES}; found "
                f"{listed(header.names) or 'nothing'}"
            )
    header.check_once(wanted.names)
    return wanted


def _predictions(columns: Columns, gold: list[str], length: str | None) -> xr.Dataset:
    who = "scorer" if "scorer" in columns.frame else "system"
    names = columns.names(who)
    check_names(who, (*gold, *([] if length is None else [length])), names, columns.source)
    if len(set(gold)) < len(gold) or length in gold:
        raise InputError("a gold standard, or the length, is named twice; name each once")
    if who == "scorer":
        columns = columns.join_labels("system", between="/")
    cube = columns.cube((who, "segment"))
    columns.check_numbering(who, gold[0])
    systems = [name for name in names if name not in (*gold, length)]
    if not systems:
        raise InputError(f"{columns.source} has gold standards and no predictions; add some")
    try:
        trained_on = columns.labels_of("trained_on", who)
    except InputError as error:
        raise InputError(f"{error}; give two systems different names") from error
    return make_predictions(
        cube.loc[systems],
        cube.loc[gold],
        systems=systems,
        gold=gold,
        segments=columns.names("segment"),
        length=None if length is None else cube.loc[length],
        trained_on=trained_on and [trained_on[names.index(name)] for name in systems],
        attrs={"source": columns.source},
    )
