"""Populations of other shapes, or with rated human scores, and the correlations to be covered."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from supersample.engine import Floats
from supersample.engine.hybrid_designs import PairHybrids
from supersample.engine.moments import MomentWeights, true_weights
from supersample.engine.streams import correlate, correlation_factor, normals, stream_key, uniforms
from supersample.simulation.populations import (
    Moments,
    Population,
    Replicates,
    exact_moments,
    products_over_systems,
)

HEAVY_TAILED_FREEDOM = 5  # of Student's t
LOG_NORMAL_SCALE = 0.6
OUTLIER_DISTANCE = 5.0  # below the others' mean, in standard deviations of the others
OUTLIER_SHARE = 1.0 / 12.0
SEGMENT_DEVIATION = 6.0  # of the study; populations of the package have less noise by default


@dataclass(frozen=True, eq=False, repr=False)
class ShapedPopulation(Population):
    """A population with true scores that are not normal, or with outliers.

    Parameters
    ----------
    distribution : str, default "normal"
        Distribution of true scores. "normal"; "skewed": t = A g, with A A' the correlations (A
        lower triangular) and g independent exponential numbers minus 1; "heavy-tailed": the same
        with g from Student's t with 5 degrees of freedom, scaled to variance 1; "log-normal":
        exp(0.6 z) of normal z with the given correlations, standardised, so that the scores
        correlate slightly less; "uneven": normal, with the residuals of the metrics' regression on
        t_0 multiplied by sqrt((1 + t_0^2) / 2), so that errors grow away from the middle.
    outliers : {"none", "one", "some"}, default "none"
        Systems that are much worse than the others, by people and by metrics (Mathur, Baldwin and
        Cohn 2020): 5 is subtracted from all true scores of the first system of a sample, or of each
        system with probability 1/12.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU", ACL, section 4, on outlier systems.
    """

    segment_deviation: ArrayLike = SEGMENT_DEVIATION
    distribution: str = "normal"
    outliers: str = "none"

    def describe(self) -> str:
        """Describe it briefly."""
        shape = super().describe().replace("normal", self.distribution, 1)
        return shape if self.outliers == "none" else f"{shape}+outliers {self.outliers}"

    def _true_scores(self, seed: int, replicates: Replicates, systems: int, stream: str) -> Floats:
        """Shape (replicates, systems, scorers)."""
        factor = correlation_factor(np.asarray(self.correlation))
        keys = np.array([stream_key(seed, f"{stream} {k}") for k in range(len(factor))])
        drawn = np.empty((replicates.size, keys.size, systems))
        for k, key in enumerate(keys):
            if self.distribution == "skewed":
                drawn[:, k] = -np.log1p(-uniforms(key, replicates, systems)) - 1.0
            elif self.distribution == "heavy-tailed":
                p = uniforms(key, replicates, systems) + 2.0**-54
                spread = np.sqrt(HEAVY_TAILED_FREEDOM / (HEAVY_TAILED_FREEDOM - 2))
                drawn[:, k] = stdtrit(HEAVY_TAILED_FREEDOM, p) / spread
            else:
                drawn[:, k] = normals(key, replicates, systems)
        if self.distribution == "uneven":
            drawn[:, 1:] *= np.sqrt((1.0 + drawn[:, :1] ** 2) / 2.0)
        correlate(drawn, factor)
        if self.distribution == "log-normal":
            square = LOG_NORMAL_SCALE**2
            mean, deviation = np.exp(square / 2), np.sqrt(np.expm1(square) * np.exp(square))
            drawn = (np.exp(LOG_NORMAL_SCALE * drawn) - mean) / deviation
        if self.outliers == "one":
            drawn[:, :, 0] -= OUTLIER_DISTANCE
        elif self.outliers == "some":
            out = uniforms(stream_key(seed, "outlier"), replicates, systems) < OUTLIER_SHARE
            drawn -= OUTLIER_DISTANCE * out[:, np.newaxis]
        return np.swapaxes(drawn, 1, 2)


def shaped_moments(population: ShapedPopulation, systems: int, segments: int) -> Moments:
    """As `exact_moments`, for samples of a population of any shape."""
    true = np.array(population.correlation)
    if population.distribution == "log-normal":
        square = LOG_NORMAL_SCALE**2
        true = np.expm1(square * true) / np.expm1(square)
    if population.outliers == "one":
        true = true + OUTLIER_DISTANCE**2 / systems
    elif population.outliers == "some":
        true = true + OUTLIER_DISTANCE**2 * OUTLIER_SHARE * (1.0 - OUTLIER_SHARE)
    deviations = np.asarray(population.segment_deviation)
    noise = np.outer(deviations, deviations) * np.asarray(population.shared_noise)
    return true + noise / segments, true + noise


@dataclass(frozen=True, eq=False, repr=False)
class RatedPopulation(Population):
    """A population whose segments have human scores of few levels, or none.

    Parameters
    ----------
    human_levels : int, optional
        If given, the human score of a segment is one of this many whole numbers from 0, which are
        equally likely in a normal population.
    missing_ratings : float, default 0.0
        Probability that nobody rated a system's segment. Human scores are then means over rated
        segments, and contributions are first-order contributions.
    """

    segment_deviation: ArrayLike = SEGMENT_DEVIATION
    human_levels: int | None = None
    missing_ratings: float = 0.0

    def describe(self) -> str:
        """Describe it briefly."""
        parts = [super().describe()]
        if self.human_levels is not None:
            parts.append(f"{self.human_levels} levels")
        if self.missing_ratings:
            parts.append(f"missing {self.missing_ratings:g}")
        return "+".join(parts)

    def draw(
        self, seed: int, replicates: Replicates, systems: int, segments: int | None = None
    ) -> Floats:
        """As `Population.draw`."""
        out = super().draw(seed, replicates, systems, segments)
        deviation = float(np.asarray(self.segment_deviation)[0])
        if segments is None:
            if self.human_levels is not None:
                out[..., 0] = mean_level(out[..., 0], deviation, self.human_levels)
            return out
        if self.human_levels is not None:
            spread = np.sqrt(1.0 + deviation**2)
            out[..., 0] = np.floor(ndtr(out[..., 0] / spread) * self.human_levels)
        if self.missing_ratings:
            drawn = uniforms(stream_key(seed, "rated"), replicates, systems * segments)
            rated = (drawn >= self.missing_ratings).reshape(out.shape[:-1])
            out[..., 0] = rated_contributions(out[..., 0], rated)
        return out


def mean_level(true: Floats, deviation: float, levels: int) -> Floats:
    """Mean of levels (whole numbers from 0) over infinitely many segments, given true scores."""
    limits = ndtri(np.arange(1, levels) / levels) * np.sqrt(1.0 + deviation**2)
    return np.asarray(ndtr((true[..., np.newaxis] - limits) / deviation).sum(axis=-1))


def rated_contributions(scores: Floats, rated: NDArray[np.bool_]) -> Floats:
    """First-order contributions to means over rated segments (over all, if none is rated)."""
    rated = rated | ~rated.any(axis=-1, keepdims=True)
    share = rated.mean(axis=-1, keepdims=True)
    mean = (scores * rated).sum(axis=-1, keepdims=True) / rated.sum(axis=-1, keepdims=True)
    return np.asarray(mean + (scores - mean) * rated / share)


def simulated_moments(
    population: Population, systems: int, segments: int, *, seed: int, total: int = 2**17
) -> Moments:
    """Simulate the moments of `exact_moments` as the mean over samples of ``total`` systems.

    The samples are drawn only for this. Correlations have standard errors of about
    ``(1 - r^2) / 362``.
    """
    samples = -(-total // systems)
    step = max(1, 2**20 // (systems * segments))
    key = int(stream_key(seed, "reference population"))
    sums = np.zeros((2, *np.shape(population.correlation)))
    for start in range(0, samples, step):
        numbers = np.arange(start, min(start + step, samples), dtype=np.uint64)
        for sample in population.draw(key, numbers, systems, segments):
            sums += products_over_systems(sample)
    scores, units = sums / (samples * (systems - 1))
    return scores, units


def estimand_values(
    population: Population, systems: int, segments: int, seed: int = 0
) -> dict[str, Floats]:
    """For each estimand, r of the first metric and the difference of both in the population."""
    if isinstance(population, RatedPopulation):
        scores, units = simulated_moments(population, systems, segments, seed=seed)
    elif isinstance(population, ShapedPopulation):
        scores, units = shaped_moments(population, systems, segments)
    else:
        scores, units = exact_moments(population, segments)
    weights = {
        "observed": MomentWeights(1.0, 0.0),
        "true": true_weights(segments),
        "hybrid": PairHybrids().moment_weights(systems, segments),
    }
    values = {}
    for name, weight in weights.items():
        covariance = weight.scores * scores + weight.units * units
        deviations = np.sqrt(np.diag(covariance))
        r = covariance[0, 1:] / (deviations[0] * deviations[1:])
        values[name] = np.array([r[0], r[0] - r[1]])
    return values
