"""Compare two correlations with the human scores, using system scores: tests and an interval.

`williams_jackknife` and `projection_interval` need the scores themselves, not only three
correlations: scores show how heavy the tails are, and which systems cause a difference.
`ScorePairs` has them, with the correlations, and Fisher's z without each system.

Tests that are robust to heavy tails and uneven errors
------------------------------------------------------
Williams' (1959) test assumes normal scores. If the metrics' errors have heavy or skewed tails, or
grow as quality falls, it rejects equality far too often (.11 to .21 at .05). `tempered_williams`
divides its statistic by a measure of this in the sample, `jackknife_of_z` estimates the variance
only from the systems, and `williams_jackknife` combines them.

Derivation of `tempered_williams`. With standardised scores and a common correlation r, the
difference r_a - r_b has the influence function (Olkin and Siotani 1964, at r_a = r_b = r)

    2 h (a - b) - r (a^2 - b^2) = u v,    u = a - b,   v = 2 h - r (a + b):

near r = 1, comparing correlations is Pitman's (1939) and Morgan's (1939) comparison of two
variances, those of h - a and h - b. Williams' t has Var(u v) = Var(u) Var(v), which holds if u and
v are independent, as uncorrelated normal variables are. The sample estimates of this are

    g = n sum u^2 v^2 / (sum u^2 sum v^2),    and    k = n sum u^4 / (sum u^2)^2,

the kurtosis of u; in a normal population g is 1 and k is 3. With a dozen systems both are noisy,
and k predicts tails of u v that g has not observed. The statistic is

    t = t_Williams / (g k / 3)^(3/8)

with Williams' n - 3 degrees of freedom. The form is derived; the power 3/8 and the weight of the
jackknife are calibrated (`experiments/honest_inference`) for a level of 5 % and 8 to 24 systems. In
200 null settings that confirmed them, `williams_jackknife` rejected 3.3 to 7.3 % (Williams' test
3.6 to 14.7 %); it rejected 8.6 % in the worst of the settings that chose them, and up to 9.4 % with
independent exponential errors. Where Williams' test keeps its level, its power was .402, and that
of `williams_jackknife` .347.

An interval that projects an ellipse
------------------------------------
Zou's (2007) interval recovers its variance from the arms of two intervals on Fisher's scale: the
lower arm of r_a and the upper arm of r_b, as if r_a fell while r_b rose. Near r = 1 Fisher's arms
are so unequal that they do not cancel, not even if both z change together (c = 1). The interval is
then wider than necessary, but it still covers too rarely if scores have heavy tails. Instead take
all (x_a, x_b) within m standard errors of (z_a, z_b),

    (x - z)' V^-1 (x - z) <= m^2,    V = [[1, c], [c, 1]] / (n - 3),

with c the normal correlation of both z, and their smallest and largest tanh x_a - tanh x_b. To
first order this is the delta method; beyond it, both correlations change together.

m depends on how well the normal V fits the sample, and on the side. With

    d = J(z_a - z_b) (n - 3) / (2 (1 - c)),    J the jackknife's variance,
    l = the geometric mean of (n - 3) J(z_a) and (n - 3) J(z_b), weights 1 - |r_a| and 1 - |r_b|,
    T = |z_a - z_b| by its standard error (variance: normal^.8 jackknife^.2), at most 4,

the limit on zero's side of r_a - r_b has m = 1.86 d^.12 l^.11 exp(.14 T), the other one m = 1.86
d^.12 l^.11 exp(.04 T). A large T often comes from a sample in which V is too small, so the limit
towards zero is longer. The limits do not invert a test: `williams_jackknife` rejects equality
more often than the interval excludes zero. `agreeing` gives the limits that are printed.

The form is derived; the constants are calibrated to 95 % over random settings of 8 to 24 systems
(`experiments/honest_inference`, which has the range and the worst case). At another confidence
level, m is multiplied by the ratio of normal quantiles. In 200 settings that confirmed them,
coverage was at least 93 % in 96 % of the settings and 91.7 % in the worst; for 60 pairs of metrics
of real systems, 86.2 % in the worst and 93.0 % in the median.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from supersample.errors import InputError
from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    check_confidence_level,
)
from supersample.inference.two_correlations.extremes import largest_difference
from supersample.inference.two_correlations.overlapping import williams1959
from supersample.inference.two_correlations.statistics import (
    normal_test,
    overlapping_gap,
    t_test,
    uncorrelated_share,
)

SYSTEM_METHOD = "williams-jackknife"
"""Name of the test and the interval together, which rankings use over systems."""

SMALLEST_N = 5
"""Fewest systems: leaving one out leaves four, the fewest for which z has a variance."""

LARGEST_R = 1.0 - 1e-12
"""Largest |r| on Fisher's scale, where 1 is infinite."""

TINY = 1e-300
"""Replaces a variance of 0."""

_EPS = float(np.finfo(np.float64).eps)
TEMPER = 0.375
"""Power of g k / 3, calibrated."""
JACKKNIFE_SHARE = 0.5
"""Weight of the jackknife in `williams_jackknife`, calibrated."""
MEASURED_N = (8, 24)
"""Numbers of systems for which coverage was measured."""
MEASURED_LEVEL = 0.95


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
        """Difference of both metrics' scores, u of the module, shape (n, ...)."""
        return self.a - self.b

    @property
    def error_sum(self) -> Floats:
        """How far both metrics are below the human scores, v of the module, shape (n, ...)."""
        return 2 * self.human - (self.r_a + self.r_b) / 2 * (self.a + self.b)

    @property
    def normal_c(self) -> Floats:
        """Correlation of both z in a normal population (Olkin and Siotani 1964).

        0 if |r_a| or |r_b| is 1; then no result depends on it.
        """
        # in one order, so that no rounding depends on which metric comes first
        high, low = np.maximum(self.r_a, self.r_b), np.minimum(self.r_a, self.r_b)
        gap = overlapping_gap(high, low, self.r_ab)
        return np.clip(1.0 - uncorrelated_share(high, low, gap), -1.0, 1.0)

    @property
    def normal_variance(self) -> Floats:
        """Variance of z_a - z_b under a normal population, ``2 (1 - c) / (n - 3)``."""
        return np.maximum(2.0 * (1.0 - self.normal_c) / max(self.n - 3, 1), TINY)

    @property
    def jackknife_variance(self) -> Floats:
        """Variance of z_a - z_b by the jackknife over systems."""
        return jackknife_variance(self.left_a - self.left_b)


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


def tempered_williams(
    pairs: ScorePairs, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Test r_a = r_b by Williams' t, divided by a function of heavy tails and uneven errors.

    ``t = t_Williams / (g k / 3)^(3/8)``, n - 3 degrees of freedom; see the module.

    Parameters
    ----------
    pairs : ScorePairs, shape (...)
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater": r_a is larger than r_b.

    Returns
    -------
    HypothesisTest
        t and its p-value, shape (...): 0 and 1 for `same` metrics; NaN if a correlation is NaN, and
        for opposite metrics, where Williams' t is 0/0.

    Raises
    ------
    InputError
        If the alternative is unknown.

    Examples
    --------
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> t, p = tempered_williams(score_pairs(scores, [0], [1]))
    >>> print(f"t = {t[0]:.3f}, p = {p[0]:.4f}")
    t = 0.774, p = 0.4588
    """
    n = max(pairs.n, 4)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = williams1959(pairs.r_a, pairs.r_b, pairs.r_ab, n).statistic / _temper(pairs)
    return _unless_same(pairs, t_test(t, np.asarray(n - 3.0), alternative))


def jackknife_of_z(pairs: ScorePairs, *, alternative: Alternative = "two-sided") -> HypothesisTest:
    """Test z_a = z_b, with the variance of z_a - z_b by the jackknife over systems.

    ``t = (z_a - z_b) / sqrt(J)``, ``J = (n - 1) / n sum_i (d_i - mean d)^2`` with d_i the
    difference of both z without system i; n - 1 degrees of freedom.

    Parameters
    ----------
    pairs, alternative
        As in `tempered_williams`.

    Returns
    -------
    HypothesisTest
        t and its p-value, shape (...): 0 and 1 for `same` metrics; NaN if a correlation is NaN.

    Raises
    ------
    InputError
        If the alternative is unknown.

    References
    ----------
    Tukey (1958), "Bias and confidence in not-quite large samples", Annals of Mathematical
    Statistics 29.
    """
    t = (pairs.z_a - pairs.z_b) / np.sqrt(pairs.jackknife_variance)
    return _unless_same(pairs, t_test(t, np.asarray(pairs.n - 1.0), alternative))


def williams_jackknife(
    pairs: ScorePairs,
    *,
    alternative: Alternative = "two-sided",
    jackknife_share: float = JACKKNIFE_SHARE,
) -> HypothesisTest:
    """Combine `tempered_williams` and `jackknife_of_z`, on the scale of the normal quantile.

    Let q be the normal quantile of a test's p-value, with the sign of the difference. The statistic
    is ``(1 - w) q_tempered + w q_jackknife``, compared with the normal distribution. The tails of u
    do not show which of the two metrics has uneven errors; the jackknife does, but alone it loses
    much more power. Both quantiles are nearly equal (correlation .96 to .99), so their averaging
    needs no correction. w is calibrated, like the power 3/8 of the module.

    Parameters
    ----------
    pairs, alternative
        As in `tempered_williams`.
    jackknife_share : float, default 0.5
        w, in [0, 1].

    Returns
    -------
    HypothesisTest
        The combined quantile and its p-value, shape (...): 0 and 1 for `same` metrics; NaN if a
        correlation is NaN, and for opposite metrics.

    Raises
    ------
    InputError
        If the alternative is unknown.

    Examples
    --------
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> q, p = williams_jackknife(score_pairs(scores, [0], [1]))
    >>> print(f"q = {q[0]:.3f}, p = {p[0]:.4f}")
    q = 0.748, p = 0.4543
    """
    tempered, jackknifed = tempered_williams(pairs), jackknife_of_z(pairs)
    share = jackknife_share
    quantile = share * _quantile(jackknifed) + (1 - share) * _quantile(tempered)
    return _unless_same(pairs, normal_test(quantile, alternative))


def _temper(pairs: ScorePairs) -> Floats:
    """``(g k / 3)^(3/8)``; 1 if one of its sums is 0."""
    u2, v2 = pairs.error_gap**2, pairs.error_sum**2
    sums = u2.sum(axis=0) ** 3 * v2.sum(axis=0)
    heaviness = pairs.n**2 * (u2 * v2).sum(axis=0) * (u2 * u2).sum(axis=0) / (3 * sums)
    return np.asarray(np.where(heaviness > 0, heaviness, 1.0) ** TEMPER)


def _quantile(test: HypothesisTest) -> Floats:
    """Return the normal quantile of a two-sided p-value, with the sign of the statistic."""
    return np.asarray(-np.sign(test.statistic) * ndtri(np.maximum(test.p_value, TINY) / 2))


def _unless_same(pairs: ScorePairs, test: HypothesisTest) -> HypothesisTest:
    """Set the test to no difference if both metrics are the same."""
    return HypothesisTest(
        np.where(pairs.same, 0.0, test.statistic), np.where(pairs.same, 1.0, test.p_value)
    )


@dataclass(frozen=True)
class ProjectionConstants:
    """Constants of m; see the module.

    Parameters
    ----------
    base : float, default 1.86
    difference_power, level_power : float
        Powers of d and of l.
    towards, away : float
        Growth of m with T, for the limit on zero's side and for the other limit.
    jackknife_power : float
        Power of the jackknife in the standard error of T.
    largest_t : float
    """

    base: float = 1.86
    difference_power: float = 0.12
    level_power: float = 0.11
    towards: float = 0.14
    away: float = 0.04
    jackknife_power: float = 0.2
    largest_t: float = 4.0


CALIBRATED = ProjectionConstants()


def projection_interval(
    pairs: ScorePairs,
    *,
    confidence_level: float = MEASURED_LEVEL,
    constants: ProjectionConstants = CALIBRATED,
) -> Interval:
    """Compute an interval for r_a - r_b that projects an ellipse of both z; see the module.

    Parameters
    ----------
    pairs : ScorePairs, shape (...)
    confidence_level : float, default 0.95
        Coverage was measured at the default; other levels scale m by the normal quantile.
    constants : ProjectionConstants, optional

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
    >>> lower, upper = projection_interval(score_pairs(scores, [0], [1]))
    >>> print(f"{lower[0]:.3f} to {upper[0]:.3f}")
    -0.115 to 0.273
    """
    check_confidence_level(confidence_level)
    quantile = _at_level(confidence_level)
    towards, away = _multiples(pairs, constants)
    higher = pairs.z_a >= pairs.z_b
    towards, away = quantile * towards, quantile * away
    lower, upper = projected_limits(
        pairs, np.where(higher, towards, away), np.where(higher, away, towards)
    )
    return Interval(np.where(pairs.same, 0.0, lower), np.where(pairs.same, 0.0, upper))


def agreeing(interval: Interval, quantile: Floats, confidence_level: float) -> Interval:
    """Make an interval agree with a two-sided test about zero.

    If the test rejects equality, a limit on the other side of zero becomes 0, and the interval does
    not contain this limit. Otherwise the interval is extended to 0. So a true difference of 0 is
    missed as often as the test rejects it. Any other difference is missed only if the interval
    misses it, or if the test rejects on the wrong side.

    Parameters
    ----------
    interval : Interval, of shape (...)
    quantile : ndarray, shape (...)
        Normal quantile of the test, positive if the difference is; NaN without a test, which leaves
        the limits as they are.
    confidence_level : float
        The test rejects at 1 minus this level.
    """
    rejects = np.abs(quantile) >= ndtri((1 + confidence_level) / 2)
    kept = rejects | np.isnan(quantile)
    lower = np.where(kept, interval.lower, np.minimum(interval.lower, 0.0))
    upper = np.where(kept, interval.upper, np.maximum(interval.upper, 0.0))
    return Interval(
        np.where(rejects & (quantile > 0), np.maximum(lower, 0.0), lower),
        np.where(rejects & (quantile < 0), np.minimum(upper, 0.0), upper),
    )


def _at_level(confidence_level: float) -> float:
    """Ratio of normal quantiles, a factor of m."""
    return float(ndtri((1 + confidence_level) / 2) / ndtri((1 + MEASURED_LEVEL) / 2))


def projected_limits(
    pairs: ScorePairs, towards_lower: Floats | float, towards_upper: Floats | float
) -> Interval:
    """Smallest and largest ``tanh x_a - tanh x_b`` over ellipses of so many standard errors.

    The ellipses are those of a normal population: with 1.96 the projection is the interval for
    large n. Each limit has a multiple of its own.
    """
    c, scale = pairs.normal_c, 1.0 / np.sqrt(max(pairs.n - 3, 1))
    total, apart = np.abs(pairs.z_a + pairs.z_b), pairs.z_a - pairs.z_b
    of_total, of_apart = scale * np.sqrt(2.0 * (1.0 + c)), scale * np.sqrt(2.0 * (1.0 - c))
    lower, upper = (np.asarray(multiple) for multiple in (towards_lower, towards_upper))
    return Interval(
        -largest_difference(total, -apart, lower * of_total, lower * of_apart),
        largest_difference(total, apart, upper * of_total, upper * of_apart),
    )


def _multiples(pairs: ScorePairs, constants: ProjectionConstants) -> tuple[Floats, Floats]:
    """Return m of the limit towards zero, and of the other."""
    normal, jackknifed = pairs.normal_variance, pairs.jackknife_variance
    weight_a, weight_b = 1.0 - np.abs(pairs.r_a), 1.0 - np.abs(pairs.r_b)
    logs = [np.log((pairs.n - 3) * jackknife_variance(x)) for x in (pairs.left_a, pairs.left_b)]
    total = weight_a + weight_b
    level = (weight_a * logs[0] + weight_b * logs[1]) / np.where(total == 0, 1.0, total)
    error = np.sqrt(
        normal ** (1 - constants.jackknife_power) * jackknifed**constants.jackknife_power
    )
    t = np.minimum(np.abs(pairs.z_a - pairs.z_b) / error, constants.largest_t)
    widened = (jackknifed / normal) ** constants.difference_power * np.exp(
        constants.level_power * level
    )
    size = constants.base * widened
    return size * np.exp(constants.towards * t), size * np.exp(constants.away * t)
