"""Who computes: threads, processes, a dask cluster, SLURM; the results are the same bits."""

from contextlib import AbstractContextManager

from supersample.execution.workers.cluster import address_client, slurm_client
from supersample.execution.workers.local import local_client
from supersample.execution.workers.workers import LOCAL, Client, Workers, usable_processors


def connect(workers: Workers) -> AbstractContextManager[Client]:
    """Connect with workers, or start them; they end with the context, if it started them.

    Raises
    ------
    InputError
        If what the scheduler needs is not installed, or nobody answers.
    """
    if workers.scheduler in LOCAL:
        return local_client(workers.scheduler, workers.count or usable_processors())
    if workers.scheduler == "slurm":
        return slurm_client(workers)
    return address_client(workers.scheduler)
