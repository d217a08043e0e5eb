"""Workers on this machine: threads, processes, or the caller itself."""

import os
import pickle
import shutil
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

from supersample.errors import InputError
from supersample.execution.workers.clients import (
    TICK,
    Client,
    Results,
    Task,
    Waiting,
    one_thread_each,
    silently,
)

DEATHS = 3  # of worker processes without a finished task in between, before the work is given up


@contextmanager
def local_client(scheduler: str, count: int) -> Iterator[Client]:
    """Workers of a kind on this machine."""
    if scheduler == "processes":
        processes = _Processes(count)
        try:
            yield processes
        finally:
            processes.close()
    else:
        with ThreadPoolExecutor(count) as pool:
            yield _Threads(scheduler, 1 if scheduler == "synchronous" else count, pool)


class _Threads:
    """The calling thread and a pool of others, without a task graph.

    The caller computes as well: it has a processor already, and small samples take a few
    milliseconds, less than it takes to wait for others.
    """

    def __init__(self, scheduler: str, count: int, pool: ThreadPoolExecutor) -> None:
        self.scheduler, self.count, self._pool = scheduler, count, pool
        self.description = "no workers" if scheduler == "synchronous" else f"{count} threads"
        self.dashboard: str | None = None
        self.shares_memory = True

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        waiting_items = deque(items)
        finished: SimpleQueue[tuple[Any, Future[Any]]] = SimpleQueue()

        def work(turns: int) -> None:
            for _ in range(turns):
                try:
                    item = waiting_items.popleft()
                except IndexError:  # the other threads were quicker
                    return
                outcome: Future[Any] = Future()
                try:
                    outcome.set_result(task(item))
                except BaseException as error:  # raised again by the caller
                    waiting_items.clear()
                    outcome.set_exception(error)
                finished.put((item, outcome))

        count = len(waiting_items)
        others = [self._pool.submit(work, count) for _ in range(min(self.count, count) - 1)]
        try:
            while count:
                work(1)
                waiting()
                try:
                    while count:
                        item, outcome = finished.get(block=not waiting_items, timeout=TICK)
                        count -= 1
                        yield item, outcome.result()
                except Empty:
                    continue
        finally:
            waiting_items.clear()
            for other in others:
                other.result()


class _Processes:
    """A pool of processes, started with the first task; started anew if one is killed.

    A task is written to a file, which each process reads once.
    """

    def __init__(self, count: int) -> None:
        self.scheduler, self.count = "processes", count
        self.description = f"{count} processes"
        self.dashboard: str | None = None
        self.shares_memory = False
        self._pool: _Pool | None = None
        self._folder = mkdtemp(prefix="supersample-")

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        left = dict.fromkeys(items)
        deaths = 0
        file = Path(self._folder, uuid4().hex)
        with file.open("wb") as stream:
            pickle.dump(task, stream)
        try:
            while left:
                pool = self._pool = self._pool or _Pool(self.count, self._folder)
                try:
                    for item, result in pool.completed(str(file), list(left), waiting):
                        del left[item]
                        deaths = 0
                        yield item, result
                except BrokenProcessPool:
                    pool.shutdown()
                    self._pool = None
                    deaths += 1
                    if deaths == DEATHS:
                        raise InputError(
                            f"worker processes were killed {DEATHS} times in a row; perhaps there "
                            "is too little memory for so many"
                        ) from None
        finally:
            file.unlink()

    def close(self) -> None:
        """End the processes."""
        if self._pool is not None:
            self._pool.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Pool(ProcessPoolExecutor):
    """Starts its processes in an environment in which libraries start no threads."""

    def __init__(self, count: int, folder: str) -> None:
        super().__init__(count, get_context("spawn"), initializer=_begin, initargs=(folder,))
        self.window = 2 * count  # few tasks ahead, so that an interruption waits for few

    def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
        before = os.environ.copy()
        os.environ.update(one_thread_each())
        try:
            return super().submit(*arguments, **named)
        finally:
            for name in one_thread_each().keys() - before.keys():
                del os.environ[name]
            os.environ.update(before)

    def completed(
        self, file: str, items: Sequence[Any], waiting: Waiting
    ) -> Iterator[tuple[Any, Any]]:
        """Results of the task in a file, as they are finished."""
        coming = iter(items)
        pending: dict[Future[Any], Any] = {}
        try:
            while True:
                for item in islice(coming, self.window - len(pending)):
                    pending[self.submit(_do, file, item)] = item
                if not pending:
                    return
                done, _ = wait_for(pending, timeout=TICK, return_when=FIRST_COMPLETED)
                waiting()
                for future in done:
                    yield pending.pop(future), future.result()
        finally:
            for future in pending:
                future.cancel()
            wait_for(pending)


_loaded: dict[str, Task] = {}


def _begin(folder: str) -> None:
    """Begin a worker process: it ignores signals of the terminal, and ends with its parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()


def _end_with_parent(folder: str) -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def _do(file: str, item: Any) -> Any:
    """Compute an item by the task in a file, which is read once and takes the place of others."""
    if file not in _loaded:
        _loaded.clear()
        _loaded[file] = pickle.loads(Path(file).read_bytes())
    return _loaded[file](item)
