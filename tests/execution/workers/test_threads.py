import threading
import time

import numpy as np
import pytest

from supersample.execution.workers.threads import threaded_rows


def numbers(start, stop):
    return np.arange(start, stop, dtype=float)[:, np.newaxis] * [1.0, 10.0]


@pytest.mark.parametrize("chunk", [1, 3, 10, 11])
@pytest.mark.parametrize("workers", [1, 4])
def test_rows_are_those_of_the_blocks_in_order(chunk, workers):
    np.testing.assert_array_equal(threaded_rows(numbers, 10, 2, chunk, workers), numbers(0, 10))


def test_threads_work_at_the_same_time():
    both = threading.Barrier(2, timeout=30)

    def meeting(start, stop):
        both.wait()
        return numbers(start, stop)

    np.testing.assert_array_equal(threaded_rows(meeting, 2, 2, 1, 2), numbers(0, 2))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_has_not_begun_when_a_block_fails_is_left(error):
    begun = []

    def failing(start, stop):
        begun.append(start)
        if start == 0:
            raise error("no such luck")
        time.sleep(0.01)
        return numbers(start, stop)

    with pytest.raises(error, match="no such luck"):
        threaded_rows(failing, 1000, 2, 1, 1)
    assert len(begun) < 1000
