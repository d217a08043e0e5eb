"""Random bits and numbers as pure functions of (seed, purpose, replicate, position).

A counter-based SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
generators", OOPSLA; finalizer `mix13` of Stafford): word w of replicate i is
``mix(key + (i * 2**20 + w) * gamma)`` with ``gamma`` odd, so that within one key no two
(replicate, word) share a counter. Nothing is drawn in sequence, so no number depends on how the
replicates are cut into blocks, on threads or on how many replicates there are.
"""

import hashlib

import numpy as np
from numba import njit
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import InputError

GAMMA = np.uint64(0x9E3779B97F4A7C15)
WORDS_LOG2 = np.uint64(20)  # words of 64 bits reserved for each replicate
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53


def stream_key(seed: int, purpose: str) -> np.uint64:
    """Key of the stream that `seed` gives to `purpose`: the first eight bytes of BLAKE2b of both.

    A seed is any integer from 0 to 2**64 - 1. Streams of different purposes are unrelated.

    Examples
    --------
    >>> stream_key(0, "mask") == stream_key(1, "mask")
    np.False_
    """
    if not 0 <= seed < 2**64:
        raise InputError(f"a seed is an integer from 0 to 2**64 - 1, not {seed}")
    digest = hashlib.blake2b(f"supersample:{purpose}:{seed}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


@njit(inline="always", cache=True)
def word(key: np.uint64, replicate: np.uint64, position: np.uint64) -> np.uint64:
    """64 random bits: word `position` (below 2**20) of `replicate` in the stream of `key`."""
    z = key + ((replicate << WORDS_LOG2) + position) * GAMMA
    z = (z ^ (z >> _S30)) * _MULTIPLIER_1
    z = (z ^ (z >> _S27)) * _MULTIPLIER_2
    return z ^ (z >> _S31)


@njit(cache=True, nogil=True)
def uniforms(key: np.uint64, replicates: NDArray[np.uint64], count: int) -> Floats:
    """Uniform numbers in [0, 1) of 53 bits, shape (replicates, count), keyed by replicate.

    Replicate numbers are below 2**44, in any order; the count is at most 2**20.
    """
    out = np.empty((replicates.size, count))
    for i in range(replicates.size):
        for position in range(count):
            bits = word(key, replicates[i], np.uint64(position))
            out[i, position] = np.float64(bits >> _S11) * _UNIT
    return out
