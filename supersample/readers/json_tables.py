"""Tables in JSON: lines or arrays of objects, columns, and formats of tools in the field.

Objects are rows, and nested objects are columns, unless the names of the first object show that a
tool or a campaign wrote the file:

- SacreROUGE: ``instance_id``, ``summarizer_id`` and ``metrics``, nested; lists are ratings;
- SummEval: ``id``, ``model_id``, ``expert_annotations`` and ``turker_annotations``;
- human evaluation of WMT24 and WMT25's general task: ``doc_id`` and ``scores`` of each system;
- automatic scores of WMT25's general task: ``document_id`` and ``metric_scores``, lists of a
  document's segments, in a file for each system;
- Label Studio's export: ``data``, which names system and segment, and ``annotations``;
- Pearmut's annotations: ``user_id``, ``item`` and ``annotation``, lists of a document's segments;
- samples of lm-evaluation-harness: ``doc_id`` and ``resps``, in a folder for each system;
- logs of Inspect: ``eval``, which names the system, and ``samples``.

Lists of objects within an object, each with a score or a system, are rows, too.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from supersample.errors import InputError, check_text, listed, quoted
from supersample.execution.memory import check_memory
from supersample.readers.text import Row, by_name, decode, is_number, read_raw

JSON_LINES = (".jsonl", ".ndjson")
JSON = (*JSON_LINES, ".json")
# bytes of memory per byte of JSON: measured with lines of system, segment, scorer and score
BYTES_A_BYTE = 17
Object = dict[str, Any]
Records = list[tuple[str, Object]]  # objects with their places in the file
_BETWEEN = "_#_"
_SCORED = {"score", "rating", "value", "system", "model"}
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # of Inspect: correct, partial, incorrect, none
_INNER = ("metrics", "scores", "metric_scores", "judges", "judgments", "judge_scores")


def json_table(source: str, raw: bytes, suffix: str) -> tuple[str, list[str], list[Row], str]:
    """Read a table in JSON; see `object_table`."""
    check_memory(len(raw) * BYTES_A_BYTE, f"{source}: objects of so much JSON", "save it as CSV")
    text = decode(source, raw)
    try:
        records = _lines(source, text) if suffix in JSON_LINES else _document(source, text)
        return object_table(source, records)
    except RecursionError:
        raise InputError(f"{source} is nested too deeply") from None


def object_table(source: str, records: Records) -> tuple[str, list[str], list[Row], str]:
    """Source, names and rows of objects (all cells are texts), and a note on rows left out."""
    if not records:
        raise InputError(f"{source} has no objects; expected one for each score")
    shaped = _reshaped(source, records)
    checks = list(dict.fromkeys(row["check"] for _, row in shaped if "check" in row))
    left_out = f"attention checks left out: {listed(checks, 5)}" if checks else ""
    shaped = [(where, row) for where, row in shaped if "check" not in row] if checks else shaped
    names = list(dict.fromkeys(name for _, record in shaped for name in record))
    if len({name.strip().lower() for name in names}) < len(names):
        raise InputError(f"{source}: two names differ only in case or spaces")
    rows: list[Row] = []
    for where, record in shaped:
        cells = (record.get(name) for name in names)
        rows.append((where, ["" if cell is None else str(cell) for cell in cells]))
    return source, names, rows, left_out


def sacrebleu_scores(name: str, path: Path) -> dict[str, float]:
    """Read the scores of several systems that sacrebleu prints with ``--format json``.

    Returns the scores of the metric of this name, or of the only metric, by system.
    """
    source, raw = read_raw(path)
    found: dict[str, float] = {}  # by the name of the system's output file
    for where, record in _document(source, decode(source, raw)):
        scores = {
            name: value["score"]
            for name, value in record.items()
            if isinstance(value, dict) and isinstance(value.get("score"), int | float)
        }
        chosen = name if name in scores else next(iter(scores), "")
        if "system" not in record or not scores or (len(scores) > 1 and name not in scores):
            raise InputError(
                f"{where}: expected a system and its score of {quoted(name)}, as sacrebleu prints "
                f"for several systems; found {listed(record)}"
            )
        system = str(record["system"])
        if system in found:
            raise InputError(f"{where}: a second score of {quoted(system)}; keep one")
        found[system] = float(scores[chosen])
    return {stem: found[system] for stem, system in by_name(found, _stem).items()}


def json_object(where: str, line: str) -> Object:
    """Read a line that must be an object."""
    return _object(where, parsed(where, line))


def _object(where: str, value: Any) -> Object:
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected a JSON object, with a name for each value")
    return value


def _lines(source: str, text: str) -> Records:
    numbered = ((f"{source}, line {i}", line) for i, line in enumerate(text.split("\n"), start=1))
    return [(where, json_object(where, line)) for where, line in numbered if line.strip()]


def _document(source: str, text: str) -> Records:
    """Read a whole document: an array, columns, or arrays by the name of a system's file."""
    value = parsed(source, text)
    if isinstance(value, list):
        return [(where, _object(where, each)) for where, each in _items(source, value)]
    if not isinstance(value, dict) or not value:
        raise InputError(f"{source}: expected an array of objects, or an object of columns")
    parts = list(value.values())
    if all(isinstance(part, list) and part for part in parts):
        if all(isinstance(x, dict) for part in parts for x in part):
            return _by_system(source, value)
        return _columns(source, value)
    if all(isinstance(part, dict) and part for part in parts):  # format of pandas
        if any(isinstance(inner, dict) for part in parts for inner in part.values()):
            raise InputError(
                f"{source}: nested names do not tell which are systems and which are segments; "
                'write an array of rows: [{"scorer": ..., "system": ..., "segment": ..., '
                '"score": ...}, ...]'
            )
        for name, part in value.items():
            if part.keys() != parts[0].keys():
                column = quoted(name)
                raise InputError(f"{source}: the column {column} has other rows than the first")
        value = {name: [part[row] for row in parts[0]] for name, part in value.items()}
        return _columns(source, value)
    return [(source, value)]


def _items(source: str, values: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    return ((f"{source}, item {i}", value) for i, value in enumerate(values, start=1))


def _by_system(source: str, value: Mapping[str, list[Object]]) -> Records:
    """Segments of each system in order, in COMET's format (by the name of the system's file)."""
    stems = by_name(value, _stem)
    counts = {name: len(part) for name, part in value.items()}
    if len(set(counts.values())) > 1:
        raise InputError(
            f"{source}: systems have different numbers of segments: "
            f"{listed(f'{name} {count}' for name, count in counts.items())}"
        )
    return [
        (where, {"system": stem, "position": i, **item})
        for stem, name in stems.items()
        for i, (where, item) in enumerate(_items(f"{source}, {quoted(name)}", value[name]), start=1)
    ]


def _stem(name: str) -> str:
    """Name of a system, from the path of its output."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return last.removesuffix(Path(last).suffix) if last.endswith((".txt", ".jsonl")) else last


def _columns(source: str, columns: Mapping[str, Sequence[Any]]) -> Records:
    counts = {len(column) for column in columns.values()}
    if len(counts) > 1:
        raise InputError(f"{source}: columns have different lengths: {listed(sorted(counts))}")
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return [(f"{source}, row {i}", row) for i, row in enumerate(rows, start=1)]


def parsed(where: str, text: str) -> Any:
    """Read a text as JSON."""

    def unique(pairs: list[tuple[str, Any]]) -> Object:
        values = dict(pairs)
        if len(values) < len(pairs):
            raise InputError(f"{where}: an object has the same name twice; rename one")
        return values

    try:
        value = json.loads(text, object_pairs_hook=unique)
        if "\\ud" in text.lower():  # half a character can only be written as an escape
            check_text(where, _texts(value))
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    except RecursionError:
        raise InputError(f"{where}: not JSON that can be read: nested too deeply") from None
    return value


def _texts(value: Any) -> Iterator[str]:
    """Yield names and texts within a value."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        yield from (text for part in value for text in _texts(part))
    elif isinstance(value, str):
        yield value


def _reshaped(source: str, records: Records) -> Records:
    """Convert objects to rows with the same names."""
    first = records[0][1]
    if {"name", "score", "signature"} <= first.keys() and "system" not in first:
        raise InputError(
            f"{source} has sacrebleu's score of a whole system, not of segments; --corpus-metric "
            "computes it from the texts for every hybrid"
        )
    for names, shape in _SHAPES.items():
        if set(names) <= first.keys():
            shaped = ((where, shape(source, where, record)) for where, record in records)
            rows = [(where, row) for where, of_record in shaped for row in of_record]
            if not rows:
                raise InputError(f"{source} has no scores")
            return rows  # missing values were not scored
    rows = [(where, _flat(part)) for where, record in records for part in _parts(record)]
    for where, row in rows:
        odd = sorted(row.keys() ^ rows[0][1].keys())
        if odd:  # a mistyped name must not look like a missing score
            name = quoted(odd[0])
            raise InputError(f"{where}: {name} is here or in the first line; write it in both")
    return rows


def _parts(record: Object) -> list[Object]:
    """Objects in a list within an object, each with the values outside the list."""
    for name, value in record.items():
        if _is_scored(value):
            around = {key: each for key, each in record.items() if key != name}
            return [row for part in value for row in _parts(around | part)]
    return [record]


def _is_scored(value: Any) -> bool:
    """Whether a value is a list of objects, each of a score or of a system."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(part, dict) and _SCORED & part.keys() for part in value)


def _flat(record: Mapping[str, Any], before: str = "") -> Object:
    """Flatten nested objects to columns; the name of the object with the scores is left out."""
    flat: Object = {}
    for name, value in record.items():
        if isinstance(value, dict):
            flat |= _flat(value, before if name in _INNER else f"{before}{name}_")
        else:
            flat[f"{before}{name}"] = value
    return flat


def _mean(where: str, values: Sequence[Any]) -> float | None:
    if not all(isinstance(value, int | float) for value in values):
        raise InputError(f"{where}: a rating is not a number")
    return sum(values) / len(values) if values else None


def _sacrerouge(source: str, where: str, record: Object) -> list[Object]:
    if record.get("summarizer_type") == "reference":
        return []
    scores = _flat(record["metrics"]) if isinstance(record["metrics"], dict) else {}
    row = {"system": record["summarizer_id"], "segment": record["instance_id"]}
    return [row | {k: _mean(where, v) if isinstance(v, list) else v for k, v in scores.items()}]


def _summeval(source: str, where: str, record: Object) -> list[Object]:
    row: Object = {"system": record["model_id"], "segment": record["id"]}
    for who in ("expert", "turker"):
        ratings = record.get(f"{who}_annotations") or []
        if not all(isinstance(rating, dict) for rating in ratings):
            raise InputError(f"{where}: an annotation is not an object of scores")
        for name in dict.fromkeys(name for rating in ratings for name in rating):
            values = [rating[name] for rating in ratings if name in rating]
            row[f"{who}_{name}"] = _mean(where, values)
    scores = {name: value for name, value in record.items() if name.startswith("metric_scores")}
    if len(scores) < 2:
        scores = {"scores": next(iter(scores.values()), {})}
    return [row | _flat(scores)]


def _general_task(source: str, where: str, record: Object) -> list[Object]:
    label = str(record["doc_id"])
    parts = label.split(_BETWEEN)
    row: Object = {"document": label.rpartition(_BETWEEN)[0], "segment": label}
    if len(parts) == 4:
        row = {"language pair": parts[0], "domain": parts[1], **row}
    return [
        row | {"system": system, "human": _mean(where, _ratings(where, given))}
        for system, given in dict(record["scores"]).items()
    ]


def _ratings(where: str, given: Any) -> list[Any]:
    """Scores that people gave a translation: a list of ratings, or ratings by name of a wave."""
    if isinstance(given, list):
        return [float(rating["score"]) for rating in given]
    if not isinstance(given, dict):
        raise InputError(f"{where}: expected the ratings of a system")
    named = {name: value for name, value in given.items() if name.startswith("human")}
    return [value for value in named.values() if value is not None]


def _of_documents(source: str, where: str, record: Object) -> list[Object]:
    pair, domain = record.get("language_pair"), record.get("domain")
    parts = (pair, domain, str(record["document_id"]))
    label = _BETWEEN.join(str(part) for part in parts if part is not None)
    scores = dict(record["metric_scores"])
    if len({len(values) for values in scores.values()}) != 1:
        raise InputError(f"{where}: metrics have different numbers of segments")
    system = str(record.get("system") or Path(source).name.split(".jsonl")[0])
    row = {"language pair": pair, "domain": domain} if pair is not None else {}
    row |= {"document": label, "system": system}
    return [
        {**row, "segment": f"{label}{_BETWEEN}{i}", **dict(zip(scores, values, strict=True))}
        for i, values in enumerate(zip(*scores.values(), strict=True))
    ]


def _label_studio(source: str, where: str, record: Object) -> list[Object]:
    """Make one row per annotation, with the task's data; ratings are numbers or choices."""
    shown = _flat(record["data"])
    rows = []
    for annotation in record["annotations"]:
        who = annotation.get("completed_by")
        who = who.get("email", who.get("id")) if isinstance(who, dict) else who
        given = {each.get("from_name", "rating"): _given(each) for each in annotation["result"]}
        given = {name: value for name, value in given.items() if value is not None}
        given = given if len(given) > 1 else dict(zip(["rating"], given.values(), strict=False))
        if given and not annotation.get("was_cancelled"):
            rows.append({**shown, "assessor": who, **given})
    return rows


def _given(result: Object) -> float | None:
    """Convert a rating (a number or a choice) to a number; None for other results."""
    value = result.get("value", {}).get(str(result.get("type")))
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    return float(value) if isinstance(value, int | float | str) and is_number(str(value)) else None


def _pearmut(source: str, where: str, record: Object) -> list[Object]:
    """Make one row per system and segment; items with a known answer are attention checks."""
    apart = str(record.get("item_i", "")).startswith(("welcome_", "random_", "goodbye_"))
    rows: list[Object] = []
    for item, given in zip(record["item"], record["annotation"], strict=False):
        segment = item.get("item_id", item.get("src"))
        if apart or "validation" in item:
            rows.append({"check": segment})
            continue
        for system, answer in (given or {}).items():
            place = {"assessor": record["user_id"], "system": system, "segment": segment}
            if answer.get("score") is not None:
                rows.append({**place, "rating": answer["score"]})
    return rows


def _harness(source: str, where: str, record: Object) -> list[Object]:
    """Make one row per metric of a sample; the folder is the system."""
    used = record.get("filter", "none")
    row = {"system": Path(source).resolve().parent.name, "segment": record["doc_id"]}
    names = {name: name if used == "none" else f"{name} ({used})" for name in record["metrics"]}
    return [{**row, "scorer": new, "score": _grade(record[old])} for old, new in names.items()]


def _inspect(source: str, where: str, record: Object) -> list[Object]:
    """Make one row per scorer of a sample, the mean over its epochs."""
    system = record["eval"]["model"]
    found: dict[tuple[Any, str], list[float]] = {}
    for sample in record["samples"]:
        for scorer, score in (sample.get("scores") or {}).items():
            value = score["value"]
            inner = value if isinstance(value, dict) else {"": value}
            for name, each in inner.items():
                grade = _grade(each)
                if grade is not None:
                    key = sample["id"], "/".join(filter(None, [scorer, name]))
                    found.setdefault(key, []).append(grade)
    return [
        {"system": system, "segment": sample, "scorer": scorer, "score": _mean(where, values)}
        for (sample, scorer), values in found.items()
    ]


def _grade(value: Any) -> float | None:
    """Convert a score to a number; None if it is not one."""
    if isinstance(value, int | float):
        return float(value)
    return float(value) if is_number(str(value)) else _GRADES.get(str(value))


_SHAPES: dict[tuple[str, ...], Callable[[str, str, Object], list[Object]]] = {
    ("instance_id", "summarizer_id", "metrics"): _sacrerouge,
    ("id", "model_id", "expert_annotations"): _summeval,
    ("doc_id", "scores"): _general_task,
    ("document_id", "metric_scores"): _of_documents,
    ("data", "annotations"): _label_studio,
    ("user_id", "item", "annotation"): _pearmut,
    ("doc_id", "resps", "metrics"): _harness,
    ("eval", "samples"): _inspect,
}
