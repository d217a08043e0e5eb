import dask
import numpy as np
import pytest

from supersample import InputError
from supersample.execution.workers import compute_rows, lazy_rows


def squares(start, stop):
    """Rows i, i^2 of replicates i."""
    i = np.arange(start, stop, dtype=float)
    return np.column_stack([i, i**2])


@pytest.mark.parametrize("chunk", [None, 1, 3, 10, 11])
@pytest.mark.parametrize("name", ["threads", "synchronous", "processes"])
def test_rows_are_those_of_the_blocks_in_order(clients, name, chunk):
    for n in (1, 10, 101):
        rows = compute_rows(squares, n, 2, workers=clients[name], chunk=chunk)
        np.testing.assert_array_equal(rows, squares(0, n))


@pytest.mark.parametrize("chunk", [1, 7, 50, 51, 1000])
def test_lazy_rows_have_the_chunks_asked_for(chunk):
    rows = lazy_rows(squares, 50, 2, chunk)
    assert rows.shape == (50, 2)
    assert sum(rows.chunks[0]) == 50
    assert max(rows.chunks[0]) == min(chunk, 50)
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_array_equal(rows[3:40, 1], squares(3, 40)[:, 1])


def test_more_than_the_machine_holds_is_refused_before_anything_is_done():
    with pytest.raises(InputError, match=r"10{20} rows of 2 scores take .* GiB, this machine has"):
        compute_rows(squares, 10**20, 2)
