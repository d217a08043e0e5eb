"""Places of stores: a folder, or objects under the URL of a bucket; both do the same with files."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from supersample.errors import InputError
from supersample.execution.memory import check_disk
from supersample.execution.stores.files import (
    Part,
    at_work,
    lock_layout,
    lock_store,
    matches,
    write_durably,
)

if TYPE_CHECKING:
    from zarr.abc.store import Store

CHECKSUMS = "checksums.json"
"""File of a store or a group that tells whether the others are whole, and is put last."""
_LOCKS = Path("manifest")
_PARTIAL = _LOCKS / "partial"


class PlaceError(InputError):
    """A place, or a file in it, cannot be read or written, for reasons that are not the file's."""


class Place(Protocol):
    """Where a store is; a file is named by its path within the store. Picklable, for workers."""

    locks: bool
    """Whether a process can have the store to itself; if not, several may write the same bytes."""

    @property
    def path(self) -> Path | str:
        """The path of a folder, or a URL."""
        ...

    @property
    def suffix(self) -> str:
        """The end of the store's name, from its last dot, in small letters."""
        ...

    def is_folder(self) -> bool:
        """Whether there is a folder of files in the place."""
        ...

    def exists(self) -> bool:
        """Whether something is in the place."""
        ...

    def read(self, file: str) -> bytes:
        """Content of a file, or OSError."""
        ...

    def read_all(self, files: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Names and contents of those small files that can be read, in order."""
        ...

    def put(self, file: str, content: bytes | memoryview) -> None:
        """Write a file whole or not at all; an OSError names it, and nothing has changed."""
        ...

    def remove(self, file: str) -> None:
        """Remove a file, or what is in its place, if there is one."""
        ...

    def files(self, folder: str) -> dict[str, float]:
        """Names of files in a folder and when each was written, seconds since 1970; or OSError."""
        ...

    def build(self) -> AbstractContextManager[Path]:
        """Give a folder to build the store in, which `install` takes."""
        ...

    def install(self, built: Path, claim: str) -> bool:
        """Put a store in its place, unless another process did; `claim` is the file that tells."""
        ...

    def lock(self, part: Part | None) -> AbstractContextManager[None]:
        """Hold the store, alone or with others that compute other parts, where it can be held.

        What killed processes left is removed. An InputError names another process that holds it.
        """
        ...

    def lock_layout(self) -> AbstractContextManager[None]:
        """Wait until no other process makes the store longer, where that can be told."""
        ...

    def at_work(self) -> bool:
        """Whether some process is known to hold the store."""
        ...

    def check_room(self, needed: int, what: str) -> None:
        """Raise InputError if so many bytes more are known not to fit."""
        ...

    def absolute(self) -> "Place":
        """Give the same place for processes in other folders."""
        ...

    def within(self, folder: str) -> "Place":
        """Give the place of a store within the store."""
        ...

    def zarr_store(self) -> "Store":
        """Zarr's own store of these files, to be read."""
        ...


def is_whole(place: Place, file: str, recorded: str) -> bool:
    """Whether a file can be read and has its recorded checksum."""
    try:
        return matches(recorded, place.read(file))
    except OSError:
        return False


@dataclass(frozen=True)
class Folder:
    """A folder of a file system that all workers see."""

    path: Path
    locks = True

    def __str__(self) -> str:
        return str(self.path)

    @property
    def suffix(self) -> str:
        return self.path.suffix.lower()

    def is_folder(self) -> bool:
        return self.path.is_dir()

    def exists(self) -> bool:
        return self.path.exists()

    def read(self, file: str) -> bytes:
        return (self.path / file).read_bytes()

    def read_all(self, files: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for file in files:
            with suppress(OSError):
                yield file, self.read(file)

    def put(self, file: str, content: bytes | memoryview) -> None:
        path = self.path / file
        path.parent.mkdir(exist_ok=True)
        write_durably(path, content, partial=self.path / _PARTIAL)

    def remove(self, file: str) -> None:
        path = self.path / file
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def files(self, folder: str) -> dict[str, float]:
        found = {}
        with os.scandir(self.path / folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # another process mends a chunk
                    found[entry.name] = entry.stat().st_mtime
        return found

    @contextmanager
    def build(self) -> Iterator[Path]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        built = self.path.parent / f".{self.path.name}-{uuid4().hex[:8]}"
        try:
            yield built
        finally:
            shutil.rmtree(built, ignore_errors=True)

    def install(self, built: Path, claim: str) -> bool:
        (built / _PARTIAL).mkdir()
        try:
            built.rename(self.path)
        except OSError:
            if not self.path.exists():
                raise
            return False
        return True

    @contextmanager
    def lock(self, part: Part | None) -> Iterator[None]:
        with lock_store(self.path / _LOCKS, str(self), part):
            if part is None:
                shutil.rmtree(self.path / _PARTIAL, ignore_errors=True)
            (self.path / _PARTIAL).mkdir(exist_ok=True)
            yield

    def lock_layout(self) -> AbstractContextManager[None]:
        return lock_layout(self.path / _LOCKS)

    def at_work(self) -> bool:
        return at_work(self.path / _LOCKS)

    def check_room(self, needed: int, what: str) -> None:
        check_disk(needed, self.path, what)

    def absolute(self) -> "Folder":
        return Folder(self.path.absolute())

    def within(self, folder: str) -> "Folder":
        return Folder(self.path / folder)

    def zarr_store(self) -> "Store":
        from zarr.storage import LocalStore

        return LocalStore(self.path, read_only=True)
