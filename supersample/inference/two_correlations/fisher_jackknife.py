"""Compare two correlations with the human scores: one test, and the interval that is its inversion.

Fisher's z_a - z_b has the variance N = 2 (1 - c) / (n - 3) in a normal population, with c the
correlation of both z. Heavy tails, uneven errors and outlying systems make it larger, which the
jackknife's variance J shows, but a dozen systems show it poorly. J only raises the variance, the
more the more systems there are:

    K = max(1, J / N)^(n / (n + 6)),    t = (z_a - z_b) / sqrt(N K),    n - 2 degrees of freedom.

The interval of r_a - r_b is the range of tanh x_a - tanh x_b over all (x_a, x_b) within m standard
errors of (z_a, z_b),

    (x - z)' V^-1 (x - z) <= m^2,    V = [[1, c], [c, 1]] / (n - 3),    m = t* sqrt(K),

with t* the quantile of Student's t. The line x_a = x_b touches this ellipse where |t| = t*. So the
interval leaves out 0 exactly if the test rejects equality, at any level; no limit is moved. To
first order it is the delta method; beyond it, both correlations change together.

The form is derived; the constant 6 is calibrated. ``experiments/difference`` chose this procedure
by a rule and confirmed it on other settings; it has level, coverage and power, on average and in
the worst settings.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    check_confidence_level,
)
from supersample.inference.two_correlations.statistics import t_test
from supersample.inference.two_correlations.system_scores import ScorePairs

SYSTEMS_OF_HALF = 6.0
"""Number of systems with which the jackknife has half of its weight, calibrated."""
_NODES = np.concatenate([[0.0], np.arctan(np.geomspace(1e-6, 1e6, 161)), [np.pi / 2]])
"""Points between which the maxima of an arc are sought, if it may have several."""
_NEAR, _MOST_STEPS = 1e-7, 90
"""Where a maximum is, to this share: its height is then exact to rounding."""


def raised_variance(pairs: ScorePairs) -> Floats:
    """Variance N K of z_a - z_b; see the module."""
    normal, share = pairs.normal_variance, pairs.n / (pairs.n + SYSTEMS_OF_HALF)
    return np.asarray(normal * np.maximum(1.0, pairs.jackknife_variance / normal) ** share)


def degrees_of_freedom(n: int) -> float:
    """Degrees of freedom of t over n systems."""
    return max(n - 2.0, 1.0)


def fisher_jackknife(
    pairs: ScorePairs, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Test r_a = r_b by Fisher's z, with a variance that the jackknife raises; see the module.

    Parameters
    ----------
    pairs : ScorePairs, shape (...)
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater": r_a is larger than r_b.

    Returns
    -------
    HypothesisTest
        t and its p-value, shape (...): 0 and 1 for `same` metrics; NaN if a correlation is NaN.

    Raises
    ------
    InputError
        If the alternative is unknown.

    Examples
    --------
    >>> from supersample.inference.two_correlations.system_scores import score_pairs
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> t, p = fisher_jackknife(score_pairs(scores, [0], [1]))
    >>> print(f"t = {t[0]:.3f}, p = {p[0]:.4f}")
    t = 0.709, p = 0.4947
    """
    t = (pairs.z_a - pairs.z_b) / np.sqrt(raised_variance(pairs))
    test = t_test(t, np.asarray(degrees_of_freedom(pairs.n)), alternative)
    return HypothesisTest(
        np.where(pairs.same, 0.0, test.statistic), np.where(pairs.same, 1.0, test.p_value)
    )


def fisher_jackknife_interval(
    pairs: ScorePairs, *, confidence_level: float = 0.95
) -> Interval:
    """Compute the interval of r_a - r_b that inverts `fisher_jackknife`; see the module.

    Parameters
    ----------
    pairs : ScorePairs, shape (...)
    confidence_level : float, default 0.95

    Returns
    -------
    Interval
        Limits, shape (...), within [-2, 2]: [0, 0] for `same` metrics; NaN if a correlation is NaN.

    Raises
    ------
    InputError
        If the confidence level is not between 0 and 1.

    Examples
    --------
    >>> from supersample.inference.two_correlations.system_scores import score_pairs
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> lower, upper = fisher_jackknife_interval(score_pairs(scores, [0], [1]))
    >>> print(f"{lower[0]:.3f} to {upper[0]:.3f}")
    -0.148 to 0.349
    """
    check_confidence_level(confidence_level)
    t = stdtrit(degrees_of_freedom(pairs.n), (1 + confidence_level) / 2)
    return limits_within(pairs, t * np.sqrt(raised_variance(pairs)))


def limits_within(pairs: ScorePairs, arm: Floats) -> Interval:
    """Smallest and largest ``tanh x_a - tanh x_b`` where x_a - x_b is within `arm` of z_a - z_b.

    The half axis of the ellipse along x_a + x_b follows from the normal correlation of both z.
    """
    c = pairs.normal_c
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = arm * np.sqrt((1.0 + c) / (1.0 - c))
    total, apart = np.abs(pairs.z_a + pairs.z_b), pairs.z_a - pairs.z_b
    reach = np.where(np.isfinite(reach), reach, 0.0)
    lower = -largest_difference(total, -apart, reach, arm)
    upper = largest_difference(total, apart, reach, arm)
    return Interval(np.where(pairs.same, 0.0, lower), np.where(pairs.same, 0.0, upper))


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
