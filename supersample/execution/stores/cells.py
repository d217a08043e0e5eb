"""Results of a study that a folder keeps, each under a key made of all that determines it.

::

    DIR/
      study.json            format and kind
      cells/KEY             a checksum, and what it is of
      sessions/             who computed when, with what
      partial/  *.lock

A cell is whole and on the disk or not there at all; one that was damaged is as good as not there.
Other parameters have other keys, so that nothing is overwritten and what is there is used again.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from supersample.errors import InputError
from supersample.execution.stores.files import CHECKSUM_BYTES, checksum, write_durably
from supersample.execution.stores.locks import lock_store

FORMAT = 1
_HEAD = 2 * CHECKSUM_BYTES  # hexadecimal digits before the content


def cell_key(**facts: Any) -> str:
    """Key of a result: a checksum of all that determines it, as JSON has it.

    Examples
    --------
    >>> cell_key(seed=0, n=10) == cell_key(n=10, seed=0)
    True
    """
    return checksum(json.dumps(facts, sort_keys=True).encode())


@dataclass(frozen=True)
class Cells:
    """The cells in a folder; `open_cells` checks that it is one."""

    folder: Path

    def read(self, key: str) -> bytes | None:
        """Content of a cell; None if it is not there, or damaged."""
        try:
            stored = (self.folder / "cells" / key).read_bytes()
        except OSError:
            return None
        content = stored[_HEAD:]
        return content if stored[:_HEAD] == checksum(content).encode() else None

    def write(self, key: str, content: bytes) -> None:
        """Put a cell on the disk.

        Raises
        ------
        OSError
            If the disk is full, for instance; nothing has changed then.
        """
        self._put(f"cells/{key}", checksum(content).encode() + content)

    def times(self) -> dict[str, float]:
        """When each cell was written, seconds since 1970; none is read."""
        return {file.name: file.stat().st_mtime for file in (self.folder / "cells").iterdir()}

    def note(self, name: str, content: Any) -> None:
        """Keep JSON beside the cells."""
        self._put(name, (json.dumps(content, indent=1) + "\n").encode())

    def add_session(self, session: Any) -> None:
        """Keep who computes, with what."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self.note(f"sessions/{now}-{uuid4().hex[:8]}.json", session)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the folder's lock.

        Raises
        ------
        InputError
            If another process is at work on it.
        """
        with lock_store(self.folder, str(self.folder)):
            yield

    def _put(self, name: str, content: bytes) -> None:
        write_durably(self.folder / name, content, partial=self.folder / "partial")


def open_cells(folder: str | Path, kind: str, *, create: bool = True) -> Cells:
    """Open a folder of cells, or make it.

    Raises
    ------
    InputError
        If the folder holds something else, or cells of another kind or format, or it is not there
        and not to be made.
    """
    path = Path(folder)
    said = _said(path)
    if said is None:
        if not create or (path.exists() and (not path.is_dir() or any(path.iterdir()))):
            what = "is not empty and no" if path.exists() else "is no"
            raise InputError(f"{path} {what} {kind} of supersample; name another folder")
        for name in ("cells", "sessions", "partial"):
            (path / name).mkdir(parents=True, exist_ok=True)
        cells = Cells(path)
        cells.note("study.json", {"format": FORMAT, "kind": kind})
        return cells
    if said.get("format") != FORMAT:
        raise InputError(
            f"{path} is of format {said.get('format')}, and this version of supersample knows "
            f"format {FORMAT}"
        )
    if said.get("kind") != kind:
        raise InputError(f"{path} holds a {said.get('kind')}, not a {kind}; name another folder")
    return Cells(path)


def is_kind(folder: str | Path, kind: str) -> bool:
    """Whether a folder holds cells of a kind."""
    said = _said(Path(folder))
    return said is not None and said.get("kind") == kind


def _said(path: Path) -> dict[str, Any] | None:
    try:
        said = json.loads((path / "study.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None
