from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from supersample.engine.memory import Workspace, aligned_zeros, room


@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 600_000)])
def test_room_is_an_array_like_any_other(shape):
    array = room(*shape)
    assert not array.any()
    array[:] = 1.0
    assert array.shape == shape
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert array.sum() == np.prod(shape)


@pytest.mark.parametrize("size", [16, 17, 2048])
def test_aligned_zeros_begin_a_cache_line(size):
    arrays = [aligned_zeros(size) for _ in range(20)]
    assert all(array.ctypes.data % 64 == 0 for array in arrays)
    assert all(array.size == size and not array.any() for array in arrays)


def test_each_thread_has_its_own_workspace_and_keeps_it():
    workspace, both_hold = Workspace(), Barrier(2)

    def held(_):
        first = workspace.take("sums", 4)
        both_hold.wait(timeout=10)
        return first, workspace.take("sums", 2, 2)

    with ThreadPoolExecutor(2) as pool:
        (one, again), (other, _) = pool.map(held, range(2))
    assert np.shares_memory(one, again)
    assert not np.shares_memory(one, other)
