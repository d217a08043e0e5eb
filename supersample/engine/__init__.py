"""Additive statistics, random streams, designs and kernels, on arrays alone."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
