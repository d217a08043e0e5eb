"""Compare two correlations with the human scores, using system scores: one test and its interval.

`fisher_jackknife` and `fisher_jackknife_interval` need the scores themselves, not only three
correlations: scores show how heavy the tails are, and which systems cause a difference.
`ScorePairs` has them, with the correlations, and Fisher's z without each system.

Fisher's z_a - z_b has the variance N = 2 (1 - c) / (n - 3) in a normal population, with c the
correlation of both z. Heavy tails, uneven errors and outlying systems make it larger, and normal
tests such as Williams' (1959) then reject equality far too often (.11 to .21 at .05). The variance
J of the jackknife shows this, but a dozen systems show it poorly. So J can only raise the variance,
the more the more systems there are:

    K = max(1, J / N)^(n / (n + 6)),    t = (z_a - z_b) / sqrt(N K),    n - 2 degrees of freedom.

The interval of r_a - r_b is the range of tanh x_a - tanh x_b over all (x_a, x_b) within m standard
errors of (z_a, z_b),

    (x - z)' V^-1 (x - z) <= m^2,    V = [[1, c], [c, 1]] / (n - 3),    m = t* sqrt(K),

with t* the quantile of Student's t. The line x_a = x_b touches this ellipse where |t| = t*. So the
interval leaves out 0 exactly if the test rejects equality, at any level. To first order it is the
delta method; beyond it, both correlations change together.

If several systems belong to one team (`supersample.inference.teams`), the jackknife deletes a team
at a time, and N is multiplied by 1 + d. To first order, a system's influence on z_a - z_b is u v,
where u is the difference of the metrics' scores and v is how far both are below people's scores. So

    d = c(u) c(v) P / n,

with P the number of ordered pairs of systems of one team, and c(x) the correlation of x within
these pairs, from 0 to 1. Then n / (1 + d), the number of independent systems with this variance,
stands in the place of n in K and in the degrees of freedom; it is taken to be at least 3.
``experiments/teams`` chose this.

The form is derived; the constant 6 is calibrated. `experiments/difference` chose it by a rule that
was written first, and measured level, power and coverage on settings of another seed: equality is
rejected in 3.5 % of samples of drawn settings (7.8 % in the worst), and in 6.4 % over shapes of
real systems (41 % in the worst, where one outlying system decides).

References: Olkin and Siotani (1964), "Asymptotic distribution of functions of a correlation matrix"
(c). Tukey (1958), "Bias and confidence in not-quite large samples", Annals of Mathematical
Statistics 29.
"""

from dataclasses import dataclass
from functools import cached_property, partial
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
from supersample.inference.teams import FEWEST_TEAMS, Teams, influences, teams_of
from supersample.inference.two_correlations.shared_formulas import (
    gap_of_near,
    quantile_of_t,
    t_test,
    uncorrelated_share,
)
from supersample.tolerances import TINY

_NODES = np.concatenate([[0.0], np.arctan(np.geomspace(1e-6, 1e6, 161)), [np.pi / 2]])
"""Points between which the maxima of an arc are sought, if it may have several."""
_APART, _TURNS = 1.18, 3
"""An arc needs points if its ends differ by more than this factor, as two points do."""
_NEAR, _STILL, _MOST_STEPS = 1e-7, 1e-10, 90
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
    low, high = every.turned(high), np.minimum(high, every.turned(low))
    behind = np.flatnonzero(every.apart + every.arm <= 0)
    few = every.at(behind)
    low[behind], high[behind] = few.ends()
    far = np.flatnonzero(np.tan(high[behind]) > _APART * np.tan(low[behind]))
    few, behind = few.at(far), behind[far]
    slopes = few.slope(_NODES[:, np.newaxis])
    turns = (slopes[:-1] > 0) & (slopes[1:] <= 0)
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

    def turned(self, q: ArrayLike) -> Floats:
        """Angle at which S and D of q would make the difference largest, from 0 to pi / 2.

        Where the difference grows with q, it is larger than q. It falls with q if D can be
        positive, and otherwise it grows with q.
        """
        s, d = (np.tanh(x) for x in self.point(q))
        flat = 1.0 + np.sqrt((1.0 - s * s) * (1.0 - d * d))
        return np.asarray(np.arctan2(self.reach * np.abs(s * d), self.arm * flat))

    def slope(self, q: ArrayLike) -> Floats:
        """Have the sign of the derivative of the difference by q."""
        return np.asarray(self.turned(q) - np.asarray(q, np.float64))

    def ends(self) -> tuple[Floats, Floats]:
        """Angles between which all maxima are, if D cannot be positive.

        `turned` then grows with q, so that both ends move towards a maximum and never beyond one.
        """
        low, high = self.turned(0.0), self.turned(np.pi / 2)
        for _ in range(_TURNS):
            low, high = self.turned(low), self.turned(high)
        return low, high

    def summit(self, low: Floats, high: Floats) -> Floats:
        """Find q between `low` and `high` where the slope turns from above 0 to below."""
        arcs, left = self, np.arange(low.size)
        at_low, at_high = self.slope(low), self.slope(high)
        found = np.where(at_high < -_STILL * high, low, high)
        rose = fell = np.zeros(low.shape, dtype=bool)
        for step in range(_MOST_STEPS):
            far = (at_low > _STILL * low) & (at_high < -_STILL * high)
            far &= high - low > _NEAR * high
            if not far.any():
                break
            if not far.all():  # the others are found, and take no part in further steps
                arcs, left = arcs.at(far), left[far]
                low, high, at_low, at_high = (x[far] for x in (low, high, at_low, at_high))
                rose, fell = rose[far], fell[far]
            with np.errstate(invalid="ignore", divide="ignore"):
                secant = low + (high - low) * at_low / (at_low - at_high)
            use = (secant > low) & (secant < high) & (step % 8 < 7)
            q = np.where(use, secant, (low + high) / 2)
            found[left], value = q, arcs.slope(q)
            rises, falls = value > 0, value <= 0
            # the value of an end that stays twice counts half, so that it moves (Illinois method)
            at_low = np.where(rises, value, np.where(falls & fell, at_low / 2, at_low))
            at_high = np.where(falls, value, np.where(rises & rose, at_high / 2, at_high))
            low, high, rose, fell = np.where(rises, q, low), np.where(falls, q, high), rises, falls
        return found


SYSTEM_METHOD = "fisher-jackknife"
"""Name of the test and the interval together, which rankings use over systems."""

FEWEST_SYSTEMS = 5
"""Fewest systems: leaving one out leaves four, the fewest for which z has a variance."""

LARGEST_R = 1.0 - 1e-12
"""Largest |r| on Fisher's scale, where 1 is infinite."""

_EPS = float(np.finfo(np.float64).eps)
HALF_WEIGHT = 6.0
"""Number of systems with which the jackknife has half of its weight, calibrated."""
MEASURED_N = (8, 24)
"""Numbers of systems for which level and coverage were measured."""


@dataclass(frozen=True)
class ScorePairs:
    """Human scores and the scores of pairs of metrics over n systems.

    `score_pairs` makes it from a matrix of scores, `sampled_pairs` from many samples.

    Parameters
    ----------
    human, a, b : ndarray, shape (n, ...)
        Scores standardised to mean 0 and sum of squares 1.
    r_a, r_b, r_ab : ndarray, shape (...)
        Correlations of the human scores with both metrics, and between the metrics. NaN if a score
        is not finite, if one of the three is constant (with all systems or without one), and if
        n < 5.
    left_a, left_b : ndarray, shape (n, ...)
        Fisher's z of r_a and r_b without each system in turn; with teams, without each team.
    same : ndarray of bool, shape (...)
        Whether both metrics' standardised scores differ only by rounding: copies, or affine copies
        with a positive factor.
    teams : Teams, optional
        Which systems belong together; None if all are independent.
    """

    human: Floats
    a: Floats
    b: Floats
    r_a: Floats
    r_b: Floats
    r_ab: Floats
    left_a: Floats
    left_b: Floats
    same: NDArray[np.bool_]
    teams: Teams | None = None

    @property
    def n(self) -> int:
        """Number of systems."""
        return int(self.human.shape[0])

    @cached_property
    def shared(self) -> Floats | float:
        """How much systems of one team add to the variance N, as a share of it."""
        if self.teams is None:
            return 0.0
        within = [self.teams.within(x) for x in (self.error_gap, self.error_sum)]
        return self.teams.ordered_share * within[0] * within[1]

    @property
    def units(self) -> Floats:
        """Number of independent systems that have the variance N, at least 3."""
        return np.asarray(np.maximum(self.n / (1.0 + self.shared), 3.0))

    @property
    def z_a(self) -> Floats:
        """Fisher's z of r_a."""
        return fisher_z(self.r_a)

    @property
    def z_b(self) -> Floats:
        """Fisher's z of r_b."""
        return fisher_z(self.r_b)

    @property
    def error_gap(self) -> Floats:
        """Difference of both metrics' scores, shape (n, ...)."""
        return self.a - self.b

    @property
    def error_sum(self) -> Floats:
        """How far both metrics are below the human scores, shape (n, ...)."""
        return 2 * self.human - (self.r_a + self.r_b) / 2 * (self.a + self.b)

    @cached_property
    def uncorrelated(self) -> Floats:
        """1 minus the correlation c of both z in a normal population (Olkin and Siotani 1964).

        1 if |r_a| or |r_b| is 1; then no result depends on it. Computed from the differences of
        scores, so that nothing cancels between near-copies, and in one order of the metrics.
        """
        high, low = np.maximum(self.r_a, self.r_b), np.minimum(self.r_a, self.r_b)
        apart = (self.human * self.error_gap).sum(axis=0) ** 2
        unlike = (self.error_gap**2).sum(axis=0) / 2
        gap = gap_of_near(high * low, apart, self.r_ab, unlike)
        return np.clip(uncorrelated_share(high, low, gap), 0.0, 2.0)

    @cached_property
    def normal_variance(self) -> Floats:
        """Variance of z_a - z_b in a normal population, ``2 (1 - c) / (n - 3)``."""
        normal = 2.0 * self.uncorrelated / max(self.n - 3, 1)
        return np.maximum(normal * (1.0 + self.shared), TINY)

    @cached_property
    def jackknife_variance(self) -> Floats:
        """Variance of z_a - z_b by the jackknife over systems, or over teams."""
        return jackknife_variance(self.left_a - self.left_b, self.z_a - self.z_b, self.teams)

    @property
    def influences(self) -> Floats:
        """Influence of each system, or team, on z_a - z_b by the jackknife, shape (n, ...)."""
        return influences(self.z_a - self.z_b, self.left_a - self.left_b, self.teams)

    @cached_property
    def variance(self) -> Floats:
        """Variance N K of z_a - z_b; see the module."""
        return raised_variance(self.normal_variance, self.jackknife_variance, self.units)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of this variance."""
        return np.asarray(self.units - 2.0)

    @property
    def quantile(self) -> Floats:
        """Normal quantile of the test's p-value, with the sign of the difference."""
        return quantile_of_t(fisher_jackknife(self).statistic, self.freedom)


def score_pairs(
    scores: ArrayLike, first: ArrayLike, second: ArrayLike, *, teams: ArrayLike | None = None
) -> ScorePairs:
    """Make pairs of metrics from a matrix of system scores, or from many samples of it.

    Parameters
    ----------
    scores : array_like, shape (..., n, 1 + K)
        Scores of n systems, human scores in the first column, signed so that higher is better.
    first, second : array_like of int, shape (pairs,)
        Numbers of the metrics, from 0.
    teams : array_like of str, shape (n,), optional
        Team of each system; by default, each system is a team.

    Returns
    -------
    ScorePairs
        Shape (..., pairs).

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(12, 3))
    >>> pairs = score_pairs(scores, [0], [1])
    >>> bool(np.allclose(pairs.r_a, np.corrcoef(scores.T)[0, 1]))
    True
    """
    x = np.asarray(scores, dtype=np.float64)
    standardised, rounding = _standardised(np.moveaxis(x, -2, 0))
    i, j = 1 + np.asarray(first, np.int64), 1 + np.asarray(second, np.int64)
    a, b = standardised[..., i], standardised[..., j]
    human = np.broadcast_to(standardised[..., :1], a.shape)
    return _pairs(human, a, b, rounding[..., i] + rounding[..., j], teams_of(teams))


def sampled_pairs(samples: ArrayLike) -> ScorePairs:
    """Make one pair of metrics in each of many samples.

    Parameters
    ----------
    samples : array_like, shape (samples, n, 3)
        Scores of n systems: human, first metric, second metric.

    Returns
    -------
    ScorePairs
        Shape (samples,).
    """
    x = np.asarray(samples, dtype=np.float64)
    standardised, rounding = _standardised(np.moveaxis(x, 1, 0))
    human, a, b = np.moveaxis(standardised, 2, 0)
    return _pairs(human, a, b, rounding[:, 1] + rounding[:, 2])


def fisher_z(r: Floats) -> Floats:
    """``arctanh(r)``, also finite if |r| is 1."""
    return np.asarray(np.arctanh(np.clip(r, -LARGEST_R, LARGEST_R)))


def jackknife_variance(
    left_out: Floats, value: Floats | float = 0.0, teams: Teams | None = None
) -> Floats:
    """Variance of a statistic by the jackknife over systems (Tukey 1958), or over teams.

    ``(n - 1) / n sum (x_i - mean)^2`` over the first axis; only teams need the statistic's value.
    """
    if teams is not None:
        squares = influences(np.asarray(value), left_out, teams) ** 2
        return np.asarray(np.maximum(squares.sum(axis=0), TINY))
    n = left_out.shape[0]
    spread = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.maximum((n - 1) / n * spread, TINY))


def raised_variance(normal: Floats | float, jackknife: Floats, units: Floats | float) -> Floats:
    """Variance N K: the normal one, raised where the jackknife's is larger; see the module."""
    ratio = np.maximum(1.0, jackknife / normal)
    return np.asarray(normal * ratio ** (units / (units + HALF_WEIGHT)))


def _standardised(x: Floats) -> tuple[Floats, Floats]:
    """Standardise scores to mean 0 and sum of squares 1 over the first axis; and their rounding."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = x - x.mean(axis=0)
        centred = centred - centred.mean(axis=0)  # removes the rounding error of the mean
        norm = np.sqrt((centred * centred).sum(axis=0))
        rounding = _EPS * np.abs(x).max(axis=0, initial=0.0) / norm
        constant = norm <= _EPS * np.abs(x).max(axis=0, initial=0.0) * x.shape[0]
        return np.where(constant, np.nan, centred / norm), rounding + _EPS


def _pairs(
    human: Floats, a: Floats, b: Floats, rounding: Floats, teams: Teams | None = None
) -> ScorePairs:
    n = human.shape[0]
    removed = partial(_removed_by_each, teams=teams)
    with np.errstate(invalid="ignore"):
        # share of the sum of squares that remains without a system
        rest = [1.0 - removed(x, x) for x in (human, a, b)]
        defined = np.all([(share > 8 * n * _EPS).all(axis=0) for share in rest], axis=0)
    defined = defined & (n >= FEWEST_SYSTEMS)
    if teams is not None:
        defined = defined & (teams.count >= FEWEST_TEAMS)
    r_a, r_b, r_ab = (
        np.where(defined, np.clip((x * y).sum(axis=0), -1.0, 1.0), np.nan)
        for x, y in ((human, a), (human, b), (a, b))
    )
    left = [
        fisher_z((r - removed(human, x)) / np.sqrt(np.where(defined, rest[0] * share, 1.0)))
        for r, x, share in ((r_a, a, rest[1]), (r_b, b, rest[2]))
    ]
    apart = np.sqrt(((a - b) ** 2).sum(axis=0))
    with np.errstate(invalid="ignore"):
        same = defined & (apart <= 4 * np.sqrt(n) * rounding)
    return ScorePairs(human, a, b, r_a, r_b, r_ab, left[0], left[1], same, teams)


def _removed_by_each(x: Floats, y: Floats, *, teams: Teams | None) -> Floats:
    """How much the sum of products of standardised scores falls without each system, or team."""
    n = x.shape[0]
    if teams is None:
        return np.asarray(n / max(n - 1, 1) * x * y)
    sums = teams.sums(x * y)
    return np.asarray(sums + teams.sums(x) * teams.sums(y) / np.maximum(n - teams.along(sums), 1))


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
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> t, p = fisher_jackknife(score_pairs(scores, [0], [1]))
    >>> print(f"t = {t[0]:.3f}, p = {p[0]:.4f}")
    t = 0.709, p = 0.4947
    """
    t = (pairs.z_a - pairs.z_b) / np.sqrt(pairs.variance)
    test = t_test(t, pairs.freedom, alternative)
    return HypothesisTest(
        np.where(pairs.same, 0.0, test.statistic), np.where(pairs.same, 1.0, test.p_value)
    )


def fisher_jackknife_interval(pairs: ScorePairs, *, confidence_level: float = 0.95) -> Interval:
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
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> lower, upper = fisher_jackknife_interval(score_pairs(scores, [0], [1]))
    >>> print(f"{lower[0]:.3f} to {upper[0]:.3f}")
    -0.148 to 0.349
    """
    check_confidence_level(confidence_level)
    t = stdtrit(pairs.freedom, (1 + confidence_level) / 2)
    arm: Floats = np.asarray(t * np.sqrt(pairs.variance), np.float64)
    given = pairs.z_a, pairs.z_b, pairs.uncorrelated, arm
    lower, upper = -largest_within(*given, -1.0), largest_within(*given, 1.0)
    return Interval(np.where(pairs.same, 0.0, lower), np.where(pairs.same, 0.0, upper))


def largest_within(
    z_a: Floats, z_b: Floats, uncorrelated: Floats, arm: Floats, sign: Floats | float
) -> Floats:
    """Largest ``sign (tanh x_a - tanh x_b)`` where x_a - x_b is within `arm` of z_a - z_b.

    The half axis of the ellipse along x_a + x_b follows from the normal correlation of both z.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = arm * np.sqrt((2.0 - uncorrelated) / uncorrelated)
    reach = np.where(np.isfinite(reach), reach, 0.0)
    return largest_difference(np.abs(z_a + z_b), sign * (z_a - z_b), reach, arm)
