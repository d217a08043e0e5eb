"""Reading of stores: each file is compared with its recorded checksum when it is read.

::

    x.zarr/checksums.json    a checksum for each file that no manifest of chunks names
"""

import asyncio
import json
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self

import xarray as xr
from zarr.abc.store import Store
from zarr.core.buffer import default_buffer_prototype
from zarr.storage import WrapperStore

from supersample.errors import InputError, UncheckedWarning
from supersample.execution.stores.files import checksum, matches, quick_checksum
from supersample.execution.stores.places import CHECKSUMS, Place, PlaceError

UNCHECKED = "unchecked"
"""In place of a checksum: a file that earlier versions recorded none of."""

Recorded = Callable[[str], str | None]
"""Gives the recorded checksum of a file by its path within the store, None if it has none."""


def write_checksums(store: Path, files: Iterable[Path]) -> None:
    """Record the checksums of files of a store."""
    sums = {file.relative_to(store).as_posix(): quick_checksum(file.read_bytes()) for file in files}
    content = json.dumps({"files": sums, "checksum": _digest(sums)}, indent=1)
    (store / CHECKSUMS).write_bytes(content.encode())


def read_checksums(store: Place) -> dict[str, str] | None:
    """Read the recorded checksums of a store's files; None if there are none.

    Raises
    ------
    InputError
        If the record is damaged.
    """
    try:
        content = json.loads(store.read(CHECKSUMS))
        sums = content["files"]
        if content["checksum"] == _digest(sums) and isinstance(sums, dict):
            return sums
    except FileNotFoundError:
        return None
    except PlaceError:
        raise
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise InputError(f"{store}/{CHECKSUMS} is damaged")


def _digest(sums: Any) -> str:
    return checksum(json.dumps(sums, sort_keys=True).encode())


class CheckedStore(WrapperStore[Store]):
    """A store that is only read; an InputError tells of a file that is not as it was written."""

    def __init__(self, place: Place, recorded: Recorded, mending: str) -> None:
        super().__init__(place.zarr_store())
        self._place, self._recorded, self._mending = place, recorded, mending

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
        recorded = self._recorded(key)
        try:
            content = self._place.read(key)
        except OSError:  # also a folder in its place
            content = None
        if recorded is None or content is None:
            whole = recorded is None and content is None
        else:
            whole = matches(recorded, content)
        if recorded != UNCHECKED and not whole:
            raise InputError(f"{self._place}: {key} is damaged; {self._mending}")
        buffer = (prototype or default_buffer_prototype()).buffer
        return None if content is None else buffer.from_bytes(content)


def warn_unchecked(store: Place) -> None:
    """Say that a store has no checksums."""
    text = f"{store} has no {CHECKSUMS}: damage to it would go unnoticed"
    warnings.warn(text, UncheckedWarning, stacklevel=3)


def load_zarr(place: Place) -> xr.Dataset:
    """Load a Dataset that `write_zarr` wrote, checked; from others with an `UncheckedWarning`.

    Raises
    ------
    InputError
        If a file is not as it was written.
    """
    sums = read_checksums(place)
    if sums is None:
        warn_unchecked(place)
    mending = f"make it anew, or remove {CHECKSUMS} if it was changed on purpose"
    store = place.zarr_store() if sums is None else CheckedStore(place, sums.get, mending)
    with warnings.catch_warnings():
        for category in (UserWarning, RuntimeWarning):  # about stores of other software
            warnings.simplefilter("ignore", category)
        loaded: xr.Dataset = xr.open_zarr(store, chunks=None).load()
    return loaded
