"""Blocks of replicates on dask: the same numbers, whatever runs them."""

import math
import os
from collections.abc import Callable
from typing import Any, Literal, get_args
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from dask.task_spec import DataNode, Task, TaskRef
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.execution.progress import ProgressBar
from supersample.execution.workers.threads import threaded_rows

Scheduler = Literal["threads", "processes", "synchronous"]
Block = Callable[[int, int], NDArray[np.float64]]
"""Gives the rows of replicates start to stop - 1."""

LARGEST_BLOCK = 65_536  # replicates; with 27 columns a block takes 14 MB


def check_scheduler(scheduler: str) -> None:
    """Raise InputError unless the scheduler is known."""
    if scheduler not in get_args(Scheduler):
        raise InputError(f"the scheduler is {', '.join(get_args(Scheduler))}, not '{scheduler}'")


def check_memory(n: int, width: int) -> None:
    """Raise InputError if n rows of doubles take more than all memory of this machine."""
    if not hasattr(os, "sysconf"):  # Windows does not say
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    needed = n * width * np.float64().nbytes
    if needed > memory:
        raise InputError(
            f"{n} rows of {width} scores take {needed / 2**30:,.0f} GiB, this machine has "
            f"{memory / 2**30:,.0f} GiB; ask for fewer"
        )


def lazy_rows(block: Block, n: int, width: int, chunk: int) -> da.Array:
    """Lazy array of shape (n, width) whose chunks of `chunk` rows `block` computes.

    Parameters
    ----------
    block : callable
        A pure function of (start, stop), picklable for the process scheduler.
    n, width : int
        Rows and columns.
    chunk : int
        Rows a chunk; the last one may have fewer.
    """
    sizes = (chunk,) * (n // chunk) + ((n % chunk,) if n % chunk else ())
    # The graph by hand: what all tasks share goes in once, and nothing is hashed.
    name = f"rows-{uuid4().hex}"
    shared = f"block-{name}"
    graph: dict[Any, Any] = {shared: DataNode(shared, block)}
    for i, size in enumerate(sizes):
        graph[name, i, 0] = Task((name, i, 0), _rows, TaskRef(shared), i * chunk, i * chunk + size)
    return da.Array(graph, name, chunks=(sizes, (width,)), dtype=np.float64)


def _rows(block: Block, start: int, stop: int) -> NDArray[np.float64]:
    return block(start, stop)


def compute_rows(
    block: Block,
    n: int,
    width: int,
    *,
    scheduler: Scheduler = "threads",
    progress: str | None = None,
    chunk: int | None = None,
) -> NDArray[np.float64]:
    """Compute all rows now.

    Parameters
    ----------
    block, n, width
        As for `lazy_rows`.
    scheduler : {"threads", "processes", "synchronous"}
        Who computes; the rows are the same bits.
    progress : str, optional
        Description of a progress bar, drawn on a terminal where it takes over two seconds.
    chunk : int, optional
        Rows a task; by default a task a worker, while they are small enough.

    Raises
    ------
    InputError
        If the scheduler is unknown, or the rows would not fit into this machine's memory.
    """
    check_scheduler(scheduler)
    check_memory(n, width)
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    rounds = max(1, math.ceil(n / (LARGEST_BLOCK * (workers or 1))))
    usual = max(1, math.ceil(n / (rounds * (workers or 1))))  # all workers end at one time
    if scheduler == "threads":
        return threaded_rows(block, n, width, chunk or usual, workers or 1, progress)
    rows = lazy_rows(block, n, width, chunk or usual)
    with ProgressBar(progress, n), dask.config.set(scheduler=scheduler):
        return np.asarray(rows.compute())
