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

The form is derived; the constant 6 is calibrated. The rule of this study chose it, but settings of
another seed did not confirm its level on real shapes (README.md).
"""

import numpy as np
from scipy.special import stdtrit

from supersample.inference.arguments import (
    Alternative,
    Floats,
    HypothesisTest,
    Interval,
    check_confidence_level,
)
from supersample.inference.two_correlations.extremes import largest_difference
from supersample.inference.two_correlations.statistics import t_test
from supersample.inference.two_correlations.system_scores import ScorePairs

SYSTEMS_OF_HALF = 6.0
"""Number of systems with which the jackknife has half of its weight, calibrated."""


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
