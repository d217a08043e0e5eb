"""Read files as bytes, text and numbers; errors name the line."""

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from supersample.errors import InputError, printable, quoted


def checked_file(path: str | Path) -> Path:
    """Refuse a path that is not a file."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; {_folder_hint(path)}")
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    return path


File = TypeVar("File", str, Path)
Row = tuple[Any, list[str]]  # its place in the file, and its cells
PACKED = (".gz", ".zst")
MISSING = ("", "none", "nan", "na", "null")  # texts that mean a missing number
SURELY_UNPACKED = 2**26  # bytes that any file may have when unpacked
MOST_TIMES = 200
_AT_ONCE = 2**22


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
    """Unpack a file, unless it unpacks to far more than tables do."""
    import pyarrow as pa

    kind = "gzip" if path.suffix.lower() == ".gz" else "zstd"
    parts, size = [], 0
    try:
        with pa.CompressedInputStream(pa.BufferReader(raw), kind) as stream:
            while part := stream.read(_AT_ONCE):
                parts.append(part)
                size += len(part)
                check_unpacked(path, size, len(raw))
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be unpacked: {error}") from error
    return b"".join(parts)


def check_unpacked(path: Path, size: int, packed: int) -> None:
    """Refuse files that unpack to far more bytes than a table."""
    if size > max(SURELY_UNPACKED, MOST_TIMES * packed):
        raise InputError(
            f"{path} unpacks to more than {MOST_TIMES} times its size, which is unusual for a "
            "table of scores; if it is one, unpack it yourself"
        )


def decode(source: str, raw: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = raw.count(b"\n", 0, error.start) + 1, raw[error.start]
        said = f"{source}, line {line}: not UTF-8 text (byte {byte:#04x}); save it as UTF-8"
        raise InputError(said) from error


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
    found: dict[str, File] = {}
    for file in files:
        name = name_of(file)
        if name in found:
            both = f"{printable(found[name])} and {printable(file)}"
            raise InputError(f"{both} both give the name {quoted(name)}; keep one, or rename it")
        found[name] = file
    return found


def _folder_hint(folder: Path) -> str:
    """Suggest options that read the files of a folder."""
    sets = sorted(path.parent.name for path in folder.glob("*/metric-scores") if path.is_dir())
    if sets:
        example = folder / sets[0] / "PAIR"
        return f"it has the test sets {', '.join(sets)}: name one and a language pair, {example}"
    if any(folder.glob("*.seg.score*")):
        return "it has segment-level files of the metrics task, which need --human"
    if any(folder.glob("*.sys.score*")):
        return "it has system-level scores"
    return "give a .csv, .tsv, .xlsx, .json, .jsonl or .parquet file"
