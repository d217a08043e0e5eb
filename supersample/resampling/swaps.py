"""Null differences of metrics that swap whole units, where a measure is a finish of sums.

A metric's values of each unit are summed over all units (T) and over the swapped units of each draw
(H). Swapping metrics A and B leaves ``T_A - H_A + H_B`` to A and ``T_B - H_B + H_A`` to B, so that
one row of sums a metric serves all of its pairs (Deutsch, Dror and Roth 2021).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.engine.masked_sums import masked_sums

Finish = Callable[[Floats], Floats]
"""From sums (draws, columns) to the measure's value after each draw."""


def swapped_sums(words: NDArray[np.uint64], values: Floats) -> Floats:
    """Sum values (units, columns) over all units, then over those of each draw.

    Words are packed coins of the units, (draws, words); the result is (1 + draws, columns).
    """
    rows = np.ascontiguousarray(values)
    return np.concatenate([rows.sum(axis=0, keepdims=True), masked_sums(words, rows)])


def null_values(first: Floats, second: Floats, finish: Finish) -> tuple[Floats, Floats]:
    """Values of two metrics after each swap, from their rows of `swapped_sums`."""
    one, other = (a[:1] - a[1:] + b[1:] for a, b in ((first, second), (second, first)))
    left, right = np.split(finish(np.concatenate([one, other])), 2)
    return left, right
