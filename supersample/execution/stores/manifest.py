"""Manifest of a store: what it holds, which chunks are finished, who computed them.

::

    run.zarr/                 a Zarr group that plain xarray opens
      manifest/
        run.json              format, n, hybrids a chunk, parameters
        finished/00000012.json  chunk 12 is on the disk: its rows, a checksum for each array
        sessions/             who computed when, with what: one file a process
        partial/              incomplete files
        *.lock
        lengths/              of runs in buckets, which have no locks: empty files, n their names

A record is written when the chunk's files are on the disk and in place, so that a process
that ends at any moment leaves chunks which are recorded and whole, or not recorded.
"""

import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from operator import itemgetter
from pathlib import Path, PurePath
from typing import Any
from uuid import uuid4

from supersample.errors import InputError, shortened
from supersample.execution.stores.addresses import place_of
from supersample.execution.stores.files import Part, checksum
from supersample.execution.stores.places import Place, PlaceError

FORMAT = 1
FOLDER = "manifest"
RUN, FINISHED, SESSIONS, LENGTHS = (
    f"{FOLDER}/{name}" for name in ("run.json", "finished", "sessions", "lengths")
)
GROUP, GROUP_CONTENT = f"{FOLDER}/.zgroup", b'{"zarr_format": 2}'


@dataclass(frozen=True)
class Facts:
    """What a run is: `run.json`."""

    identity: str
    """Tells this store from any other, for workers that may see another file system."""
    kind: str
    n: int
    chunk: int
    parameters: dict[str, Any]

    @property
    def chunks(self) -> int:
        """How many chunks hold n rows."""
        return -(-self.n // self.chunk)

    def bounds(self, number: int) -> tuple[int, int]:
        """First row of a chunk, and the one after its last."""
        return number * self.chunk, min(self.n, (number + 1) * self.chunk)

    def rows(self, number: int) -> int:
        """How many rows a chunk has."""
        start, stop = self.bounds(number)
        return stop - start


@dataclass(frozen=True)
class Record:
    """A finished chunk: how many rows it has, and the checksum of each array's file."""

    rows: int
    files: dict[str, str]

    @property
    def arrays(self) -> set[str]:
        """Names of the arrays."""
        return {file.partition("/")[0] for file in self.files}


def write_manifest(store: Path, facts: Facts) -> None:
    """Write the manifest of a store that is not in its place yet."""
    for name in ("finished", "sessions"):
        (store / FOLDER / name).mkdir(parents=True)
    # a group of Zarr's, so that who lists the store does not stumble over it
    (store / GROUP).write_bytes(GROUP_CONTENT)
    (store / RUN).write_bytes(_json(_facts_content(facts)))


def manifest_at(path: str | Path) -> "Manifest":
    """Manifest of the store at a path or a URL."""
    return Manifest(place_of(path))


@dataclass(frozen=True)
class Manifest:
    """The manifest of a store."""

    store: Place

    def facts(self) -> Facts:
        """Read what the run is; an InputError refuses what is no run, or of another format."""
        try:
            content = json.loads(self.store.read(RUN))
        except (FileNotFoundError, NotADirectoryError):
            if not self.store.exists():
                raise InputError(f"there is no run {self.store}") from None
            raise InputError(f"{self.store} is no run of supersample") from None
        except PlaceError:
            raise
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(f"{self.store}/{RUN} is damaged: {error}") from error
        found = content.get("format") if isinstance(content, dict) else None
        if found != FORMAT:
            newer = isinstance(found, int) and found > FORMAT
            raise InputError(
                f"{self.store} is of format {shortened(found)}, and this version of supersample "
                f"reads format {FORMAT}" + ("; a newer one will read it" if newer else " alone")
            )
        return self._checked_facts(content)

    def _checked_facts(self, content: dict[str, Any]) -> Facts:
        """Facts as they were written; earlier versions recorded no checksum of them."""
        recorded = content.pop("checksum", None)
        whole = recorded is None or recorded == _digest(content)
        try:
            facts = Facts(**{name: content[name] for name in content.keys() - {"format"}})
            sizes = (facts.n, facts.chunk)
            whole = whole and all(type(size) is int and 0 < size < 2**62 for size in sizes)
            whole = whole and isinstance(facts.parameters, dict)
        except TypeError:
            whole = False
        if not whole:
            raise InputError(f"{self.store}/{RUN} is damaged")
        return replace(facts, n=max([facts.n, *self._lengths()]))

    def _lengths(self) -> list[int]:
        """Lengths that a run was given since in a place without locks, also if it was moved."""
        try:
            return [int(name) for name in self.store.files(LENGTHS) if name.isdecimal()]
        except FileNotFoundError:
            return []

    def extend(self, facts: Facts, n: int) -> Facts:
        """Make the run longer; chunks that were finished and are whole stay."""
        longer = replace(facts, n=n)
        if self.store.locks:
            self.store.put(RUN, _json(_facts_content(longer)))
        else:  # a shorter length of another process must not replace it
            self.store.put(f"{LENGTHS}/{n:016d}", b"")
        return longer

    def record(self, number: int) -> Record | None:
        """Record of a chunk, or None if it is not finished (or its record cannot be read)."""
        found = [_record(content) for _, content in self.store.read_all([_record_file(number)])]
        return found[0] if found else None

    def add_record(self, number: int, record: Record) -> None:
        """Record a chunk whose files are on the disk and in place."""
        self.store.put(_record_file(number), _json(asdict(record)))

    def forget(self, number: int) -> None:
        """Drop the record of a chunk, or what is in its place, before it is written again."""
        self.store.remove(_record_file(number))

    def add_session(self, session: Mapping[str, Any]) -> None:
        """Keep who computes, with what."""
        name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{uuid4().hex[:8]}.json"
        self.store.put(f"{SESSIONS}/{name}", _json(session))

    def sessions(self) -> list[tuple[float, Part | None]]:
        """When each session began, seconds since 1970, and its part, in order."""
        found = []
        times = self._files(SESSIONS)
        for file, content in self.store.read_all([f"{SESSIONS}/{name}" for name in times]):
            try:
                part = json.loads(content)["part"]
                when = times[PurePath(file).name]
                found.append((when, None if part is None else Part(*part)))
            except (ValueError, KeyError, TypeError, RecursionError):
                continue  # it says no more than how fast the work was
        return sorted(found, key=itemgetter(0))

    def finished(self, facts: Facts) -> dict[int, float]:
        """When each finished chunk was recorded, seconds since 1970; no chunk is read."""
        times = {}
        for name, when in self._files(FINISHED).items():
            stem = PurePath(name).stem
            number = int(stem) if re.fullmatch("[0-9]{8,12}", stem) else facts.chunks
            if number < facts.chunks:
                times[_record_file(number)] = (number, when)
        finished = {}
        for file, content in self.store.read_all([*times]):
            record, (number, when) = _record(content), times[file]
            # the last chunk has more rows when a run is made longer
            if record is not None and record.rows == facts.rows(number):
                finished[number] = when
        return finished

    def _files(self, folder: str) -> dict[str, float]:
        """Files of a folder; an InputError says that it is missing."""
        try:
            return self.store.files(folder)
        except FileNotFoundError:
            if not self.store.locks:
                return {}  # a bucket has no empty folders
            raise InputError(f"{self.store} is damaged: there is no {folder}") from None
        except OSError:
            raise InputError(f"{self.store} is damaged: there is no {folder}") from None


def _record_file(number: int) -> str:
    return f"{FINISHED}/{number:08d}.json"


def _record(content: bytes) -> Record | None:
    """Record of a chunk; None if it is damaged."""
    try:
        found = json.loads(content)
        rows, files = found["rows"], found["files"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if type(rows) is not int or not isinstance(files, dict) or not files:
        return None
    return Record(rows, {file: str(recorded) for file, recorded in files.items()})


def _facts_content(facts: Facts) -> dict[str, Any]:
    content = {"format": FORMAT, **asdict(facts)}
    return {**content, "checksum": _digest(content)}


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def _digest(content: Mapping[str, Any]) -> str:
    return checksum(json.dumps(content, sort_keys=True).encode())
