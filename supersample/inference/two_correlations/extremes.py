"""Extremes of a difference of two r on an ellipse of both z."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.inference.arguments import Floats

_NODES = np.concatenate([[0.0], np.arctan(np.geomspace(1e-6, 1e6, 161)), [np.pi / 2]])
"""Points between which the maxima of an arc are sought, if it may have several."""
_NEAR, _MOST_STEPS = 1e-7, 90
"""Where a maximum is, to this share: its height is then exact to rounding."""


def largest_difference(total: Floats, apart: Floats, reach: Floats, arm: Floats) -> Floats:
    """Find the largest ``tanh x_a - tanh x_b`` for sums and differences of both x in an ellipse.

    With S = x_a + x_b and D = x_a - x_b it is ``2 sinh D / (cosh S + cosh D)``, which grows with D.
    So it is largest on an arc of `_Arc`. If D can be positive, a smaller |S| makes it larger, and
    it has one maximum, because where it is positive its level sets are convex. Otherwise a larger
    |S| makes it larger, and it may have two: the first and the last one are found.

    Parameters
    ----------
    total : ndarray
        S at the centre, at least 0; a sum of the other sign has the same differences.
    apart : ndarray
        D at the centre.
    reach, arm : ndarray
        Half axes of the ellipse along S and D, at least 0.
    """
    given = np.broadcast_arrays(total, apart, reach, arm)
    every = _Arc(*(np.ravel(x) for x in given))
    with np.errstate(divide="ignore", invalid="ignore"):
        crossed = np.arcsin(np.clip(np.nan_to_num(every.total / every.reach, nan=1.0), 0.0, 1.0))
        equal = np.arccos(np.clip(np.nan_to_num(-every.apart / every.arm, nan=-1.0), -1.0, 1.0))
    low, high = np.zeros(equal.shape), np.minimum(np.minimum(crossed, equal), np.pi / 2)
    behind = np.flatnonzero(every.apart + every.arm <= 0)
    few = every.at(behind)
    turns = few.slope(_NODES[:-1, np.newaxis]) > 0
    turns &= few.slope(_NODES[1:, np.newaxis]) <= 0
    first, last = turns.argmax(axis=0), len(turns) - 1 - turns[::-1].argmax(axis=0)
    low[behind], high[behind] = _NODES[first], _NODES[first + 1]
    found = np.fmax(every.difference(0.0), every.difference(every.summit(low, high)))
    others = first != last
    again = few.at(others)
    summit = again.summit(_NODES[last[others]], _NODES[last[others] + 1])
    found[behind[others]] = np.fmax(found[behind[others]], again.difference(summit))
    return found.reshape(given[0].shape)


class _Arc(NamedTuple):
    """Part of an ellipse: S = total -+ reach sin q, D = apart + arm cos q, q from 0 to pi / 2.

    S falls along the arc if D can be positive, and grows otherwise.
    """

    total: Floats
    apart: Floats
    reach: Floats
    arm: Floats

    def at(self, which: NDArray[Any]) -> "_Arc":
        """Select some arcs."""
        return _Arc(*(x[which] for x in self))

    def point(self, q: ArrayLike) -> tuple[Floats, Floats]:
        """S and D at q."""
        turn = np.where(self.apart + self.arm > 0, -1.0, 1.0)
        return self.total + turn * self.reach * np.sin(q), self.apart + self.arm * np.cos(q)

    def difference(self, q: ArrayLike) -> Floats:
        """``tanh x_a - tanh x_b`` at q, of the sign of D however small, without overflow."""
        total, apart = self.point(q)
        first, second, size = np.abs(total + apart), np.abs(total - apart), np.abs(apart)
        scale = np.exp(size - (first + second) / 2) * -np.expm1(-2.0 * size)
        cosh = (1.0 + np.exp(-first)) * (1.0 + np.exp(-second))
        return np.asarray(np.sign(apart) * 2.0 * scale / cosh)

    def slope(self, q: ArrayLike) -> Floats:
        """Have the sign of the derivative of the difference by q."""
        s, d = (np.tanh(x) for x in self.point(q))
        turn = np.where(self.apart + self.arm > 0, 1.0, -1.0)
        flat = 1.0 + np.sqrt((1.0 - s * s) * (1.0 - d * d))
        return np.asarray(turn * self.reach * np.cos(q) * s * d - self.arm * np.sin(q) * flat)

    def summit(self, low: Floats, high: Floats) -> Floats:
        """Find q between `low` and `high` where the slope turns from above 0 to below."""
        at_low, at_high = self.slope(low), self.slope(high)
        q = low
        for step in range(_MOST_STEPS):
            far = high - low > _NEAR * high  # the others stay, so no arc depends on others
            if not far.any():
                break
            with np.errstate(invalid="ignore", divide="ignore"):
                secant = low + (high - low) * at_low / (at_low - at_high)
            use = (secant > low) & (secant < high) & (step % 3 < 2)
            q = np.where(far, np.where(use, secant, (low + high) / 2), q)
            value = self.slope(q)
            rises, falls = far & (value > 0), far & (value <= 0)
            # the value of the end that stays counts half, so that it moves too (Illinois method)
            at_low = np.where(rises, value, np.where(falls, at_low / 2, at_low))
            at_high = np.where(falls, value, np.where(rises, at_high / 2, at_high))
            low, high = np.where(rises, q, low), np.where(falls, q, high)
        return q
