"""Sweeps: rankings over a grid of inputs, designs, seeds and methods, resumable, in one table.

A TOML file defines the grid: a tree of plain values, whose types are checked.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from supersample.comparisons.correlations.by_formula import compare_on_bases
from supersample.comparisons.correlations.streaming import stream_correlations
from supersample.engine.hybrid_designs import Design, parse_design
from supersample.errors import (
    CsvRows,
    InputError,
    check_choice,
    check_format,
    check_names,
    quoted,
    shortened,
)
from supersample.execution.checksums import content_code, keyed
from supersample.execution.progress import Meter
from supersample.execution.stores import open_store
from supersample.execution.workers import AnyWorkers, checked_workers, connect
from supersample.inference.two_correlations import OVERLAPPING
from supersample.readers.registry import read_scores, reader_of, registered_readers
from supersample.readers.text import read_toml
from supersample.results.outputs import replace_zarr
from supersample.results.ranks_and_clusters import rank
from supersample.results.variables import describe

KIND = "sweep"
COORDINATES = ("input", "n", "seed", "design", "comparison", "basis", "metric")
VALUES = ("value", "lower", "upper", "rank", "wins", "cluster")
_LISTS = {"n": [10_000], "seeds": [0], "designs": ["pairs"], "methods": ["zou2007"]}
_SEVERAL = ("language_pair", "human", "reference")
"""Options of sources of which a list makes an input each."""


def checked_texts(name: str, value: object) -> list[str]:
    """Convert a text, or a list of texts, to a list; refuse anything else."""
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise InputError(
            f"{quoted(name)} must be a text or a list of texts, not {shortened(repr(value))}"
        )
    return values


@dataclass(frozen=True)
class Input:
    """One named set of Scores: the source, its reader and options."""

    name: str
    source: Any
    reader: str
    options: Mapping[str, Any]


class Cell(NamedTuple):
    """One combination of a sweep."""

    input: Input
    n: int
    seed: int
    design: Design
    method: str


def sweep(
    file: str | Path | Mapping[str, Any],
    out: str | Path,
    *,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Rank metrics in every combination that a file defines, and collect the results.

    Hybrids are streamed (see `stream_correlations`), once for all methods. Finished combinations
    are stored in `out`, and computed again only if their input has changed. New combinations in the
    file are added.

    Parameters
    ----------
    file : str, Path or mapping
        TOML file, or the content of such a file. ``inputs`` is a list of sources, "example" or
        files such as "scores.csv"; or of tables of the arguments of `read_scores`: ``source``,
        ``reader`` and options, as in ``source = "DIR"``, ``reader = "mtme"``, ``test_set =
        "wmt23"``, ``language_pair = ["en-de", "zh-en"]``. Of a list as ``language_pair``, ``human``
        or ``reference`` each is an input. These lists have one element by default: ``n``,
        ``seeds``, ``designs`` (as in "pairs:share=0.4,unit=document") and ``methods`` (tests over
        hybrids; over systems it is always fisher-jackknife). ``format`` (1) is the number of this
        format.
    out : str or Path
        Folder for the combinations, ``result.csv`` and ``result.zarr``.
    workers, progress
        As in `hybrid_supersample`; the workers are started once.

    Returns
    -------
    xarray.Dataset
        ``value``, ``lower``, ``upper``, ``rank``, ``wins`` and ``cluster``, with dims ``input``,
        ``n``, ``seed``, ``design``, ``comparison`` (the method over hybrids), ``basis`` and
        ``metric``; NaN if an input lacks a metric. The attribute ``computed`` counts the
        combinations that this call computed.

    Raises
    ------
    InputError
        If the file or an input cannot be read, or the folder holds something else.

    Examples
    --------
    >>> import tempfile
    >>> grid = {"inputs": ["example"], "n": [1000], "seeds": [0, 1]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = sweep(grid, Path(folder) / "sweep")
    >>> result["value"].sel(basis="hybrids", metric="strong-95").shape
    (1, 1, 2, 1, 1)
    """
    grid = read_sweep(file)
    workers = checked_workers(workers)
    store = open_store(Path(out), KIND)
    inputs = {cell.input.name: cell.input for cell in grid}
    scores = {
        name: read_scores(each.source, reader=each.reader, **each.options)
        for name, each in inputs.items()
    }
    sums = {name: content_code(data) for name, data in scores.items()}
    own_version = version("supersample")  # reads a file
    keys = [_key(cell, sums[cell.input.name], own_version) for cell in grid]
    contents = {key: content for key in keys if (content := store.read(key)) is not None}
    missing = {key: cell for key, cell in zip(keys, grid, strict=True) if key not in contents}
    text = "combinations" if progress else None
    with Meter(text, len(grid), len(grid) - len(missing)) as meter:
        for key, content in _rankings(missing, scores, workers) if missing else ():
            store.write(key, content)
            contents[key] = content
            meter.add(1)
    rows = [row for key in keys for row in json.loads(contents[key])]
    result = _gathered(rows)
    result.attrs = {"kind": "sweep", "computed": len(missing), "combinations": len(grid)}
    _write(Path(out), rows, result)
    return result


def _key(cell: Cell, content: str, own_version: str) -> str:
    facts = {**cell._asdict(), "input": content, "design": describe(cell.design)}
    return keyed(**facts, name=cell.input.name, version=own_version)


def _rankings(
    missing: Mapping[str, Cell], scores: Mapping[str, xr.Dataset], workers: AnyWorkers
) -> Iterator[tuple[str, bytes]]:
    """Rankings of cells by key; hybrids are streamed once, and compared by each method.

    Systems are compared as `rank` compares them.
    """
    with connect(workers) as client:
        for (source, n, seed, design), same in groupby(missing.items(), lambda item: item[1][:4]):
            options = {"n": n, "seed": seed, "design": design}
            whole = scores[source.name]
            streamed = stream_correlations(whole, workers=client, **options)
            for key, cell in same:
                compared = compare_on_bases(streamed, whole, cell.method)
                yield key, json.dumps(_rows(cell, rank(compared).isel(measure=0, group=0))).encode()


def _rows(cell: Cell, ranking: xr.Dataset) -> list[dict[str, Any]]:
    """One row per basis and metric."""
    place = (cell.input.name, cell.n, cell.seed, describe(cell.design), cell.method)
    shape = ("basis", "metric")
    values = {name: ranking[name].transpose(*shape).to_numpy().ravel().tolist() for name in VALUES}
    rows = []
    for i, labels in enumerate(product(*(ranking[name].to_numpy() for name in shape))):
        row: dict[str, Any] = dict(zip(COORDINATES, (*place, *map(str, labels)), strict=True))
        rows.append(row | {name: float(each[i]) for name, each in values.items()})
    return rows


def _gathered(rows: list[dict[str, Any]]) -> xr.Dataset:
    """Convert all rows to one Dataset along their coordinates, in their order."""
    along = {name: list(dict.fromkeys(row[name] for row in rows)) for name in COORDINATES}
    shape = tuple(len(labels) for labels in along.values())
    values = {name: np.full(shape, np.nan) for name in VALUES}
    for row in rows:
        place = tuple(along[name].index(row[name]) for name in COORDINATES)
        for name in VALUES:
            values[name][place] = row[name]
    return xr.Dataset({name: (COORDINATES, array) for name, array in values.items()}, coords=along)


def _write(out: Path, rows: list[dict[str, Any]], result: xr.Dataset) -> None:
    """Write the table and the Dataset into the folder, in place of earlier ones."""
    with (out / "result.csv").open("w", encoding="utf-8", newline="") as file:
        # NaN (the only value that differs from itself) is written as an empty text
        names = (*COORDINATES, *VALUES)
        cells = ([v if v == v else None for v in map(row.get, names)] for row in rows)
        CsvRows(file).add(names, cells)
    replace_zarr(out, "result.zarr", result)


def read_sweep(file: str | Path | Mapping[str, Any]) -> list[Cell]:
    """Read a sweep's combinations, in order, from a file or its content; see `sweep`.

    >>> len(read_sweep({"inputs": ["example"], "n": [100, 1000], "seeds": [0, 1]}))
    4
    """
    content = dict(file) if isinstance(file, Mapping) else read_toml(Path(file))[1]
    where = "the sweep" if isinstance(file, Mapping) else file
    check_format(where, "sweep", content.pop("format", 1))
    for name in sorted(map(str, content)):
        check_choice("entry of a sweep", name, ["inputs", *_LISTS, "format"])
    lists = {name: content.get(name, usual) for name, usual in _LISTS.items()}
    for name, values in {"inputs": content.get("inputs", []), **lists}.items():
        if not isinstance(values, list) or not values:
            raise InputError(
                f"'{name}' of a sweep must be a list of at least one, not {shortened(repr(values))}"
            )
    for name, least in (("n", 1), ("seeds", 0)):
        for value in lists[name]:
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                kind = f"whole numbers from {least}"
                raise InputError(f"'{name}' of a sweep are {kind}, not {shortened(repr(value))}")
    for method in lists["methods"]:
        check_choice("method", method, OVERLAPPING)
    inputs = [one for entry in content["inputs"] for one in _inputs(entry)]
    names = [one.name for one in inputs]
    if len(set(names)) < len(names):
        raise InputError(f"two inputs of the sweep are equal: {', '.join(names)}")
    designs = [parse_design(text) for text in checked_texts("designs", lists["designs"])]
    grid = product(inputs, lists["n"], lists["seeds"], designs, lists["methods"])
    return [Cell(*combination) for combination in grid]


def _inputs(entry: Any) -> list[Input]:
    """Read an entry: a source, or a table of a source and its options; several of an option."""
    options = dict(entry) if isinstance(entry, dict) else {"source": entry}
    texts = {str(name): checked_texts(str(name), value) for name, value in options.items()}
    source = options.pop("source", None)
    if source is None:
        raise InputError("an input of a sweep is a source, or a table with a source")
    readers, first = registered_readers(), texts["source"][0]
    name = options.pop("reader", first if first in readers else reader_of(first).name)
    check_names("reader", [name], readers)
    check_names("option", options, readers[name].takes, f"an input by {name}")
    missing = [option for option in readers[name].needs if option not in options]
    if missing:
        raise InputError(f"an input by {name} also names {' and '.join(missing)}")
    listed_options = {option: texts[option] for option in _SEVERAL if option in options}
    found = []
    for values in product(*listed_options.values()):
        chosen = {**options, **dict(zip(listed_options, values, strict=True))}
        told = [text for option in chosen for text in checked_texts(option, chosen[option])]
        found.append(Input(" ".join([*texts["source"], *told]), source, name, chosen))
    return found
