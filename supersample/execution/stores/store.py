"""The store of results: each has a key of all that determines it, and is checked when read.

::

    STORE/
      kept/
        store               format, kind, and the description of a run
        finished/NAME       a result, or the checksums of the files of a chunk
        sessions/           who computed when, with what: one file per process
        lengths/            empty files whose names are later lengths of a run
        partial/  *.lock

A result is written completely or not at all. The first line of its file is a checksum of the result
and of its key, so a result that is damaged, or copied over another, counts as missing. Other
parameters have other keys, so nothing is overwritten and finished results are reused.

The rows of a run are Zarr chunks in the same store. A chunk's files are on disk and in place before
it is recorded as finished. So whenever a process ends, each chunk is recorded and complete, or not
recorded.
"""

import io
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from supersample.errors import FORMATS, InputError, check_format
from supersample.execution.progress import Meter
from supersample.execution.stores.places import (
    KEPT,
    STORE,
    Place,
    PlaceError,
    checksum,
    quick_checksum,
    sealed,
    unsealed,
)
from supersample.execution.workers.local import Client, Item
from supersample.execution.workers.workers import Block, rows_of

FINISHED, SESSIONS, LENGTHS = (f"{KEPT}/{name}" for name in ("finished", "sessions", "lengths"))
# Rows per result of `kept_rows`; the last one may have fewer.
BLOCK = 100


def keyed(**facts: Any) -> str:
    """Key of a result: a checksum of everything that determines it, as JSON.

    >>> keyed(seed=0, n=10) == keyed(n=10, seed=0)
    True
    """
    return checksum(json.dumps(facts, sort_keys=True).encode())


@dataclass(frozen=True)
class Store:
    """Results of one kind in a place.

    Attributes
    ----------
    kind
        Name for messages: "run", "sweep", ...
    """

    place: Place
    kind: str

    def facts(self) -> dict[str, Any]:
        """Read the description of the store.

        Raises
        ------
        InputError
            If there is no store of the kind, or of another format.
        """
        at, kind = self.place, self.kind
        try:
            content = unsealed(at.read(STORE), STORE)
        except (FileNotFoundError, NotADirectoryError):
            other = f"{at} is no {kind} of supersample; name another"
            raise InputError(other if at.exists() else f"there is no {kind} {at}") from None
        except OSError:  # also if it is a folder
            content = None
        if content is None:
            raise InputError(f"{at}/{STORE} is damaged")
        facts: dict[str, Any] = json.loads(content)
        check_format(at, "store", facts.get("format"))
        if facts["kind"] != kind:
            raise InputError(f"{at} holds a {facts['kind']}, not a {kind}; name another")
        return facts

    def described(self, facts: Mapping[str, Any]) -> bytes:
        """Content of the file that describes the store."""
        return sealed(_json({"format": FORMATS["store"], "kind": self.kind, **facts}), STORE)

    def read_all(self, keys: Mapping[str, str], folder: str = FINISHED) -> dict[str, bytes]:
        """Existing, undamaged results by name, from their keys by name."""
        files = self.place.read_all([f"{folder}/{name}" for name in keys])
        named = ((file.rpartition("/")[2], stored) for file, stored in files)
        found = {name: unsealed(stored, keys[name]) for name, stored in named}
        return {name: content for name, content in found.items() if content is not None}

    def read(self, key: str, name: str = "") -> bytes | None:
        """Read a result; None if it is missing or damaged."""
        return self.read_all({name or key: key}).get(name or key)

    def write(self, key: str, content: bytes, name: str = "") -> None:
        """Store a result in a file named by its key, or by `name`; may raise OSError."""
        self.place.put(f"{FINISHED}/{name or key}", sealed(content, key))

    def arrays(self, keys: Mapping[Item, str]) -> dict[Item, NDArray[np.float64]]:
        """Existing, undamaged arrays by item, from the items' keys."""
        stored = self.read_all({key: key for key in keys.values()})
        streams = {item: io.BytesIO(stored[key]) for item, key in keys.items() if key in stored}
        return {item: np.load(stream, allow_pickle=False) for item, stream in streams.items()}

    def write_array(self, key: str, values: NDArray[np.float64]) -> None:
        """Store an array."""
        stream = io.BytesIO()
        np.save(stream, values, allow_pickle=False)
        self.write(key, stream.getvalue())

    def times(self) -> dict[str, float]:
        """Time when each result was written, by name, seconds since 1970; reads no result."""
        return self.place.files(FINISHED)

    def add_session(self, session: Mapping[str, Any]) -> None:
        """Record who computes, with what."""
        name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{uuid4().hex[:8]}"
        self.place.put(f"{SESSIONS}/{name}", sealed(_json(session), name))

    def sessions(self) -> list[tuple[float, dict[str, Any]]]:
        """Start of each session, seconds since 1970, and its record, in order."""
        times = self.place.files(SESSIONS)
        found = self.read_all({name: name for name in times}, SESSIONS)
        return sorted(
            [(times[name], json.loads(content)) for name, content in found.items()],
            key=itemgetter(0),
        )


def open_store(place: Place, kind: str) -> Store:
    """Open or create a store of results; InputError if something else is in its place."""
    store = Store(place, kind)
    if store.place.is_free():
        store.place.put(STORE, store.described({}))
    store.facts()
    return store


def kept_rows(
    store: Store,
    block: Block,
    n: int,
    facts: dict[str, Any],
    client: Client,
    *,
    progress: str | None = None,
) -> NDArray[np.float64]:
    """Compute the rows that a store lacks, store them, and return all rows, like `compute_rows`.

    `facts` are all facts that determine the rows, for their keys.
    """
    bounds = [(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
    keys = {rows: keyed(**facts, rows=list(rows)) for rows in bounds}
    with store.place.lock():
        blocks, _ = kept_arrays(
            partial(rows_of, block),
            keys,
            store=store,
            client=client,
            progress=progress,
            amount=lambda rows: rows[1] - rows[0],
        )
    return np.concatenate([blocks[rows] for rows in bounds])


def kept_arrays(
    task: Callable[[Item], NDArray[np.float64]],
    keys: Mapping[Item, str],
    *,
    store: Store,
    client: Client,
    progress: str | None = None,
    amount: Callable[[Item], int] = lambda _: 1,
) -> tuple[dict[Item, NDArray[np.float64]], int]:
    """Compute and store missing arrays; return all by item, and how many were missing.

    `keys` are the keys of the items' results, `amount` is the weight of an item in a progress bar
    with the description `progress`.
    """
    arrays = store.arrays(keys)
    missing = [item for item in keys if item not in arrays]
    done = sum(map(amount, arrays))
    with (
        Meter(progress, sum(map(amount, keys)), done=done) as meter,
        closing(client.completed(task, missing, meter.show)) as results,
    ):
        for item, values in results:
            store.write_array(keys[item], values)
            arrays[item] = values
            meter.add(amount(item))
    return arrays, len(missing)


@dataclass(frozen=True)
class Run:
    """Description of a run: rows of several arrays, which are computed in chunks.

    Attributes
    ----------
    identity
        Identifies the store, for workers that may have another file system.
    """

    identity: str
    n: int
    chunk: int
    parameters: dict[str, Any]

    @property
    def chunks(self) -> int:
        """Number of chunks for n rows."""
        return -(-self.n // self.chunk)

    def bounds(self, number: int) -> tuple[int, int]:
        """First row of a chunk, and the one after its last."""
        return number * self.chunk, min(self.n, (number + 1) * self.chunk)

    def rows(self, number: int) -> int:
        """Count the rows of a chunk."""
        start, stop = self.bounds(number)
        return stop - start

    def key(self, number: int) -> str:
        """Key of a chunk; it changes if an extended run has more rows in it."""
        return checksum(f"{self._determined} {self.chunk} {self.bounds(number)}".encode())

    @cached_property
    def _determined(self) -> str:
        return keyed(**self.parameters)


def run_of(store: Store) -> Run:
    """Read the description and present length of a run; InputError as `Store.facts`."""
    facts = store.facts()
    lengths = [int(name) for name in store.place.files(LENGTHS) if name.isdecimal()]
    return Run(facts["identity"], max([facts["n"], *lengths]), facts["chunk"], facts["parameters"])


def run_now(store: Store, run: Run) -> Run:
    """Read a run's present description; InputError if this worker sees no run or another one."""
    try:
        found: Run | None = run_of(store)
    except PlaceError:
        raise
    except InputError:
        found = None
    if found is None or found.identity != run.identity:
        raise InputError(f"a worker cannot read {store.place}, to which all workers need access")
    return found


def lengthen(store: Store, run: Run, n: int) -> Run:
    """Extend a run; a shorter length from another process does not replace it."""
    store.place.put(f"{LENGTHS}/{n:016d}", b"")
    return replace(run, n=n)


def finished_chunks(store: Store, run: Run) -> dict[int, float]:
    """Time when each finished chunk was recorded, seconds since 1970; reads no chunk."""
    times = store.times()
    names = [name for name in times if name.isdecimal() and int(name) < run.chunks]
    recorded = store.read_all({name: run.key(int(name)) for name in names})
    return {int(name): times[name] for name in recorded}


def files_of_chunk(store: Store, run: Run, number: int) -> dict[str, str] | None:
    """Files of a chunk and their checksums; None if the chunk is not recorded as finished."""
    recorded = store.read(run.key(number), _name(number))
    return None if recorded is None else dict(json.loads(recorded))


# Returns the rows start to stop - 1 of each array of a run, as stored.
Columns = Callable[[int, int], Mapping[str, NDArray[Any]]]


@dataclass(frozen=True)
class ChunkWriter:
    """Computes missing or damaged chunks of a run; picklable, for workers on any machine.

    Attributes
    ----------
    store
        Store in a place to which all workers have access.
    """

    store: Store
    run: Run
    columns: Columns

    def __call__(self, number: int) -> str:
        """Compute a chunk, unless it exists and its checksums agree; return what was done.

        "kept": it was complete; "computed": it was missing; "mended": it was damaged. If its files
        cannot be written, OSError is raised, and earlier records are kept.
        """
        run = run_now(self.store, self.run)
        recorded = files_of_chunk(self.store, run, number)
        if recorded and all(self.store.place.is_whole(*file) for file in recorded.items()):
            return "kept"
        written = None
        while written != run.bounds(number):  # again if the run was extended meanwhile
            self._write(run, number)
            written, run = run.bounds(number), run_now(self.store, self.run)
        return "computed" if recorded is None else "mended"

    def _write(self, run: Run, number: int) -> None:
        files = {}
        for name, rows in self.columns(*run.bounds(number)).items():
            content = _whole_chunk(rows, run.chunk)
            file = f"{name}/{chunk_key(number, rows.ndim)}"
            self.store.place.put(file, content)
            files[file] = quick_checksum(content)
        self.store.write(run.key(number), _json(files), _name(number))


def compute_chunks(
    writer: ChunkWriter, numbers: Sequence[int], client: Client, *, progress: str | None = None
) -> Counter[str]:
    """Compute chunks of a run that are missing or damaged, and count what was done with all.

    `progress` names the rows. After an error, earlier records are kept.
    """
    became: Counter[str] = Counter()
    if progress is not None and client.dashboard is not None:
        print(f"dashboard: {client.dashboard}", file=sys.stderr, flush=True)
    with (
        Meter(progress, sum(map(writer.run.rows, numbers))) as meter,
        closing(client.completed(writer, numbers, meter.show)) as outcomes,
    ):
        for number, what in outcomes:
            became[what] += 1
            meter.add(writer.run.rows(number), finished_before=what == "kept")
    return became


def chunk_key(number: int, ndim: int) -> str:
    """Zarr (version 2) name of a chunk that is complete along all dimensions except the first.

    >>> chunk_key(3, ndim=2)
    '3.0'
    """
    return ".".join([str(number), *["0"] * (ndim - 1)])


def _name(number: int) -> str:
    return f"{number:08d}"


def _whole_chunk(rows: NDArray[Any], chunk: int) -> memoryview:
    """Bytes of an uncompressed Zarr chunk: C order, padded after the last row."""
    whole = rows
    if rows.shape[0] < chunk:
        fill = np.nan if rows.dtype.kind == "f" else 0
        whole = np.full((chunk, *rows.shape[1:]), fill, rows.dtype)
        whole[: rows.shape[0]] = rows
    little = np.ascontiguousarray(whole, dtype=whole.dtype.newbyteorder("<"))
    return little.data.cast("B")


def _json(content: Any) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()
