"""Averages of correlations over groups, and their limits."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.resamples import bootstrap_counts, jackknife_counts
from supersample.inference.one_correlation.averages import mean_interval
from supersample.inference.one_correlation.weighted import WEIGHTED_COEFFICIENTS
from supersample.inference.resampling.intervals import bca_interval
from supersample.inference.results import Interval
from supersample.results.comparisons import difference_matrix, limit_matrices
from supersample.scores.system_level import bases_of

RESAMPLES = 9_999


def _same(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values


_SCALES: dict[str, Any] = {"arithmetic": (_same, _same), "fisher": (np.arctanh, np.tanh)}


def averaged(
    stacked: dict[str, NDArray[np.float64]], average: str
) -> dict[str, NDArray[np.float64]]:
    """Average of r, limits of it and of differences, for independent groups."""
    forward, back = _SCALES[average]
    with np.errstate(divide="ignore"):
        r, lower, upper = (forward(stacked[name]) for name in ("r", "lower", "upper"))
    with np.errstate(invalid="ignore"):
        limits = mean_interval(r, lower, upper)
    centre = back(r.mean(axis=0))
    differences = stacked["difference"]
    if average == "fisher":  # the limits are of differences of z
        differences = (stacked["difference_lower"] + stacked["difference_upper"]) / 2
    apart = mean_interval(differences, stacked["difference_lower"], stacked["difference_upper"])
    return {
        "r": centre,
        "lower": back(limits.lower),
        "upper": back(limits.upper),
        "difference": difference_matrix(centre),
        "difference_lower": apart.lower.copy(),
        "difference_upper": apart.upper.copy(),
    }


def limits_by_bootstrap(
    groups: list[xr.Dataset], average: str, seed: int, confidence_level: float
) -> dict[str, NDArray[np.float64]]:
    """Limits of the average and of differences where all groups have the same systems."""
    weighted = WEIGHTED_COEFFICIENTS["pearson"]
    forward, back = _SCALES[average]
    rows = [bases_of(group)[0].scores for group in groups]
    count = rows[0].shape[0]
    numbers = np.arange(RESAMPLES, dtype=np.uint64)
    drawn_counts = bootstrap_counts(
        count, seed=seed, replicates=numbers, purpose="bootstrap of systems of all groups"
    )

    def averages(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        # of two systems r is -1 or 1, and its z infinite: undefined where groups disagree
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.mean([forward(weighted(scores, counts)) for scores in rows], axis=0)
        return np.asarray(back(z))

    drawn, left_out = averages(drawn_counts), averages(jackknife_counts(count))
    estimate = averages(np.ones((1, count)))[0]

    def interval(of: Any) -> Interval:
        return bca_interval(
            of(drawn), of(estimate), of(left_out), confidence_level=confidence_level
        )

    first, second = np.triu_indices(estimate.size, 1)
    lower, upper = interval(lambda r: r)
    limits = interval(lambda r: r[..., first] - r[..., second])
    below, above = limit_matrices(estimate, *limits)
    return {"lower": lower, "upper": upper, "difference_lower": below, "difference_upper": above}
