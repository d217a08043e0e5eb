"""How far long work has come: a bar at a terminal, elsewhere a line a minute.

A bar is drawn where work takes over two seconds, with its rate and the time left.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from dask.callbacks import Callback

PATIENCE = 2.0  # seconds of work before anything is drawn
LINE_EVERY = 60.0  # seconds, where no terminal is

Item = TypeVar("Item")


def tracked(items: Sequence[Item], description: str | None) -> Iterator[Item]:
    """Go through items of work, with a bar; None draws nothing."""
    meter = Meter(description, len(items))
    try:
        for done, item in enumerate(items):
            meter.show(done)
            yield item
    finally:
        meter.close()


@contextmanager
def counting(description: str | None) -> Iterator[Callable[[int, int], None]]:
    """Give a function that shows how much of a total is done; None draws nothing."""
    meter = Meter(description, 0)

    def show(done: int, total: int) -> None:
        meter.amount = total
        meter.show(done)

    try:
        yield show
    finally:
        meter.close()


class ProgressBar(Callback):
    """Shows how far dask's tasks are.

    Parameters
    ----------
    description : str or None
        What is being computed, in the plural; None shows nothing.
    amount : int
        How many of it all tasks together compute.
    """

    def __init__(self, description: str | None, amount: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._description, self._amount = description, amount

    def _start_state(self, dsk: Any, state: Any) -> None:
        self._meter = Meter(self._description, self._amount)

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        done = len(state["finished"])
        waiting = sum(len(state[name]) for name in ("ready", "waiting", "running"))
        self._meter.show(done * self._amount // (done + waiting))

    def _finish(self, dsk: Any, state: Any, errored: bool) -> None:
        self._meter.close()


class Meter:
    """Shows on standard error how much is done, at what rate, and the time left.

    Parameters
    ----------
    description : str or None
        What is being computed, in the plural; None shows nothing.
    amount : int
        How many of it there will be.
    """

    def __init__(self, description: str | None, amount: int) -> None:
        self.description, self.amount = description, amount
        self._started = self._said = time.monotonic()
        self._drawn: Any = None

    def show(self, done: int, kept: int = 0) -> None:
        """Show that so much is done, of which `kept` was so before and says nothing of the rate."""
        now = time.monotonic()
        if self.description is None or now - self._started < PATIENCE:
            return
        rate = (done - kept) / (now - self._started)
        if sys.stderr.isatty():
            self._draw(done, rate)
        elif now - self._said >= LINE_EVERY:
            self._said = now
            said = f"{self.description}: {done:,} of {self.amount:,}, {self._pace(done, rate)}"
            print(said, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self._drawn.stop()
            self._drawn = None

    def _pace(self, done: int, rate: float) -> str:
        left = time_text((self.amount - done) / rate) if rate > 0 else "-:--:--"
        return f"{rate_text(rate)}, {left} left"

    def _draw(self, done: int, rate: float) -> None:
        if self._drawn is None:
            self._drawn = _bar()
            self._drawn.start()
            self._task = self._drawn.add_task(self.description, total=self.amount, pace="")
        self._drawn.update(
            self._task, completed=done, total=self.amount, pace=self._pace(done, rate)
        )


def rate_text(rate: float) -> str:
    """Write a rate for people.

    Examples
    --------
    >>> rate_text(1_234_567.0), rate_text(0.25)
    ('1,234,567 a second', '0.25 a second')
    """
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.2f} a second"


def time_text(seconds: float) -> str:
    """Write a time as hours, minutes and seconds.

    Examples
    --------
    >>> time_text(3725.2)
    '1:02:06'
    """
    whole = int(-(-seconds // 1))
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[pace]}"),
        console=Console(stderr=True),
        transient=True,
    )
