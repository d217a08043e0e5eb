"""p-values of system pairs by sign flips of paired differences (paired permutation test).

The null hypothesis is that two systems are equally good. Then exchanging their outputs on a unit (a
segment, document or window) changes nothing, so the sum of paired differences ``sum_l d_l`` has the
distribution of ``sum_l s_l d_l`` with fair independent signs. p is small if system i is better,
large if j is better, and near 0.5 if neither shows.

Two conventions, by name:

- ``mid`` (default): P(null > observed) + P(null = observed) / 2. Then p_ij + p_ji = 1, identical
  systems get 0.5, and the order of the systems does not matter.
- ``at_least``: P(null >= observed), as in Thompson et al. (2024, section 3.2). On tied data
  p_ij + p_ji > 1, so results over pairs i < j depend on the order of the systems.

`normal_p_values` is the limit for many units; `supersample.inference.accuracies.accuracy` draws
random permutations.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from supersample.errors import InputError, check_choice
from supersample.inference.arguments import SUM_TIE, Floats

Convention = Literal["mid", "at_least"]


def check_convention(convention: str) -> None:
    """Raise InputError for a convention that does not exist."""
    check_choice("p-value convention", convention, get_args(Convention))


def system_pairs(systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the systems i < j of every pair, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    if systems < 2:
        raise InputError(f"comparing systems needs at least two systems, not {systems}")
    return np.triu_indices(systems, 1)


def pair_differences(values: ArrayLike) -> Floats:
    """Paired differences x_i - x_j of every pair of systems, in the order of `system_pairs`.

    Finite scores (..., systems, units) give (..., pairs, units). Differences below `SUM_TIE` times
    the scorer's largest |score| become exact zeros: 25.200000000000003 and 25.2 are the same
    score.

    Examples
    --------
    >>> pair_differences([[1.0, 25.200000000000003], [0.0, 25.2]])
    array([[1., 0.]])
    """
    x = np.asarray(values, dtype=np.float64)
    if not np.isfinite(x).all():
        raise InputError("paired differences need finite scores; drop or mask missing ones first")
    if x.shape[-1] == 0:
        raise InputError("paired differences need at least one unit")
    i, j = system_pairs(x.shape[-2])
    differences: Floats = x[..., i, :] - x[..., j, :]
    largest = np.abs(x).max(axis=(-2, -1), keepdims=True)
    differences[np.abs(differences) <= SUM_TIE * largest] = 0.0
    return differences


def normal_p_values_of_moments(
    sums: ArrayLike, squares: ArrayLike, *, convention: Convention = "mid"
) -> Floats:
    """Sign-flip p-values in the limit of many units, from sum d and sum d^2.

    The null sum has mean 0 and variance sum d^2 exactly, and is asymptotically normal, so ``p =
    Phi(-sum d / sqrt(sum d^2))``. Conventions differ only if every difference is zero, so that the
    null sum always equals the observed one: "mid" gives 0.5, "at_least" 1.

    Examples
    --------
    >>> normal_p_values_of_moments([0.0, 1.96, 0.0], [4.0, 1.0, 0.0]).round(3)
    array([0.5  , 0.025, 0.5  ])
    """
    check_convention(convention)
    total, square = np.broadcast_arrays(
        np.asarray(sums, dtype=np.float64), np.asarray(squares, dtype=np.float64)
    )
    flat = square <= 0.0
    p = ndtr(-total / np.sqrt(np.where(flat, 1.0, square)))
    return np.where(flat, 0.5 if convention == "mid" else 1.0, p)


def normal_p_values(differences: ArrayLike, *, convention: Convention = "mid") -> Floats:
    """Compute `normal_p_values_of_moments` for finite paired differences, shape (..., units).

    Examples
    --------
    >>> float(normal_p_values([1.0, -1.0, 1.0, -1.0]))
    0.5
    """
    d = np.asarray(differences, dtype=np.float64)
    sums, squares = d.sum(axis=-1), np.square(d).sum(axis=-1)
    return normal_p_values_of_moments(sums, squares, convention=convention)
