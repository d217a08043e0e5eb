"""Which metrics could be the best on new systems, by the library and by rival methods."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from experiments.survival.plan import ALPHA, Plan
from supersample.inference.comparisons_with_best import _dunnett_quantile
from supersample.inference.two_correlations.fisher_jackknife import score_pairs

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
LARGEST_R = 1 - 1e-9
SMALLEST_ERROR = 1e-12
"""Of metrics with the same scores."""


def correlations(scores: Floats, weights: Floats) -> Floats:
    """Fisher's z of each metric's r (..., metrics) for scores (n, 1 + metrics), people's first."""
    human, metrics = scores[:, :1], scores[:, 1:]
    total = weights.sum(axis=1, keepdims=True)
    mean_h, mean_m = weights @ human / total, weights @ metrics / total
    between = weights @ (human * metrics) / total - mean_h * mean_m
    var_h = weights @ human**2 / total - mean_h**2
    var_m = weights @ metrics**2 / total - mean_m**2
    with np.errstate(divide="ignore", invalid="ignore"):
        r = between / np.sqrt(var_h * var_m)
    return np.asarray(np.arctanh(np.clip(r, -LARGEST_R, LARGEST_R)))


def drawn_again(scores: Floats, rng: np.random.Generator, resamples: int) -> tuple[Floats, Floats]:
    """Give z of each metric, and its bootstrap replicates over systems."""
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    n = len(scores)
    weights = rng.multinomial(n, np.full(n, 1 / n), resamples).astype(np.float64)
    replicates = correlations(scores, weights)
    # a sample of one or two systems that differ has no r, or one of 1
    usable = np.isfinite(replicates).all(axis=1) & ((weights > 0).sum(axis=1) > 2)
    return correlations(scores, np.ones((1, n)))[0], replicates[usable]


def by_library(scores: Floats) -> Bools:
    """Say which metrics fisher-jackknife and Dunnett's law do not rule out."""
    count = scores.shape[1] - 1
    first, second = np.triu_indices(count, 1)
    q = score_pairs(scores[np.newaxis], first, second).quantile[0]
    largest = np.full(count, -np.inf)
    np.maximum.at(largest, second, q)
    np.maximum.at(largest, first, -q)
    return np.asarray(largest <= max(_dunnett_quantile(ALPHA, count - 1), 1.959964))


def model_confidence_set(z: Floats, replicates: Floats) -> Bools:
    """Say which metrics a model confidence set by T_max holds."""
    left = np.ones(z.size, dtype=bool)
    while left.sum() > 1:
        own = z[left].mean() - z[left]  # how much worse than the average
        of = replicates[:, left].mean(axis=1, keepdims=True) - replicates[:, left] - own
        error = np.maximum(np.sqrt((of**2).mean(axis=0)), SMALLEST_ERROR)
        largest = (of / error).max(axis=1)
        statistic = own / error
        if (largest >= statistic.max()).mean() > ALPHA:
            break
        left[np.flatnonzero(left)[statistic.argmax()]] = False
    return left


def rank_confidence_set(z: Floats, replicates: Floats) -> Bools:
    """Say which metrics can have the first rank, each taken alone."""
    left = np.ones(z.size, dtype=bool)
    for k in range(z.size):
        others = np.arange(z.size) != k
        ahead = (z - z[k])[others]
        of = (replicates - replicates[:, [k]])[:, others] - ahead
        error = np.maximum(of.std(axis=0), SMALLEST_ERROR)
        limit = np.quantile((of / error).max(axis=1), 1 - ALPHA)
        left[k] = not (ahead / error > limit).any()
    return left


def hierarchical_model(z: Floats, scores: Floats, rng: np.random.Generator, draws: int) -> Bools:
    """Say which metrics make the smallest set with 95 % of the probability of the best."""
    errors = normal_covariance(scores)
    ones = np.ones(z.size)

    def of(log_spread: float) -> tuple[float, Floats, float]:
        inverse = np.linalg.inv(errors + np.exp(2 * log_spread) * np.eye(z.size))
        mean = float(ones @ inverse @ z / (ones @ inverse @ ones))
        _, log_det = np.linalg.slogdet(inverse)
        return float((z - mean) @ inverse @ (z - mean) - log_det), inverse, mean

    spread = float(minimize_scalar(lambda x: of(x)[0], bounds=(-6, 1), method="bounded").x)
    _, inverse, mean = of(spread)
    prior = np.exp(2 * spread)
    middle = mean + prior * inverse @ (z - mean)
    covariance = prior * np.eye(z.size) - prior**2 * inverse
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.clip(values, 0, None))
    drawn = middle + rng.standard_normal((draws, z.size)) @ root.T
    chances = np.bincount(drawn.argmax(axis=1), minlength=z.size) / draws
    order = np.argsort(-chances, kind="stable")
    before = np.cumsum(chances[order]) - chances[order]
    left = np.zeros(z.size, dtype=bool)
    left[order[before < 1 - ALPHA]] = True
    return left


def normal_covariance(scores: Floats) -> Floats:
    """Covariance of Fisher's z of metrics that share people's scores (Olkin and Siotani 1964)."""
    n, r = len(scores), np.corrcoef(scores.T)
    own, between = r[0, 1:], r[1:, 1:]
    a, b = own[:, np.newaxis], own[np.newaxis]
    top = between * (1 - a**2 - b**2) - 0.5 * a * b * (1 - a**2 - b**2 - between**2)
    c = top / ((1 - a**2) * (1 - b**2))
    np.fill_diagonal(c, 1.0)
    values, vectors = np.linalg.eigh((c + c.T) / 2)
    return np.asarray((vectors * np.clip(values, 1e-9, None)) @ vectors.T / (n - 3))


def all_rivals(
    scores: Floats, rng: np.random.Generator, plan: Plan, resamples: int
) -> dict[str, Bools]:
    """Say by each method which metrics could be the best, for scores (n, 1 + metrics)."""
    z, replicates = drawn_again(scores, rng, resamples)
    methods: dict[str, Callable[[], Bools]] = {
        "fisher-jackknife": lambda: by_library(scores),
        "model confidence set": lambda: model_confidence_set(z, replicates),
        "rank confidence set": lambda: rank_confidence_set(z, replicates),
        "hierarchical model": lambda: hierarchical_model(z, scores, rng, plan.draws),
    }
    return {name: method() for name, method in methods.items()}
