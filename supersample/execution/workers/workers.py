"""Who computes: threads, processes, a dask cluster, SLURM; the results are the same bits."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from supersample.errors import InputError
from supersample.execution.workers.clients import Client, local_client, usable_processors
from supersample.execution.workers.cluster import address_client, slurm_client

LOCAL = ("threads", "processes", "synchronous")
MOST_OF_A_PROCESSOR = 64  # threads or processes; many more take longer to start than to compute


@dataclass(frozen=True)
class Workers:
    """Who computes.

    Parameters
    ----------
    scheduler : str, default "threads"
        "threads", "processes" or "synchronous" on this machine; the address of a dask scheduler,
        ``tcp://host:8786``; or "slurm", which starts workers as jobs (extra `slurm`), with
        defaults of the site from dask's configuration (``jobqueue.slurm``).
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
            raise InputError(f"{self.scheduler} has workers already; leave out their number")
        if self.count is not None and self.count < 1:
            raise InputError(f"at least one worker is needed, not {self.count}")
        most = MOST_OF_A_PROCESSOR * usable_processors()
        if self.count is not None and self.scheduler in LOCAL and self.count > most:
            raise InputError(
                f"{self.count} {self.scheduler} are more than the {most} that serve "
                f"{usable_processors()} processors"
            )


AnyWorkers = Workers | Client | str
"""Who computes, as verbs take it: a name is short for `Workers` of that name."""


def checked_workers(workers: AnyWorkers) -> Workers | Client:
    """Workers of a name, or those that are passed; an InputError refuses an unknown name."""
    return Workers(workers) if isinstance(workers, str) else workers


def connect(workers: AnyWorkers = "threads") -> AbstractContextManager[Client]:
    """Start workers, or connect with them; those that are started end with the context.

    Parameters
    ----------
    workers : Workers, str or Client, default "threads"
        A connected client is used as it is and stays connected. So several verbs share workers that
        are started once.

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
