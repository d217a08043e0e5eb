"""Workers on this machine: threads, processes, or the caller itself."""

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from supersample.errors import InputError
from supersample.execution.workers.workers import TICK, Client, one_thread_each, silently

Item = TypeVar("Item")
Result = TypeVar("Result")

DEATHS = 3  # of worker processes without a task done in between, before we give up


@contextmanager
def local_client(scheduler: str, count: int) -> Iterator[Client]:
    """Workers of a kind on this machine."""
    kinds: dict[str, type[_Caller | _Threads | _Processes]]
    kinds = {"threads": _Threads, "processes": _Processes, "synchronous": _Caller}
    yield kinds[scheduler](count)


class _Caller:
    """Does every task itself."""

    def __init__(self, _: int) -> None:
        self.description = "no workers"
        self.dashboard: str | None = None

    def completed(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        waiting: Callable[[], None] = silently,
    ) -> Iterator[tuple[Item, Result]]:
        for item in items:
            yield item, task(item)
            waiting()


class _Threads:
    """A pool of threads."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.description = f"{count} threads"
        self.dashboard: str | None = None

    def completed(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        waiting: Callable[[], None] = silently,
    ) -> Iterator[tuple[Item, Result]]:
        with ThreadPoolExecutor(self.count) as pool:
            yield from _drained(pool, task, items, 2 * self.count, waiting)


class _Processes:
    """A pool of processes, each of which gets the task once; started anew if one is killed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.description = f"{count} processes"
        self.dashboard: str | None = None

    def completed(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        waiting: Callable[[], None] = silently,
    ) -> Iterator[tuple[Item, Result]]:
        left = dict.fromkeys(items)
        deaths = 0
        while left:
            try:
                with self._pool(task) as pool:
                    for item, result in _drained(pool, _do, list(left), 2 * self.count, waiting):
                        del left[item]
                        deaths = 0
                        yield item, result
            except BrokenProcessPool:
                deaths += 1
                if deaths == DEATHS:
                    raise InputError(
                        f"worker processes were killed {DEATHS} times in a row; perhaps there is "
                        "too little memory for so many"
                    ) from None

    def _pool(self, task: Callable[[Any], Any]) -> ProcessPoolExecutor:
        count = self.count
        return _Pool(
            count, get_context("spawn"), initializer=_begin, initargs=(pickle.dumps(task),)
        )


class _Pool(ProcessPoolExecutor):
    """Starts its processes in an environment in which libraries start no threads."""

    def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
        before = {name: os.environ.get(name) for name in one_thread_each()}
        os.environ.update(one_thread_each())
        try:
            return super().submit(*arguments, **named)
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


_held: dict[str, Callable[[Any], Any]] = {}


def _begin(task: bytes) -> None:
    """Begin a worker process: it heeds no signals of the terminal, and ends with its parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _held["task"] = pickle.loads(task)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(item: Any) -> Any:
    return _held["task"](item)


def _drained(
    pool: Executor,
    task: Callable[[Item], Result],
    items: Sequence[Item],
    window: int,
    waiting: Callable[[], None],
) -> Iterator[tuple[Item, Result]]:
    """Results as they come, with few tasks ahead, so that an interruption waits for few."""
    coming = iter(items)
    pending: dict[Future[Result], Item] = {}
    try:
        while True:
            for item in islice(coming, window - len(pending)):
                pending[pool.submit(task, item)] = item
            if not pending:
                return
            done, _ = wait(pending, timeout=TICK, return_when=FIRST_COMPLETED)
            waiting()
            for future in done:
                yield pending.pop(future), future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
