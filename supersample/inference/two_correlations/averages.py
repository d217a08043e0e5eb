"""Average the difference of two metrics over sets, such as language pairs and domains.

Let D_g be the difference in set g and w_g its weight. The average D = sum_g w_g D_g is tested as
the difference of one set is (see `fisher_jackknife`): a normal population gives its variance N, the
jackknife over systems gives J, and J can only raise N,

    N = sum_gh w_g w_h nu_gh n_g n_h,    J = sum_gh w_g w_h rho_gh j_g j_h,
    S^2 = N max(1, J / N)^(n / (n + 6)),    t = D / S,    n - 2 degrees of freedom,

with n_g and j_g the standard errors of D_g. Systems are clusters: a system in several sets has
similar errors in them, so nu_gh and rho_gh, the correlations of the two differences, come from the
common systems. With d_gi the centred values of D_g without system i, and sums over the common
systems in the numerator and over all systems of each set in the denominator,

    rho_gh = sum d_gi d_hi / sqrt(sum d_gi^2 sum d_hi^2),

so J is the variance of a jackknife that deletes a system from all its sets at once. To first order,
deleting system i changes r_a - r_b by u_gi v_gi, where u is the difference of the metrics' scores
and v is how far both are below people's scores; if they are normal, with m the number of common
systems (of common teams, and x the sum over a team, if a team has several systems),

    nu_gh = c(u) c(v) sqrt(n_g n_h) / m,  c(x) = sum x_gi x_hi / sqrt(sum x_gi^2 sum x_hi^2).

rho uses few data, a dozen products with heavy tails; nu is much more precise. Both variances are at
least .7 of those of independent sets. Fisher's z_a - z_b becomes a difference of r by its slope,
(r_a - r_b) / (z_a - z_b). The degrees of freedom n - 2 are Satterthwaite's,

    n - 2 = N^2 / sum_gh nu_gh^2 p_g p_h,    p_g = w_g n_g sum_h nu_gh w_h n_h / sqrt(n_g - 2)

(here n_g - 2 are those of set g). With one set, or the same scores in all sets, all this is the
test of one set; without common systems nu and rho are 0.

The limits of D are sum_g w_g L_g(t), where L_g(t) is the limit of set g at that part of t standard
errors of D that is its own: in the likeliest way for D to be t standard errors S away, D_g is
t sum_h nu_gh w_h n_h S / N of its own standard errors n_g away. The p-value is that of the t at
which a limit is 0, so the limits leave out 0 exactly if the test rejects equality. To first order
this t is D / S.

For any measure of agreement, the jackknife alone gives the errors (`jackknife_differences`), with
n_g - 1 degrees of freedom. Each is a sum over systems, so the share of common systems stands in the
place of nu_gh^2: sets of the same systems have n - 1 together. For averages over pairs of systems,
such as pairwise accuracy, J is rather too large than too small (Efron and Stein 1981).

`experiments/sets` measured level, coverage and power: several sets reject equality less often than
the level allows.

New sets
--------
For new language pairs or sets, the sets are the units of a random-effects model with weights w. The
variance of D is the sum of squared deviations, each divided by its share, plus the covariances of
common systems:

    V = sum_g w_g^2 (D_g - D)^2 / (1 - 2 w_g + sum_h w_h^2) + max(C, 0),
    C = sum_{g != h} w_g w_h c_gh s_g s_h,    t = D / sqrt(V),

with s_g the geometric mean of n_g and j_g, c the mean of nu and rho, and the degrees of freedom of
the first sum for equal variances, which are G - 1 for equal weights. No limit is nearer to D than
the limit over new systems, and equality is rejected if both tests reject it. With equal weights
and no common systems, the second one is Hartung and Knapp's.

References: Tukey (1958), as in `fisher_jackknife`. Efron and Stein (1981), "The jackknife estimate
of variance", Annals of Statistics 9. Cameron, Gelbach and Miller (2011), "Robust inference with
multiway clustering", Journal of Business and Economic Statistics 29. Satterthwaite (1946), "An
approximate distribution of estimates of variance components", Biometrics Bulletin 2. Hartung and
Knapp (2001), "On tests of the overall treatment effect in meta-analysis with normally distributed
responses", Statistics in Medicine 20. Higgins, Thompson and Spiegelhalter (2009), "A re-evaluation
of random-effects meta-analysis", Journal of the Royal Statistical Society A 172.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from supersample.errors import check_confidence_level
from supersample.inference.arguments import Floats
from supersample.inference.one_correlation import combined_errors
from supersample.inference.teams import influences, sums_of_units, teams_of, unit_names
from supersample.inference.two_correlations.fisher_jackknife import (
    HALF_WEIGHT,
    ScorePairs,
    largest_within,
)
from supersample.inference.two_correlations.shared_formulas import normal_test, quantile_of_t
from supersample.tolerances import TINY, VALUE_TIE

FEWEST_SETS = 5
"""Fewest sets for conclusions on new sets."""
_SMALLEST_Z = 1e-6
_NEAR, _MOST_STEPS = 1e-9, 50
"""A step of this share of t is the last one: the next one would be far below rounding."""


class Errors(NamedTuple):
    """Standard errors in several sets, shape (sets, pairs), and how they correlate."""

    sizes: Floats
    correlations: Floats
    """Shape (sets, sets, pairs)."""


@dataclass(frozen=True)
class SetDifferences:
    """Differences of the same pairs of metrics in several sets, shape (sets, pairs).

    `set_differences` and `jackknife_differences` make it. Weights of a pair add up to 1; if a set
    has weight 0 for a pair, its other values for the pair are ignored.
    """

    weights: Floats
    difference: Floats
    slope: Floats
    """Difference divided by that on the scale of the errors."""
    freedom: Floats
    """Degrees of freedom of the errors."""
    normal: Errors
    """On the scale of z_a - z_b for r; for other measures, those of the jackknife."""
    jackknife: Errors
    same: NDArray[np.bool_]
    """Whether both metrics are copies in the set."""
    ellipses: tuple[ScorePairs, ...] | None = None
    """Pairs of metrics in each set whose limits of r_a - r_b are curved; None if limits are not."""
    common: Floats | None = None
    """Shares of common systems, by which errors' variances correlate, shape (sets, sets, pairs).

    None if these follow from the normal correlations.
    """

    def alone(self, number: int) -> "SetDifferences":
        """Differences of one set."""
        at, one = slice(number, number + 1), np.ones((1, self.weights.shape[1]))
        return SetDifferences(
            one,
            self.difference[at],
            self.slope[at],
            self.freedom[at],
            Errors(self.normal.sizes[at], one[np.newaxis]),
            Errors(self.jackknife.sizes[at], one[np.newaxis]),
            self.same[at],
            None if self.ellipses is None else self.ellipses[at],
        )

    @property
    def copies(self) -> NDArray[np.bool_]:
        """Whether both metrics are copies in all sets that have both, shape (pairs,)."""
        known = (self.weights > 0).any(axis=0)
        return np.asarray((self.same | (self.weights == 0)).all(axis=0) & known)

    def weighed(self, values: Floats) -> Floats:
        """Multiply values of the sets by their weights, shape (sets, pairs)."""
        return np.where(self.weights == 0, 0.0, self.weights * values)

    def combined(self, errors: Errors, slope: Floats | float = 1.0) -> Floats:
        """Combine the sets' errors to that of the average, shape (pairs,)."""
        return combined_errors(self.weighed(slope * errors.sizes), errors.correlations)

    @property
    def plain(self) -> Errors:
        """Means of the normal and the jackknife's errors, on the scale of the logs."""
        both = self.normal, self.jackknife
        sizes = np.sqrt(self.normal.sizes * self.jackknife.sizes)
        return Errors(sizes, (both[0].correlations + both[1].correlations) / 2)

    @cached_property
    def mean(self) -> Floats:
        """Average difference, shape (pairs,)."""
        return np.asarray(self.weighed(self.difference).sum(axis=0))

    @cached_property
    def mean_freedom(self) -> Floats:
        """Degrees of freedom of the average's error, shape (pairs,)."""
        weighted = self.weighed(self.slope * self.normal.sizes)
        crossed = np.einsum("ghp,hp->gp", self.normal.correlations, weighted)
        parts = np.maximum(weighted * crossed, 0.0) / np.sqrt(self.freedom)
        together = self.normal.correlations**2 if self.common is None else self.common
        spread = (together * parts[:, np.newaxis] * parts).sum(axis=(0, 1))
        least = self.freedom.min(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (weighted * crossed).sum(axis=0) ** 2 / spread
        return np.asarray(np.where(spread > 0, np.maximum(found, least), least))

    @cached_property
    def raised(self) -> Floats:
        """Factor of the normal error of the average, sqrt(S^2 / N), shape (pairs,)."""
        normal, jackknife = (self.combined(e, self.slope) for e in (self.normal, self.jackknife))
        n = self.mean_freedom + 2
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.where(normal > 0, jackknife / normal, 1.0)
        return np.asarray(np.maximum(1.0, ratio) ** (n / (n + HALF_WEIGHT)))

    @cached_property
    def error(self) -> Floats:
        """Standard error S of the average, shape (pairs,)."""
        return np.asarray(self.combined(self.normal, self.slope) * self.raised)

    @cached_property
    def _shares(self) -> Floats:
        """How many of its normal errors each set is away if the average is one S away."""
        weighted = self.weighed(self.slope * self.normal.sizes)
        crossed = np.einsum("ghp,hp->gp", self.normal.correlations, weighted)
        crossed = np.maximum(crossed, 1e-9 * weighted)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(crossed * self.error / (weighted * crossed).sum(axis=0))

    def limit(self, t: ArrayLike, sign: ArrayLike, at: Any = slice(None)) -> Floats:
        """Limit of the average t standard errors above (sign 1) or below it (-1), (pairs,).

        `at` selects pairs; t and sign are theirs.
        """
        weights, sign = self.weights[:, at], np.asarray(sign, np.float64)
        arms = np.asarray(t) * self._shares[:, at] * self.normal.sizes[:, at]
        arms = np.where(weights == 0, 0.0, arms)
        each = self.difference[:, at] + sign * self.slope[:, at] * arms
        if self.ellipses is not None:
            given = [(x.z_a[at], x.z_b[at], x.uncorrelated[at]) for x in self.ellipses]
            of_sets = zip(given, arms, strict=True)
            each = np.stack([sign * largest_within(*x, arm, sign) for x, arm in of_sets])
        each = np.where(self.same[:, at], 0.0, each)
        return np.asarray(np.where(weights == 0, 0.0, weights * each).sum(axis=0))

    def t(self) -> Floats:
        """Find how many standard errors away a limit of the average is 0, shape (pairs,)."""
        size, sign = np.abs(self.mean), np.where(self.mean < 0, -1.0, 1.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            t = size / self.error
        if self.ellipses is None or len(self.weights) == 1:
            return np.asarray(sign * t)

        def left(t: Floats, at: NDArray[np.intp]) -> Floats:
            return np.asarray(sign[at] * self.limit(t, -sign[at], at))

        return np.asarray(sign * _zero_of(left, size, t))


def _zero_of(
    falling: Callable[[Floats, NDArray[np.intp]], Floats], at_zero: Floats, near: Floats
) -> Floats:
    """Find where nearly linear functions that fall from `at_zero` at 0 are 0 (secant method).

    `falling` computes the functions of these numbers; those whose zero is found are left out.
    """
    found, at = near.copy(), np.arange(near.size)
    before, value_before, t = np.zeros(near.shape), at_zero, near
    for _ in range(_MOST_STEPS):
        value = falling(t, at)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (value - value_before) / (t - before)
        change = -value / np.where(slope < 0, slope, -np.inf)
        found[at] = moved = t + np.clip(change, -t / 2, 2 * t)
        far = np.abs(moved - t) > _NEAR * t
        if not far.any():
            break
        at, before, value_before, t = at[far], t[far], value[far], moved[far]
    return found


class AveragedDifference(NamedTuple):
    """The average difference of each pair of metrics, its limits and its test, shape (pairs,)."""

    difference: Floats
    lower: Floats
    upper: Floats
    statistic: Floats
    p_value: Floats


class NewSets(NamedTuple):
    """Variation of differences between sets, shape (pairs,); see `over_new_sets`."""

    averaged: AveragedDifference
    tau: Floats
    i_squared: Floats
    prediction_lower: Floats
    prediction_upper: Floats


def set_differences(
    sets: Sequence[ScorePairs], systems: Sequence[ArrayLike], *, weights: ArrayLike | None = None
) -> SetDifferences:
    """Compute the differences of r in each set, in closed form; see the module.

    Parameters
    ----------
    sets : sequence of ScorePairs, each of shape (pairs,)
        The same pairs of metrics in each set.
    systems : sequence of array_like
        Names of each set's systems, in its order; equal names mean the same system.
    weights : array_like, shape (sets,) or (sets, pairs), optional
        Weights of at least 0; only their ratios matter. Equal by default.
    """
    same = np.stack([x.same for x in sets])
    on_z = np.where(same, 0.0, np.stack([x.z_a - x.z_b for x in sets]))
    difference = np.where(same, 0.0, np.stack([x.r_a - x.r_b for x in sets]))
    flat = np.abs(on_z) <= _SMALLEST_Z
    at_equal = np.stack([1.0 - x.r_a * x.r_b for x in sets])
    slope = np.where(flat, at_equal, difference / np.where(flat, 1.0, on_z))
    rho, nu = set_correlations(sets, systems)
    normal, jackknife = (
        np.where(same, 0.0, np.sqrt(np.stack(variances)))
        for variances in ([x.normal_variance for x in sets], [x.jackknife_variance for x in sets])
    )
    return SetDifferences(
        _shares(weights, difference.shape),
        difference,
        slope,
        np.stack([np.broadcast_to(x.freedom, x.same.shape) for x in sets]),
        Errors(normal, nu),
        Errors(jackknife, rho),
        same,
        tuple(sets),
    )


def jackknife_differences(
    values: Sequence[Floats],
    left_out: Sequence[Floats],
    systems: Sequence[ArrayLike],
    *,
    weights: ArrayLike | None = None,
) -> SetDifferences:
    """Compute the differences of any measure in each set, by the jackknife; see the module.

    Parameters
    ----------
    values : sequence of ndarray, shape (metrics,)
        Values of the same metrics in each set.
    left_out : sequence of ndarray, shape (systems, metrics)
        Values leaving out each of the set's systems; if names repeat, each of its teams.
    systems, weights
        As in `set_differences`; pairs are in the order of ``np.triu_indices``.
    """
    teams = [teams_of(names) for names in systems]
    names = unit_names(systems, teams)
    first, second = np.triu_indices(len(values[0]), 1)
    differences = np.stack([value[first] - value[second] for value in values])
    apart = [x[:, first] - x[:, second] for x in left_out]
    of_units = list(map(influences, differences, apart, teams))
    counts = np.array([[float(len(x))] for x in left_out])
    factors = np.where([[of is None] for of in teams], (counts - 1) / counts, 1.0)
    sizes = np.sqrt(factors * np.stack([(x**2).sum(axis=0) for x in of_units]))
    still = sizes <= VALUE_TIE  # a difference that no system changes gets an error of its size
    differences = np.where(still & (np.abs(differences) <= VALUE_TIE), 0.0, differences)
    sizes = np.where(still, np.abs(differences), sizes)
    correlations, common = correlations_of(of_units, names)
    errors = Errors(sizes, np.nan_to_num(correlations))
    return SetDifferences(
        _shares(weights, sizes.shape),
        differences,
        np.ones(sizes.shape),
        np.broadcast_to(counts - 1, sizes.shape),
        errors,
        errors,
        still & (sizes == 0),
        common=common,
    )


def _shares(weights: ArrayLike | None, shape: tuple[int, ...]) -> Floats:
    """Make weights that add up to 1."""
    given = np.ones(shape[0]) if weights is None else np.asarray(weights, np.float64)
    each = np.broadcast_to(given.reshape(shape[0], -1), shape)
    with np.errstate(invalid="ignore"):
        return np.asarray(each / each.sum(axis=0))


def average_difference(
    sets: SetDifferences, *, confidence_level: float = 0.95
) -> AveragedDifference:
    """Average the differences of metrics over sets; see the module.

    Returns
    -------
    AveragedDifference
        Two-sided p-values; the statistic is their normal quantile. Metrics that are copies in all
        sets have 0, [0, 0] and p = 1; NaN if a set has no value.

    Raises
    ------
    InputError
        If the confidence level is not between 0 and 1.

    Examples
    --------
    >>> from supersample.inference.two_correlations.fisher_jackknife import score_pairs
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> pairs, names = score_pairs(scores, [0], [1]), np.arange(12)
    >>> for systems in ([names], [names, names], [names, names + 12]):
    ...     found = set_differences([pairs] * len(systems), systems)
    ...     print(average_difference(found).p_value.round(3))
    [0.495]
    [0.495]
    [0.328]
    """
    check_confidence_level(confidence_level)
    freedom = sets.mean_freedom
    quantile = np.where(sets.copies, 0.0, quantile_of_t(sets.t(), freedom))
    t = stdtrit(freedom, (1 + confidence_level) / 2)
    lower, upper = (sets.limit(t, sign) for sign in (-1.0, 1.0))
    return AveragedDifference(sets.mean, lower, upper, *normal_test(quantile, "two-sided"))


def over_new_sets(sets: SetDifferences, *, confidence_level: float = 0.95) -> NewSets:
    """Average differences if the sets are a sample of sets; see the module.

    Parameters
    ----------
    sets : SetDifferences
    confidence_level : float, default 0.95

    Returns
    -------
    NewSets
        The average with its limits and test; tau, the standard deviation of the true difference
        between sets; I^2, its share of the variance of a set's difference; and prediction limits
        for the true difference in a new set. The statistic is a normal quantile. All values are NaN
        with fewer than five sets.
    """
    known = sets.weights > 0
    count = known.sum(axis=0)
    few = count < FEWEST_SETS
    systems = average_difference(sets, confidence_level=confidence_level)
    mean, plain = systems.difference, sets.plain
    apart = np.where(known, sets.difference - mean, 0.0)
    own = np.where(known, sets.slope * plain.sizes, 0.0)
    crossed = np.where(np.eye(len(known), dtype=bool)[..., np.newaxis], 0.0, plain.correlations)
    weighted = sets.weighed(own)
    shared = np.einsum("ghp,gp,hp->p", crossed, weighted, weighted)
    between, freedom = _between(sets, apart)
    error = np.sqrt(between + np.maximum(shared, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        quantile = np.abs(quantile_of_t(mean / error, freedom))
    quantile = np.sign(mean) * np.minimum(quantile, np.abs(systems.statistic))
    quantile = np.where(few, np.nan, np.where(sets.copies, 0.0, quantile))
    test = normal_test(quantile, "two-sided")
    t = np.where(few, np.nan, stdtrit(freedom, (1 + confidence_level) / 2))
    spread = (own**2).sum(axis=0) / np.maximum(count, 1)
    pairs = np.maximum(count * (count - 1), 1)
    covariance = np.einsum("ghp,gp,hp->p", crossed, own, own) / pairs
    centred = np.where(known, sets.difference, 0.0)
    centred = np.where(known, centred - centred.sum(axis=0) / np.maximum(count, 1), 0.0)
    found = (centred**2).sum(axis=0) / np.maximum(count - 1, 1)
    tau2 = np.maximum(found - spread + covariance, 0.0)
    total = np.where(tau2 + spread > 0, tau2 + spread, 1.0)
    tau = np.where(few, np.nan, np.sqrt(tau2))
    below = np.maximum(t * error, mean - systems.lower)
    above = np.maximum(t * error, systems.upper - mean)
    averaged = AveragedDifference(mean, mean - below, mean + above, *test)
    down, up = (np.hypot(arm, t * tau) for arm in (below, above))
    return NewSets(averaged, tau, tau**2 / total, mean - down, mean + up)


def _between(sets: SetDifferences, apart: Floats) -> tuple[Floats, Floats]:
    """Variance of the average by the sets' deviations from it, and its degrees of freedom."""
    w = sets.weighed(np.ones(apart.shape))
    square = (w * w).sum(axis=0)
    share = np.where(w > 0, 1.0 - 2.0 * w + square, 1.0)
    factor = np.divide(w * w, share, out=np.zeros(w.shape), where=share > 0)
    both = square - w[:, np.newaxis] - w  # covariances of deviations of equal variances
    both[np.diag_indices(len(w))] += 1.0
    spread = np.einsum("gp,hp,ghp->p", factor, factor, both**2)
    freedom = np.divide(square**2, spread, out=np.ones(spread.shape), where=spread > 0)
    return (factor * apart**2).sum(axis=0), np.maximum(freedom, 1.0)


def correlations_of(
    influences: Sequence[Floats], systems: Sequence[ArrayLike]
) -> tuple[Floats, Floats]:
    """Correlate centred influences, each of shape (systems, ...), over the systems of two sets.

    Returns
    -------
    correlations : ndarray, shape (sets, sets, ...)
    shares : ndarray, shape (sets, sets, 1)
        Number of common systems, divided by the geometric mean of both numbers of systems.
    """
    unit = [x / np.sqrt(np.maximum((x**2).sum(axis=0), TINY)) for x in influences]
    found = np.zeros((len(unit), len(unit), *unit[0].shape[1:]))
    shares = np.zeros((len(unit), len(unit), 1))
    found[np.diag_indices(len(unit))], shares[np.diag_indices(len(unit))] = 1.0, 1.0
    for g, h in combinations(range(len(unit)), 2):
        _, first, second = np.intersect1d(systems[g], systems[h], return_indices=True)
        found[g, h] = found[h, g] = (unit[g][first] * unit[h][second]).sum(axis=0)
        shares[g, h] = shares[h, g] = first.size / np.sqrt(len(unit[g]) * len(unit[h]))
    return found, shares


def set_correlations(
    sets: Sequence[ScorePairs], systems: Sequence[ArrayLike]
) -> tuple[Floats, Floats]:
    """Correlate the differences of each pair of sets by the jackknife, and as for normal scores.

    See the module; each has shape (sets, sets, pairs), and is 0 without a value.
    """
    names = unit_names(systems, [part.teams for part in sets])
    jackknife, shares = correlations_of([part.influences for part in sets], names)
    gaps, _ = correlations_of([sums_of_units(x.error_gap, x.teams) for x in sets], names)
    sums, _ = correlations_of([sums_of_units(x.error_sum, x.teams) for x in sets], names)
    normal = np.clip(gaps * sums / np.where(shares > 0, shares, 1.0), -1.0, 1.0)
    return np.nan_to_num(jackknife), np.nan_to_num(normal)
