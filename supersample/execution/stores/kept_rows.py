"""Rows of replicates that a folder of cells keeps, block by block."""

import io
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersample.execution.progress import Meter
from supersample.execution.stores.cells import Cells, cell_key
from supersample.execution.workers.connection import connect
from supersample.execution.workers.workers import Workers

BLOCK = 100
"""Rows a cell; the last one may have fewer."""


@dataclass(frozen=True)
class _Block:
    """A task: rows of a block, by their first and last."""

    rows: Callable[[int, int], NDArray[np.float64]]

    def __call__(self, bounds: tuple[int, int]) -> NDArray[np.float64]:
        return self.rows(*bounds)


def kept_rows(
    rows: Callable[[int, int], NDArray[np.float64]],
    n: int,
    facts: dict[str, Any],
    *,
    cells: Cells,
    scheduler: str = "threads",
    progress: str | None = None,
) -> NDArray[np.float64]:
    """Compute what the cells do not have of n rows, put each block there, and give all of them.

    Parameters
    ----------
    rows : callable
        Gives rows start to stop - 1; picklable for processes.
    n : int
    facts : dict
        All that determines the rows, for their keys.
    cells : Cells
    scheduler : str
    progress : str, optional
        What the rows are.

    Raises
    ------
    InputError
        If another process is at work on the cells.
    """
    bounds = [(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK)]
    keys = {own: cell_key(**facts, rows=list(own)) for own in bounds}
    with cells.alone():
        found = {own: _array(cells.read(key)) for own, key in keys.items()}
        known = {own: block for own, block in found.items() if block is not None}
        missing = [own for own in bounds if own not in known]
        kept = done = sum(stop - start for start, stop in known)
        meter = Meter(progress, n)
        try:
            with connect(Workers(scheduler)) as client:
                results = client.completed(_Block(rows), missing, lambda: meter.show(done, kept))
                with closing(results):  # type: ignore[type-var]
                    for own, block in results:
                        cells.write(keys[own], _bytes(block))
                        known[own] = block
                        done += own[1] - own[0]
                        meter.show(done, kept)
        finally:
            meter.close()
    return np.concatenate([known[own] for own in bounds])


def _bytes(block: NDArray[np.float64]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, block, allow_pickle=False)
    return stream.getvalue()


def _array(content: bytes | None) -> NDArray[np.float64] | None:
    if content is None:
        return None
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
