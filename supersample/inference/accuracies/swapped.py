"""Null distributions of accuracies when the scores of two metrics are swapped.

The swapped scores themselves never appear. A swapped metric's sums are what it keeps plus what its
partner brings (`supersample.engine.swaps`): with totals T and totals over swapped entries H,
metric A under B's swap has ``T_A - H_A + H_B``. (Of a corpus metric neither part is a sum; each is
scored anew, see `supersample.engine.corpus_swaps`.) That serves the sums of differences under every
scheme, the sums of squares under PERM-INPUTS, and the null totals of the Monte-Carlo p-values
under every scheme. Each replicate of each pair of metrics is computed by itself in a fixed order,
so no result depends on the number of threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ndtr

from supersample.inference.accuracies.agreement import TIE
from supersample.inference.accuracies.sign_flip import Convention, check_convention
from supersample.inference.arguments import Floats

_STEPS = 256  # grid points of Phi to a unit
_REACH = 9.0  # Phi(-9) = 1e-19
_PHI = ndtr(np.arange(-_REACH, _REACH + 0.5 / _STEPS, 1.0 / _STEPS))
_DENSITY = np.exp(-0.5 * np.arange(-_REACH, _REACH + 0.5 / _STEPS, 1.0 / _STEPS) ** 2) / np.sqrt(
    2.0 * np.pi
)
_EMPTY = 1e-12  # sums of squares below this share of what was swapped are zero but for rounding


class SwappedAccuracies(NamedTuple):
    """Accuracies of both metrics of each pair after each swap."""

    first: NDArray[np.intp]
    """First metric of each pair, shape (metric pairs,)."""
    second: NDArray[np.intp]
    """Second metric of each pair."""
    soft: Floats
    """SPA of the swapped first (0) and second (1) metric, (2, replicates, metric pairs)."""
    hard: Floats
    """PA, same shape, ties of systems as halves: whole numbers of half pairs over the pairs."""


class InputMoments(NamedTuple):
    """What swapped inputs leave of each metric's paired differences d, and what they bring."""

    magnitudes: Floats
    """Sizes of what is added up in sum d, for ties, (metrics, pairs): sums of |d|."""
    kept: Floats
    """Sum d over the inputs that a resample leaves, (metrics, replicates, pairs)."""
    brought: Floats
    """Sum d over those that it swaps."""
    squares: Floats
    """Sum d^2 over all inputs, (metrics, pairs)."""
    brought_squares: Floats
    """Sum d^2 over the swapped ones, (metrics, replicates, pairs)."""

    @classmethod
    def of(cls, differences: Floats, brought: Floats, brought_squares: Floats) -> "InputMoments":
        """Complete what was summed over the swapped inputs of differences (metrics, pairs, units).

        Examples
        --------
        >>> d = np.array([[[1.0, -3.0]]])
        >>> InputMoments.of(d, d[:, None, :, 0], d[:, None, :, 0] ** 2).kept
        array([[[-3.]]])
        """
        kept = differences.sum(axis=-1)[:, np.newaxis] - brought
        squares = np.square(differences).sum(axis=-1)
        magnitudes = np.abs(differences).sum(axis=-1)
        return cls(magnitudes, kept, brought, squares, brought_squares)


@njit(inline="always", cache=True)
def _normal_cdf(z: float) -> float:
    """Phi(z) by Taylor's series from the nearest of 256 grid points a unit; error below 1e-15."""
    if z <= -_REACH:
        return 0.0
    if z >= _REACH:
        return 1.0
    cell = int((z + _REACH) * _STEPS + 0.5)
    at = cell / _STEPS - _REACH
    h = z - at
    series = 1.0 + h * (
        -0.5 * at + h * ((at * at - 1.0) / 6.0 + h * (3.0 * at - at * at * at) / 24.0)
    )
    return float(_PHI[cell] + _DENSITY[cell] * h * series)


@njit(inline="always", cache=True)
def _soft_and_doubled(
    total: float, square: float, floor: float, slack: float, flat: float
) -> tuple[float, int]:
    """Return the normal p, `flat` without any difference, and twice the rounded preference."""
    doubled = 1
    if total > slack:
        doubled = 0
    elif total < -slack:
        doubled = 2
    if square <= floor:
        return flat, doubled
    return _normal_cdf(-total / np.sqrt(square)), doubled


@njit(cache=True, nogil=True)
def _normal_pair(
    human: Floats,
    human_doubled: NDArray[np.int64],
    sums: Floats,
    squares: Floats,
    floor: Floats,
    slack: Floats,
    flat: float,
) -> tuple[Floats, NDArray[np.int64]]:
    """Return SPA, and disagreements in half pairs, from swapped moments (2, replicates, pairs)."""
    replicates, pairs = sums.shape[1:]
    soft = np.empty((2, replicates))
    half_pairs = np.empty((2, replicates), np.int64)
    for side in range(2):
        for r in range(replicates):
            gap, disagreement = 0.0, 0
            for k in range(pairs):
                p, doubled = _soft_and_doubled(
                    sums[side, r, k], squares[side, r, k], floor[k], slack[k], flat
                )
                gap += abs(human[k] - p)
                disagreement += abs(human_doubled[k] - doubled)
            soft[side, r] = 1.0 - gap / pairs
            half_pairs[side, r] = disagreement
    return soft, half_pairs


@njit(cache=True, nogil=True)
def _normal_input_pair(
    human: Floats,
    human_doubled: NDArray[np.int64],
    slack: Floats,
    kept_sums: Floats,
    brought_sums: Floats,
    squares: Floats,
    brought_squares: Floats,
    flat: float,
    a: int,
    b: int,
) -> tuple[Floats, NDArray[np.int64]]:
    """`_normal_pair` for metrics a and b under PERM-INPUTS, moments formed on the fly."""
    replicates, pairs = kept_sums.shape[1:]
    soft = np.empty((2, replicates))
    half_pairs = np.empty((2, replicates), np.int64)
    for side in range(2):
        metric, partner = (a, b) if side == 0 else (b, a)
        for r in range(replicates):
            gap, disagreement = 0.0, 0
            for k in range(pairs):
                p, doubled = _soft_and_doubled(
                    kept_sums[metric, r, k] + brought_sums[partner, r, k],
                    squares[metric, k]
                    - brought_squares[metric, r, k]
                    + brought_squares[partner, r, k],
                    _EMPTY * (squares[metric, k] + squares[partner, k]),
                    slack[metric, k] + slack[partner, k],
                    flat,
                )
                gap += abs(human[k] - p)
                disagreement += abs(human_doubled[k] - doubled)
            soft[side, r] = 1.0 - gap / pairs
            half_pairs[side, r] = disagreement
    return soft, half_pairs


def _collect(
    metrics: int,
    replicates: int,
    system_pair_count: int,
    threads: int,
    pair_null: Callable[[int, int], tuple[Floats, NDArray[np.int64]]],
) -> SwappedAccuracies:
    """Run `pair_null` over all pairs of metrics on some threads."""
    first, second = np.triu_indices(metrics, 1)
    soft = np.empty((2, replicates, first.size))
    hard = np.empty((2, replicates, first.size))
    with ThreadPoolExecutor(threads) as pool:
        for k, (s, h) in enumerate(pool.map(pair_null, first, second)):
            soft[:, :, k] = s
            hard[:, :, k] = (system_pair_count - 0.5 * h) / system_pair_count
    return SwappedAccuracies(first, second, soft, hard)


def normal_input_swaps(
    human: Floats,
    human_preferences: Floats,
    moments: InputMoments,
    *,
    convention: Convention = "mid",
    threads: int = 1,
) -> SwappedAccuracies:
    """PA and SPA (normal p-values) of all pairs of metrics under PERM-INPUTS.

    Parameters
    ----------
    human : ndarray, shape (pairs,)
        Human p-values of the system pairs.
    human_preferences : ndarray, shape (pairs,)
        Rounded human preferences, 0, 0.5 or 1.
    moments : InputMoments
        Of the standardised metrics' paired differences.
    convention : {"mid", "at_least"}
        Of the p-values: 0.5 or 1 for two systems without any difference.
    threads : int
        Threads to use; the results do not depend on it.

    Returns
    -------
    SwappedAccuracies

    References
    ----------
    Deutsch, Dror and Roth (2021); Thompson et al. (2024), section 4.4.
    """
    slack = TIE * moments.magnitudes
    kept, brought, squares, brought_squares = map(np.ascontiguousarray, moments[1:])
    doubled = np.rint(2 * human_preferences).astype(np.int64)
    check_convention(convention)
    flat = 0.5 if convention == "mid" else 1.0

    def pair_null(a: int, b: int) -> tuple[Floats, NDArray[np.int64]]:
        soft, half_pairs = _normal_input_pair(
            human, doubled, slack, kept, brought, squares, brought_squares, flat, a, b
        )
        return soft, half_pairs

    metrics, replicates, pairs = moments.kept.shape
    return _collect(metrics, replicates, pairs, threads, pair_null)


def normal_swaps(
    human: Floats,
    human_preferences: Floats,
    differences: Floats,
    moments: Callable[[int, int], tuple[Floats, Floats]],
    *,
    replicates: int,
    convention: Convention = "mid",
    threads: int = 1,
) -> SwappedAccuracies:
    """PA and SPA (normal p-values) of all pairs of metrics under any scheme.

    Parameters
    ----------
    human, human_preferences, differences, convention, threads
        As in `normal_input_swaps`.
    moments : callable
        From the numbers of two metrics to the sums of differences and of squared differences
        after each swap, each of shape (2, replicates, pairs), as
        `supersample.engine.swaps.swapped_moments` gives them.
    replicates : int
        Number of these resamples.

    Returns
    -------
    SwappedAccuracies
    """
    squares = np.square(differences).sum(axis=-1)
    slack = TIE * np.abs(differences).sum(axis=-1)
    doubled = np.rint(2 * human_preferences).astype(np.int64)
    check_convention(convention)
    flat = 0.5 if convention == "mid" else 1.0

    def pair_null(a: int, b: int) -> tuple[Floats, NDArray[np.int64]]:
        sums, squared = moments(a, b)
        floor = _EMPTY * (squares[a] + squares[b])
        soft, half_pairs = _normal_pair(
            human, doubled, sums, squared, floor, slack[a] + slack[b], flat
        )
        return soft, half_pairs

    metrics, pairs, _ = differences.shape
    return _collect(metrics, replicates, pairs, threads, pair_null)
