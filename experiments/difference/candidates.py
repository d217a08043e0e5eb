"""Tests and intervals of a difference of r over systems, for many samples at once."""

from collections.abc import Callable

import numpy as np
from scipy.special import stdtr, stdtrit

from experiments.difference.plan import HALVES
from experiments.honest_inference.earlier import agreeing, projection_interval, williams_jackknife
from experiments.honest_inference.shapes import Floats
from supersample.inference.two_correlations.fisher_jackknife import ScorePairs, largest_within
from supersample.inference.two_correlations.overlapping import williams1959

TODAY = "williams-jackknife"


def variances() -> dict[str, Callable[[ScorePairs], Floats]]:
    """Variance of z_a - z_b of each candidate whose interval is its test, turned round."""

    def raised(half: float) -> Callable[[ScorePairs], Floats]:
        def variance(pairs: ScorePairs) -> Floats:
            share = pairs.n / (pairs.n + half)
            ratio = pairs.jackknife_variance / pairs.normal_variance
            return np.asarray(pairs.normal_variance * np.maximum(1.0, ratio) ** share)

        return variance

    found = {f"raised({half:g})": raised(half) for half in HALVES}
    found["geometric"] = lambda p: np.sqrt(p.normal_variance * p.jackknife_variance)
    return found


def p_values(pairs: ScorePairs) -> dict[str, Floats]:
    """Two-sided p-values of every candidate."""
    found = {"Williams": williams1959(pairs.r_a, pairs.r_b, pairs.r_ab, pairs.n).p_value}
    found[TODAY] = williams_jackknife(pairs).p_value
    for name, variance in variances().items():
        t = np.abs(pairs.z_a - pairs.z_b) / np.sqrt(variance(pairs))
        found[name] = 2 * stdtr(pairs.n - 2, -t)
    return found


def intervals(pairs: ScorePairs) -> dict[str, tuple[Floats, Floats]]:
    """95 % limits of r_a - r_b: printed today, and the inversion of each test."""
    printed = agreeing(projection_interval(pairs), williams_jackknife(pairs).statistic, 0.95)
    found = {TODAY: (printed.lower, printed.upper)}
    t = stdtrit(pairs.n - 2, 0.975)
    for name, variance in variances().items():
        arm = t * np.sqrt(variance(pairs))
        given = pairs.z_a, pairs.z_b, pairs.uncorrelated, arm
        found[name] = -largest_within(*given, -1.0), largest_within(*given, 1.0)
    return found
