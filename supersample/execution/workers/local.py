"""The interface of all workers, and the workers on this machine: threads and processes.

Each worker process has a pipe, so it ends with its parent, however the parent ends. Signals of a
terminal and of batch systems go to all processes at once; workers ignore them from the start. The
process that ends the work kills them (SIGKILL); what they store, they store durably
(``stores/places.py``).
"""

import os
import pickle
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from importlib import import_module
from multiprocessing import get_context, parent_process, resource_tracker, util
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from traceback import format_exc
from typing import Any, TypeVar

from dask.system import CPU_COUNT

from supersample.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")
Task = Callable[[Any], Any]
Waiting = Callable[[], None]
Results = Generator[tuple[Any, Any], None, None]

TICK = 0.5  # seconds between two checks of the workers
DEATHS = 3  # deaths of processes without a finished task before the work is given up
AHEAD = 2  # items that a process has at a time, so that it does not wait
UNGUARDED = 97  # exit status of a process whose script starts processes while it is imported
_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_STARTING = threading.Lock()


def silently() -> None:
    """Wait silently."""


class Client(ABC):
    """Workers that are connected and compute tasks.

    Attributes
    ----------
    description
        Description of the workers, for messages.
    dashboard
        Address of a cluster's dashboard.
    count
        Number of tasks computed at a time.
    shares_memory
        Whether tasks can read and write the arrays of this process.
    scheduler
        dask's name of the same workers, for lazy arrays.
    """

    description: str
    dashboard: str | None = None
    count: int
    shares_memory = False
    scheduler: Any

    @abstractmethod
    def completed(
        self, task: Callable[[Item], Result], items: Sequence[Item], waiting: Waiting = silently
    ) -> Generator[tuple[Item, Result], None, None]:
        """Run a task for each item, and yield results as they finish, in any order.

        The task must be picklable; it is sent to each worker once, with all its data. Items must be
        small and hashable. `waiting` is called from time to time. InputError says that workers die
        repeatedly, or that the cluster is lost. Errors of tasks are raised.
        """

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Generator[Result, None, None]:
        """Run a function for each item, and yield the results in order, like the built-in `map`.

        The function must be picklable, with all its data, unless the workers share memory; it and
        the items are sent to each worker once.
        """
        listed, early = [*items], dict[int, Result]()
        task = partial(_of_number, function, listed)
        with closing(self.completed(task, range(len(listed)))) as results:
            for number in range(len(listed)):
                while number not in early:
                    early.update([next(results)])
                yield early.pop(number)


def _of_number(function: Callable[[Item], Result], items: Sequence[Item], number: int) -> Result:
    return function(items[number])


def usable_processors() -> int:
    """Count the processors that this process may use: by affinity, container and SLURM job."""
    of_job = os.environ.get("SLURM_CPUS_PER_TASK", "")
    return min(CPU_COUNT, int(of_job)) if of_job.isdigit() and int(of_job) else int(CPU_COUNT)


def one_thread_each() -> dict[str, Any]:
    """Environment in which the libraries of a worker start no threads."""
    return {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}


def installed(module: str, extra: str) -> Any:
    """Import an extra's module, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(
            f"this needs {module.replace('_', '-')}: pip install 'supersample[{extra}]'"
        ) from error


def local_client(scheduler: str, count: int) -> AbstractContextManager[Client]:
    """Workers of a kind on this machine."""
    return closing(Processes(count) if scheduler == "processes" else Threads(scheduler, count))


class Threads(Client):
    """The calling thread and others, or only the calling thread if the scheduler is "synchronous".

    The caller computes, too: it already has a processor, and small samples take a few milliseconds,
    less than waiting for other threads.
    """

    shares_memory = True

    def __init__(self, scheduler: str, count: int) -> None:
        self.scheduler, self.count = scheduler, 1 if scheduler == "synchronous" else count
        self.description = "no workers" if scheduler == "synchronous" else f"{count} threads"
        self._pool = ThreadPoolExecutor(count)

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        """Compute a task for each item; see `Client`."""
        waiting_items = deque(items)
        finished: SimpleQueue[tuple[Any, Any, BaseException | None]] = SimpleQueue()

        def work(turns: int) -> None:
            for _ in range(turns):
                try:
                    item = waiting_items.popleft()
                except IndexError:  # the other threads were faster
                    return
                try:
                    finished.put((item, task(item), None))
                except BaseException as error:  # raised again by the caller
                    waiting_items.clear()
                    finished.put((item, None, error))

        count = len(waiting_items)
        others = [self._pool.submit(work, count) for _ in range(min(self.count, count) - 1)]
        try:
            while count:
                work(1)
                waiting()
                with suppress(Empty):
                    while count:
                        item, result, error = finished.get(block=not waiting_items, timeout=TICK)
                        if error is not None:
                            raise error
                        count -= 1
                        yield item, result
        finally:
            waiting_items.clear()
            for other in others:
                other.result()

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


class _Worker:
    """A process, its present task, and its items."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.task = b""
        self.items: deque[Any] = deque()
        self.process = context.Process(target=_work, args=(theirs,))
        with _prepared_start():
            try:
                self.process.start()
            except RuntimeError as error:
                if "bootstrapping" not in str(error):
                    raise
                sys.exit(UNGUARDED)  # this is a worker, which imports the script
        theirs.close()

    def send(self, task: bytes, item: Any) -> None:
        """Send an item to the process, and the task before its first item."""
        self.items.append(item)
        with suppress(OSError):  # it died, which is detected when it does not answer
            self.pipe.send((task is not self.task, item))
            if task is not self.task:
                self.task = task
                self.pipe.send_bytes(task)

    def receive(self) -> tuple[Any, bytes]:
        """Return a finished item, and its answer, which is not read yet: that may fail."""
        answer = self.pipe.recv_bytes()
        return self.items.popleft(), answer

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Processes(Client):
    """Worker processes, started with the first task, and restarted if one is killed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.description = f"{count} processes"
        self.scheduler = "threads"  # for dask: its own processes would outlive a killed parent
        self._workers: list[_Worker] = []
        # before multiprocessing waits for its processes at the end of the interpreter
        self._ended = util.Finalize(self, _end, (self._workers,), exitpriority=100)

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        """Compute a task for each item; see `Client`."""
        try:
            yield from self._results(pickle.dumps(task), deque(items), waiting)
        finally:
            self._finish_items()

    def _results(self, task: bytes, items: deque[Any], waiting: Waiting) -> Results:
        deaths = 0
        while items or any(worker.items for worker in self._workers):
            while len(self._workers) < min(self.count, len(items)):
                self._workers.append(_Worker())
            for worker in self._workers:
                while items and len(worker.items) < AHEAD:
                    worker.send(task, items.popleft())
            of_pipe: dict[Any, _Worker] = {worker.pipe: worker for worker in self._workers}
            ready = wait(list(of_pipe), timeout=TICK)
            waiting()
            for worker in map(of_pipe.__getitem__, ready):
                try:
                    item, answer = worker.receive()
                except (EOFError, OSError):
                    deaths += 1
                    items.extendleft(reversed(self._lose(worker)))
                    if deaths >= DEATHS or worker.process.exitcode == UNGUARDED:
                        raise InputError(_why(worker.process.exitcode)) from None
                    continue
                result, error = pickle.loads(answer)
                if error is not None:
                    raise error
                deaths = 0
                yield item, result

    def _lose(self, worker: _Worker) -> deque[Any]:
        """Remove a process that died; return its items."""
        self._workers.remove(worker)
        worker.end()
        return worker.items

    def _finish_items(self) -> None:
        """Wait for items whose results nobody needs any more; there are few."""
        for worker in list(self._workers):
            while worker.items:
                try:
                    worker.receive()
                except (EOFError, OSError):
                    self._lose(worker)
                    break

    def close(self) -> None:
        """End the processes."""
        self._ended()


def _why(status: int | None) -> str:
    """Say why processes died, by the exit status of the last one."""
    if status == UNGUARDED:
        return (
            "each worker process imports the script that started it, and this script would start "
            'processes again; put its work under the line if __name__ == "__main__":'
        )
    if status is not None and status >= 0:
        return f"worker processes ended {DEATHS} times in a row, with exit status {status}"
    return (
        f"worker processes were killed {DEATHS} times in a row; perhaps there is too little memory "
        "for so many"
    )


def _end(workers: list[_Worker]) -> None:
    while workers:
        workers.pop().end()


@contextmanager
def _prepared_start() -> Iterator[None]:
    """Let processes started here ignore signals, and start no threads in libraries.

    A process gets the environment of this one, which all threads share.
    """
    resource_tracker.ensure_running()  # it has its own handlers
    with _STARTING:
        before = {name: os.environ[name] for name in one_thread_each() if name in os.environ}
        os.environ.update(one_thread_each())
        masked = None
        if hasattr(signal, "pthread_sigmask"):
            masked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            yield
        finally:
            if masked is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)
            for name, given in one_thread_each().items():
                if os.environ.get(name) == given:  # else another thread has set it
                    del os.environ[name]
                    if name in before:
                        os.environ[name] = before[name]


def _work(pipe: Connection) -> None:
    """Compute items with the last task received, until the parent ends."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    task: Any = None
    while True:
        try:
            is_new, item = pipe.recv()
        except (EOFError, OSError):  # the parent ended
            return
        try:
            if is_new:
                task = None  # in case the new one is unreadable
                task = pickle.loads(pipe.recv_bytes())
            answer = _sendable(task(item), None)
        except BaseException as error:
            error.add_note(format_exc())
            answer = _sendable(None, error)
        try:
            pipe.send_bytes(answer)
        except OSError:  # the parent ended
            return


def _sendable(result: Any, error: BaseException | None) -> bytes:
    """Pickle an answer; an error that cannot be pickled and read again becomes its text."""
    try:
        answer = pickle.dumps((result, error))
        if error is not None:
            pickle.loads(answer)
        return answer
    except Exception:
        if error is None:
            told: Exception = RuntimeError(f"what a task gave cannot be sent: {result!r:.200}")
        elif isinstance(error, InputError):
            told = InputError(str(error))
        else:
            told = RuntimeError(f"{type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            told.add_note(note)
        return pickle.dumps((None, told))


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
