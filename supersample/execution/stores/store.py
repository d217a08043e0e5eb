"""The store of results: each has a key of all that determines it, and is checked when read.

::

    FOLDER/kept/store     format and kind
    FOLDER/kept/KEY       a result

A result is written completely or not at all. The first line of its file is a checksum of the result
and of its key, so a result that is damaged, or copied over another, counts as missing. Other
parameters have other keys, so nothing is overwritten and finished results are reused. Processes
that share a store write the same bytes under the same key.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersample.errors import FORMATS, InputError, check_format
from supersample.execution.progress import Meter
from supersample.execution.stores.places import Place
from supersample.execution.workers.local import Client, Item

# Folder of a store for files that no other software reads.
KEPT = "kept"
# File that describes a store.
STORE = "store"


def checksum(content: bytes | memoryview) -> str:
    """BLAKE2b of 16 bytes, in hexadecimal.

    >>> checksum(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def keyed(**facts: Any) -> str:
    """Key of a result: a checksum of everything that determines it, as JSON.

    >>> keyed(seed=0, n=10) == keyed(n=10, seed=0)
    True
    """
    return checksum(json.dumps(facts, sort_keys=True).encode())


@dataclass(frozen=True)
class Store:
    """Results of one kind in a folder.

    Attributes
    ----------
    kind
        Name for messages: "sweep", "shared task", ...
    """

    folder: Path
    kind: str

    def read(self, key: str) -> bytes | None:
        """Read a result; None if it is missing or damaged."""
        try:
            stored = (self.folder / KEPT / key).read_bytes()
        except OSError:  # also if it is a folder
            return None
        seal, _, content = stored.partition(b"\n")
        return content if seal.decode("latin-1") == _seal(content, key) else None

    def write(self, key: str, content: bytes) -> None:
        """Store a result in a file named by its key; may raise OSError."""
        seal = f"{_seal(content, key)}\n".encode()
        Place(self.folder).put(f"{KEPT}/{key}", seal, content)

    def read_array(self, key: str) -> NDArray[np.float64] | None:
        """Read an array; None if it is missing or damaged."""
        content = self.read(key)
        return None if content is None else np.load(io.BytesIO(content), allow_pickle=False)

    def write_array(self, key: str, values: NDArray[np.float64]) -> None:
        """Store an array."""
        stream = io.BytesIO()
        np.save(stream, values, allow_pickle=False)
        self.write(key, stream.getvalue())

    def begin(self) -> None:
        """Describe the store, in a new or an empty folder or beside other files."""
        self.write(STORE, json.dumps({"format": FORMATS["store"], "kind": self.kind}).encode())

    def times(self) -> dict[str, float]:
        """Time when each result was written, by key, seconds since 1970; reads no result."""
        return Place(self.folder).names(KEPT)

    def check(self) -> None:
        """Raise InputError if there is no store of the kind, or of another format."""
        if not (self.folder / KEPT / STORE).exists():
            other = f"{self.folder} is no {self.kind} of supersample; name another"
            raise InputError(other if self.folder.exists() else f"there is no {self.folder}")
        content = self.read(STORE)
        if content is None:
            raise InputError(f"{self.folder}/{KEPT}/{STORE} is damaged")
        facts: dict[str, Any] = json.loads(content)
        check_format(self.folder, "store", facts.get("format"))
        if facts["kind"] != self.kind:
            raise InputError(
                f"{self.folder} holds a {facts['kind']}, not a {self.kind}; name another"
            )


def _seal(content: bytes, key: str) -> str:
    return checksum(f"{key}\n".encode() + content)


def open_store(folder: Path, kind: str) -> Store:
    """Open or create a store of results; InputError if something else is in its place."""
    store = Store(folder, kind)
    empty = not folder.exists() or (folder.is_dir() and not {*Place(folder).names()} - {KEPT})
    if empty and STORE not in store.times():
        store.begin()
    store.check()
    Place(folder).prepare(0, "results")
    return store


def kept_arrays(
    task: Callable[[Item], NDArray[np.float64]],
    keys: Mapping[Item, str],
    *,
    store: Store,
    client: Client,
    progress: str | None = None,
) -> tuple[dict[Item, NDArray[np.float64]], int]:
    """Compute and store missing arrays; return all by item, and how many were missing.

    `keys` are the keys of the items' results; `progress` describes a progress bar.
    """
    read = {item: store.read_array(key) for item, key in keys.items()}
    arrays = {item: array for item, array in read.items() if array is not None}
    missing = [item for item in keys if item not in arrays]
    with (
        Meter(progress, len(keys), done=len(arrays)) as meter,
        closing(client.completed(task, missing, meter.show)) as results,
    ):
        for item, values in results:
            store.write_array(keys[item], values)
            arrays[item] = values
            meter.add(1)
    return arrays, len(missing)
