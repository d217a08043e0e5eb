"""Files of settings, TOML or YAML: trees of plain values, and the kinds that values must have."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supersample.errors import InputError, quoted, shortened
from supersample.readers.text import decode, read_raw

DEEPEST = 20  # lists and tables within each other
LONGEST = 2**20  # bytes
MOST_VALUES = 100_000


def read_settings(path: Path) -> dict[str, Any]:
    """Read a table of settings.

    Raises
    ------
    InputError
        If it cannot be read, is neither TOML nor YAML, too long or nested too deeply, or holds
        anything but a table with texts for names.
    """
    kind = path.suffix.lower()
    if kind not in (".toml", ".yaml", ".yml"):
        raise InputError(f"{path} is neither .toml nor .yaml")
    source, raw = read_raw(path)
    if len(raw) > LONGEST:
        raise InputError(f"{path} is longer than {LONGEST:,} bytes")
    text = decode(source, raw)
    import yaml  # type: ignore[import-untyped]

    try:
        content = tomllib.loads(text) if kind == ".toml" else yaml.safe_load(text)
    except (ValueError, TypeError, yaml.YAMLError) as error:
        what = " ".join(str(error).split())
        raise InputError(f"{path} is no {'TOML' if kind == '.toml' else 'YAML'}: {what}") from None
    except RecursionError:
        raise InputError(f"{path} is nested too deeply") from None
    if not isinstance(content, dict):
        raise InputError(f"{path} holds no table of settings")
    return content


def check_settings(content: Any) -> None:
    """Refuse tables whose names are no text, nesting without end, and aliases of aliases.

    Raises
    ------
    InputError
        Naming what is wrong.
    """
    waiting, count = [(content, 0)], 0
    while waiting:
        value, deep = waiting.pop()
        count += 1
        if deep > DEEPEST:
            raise InputError(f"settings are nested more than {DEEPEST} deep")
        if count > MOST_VALUES:
            raise InputError(f"settings have more than {MOST_VALUES:,} values, aliases counted")
        if isinstance(value, Mapping):
            odd = [name for name in value if not isinstance(name, str)]
            if odd:
                raise InputError(f"names of settings are texts, not {shortened(odd[0])}")
            waiting += [(part, deep + 1) for part in value.values()]
        elif isinstance(value, list):
            waiting += [(part, deep + 1) for part in value]


def checked_text(name: str, value: object) -> str:
    """Refuse what is no text."""
    if not isinstance(value, str):
        raise InputError(f"{quoted(name)} is a text, not {shortened(repr(value))}")
    return value


def checked_texts(name: str, value: object) -> list[str]:
    """List a text, or the texts of a list; anything else is refused."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise InputError(
            f"{quoted(name)} is a text or a list of texts, not {shortened(repr(value))}"
        )
    return values
