"""Files that are there whole or not at all, and on the disk before anybody hears of them."""

import hashlib
import os
from pathlib import Path
from uuid import uuid4

CHECKSUM_BYTES = 16
_READ_AT_ONCE = 1 << 22


def write_durably(path: Path, content: bytes | memoryview, *, partial: Path) -> None:
    """Write a file beside its place, wait until it is on the disk, and only then put it there.

    Its name may still get lost if the machine itself fails, which checksums find out.

    Parameters
    ----------
    path : Path
        Replaced if it exists.
    content : bytes or memoryview
    partial : Path
        Folder of the same file system, for what is not whole yet; it must exist.

    Raises
    ------
    OSError
        If the disk is full, for instance; nothing has changed then. It names `path`.
    """
    beside = partial / f"{path.name}-{uuid4().hex}"
    try:
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error


def checksum(content: bytes | memoryview) -> str:
    """BLAKE2b of 16 bytes, in hexadecimal.

    Examples
    --------
    >>> checksum(b"")
    'cae66941d9efbd404e4d88758ea67670'
    """
    return hashlib.blake2b(content, digest_size=CHECKSUM_BYTES).hexdigest()


def file_checksum(path: Path) -> str | None:
    """Checksum of a file's content; None if there is no such file, or it cannot be read."""
    digest = hashlib.blake2b(digest_size=CHECKSUM_BYTES)
    try:
        with path.open("rb") as file:
            while block := file.read(_READ_AT_ONCE):
                digest.update(block)
    except OSError:
        return None
    return digest.hexdigest()
