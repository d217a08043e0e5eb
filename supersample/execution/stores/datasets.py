"""Datasets on disk, and the layout of stores that are computed chunk by chunk."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dask
import xarray as xr
from dask.base import is_dask_collection

from supersample.errors import InputError
from supersample.execution.stores.checked import (
    UNCHECKED,
    CheckedStore,
    read_checksums,
    warn_unchecked,
    write_checksums,
)
from supersample.execution.stores.files import checksum, matches
from supersample.execution.stores.manifest import (
    GROUP,
    GROUP_CONTENT,
    RUN,
    Facts,
    Manifest,
    write_manifest,
)
from supersample.execution.stores.places import CHECKSUMS, Place, PlaceError, is_whole
from supersample.execution.workers.workers import AnyWorkers, connect

INPUTS = "scores"  # store within a store: what its rows are computed from


def write_zarr(dataset: xr.Dataset, path: str | Path, *, workers: AnyWorkers = "threads") -> None:
    """Write a Dataset as a new Zarr store that plain xarray opens; workers compute a lazy one."""
    store = Path(path)
    write = partial(dataset.to_zarr, store, mode="w-", zarr_format=2, consolidated=True)
    if any(is_lazy(dataset, name) for name in dataset.variables):
        with connect(workers) as client, dask.config.set(scheduler=client.scheduler):
            write()
    else:
        write()
    write_checksums(store, files_of(store))


def files_of(folder: Path) -> list[Path]:
    """All files in a folder and the folders in it, sorted."""
    return sorted(file for file in folder.rglob("*") if file.is_file())


def create_store(store: Place, facts: Facts, template: xr.Dataset, inputs: xr.Dataset) -> bool:
    """Make a store of arrays without rows; in a folder whole or not at all.

    Chunks will fill the lazy variables of `template`; the others are written now. The rows are
    computed from `inputs`, which the store keeps to be resumed. The answer is False if another
    process made it in the meantime.
    """
    with store.build() as built:
        _write_layout(template, built, facts.chunk)
        write_checksums(built, files_of(built))
        write_zarr(inputs.drop_encoding(), built / INPUTS)
        write_manifest(built, facts)
        return store.install(built, RUN)


def complete_inputs(store: Place, inputs: xr.Dataset) -> None:
    """Write the inputs that a store lacks whose maker was killed before it was whole."""
    if not is_whole(store, GROUP, checksum(GROUP_CONTENT)):
        store.put(GROUP, GROUP_CONTENT)
    while not _is_complete(store.within(INPUTS)):
        with TemporaryDirectory() as folder:
            write_zarr(inputs.drop_encoding(), Path(folder) / INPUTS)
            _put_all(store, Path(folder))


def _is_complete(store: Place) -> bool:
    """Whether all files of a store are as they were recorded."""
    try:
        sums = read_checksums(store)
    except PlaceError:
        raise
    except InputError:
        return False
    return sums is not None and all(is_whole(store, *file) for file in sums.items())


def check_inputs(store: Place) -> None:
    """Raise InputError if a store lacks inputs, because its maker was killed."""
    if not store.locks and read_checksums(store.within(INPUTS)) is None:
        raise InputError(f"{store} was not made to the end; give the command run again")


def match_layout(manifest: Manifest, n: int, template: Callable[[Facts], xr.Dataset]) -> Facts:
    """Make a shorter run n long, and its arrays as long as the run; no row is touched.

    A layout that is damaged is written again, and where nothing can be locked also one that is not
    of the length that another process gave the run meanwhile: who writes last looks last.
    """
    with manifest.store.lock_layout():
        facts = manifest.facts()
        if facts.n < n:
            facts = manifest.extend(facts, n)
        while not _is_layout(manifest.store, facts, template(facts)):
            with TemporaryDirectory() as folder:
                layout = Path(folder) / "layout"
                _write_layout(template(facts), layout, facts.chunk)
                write_checksums(layout, files_of(layout))
                _put_all(manifest.store, layout)
            facts = manifest.facts()
            if manifest.store.locks:
                break
        return facts


def _is_layout(store: Place, facts: Facts, template: xr.Dataset) -> bool:
    """Whether a store's layout is whole, and its arrays are as long as the run."""
    try:
        sums = read_checksums(store)
        if sums is None:
            return False
        files = dict(store.read_all([*sums]))
        names = [name for name in template.variables if is_lazy(template, name)]
        lengths = {json.loads(files[f"{name}/.zarray"])["shape"][0] for name in names}
    except PlaceError:
        raise
    except (InputError, OSError, KeyError, ValueError):
        return False
    whole = all(file in files and matches(sums[file], files[file]) for file in sums)
    return whole and lengths == {facts.n}


def _put_all(store: Place, folder: Path) -> None:
    """Put the files of a folder into a store, that of their checksums last."""
    for file in sorted(files_of(folder), key=lambda file: file.name == CHECKSUMS):
        store.put(file.relative_to(folder).as_posix(), file.read_bytes())


def _write_layout(template: xr.Dataset, path: Path, chunk: int) -> None:
    """Write the descriptions of arrays, and those variables that are not lazy."""
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


def is_lazy(data: xr.Dataset, name: Any) -> bool:
    """Whether a variable is not computed yet."""
    return bool(is_dask_collection(data.variables[name].data))


def open_store(manifest: Manifest) -> xr.Dataset:
    """Open a run's arrays, lazily, a block for each chunk; what is read is checked.

    Of a run of an earlier version chunks alone are, with an `UncheckedWarning`.
    """
    sums = read_checksums(manifest.store)
    if sums is None:
        warn_unchecked(manifest.store)
    mending = f"mend it: supersample run --resume {manifest.store}"
    checked = CheckedStore(manifest.store, RunChecksums(manifest, sums), mending)
    opened: xr.Dataset = xr.open_zarr(checked, consolidated=True)
    return opened


@dataclass(frozen=True)
class RunChecksums:
    """Recorded checksums of a run's files; picklable, for workers anywhere."""

    manifest: Manifest
    layout: dict[str, str] | None

    def __call__(self, file: str) -> str | None:
        """Of a chunk as the manifest has it, of other files as the layout."""
        if self.layout is not None and file in self.layout:
            return self.layout[file]
        number = file.rpartition("/")[2].partition(".")[0]
        record = self.manifest.record(int(number)) if number.isdecimal() else None
        if record is not None and file in record.files:
            return record.files[file]
        is_chunk = record is not None and file.partition("/")[0] in record.arrays
        return UNCHECKED if self.layout is None and not is_chunk else None
