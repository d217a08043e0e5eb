"""Files that describe a sweep: inputs, designs, seeds, numbers of hybrids and methods."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from supersample.engine.designs import DESIGNS, Design, make_design
from supersample.errors import InputError, quoted
from supersample.inference.two_correlations.registry import OVERLAPPING
from supersample.readers.registry import ScoreReader, registered_readers

_LISTS = {"n": [10_000], "seeds": [0], "designs": ["pairs"], "methods": ["zou2007"]}
_LISTED = {"language_pair": "language_pairs", "human": "human", "reference": "references"}
"""Options of sources that an input may list, and their names there."""


@dataclass(frozen=True)
class Input:
    """One set of Scores, by name: the reader's name, argument and options."""

    name: str
    reader: str
    argument: Any = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """One combination of a sweep."""

    input: Input
    n: int
    seed: int
    design: Design
    method: str


def read_sweep(file: str | Path | Mapping[str, Any]) -> list[Cell]:
    """Read a sweep's combinations, in order.

    Parameters
    ----------
    file : str, Path or mapping
        TOML (.toml) or YAML (.yaml, .yml), or the content of such a file. ``inputs`` is a list of
        tables, each with a registered reader and its options: ``example = true``;
        ``table = "scores.csv"`` with perhaps ``human`` and ``lower_is_better``; or
        ``mtme = "DIR"`` with ``test_set``, ``language_pairs`` and perhaps ``human``,
        ``references`` and ``metrics``; the options ``language_pairs``, ``human`` and
        ``references`` may be lists. Lists by default of one: ``n``, ``seeds``, ``designs``
        ("pairs", "mix", or a table with options such as ``share`` and ``unit``, and with
        ``design`` where it is not "pairs") and ``methods``.

    Raises
    ------
    InputError
        If the file cannot be read, or says what there is not.

    Examples
    --------
    >>> len(read_sweep({"inputs": [{"example": True}], "n": [100, 1000], "seeds": [0, 1]}))
    4
    """
    said = dict(file) if isinstance(file, Mapping) else _read(Path(file))
    unknown = sorted(set(said) - {"inputs", *_LISTS})
    if unknown:
        there = ", ".join(["inputs", *_LISTS])
        raise InputError(f"a sweep has no '{unknown[0]}'; there are {there}")
    lists = {name: said.get(name, usual) for name, usual in _LISTS.items()}
    for name, values in {"inputs": said.get("inputs", []), **lists}.items():
        if not isinstance(values, list) or not values:
            raise InputError(f"'{name}' of a sweep is a list of at least one, not {values!r}")
    for name, least in (("n", 1), ("seeds", 0)):
        for value in lists[name]:
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise InputError(
                    f"'{name}' of a sweep are whole numbers from {least}, not {value!r}"
                )
    for method in lists["methods"]:
        if method not in OVERLAPPING:
            raise InputError(f"no method '{method}'; there are {', '.join(OVERLAPPING)}")
    inputs = [one for entry in said["inputs"] for one in _inputs(entry)]
    names = [one.name for one in inputs]
    if len(set(names)) < len(names):
        raise InputError(f"two inputs of the sweep are the same: {', '.join(names)}")
    designs = [_design(entry) for entry in lists["designs"]]
    grid = product(inputs, lists["n"], lists["seeds"], designs, lists["methods"])
    return [Cell(*combination) for combination in grid]


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error}") from None
    if path.suffix.lower() == ".toml":
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path} is no TOML: {error}") from None
    if path.suffix.lower() in (".yaml", ".yml"):
        import yaml  # type: ignore[import-untyped]

        try:
            said = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise InputError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
        if not isinstance(said, dict):
            raise InputError(f"{path} names no inputs")
        return said
    raise InputError(f"{path} is neither .toml nor .yaml")


def _inputs(entry: Any) -> list[Input]:
    """Read the inputs that an entry names: one, or one a language pair, human and reference."""
    readers = registered_readers()
    kinds = [name for name in readers if isinstance(entry, dict) and name in entry]
    if len(kinds) != 1:
        raise InputError(f"an input of a sweep names one of {', '.join(readers)}, unlike {entry!r}")
    reader = readers[kinds[0]]
    allowed = {_LISTED.get(option, option): option for option in reader.takes}
    unknown = sorted(set(entry) - set(allowed) - {reader.name})
    if unknown:
        names = ", ".join([reader.name, *allowed])
        raise InputError(
            f"an input by {reader.name} has no {quoted(unknown[0])}; there are {names}"
        )
    needed = [_LISTED.get(option, option) for option in reader.needs]
    if any(name not in entry for name in needed):
        raise InputError(f"an input by {reader.name} also names {' and '.join(needed)}")
    options = {option: entry[name] for name, option in allowed.items() if name in entry}
    options = {**reader.defaults, **options}
    listed_options = {
        option: _list(entry, name, options[option])
        for name, option in allowed.items()
        if option in _LISTED and option in options
    }
    argument = None if reader.argument == "nothing" else _argument(entry[reader.name])
    found = []
    for values in product(*listed_options.values()):
        chosen = {**options, **dict(zip(listed_options, values, strict=True))}
        found.append(
            Input(_name(reader, argument, listed_options, chosen), reader.name, argument, chosen)
        )
    return found


def _argument(value: Any) -> Any:
    return [str(path) for path in value] if isinstance(value, list) else str(value)


def _name(
    reader: ScoreReader,
    argument: Any,
    listed_options: Mapping[str, list[str]],
    chosen: Mapping[str, Any],
) -> str:
    """Name of an input: what of the test set is read, or the file and the options that vary."""
    if "test_set" in reader.needs:
        return " ".join(str(chosen[name]) for name in ("test_set", *listed_options))
    if argument is None:
        return reader.name
    paths = argument if isinstance(argument, list) else [argument]
    varying = [str(chosen[name]) for name, values in listed_options.items() if len(values) > 1]
    return " ".join([*paths, *varying])


def _list(entry: Mapping[str, Any], name: str, default: Any) -> list[str]:
    value = entry.get(name, default)
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise InputError(f"'{name}' of an input is a name or a list of names, not {value!r}")
    return values


def _design(said: Any) -> Design:
    """Read a design's name, or a table of its options with its name as ``design``."""
    options = said if isinstance(said, dict) else {"design": said}
    name = options.get("design", "pairs")
    if not isinstance(name, str):
        names = ", ".join(DESIGNS)
        raise InputError(f"a design of a sweep is {names}, or a table of options, not {said!r}")
    return make_design(name, {key: options[key] for key in options if key != "design"})
