"""Rows computed now by the threads of this process, without a task graph.

Small samples take a few milliseconds, less than a graph and a scheduler do, and large ones need no
copy: each block goes straight to its place.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from supersample.execution.progress import tracked


def threaded_rows(
    block: Callable[[int, int], NDArray[np.float64]],
    n: int,
    width: int,
    chunk: int,
    workers: int,
    progress: str | None = None,
) -> NDArray[np.float64]:
    """Compute n rows by threads.

    Parameters
    ----------
    block : callable
        Gives the rows of replicates start to stop - 1; lets go of the interpreter while it counts.
    n, width : int
        Rows and columns.
    chunk : int
        Rows a task.
    workers : int
        Threads.
    progress : str, optional
        Description of a progress bar.
    """
    rows = np.empty((n, width))

    def fill(start: int) -> None:
        stop = min(start + chunk, n)
        rows[start:stop] = block(start, stop)

    with ThreadPoolExecutor(workers) as pool:
        tasks = [pool.submit(fill, start) for start in range(0, n, chunk)]
        try:
            for task in tracked(tasks, progress):
                task.result()
        except BaseException:  # an interrupt too: what has not begun need not
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return rows
