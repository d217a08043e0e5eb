"""Progress bars, for a person at a terminal; nothing is drawn before two seconds have passed."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from dask.callbacks import Callback

PATIENCE = 2.0  # seconds of work before anything is drawn

Item = TypeVar("Item")


def tracked(items: Sequence[Item], description: str | None) -> Iterator[Item]:
    """Go through items of work, with a bar; None draws nothing."""
    bar = _Bar(description)
    try:
        for done, item in enumerate(items):
            bar.show(done, len(items))
            yield item
    finally:
        bar.close()


@contextmanager
def counting(description: str | None) -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows how much of a total is done; None draws nothing."""
    bar = _Bar(description)
    try:
        yield bar.show
    finally:
        bar.close()


class ProgressBar(Callback):
    """Draws a bar over dask's tasks, with the time left.

    Parameters
    ----------
    description : str or None
        What is going on; None draws nothing.
    """

    def __init__(self, description: str | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._description = description

    def _start_state(self, dsk: Any, state: Any) -> None:
        self._bar = _Bar(self._description)

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        done = len(state["finished"])
        waiting = sum(len(state[name]) for name in ("ready", "waiting", "running"))
        self._bar.show(done, done + waiting)

    def _finish(self, dsk: Any, state: Any, errored: bool) -> None:
        self._bar.close()


class _Bar:
    """A bar on standard error, if that is a terminal and there is something to describe."""

    def __init__(self, description: str | None) -> None:
        self.description = description if sys.stderr.isatty() else None
        self._started = time.monotonic()
        self._drawn: Any = None

    def show(self, done: int, total: int) -> None:
        if self.description is None or time.monotonic() - self._started < PATIENCE:
            return
        if self._drawn is None:
            self._drawn = _drawn()
            self._drawn.start()
            self._task = self._drawn.add_task(self.description)
        self._drawn.update(self._task, completed=done, total=total)

    def close(self) -> None:
        if self._drawn is not None:
            self._drawn.stop()
            self._drawn = None


def _drawn() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
