"""Blocks of replicates on dask: the same numbers, whatever runs them."""

import math
import os
from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import dask
import dask.array as da
import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError
from supersample.execution.progress import ProgressBar

Scheduler = Literal["threads", "processes", "synchronous"]
Block = Callable[[int, int], NDArray[np.float64]]
"""Gives the rows of replicates start to stop - 1."""

LARGEST_BLOCK = 65_536  # replicates; with 27 columns a block takes 14 MB


def check_scheduler(scheduler: str) -> None:
    """Raise InputError unless the scheduler is known."""
    if scheduler not in get_args(Scheduler):
        raise InputError(f"the scheduler is {', '.join(get_args(Scheduler))}, not '{scheduler}'")


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
    return da.map_blocks(  # type: ignore[no-any-return]
        partial(_rows, block), chunks=(sizes, (width,)), dtype=np.float64, name=False
    )


def _rows(block: Block, block_info: dict[None, dict[str, list[tuple[int, int]]]]) -> object:
    start, stop = block_info[None]["array-location"][0]
    return block(start, stop)


def compute_rows(
    block: Block,
    n: int,
    width: int,
    *,
    scheduler: Scheduler = "threads",
    progress: str | None = None,
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
    """
    check_scheduler(scheduler)
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    chunk = min(LARGEST_BLOCK, max(1, math.ceil(n / (workers or 1))))
    out = np.empty((n, width))
    rows = lazy_rows(block, n, width, chunk)
    with ProgressBar(progress), dask.config.set(scheduler=scheduler):
        if scheduler == "processes":
            out[:] = rows.compute()
        else:
            da.store(rows, out, lock=False)
    return out
