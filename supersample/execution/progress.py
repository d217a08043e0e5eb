"""A progress bar over dask's tasks, for a person at a terminal."""

import sys
import time
from typing import Any

from dask.callbacks import Callback

PATIENCE = 2.0  # seconds of work before anything is drawn


class ProgressBar(Callback):
    """Draws a bar with the time left on standard error, if it is a terminal.

    Parameters
    ----------
    description : str or None
        What is going on; None draws nothing.
    """

    def __init__(self, description: str | None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.description = description if sys.stderr.isatty() else None
        self._started = 0.0
        self._bar: Any = None

    def _start_state(self, dsk: Any, state: Any) -> None:
        self._started = time.monotonic()

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        if self.description is None or time.monotonic() - self._started < PATIENCE:
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(self.description)
        done = len(state["finished"])
        waiting = sum(len(state[name]) for name in ("ready", "waiting", "running"))
        self._bar.update(self._task, completed=done, total=done + waiting)

    def _finish(self, dsk: Any, state: Any, errored: bool) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _bar() -> Any:
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
