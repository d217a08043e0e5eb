"""Who computes, and what all kinds of workers can do."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from dask.system import CPU_COUNT

from supersample.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")

LOCAL = ("threads", "processes", "synchronous")
TICK = 0.5  # seconds between two looks at the workers


@dataclass(frozen=True)
class Workers:
    """Who computes a run.

    Parameters
    ----------
    scheduler : str, default "threads"
        "threads", "processes" or "synchronous" on this machine; the address of a dask scheduler,
        ``tcp://host:8786``; or "slurm", which starts workers as jobs (extra `slurm`), with
        defaults of the site from dask's own configuration (``jobqueue.slurm``).
    count : int, optional
        How many threads, processes or jobs; by default as many as this process may use processors,
        and one job.
    memory, walltime, queue : str, optional
        Of each job of SLURM: "4GB", "01:00:00", a partition.

    Raises
    ------
    InputError
        If the scheduler is unknown, or does not take an option.

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
            raise InputError(f"the workers of {self.scheduler} are there already; leave them out")
        if self.count is not None and self.count < 1:
            raise InputError(f"there is at least one worker, not {self.count}")


class Client(Protocol):
    """Workers that are there, and do tasks."""

    description: str
    """For people: who computes."""
    dashboard: str | None
    """Address to look at, of a cluster."""

    def completed(
        self,
        task: Callable[[Item], Result],
        items: Sequence[Item],
        waiting: Callable[[], None] = ...,
    ) -> Iterator[tuple[Item, Result]]:
        """Do a task for each item, and give results as they come, in any order.

        Parameters
        ----------
        task : callable
            Goes to each worker once, with all that it holds; picklable.
        items : sequence
            Small; each is handed to `task`.
        waiting : callable, optional
            Called every now and then while there is nothing to give.

        Raises
        ------
        InputError
            If workers die again and again, or the cluster is lost. What tasks raise comes through.
        """
        ...


def usable_processors() -> int:
    """Processors that this process may use: its affinity, its container's, its SLURM job's."""
    own = os.environ.get("SLURM_CPUS_PER_TASK", "")
    return min(CPU_COUNT, int(own)) if own.isdigit() and int(own) > 0 else int(CPU_COUNT)


def silently() -> None:
    """Wait without a word."""


def one_thread_each() -> dict[str, Any]:
    """Environment in which a worker's libraries start no threads of their own."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return dict.fromkeys(names, "1")
