"""Rows computed now by the threads of this process, without a task graph.

Small samples take a few milliseconds, less than a graph and a scheduler do, and large ones need no
copy: each block goes straight to its place. The calling thread works too: it has a core already,
and new threads that it does not wait for get the others.
"""

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat

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
        Threads, this one included.
    progress : str, optional
        Description of a progress bar.
    """
    rows = np.empty((n, width))
    starts = deque(range(0, n, chunk))
    share = -(-len(starts) // workers)

    def work(turns: Iterable[object]) -> None:
        for _ in turns:
            try:
                start = starts.popleft()
            except IndexError:  # the other threads were quicker
                return
            try:
                rows[start : start + chunk] = block(start, min(start + chunk, n))
            except BaseException:  # an interrupt too: what has not begun need not
                starts.clear()
                raise

    with ThreadPoolExecutor(max(1, workers - 1)) as pool:
        others = [pool.submit(work, repeat(None)) for _ in range(min(workers, len(starts)) - 1)]
        work(tracked(range(share), progress))  # this thread's share, while the others do theirs
        work(repeat(None))
        for other in others:
            other.result()
    return rows
