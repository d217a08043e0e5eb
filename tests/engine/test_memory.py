from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

from supersample.engine.buffers import Workspace


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
