"""Sign masks as plain numbers, unpacked from the coins that the engine draws."""

import numpy as np

from supersample.engine.streams import unpack_coins
from supersample.engine.swaps import permutation_words


def sign_masks(units, *, seed, replicates):
    """Signs of +1 and -1, shape (replicates, units)."""
    words = permutation_words(units, seed=seed, replicates=replicates)
    return 2 * unpack_coins(words, units).astype(np.int8) - 1
