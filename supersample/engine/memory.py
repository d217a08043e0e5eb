"""Room for arrays whose pages the system hands out quickly."""

import math
import mmap

import numpy as np
from numpy.typing import NDArray

_HUGE_PAGE = 2 << 20  # bytes
_SMALL = 1 << 18  # bytes, below which ordinary memory does


def room(*shape: int) -> NDArray[np.float64]:
    """Doubles of a shape, all zero, in huge pages where the system has them.

    The first touch of memory can cost more than all that a small sample computes on it: about 1 us
    for each page of 4 KiB, but about 30 us for a huge page of 2 MiB.

    Examples
    --------
    >>> room(3, 2).shape
    (3, 2)
    """
    size = math.prod(shape)
    count = size * np.float64().nbytes
    if count < _SMALL or not hasattr(mmap, "MADV_HUGEPAGE"):
        return np.zeros(shape)
    rounded = -(-count // _HUGE_PAGE) * _HUGE_PAGE
    pages = mmap.mmap(-1, rounded, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, np.float64, size).reshape(shape)
