"""Stores in buckets: objects of S3, of Google Cloud and others, through fsspec.

An object is put whole or not at all. There are no locks: who creates a store claims it by a file
that is put only if it is not there; longer runs have files of their own names; and processes that
compute the same chunk put the same bytes.
"""

import asyncio
import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from supersample.execution.stores.files import Part
from supersample.execution.stores.places import CHECKSUMS, PlaceError

if TYPE_CHECKING:
    from zarr.abc.store import Store

_AT_ONCE = 100  # small files that are read
_WRITTEN = ("LastModified", "mtime", "updated", "created")  # as file systems name it


@dataclass(frozen=True)
class Bucket:
    """Objects whose names begin with a URL."""

    url: str
    locks = False

    def __str__(self) -> str:
        return self.url

    @property
    def path(self) -> str:
        return self.url

    @property
    def suffix(self) -> str:
        return Path(self.url).suffix.lower()

    def exists(self) -> bool:
        try:
            return bool(self._call("ls", "", detail=False))
        except FileNotFoundError:
            return False

    is_folder = exists

    def read(self, file: str) -> bytes:
        return bytes(self._call("cat_file", file))

    def read_all(self, files: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        from fsspec.asyn import sync

        system = file_system(self.url.partition(":")[0], os.getpid())

        async def contents(urls: list[str]) -> list[Any]:
            reads = [system._cat_file(url) for url in urls]
            return await asyncio.gather(*reads, return_exceptions=True)

        for first in range(0, len(files), _AT_ONCE):
            some = files[first : first + _AT_ONCE]
            found = sync(system.loop, contents, [f"{self.url}/{file}" for file in some])
            for file, content in zip(some, found, strict=True):
                if isinstance(content, bytes):
                    yield file, content
                elif not isinstance(content, FileNotFoundError):
                    raise _failed(f"{self.url}/{file}", content)

    def put(self, file: str, content: bytes | memoryview) -> None:
        self._call("pipe_file", file, bytes(content))

    def remove(self, file: str) -> None:
        with suppress(FileNotFoundError):
            self._call("rm_file", file)

    def files(self, folder: str) -> dict[str, float]:
        found = self._call("ls", folder, detail=True)
        objects = (info for info in found if info["type"] == "file")
        return {info["name"].rpartition("/")[2]: _written(info) for info in objects}

    @contextmanager
    def build(self) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            yield Path(folder) / "store"

    def install(self, built: Path, claim: str) -> bool:
        try:
            self._call("pipe_file", claim, (built / claim).read_bytes(), mode="create")
        except PlaceError:  # file systems have errors of their own for what is there
            if not dict(self.read_all([claim])):
                raise
            return False
        files = [path for path in built.rglob("*") if path.is_file() and path != built / claim]
        for path in sorted(files, key=lambda path: (path.name == CHECKSUMS, path)):
            self.put(path.relative_to(built).as_posix(), path.read_bytes())
        return True

    def lock(self, part: Part | None) -> AbstractContextManager[None]:
        return nullcontext()

    def lock_layout(self) -> AbstractContextManager[None]:
        return nullcontext()

    def at_work(self) -> bool:
        return False

    def check_room(self, needed: int, what: str) -> None:
        pass

    def absolute(self) -> "Bucket":
        return self

    def within(self, folder: str) -> "Bucket":
        return Bucket(f"{self.url}/{folder}")

    def zarr_store(self) -> "Store":
        from zarr.storage import FsspecStore

        return FsspecStore.from_url(self.url, read_only=True)

    def _call(self, name: str, file: str, *arguments: Any, **options: Any) -> Any:
        """Call a method of the file system for a file; "" is the place itself.

        Raises
        ------
        FileNotFoundError
            If there is no such object.
        PlaceError
            Of everything else, so that it is not taken for a damaged or a missing file.
        """
        url = f"{self.url}/{file}" if file else self.url
        try:
            system = file_system(url.partition(":")[0], os.getpid())
            return getattr(system, name)(url, *arguments, **options)
        except FileNotFoundError:
            raise FileNotFoundError(
                errno.ENOENT, "there is no such object or bucket", url
            ) from None
        except Exception as error:
            raise _failed(url, error) from error


@cache
def file_system(protocol: str, process: int) -> Any:
    """File system of all threads of a process; forks cannot use it.

    An object of S3 is read by one request: whole, as it was put.
    """
    import fsspec

    options = {"max_concurrency": 1} if protocol == "s3" else {}
    return fsspec.filesystem(
        protocol, use_listings_cache=False, skip_instance_cache=True, **options
    )


def _failed(url: str, error: BaseException) -> PlaceError:
    """Say why a place cannot be reached; each file system has exceptions of its own."""
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return PlaceError(f"{url} cannot be read or written: {reason}")


def _written(info: dict[str, Any]) -> float:
    """When an object was written, seconds since 1970; 0 if it is not said."""
    when = next((info[name] for name in _WRITTEN if info.get(name)), 0.0)
    if isinstance(when, str):
        when = datetime.fromisoformat(when)
    return when.timestamp() if isinstance(when, datetime) else float(when)
