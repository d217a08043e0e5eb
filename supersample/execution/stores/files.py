"""Files that are written whole or not at all, their checksums, and locks on folders of them.

A lock is held by one process, or by several that compute a part each. Locks are the operating
system's (flock), so that they end with the process that holds them, however it ends.
"""

import errno
import hashlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

import google_crc32c
import numpy as np

from supersample.errors import InputError

_flock: Callable[[IO[str], int], None] | None
try:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH
    from fcntl import flock as _flock
except ImportError:  # Windows: nothing is locked; files are written whole all the same
    _flock = None

CHECKSUM_BYTES = 16
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)  # of file systems without them
PATIENCE = 0.5  # seconds; `at_work` holds a lock for an instant


def write_durably(path: Path, content: bytes | memoryview, *, partial: Path) -> None:
    """Write a file in another folder, wait until it is on the disk, and only then move it.

    Its name may still get lost if the machine itself fails, which checksums find out. `partial` is
    an existing folder of the same file system. An OSError names `path`, and nothing has changed.
    """
    incomplete = partial / f"{path.name}-{uuid4().hex}"
    try:
        try:
            with incomplete.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            incomplete.replace(path)
        except BaseException:
            incomplete.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def checksum(content: bytes | memoryview) -> str:
    """BLAKE2b of 16 bytes, in hexadecimal.

    >>> checksum(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).hexdigest()


def quick_checksum(content: bytes | memoryview) -> str:
    """CRC-32C, which finds any change of up to 32 neighbouring bits, as quick as it is read.

    >>> quick_checksum(b"")
    'crc32c:00000000'
    """
    return f"crc32c:{google_crc32c.value(np.frombuffer(content, np.uint8)):08x}"


def sealed(content: bytes, key: str) -> bytes:
    r"""Put a line before content: a checksum of the content and of the key that it is kept under.

    >>> sealed(b"3", "a")
    b'e5238388cc7ce21608030080e0ab906f\n3'
    """
    return checksum(f"{key}\n".encode() + content).encode() + b"\n" + content


def unsealed(stored: bytes, key: str) -> bytes | None:
    """Content that was sealed under a key; None if it is damaged or was sealed under another.

    >>> unsealed(sealed(b"3", "a"), "a"), unsealed(sealed(b"3", "a"), "b")
    (b'3', None)
    """
    content = stored[2 * CHECKSUM_BYTES + 1 :]
    return content if stored == sealed(content, key) else None


@contextmanager
def lock_store(folder: Path, store: str, part: tuple[int, int] | None = None) -> Iterator[None]:
    """Hold the lock of a store in a folder, alone, or for part k of N beside other parts.

    An InputError names the store, and the other process that holds it.
    """
    locks = {folder / "whole.lock": store}
    if part is not None:
        number, parts = part
        of_part = folder / f"part-{number}-of-{parts}.lock"
        locks[of_part] = f"part {number} of {parts} of {store}"
    with ExitStack() as held:
        for number, (path, what) in enumerate(locks.items(), start=1):
            # the last is held alone: the part's, or that of the whole store
            if not held.enter_context(_lock(path, exclusive=number == len(locks))):
                raise InputError(f"another process{_holder(path)} is at work on {what}")
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
    """Try to lock a file, and give whether it is locked."""
    with path.open(mode) as file:
        if _flock is None:
            yield True
            return
        deadline = time.monotonic() + patience
        while True:
            try:
                _flock(file, (LOCK_EX if exclusive else LOCK_SH) | LOCK_NB)
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
    name = path.read_text()
    return f" ({name})" if name else ""
