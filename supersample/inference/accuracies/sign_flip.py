"""p-values of system pairs from paired differences, by the sign-flip null.

Under the null hypothesis that two systems are equally good, exchanging their outputs on a unit (a
segment, document or window) changes nothing, so the sum of paired differences ``sum_l d_l`` is
distributed as ``sum_l s_l d_l`` with fair independent signs. p is small where system i is the
better one, large where j is, near 0.5 where neither shows.

Two conventions, by name:

- ``mid`` (default): P(null > observed) + P(null = observed) / 2. Then p_ij + p_ji = 1, identical
  systems get 0.5, and the order of the systems does not matter.
- ``at_least``: P(null >= observed), as in Thompson et al. (2024, section 3.2). On tied data
  p_ij + p_ji > 1, so that results over pairs i < j depend on the order of the systems.

And three routes: `normal_p_values` (the limit for many units), `exact_p_values`, and
`supersample.inference.accuracies.monte_carlo` (drawn permutations).
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from supersample.errors import InputError, check_choice
from supersample.inference.accuracies.sign_flip_exact import sign_flip_tails
from supersample.inference.arguments import Floats

Convention = Literal["mid", "at_least"]
NOISE = 1e-12  # differences below this share of the largest |score| are floating-point noise


def check_convention(convention: str) -> None:
    """Raise InputError for a convention that does not exist."""
    check_choice("p-value convention", convention, get_args(Convention))


def system_pairs(systems: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the systems i < j of every pair, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    if systems < 2:
        raise InputError(f"comparing systems takes at least two of them, not {systems}")
    return np.triu_indices(systems, 1)


def pair_differences(values: ArrayLike) -> Floats:
    """Paired differences x_i - x_j of every pair of systems, in the order of `system_pairs`.

    Finite scores of shape (..., systems, units) give (..., pairs, units). Differences below `NOISE`
    times the scorer's largest |score| are exact zeros: 25.200000000000003 and 25.2 are the same
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
    differences[np.abs(differences) <= NOISE * largest] = 0.0
    return differences


def normal_p_values_of_moments(
    sums: ArrayLike, squares: ArrayLike, *, convention: Convention = "mid"
) -> Floats:
    """Sign-flip p-values in the limit of many units, from sum d and sum d^2.

    The null sum has mean 0 and variance sum d^2 exactly; its distribution tends to the normal, so
    ``p = Phi(-sum d / sqrt(sum d^2))``. Conventions differ only where every difference is zero, and
    the null sum always equals the observed one: "mid" gives 0.5, "at_least" 1.

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
    """`normal_p_values_of_moments` of finite paired differences, shape (..., units).

    Examples
    --------
    >>> float(normal_p_values([1.0, -1.0, 1.0, -1.0]))
    0.5
    """
    d = np.asarray(differences, dtype=np.float64)
    sums, squares = d.sum(axis=-1), np.square(d).sum(axis=-1)
    return normal_p_values_of_moments(sums, squares, convention=convention)


def exact_p_values(differences: ArrayLike, *, convention: Convention = "mid") -> Floats:
    """Sign-flip p-values of finite paired differences, shape (..., units), not in the limit.

    Enumeration for few differences, convolution on a lattice, inversion of the characteristic
    function ``prod_l cos(d_l t)`` otherwise: see
    `supersample.inference.accuracies.sign_flip_exact` for which is taken when, and
    `sign_flip_tails` for the route and the error of each p-value. Exact to about 1e-9, unless the
    differences are nearly, but not quite, on a lattice (see
    `supersample.inference.accuracies.inversion`); not random, hence no seed.

    References
    ----------
    Fisher (1935); Gil-Pelaez (1951); Davies (1973); Thompson et al. (2024), section 3.2.

    Examples
    --------
    >>> d = [1.0, -1.0, 2.0]
    >>> float(exact_p_values(d)), float(exact_p_values(d, convention="at_least"))
    (0.25, 0.375)
    """
    check_convention(convention)
    tails = sign_flip_tails(np.asarray(differences, dtype=np.float64))
    p = tails.above + (0.5 if convention == "mid" else 1.0) * tails.equal
    return np.minimum(p, 1.0)  # the sum of many probabilities may pass 1 by a rounding error
