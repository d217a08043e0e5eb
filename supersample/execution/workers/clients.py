"""What all kinds of workers offer."""

import os
from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol, TypeVar

from dask.system import CPU_COUNT

Item = TypeVar("Item")
Result = TypeVar("Result")
Task = Callable[[Any], Any]
Waiting = Callable[[], None]
Results = Generator[tuple[Any, Any], None, None]

TICK = 0.5  # seconds between two looks at the workers


def silently() -> None:
    """Wait without a word."""


class Client(Protocol):
    """Workers that are connected and compute tasks."""

    description: str
    """For people: who computes."""
    dashboard: str | None
    """Address of a cluster's dashboard."""
    count: int
    """How many tasks are computed at a time."""
    shares_memory: bool
    """Whether tasks see the arrays of this process, and can write into them."""
    scheduler: Any
    """The same workers as dask names them, for lazy arrays."""

    def completed(
        self, task: Callable[[Item], Result], items: Sequence[Item], waiting: Waiting = silently
    ) -> Generator[tuple[Item, Result], None, None]:
        """Compute a task for each item, and give results as they are finished, in any order.

        The task is picklable and sent to each worker once, with all that it holds; items are small
        and hashable; `waiting` is called every now and then. An InputError tells that workers die
        again and again, or that the cluster is lost. Errors of tasks are raised.
        """
        ...


def usable_processors() -> int:
    """Processors that this process may use: by affinity, container and SLURM job."""
    of_job = os.environ.get("SLURM_CPUS_PER_TASK", "")
    return min(CPU_COUNT, int(of_job)) if of_job.isdigit() and int(of_job) else int(CPU_COUNT)


def one_thread_each() -> dict[str, Any]:
    """Environment in which the libraries of a worker start no threads."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return dict.fromkeys(names, "1")
