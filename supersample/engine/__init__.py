"""Additive statistics, random streams, designs and kernels for arrays."""

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError

if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    raise InputError(
        "NUMBA_DISABLE_JIT is set, and the loops here only run compiled; unset it (or set it to 0)"
    )

Floats = NDArray[np.float64]
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""The built-in `map`, or the map of workers (`Client.map`), for functions that can be pickled."""
