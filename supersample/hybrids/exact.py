"""The population of all hybrids of Scores: correlations in closed form, and samples."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.additive import Statistics, system_totals
from supersample.engine.hybrid_designs import Design, PairHybrids
from supersample.engine.moments import correlation_of, standard_errors, two_agreements
from supersample.errors import check_counted
from supersample.inference.coefficients import pearson
from supersample.results.variables import describe, signature
from supersample.scores.selection import Mask
from supersample.scores.system_level import HumanMean, PreparedScores, prepare_scores


def exact_hybrid_correlations(
    scores: xr.Dataset,
    *,
    design: Design | None = None,
    n: int = 10_000,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> xr.Dataset:
    """Compute the correlations of infinitely many hybrids, and the parts that they consist of.

    The covariance of hybrids' scores has three parts: the covariance of the pairs' midpoints
    (between), the effect of unequal shares (share), and the effect of the choice of units (within).
    r = covariance / (s_h s_m) has the same parts. For pairs, the correlations of the between part
    are exactly those of the original systems: only the choice of units changes r.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    design : Design, optional
        `PairHybrids`, `MixHybrids` or a registered design; default: pairs, and a fair coin for each
        segment. Balanced and random pairs have the same population, and differ only in the standard
        error.
    n : int, default 10_000
        Number of hybrids for ``standard_error``.
    mask, human_mean
        As in `hybrid_supersample`.

    Returns
    -------
    xarray.Dataset
        Dim (metric), oriented as declared. ``r``: of the population of hybrids. ``systems_r``: of
        the original systems. ``between_part``, ``share_part`` and ``within_part``: they add up to
        r. ``standard_error``: the typical distance between r over n hybrids and r, including the
        effect of an incomplete last rotation of balanced pairs. ``between_variance``: the share of
        the between part in the metric's variance; the attribute ``human_between_variance`` is the
        same for the human scores.

        r is a mixture: ``r = systems_weight * systems_r + pdp_weight * pdp``, where ``pdp`` is the
        pairwise difference Pearson, r of the differences of all pairs of systems on each unit
        (`agreement` by "pdp/item"; on documents if these are the unit). With u the share of the
        systems' covariance in the variance of hybrids (``systems_share`` for metrics, the attribute
        ``human_systems_share`` for people), the weights are ``sqrt(u_h u_m)`` and
        ``sqrt((1 - u_h) (1 - u_m))``. ``balance``: the number of units of a hybrid with which both
        weights are equal; with more units r of systems dominates, with fewer PDP. NaN if r over the
        systems has no share in r of hybrids. ``higher_is_better``: the declared orientation.

        The result is exact for scores that are linear in the hybrids' totals, such as means without
        gaps. Otherwise (gaps, corpus metrics) it is a first-order approximation (delta method): on
        the example with the mask "all", 4 x 10^5 simulated hybrids show no difference beyond their
        Monte-Carlo error.

        r is NaN if every hybrid has the same score.

    Raises
    ------
    InputError
        As `hybrid_supersample`.

    Examples
    --------
    >>> from supersample import load_example
    >>> exact = exact_hybrid_correlations(load_example())
    >>> parts = exact["between_part"] + exact["share_part"] + exact["within_part"]
    >>> bool(abs(parts - exact["r"]).max() < 1e-12)
    True
    """
    check_counted("hybrids", n)
    design = PairHybrids() if design is None else design
    prepared = prepare_scores(scores, unit=design.unit, mask=mask, human_mean=human_mean)
    return exact_correlations(prepared, design, n)


def exact_correlations(prepared: PreparedScores, design: Design, n: int) -> xr.Dataset:
    """As `exact_hybrid_correlations`, for Scores prepared by the design's unit."""
    statistics, signs = prepared.statistics.about_centres(), prepared.signs
    mixture = design.mixture(statistics)
    covariance = mixture.covariance
    r = np.clip(correlation_of(covariance)[0, 1:], -1.0, 1.0)
    r[_are_flat(statistics)[1:] | _are_flat(statistics)[0]] = np.nan
    systems = pearson(statistics.finalize(system_totals(statistics.values)))[0, 1:]
    scale = np.sqrt(covariance[0, 0] * np.diag(covariance)[1:])
    scale[np.isnan(r)] = np.nan
    oriented = signs[0] * signs[1:]
    mixed = two_agreements(statistics, design.moment_weights(*statistics.values.shape[:2]))
    systems_weight, pdp_weight = mixed.weights
    between = np.diag(mixture.between) / np.where(np.diag(covariance) > 0, np.diag(covariance), 1)
    values = {
        "r": r * oriented,
        "systems_r": systems * oriented,
        "between_part": mixture.between[0, 1:] / scale * oriented,
        "share_part": mixture.share[0, 1:] / scale * oriented,
        "within_part": mixture.within[0, 1:] / scale * oriented,
        "standard_error": standard_errors(mixture, r, n=n),
        "between_variance": between[1:],
        "pdp": mixed.units_r * oriented,
        "systems_weight": systems_weight,
        "pdp_weight": pdp_weight,
        "systems_share": mixed.shares[1:],
        "balance": mixed.balance,
        "higher_is_better": signs[1:] > 0,
    }
    options = {"design": describe(design), "human_mean": prepared.human_mean}
    attrs = {**prepared.scores.attrs, **options}
    return xr.Dataset(
        {name: ("metric", value) for name, value in values.items()},
        coords={"metric": prepared.names},
        attrs={
            **attrs,
            "kind": "exact",
            "n": n,
            "human_between_variance": float(between[0]),
            "human_systems_share": float(mixed.shares[0]),
            "signature": signature(
                **{**attrs, "statistic": "exact pearson", "n": "infinitely many hybrids"}
            ),
        },
    )


def _are_flat(statistics: Statistics) -> NDArray[np.bool_]:
    """Which scorers have equal statistics for all systems, and so one score for all hybrids."""
    varying = (statistics.values != statistics.values[0]).any(axis=(0, 1))
    return np.array([not varying[list(columns)].any() for columns in statistics.columns])
