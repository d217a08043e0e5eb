"""Files that describe a sweep: inputs, designs, seeds, numbers of hybrids and methods."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from supersample.engine.designs import DESIGNS, Design, make_design
from supersample.errors import InputError
from supersample.inference.two_correlations.registry import OVERLAPPING

_LISTS = {"n": [10_000], "seeds": [0], "designs": ["pairs"], "methods": ["zou2007"]}
_SOURCES = {
    "table": ("table", "human", "lower_is_better"),
    "mtme": ("mtme", "test_set", "language_pairs", "human", "references", "metrics"),
    "example": ("example",),
}


@dataclass(frozen=True)
class Input:
    """One set of Scores, by name, and how to read them."""

    name: str
    kind: str
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
        TOML (.toml) or YAML (.yaml, .yml), or what such a file says. ``inputs`` is a list of
        tables: ``example = true``; ``table = "scores.csv"`` with perhaps ``human`` and
        ``lower_is_better``; or ``mtme = "DIR"`` with ``test_set``, ``language_pairs`` and perhaps
        ``human``, ``references`` (both lists) and ``metrics``. Lists by default of one: ``n``,
        ``seeds``, ``designs`` ("pairs", "mix", or a table with options such as ``share`` and
        ``unit``, and with ``design`` where it is not "pairs") and ``methods``.

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
    kinds = [kind for kind in _SOURCES if isinstance(entry, dict) and kind in entry]
    if len(kinds) != 1:
        raise InputError(
            f"an input of a sweep names one of {', '.join(_SOURCES)}, unlike {entry!r}"
        )
    [kind] = kinds
    unknown = sorted(set(entry) - set(_SOURCES[kind]))
    if unknown:
        there = ", ".join(_SOURCES[kind])
        raise InputError(f"an input by {kind} has no '{unknown[0]}'; there are {there}")
    if kind == "example":
        return [Input("example", kind)]
    if kind == "table":
        options = {name: entry[name] for name in ("human", "lower_is_better") if name in entry}
        return [Input(str(entry["table"]), kind, {"path": str(entry["table"]), **options})]
    if "test_set" not in entry or "language_pairs" not in entry:
        raise InputError("an input by mtme also names test_set and language_pairs")
    chosen = (
        _list(entry, "language_pairs"),
        _list(entry, "human", "mqm"),
        _list(entry, "references", "refA"),
    )
    found = []
    for pair, human, reference in product(*chosen):
        name = f"{entry['test_set']} {pair} {human} {reference}"
        options = {
            "directory": str(entry["mtme"]),
            "test_set": str(entry["test_set"]),
            "language_pair": pair,
            "human": human,
            "reference": reference,
            "metrics": entry.get("metrics", "reference"),
        }
        found.append(Input(name, kind, options))
    return found


def _list(entry: Mapping[str, Any], name: str, usual: str = "") -> list[str]:
    said = entry.get(name, usual)
    values = [said] if isinstance(said, str) else said
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise InputError(f"'{name}' of an input is a name or a list of names, not {said!r}")
    return values


def _design(said: Any) -> Design:
    """Read a design's name, or a table of its options with its name as ``design``."""
    options = said if isinstance(said, dict) else {"design": said}
    name = options.get("design", "pairs")
    if not isinstance(name, str):
        names = ", ".join(DESIGNS)
        raise InputError(f"a design of a sweep is {names}, or a table of options, not {said!r}")
    return make_design(name, {key: options[key] for key in options if key != "design"})
