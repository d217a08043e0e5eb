"""What tests and intervals return."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class HypothesisTest(NamedTuple):
    """A test statistic and its p-value, both of the broadcast shape of the inputs."""

    statistic: NDArray[np.float64]
    p_value: NDArray[np.float64]


class Interval(NamedTuple):
    """Lower and upper confidence limits, both of the broadcast shape of the inputs."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
