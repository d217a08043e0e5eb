"""Designs: what a replicate is, and its realisation from (seed, replicate number) alone."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersample.engine.bits import SHARE_BITS
from supersample.engine.streams import stream_key, uniforms
from supersample.errors import InputError


@dataclass(frozen=True)
class PairHybrids:
    """Hybrids of two systems: each unit comes from either (Graham and Liu 2016, section 3.1).

    Parameters
    ----------
    pairs : {"balanced", "random"}, default "balanced"
        Pairs in rotation, so that every pair is used equally often, or drawn at random.
    share : float or "uniform", default 0.5
        Probability that a unit comes from one of the two; the same for every hybrid, or drawn
        uniformly for each. Which of the two it is alternates (balanced) or is drawn (random), so
        the order of the systems does not matter. Resolved to 2**-32.
    unit : {"segment", "document"}, default "segment"
        What is taken whole from one of the two systems.

    Raises
    ------
    InputError
        If an option is unknown or the share is not between 0 and 1, both excluded.
    """

    pairs: Literal["balanced", "random"] = "balanced"
    share: float | Literal["uniform"] = 0.5
    unit: Literal["segment", "document"] = "segment"

    def __post_init__(self) -> None:
        if self.pairs not in ("balanced", "random"):
            raise InputError(f"pairs are 'balanced' or 'random', not {self.pairs!r}")
        _check_unit(self.unit)
        if isinstance(self.share, str):
            if self.share != "uniform":
                raise InputError(f"the share is a number or 'uniform', not {self.share!r}")
        elif not 2.0**-SHARE_BITS <= self.share < 1:
            raise InputError(f"the share lies between 0 and 1, both excluded, not {self.share}")


@dataclass(frozen=True)
class MixHybrids:
    """Hybrids of all systems: each unit comes from any of them, all equally likely.

    Parameters
    ----------
    unit : {"segment", "document"}, default "segment"
        What is taken whole from one system.

    Raises
    ------
    InputError
        If the unit is unknown.
    """

    unit: Literal["segment", "document"] = "segment"

    def __post_init__(self) -> None:
        _check_unit(self.unit)


Design = PairHybrids | MixHybrids


def _check_unit(unit: str) -> None:
    if unit not in ("segment", "document"):
        raise InputError(f"the unit is 'segment' or 'document', not {unit!r}")


class PairDraw(NamedTuple):
    """Realised hybrids: one entry for each replicate."""

    first: NDArray[np.int64]
    """System that a 1 bit takes a unit from."""
    second: NDArray[np.int64]
    """System that a 0 bit takes a unit from."""
    thresholds: NDArray[np.uint64]
    """Share of the first system in units of 2**-32."""


def number_of_pairs(systems: int) -> int:
    """Unordered pairs of distinct systems."""
    return systems * (systems - 1) // 2


def draw_pairs(
    design: PairHybrids, seed: int, replicates: NDArray[np.uint64], systems: int
) -> PairDraw:
    """Pair and share of each replicate, each a function of (seed, replicate number) alone.

    Parameters
    ----------
    design : PairHybrids
    seed : int
    replicates : ndarray of uint64, shape (replicates,)
        Replicate numbers in any order.
    systems : int
        At least 2.

    Examples
    --------
    >>> draw = draw_pairs(PairHybrids(), 0, np.arange(4, dtype=np.uint64), systems=3)
    >>> draw.first, draw.second
    (array([0, 0, 1, 0]), array([1, 2, 2, 1]))
    """
    firsts, seconds = np.triu_indices(systems, 1)
    count = np.uint64(firsts.size)
    if design.pairs == "balanced":
        pair = (replicates % count).astype(np.int64)
        swapped = (replicates // count) % np.uint64(2) == 1
    else:
        drawn = uniforms(stream_key(seed, "pair"), replicates, 2)
        pair = (drawn[:, 0] * firsts.size).astype(np.int64)
        swapped = drawn[:, 1] < 0.5
    if isinstance(design.share, str):
        share = uniforms(stream_key(seed, "share"), replicates, 1)[:, 0]
    else:
        share = np.where(swapped, 1.0 - design.share, design.share)
    thresholds = np.floor(share * 2.0**SHARE_BITS).astype(np.uint64)
    return PairDraw(firsts[pair], seconds[pair], thresholds)
