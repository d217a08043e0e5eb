"""Null distributions of accuracies when the scores of two metrics are swapped.

The swapped scores are never formed. The sums of a swapped metric are the part it keeps plus its
partner's part (`supersample.engine.swaps`): with totals T and totals over swapped entries H, metric
A has ``T_A - H_A + H_B`` after a swap with B. (The parts of a corpus metric are not sums; each is
scored again, see `supersample.engine.swaps`.) This works for the sums of differences under
every scheme, for the sums of squares under PERM-INPUTS, and for the null totals of Monte-Carlo
p-values under every scheme. Each replicate of each pair of metrics is computed separately in a
fixed order, so results do not depend on workers.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import ndtr

from supersample.inference.accuracies.sign_flip import Convention, check_convention
from supersample.inference.arguments import SUM_TIE, Floats, Map

_STEPS = 256  # grid points of Phi to a unit
_REACH = 9.0  # Phi(-9) = 1e-19
_GRID = np.arange(-_REACH, _REACH + 0.5 / _STEPS, 1.0 / _STEPS)
_PHI = np.where(_GRID > -_REACH, ndtr(_GRID), 0.0)
_DENSITY = np.exp(-0.5 * _GRID**2) / np.sqrt(2.0 * np.pi)
_TOGETHER = 8  # pairs of metrics whose mixed differences fill a row of the kernel

Moments = Callable[[NDArray[np.intp], NDArray[np.intp]], Iterable[tuple[Floats, Floats]]]
"""Maps the numbers of the first and second metrics of pairs to the sums of differences and of
squared differences of each pair after each swap, shape (2, replicates, pairs)."""


class SwappedAccuracies(NamedTuple):
    """Accuracies of both metrics of each pair after each swap."""

    first: NDArray[np.intp]
    """First metric of each pair, shape (metric pairs,)."""
    second: NDArray[np.intp]
    """Second metric of each pair."""
    soft: Floats
    """SPA of the swapped first (0) and second (1) metric, (2, replicates, metric pairs)."""
    hard: Floats
    """PA, same shape; ties of systems count one half."""


class Sizes(NamedTuple):
    """Magnitudes of a metric's sums of paired differences d, (metrics, pairs)."""

    magnitudes: Floats
    """Sums of |d|, for ties."""
    squares: Floats
    """Sums of d^2."""

    @classmethod
    def of(cls, differences: Floats) -> "Sizes":
        """Sum differences (metrics, pairs, units) over units."""
        return cls(np.abs(differences).sum(axis=-1), np.square(differences).sum(axis=-1))


class InputMoments(NamedTuple):
    """Kept and swapped parts of the moments of each metric's paired differences d."""

    magnitudes: Floats
    """Sums of |d|, for ties, (metrics, pairs)."""
    kept: Floats
    """Sums of d over the inputs that a resample keeps, (metrics, replicates, pairs)."""
    brought: Floats
    """Sums of d over the swapped inputs."""
    squares: Floats
    """Sums of d^2 over all inputs, (metrics, pairs)."""
    brought_squares: Floats
    """Sums of d^2 over the swapped inputs, (metrics, replicates, pairs)."""

    @classmethod
    def of(cls, differences: Floats, brought: Floats, brought_squares: Floats) -> "InputMoments":
        """Complete sums over the swapped inputs of differences (..., pairs, units).

        Examples
        --------
        >>> d = np.array([[[1.0, -3.0]]])
        >>> InputMoments.of(d, d[:, None, :, 0], d[:, None, :, 0] ** 2).kept
        array([[[-3.]]])
        """
        kept = differences.sum(axis=-1)[..., np.newaxis, :] - brought
        magnitudes, squares = Sizes.of(differences)
        moments = cls(magnitudes, kept, brought, squares, brought_squares)
        return cls(*map(np.ascontiguousarray, moments))

    @property
    def sizes(self) -> Sizes:
        """Magnitudes of the sums over all inputs."""
        return Sizes(self.magnitudes, self.squares)

    def swapped(
        self, first: NDArray[np.intp], second: NDArray[np.intp]
    ) -> Iterator[tuple[Floats, Floats]]:
        """Compute the moments of pairs of metrics (see `Moments`), in reused memory."""
        sums = self.kept, self.brought, self.squares, self.brought_squares
        out = np.empty((2, 2, *self.kept.shape[1:]))
        for a, b in zip(first, second, strict=True):
            _fill_input_moments(*sums, a, b, out)
            yield out[0], out[1]


@njit(inline="always", cache=True)
def _normal_cdf(z: float) -> float:
    """Phi(z) by Taylor's series from the nearest of 256 grid points a unit; error below 1e-15."""
    z = min(max(z, -_REACH), _REACH)
    cell = np.int32((z + _REACH) * _STEPS + 0.5)  # of 32 bits, so that a loop becomes vectors
    at = cell / _STEPS - _REACH
    h = z - at
    series = 1.0 + h * (
        -0.5 * at + h * ((at * at - 1.0) / 6.0 + h * (3.0 * at - at * at * at) / 24.0)
    )
    return float(_PHI[np.uint32(cell)] + _DENSITY[np.uint32(cell)] * h * series)


@njit(cache=True, nogil=True, error_model="numpy")
def _normal_pair(
    human: Floats,
    human_doubled: NDArray[np.int64],
    sums: Floats,
    squares: Floats,
    floor: Floats,
    slack: Floats,
    flat: float,
) -> tuple[Floats, NDArray[np.int64]]:
    """Return SPA, and disagreements in half pairs, from swapped moments (2, replicates, pairs).

    p is `flat` without any difference; rounded preferences are doubled, so they are whole numbers.
    A second loop adds the terms of a replicate in their order, so that the first loop can be
    vectorised, which halves the time.
    """
    replicates, pairs = sums.shape[1:]
    soft = np.empty((2, replicates))
    half_pairs = np.empty((2, replicates), np.int64)
    gaps, apart = np.empty(pairs), np.empty(pairs, np.int64)
    for side in range(2):
        for r in range(replicates):
            for k in range(pairs):
                total, square = sums[side, r, k], squares[side, r, k]
                doubled = 0 if total > slack[k] else 2 if total < -slack[k] else 1
                apart[k] = abs(human_doubled[k] - doubled)
                empty = square <= floor[k]
                p = _normal_cdf(-total / np.sqrt(1.0 if empty else square))
                gaps[k] = abs(human[k] - (flat if empty else p))
            gap, disagreement = 0.0, 0
            for k in range(pairs):
                gap += gaps[k]
                disagreement += apart[k]
            soft[side, r] = 1.0 - gap / pairs
            half_pairs[side, r] = disagreement
    return soft, half_pairs


@njit(cache=True, nogil=True)
def _fill_input_moments(
    kept: Floats,
    brought: Floats,
    squares: Floats,
    brought_squares: Floats,
    a: int,
    b: int,
    out: Floats,
) -> None:
    """Form the swapped moments (2, replicates, pairs) of metrics a and b from `InputMoments`."""
    for side in range(2):
        metric, partner = (a, b) if side == 0 else (b, a)
        for r in range(kept.shape[1]):
            for k in range(kept.shape[2]):
                out[0, side, r, k] = kept[metric, r, k] + brought[partner, r, k]
                out[1, side, r, k] = (
                    squares[metric, k]
                    - brought_squares[metric, r, k]
                    + brought_squares[partner, r, k]
                )


def normal_swaps(
    human: Floats,
    human_preferences: Floats,
    sizes: Sizes,
    moments: Moments,
    *,
    replicates: int,
    convention: Convention = "mid",
    mapped: Map = map,
) -> SwappedAccuracies:
    """Compute PA and SPA (normal p-values) of all pairs of metrics after swaps, for any scheme.

    Parameters
    ----------
    human : ndarray, shape (pairs,)
        Human p-values of the system pairs.
    human_preferences : ndarray, shape (pairs,)
        Rounded human preferences, 0, 0.5 or 1.
    sizes : Sizes
        Magnitudes of the standardised metrics' paired differences.
    moments : callable
        Gives moments after each swap: `InputMoments.swapped`, or from `supersample.engine.swaps`.
    replicates : int
        Number of swaps.
    convention : {"mid", "at_least"}
        Convention of p-values: 0.5 or 1 for two systems without any difference.
    mapped : callable
        The built-in `map`, or the map of workers, which take some pairs of metrics at a time; the
        results do not depend on it.

    References
    ----------
    Deutsch, Dror and Roth (2021); Thompson et al. (2024), section 4.4.
    """
    check_convention(convention)
    flat = 0.5 if convention == "mid" else 1.0
    doubled = np.rint(2 * human_preferences).astype(np.int64)
    first, second = np.triu_indices(len(sizes.squares), 1)
    soft, hard = np.empty((2, 2, replicates, first.size))
    parts = [slice(start, start + _TOGETHER) for start in range(0, first.size, _TOGETHER)]
    task = partial(_swap_pairs, human, doubled, sizes, moments, flat)
    found = mapped(task, [(first[part], second[part]) for part in parts])
    for part, (of_part, half_pairs) in zip(parts, found, strict=True):
        soft[:, :, part] = of_part
        hard[:, :, part] = (human.size - 0.5 * half_pairs) / human.size
    return SwappedAccuracies(first, second, soft, hard)


def _swap_pairs(
    human: Floats,
    doubled: NDArray[np.int64],
    sizes: Sizes,
    moments: Moments,
    flat: float,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> tuple[Floats, NDArray[np.int64]]:
    """SPA and disagreements in half pairs of some pairs of metrics, as `_normal_pair`."""
    slack, squares = SUM_TIE * sizes.magnitudes, sizes.squares
    found = [
        _normal_pair(
            human, doubled, *swapped, SUM_TIE * (squares[a] + squares[b]), slack[a] + slack[b], flat
        )
        for a, b, swapped in zip(*pairs, moments(*pairs), strict=True)
    ]
    soft, half_pairs = zip(*found, strict=True)
    return np.stack(soft, axis=-1), np.stack(half_pairs, axis=-1)
