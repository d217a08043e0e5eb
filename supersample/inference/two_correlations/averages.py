"""Differences of two correlations averaged over groups: language pairs, domains, documents.

With D_g the difference in group g, and s_g its standard error as `williams_jackknife` has it, the
error whose ratio D_g / s_g is the quantile of that test, the average and its statistic are

    D = sum_g D_g / G,    q = D / S,    S^2 = sum_gh rho_gh s_g s_h / G^2,

referred to the normal distribution. rho is the identity where groups have different systems. Where
they share their systems it is (1 + 3 c) / 4, c the correlation of both groups' jackknife values,
z_a - z_b without each system in turn. (With c itself, known from a dozen systems, equality is
rejected in up to 9.8 % of samples of drawn settings, 6.1 % in the median; the weight was chosen by
simulation.) The limits of D follow from those of the groups in the same way, each side by itself
(Zou and Donner's recovery of variances):

    lower = D - sqrt(sum_gh rho_gh l_g l_h) / G,    l_g = D_g - lower_g.

With one group, or the same scores in all, these are the test and the interval of one group.
`experiments/honest_inference` measures level and coverage.

References: Zou and Donner (2008), "Construction of confidence limits about effect measures: a
general approach", Statistics in Medicine 27. Tukey (1958), as in `williams_jackknife`.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.inference.arguments import Floats, Interval
from supersample.inference.two_correlations.statistics import normal_test
from supersample.inference.two_correlations.system_scores import (
    TINY,
    ScorePairs,
    projection_interval,
    williams_jackknife,
)

Scale = Literal["r", "z"]
SCALES = ("r", "z")
TOWARDS_ONE = 0.25
"""How far correlations between groups of shared systems are moved to 1, calibrated."""
_SMALLEST_Q = 1e-6


class AveragedDifference(NamedTuple):
    """The average difference of each pair of metrics, its limits and its test, shape (pairs,)."""

    difference: Floats
    lower: Floats
    upper: Floats
    statistic: Floats
    p_value: Floats


def average_difference(
    groups: Sequence[ScorePairs],
    *,
    scale: Scale = "r",
    shared_systems: bool = False,
    confidence_level: float = 0.95,
) -> AveragedDifference:
    """Average the differences of correlations over groups; see the module.

    Parameters
    ----------
    groups : sequence of ScorePairs, each of shape (pairs,)
        The same pairs of metrics in each group.
    scale : {"r", "z"}, default "r"
        Mean of r_a - r_b, with the limits of `projection_interval` in each group, or of Fisher's
        z_a - z_b, with limits at normal quantiles of s_g.
    shared_systems : bool, default False
        Whether the groups have the same systems in the same order.
    confidence_level : float, default 0.95

    Returns
    -------
    AveragedDifference
        Two-sided p-values; 0, [0, 0] and 1 for metrics that are the same in all groups, NaN where
        one group has none.

    Raises
    ------
    InputError
        If there is no group, shared systems differ in number, or an option is unknown.

    Examples
    --------
    >>> from supersample.inference.two_correlations.system_scores import score_pairs
    >>> quality, *noise = np.random.default_rng(0).normal(size=(3, 12))
    >>> scores = np.column_stack([quality, quality + 0.3 * noise[0], quality + 0.6 * noise[1]])
    >>> pairs = score_pairs(scores, [0], [1])
    >>> average_difference([pairs, pairs]).p_value < average_difference([pairs]).p_value
    array([ True])
    """
    check_choice("scale", scale, SCALES)
    check_confidence_level(confidence_level)
    if not groups:
        raise InputError("an average needs a group")
    if shared_systems and len({group.n for group in groups}) > 1:
        raise InputError("groups that share their systems have the same number of them")
    parts = [_of_group(group, scale, confidence_level) for group in groups]
    differences, errors, below, above = (np.stack(each) for each in zip(*parts, strict=True))
    rho = _correlations(groups) if shared_systems else np.eye(len(groups))[..., np.newaxis]
    mean = differences.mean(axis=0)
    same = np.all([group.same for group in groups], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        test = normal_test(np.where(same, 0.0, mean / _combined(errors, rho)), "two-sided")
    lower, upper = mean - _combined(below, rho), mean + _combined(above, rho)
    return AveragedDifference(mean, lower, upper, test.statistic, test.p_value)


def _of_group(
    pairs: ScorePairs, scale: Scale, confidence_level: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Difference, its standard error, and the arms of its interval."""
    q = williams_jackknife(pairs).statistic
    if scale == "r":
        difference, slope = pairs.r_a - pairs.r_b, 1.0 - pairs.r_a * pairs.r_b
    else:
        difference, slope = pairs.z_a - pairs.z_b, np.ones_like(pairs.z_a)
    difference = np.where(pairs.same, 0.0, difference)
    with np.errstate(invalid="ignore", divide="ignore"):
        implied = np.abs(difference) / np.abs(q)
    error = np.where(np.abs(q) > _SMALLEST_Q, implied, slope * np.sqrt(pairs.normal_variance))
    error = np.where(pairs.same, 0.0, np.where(np.isnan(q), np.nan, error))
    if scale == "r":
        limits = projection_interval(pairs, confidence_level=confidence_level)
    else:
        arm = ndtri((1 + confidence_level) / 2) * error
        limits = Interval(difference - arm, difference + arm)
    return difference, error, difference - limits.lower, limits.upper - difference


def _correlations(groups: Sequence[ScorePairs]) -> Floats:
    """Correlations of the groups' jackknife values, moved to 1 by `TOWARDS_ONE`."""
    left_out = np.stack([group.left_a - group.left_b for group in groups])
    centred = left_out - left_out.mean(axis=1, keepdims=True)
    norms = np.sqrt(np.maximum((centred**2).sum(axis=1, keepdims=True), TINY))
    observed = np.einsum("gnp,hnp->ghp", centred / norms, centred / norms)
    return np.asarray(TOWARDS_ONE + (1.0 - TOWARDS_ONE) * observed)


def _combined(parts: Floats, rho: Floats) -> Floats:
    """``sqrt(sum_gh rho_gh parts_g parts_h) / G``, parts of shape (groups, pairs)."""
    square = np.einsum(
        "ghp,gp,hp->p", np.broadcast_to(rho, (*rho.shape[:2], parts.shape[1])), parts, parts
    )
    return np.asarray(np.sqrt(np.maximum(square, 0.0)) / len(parts))
