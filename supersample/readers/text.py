"""Text as users give it: decoded, with the line of what cannot be read, and numbers in it."""

import math
from collections.abc import Sequence
from pathlib import Path

from supersample.errors import InputError
from supersample.errors import listed as listed
from supersample.errors import shortened as shortened


def decode(source: str, raw: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark.

    Raises
    ------
    InputError
        With the line, if it is another encoding.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source}, line {line}: not UTF-8 text (byte {raw[error.start]:#04x}); save it as "
            "UTF-8"
        ) from error


def read_lines(path: Path) -> list[str]:
    """Lines of a file as editors count them; `str.splitlines` also cuts at rarer characters.

    Raises
    ------
    InputError
        If the file is not UTF-8.
    """
    text = decode(str(path), path.read_bytes())
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def number(where: str, text: str, missing: Sequence[str]) -> float:
    """Read a score, NaN where it is one of the texts that mean a missing one.

    Raises
    ------
    InputError
        With the place, if it is no number, or infinite.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    # float() also takes "0_85", likelier a slip than 85
    if math.isfinite(value) and "_" not in text:
        return value
    if text.strip().lower() in missing:
        return math.nan
    kind = "infinite" if math.isinf(value) else "not a number"
    raise InputError(f"{where}: the score '{shortened(text)}' is {kind}")
