"""Chunks of a store: one task computes a whole one, writes its files and records it."""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.execution.progress import Meter
from supersample.execution.stores.files import quick_checksum
from supersample.execution.stores.manifest import Facts, Manifest, Record
from supersample.execution.stores.places import Place, PlaceError, is_whole
from supersample.execution.workers.clients import Client

Columns = Callable[[int, int], Mapping[str, NDArray[Any]]]
"""Gives the rows start to stop - 1 of each array of a store, as they are stored."""


class Outcome(NamedTuple):
    """What became of a chunk."""

    rows: int
    what: Literal["kept", "computed", "mended"]
    """It was whole; it was missing; it was damaged."""


@dataclass(frozen=True)
class ChunkWriter:
    """Computes chunks of a store that are missing or damaged; picklable, for workers anywhere."""

    store: Place
    """A place that all workers see."""
    facts: Facts
    columns: Columns
    version: str = version("supersample")

    def __call__(self, number: int) -> Outcome:
        """Compute a chunk, unless it exists and its checksums agree.

        If its files cannot be written, OSError is raised, and what was recorded stays.
        """
        manifest = Manifest(self.store)
        rows = self.facts.rows(number)
        facts = self._facts_now(manifest)
        recorded = self._recorded(manifest, facts, number)
        if recorded == "whole":
            return Outcome(rows, "kept")
        if self.store.locks or recorded == "damaged":
            manifest.forget(number)
        written = None
        while written != facts.bounds(number):  # again if the run was made longer meanwhile
            self._write(manifest, facts, number)
            written, facts = facts.bounds(number), self._facts_now(manifest)
        return Outcome(rows, "computed" if recorded == "missing" else "mended")

    def _write(self, manifest: Manifest, facts: Facts, number: int) -> None:
        start, stop = facts.bounds(number)
        files = {}
        for name, rows in self.columns(start, stop).items():
            content = _whole_chunk(rows, facts.chunk)
            file = f"{name}/{chunk_key(number, rows.ndim)}"
            self.store.put(file, content)
            files[file] = quick_checksum(content)
        manifest.add_record(number, Record(stop - start, files))

    def _facts_now(self, manifest: Manifest) -> Facts:
        """Read what the run is, which another process may have made longer."""
        if self.version != version("supersample"):
            raise InputError(
                f"a worker has supersample {version('supersample')}, and the run {self.version}"
            )
        try:
            facts: Facts | None = manifest.facts()
        except PlaceError:
            raise
        except InputError:
            facts = None
        if facts is None or facts.identity != self.facts.identity:
            raise InputError(f"a worker does not see {self.store}, which all workers have to see")
        return facts

    def _recorded(
        self, manifest: Manifest, facts: Facts, number: int
    ) -> Literal["whole", "missing", "damaged"]:
        record = manifest.record(number)
        if record is None or record.rows != facts.rows(number):
            return "missing"
        files = record.files.items()
        return "whole" if all(is_whole(self.store, *file) for file in files) else "damaged"


def compute_chunks(
    writer: ChunkWriter, numbers: Sequence[int], client: Client, *, progress: str | None = None
) -> Counter[str]:
    """Compute chunks of a store that are missing or damaged, and count what became of all.

    `progress` says what the rows are. What was recorded until an error stays.
    """
    bounds = [writer.facts.bounds(number) for number in numbers]
    became: Counter[str] = Counter()
    if progress is not None and client.dashboard is not None:
        print(f"dashboard: {client.dashboard}", file=sys.stderr, flush=True)
    with (
        Meter(progress, sum(stop - start for start, stop in bounds)) as meter,
        closing(client.completed(writer, numbers, meter.show)) as outcomes,
    ):
        for _, outcome in outcomes:
            became[outcome.what] += 1
            meter.add(outcome.rows, finished_before=outcome.what == "kept")
    return became


def chunk_key(number: int, ndim: int) -> str:
    """Name of a chunk that is whole along all dimensions but the first, in Zarr's version 2.

    >>> chunk_key(3, ndim=2)
    '3.0'
    """
    return ".".join([str(number), *["0"] * (ndim - 1)])


def _whole_chunk(rows: NDArray[Any], chunk: int) -> memoryview:
    """Bytes of a chunk as Zarr has it uncompressed: C order, and fill after the last row."""
    whole = rows
    if rows.shape[0] < chunk:
        fill = np.nan if rows.dtype.kind == "f" else 0
        whole = np.full((chunk, *rows.shape[1:]), fill, rows.dtype)
        whole[: rows.shape[0]] = rows
    little = np.ascontiguousarray(whole, dtype=whole.dtype.newbyteorder("<"))
    return little.data.cast("B")
