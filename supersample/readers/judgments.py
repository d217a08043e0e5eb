"""Read judgments: annotators' answers to items."""

from pathlib import Path
from typing import Any

from supersample.errors import InputError, listed
from supersample.readers.columns import chooser
from supersample.readers.json_tables import parsed
from supersample.readers.table_files import read_columns
from supersample.readers.text import data_suffix, decode, read_raw

Answers = dict[str, dict[Any, Any]]
_ANSWERS = ("annotator", "item", "answer")


def read_answers(path: str | Path) -> Answers:
    """Read answers of annotators, or of judges, to items.

    Parameters
    ----------
    path : str or Path
        JSON of the form annotator -> item -> answer; or a table, in any format of `read_table`,
        with the columns annotator, item and answer.

    Returns
    -------
    dict of str to dict
        Answers by annotator and item; texts, except for numbers in JSON.

    Raises
    ------
    InputError
        If the file has another form, or an annotator gave two answers to an item.

    Examples
    --------
    >>> read_answers("nowhere.json")
    Traceback (most recent call last):
    supersample.errors.InputError: there is no file nowhere.json
    """
    if data_suffix(Path(path)) == ".json":
        source, raw = read_raw(path)
        found = parsed(source, decode(source, raw))
        if isinstance(found, dict) and all(isinstance(each, dict) for each in found.values()):
            return {name: _given(of, source) for name, of in found.items()}
        if isinstance(found, dict):
            raise InputError(f'{source}: expected answers as {{"annotator": {{"item": "answer"}}}}')
    columns = read_columns(path, chooser(_ANSWERS, numbers=(), names=listed(_ANSWERS)))
    answers: Answers = {}
    for row, annotator, item, answer in columns.frame[[*_ANSWERS]].astype(str).itertuples():
        own = answers.setdefault(annotator, {})
        if item in own:
            raise InputError(f"{columns.place(row)}: {annotator} answered {item} before; keep one")
        own[item] = answer
    return {name: _given(of, columns.source) for name, of in answers.items()}


def _given(answers: dict[Any, Any], source: str) -> dict[Any, Any]:
    """Keep given answers; convert numbers, also if a file writes them as text."""
    found: dict[Any, Any] = {}
    for item, answer in answers.items():
        if isinstance(answer, list | dict):
            raise InputError(f"{source}: the answer to {item} must be a number or a text")
        if answer is None or answer == "":
            continue
        try:
            found[item] = answer if isinstance(answer, bool) else float(answer)
        except ValueError:
            found[item] = answer
    return {item: each for item, each in found.items() if each == each}  # NaN is no answer
