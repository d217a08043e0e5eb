"""Read what people gave: files of Appraise (DA, ESA and MQM), and MQM errors.

Errors have the standard MQM weights of Freitag et al. (2021). A non-translation costs 25 points,
any other major error 5, a minor punctuation error 0.1, any other minor error 1. Errors of the
source and creative reinterpretations cost nothing. The score of a translation is minus the sum.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from supersample.errors import (
    InputError,
    check_choice,
    check_names,
    listed,
    printable,
    quoted,
    shortened,
)
from supersample.readers.cells import Columns, in_order
from supersample.readers.table_files import Text
from supersample.readers.text import Row, number, parsed, read_raw
from supersample.scores.ratings import TRANSLATION, average_ratings, kind_of, make_ratings


def rated_by_errors(columns: Columns) -> Columns:
    """Convert rows of MQM errors to ratings of each assessor: minus the sum of their weights."""
    pairs, codes = columns.label_pairs("severity", "category")
    firsts = np.unique(codes, return_index=True)[1]
    weights = [penalty(columns.where(row), *pair) for row, pair in zip(firsts, pairs, strict=True)]
    people = columns if "assessor" in columns.frame else columns.with_one("assessor", "one")
    frame = people.frame.assign(scorer=pd.Categorical(["human"] * len(codes)))
    frame["score"] = 0.0 - np.array(weights)[codes]
    rated = ["assessor", "system", "segment"]
    frame["score"] = frame.groupby(rated, observed=True)["score"].transform("sum")
    said = ", ".join(filter(None, [columns.read_as, "minus the weights of MQM's errors"]))
    return replace(people, frame=frame[~frame.duplicated(rated)], read_as=said)


def appraise_columns(path: str | Path, language_pair: str | None) -> Columns:
    """Average the ratings in a CSV file of Appraise, as rows of a table."""
    average = average_ratings(read_appraise(path, language_pair=language_pair))
    frame = average["human"].to_series().dropna().rename("score").reset_index()
    labels = {"scorer": "human", **({"language pair": language_pair} if language_pair else {})}
    frame = frame.assign(**labels)
    documents = frame["segment"].str.rpartition(":")[0]
    if not average.attrs["unplaced"] and (documents != "").all():
        frame = frame.assign(document=documents)
    for label in frame.columns.drop("score"):
        frame[label] = in_order(*pd.factorize(frame[label])[::-1])
    said = f"means of ratings of Appraise by {average.attrs['scored_by']}"
    return Columns(printable(path), frame, lambda row: f"{path}, mean {row + 1}", said)


NON_TRANSLATION, MAJOR, MINOR, PUNCTUATION = 25.0, 5.0, 1.0, 0.1
_CODES = (
    "ara:ar ces:cs deu:de eng:en est:et fin:fi fra:fr heb:he hin:hi hrv:hr isl:is ita:it jpn:ja "
    "kor:ko lit:lt plk:pl pol:pl rus:ru spa:es srp:sr tam:ta ukr:uk zho:zh"
)
# language codes of test sets, by those of Appraise
_LANGUAGES = dict(pair.split(":") for pair in _CODES.split())
_WIDTHS = (9, 11, 12)
_COLUMNS = ("assessor", "system", "item", "kind", "score", "document", "counted")
# columns of a row of Appraise; the last says whether items are lines of the test set
SLIDER = (0.0, 100.0)
_UNUSED = ("#incomplete", "#dup")
# marks of documents that WMT leaves out, if items are lines of the test set


def read_appraise(
    path: str | Path,
    *,
    score: Literal["slider", "spans"] | None = None,
    language_pair: str | None = None,
) -> xr.Dataset:
    """Read raw ratings from a CSV file of Appraise, the format of WMT's campaigns.

    The columns (there is no header) are: assessor, system, item, type, source language, target
    language, score, document, whether the document is complete, error spans (quoted JSON, or none;
    older campaigns lack the column), start and end time. Campaigns of single sentences, until
    WMT19, lack the columns of documents and spans and have nine.

    Parameters
    ----------
    path : str or Path
    score : {"slider", "spans"}, optional
        "slider": the score that the assessor gave. "spans": minus the sum of the penalties of the
        error spans, by the standard weights of MQM. Default: "slider", unless all
        sliders have the same value, as in campaigns of MQM.
    language_pair : str, optional
        For instance "en-ja"; needed if the file has several.

    Returns
    -------
    xarray.Dataset
        Ratings. Segments are named "document:k". In campaigns since 2024, whose documents do not
        name the system, items are lines of the test set, and k counts from the first item of the
        document; documents that are marked ``#incomplete`` or ``#dup`` are left out, and
        only an assessor's last answer to an item counts, as in WMT's results. Earlier campaigns do
        not say which segment an item is; k counts the items of a
        document that an assessor rated, in their order. If an assessor rated only part of a
        document, the part is unknown: the name is then "document:assessor:k", and ``unplaced``
        counts such ratings. For single sentences, items are lines of the test set, and segments
        have their numbers. An item ``#duplicateN`` is another rating of the same translation, and
        so is an item that occurs again with another answer. ``dropped`` counts and names rows that
        were left out: exact copies, and items without a document of a system, such as those of
        tutorials.

    Raises
    ------
    InputError
        With file and line, if a row has other columns, an item is not an integer, the type is
        unknown, the score is not a number or the error spans are not JSON; or if the file has
        several language pairs and none was named.

    Examples
    --------
    >>> read_appraise("nowhere.csv")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.csv
    """
    check_choice("score", score or "slider", ("slider", "spans"))
    text = Text(*read_raw(path), ",", quoted=True)
    source = text.source
    dropped: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    found: list[tuple[object, ...]] = []
    for line, fields in _of_pair(source, list(text.split()), language_pair):
        if tuple(fields) in seen:
            dropped["rows that stand there twice"] += 1
            continue
        seen.add(tuple(fields))
        row = _appraise_row(text.where(line), fields, score)
        if row is None:
            name = fields[7].strip()
            mark = next((mark for mark in _UNUSED if mark in name), "")
            dropped[f"items of {'documents marked ' + mark if mark else shortened(name)}"] += 1
        else:
            found.append(row)
    if not found:
        raise InputError(f"{source} has no ratings of translations")
    rows = pd.DataFrame(found, columns=_COLUMNS)
    again = rows["counted"] & (rows["document"] != "") & rows.duplicated(_COLUMNS[:4], keep="last")
    if again.any():
        rows = rows[~again].reset_index(drop=True)
        dropped["earlier answers to an item"] = int(again.sum())
    unmoved = len(rows) > 1 and rows["score"].nunique() == 1
    if score is None and unmoved and all(len(fields) == 12 for fields in seen):
        return read_appraise(path, score="spans", language_pair=language_pair)
    segments, unplaced = _segments(rows)
    lines = (rows["counted"] & (rows["document"] != "")).all()
    ratings = make_ratings(
        rows["score"],
        item=rows["item"].to_numpy() if lines else None,
        **{name: rows[name].tolist() for name in ("assessor", "system", "kind")},
        segment=segments,
        attrs={
            "source": source,
            "dropped": ", ".join(f"{count} {what}" for what, count in dropped.items()),
            "unplaced": unplaced,
            "scored_by": score or "slider",
        },
    )
    if score != "spans" and rows["score"].between(*SLIDER).all():
        ratings["rating"].attrs["valid_range"] = SLIDER
    return ratings


def _of_pair(source: str, found: list[Row], language_pair: str | None) -> list[Row]:
    """Rows of the given language pair, or of the only one."""
    codes = ([code.strip() for code in fields[4:6]] for _, fields in found)
    pairs = ["-".join(_LANGUAGES.get(code, code) for code in pair) for pair in codes]
    several = list(dict.fromkeys(pair for pair in pairs if "-" in pair))
    if len(several) < 2:
        return found
    if language_pair is None:
        raise InputError(f"{source} has several language pairs: name one of {listed(several)}")
    wanted = "-".join(part.partition("_")[0] for part in language_pair.split("-"))
    check_names("language pair", [wanted], several, source)
    return [row for row, pair in zip(found, pairs, strict=True) if pair in (wanted, "")]


def _appraise_row(where: str, fields: list[str], score: str | None) -> tuple[object, ...] | None:
    """Row of a translation; None for other items."""
    if len(fields) not in _WIDTHS:
        there = "9 (without documents), 11, or 12 (with error spans)"
        raise InputError(f"{where}: {len(fields)} columns; a row of Appraise has {there}")
    assessor, system, item, kind, _, _, slider = (text.strip() for text in fields[:7])
    document = fields[7].strip() if len(fields) > min(_WIDTHS) else ""
    if not assessor or not system:
        raise InputError(f"{where}: the {'system' if assessor else 'assessor'} is empty")
    if not (item.isascii() and item.isdigit() and len(item) < 16):
        raise InputError(f"{where}: the item {quoted(item)} is not an integer")
    kind = kind_of(kind, f"{where}: ")
    value = number(where, slider, ())
    if score == "spans":
        value = -_penalties(where, _spans(where, fields))
    name, *rest = document.split("#")
    counted = not any(part in (system, system.partition(".")[2]) for part in rest[:1])
    unused = counted and any(mark[1:] in rest for mark in _UNUSED)
    if unused or name == system or (not rest and "tutorial" in name):
        return None
    if rest and system.endswith(f".{rest[0]}"):
        system = system.partition(".")[2]
    return assessor, system, int(item), kind, value, name, counted


def _spans(where: str, fields: list[str]) -> list[object]:
    if len(fields) < 12:
        raise InputError(f"{where}: there is no column of error spans")
    spans = parsed(f"{where}, error spans", fields[9])
    if not isinstance(spans, list):
        raise InputError(f"{where}: the error spans are not a list")
    return spans


def _segments(rows: pd.DataFrame) -> tuple[list[str], int]:
    """Name of each row's segment, and the number of ratings whose segment is unknown."""
    shown = ["kind", "assessor", "system", "document"]
    # items of a run have a constant distance from their rank; a document shown twice is two runs
    rows = rows.assign(run=rows["item"] - rows.groupby(shown)["item"].rank("dense"))
    items = rows.groupby([*shown, "run"])["item"]
    place, size = items.rank("dense").astype(int), items.transform("nunique")
    documents = rows["document"]
    in_document = rows["item"] - rows.groupby("document")["item"].transform("min") + 1
    part = ~rows["counted"] & (size < size.groupby(documents).transform("max"))
    middle = (":" + rows["assessor"]).where(part, "")
    number = place.where(~rows["counted"], in_document).astype(str)
    translated = rows["kind"] == TRANSLATION
    labels = (documents + middle + ":" + number).where(documents != "", rows["item"].astype(str))
    # repeats and references have the numbers of their items
    own = [rows[name] for name in ("assessor", "system", "document", "item")]
    original = labels.where(translated).groupby(own).transform("first")
    return original.fillna(labels).tolist(), int((part & translated).sum())


def penalty(where: str, severity: object, category: object) -> float:
    """Weight of one error (Freitag et al. 2021, "Experts, Errors, and Context", table 4).

    Examples
    --------
    >>> [penalty("", severity, "fluency/punctuation") for severity in ("major", "minor")]
    [5.0, 0.1]
    """
    degree, kind = str(severity).strip().lower(), str(category).strip().lower()
    # errors of the source cost nothing, but "source language fragment", for instance, does
    free = kind.startswith(("source issue", "source error")) or "creative reinterpretation" in kind
    if degree in ("neutral", "no-error", "none") or free:
        return 0.0
    if "non-translation" in kind or degree == "critical":
        return NON_TRANSLATION
    if degree == "major":
        return MAJOR
    if degree == "minor":
        return PUNCTUATION if "punctuation" in kind else MINOR
    raise InputError(f"{where}: the severity {quoted(degree)} is neither major nor minor")


def _penalties(where: str, errors: Sequence[object]) -> float:
    """Sum the weights of errors; a category may be a list such as ["Fluency", "Grammar"]."""
    total = 0.0
    for error in errors:
        if not isinstance(error, dict) or "severity" not in error:
            raise InputError(f"{where}: an error without a severity")
        kind = error.get("category", error.get("error_type"))
        category = "/".join(map(str, kind)) if isinstance(kind, list) else kind
        total += penalty(where, error["severity"], category)
    return total
