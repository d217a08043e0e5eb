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

The form is derived; the constant 6 is calibrated. `experiments/difference` chose it by a rule that
was written first, and measured level, power and coverage on settings of another seed: equality is
rejected in 3.5 % of samples of drawn settings (7.8 % in the worst), and in 6.4 % over shapes of
real systems (41 % in the worst, where one outlying system decides).

References: Olkin and Siotani (1964), "Asymptotic distribution of functions of a correlation matrix"
(c). Tukey (1958), "Bias and confidence in not-quite large samples", Annals of Mathematical
Statistics 29.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from supersample.errors import InputError
from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    check_confidence_level,
)
from supersample.inference.two_correlations.extremes import largest_difference
from supersample.inference.two_correlations.statistics import (
    gap_of_near,
    quantile_of_t,
    t_test,
    uncorrelated_share,
)

SYSTEM_METHOD = "fisher-jackknife"
"""Name of the test and the interval together, which rankings use over systems."""

SMALLEST_N = 5
"""Fewest systems: leaving one out leaves four, the fewest for which z has a variance."""

LARGEST_R = 1.0 - 1e-12
"""Largest |r| on Fisher's scale, where 1 is infinite."""

TINY = 1e-300
"""Replaces a variance of 0."""

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
        Fisher's z of r_a and r_b without each system in turn.
    same : ndarray of bool, shape (...)
        Whether both metrics' standardised scores differ only by rounding: copies, or affine copies
        with a positive factor.
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

    @property
    def n(self) -> int:
        """Number of systems."""
        return int(self.human.shape[0])

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
        return np.maximum(2.0 * self.uncorrelated / max(self.n - 3, 1), TINY)

    @cached_property
    def jackknife_variance(self) -> Floats:
        """Variance of z_a - z_b by the jackknife over systems."""
        return jackknife_variance(self.left_a - self.left_b)

    @cached_property
    def variance(self) -> Floats:
        """Variance N K of z_a - z_b; see the module."""
        normal, weight = self.normal_variance, self.n / (self.n + HALF_WEIGHT)
        return np.asarray(normal * np.maximum(1.0, self.jackknife_variance / normal) ** weight)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of this variance, n - 2."""
        return max(self.n - 2.0, 1.0)

    @property
    def quantile(self) -> Floats:
        """Normal quantile of the test's p-value, with the sign of the difference."""
        return quantile_of_t(fisher_jackknife(self).statistic, self.freedom)


def score_pairs(scores: ArrayLike, first: ArrayLike, second: ArrayLike) -> ScorePairs:
    """Make pairs of metrics from a matrix of system scores, or from many samples of it.

    Parameters
    ----------
    scores : array_like, shape (..., n, 1 + K)
        Scores of n systems, human scores in the first column, signed so that higher is better.
    first, second : array_like of int, shape (pairs,)
        Numbers of the metrics, from 0.

    Returns
    -------
    ScorePairs
        Shape (..., pairs).

    Raises
    ------
    InputError
        If `scores` has fewer than two dimensions, or fewer than two columns.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(12, 3))
    >>> pairs = score_pairs(scores, [0], [1])
    >>> bool(np.allclose(pairs.r_a, np.corrcoef(scores.T)[0, 1]))
    True
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim < 2 or x.shape[-1] < 2:
        raise InputError(f"expected scores of shape (systems, 1 + metrics), not {x.shape}")
    standardised, rounding = _standardised(np.moveaxis(x, -2, 0))
    i, j = 1 + np.asarray(first, np.int64), 1 + np.asarray(second, np.int64)
    a, b = standardised[..., i], standardised[..., j]
    human = np.broadcast_to(standardised[..., :1], a.shape)
    return _pairs(human, a, b, rounding[..., i] + rounding[..., j])


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

    Raises
    ------
    InputError
        If the last dimension is not of length 3.
    """
    x = np.asarray(samples, dtype=np.float64)
    if x.ndim != 3 or x.shape[2] != 3:
        raise InputError(f"expected samples of shape (samples, systems, 3), not {x.shape}")
    standardised, rounding = _standardised(np.moveaxis(x, 1, 0))
    human, a, b = np.moveaxis(standardised, 2, 0)
    return _pairs(human, a, b, rounding[:, 1] + rounding[:, 2])


def fisher_z(r: Floats) -> Floats:
    """``arctanh(r)``, also finite if |r| is 1."""
    return np.asarray(np.arctanh(np.clip(r, -LARGEST_R, LARGEST_R)))


def jackknife_variance(left_out: Floats) -> Floats:
    """Tukey's (1958) jackknife variance, ``(n - 1) / n sum (x_i - mean)^2`` over the first axis."""
    n = left_out.shape[0]
    spread = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(np.maximum((n - 1) / n * spread, TINY))


def _standardised(x: Floats) -> tuple[Floats, Floats]:
    """Standardise scores to mean 0 and sum of squares 1 over the first axis; and their rounding."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centred = x - x.mean(axis=0)
        centred = centred - centred.mean(axis=0)  # removes the rounding error of the mean
        norm = np.sqrt((centred * centred).sum(axis=0))
        rounding = _EPS * np.abs(x).max(axis=0, initial=0.0) / norm
        constant = norm <= _EPS * np.abs(x).max(axis=0, initial=0.0) * x.shape[0]
        return np.where(constant, np.nan, centred / norm), rounding + _EPS


def _pairs(human: Floats, a: Floats, b: Floats, rounding: Floats) -> ScorePairs:
    n = human.shape[0]
    factor = n / max(n - 1, 1)
    with np.errstate(invalid="ignore"):
        # share of the sum of squares that remains without a system
        rest = [1.0 - factor * x * x for x in (human, a, b)]
        defined = np.all([(share > 8 * n * _EPS).all(axis=0) for share in rest], axis=0)
    defined = defined & (n >= SMALLEST_N)
    r_a, r_b, r_ab = (
        np.where(defined, np.clip((x * y).sum(axis=0), -1.0, 1.0), np.nan)
        for x, y in ((human, a), (human, b), (a, b))
    )
    left = [
        fisher_z((r - factor * human * x) / np.sqrt(np.where(defined, rest[0] * share, 1.0)))
        for r, x, share in ((r_a, a, rest[1]), (r_b, b, rest[2]))
    ]
    apart = np.sqrt(((a - b) ** 2).sum(axis=0))
    with np.errstate(invalid="ignore"):
        same = defined & (apart <= 4 * np.sqrt(n) * rounding)
    return ScorePairs(human, a, b, r_a, r_b, r_ab, left[0], left[1], same)


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
    test = t_test(t, np.asarray(pairs.freedom), alternative)
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
    arm: Floats = t * np.sqrt(pairs.variance)
    lower, upper = -largest_within(pairs, arm, -1.0), largest_within(pairs, arm, 1.0)
    return Interval(np.where(pairs.same, 0.0, lower), np.where(pairs.same, 0.0, upper))


def largest_within(pairs: ScorePairs, arm: Floats, sign: Floats | float) -> Floats:
    """Largest ``sign (tanh x_a - tanh x_b)`` where x_a - x_b is within `arm` of z_a - z_b.

    The half axis of the ellipse along x_a + x_b follows from the normal correlation of both z.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = arm * np.sqrt((2.0 - pairs.uncorrelated) / pairs.uncorrelated)
    reach = np.where(np.isfinite(reach), reach, 0.0)
    return largest_difference(
        np.abs(pairs.z_a + pairs.z_b), sign * (pairs.z_a - pairs.z_b), reach, arm
    )
