"""Tables in JSON: lines or an array of objects, columns, and what tools of the field write."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from supersample.errors import InputError, check_text, listed, quoted
from supersample.execution.memory import check_memory
from supersample.readers.json_records import reshaped
from supersample.readers.text import decode, read_raw

JSON_LINES = (".jsonl", ".ndjson")
JSON = (*JSON_LINES, ".json")
BYTES_A_BYTE = 17
"""Of memory, of a byte of JSON: measured with lines of a system, segment, scorer and score."""
Records = list[tuple[str, dict[str, Any]]]
"""Objects and their places."""


def json_table(
    source: str, raw: bytes, suffix: str
) -> tuple[list[str], list[tuple[str, Sequence[str]]]]:
    """Names and rows of a table in JSON, all cells as texts."""
    check_memory(len(raw) * BYTES_A_BYTE, f"{source}: objects of so much JSON", "save it as CSV")
    text = decode(source, raw)
    records = _lines(source, text) if suffix in JSON_LINES else _document(source, text)
    if not records:
        raise InputError(f"{source} has no objects; expected one for each score")
    shaped = reshaped(source, records)
    names = list(dict.fromkeys(name for _, record in shaped for name in record))
    if len({name.strip().lower() for name in names}) < len(names):
        raise InputError(f"{source}: two names differ in case or spaces alone")
    if len(shaped) == len(records):
        _check_names(shaped, names)
    rows: list[tuple[str, Sequence[str]]] = [
        (where, [_text(record.get(name)) for name in names]) for where, record in shaped
    ]
    return names, rows


def sacrebleu_scores(name: str, path: Path) -> dict[str, dict[str, float]]:
    """Read the scores of systems that sacrebleu prints for several, with ``--format json``.

    Returns those of the metric of this name, or of the only one, by system, for the segment "".
    """
    source, raw = read_raw(path)
    found: dict[str, dict[str, float]] = {}
    for where, record in _document(source, decode(source, raw)):
        scores = {
            name: value["score"]
            for name, value in record.items()
            if isinstance(value, dict) and isinstance(value.get("score"), int | float)
        }
        chosen = name if name in scores else next(iter(scores), "")
        if "system" not in record or not scores or (len(scores) > 1 and name not in scores):
            raise InputError(
                f"{where}: expected what sacrebleu prints for several systems, a system and the "
                f"score of {quoted(name)}; here it has {listed(record)}"
            )
        found[_stem(str(record["system"]))] = {"": float(scores[chosen])}
    return found


def _lines(source: str, text: str) -> Records:
    numbered = ((f"{source}, line {i}", line) for i, line in enumerate(text.split("\n"), start=1))
    return [(where, json_object(where, line)) for where, line in numbered if line.strip()]


def _document(source: str, text: str) -> Records:
    """Take a whole document apart: an array, columns, or arrays by the name of a system's file."""
    value = _parsed(source, text)
    if isinstance(value, list):
        return _array(source, value)
    if not isinstance(value, dict) or not value:
        raise InputError(f"{source}: expected an array of objects, or an object of columns")
    if all(isinstance(part, list) and part for part in value.values()):
        if all(isinstance(x, dict) for part in value.values() for x in part):
            return _by_system(source, value)
        return _columns(source, {name: list(part) for name, part in value.items()})
    if all(isinstance(part, dict) and part for part in value.values()):
        return _columns(source, _same_rows(source, value))
    return [(source, value)]


def _array(source: str, values: list[Any]) -> Records:
    for i, value in enumerate(values, start=1):
        if not isinstance(value, dict):
            raise InputError(
                f"{source}, item {i}: expected a JSON object, with a name for each value"
            )
    return [(f"{source}, item {i}", value) for i, value in enumerate(values, start=1)]


def _by_system(source: str, value: Mapping[str, list[dict[str, Any]]]) -> Records:
    """Segments of each system in order, as COMET writes them by the name of its file."""
    counts = {name: len(part) for name, part in value.items()}
    if len(set(counts.values())) > 1:
        raise InputError(
            f"{source}: systems have different numbers of segments: "
            f"{listed(f'{name} {count}' for name, count in counts.items())}"
        )
    return [
        (f"{source}, {quoted(name)}, item {i}", {"system": _stem(name), "position": i, **item})
        for name, part in value.items()
        for i, item in enumerate(part, start=1)
    ]


def _stem(name: str) -> str:
    """Name of a system from the path of its output."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return last.removesuffix(Path(last).suffix) if last.endswith((".txt", ".jsonl")) else last


def _same_rows(source: str, value: Mapping[str, Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Columns that are objects by row, as pandas writes them."""
    rows = list(next(iter(value.values())))
    for name, column in value.items():
        if column.keys() != set(rows):
            raise InputError(
                f"{source}: the column {quoted(name)} has other rows than the first one"
            )
    return {name: [column[row] for row in rows] for name, column in value.items()}


def _columns(source: str, columns: Mapping[str, Sequence[Any]]) -> Records:
    counts = {len(column) for column in columns.values()}
    if len(counts) > 1:
        raise InputError(f"{source}: columns have different lengths: {listed(sorted(counts))}")
    return [
        (f"{source}, row {i + 1}", {name: column[i] for name, column in columns.items()})
        for i in range(counts.pop())
    ]


def _check_names(records: Records, names: Sequence[str]) -> None:
    """Refuse objects that lack names of others: a slip there is no missing score."""
    for where, record in records:
        if len(record) != len(names):
            first = records[0][1].keys()
            odd = sorted(record.keys() ^ first) or sorted(set(names) - record.keys())
            raise InputError(
                f"{where}: {quoted(odd[0])} is a name here or in the first line, not in both"
            )


def json_object(where: str, line: str) -> dict[str, Any]:
    """Read a line that is an object."""
    value = _parsed(where, line)
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected a JSON object, with a name for each value")
    return value


def _parsed(where: str, text: str) -> Any:
    def unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        found = list(pairs)
        values = dict(found)
        if len(values) < len(found):
            raise InputError(f"{where}: a name occurs twice")
        return values

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: not JSON ({error})") from error
    if "\\ud" in text.lower():  # half a character can be written as an escape alone
        check_text(where, _texts(value))
    return value


def _texts(value: Any) -> Iterator[str]:
    """Names and texts within a value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        yield from (text for part in value for text in _texts(part))
    elif isinstance(value, str):
        yield value


def _text(value: Any) -> str:
    return "" if value is None else str(value)
