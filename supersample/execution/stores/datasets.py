"""Datasets in Zarr stores, which are checked when read, and the layout of runs.

::

    x.zarr/checksums    a checksum for each file except chunks of a run

Whatever reads a store compares each file with its recorded checksum. An attribute of the Dataset
says its format; it is checked before any value is read, and then removed.
"""

import asyncio
import io
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import dask
import xarray as xr
from dask.base import is_dask_collection, normalize_token
from zarr.abc.store import Store as ZarrStore
from zarr.core.buffer import default_buffer_prototype
from zarr.storage import MemoryStore, WrapperStore

from supersample.errors import FORMATS, InputError, UncheckedWarning, check_format, warn
from supersample.execution.stores.places import (
    CHECKSUMS,
    KEPT,
    Place,
    checksum,
    quick_checksum,
    sealed,
    unsealed,
)
from supersample.execution.stores.store import Run, Store, files_of_chunk, lengthen, run_now, run_of
from supersample.execution.workers.workers import AnyWorkers, connect

# Store within a run: the data from which its rows are computed.
INPUTS = "scores"

# Attributes: of a NetCDF file, and of every written Dataset.
SEAL = "checksum"
FORMAT = "supersample_format"
_BLANK = b"blake2b:" + b"0" * 32

# Returns the recorded checksum of a file by its path within the store, or None.
Recorded = Callable[[str], str | None]


def write_zarr(dataset: xr.Dataset, path: str | Path, *, workers: AnyWorkers = "threads") -> None:
    """Write a Dataset as a new Zarr store, readable by xarray; workers compute lazy arrays."""
    store = Path(path)
    store.mkdir(parents=True)
    numbered = dataset.assign_attrs({FORMAT: FORMATS["Dataset"]})
    write = partial(numbered.to_zarr, mode="w-", zarr_format=2, consolidated=True)
    if any(is_lazy(dataset, name) for name in dataset.variables):
        with connect(workers) as client, dask.config.set(scheduler=client.scheduler):
            write(store)
    else:  # zarr itself takes three times as long for files
        kept: dict[str, Any] = {}
        write(MemoryStore(kept))
        for name, content in kept.items():
            (store / name).parent.mkdir(exist_ok=True)
            (store / name).write_bytes(content.to_bytes())
    _write_checksums(store)


def netcdf_bytes(dataset: xr.Dataset) -> bytes:
    """Give a NetCDF file's content, whose attribute `SEAL` is a checksum of all other bytes."""
    blank = dataset.assign_attrs({SEAL: _BLANK.decode(), FORMAT: FORMATS["Dataset"]})
    content = bytes(blank.to_netcdf(engine="scipy"))
    return content.replace(_BLANK, _seal_of(content), 1)


def _seal_of(content: bytes) -> bytes:
    return _BLANK[:8] + checksum(content).encode()


def _remove_format(dataset: xr.Dataset, where: object, *, is_ours: bool) -> None:
    """Check the format that a Dataset names, and remove it; others than ours need not name one."""
    found = dataset.attrs.pop(FORMAT, None)
    if is_ours or found is not None:
        check_format(where, "Dataset", found)


def load_netcdf(path: Path) -> xr.Dataset:
    """Load a Dataset of `netcdf_bytes`, checked; from others with an `UncheckedWarning`.

    Raises
    ------
    InputError
        If the file is not as it was written, or the Dataset is of another format.
    """
    raw = path.read_bytes()
    with xr.open_dataset(io.BytesIO(raw), engine="scipy") as opened:
        seal = opened.attrs.pop(SEAL, None)
        _remove_format(opened, path, is_ours=seal is not None)
        data: xr.Dataset = opened.load()
    if seal is None:
        text = f"{path} has no checksum, so damage to it cannot be detected"
        warn(text, UncheckedWarning, stacklevel=2)
    elif _seal_of(raw.replace(str(seal).encode(), _BLANK, 1)) != str(seal).encode():
        raise InputError(f"{path} is damaged; create it again")
    return data


def _write_checksums(store: Path) -> None:
    """Record the checksums of all files of a store."""
    sums = {name: quick_checksum(file.read_bytes()) for name, file in _files_of(store).items()}
    (store / CHECKSUMS).write_bytes(sealed(json.dumps(sums, indent=1).encode(), CHECKSUMS))


def read_checksums(store: Place) -> dict[str, str] | None:
    """Read the recorded checksums of a store's files; None if there are none.

    Raises
    ------
    InputError
        If the record is damaged.
    """
    try:
        content = unsealed(store.read(CHECKSUMS), CHECKSUMS)
    except FileNotFoundError:
        return None
    except OSError:
        content = None
    if content is None:
        raise InputError(f"{store}/{CHECKSUMS} is damaged")
    return dict(json.loads(content))


class CheckedStore(WrapperStore[ZarrStore]):
    """A read-only store; raises InputError for a file that changed after writing."""

    def __init__(self, place: Place, recorded: Recorded, mending: str) -> None:
        super().__init__(MemoryStore())  # never used: `_read` reads from the place
        self._place, self._recorded, self._mending = place, recorded, mending

    def __dask_tokenize__(self) -> Any:
        """Identify the content of the store, so that its graphs have equal names anywhere."""
        return normalize_token((str(self._place), self._recorded))

    def with_read_only(self, read_only: bool = False) -> Self:
        """Give the store itself, which is only read."""
        return self

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        """Read a file as zarr does, and check it."""
        return await asyncio.to_thread(self._read, key, prototype, byte_range)

    def get_sync(self, key: str, *, prototype: Any = None, byte_range: Any = None) -> Any:
        """Read a file as zarr does without an event loop, and check it."""
        return self._read(key, prototype, byte_range)

    def _read(self, key: str, prototype: Any, byte_range: Any) -> Any:
        if byte_range is not None:
            raise NotImplementedError("chunks of Zarr's version 2 are read whole")
        try:
            content = self._place.read(key)
        except OSError:  # also a folder in its place
            content = None
        found = None if content is None else quick_checksum(content)
        if found != self._recorded(key):
            raise InputError(f"{self._place}: {key} is damaged; {self._mending}")
        buffer = (prototype or default_buffer_prototype()).buffer
        return None if content is None else buffer.from_bytes(content)


def load_zarr(place: Place) -> xr.Dataset:
    """Load a Dataset that `write_zarr` wrote, with checks; other stores with `UncheckedWarning`.

    Raises
    ------
    InputError
        If a file changed after writing, or the Dataset has another format.
    """
    sums = read_checksums(place)
    if sums is None:
        text = f"{place} has no {CHECKSUMS}, so damage to it cannot be detected"
        warn(text, UncheckedWarning, stacklevel=2)
    mending = f"make it again, or remove {CHECKSUMS} if it was changed on purpose"
    store = str(place) if sums is None else CheckedStore(place, sums.get, mending)
    opened: xr.Dataset = xr.open_zarr(store, chunks=None, consolidated=sums is not None)
    _remove_format(opened, place, is_ours=sums is not None)
    return opened.load()


def create_run(store: Store, run: Run, template: xr.Dataset, inputs: xr.Dataset) -> bool:
    """Create a store of arrays without rows; in a bucket claim it, for `complete_inputs` to fill.

    Chunks will fill the lazy variables of `template`; other variables are written now. The rows are
    computed from `inputs`, which the store keeps, so that it can be resumed. Returns False if
    another process created the store in the meantime.
    """

    def build(built: Path) -> None:
        _write_layout(template, built, run.chunk)
        write_zarr(inputs.drop_encoding(), built / INPUTS)

    return store.place.create(store.described(asdict(run)), build)


def complete_inputs(store: Store, inputs: xr.Dataset) -> None:
    """Write the inputs of a run again, if they are damaged or their writer was killed."""
    while _whole_files(store.place.within(INPUTS)) is None:
        with TemporaryDirectory() as folder:
            write_zarr(inputs.drop_encoding(), Path(folder) / INPUTS)
            _put_all(store.place, Path(folder))


def _whole_files(store: Place) -> dict[str, bytes] | None:
    """Files of a store by name; None if one differs from its record."""
    recorded = dict(store.read_all([CHECKSUMS])).get(CHECKSUMS, b"")
    sums = json.loads(unsealed(recorded, CHECKSUMS) or b"{}")
    files = dict(store.read_all([*sums]))
    whole = sums == {name: quick_checksum(content) for name, content in files.items()}
    return files if sums and whole else None


def check_inputs(store: Store) -> None:
    """Raise InputError if a run lacks inputs, because the process that created it was killed."""
    if read_checksums(store.place.within(INPUTS)) is None:
        raise InputError(f"{store.place} is not complete; give the command run again")


def _files_of(folder: Path) -> dict[str, Path]:
    """All files in a folder and the folders in it, by their path within it; checksums last."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    files.sort(key=lambda file: (file.name == CHECKSUMS, file))
    return {file.relative_to(folder).as_posix(): file for file in files}


def _put_all(place: Place, folder: Path) -> None:
    """Put the files of a folder into a store, those of checksums last."""
    for name, file in _files_of(folder).items():
        place.put(name, file.read_bytes())


def match_layout(store: Store, n: int, template: Callable[[Run], xr.Dataset]) -> Run:
    """Extend a run to n rows, and its arrays to the length of the run; rows are not changed.

    A damaged layout is written again, and so is one with another length than another process gave
    the run in the meantime: the last process to write also checks last.
    """
    run = run_of(store)
    if run.n < n:
        run = lengthen(store, run, n)
    while not _is_layout(store.place, run, template(run)):
        with TemporaryDirectory() as folder:
            layout = Path(folder) / "layout"
            _write_layout(template(run), layout, run.chunk)
            _put_all(store.place, layout)
        run = run_of(store)
    return run


def _is_layout(place: Place, run: Run, template: xr.Dataset) -> bool:
    """Whether a run's layout is complete, as long as the run, and agrees with the template."""
    files = _whole_files(place)
    arrays = [f"{name}/.zarray" for name in template.variables if is_lazy(template, name)]
    if files is None or not files.keys() >= {*arrays}:
        return False
    signed = json.loads(files.get(".zattrs", b"{}")).get("signature")
    lengths = {json.loads(files[name])["shape"][0] for name in arrays}
    return lengths == {run.n} and signed == template.attrs.get("signature")


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
    (path / KEPT).mkdir()
    # a Zarr group, so that software can list the store
    (path / KEPT / ".zgroup").write_bytes(b'{"zarr_format": 2}')
    _write_checksums(path)


def is_lazy(data: xr.Dataset, name: Any) -> bool:
    """Whether a variable is not computed yet."""
    return bool(is_dask_collection(data.variables[name].data))


def open_run_arrays(store: Store) -> xr.Dataset:
    """Open a run's arrays, lazily, one block per chunk; chunks are checked when read."""
    mending = f"repair it: supersample run --resume {store.place}"
    seen = replace(store, place=store.place.absolute())  # workers may run in other folders
    recorded = partial(_recorded, seen, run_of(store), read_checksums(store.place) or {})
    checked = CheckedStore(seen.place, recorded, mending)
    opened: xr.Dataset = xr.open_zarr(checked, consolidated=True)
    return opened


def _recorded(store: Store, run: Run, layout: dict[str, str], file: str) -> str | None:
    """Get a file's checksum: chunks have their own records, other files are in the layout."""
    number = file.rpartition("/")[2].partition(".")[0]
    if file in layout or not number.isdecimal():
        return layout.get(file)
    n = int(number)  # a chunk may have more rows by now
    found = files_of_chunk(store, run, n) or files_of_chunk(store, run_now(store, run), n) or {}
    return found.get(file)
