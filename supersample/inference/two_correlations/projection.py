"""An interval for the difference of two correlations with the human scores: a projected ellipse.

Zou's (2007) interval recovers its variance from the arms of two intervals on Fisher's scale: the
lower arm of r_a and the upper arm of r_b, as if r_a's level fell while r_b's rose. Near r = 1
Fisher's arms are so unequal that they do not cancel, not even where both z move as one (c = 1), and
the interval is wider than it needs to be, though it covers too little where scores have tails.
Instead take all (x_a, x_b) within m standard errors of (z_a, z_b),

    (x - z)' V^-1 (x - z) <= m^2,    V = [[1, c], [c, 1]] / (n - 3),

c the normal correlation of both z, and from them the least and the largest tanh x_a - tanh x_b. To
first order this is the delta method; beyond it, both correlations move together.

m depends on what the sample says of the normal V, and on the side. With

    d = J(z_a - z_b) (n - 3) / (2 (1 - c)),    J the jackknife's variance,
    l = the geometric mean of (n - 3) J(z_a) and (n - 3) J(z_b), weights 1 - |r_a| and 1 - |r_b|,
    T = |z_a - z_b| by its standard error (variance: normal^.8 jackknife^.2), at most 4,

the limit on zero's side of r_a - r_b has m = 1.86 d^.12 l^.11 exp(.14 T), the other one m = 1.86
d^.12 l^.11 exp(.04 T). A large T often comes from a sample in which V is too small: hence the
longer limit towards zero. The limits do not invert a test: `williams_jackknife` rejects equality
more often than the interval leaves out zero.

The form is derived, the constants are calibrated to 95 % over random settings of 8 to 24
systems (`experiments/honest_inference`, which has the range and the worst case). At another
confidence level m is multiplied by the ratio of normal quantiles. In 200 settings that confirmed
them coverage was at least 93 % in 96 % and 91.7 % in the worst one; of 60 pairs of metrics of real
systems 86.2 % in the worst and 93.0 % in the median.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from supersample.inference.arguments import Interval, check_confidence_level
from supersample.inference.two_correlations.system_scores import (
    Floats,
    ScorePairs,
    jackknife_variance,
)

ANGLES = 96
"""Points of the ellipse; the largest of them falls short by at most .0005 of the half-width."""

MEASURED_N = (8, 24)
"""Numbers of systems for which coverage was measured."""

MEASURED_LEVEL = 0.95


@dataclass(frozen=True)
class ProjectionConstants:
    """Constants of m; see the module.

    Parameters
    ----------
    base : float, default 1.86
    difference_power, level_power : float
        Powers of d and of l.
    towards, away : float
        Growth of m with T, of the limit on zero's side and of the other.
    jackknife_power : float
        Of the jackknife in the standard error of T.
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
    """Interval for r_a - r_b that projects an ellipse of both Fisher's z; see the module.

    Parameters
    ----------
    pairs : ScorePairs, shape (...)
    confidence_level : float, default 0.95
        The level that coverage was measured at; others scale m by the normal quantile.
    constants : ProjectionConstants, optional

    Returns
    -------
    Interval
        Limits of shape (...), within [-2, 2]: [0, 0] for `same` metrics, NaN where a correlation
        is NaN.

    Raises
    ------
    InputError
        If the confidence level is not between 0 and 1.

    Examples
    --------
    >>> from supersample.inference.two_correlations.system_scores import score_pairs
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> lower, upper = projection_interval(score_pairs(scores, [0], [1]))
    >>> print(f"{lower[0]:.3f} to {upper[0]:.3f}")
    -0.115 to 0.273
    """
    check_confidence_level(confidence_level)
    quantile = ndtri((1 + confidence_level) / 2) / ndtri((1 + MEASURED_LEVEL) / 2)
    towards, away = _multiples(pairs, constants)
    higher = pairs.z_a >= pairs.z_b
    lower, _ = projected_limits(pairs, quantile * np.where(higher, towards, away))
    _, upper = projected_limits(pairs, quantile * np.where(higher, away, towards))
    return Interval(np.where(pairs.same, 0.0, lower), np.where(pairs.same, 0.0, upper))


def projected_limits(pairs: ScorePairs, multiple: Floats | float) -> tuple[Floats, Floats]:
    """Least and largest ``tanh x_a - tanh x_b`` over the ellipse of `multiple` standard errors.

    The normal population's ellipse: with ``multiple`` 1.96 its projection is the interval that
    treats n as large.
    """
    scale = np.asarray(multiple) / np.sqrt(max(pairs.n - 3, 1))
    z_a, z_b, c = pairs.z_a, pairs.z_b, pairs.normal_c
    rest = np.sqrt(np.maximum(1.0 - c * c, 0.0))
    least = np.full(z_a.shape, np.inf)
    largest = np.full(z_a.shape, -np.inf)
    for angle in np.linspace(0.0, 2 * np.pi, ANGLES, endpoint=False):
        x, y = np.cos(angle), np.sin(angle)
        difference = np.tanh(z_a + scale * x) - np.tanh(z_b + scale * (c * x + rest * y))
        least, largest = np.minimum(least, difference), np.maximum(largest, difference)
    return least, largest


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
