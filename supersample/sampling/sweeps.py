"""Sweeps: rankings over a grid of inputs, designs, seeds and methods, resumable, in one table."""

import csv
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from supersample.correlations.differences import compare_correlations
from supersample.correlations.streaming import stream_correlations
from supersample.engine.designs import Design
from supersample.errors import InputError
from supersample.execution.progress import Meter, rate_text, time_text
from supersample.execution.provenance import content_checksum, provenance
from supersample.execution.stores.cells import cell_key, is_kind, open_cells
from supersample.execution.stores.datasets import write_zarr
from supersample.execution.workers.workers import AnyWorkers, checked_workers, connect
from supersample.readers.registry import read_scores
from supersample.results.ranking import rank
from supersample.results.signature import describe
from supersample.sampling.sweep_files import Cell, Input, read_sweep

KIND = "sweep"
COORDINATES = ("input", "n", "seed", "design", "comparison", "basis", "metric")
VALUES = ("r", "lower", "upper", "rank", "wins", "cluster")


def sweep(
    file: str | Path | Mapping[str, Any],
    out: str | Path,
    *,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Rank metrics in every combination that a file names, and gather the results.

    Hybrids are streamed (see `stream_correlations`), once for all methods. Finished combinations
    are kept in `out` and computed again only if their input has changed. A file that names more
    combinations adds them.

    Parameters
    ----------
    file : str, Path or mapping
        As for `read_sweep`.
    out : str or Path
        Folder of the combinations, ``result.csv`` and ``result.zarr``.
    workers : Workers, Client or str, default "threads"
        Who computes; they are started once.
    progress : bool, default False

    Returns
    -------
    xarray.Dataset
        ``r``, ``lower``, ``upper``, ``rank``, ``wins`` and ``cluster`` along ``input``, ``n``,
        ``seed``, ``design``, ``comparison`` (the method), ``basis`` and ``metric``; NaN where an
        input has no such metric. The attribute ``computed`` counts the combinations that this
        call computed.

    Raises
    ------
    InputError
        If the file or an input cannot be read, the folder holds something else, or another process
        is at work on it.

    Examples
    --------
    >>> import tempfile
    >>> grid = {"inputs": [{"example": True}], "n": [1000], "seeds": [0, 1]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = sweep(grid, Path(folder) / "sweep")
    >>> result["r"].sel(basis="hybrids", metric="strong-95").shape
    (1, 1, 2, 1, 1)
    """
    grid = read_sweep(file)
    workers = checked_workers(workers)
    cells = open_cells(out, KIND)
    with cells.alone():
        cells.add_session(provenance())
        inputs = {cell.input.name: cell.input for cell in grid}
        scores = {name: _scores(source) for name, source in inputs.items()}
        sums = {name: content_checksum(data) for name, data in scores.items()}
        cells.note("inputs.json", sums)
        keys = [_key(cell, sums[cell.input.name]) for cell in grid]
        cells.note("grid.json", keys)
        contents = {key: cells.read(key) for key in keys}
        missing = {key: cell for key, cell in zip(keys, grid, strict=True) if not contents[key]}
        with Meter(
            "combinations" if progress else None, len(grid), len(grid) - len(missing)
        ) as meter:
            for key, content in _rankings(missing, scores, workers) if missing else ():
                cells.write(key, content)
                contents[key] = content
                meter.add(1)
        rows = [row for key in keys for row in json.loads(contents[key] or b"[]")]
        result = _gathered(rows)
        result.attrs = {"computed": len(missing), "combinations": len(grid)}
        _write(Path(out), rows, result)
    return result


@dataclass(frozen=True)
class SweepStatus:
    """How far a sweep is."""

    done: int
    total: int
    others: int
    """Cells of an earlier grid, which stay."""
    rate: float
    """Combinations a second, over the last ones; 0 where there are fewer than two."""

    def __str__(self) -> str:
        text = f"{self.done} of {self.total} combinations are done"
        if self.done < self.total and self.rate > 0:
            left = time_text((self.total - self.done) / self.rate)
            text += f"; {rate_text(self.rate)}, {left} left at that rate"
        return text + (f"; {self.others} of an earlier grid are kept" if self.others else "")


def is_sweep(folder: str | Path) -> bool:
    """Whether `sweep` made a folder."""
    return is_kind(folder, KIND)


def sweep_status(out: str | Path) -> SweepStatus:
    """Say how far a sweep is.

    Raises
    ------
    InputError
        If the folder holds no sweep.
    """
    cells = open_cells(out, KIND, create=False)
    try:
        keys = set(json.loads((cells.folder / "grid.json").read_text(encoding="utf-8")))
    except (OSError, ValueError):
        raise InputError(f"the sweep {out} has not begun; run it again") from None
    times = cells.times()
    recent = sorted(when for key, when in times.items() if key in keys)[-100:]
    span = recent[-1] - recent[0] if len(recent) > 1 else 0.0
    rate = (len(recent) - 1) / span if span > 0 else 0.0
    done = len(keys & set(times))
    return SweepStatus(done, len(keys), len(set(times) - keys), rate)


def _scores(source: Input) -> xr.Dataset:
    return read_scores(source.argument, reader=source.reader, **source.options)


def _key(cell: Cell, content: str) -> str:
    return cell_key(
        input=content,
        n=cell.n,
        seed=cell.seed,
        design=describe(cell.design),
        method=cell.method,
        version=version("supersample"),
        name=cell.input.name,
    )


def _rankings(
    missing: Mapping[str, Cell], scores: Mapping[str, xr.Dataset], workers: AnyWorkers
) -> Iterator[tuple[str, bytes]]:
    """Rankings of cells by key; the same hybrids are streamed once, and compared by each method."""
    with connect(workers) as client:
        for (name, n, seed, design), same in groupby(missing.items(), key=_hybrids_of):
            streamed = stream_correlations(
                scores[name], n=n, seed=seed, design=design, workers=client
            )
            for key, cell in same:
                ranking = rank(compare_correlations(streamed, method=cell.method))
                yield key, json.dumps(_rows(cell, ranking)).encode()


def _hybrids_of(keyed: tuple[str, Cell]) -> tuple[str, int, int, Design]:
    cell = keyed[1]
    return cell.input.name, cell.n, cell.seed, cell.design


def _rows(cell: Cell, ranking: xr.Dataset) -> list[dict[str, Any]]:
    """One row a basis and metric."""
    place = {
        "input": cell.input.name,
        "n": cell.n,
        "seed": cell.seed,
        "design": describe(cell.design),
        "comparison": cell.method,
    }
    return [
        {
            **place,
            "basis": str(basis),
            "metric": str(metric),
            **{name: float(ranking[name].sel(basis=basis, metric=metric)) for name in VALUES},
        }
        for basis in ranking["basis"].to_numpy()
        for metric in ranking["metric"].to_numpy()
    ]


def _gathered(rows: list[dict[str, Any]]) -> xr.Dataset:
    """All rows as one Dataset along their coordinates, in the order in which they come."""
    along = {name: list(dict.fromkeys(row[name] for row in rows)) for name in COORDINATES}
    at = {name: {label: i for i, label in enumerate(labels)} for name, labels in along.items()}
    shape = tuple(len(labels) for labels in along.values())
    values = {name: np.full(shape, np.nan) for name in VALUES}
    for row in rows:
        place = tuple(at[name][row[name]] for name in COORDINATES)
        for name in VALUES:
            values[name][place] = row[name]
    return xr.Dataset({name: (COORDINATES, array) for name, array in values.items()}, coords=along)


def _write(out: Path, rows: list[dict[str, Any]], result: xr.Dataset) -> None:
    """Put the table and the Dataset beside the cells, in place of earlier ones."""
    names = (*COORDINATES, *VALUES)
    with (out / "result.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(
            ["" if row[name] != row[name] else row[name] for name in names] for row in rows
        )
    shutil.rmtree(out / "result.zarr", ignore_errors=True)
    write_zarr(result, out / "result.zarr")
