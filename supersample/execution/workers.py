"""Workers (threads, processes, a dask cluster, SLURM), and the blocks of rows they compute.

The results have the same bits whichever worker computes them.

Worker processes of this machine hold a pipe and end when their parent closes it, or ends, in any
way. Signals of a terminal and of batch systems go to all processes at once; workers ignore them
from the start. They may end at any moment: what they store, they store durably (``stores.py``).
"""

import logging
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import dask
import numpy as np
from dask.system import CPU_COUNT
from numpy.typing import NDArray

from supersample.errors import InputError, check_counted
from supersample.execution.limits import check_memory
from supersample.execution.progress import Meter

if TYPE_CHECKING:
    import dask.array as da

Item = TypeVar("Item")
Result = TypeVar("Result")
Task = Callable[[Any], Any]
Waiting = Callable[[], None]
Results = Generator[tuple[Any, Any], None, None]

TICK = 0.5  # seconds between two checks of the workers
AHEAD = 2  # items that each thread has at a time, so that it does not wait
_SIGNALS = {signal.SIGINT, signal.SIGTERM}
_STARTING = threading.Lock()


def silently() -> None:
    """Wait silently."""


class Client(ABC):
    """Workers that are connected and compute tasks.

    Attributes
    ----------
    dashboard
        Address of a cluster's dashboard.
    count
        Number of tasks computed at a time.
    shares_memory
        Whether tasks can read and write the arrays of this process.
    scheduler
        dask's name of the same workers, for lazy arrays.
    """

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
        small and hashable. `waiting` is called from time to time. InputError says that a worker was
        killed (of a cluster: several times), or that the cluster is lost. Errors of tasks are
        raised.
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
    """Threads of this process, or only the calling thread if the scheduler is "synchronous"."""

    shares_memory = True

    def __init__(self, scheduler: str, count: int) -> None:
        self.scheduler, self.count = scheduler, 1 if scheduler == "synchronous" else count
        self._pool: Executor = ThreadPoolExecutor(count)

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        """Compute a task for each item; see `Client`."""
        if self.scheduler == "synchronous":
            for item in items:
                yield item, task(item)
                waiting()
            return
        rest, running = iter(items), dict[Future[Any], Any]()
        try:
            while True:
                for item in islice(rest, AHEAD * self.count - len(running)):
                    running[self._begun(task, item)] = item
                if not running:
                    return
                finished, _ = wait(running, TICK, FIRST_COMPLETED)
                waiting()
                for future in finished:
                    item, result = running[future], future.result()
                    del running[future]
                    yield item, result
        finally:
            if running:
                self._leave(running)

    def _begun(self, task: Task, item: Any) -> Future[Any]:
        # warnings that are given elsewhere are none here, too
        return self._pool.submit(copy_context().run, task, item)

    def _leave(self, running: Iterable[Future[Any]]) -> None:
        for future in running:
            future.cancel()
        wait(running)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()


class Processes(Threads):
    """Worker processes, started when needed."""

    shares_memory = False

    def __init__(self, count: int) -> None:
        # dask's own processes would outlive a killed parent
        self.scheduler, self.count = "threads", count
        self._open()

    def _open(self) -> None:
        """Make the pool, and the pipe whose end ends its processes."""
        context = get_context("spawn")
        theirs, self._life = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(self.count, context, _live_with, (theirs,))

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        """Compute a task for each item; see `Client`."""
        with TemporaryDirectory() as folder:
            file = Path(folder, "task")
            file.write_bytes(pickle.dumps(task))
            try:
                yield from super().completed(partial(_of_file, file), items, waiting)
            except BrokenProcessPool:
                raise InputError(
                    "a worker process ended; perhaps there is too little memory for so many, or "
                    "the script that starts them, which each of them imports, does so above the "
                    'line if __name__ == "__main__":'
                ) from None

    def _begun(self, task: Task, item: Any) -> Future[Any]:
        with _prepared_start():
            try:
                return self._pool.submit(task, item)
            except RuntimeError as error:
                if "bootstrapping" not in str(error):
                    raise
                sys.exit(1)  # this is a worker, which imports the script

    def _leave(self, running: Iterable[Future[Any]]) -> None:
        self.close()
        self._open()

    def close(self) -> None:
        """End the processes, also at work."""
        self._life.close()
        self._pool.shutdown()


@contextmanager
def _prepared_start() -> Iterator[None]:
    """Let processes started here ignore signals, and start no threads in libraries.

    A process gets the environment of this one, which all threads share.
    """
    resource_tracker.ensure_running()  # it has its own handlers
    with _STARTING:
        before = {name: os.environ.get(name) for name in one_thread_each()}
        os.environ.update(one_thread_each())
        masked = None
        if hasattr(signal, "pthread_sigmask"):
            masked = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            yield
        finally:
            if masked is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)
            for name, was in before.items():
                del os.environ[name]
                if was is not None:
                    os.environ[name] = was


def _live_with(parent: Connection) -> None:
    """Let this worker ignore signals, and end when the parent closes its pipe or ends."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    parent.poll(None)
    os._exit(1)


def _of_file(file: Path, item: Any) -> Any:
    """Compute an item by the task that a file holds."""
    try:
        return _read(file)(item)
    except Exception as error:
        raised = error
    try:
        pickle.loads(pickle.dumps(raised))
    except Exception:  # what cannot be sent becomes its text, outside: a context is sent, too
        name = "" if (own := isinstance(raised, InputError)) else f"{type(raised).__name__}: "
        told = (InputError if own else RuntimeError)(f"{name}{raised}")
        raised = told.with_traceback(raised.__traceback__)
    raise raised


@lru_cache(maxsize=1)
def _read(file: Path) -> Task:
    """Read a task, once in each worker."""
    return pickle.loads(file.read_bytes())  # type: ignore[no-any-return]


LOCAL = ("threads", "processes", "synchronous")
VERSION = version("supersample")
MOST_OF_A_PROCESSOR = 64  # threads or processes; starting many more takes longer than computing

POLL = 0.05  # seconds
PATIENCE = 20.0  # seconds until a scheduler must answer
JOB: dict[str, Any] = {"cores": 1, "memory": "4GB"}  # if dask's configuration does not say


@contextmanager
def address_client(address: str) -> Iterator[Client]:
    """Workers of the scheduler at an address."""
    distributed = installed("distributed", "distributed")
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"no dask scheduler answers at {address}: {reason}") from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # losses are raised
    with client:
        yield _Cluster(distributed, client, address, sum(client.nthreads().values()))


@contextmanager
def slurm_client(jobs: int) -> Iterator[Client]:
    """Workers that SLURM starts as jobs, and restarts when their time is over."""
    distributed = installed("distributed", "slurm")
    jobqueue = installed("dask_jobqueue", "slurm")
    of_site = {name: dask.config.get(f"jobqueue.slurm.{name}", None) for name in JOB}
    chosen = {name: usual for name, usual in JOB.items() if of_site[name] is None}
    exports = [f"export {name}={value}" for name, value in one_thread_each().items()]
    site = dask.config.get("jobqueue.slurm.job-script-prologue", None) or []
    if shutil.which("sbatch") is None:
        raise InputError("there is no SLURM here: the command sbatch is not found")
    try:
        cluster = jobqueue.SLURMCluster(job_script_prologue=[*site, *exports], **chosen)
    except (OSError, ValueError) as error:
        raise InputError(f"SLURM's workers cannot be set up: {error}") from error
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        _try_job(cluster.job_script())
        cluster.adapt(minimum_jobs=jobs, maximum_jobs=jobs)
        yield _Cluster(distributed, client, f"slurm, {jobs} jobs", jobs)


def _try_job(script: str) -> None:
    """Ask SLURM whether it would accept a job; a refused one would be waited for forever."""
    tried = subprocess.run(
        ["sbatch", "--test-only"], input=script, capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        raise InputError(f"SLURM refuses this job: {' '.join(tried.stderr.split())}")


class _Cluster(Client):
    """A client of distributed."""

    def __init__(self, distributed: Any, client: Any, name: str, count: int) -> None:
        self._distributed, self._client = distributed, client
        self._name, self.count = name, max(1, count)
        self.dashboard = str(client.dashboard_link)
        self.scheduler = client

    def completed(self, task: Task, items: Sequence[Any], waiting: Waiting = silently) -> Results:
        # The task goes out as the result of a task, once to each worker and again if one dies.
        large = {"distributed.admin.large-graph-warning-threshold": "1 TB"}
        with dask.config.set(large):
            held = self._client.submit(partial(_itself, task), pure=False)
            futures = self._client.map(_do, [*items], task=held, wanted=VERSION, pure=False)
        of = {future.key: item for future, item in zip(futures, items, strict=True)}
        try:
            coming = self._distributed.as_completed(futures, loop=self._client.loop)
            while not coming.is_empty():
                if not coming.has_ready():
                    waiting()
                    time.sleep(POLL)
                    continue
                for future in coming.next_batch(block=False):
                    yield of[future.key], self._result(future)
        finally:
            self._client.cancel(futures, force=True)

    def _result(self, future: Any) -> Any:
        try:
            return future.result()
        except self._distributed.KilledWorker as error:
            raise InputError(
                f"workers were killed again and again ({error.last_worker.address}); perhaps there "
                "is too little memory for them"
            ) from error
        except CancelledError as error:
            raise InputError(f"the dask scheduler was lost ({self._name})") from error


def _itself(task: Task) -> Task:
    return task


def _do(item: Any, task: Task, wanted: str) -> Any:
    _check_version(wanted)
    return task(item)


def _check_version(wanted: str) -> None:
    """Refuse to compute here for a process with another version of supersample."""
    if wanted != VERSION:
        raise InputError(
            f"a worker has supersample {VERSION}, and the process that uses it {wanted}; install "
            "the same version for all workers"
        )


@dataclass(frozen=True)
class Workers:
    """Workers that compute.

    Parameters
    ----------
    scheduler : str, default "threads"
        "threads", "processes" or "synchronous" on this machine; the address of a dask scheduler,
        ``tcp://host:8786``; or "slurm", which starts workers as jobs (extra `slurm`). Memory, time
        and queue of a job are in dask's configuration: ``jobqueue.slurm`` of its files, or the
        environment, as in ``DASK_JOBQUEUE__SLURM__MEMORY=4GB``.
    count : int, optional
        Number of threads, processes or jobs; by default the number of processors that this process
        may use, and one job.

    Raises
    ------
    InputError
        If the scheduler is unknown, or cannot have this number of workers.

    Examples
    --------
    >>> Workers("slurm", 8).count
    8
    >>> Workers("tcp://host:8786", 8)
    Traceback (most recent call last):
    supersample.errors.InputError: tcp://host:8786 has workers already; leave out their number
    """

    scheduler: str = "threads"
    count: int | None = None

    def __post_init__(self) -> None:
        remote = "://" in self.scheduler
        if not (remote or self.scheduler in (*LOCAL, "slurm")):
            raise InputError(
                f"the scheduler is {', '.join(LOCAL)}, slurm or an address such as "
                f"tcp://host:8786, not '{self.scheduler}'"
            )
        if self.count is not None and remote:
            raise InputError(f"{self.scheduler} has workers already; leave out their number")
        if self.count is not None:
            check_counted("workers", self.count)
        most = MOST_OF_A_PROCESSOR * usable_processors()
        if self.count is not None and self.scheduler in LOCAL and self.count > most:
            raise InputError(
                f"{self.count} {self.scheduler} are more than the {most} that serve "
                f"{usable_processors()} processors"
            )


# Argument of verbs: a name means `Workers` of that name.
AnyWorkers = Workers | Client | str


def checked_workers(workers: AnyWorkers) -> Workers | Client:
    """Convert a name to `Workers`; InputError for an unknown name."""
    return Workers(workers) if isinstance(workers, str) else workers


def connect(workers: AnyWorkers = "threads") -> AbstractContextManager[Client]:
    """Start workers, or connect to them; started workers end with the context.

    Parameters
    ----------
    workers : Workers, str or Client, default "threads"
        A connected client is used and stays connected, so several verbs can share workers that are
        started once.

    Raises
    ------
    InputError
        If the scheduler is unknown, a package that it needs is not installed, or no scheduler
        answers.

    Examples
    --------
    >>> with connect(Workers("threads", 2)) as client:
    ...     sorted(client.completed(abs, [-3, 2]))
    [(-3, 3), (2, 2)]
    """
    chosen = checked_workers(workers)
    if not isinstance(chosen, Workers):
        return nullcontext(chosen)
    if chosen.scheduler in LOCAL:
        return local_client(chosen.scheduler, chosen.count or usable_processors())
    if chosen.scheduler == "slurm":
        return slurm_client(chosen.count or 1)
    return address_client(chosen.scheduler)


# Returns the rows of replicates start to stop - 1.
Block = Callable[[int, int], NDArray[Any]]

LARGEST_BLOCK = 65_536  # replicates; with 27 columns a block takes 14 MB


def compute_rows(
    block: Block,
    n: int,
    width: int,
    *,
    workers: AnyWorkers = "threads",
    progress: str | None = None,
    chunk: int | None = None,
) -> NDArray[np.float64]:
    """Compute n rows with `width` columns now; the bits do not depend on the workers.

    The block is a pure function of (start, stop), picklable for other processes. A progress bar
    with the description `progress` is shown on a terminal if it takes over two seconds. A task has
    `chunk` rows; by default there is one task per worker, unless tasks become too large. InputError
    refuses rows that do not fit into this machine's memory.
    """
    check_memory(8.0 * n * width, f"{n} rows of {width} scores")
    with connect(workers) as client:
        rounds = max(1, math.ceil(n / (LARGEST_BLOCK * client.count)))
        size = chunk or max(1, math.ceil(n / (rounds * client.count)))  # all end at the same time
        bounds = [(start, min(start + size, n)) for start in range(0, n, size)]
        rows = np.empty((n, width))
        task: Callable[[tuple[int, int]], NDArray[np.float64] | None] = (
            partial(_fill, block, rows) if client.shares_memory else partial(rows_of, block)
        )
        with (
            Meter(progress, n) as meter,
            closing(client.completed(task, bounds, meter.show)) as results,
        ):
            for (start, stop), part in results:
                if part is not None:
                    rows[start:stop] = part
                meter.add(stop - start)
    return rows


def rows_of(block: Block, bounds: tuple[int, int], wanted: str = VERSION) -> NDArray[Any]:
    """Rows of a block from its bounds (first row, last row + 1): a task of workers."""
    _check_version(wanted)
    return block(*bounds)


def _fill(block: Block, rows: NDArray[np.float64], bounds: tuple[int, int]) -> None:
    rows[slice(*bounds)] = block(*bounds)


def lazy_rows(
    block: Block, n: int, width: int | None, chunk: int, dtype: Any = np.float64
) -> "da.Array":
    """Lazy array of shape (n, width), or (n,); its chunks, of `chunk` rows or the rest, are blocks.

    Its name is a checksum of all this, so the same call gives the same graph in any process.
    """
    import dask.array as da  # slow to import
    from dask.base import tokenize
    from dask.task_spec import DataNode, Task, TaskRef

    sizes = (chunk,) * (n // chunk) + ((n % chunk,) if n % chunk else ())
    # The graph is made by hand, so that shared data are in it only once.
    name = f"rows-{tokenize(block, n, width, chunk)}"
    shared = f"block-{name}"
    graph: dict[Any, Any] = {shared: DataNode(shared, block)}
    rest = () if width is None else (0,)
    for i, size in enumerate(sizes):
        bounds = (i * chunk, i * chunk + size)
        graph[name, i, *rest] = Task((name, i, *rest), rows_of, TaskRef(shared), bounds, VERSION)
    chunks = (sizes,) if width is None else (sizes, (width,))
    return da.Array(graph, name, chunks=chunks, dtype=dtype)
