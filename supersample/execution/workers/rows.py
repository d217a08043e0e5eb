"""Blocks of replicates: the same numbers, whoever computes them."""

import math
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from supersample.execution.memory import check_memory
from supersample.execution.progress import Meter
from supersample.execution.workers.workers import AnyWorkers, connect

if TYPE_CHECKING:
    import dask.array as da

Block = Callable[[int, int], NDArray[np.float64]]
"""Gives the rows of replicates start to stop - 1."""

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
    """Compute n rows of so many columns now, the same bits whoever computes.

    The block is a pure function of (start, stop), picklable for workers in other processes. A
    progress bar of the description `progress` is drawn on a terminal where it takes over two
    seconds. A task has `chunk` rows; by default there is a task a worker, while they are small
    enough. An InputError refuses rows that would not fit into this machine's memory.
    """
    check_memory(8.0 * n * width, f"{n} rows of {width} scores")
    with connect(workers) as client:
        rounds = max(1, math.ceil(n / (LARGEST_BLOCK * client.count)))
        size = chunk or max(1, math.ceil(n / (rounds * client.count)))  # all end at one time
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


def rows_of(block: Block, bounds: tuple[int, int]) -> NDArray[np.float64]:
    """Rows of a block, by its first row and the one after its last: a task of workers."""
    return block(*bounds)


def _fill(block: Block, rows: NDArray[np.float64], bounds: tuple[int, int]) -> None:
    rows[slice(*bounds)] = block(*bounds)


def lazy_rows(block: Block, n: int, width: int, chunk: int) -> "da.Array":
    """Lazy array of shape (n, width) whose chunks, of `chunk` rows or the rest, are blocks."""
    import dask.array as da  # slow to import
    from dask.task_spec import DataNode, Task, TaskRef

    sizes = (chunk,) * (n // chunk) + ((n % chunk,) if n % chunk else ())
    # The graph by hand: what all tasks share goes in once, and nothing is hashed.
    name = f"rows-{uuid4().hex}"
    shared = f"block-{name}"
    graph: dict[Any, Any] = {shared: DataNode(shared, block)}
    for i, size in enumerate(sizes):
        bounds = (i * chunk, i * chunk + size)
        graph[name, i, 0] = Task((name, i, 0), rows_of, TaskRef(shared), bounds)
    return da.Array(graph, name, chunks=(sizes, (width,)), dtype=np.float64)
