"""Workers of a dask cluster: a running one, or one of SLURM's jobs."""

import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import Any

import dask

from supersample.errors import InputError
from supersample.execution.workers.clients import (
    Client,
    Results,
    Task,
    Waiting,
    installed,
    one_thread_each,
    silently,
)

POLL = 0.05  # seconds
PATIENCE = 20.0  # seconds until a scheduler must answer
JOB: dict[str, Any] = {"cores": 1, "memory": "4GB"}  # where neither options nor the site say


@contextmanager
def address_client(address: str) -> Iterator[Client]:
    """Workers of the scheduler at an address."""
    distributed = installed("distributed", "distributed")
    try:
        client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"no dask scheduler answers at {address}: {reason}") from error
    with client:
        yield _Cluster(distributed, client, address, sum(client.nthreads().values()))


@contextmanager
def slurm_client(jobs: int, options: Mapping[str, str | None]) -> Iterator[Client]:
    """Workers that SLURM starts as jobs, and starts anew when their time is over.

    The options are memory, walltime and queue of each job; None leaves them to the site.
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
    """Ask SLURM whether it would take a job, for a refused one would be waited for without end."""
    tried = subprocess.run(
        ["sbatch", "--test-only"], input=script, capture_output=True, text=True, check=False
    )
    if tried.returncode != 0:
        raise InputError(f"SLURM takes no such job: {' '.join(tried.stderr.split())}")


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
            futures = self._client.map(_do, [*items], task=held, pure=False)
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
            raise InputError("the dask scheduler was lost") from error


def _itself(task: Task) -> Task:
    return task


def _do(item: Any, task: Task) -> Any:
    return task(item)
