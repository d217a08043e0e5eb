"""MQM error annotations to scores, by the standard weights of Freitag et al. (2021).

A non-translation costs 25 points, any other major error 5, a minor one of punctuation 0.1, any
other minor error 1. Errors of the source and creative reinterpretations cost nothing. The score of
a translation is minus the sum.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError, quoted
from supersample.readers.text import decode, read_raw

NON_TRANSLATION, MAJOR, MINOR, PUNCTUATION = 25.0, 5.0, 1.0, 0.1
_OF_SOURCE = ("source issue", "source error")


def penalty(where: str, severity: object, category: object) -> float:
    """Weight of one error (Freitag et al. 2021, "Experts, Errors, and Context", table 4).

    Examples
    --------
    >>> [penalty("", severity, "fluency/punctuation") for severity in ("major", "minor")]
    [5.0, 0.1]
    """
    degree, kind = str(severity).strip().lower(), str(category).strip().lower()
    # errors of the source are free, but not, say, "source language fragment"
    is_free = kind.startswith(_OF_SOURCE) or "creative reinterpretation" in kind
    if degree in ("neutral", "no-error", "none") or is_free:
        return 0.0
    if "non-translation" in kind or degree == "critical":
        return NON_TRANSLATION
    if degree == "major":
        return MAJOR
    if degree == "minor":
        return PUNCTUATION if "punctuation" in kind else MINOR
    raise InputError(f"{where}: the severity {quoted(degree)} is neither major nor minor")


def appraise_penalty(where: str, span: object) -> float:
    """Weight of an error span of Appraise, whose type is a list such as ["Fluency", "Grammar"]."""
    if not isinstance(span, dict) or "severity" not in span:
        raise InputError(f"{where}: an error span without a severity")
    kind = span.get("error_type")
    category = "/".join(map(str, kind)) if isinstance(kind, list) else kind
    return penalty(where, span["severity"], category)


def read_mqm(path: str | Path) -> dict[str, NDArray[np.float64]]:
    """Read MQM annotations in the layout of mt-metrics-eval (``.seg.rating``) as scores.

    Parameters
    ----------
    path : str or Path
        A system and ``None`` or the JSON object ``{"errors": [...]}`` on each line, a system's
        lines in the order of the segments.

    Returns
    -------
    dict of str to ndarray, shape (segments,)
        Scores of each system, at most 0, NaN where nobody rated.

    Raises
    ------
    InputError
        With file and line, if a line is not this, or systems differ in their number of ratings.

    References
    ----------
    Freitag et al. (2021), "Experts, Errors, and Context: A Large-Scale Study of Human Evaluation
    for Machine Translation", TACL 9.

    Examples
    --------
    >>> read_mqm("nowhere.seg.rating")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.seg.rating
    """
    source, raw = read_raw(path)
    scores: dict[str, list[float]] = {}
    lines: dict[str, int] = {}
    for i, line in enumerate(decode(source, raw).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{source}, line {i}"
        system, tab, text = line.partition("\t")
        if not tab or not system.strip():
            raise InputError(f"{where}: expected a system, a tab and its errors")
        scores.setdefault(system.strip(), []).append(_score(where, text.strip()))
        lines[system.strip()] = i
    if not scores:
        raise InputError(f"{source} is empty")
    most = max(map(len, scores.values()))
    for system, ratings in scores.items():
        if len(ratings) < most:
            raise InputError(
                f"{source}, line {lines[system]}: {quoted(system)} has {len(ratings)} ratings, "
                f"others have {most}"
            )
    return {system: np.array(ratings) for system, ratings in scores.items()}


def _score(where: str, text: str) -> float:
    if text == "None":
        return np.nan
    try:
        rating = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    errors = rating.get("errors") if isinstance(rating, dict) else None
    if not isinstance(errors, list):
        raise InputError(f'{where}: expected {{"errors": [...]}} or None')
    total = 0.0
    for mark in errors:
        if not isinstance(mark, dict) or "severity" not in mark:
            raise InputError(f"{where}: an error without a severity")
        total += penalty(where, mark["severity"], mark.get("category"))
    return -total if total else 0.0
