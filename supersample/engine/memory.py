"""Room for arrays whose pages the system hands out quickly."""

import math

import numpy as np
from numpy.typing import NDArray

_HUGE = 1 << 19  # doubles: from 4 MiB on NumPy asks the system for huge pages


def room(*shape: int) -> NDArray[np.float64]:
    """Doubles of a shape, not yet set, in huge pages where the system has them.

    The first touch of a page costs more than all that a small sample computes on it: about 1 us for
    each 4 KiB, but about 30 us for a huge page of 2 MiB. What is asked for beyond the shape is
    never touched.

    Examples
    --------
    >>> room(3, 2).shape
    (3, 2)
    """
    size = math.prod(shape)
    return np.empty(max(size, _HUGE))[:size].reshape(shape)
