"""Show the progress of long work: a bar on a terminal after two seconds, else a line per minute.

Without a terminal, the first line comes when the work is expected to take over a minute.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeVar

PATIENCE = 2.0  # seconds of work before anything is drawn
LINE_EVERY = 60.0  # seconds, without a terminal

Item = TypeVar("Item")
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class Meter:
    """Shows on standard error how much is done, the rate, and the time left.

    The description names what is computed, in the plural; None shows nothing. The part of the
    amount that was `done` before does not count for the rate.
    """

    def __init__(self, description: str | None, amount: int, done: int = 0) -> None:
        self.description, self.amount = description, amount
        self.done = self._finished_before = done
        self._started = self._printed = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def add(self, amount: int, *, finished_before: bool = False) -> None:
        """Count more as done, and show it."""
        self.done += amount
        self._finished_before += amount if finished_before else 0
        self.show()

    def show(self) -> None:
        """Show how much is done now."""
        now = time.monotonic()
        if self.description is None or now - self._started <= PATIENCE:
            return
        rate = (self.done - self._finished_before) / (now - self._started)
        seconds = (self.amount - self.done) / rate if rate > 0 else 0.0
        pace = f"{rate_text(rate)}, {time_text(seconds) if rate > 0 else '-:--:--'} left"
        is_first = self._printed == self._started
        if sys.stderr.isatty():
            self._draw(pace)
        elif now - self._printed >= LINE_EVERY or (is_first and seconds > LINE_EVERY):
            self._printed = now
            text = f"{self.description}: {self.done:,} of {self.amount:,}, {pace}"
            print(text, file=sys.stderr, flush=True)

    def _draw(self, pace: str) -> None:
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task(self.description, total=self.amount, pace="")
        self._bar.update(self._task, completed=self.done, total=self.amount, pace=pace)


def tracked(items: Sequence[Item], description: str | None) -> Iterator[Item]:
    """Go through items of work, with a bar; None draws nothing."""
    with Meter(description, len(items)) as meter:
        for item in items:
            yield item
            meter.add(1)


def tracked_map(mapped: Map, description: str | None) -> Map:
    """Let a map show the number of results; None draws nothing."""

    def shown(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        listed = [*items]
        with Meter(description, len(listed)) as meter:
            for result in mapped(function, listed):
                meter.add(1)
                yield result

    return shown


def rate_text(rate: float) -> str:
    """Write a rate for people.

    >>> rate_text(1_234_567.0), rate_text(0.25)
    ('1,234,567 a second', '0.25 a second')
    """
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.2f} a second"


def time_text(seconds: float) -> str:
    """Write a time as hours, minutes and seconds.

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
