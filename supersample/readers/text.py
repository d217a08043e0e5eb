"""Read files as bytes, text, numbers and JSON; errors name the line.

Objects in JSON are rows, and nested objects are columns, unless the names of the first object show
the format of a tool or a campaign, which ``formats.toml`` declares.
"""

import gzip
import json
import math
import re
import sys
import tomllib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from supersample.errors import CLOSE, InputError, listed, printable, quoted
from supersample.execution.limits import check_memory


def checked_file(path: str | Path) -> Path:
    """Refuse a path that is not a file."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; {_folder_hint(path)}")
    if not path.is_file():
        near = get_close_matches(path.name, [x.name for x in path.parent.glob("*")], 1, CLOSE)
        several = "; several files have spaces between them" * ("," in str(path))
        meant = f": did you mean {quoted(near[0])}?" if near else several
        raise InputError(f"there is no file {path}{meant}")
    return path


File = TypeVar("File", str, Path)
Row = tuple[Any, list[str]]  # its place in the file, and its cells
PACKED = (".gz", ".zst")
MISSING = ("", "none", "nan", "na", "null")  # texts that mean a missing number


def data_suffix(path: str | Path) -> str:
    """Suffix of a file's format, in lower case: '.csv' for 'scores.CSV.gz'."""
    path = Path(path)
    packed = path.suffix.lower() in PACKED
    return Path(path.stem if packed else path.name).suffix.lower()


def bare_name(path: str | Path) -> str:
    """Name of a file without the suffixes of format and compression, or name of a folder.

    Examples
    --------
    >>> bare_name("a/mine.csv.gz"), bare_name("mine.seg.score")
    ('mine', 'mine')
    """
    path = Path(path)
    if path.is_dir():
        return path.name
    name = path.stem if path.suffix in PACKED else path.name
    return Path(name).stem.removesuffix(".seg")


def read_raw(path: str | Path) -> tuple[str, bytes]:
    """Name and bytes of a file, unpacked (.gz, .zst), or of standard input ("-")."""
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; pipe a table into it, or name a file")
        return "standard input", sys.stdin.buffer.read()
    path = checked_file(path)
    raw = path.read_bytes()
    if path.suffix.lower() in PACKED:
        raw = _unpacked(path, raw)
    return printable(path), raw


def _unpacked(path: Path, raw: bytes) -> bytes:
    """Unpack a file."""
    import pyarrow as pa

    kind = "gzip" if path.suffix.lower() == ".gz" else "zstd"
    try:
        with pa.CompressedInputStream(pa.BufferReader(raw), kind) as stream:
            return bytes(stream.read())
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be unpacked: {error}") from error


def first_line(path: str | Path) -> str:
    """First line of a file, perhaps packed by gzip; empty of what is no file of text."""
    unpacked: Any = gzip.open if str(path).lower().endswith(".gz") else open
    with suppress(OSError, EOFError, ValueError, zlib.error):
        if Path(path).is_file():  # a pipe would wait
            with unpacked(path, "rt", encoding="utf-8-sig") as stream:
                return str(stream.readline())
    return ""


def decode(source: str, raw: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = raw.count(b"\n", 0, error.start) + 1, raw[error.start]
        said = f"{source}, line {line}: not UTF-8 text (byte {byte:#04x}); save it as UTF-8"
        raise InputError(said) from error


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """Text and content of a TOML file; InputError, with the place, if it is not valid."""
    text = decode(*read_raw(path))
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from None


def read_lines(path: Path) -> list[str]:
    """Lines of a file as editors count them; `str.splitlines` also splits at rare characters."""
    lines = [line.removesuffix("\r") for line in decode(*read_raw(path)).split("\n")]
    return lines if lines[-1] else lines[:-1]


def is_number(text: str) -> bool:
    """Whether a text is a number, including infinite numbers and NaN."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # float() also accepts "0_85", which is more likely a mistake than 85


def number(where: str, text: str, missing: Sequence[str]) -> float:
    """Read a score; NaN if the text means a missing score."""
    value = float(text) if is_number(text) else math.nan
    if math.isfinite(value):
        return value
    if text.strip().lower() in missing:
        return math.nan
    kind = "infinite" if math.isinf(value) else "not a number"
    raise InputError(f"{where}: the score {quoted(text)} is {kind}")


def by_name(files: Iterable[File], name_of: Callable[[File], str]) -> dict[str, File]:
    """Files by their names; refuse two files with the same name."""
    named: dict[str, File] = {}
    for file in files:
        name = name_of(file)
        if name in named:
            both = f"{printable(named[name])} and {printable(file)}"
            raise InputError(f"{both} both give the name {quoted(name)}; keep one, or rename it")
        named[name] = file
    return named


def _folder_hint(folder: Path) -> str:
    """Suggest options that read the files of a folder."""
    sets = sorted(path.parent.name for path in folder.glob("*/metric-scores") if path.is_dir())
    if sets:
        example = folder / sets[0] / "PAIR"
        return f"it has the test sets {', '.join(sets)}: name one and a language pair, {example}"
    if any(folder.glob("*.seg.score*")):
        return "give a table of human scores, and each file here by --add-metric NAME=FILE"
    return "give a .csv, .tsv, .xlsx, .json, .jsonl or .parquet file"


JSON_LINES = (".jsonl", ".ndjson")
JSON = (*JSON_LINES, ".json")
# bytes of memory per byte of JSON: measured with lines of system, segment, scorer and score
BYTES_A_BYTE = 17
Object = dict[str, Any]
Records = list[tuple[str, Object]]  # objects with their places in the file
_FIRST = 100  # objects that show the format: the first ones may be resets
_INNER = ("metrics", "scores", "metric_scores", "judges", "judgments", "judge_scores")


def json_table(source: str, raw: bytes, suffix: str) -> tuple[str, list[str], list[Row], str]:
    """Source, names and rows of a table in JSON (all cells are texts), and what was left out."""
    check_memory(len(raw) * BYTES_A_BYTE, f"{source}: objects of so much JSON", "save it as CSV")
    text = decode(source, raw)
    records = _lines(source, text) if suffix in JSON_LINES else _document(source, text)
    if not records:
        raise InputError(f"{source} has no objects; expected one for each score")
    shaped, left_out = _reshaped(source, records)
    names = list(dict.fromkeys(name for _, record in shaped for name in record))
    if len({name.strip().lower() for name in names}) < len(names):
        raise InputError(f"{source}: two names differ only in case or spaces")
    rows: list[Row] = []
    for where, record in shaped:
        cells = (record.get(name) for name in names)
        rows.append((where, ["" if cell is None else str(cell) for cell in cells]))
    return source, names, rows, left_out


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
    """Read a whole document: an array, or arrays by the name of a system's file."""
    value = parsed(source, text)
    if isinstance(value, list):
        return [(where, _object(where, each)) for where, each in _items(source, value)]
    if not isinstance(value, dict) or not value:
        raise InputError(f"{source}: expected an array of objects")
    parts = list(value.values())
    listed_parts = [part if isinstance(part, list) else [] for part in parts]
    if all(part and isinstance(part[0], dict) for part in listed_parts):
        return _by_system(source, value)
    if all(isinstance(part, dict | list) for part in parts):
        raise InputError(
            f'{source}: an object of objects or lists; write an array of rows: [{{"scorer": ..., '
            '"system": ..., "segment": ..., "score": ...}, ...]'
        )
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


def parsed(where: str, text: str) -> Any:
    """Read a text as JSON, in which no object has a name twice."""

    def unique(pairs: list[tuple[str, Any]]) -> Object:
        values = dict(pairs)
        if len(values) < len(pairs):
            raise InputError(f"{where}: an object has the same name twice; rename one")
        return values

    try:
        value = json.loads(text, object_pairs_hook=unique)
        if "\\ud" in text.lower():  # refuse half a character, which is written as an escape
            json.dumps(value, ensure_ascii=False).encode()
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({error})") from error
    return value


def _reshaped(source: str, records: Records) -> tuple[Records, str]:
    """Convert objects to rows with the same names, and say which were left out."""
    for form in _formats().values():
        if any({*form["marks"]} <= record.keys() for _, record in records[:_FIRST]):
            return _of_format(source, records, form)
    rows = [(where, _flat(record)) for where, record in records]
    for where, row in rows:
        odd = sorted(row.keys() ^ rows[0][1].keys())
        if odd:  # a mistyped name must not look like a missing score
            name = quoted(odd[0])
            raise InputError(f"{where}: {name} is here or in the first line; write it in both")
    return rows, ""


@cache
def _formats() -> dict[str, dict[str, Any]]:
    """Read the formats of other tools."""
    return tomllib.loads(Path(__file__).with_name("formats.toml").read_text(encoding="utf-8"))


def _of_format(source: str, records: Records, form: Mapping[str, Any]) -> tuple[Records, str]:
    """Make a row for each score of a tool's objects, and count those left out, by reason."""
    rows: Records = []
    left_out: Counter[str] = Counter()
    for where, record, is_before in _resets_told(records, form.get("reset")):
        ends = (end for path in form["rows"] for end in _walk(where, record, path.split("/")))
        for bound, end in ends:
            score = _first(end, form.get("score", [""]), bound)
            if score is None:
                continue
            reason = "before a reset" if is_before else _reason(record, bound, form)
            if reason:
                left_out[reason] += 1
                continue
            known = {**record, "file": Path(source).name.split(".jsonl")[0], **bound}
            texts = {k: text.format_map(known) for k, text in form.get("texts", {}).items()}
            columns = {k: _first(record, v, bound) for k, v in form.get("columns", {}).items()}
            named = {k: text for k, text in bound.items() if not k.startswith("_")}
            row = {**named, **columns, **texts, "score": score}
            rows.append((where, row | _groups(row, form.get("parts", {}))))
    if not rows:
        raise InputError(f"{source} has no scores")
    if "assessor" in rows[0][1] and len({row.get("scorer") for _, row in rows}) == 1:
        rows = [(where, {**row, "scorer": "human"}) for where, row in rows]
    counts = ", ".join(f"{count} {what}" for what, count in left_out.items())
    return rows, counts


def _groups(row: Object, patterns: Mapping[str, str]) -> Object:
    """Columns that are groups of a pattern of another column."""
    found = (re.fullmatch(pattern, str(row[name])) for name, pattern in patterns.items())
    return {
        k.replace("_", " "): text
        for each in found
        if each
        for k, text in each.groupdict().items()
        if text
    }


def _resets_told(
    records: Records, reset: Mapping[str, str] | None
) -> list[tuple[str, Object, bool]]:
    """Objects without the marks of resets, and whether they stand before their user's last one."""
    if reset is None:
        return [(where, record, False) for where, record in records]
    marks = [_holds(record, reset["where"]) for _, record in records]
    users = [str(_at(record, reset["by"])) for _, record in records]
    last = {user: i for i, (user, mark) in enumerate(zip(users, marks, strict=True)) if mark}
    return [(*records[i], i < last.get(user, -1)) for i, user in enumerate(users) if not marks[i]]


def _reason(record: Object, bound: Mapping[str, str], form: Mapping[str, Any]) -> str:
    """Why the scores of an object are left out; "" if they are not."""
    for reason, conditions in form.get("left_out", {}).items():
        if any(_holds(record, each.format_map(bound)) for each in conditions):
            return str(reason)
    return ""


def _walk(where: str, value: Any, steps: Sequence[str]) -> Iterator[tuple[dict[str, str], Any]]:
    """Follow a path of a format: what its names stand for at each end, and the value there."""
    if not steps:
        yield {}, value
        return
    before, is_name, name = steps[0].rstrip("}").partition("{")
    if is_name and not isinstance(value, dict | list | None):
        raise InputError(f"{where}: expected a list or an object, not {quoted(value)}")
    several = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else several:
        text = str(key)
        if text.startswith(before) if is_name else text == before:
            for bound, end in _walk(where, inner, steps[1:]):
                yield ({name: text.removeprefix(before)} if is_name else {}) | bound, end


def _at(value: Any, path: str) -> Any:
    """Value at a path without names; None if there is none."""
    for _, end in _walk("", value, path.split("/") if path else []):
        return end
    return None


def _holds(record: Object, condition: str) -> bool:
    """Whether the value at a path is there and fits a pattern, or with "!" whether it is absent."""
    path, _, pattern = condition.removeprefix("!").partition("=")
    found = _at(record, path)
    fits = found is not None and re.match(pattern, str(found)) is not None
    return fits != condition.startswith("!")


def _first(value: Any, paths: Sequence[str], bound: Mapping[str, str]) -> Any:
    """Value at the first of the paths that has one; the only item of a list stands for it."""
    found = [_at(value, path.format_map(bound)) for path in paths]
    found = [x[0] if isinstance(x, list) and len(x) == 1 else x for x in found]
    return next((x for x in found if x is not None and not isinstance(x, dict | list)), None)


def _flat(record: Mapping[str, Any], before: str = "") -> Object:
    """Flatten nested objects to columns; the name of the object with the scores is left out."""
    flat: Object = {}
    for name, value in record.items():
        if isinstance(value, dict):
            flat |= _flat(value, before if name in _INNER else f"{before}{name}_")
        else:
            flat[f"{before}{name}"] = value
    return flat
