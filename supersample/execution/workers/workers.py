"""Workers (threads, processes, a dask cluster, SLURM), and the blocks of rows they compute.

The results have the same bits whichever worker computes them.
"""

import logging
import math
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.execution.memory import check_memory
from supersample.execution.progress import Meter
from supersample.execution.workers.local import (
    Client,
    Results,
    Task,
    Waiting,
    installed,
    local_client,
    one_thread_each,
    silently,
    usable_processors,
)

LOCAL = ("threads", "processes", "synchronous")
VERSION = version("supersample")
MOST_OF_A_PROCESSOR = 64  # threads or processes; starting many more takes longer than computing

POLL = 0.05  # seconds
PATIENCE = 20.0  # seconds until a scheduler must answer
JOB: dict[str, Any] = {"cores": 1, "memory": "4GB"}  # if neither options nor the site say


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
def slurm_client(jobs: int, options: Mapping[str, str | None]) -> Iterator[Client]:
    """Workers that SLURM starts as jobs, and restarts when their time is over.

    The options are memory, walltime and queue of each job; None means the site's default.
    """
    distributed = installed("distributed", "slurm")
    jobqueue = installed("dask_jobqueue", "slurm")
    chosen: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    for name, usual in JOB.items():
        if name not in chosen and dask.config.get(f"jobqueue.slurm.{name}", None) is None:
            chosen[name] = usual
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
        self.description, self.count = name, max(1, count)
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
            raise InputError(f"the dask scheduler was lost ({self.description})") from error


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
        ``tcp://host:8786``; or "slurm", which starts workers as jobs (extra `slurm`), with the
        site's defaults from dask's configuration (``jobqueue.slurm``).
    count : int, optional
        Number of threads, processes or jobs; by default the number of processors that this process
        may use, and one job.
    memory, walltime, queue : str, optional
        Options of each SLURM job: "4GB", "01:00:00", a partition.

    Raises
    ------
    InputError
        If the scheduler is unknown, or does not have an option.

    Examples
    --------
    >>> Workers("slurm", 8, memory="4GB", walltime="02:00:00").count
    8
    >>> Workers("threads", memory="4GB")
    Traceback (most recent call last):
    supersample.errors.InputError: memory goes with the scheduler slurm, not with threads
    """

    scheduler: str = "threads"
    count: int | None = None
    memory: str | None = None
    walltime: str | None = None
    queue: str | None = None

    def __post_init__(self) -> None:
        remote = "://" in self.scheduler
        if not (remote or self.scheduler in (*LOCAL, "slurm")):
            raise InputError(
                f"the scheduler is {', '.join(LOCAL)}, slurm or an address such as "
                f"tcp://host:8786, not '{self.scheduler}'"
            )
        if self.scheduler != "slurm":
            for name in ("memory", "walltime", "queue"):
                if getattr(self, name) is not None:
                    raise InputError(
                        f"{name} goes with the scheduler slurm, not with {self.scheduler}"
                    )
        if self.count is not None and remote:
            raise InputError(f"{self.scheduler} has workers already; leave out their number")
        if self.count is not None and self.count < 1:
            raise InputError(f"at least one worker is needed, not {self.count}")
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
        options = {"memory": chosen.memory, "walltime": chosen.walltime, "queue": chosen.queue}
        return slurm_client(chosen.count or 1, options)
    return address_client(chosen.scheduler)


if TYPE_CHECKING:
    import dask.array as da

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
