"""Hybrids of all systems.

Unit l of replicate i comes from system ``(u k) >> 32``, where u is half of word ``l // 2`` of the
replicate's stream: the low half for even units, the high half for odd units. The bias is at most
k / 2**32, far too small to measure. Units are added in order.
"""

from dataclasses import dataclass
from typing import get_args

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine.designs.base import Components, Design, Draw, Unit
from supersample.engine.streams import stream_key, word
from supersample.errors import check_choice

_ONE = np.uint64(1)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True)
class MixHybrids(Design):
    """Hybrids of all systems: each unit comes from any system with equal probability.

    Parameters
    ----------
    unit : {"segment", "document"}, default "segment"
        The unit that comes from one system as a whole.

    Raises
    ------
    InputError
        If the unit is unknown.
    """

    unit: Unit = "segment"

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, get_args(Unit))

    def origins(self, draw: Draw) -> NDArray[np.int64]:
        """As `Design.origins`: any of the systems."""
        return _chosen_systems(
            stream_key(draw.seed, "mix"), draw.replicates, draw.systems, draw.units
        )

    def components(self, systems: int) -> Components:
        """One component, in which all systems are equally likely."""
        return Components(np.ones(1), np.full((1, systems), 1.0 / systems))


@njit(cache=True, nogil=True)
def _chosen_systems(
    key: np.uint64, replicates: NDArray[np.uint64], systems: int, units: int
) -> NDArray[np.int64]:
    """Systems of all units of each replicate, shape (replicates, units)."""
    out = np.empty((replicates.size, units), np.int64)
    for r in range(replicates.size):
        for unit in range(units):
            bits = word(key, replicates[r], np.uint64(unit // 2))
            half = (bits >> _HALF) if np.uint64(unit) & _ONE else (bits & _LOW)
            out[r, unit] = np.int64((half * np.uint64(systems)) >> _HALF)
    return out
