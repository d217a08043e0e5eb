"""Sweeps: rankings over a grid of inputs, designs, seeds and methods, resumable, in one table."""

import csv
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from supersample.correlations.differences import compare_correlations
from supersample.correlations.streaming import stream_correlations
from supersample.errors import InputError
from supersample.execution.progress import Meter, rate_text, time_text
from supersample.execution.provenance import content_checksum, provenance
from supersample.execution.stores.cells import cell_key, is_kind, open_cells
from supersample.execution.stores.datasets import write_zarr
from supersample.execution.workers.workers import Workers
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
    workers: Workers | None = None,
    progress: bool = False,
) -> xr.Dataset:
    """Rank metrics in every combination that a file names, and gather the results.

    Hybrids are streamed (see `stream_correlations`); a combination that is finished is kept in
    `out` and not computed again, unless its input has changed. A file that names more goes on.

    Parameters
    ----------
    file : str, Path or mapping
        As for `read_sweep`.
    out : str or Path
        Folder; it gets ``result.csv`` and ``result.zarr`` besides.
    workers : Workers, optional
        Who computes; threads by default.
    progress : bool, default False

    Returns
    -------
    xarray.Dataset
        ``r``, ``lower``, ``upper``, ``rank``, ``wins`` and ``cluster`` along ``input``, ``n``,
        ``seed``, ``design``, ``comparison`` (the method), ``basis`` and ``metric``; NaN where an
        input has no such metric. The attribute ``computed`` says how many combinations were
        computed now.

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
    cells = open_cells(out, KIND)
    rows: list[dict[str, Any]] = []
    computed = 0
    with cells.alone():
        cells.add_session(provenance())
        inputs = {cell.input.name: cell.input for cell in grid}
        read = {name: _scores(own) for name, own in inputs.items()}
        sums = {name: content_checksum(scores) for name, scores in read.items()}
        cells.note("inputs.json", sums)
        keys = [_key(cell, sums[cell.input.name]) for cell in grid]
        cells.note("grid.json", keys)
        kept = [cells.read(key) for key in keys]
        meter = Meter("combinations" if progress else None, len(grid))
        done = there = sum(content is not None for content in kept)
        try:
            for cell, key, content in zip(grid, keys, kept, strict=True):
                meter.show(done, there)
                if content is None:
                    own = _ranked(cell, read[cell.input.name], workers)
                    content = json.dumps(own).encode()
                    cells.write(key, content)
                    computed += 1
                    done += 1
                rows += json.loads(content)
        finally:
            meter.close()
        result = _gathered(rows)
        result.attrs = {"computed": computed, "combinations": len(grid)}
        _write(Path(out), rows, result)
    return result


@dataclass(frozen=True)
class SweepStatus:
    """How far a sweep is."""

    done: int
    total: int
    others: int
    """Cells that no longer belong to the grid; they stay."""
    rate: float
    """Combinations a second, over the last ones; 0 where there are fewer than two."""

    def __str__(self) -> str:
        said = f"{self.done} of {self.total} combinations are done"
        if self.done < self.total and self.rate > 0:
            left = time_text((self.total - self.done) / self.rate)
            said += f"; {rate_text(self.rate)}, {left} left at that rate"
        return said + (f"; {self.others} of an earlier grid are kept" if self.others else "")


def is_sweep(folder: str | Path) -> bool:
    """Whether a folder is one that `sweep` made."""
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
    own = sorted(when for key, when in times.items() if key in keys)[-100:]
    span = own[-1] - own[0] if len(own) > 1 else 0.0
    rate = (len(own) - 1) / span if span > 0 else 0.0
    done = len(keys & set(times))
    return SweepStatus(done, len(keys), len(set(times) - keys), rate)


def _scores(own: Input) -> xr.Dataset:
    return read_scores(own.argument, reader=own.reader, **own.options)


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


def _ranked(cell: Cell, scores: xr.Dataset, workers: Workers | None) -> list[dict[str, Any]]:
    """One row a basis and metric."""
    streamed = stream_correlations(
        scores, n=cell.n, seed=cell.seed, design=cell.design, workers=workers
    )
    ranking = rank(compare_correlations(streamed, method=cell.method))
    place = {
        "input": cell.input.name,
        "n": cell.n,
        "seed": cell.seed,
        "design": describe(cell.design),
        "comparison": cell.method,
    }
    rows = []
    for basis in ranking["basis"].to_numpy():
        for metric in ranking["metric"].to_numpy():
            own = ranking.sel(basis=basis, metric=metric)
            values = {name: float(own[name]) for name in VALUES}
            rows.append({**place, "basis": str(basis), "metric": str(metric), **values})
    return rows


def _gathered(rows: list[dict[str, Any]]) -> xr.Dataset:
    """All rows as one Dataset along their coordinates, in the order in which they come."""
    along = {name: list(dict.fromkeys(row[name] for row in rows)) for name in COORDINATES}
    at = {name: {value: i for i, value in enumerate(own)} for name, own in along.items()}
    shape = tuple(len(own) for own in along.values())
    values = {name: np.full(shape, np.nan) for name in VALUES}
    for row in rows:
        place = tuple(at[name][row[name]] for name in COORDINATES)
        for name in VALUES:
            values[name][place] = row[name]
    return xr.Dataset({name: (COORDINATES, own) for name, own in values.items()}, coords=along)


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
