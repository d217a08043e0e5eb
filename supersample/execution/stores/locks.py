"""Locks on a store: one process at a time, or several that compute a part each.

They are the operating system's (flock), so that they end with the process that holds them, however
it ends.
"""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from supersample.errors import InputError

_flock: Callable[[IO[str], int], None] | None
try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH
    from fcntl import flock as _flock
except ImportError:  # Windows: nothing is locked; chunks are written whole all the same
    _flock = None

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)  # of file systems without them
PATIENCE = 0.5  # seconds; `at_work` holds a lock for an instant


class Part(NamedTuple):
    """Part `number`, from 1, of `parts`: every so many-th chunk."""

    number: int
    parts: int

    @property
    def chunks(self) -> slice:
        """Which chunks are its own."""
        return slice(self.number - 1, None, self.parts)


@contextmanager
def lock_store(folder: Path, store: str, part: Part | None = None) -> Iterator[None]:
    """Hold the store's lock, alone, or with others where each computes a part of its own.

    Parameters
    ----------
    folder : Path
        Where the locks are.
    store : str
        What messages call the store.
    part : Part, optional

    Raises
    ------
    InputError
        If another process holds it.
    """
    with ExitStack() as held:
        alone = part is None
        whole = folder / "whole.lock"
        if not held.enter_context(_lock(whole, exclusive=alone)):
            raise InputError(f"another process{_holder(whole)} is at work on {store}")
        if part is not None:
            own = folder / f"part-{part.number}-of-{part.parts}.lock"
            if not held.enter_context(_lock(own, exclusive=True)):
                raise InputError(
                    f"another process{_holder(own)} is at work on part {part.number} of "
                    f"{part.parts} of {store}"
                )
        yield


@contextmanager
def lock_layout(folder: Path) -> Iterator[None]:
    """Wait for, and hold, the lock under which a store is made longer."""
    with (folder / "layout.lock").open("a") as file:
        if _flock is not None:
            with suppress(OSError):  # file systems without locks
                _flock(file, LOCK_EX)
        yield


def at_work(folder: Path) -> bool:
    """Whether some process holds the store's lock, alone or with others."""
    path = folder / "whole.lock"
    if not path.exists():
        return False
    with _lock(path, exclusive=True, patience=0.0, mode="r") as free:  # readers may look, too
        return not free


@contextmanager
def _lock(
    path: Path, *, exclusive: bool, patience: float = PATIENCE, mode: str = "a+"
) -> Iterator[bool]:
    """Try to lock a file, and say whether that went well."""
    with path.open(mode) as file:
        if _flock is None:
            yield True
            return
        kind = LOCK_EX if exclusive else LOCK_SH
        deadline = time.monotonic() + patience
        while True:
            try:
                _flock(file, kind | LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    yield False
                    return
                time.sleep(0.02)
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
                break  # chunks are put in place whole all the same
        if exclusive and patience > 0:
            file.truncate(0)
            file.write(f"{socket.gethostname()}, process {os.getpid()}")
            file.flush()
        yield True


def _holder(path: Path) -> str:
    """Who wrote the name of a process into a lock last, in brackets."""
    said = path.read_text()
    return f" ({said})" if said else ""
