"""Datasets on disk, and the layout of stores that are computed chunk by chunk."""

import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import dask
import xarray as xr
import zarr
from dask.base import is_dask_collection

from supersample.execution.progress import Meter
from supersample.execution.stores.chunks import ChunkWriter
from supersample.execution.stores.files import write_durably
from supersample.execution.stores.locks import lock_layout
from supersample.execution.stores.manifest import Facts, Manifest
from supersample.execution.workers.blocks import Scheduler
from supersample.execution.workers.workers import Client

INPUTS = "scores"  # store within a store: what its rows are computed from


def write_zarr(dataset: xr.Dataset, path: str | Path, *, scheduler: Scheduler = "threads") -> None:
    """Write a Dataset, lazy or not, as a new Zarr store that plain xarray opens.

    Raises
    ------
    FileExistsError
        If the path exists.
    """
    with dask.config.set(scheduler=scheduler):
        dataset.to_zarr(Path(path), mode="w-", zarr_format=2, consolidated=True)


def create_store(path: Path, facts: Facts, template: xr.Dataset, inputs: xr.Dataset) -> bool:
    """Make a store of arrays without rows as yet, whole or not at all.

    Parameters
    ----------
    path : Path
    facts : Facts
    template : xarray.Dataset
        Its lazy variables are those that chunks will fill; the others are written now.
    inputs : xarray.Dataset
        What the rows are computed from, kept in the store for `resume`.

    Returns
    -------
    bool
        False if another process made it in the meantime.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.parent / f".{path.name}-{uuid4().hex[:8]}"
    try:
        _write_layout(template, beside, facts.chunk)
        plain = inputs.drop_encoding()
        plain.to_zarr(beside / INPUTS, mode="w-", zarr_format=2, consolidated=True)
        Manifest(beside).create(facts)
        try:
            beside.rename(path)
        except OSError:
            if not path.exists():
                raise
            return False
        return True
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def match_layout(manifest: Manifest, n: int, template: xr.Dataset) -> Facts:
    """Make a run n long if it is shorter, and its arrays as long as it is; no row is touched."""
    with lock_layout(manifest.folder):
        facts = manifest.facts()
        if facts.n < n:
            facts = manifest.extend(facts, n)
        there = zarr.open_group(manifest.store, mode="r", use_consolidated=False)
        names = [name for name in template.variables if is_lazy(template, name)]
        if {there[str(name)].shape[0] for name in names} != {facts.n}:  # type: ignore[union-attr]
            _replace_layout(manifest, facts, template)
        return facts


def _replace_layout(manifest: Manifest, facts: Facts, template: xr.Dataset) -> None:
    beside = manifest.partial / f"layout-{uuid4().hex}"
    try:
        _write_layout(template, beside, facts.chunk)
        for file in sorted(beside.rglob(".z*")):
            place = manifest.store / file.relative_to(beside)
            write_durably(place, file.read_bytes(), partial=manifest.partial)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _write_layout(template: xr.Dataset, path: Path, chunk: int) -> None:
    """Write the arrays' descriptions, and those variables that are not lazy."""
    plain = template.drop_encoding()
    encoding = {
        str(name): {"compressors": None, "chunks": (chunk, *variable.shape[1:])}
        if is_lazy(plain, name)
        else {"compressors": None}
        for name, variable in plain.variables.items()
    }
    plain.to_zarr(
        path, mode="w-", zarr_format=2, consolidated=True, compute=False, encoding=encoding
    )


def compute_chunks(
    writer: ChunkWriter, numbers: Sequence[int], client: Client, *, progress: str | None = None
) -> Counter[str]:
    """Make sure that chunks of a store are there, and count what became of them.

    Parameters
    ----------
    writer : ChunkWriter
    numbers : sequence of int
        Which chunks.
    client : Client
    progress : str, optional
        What the rows are, for a bar or lines of progress.

    Raises
    ------
    InputError, OSError
        As `ChunkWriter` and `Client.completed`; what was recorded until then stays.
    """
    bounds = [writer.facts.bounds(number) for number in numbers]
    meter = Meter(progress, sum(stop - start for start, stop in bounds))
    became: Counter[str] = Counter()
    done = kept = 0
    if progress is not None and client.dashboard is not None:
        print(f"dashboard: {client.dashboard}", file=sys.stderr, flush=True)
    outcomes = client.completed(writer, numbers, lambda: meter.show(done, kept))
    try:
        with closing(outcomes):  # type: ignore[type-var]
            for _, outcome in outcomes:
                became[outcome.what] += 1
                done += outcome.rows
                kept += outcome.rows if outcome.what == "kept" else 0
                meter.show(done, kept)
    finally:
        meter.close()
    return became


def is_lazy(data: xr.Dataset, name: Any) -> bool:
    """Whether a variable is still to be computed."""
    return bool(is_dask_collection(data.variables[name].data))


def open_store(path: Path) -> xr.Dataset:
    """Open a store's arrays, lazily, a block for each chunk."""
    opened: xr.Dataset = xr.open_zarr(path, consolidated=True)
    return opened
