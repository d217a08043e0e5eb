"""How Ctrl-C and SIGTERM stop a command: at once, or within 2.5 seconds, or at the second one.

The first signal is raised where the main thread is, so that work at hand ends in order. A thread
watches, because compiled code, or a library that swallows the exception, can keep the main thread:
it ends the process. Nothing is lost by that, for stores are written whole or not at all.
"""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

GRACE = 2.5  # seconds
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_again: list[str] = []


class Stopped(BaseException):
    """The first of the signals came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.status = 128 + number


@contextmanager
def stoppable(again: str) -> Iterator[None]:
    """Name the command that continues this work; it is printed if somebody stops the work."""
    _again.append(again)
    yield
    _again.clear()


def last_words() -> str:
    """Say how stopped work is continued, once; empty if it is not."""
    text = f"stopped; continue with: {_again[-1]}\n" if _again else ""
    _again.clear()
    return text


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Raise `Stopped` at the first signal, and end the process soon after, or at the second.

    It is raised at the end if a library swallowed it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    _again.clear()
    stopped: list[int] = []

    def stop(number: int, _: object) -> None:
        if not stopped:
            stopped.append(number)
            raise Stopped(number)

    def unraisable(told: Any) -> None:
        if not isinstance(told.exc_value, Stopped):  # it is raised at the end
            shown(told)

    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    shown, sys.unraisablehook = sys.unraisablehook, unraisable
    handlers = {number: signal.signal(number, stop) for number in heeded}
    descriptor = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours,), daemon=True).start()
    try:
        yield
        if stopped:
            raise Stopped(stopped[0])
    finally:
        signal.set_wakeup_fd(descriptor)
        sys.unraisablehook = shown
        for number, handler in handlers.items():
            signal.signal(number, handler)
        theirs.close()  # which ends the thread


def _watch(signals: socket.socket) -> None:
    """Wait for signals, whatever the main thread does; after the first one not for long."""
    first, deadline = 0, None
    with signals:
        while True:
            signals.settimeout(None if deadline is None else max(0.01, deadline - time.monotonic()))
            try:
                numbers = signals.recv(64)
            except TimeoutError:
                _end(first)
            if not numbers:
                return
            for number in filter(_SIGNALS.__contains__, numbers):
                if first:
                    _end(first)
                first, deadline = number, time.monotonic() + GRACE


def _end(number: int) -> NoReturn:
    shown_again = b"\x1b[?25h" if sys.stderr.isatty() else b""  # the cursor, which bars hide
    with suppress(OSError):
        os.write(2, shown_again + last_words().encode(errors="replace"))
    os._exit(128 + number)
