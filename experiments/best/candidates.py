"""Statistics of every two metrics, laws of their largest, and limits, in many samples at once.

A matrix ``[..., j, k]`` says how far metric j is ahead of metric k.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from experiments.best.plan import MULTIPLIERS
from experiments.honest_inference.earlier import projection_interval, williams_jackknife
from experiments.honest_inference.shapes import Floats
from supersample.inference.two_correlations.fisher_jackknife import ScorePairs, score_pairs

AT_ONCE = 2_000_000
"""Systems times pairs times samples that are in memory."""
STATISTIC = "williams_jackknife"
BORROWED = {
    "borrowed from all": (0.0, "larger", 0.3),
    "borrowed from the upper half": (0.5, "larger", 0.3),
    "borrowed from the upper half, both rows": (0.5, "both", 0.3),
    "borrowed from the upper 3/4, both rows": (0.25, "both", 0.3),
    "borrowed from the upper half, both rows, half": (0.5, "both", 0.5),
}
"""Share of the smallest variances of a metric's pairs that is left out, whether the larger of both
metrics' means counts or both do, and the weight of the pair's own variance."""
STATISTICS = (STATISTIC, *BORROWED)
LAWS = ("Bonferroni", "Dunnett")
NOISES = (0.25, 0.5)
"""Shares of independent noise in the joint law by multipliers."""
_X = np.linspace(-9.0, 9.0, 361)
_DENSITY = np.exp(-_X * _X / 2) / np.sqrt(2 * np.pi) * (_X[1] - _X[0])


@dataclass(frozen=True)
class Sampled:
    """What candidates see of some samples."""

    pairs: ScorePairs
    r: Floats
    """Shape (samples, K)."""
    influences: Floats
    """Jackknife influences on z, shape (samples, n, K)."""
    statistics: dict[str, Floats]
    """Shape (samples, K, K)."""

    @property
    def index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of the metrics of each pair."""
        first, second = np.triu_indices(self.r.shape[-1], 1)
        return first.astype(np.int64), second.astype(np.int64)


def chunks(samples: Floats) -> Iterator[Sampled]:
    """Compute every statistic, some samples at a time."""
    total, n, columns = samples.shape
    count = columns - 1
    step = max(1, AT_ONCE // (n * count * max(count - 1, 1) // 2))
    for start in range(0, total, step):
        yield _sampled(samples[start : start + step])


def _sampled(x: Floats) -> Sampled:
    count = x.shape[-1] - 1
    first, second = np.triu_indices(count, 1)
    pairs = score_pairs(x, first, second)
    own = score_pairs(x, np.arange(count), np.arange(count))
    left = np.moveaxis(own.left_a, 0, 1)
    logs = (np.log(pairs.normal_variance) + np.log(pairs.jackknife_variance)) / 2
    log_variance = matrix(logs, count)
    ahead = own.z_a[:, :, np.newaxis] - own.z_a[:, np.newaxis, :]
    statistics = {STATISTIC: matrix(williams_jackknife(pairs).statistic, count, -1.0)}
    for name, (dropped, rows, weight) in BORROWED.items():
        statistics[name] = ahead * np.exp(-borrowed(log_variance, dropped, rows, weight) / 2)
    influences = (x.shape[1] - 1) * (left.mean(axis=1, keepdims=True) - left)
    return Sampled(pairs, own.r_a, influences, statistics)


def matrix(values: Floats, count: int, sign: float = 1.0) -> Floats:
    """Make matrices (..., K, K) of pairs (..., pairs); `sign` is that of the lower half."""
    first, second = np.triu_indices(count, 1)
    found = np.zeros((*values.shape[:-1], count, count))
    found[..., first, second], found[..., second, first] = values, sign * values
    return found


def borrowed(log_variance: Floats, dropped: float, rows: str, weight: float) -> Floats:
    """Mix each pair's log variance with the mean of its metrics' larger ones."""
    count = log_variance.shape[-1]
    others = log_variance[..., ~np.eye(count, dtype=bool)].reshape(-1, count, count - 1)
    means = np.sort(others, axis=-1)[..., int((count - 1) * dropped) :].mean(axis=-1)
    a, b = means[..., :, np.newaxis], means[..., np.newaxis, :]
    mean = np.maximum(a, b) if rows == "larger" else (a + b) / 2
    return np.asarray(weight * log_variance + (1 - weight) * mean)


def tail(law: str, largest: Floats, others: int) -> Floats:
    """Bound the chance that the largest of so many standard normal statistics exceeds this.

    Dunnett (1955): their correlations are 1/2, as those of comparisons of independent metrics with
    one of them are.
    """
    if law == "Bonferroni":
        return np.minimum(1.0, others * ndtr(-largest))
    below = ndtr(np.sqrt(2) * np.asarray(largest)[..., np.newaxis] + _X) ** others
    return np.asarray(1.0 - below @ _DENSITY)


def critical(law: str, level: float, others: int) -> float:
    """Value that the largest statistic exceeds with a chance of `level`."""
    if law == "Bonferroni":
        return float(-ndtri(level / others))
    low, high = 0.0, 9.0
    for _ in range(60):
        middle = (low + high) / 2
        above = float(tail(law, np.asarray(middle), others)) > level
        low, high = (middle, high) if above else (low, middle)
    return high


def multiplier_p_values(
    statistic: Floats, influences: Floats, noise: float, rng: np.random.Generator
) -> Floats:
    """p-values of being the best by Gaussian multipliers, (samples, K).

    The influences on z of each metric are multiplied by normal numbers, one for each system; a
    share of each metric's variance is replaced by independent noise. Differences are standardised
    by their own variance, so that the multipliers give correlations alone.
    """
    samples, n, count = influences.shape
    normal = rng.standard_normal((MULTIPLIERS, n))
    independent = rng.standard_normal((MULTIPLIERS, count))
    found = np.ones((samples, count))
    for i in range(samples):
        centred = influences[i] - influences[i].mean(axis=0)
        covariance = (1 - noise) * centred.T @ centred
        covariance[np.diag_indices(count)] /= 1 - noise
        spread = np.sqrt(np.diag(covariance))
        drawn = np.sqrt(1 - noise) * normal @ centred + np.sqrt(noise) * independent * spread
        of_metric = np.diag(covariance)
        variance = of_metric[:, np.newaxis] + of_metric - 2 * covariance
        np.fill_diagonal(variance, np.inf)
        weights = 1 / np.sqrt(variance)
        largest = np.full((MULTIPLIERS, count), -np.inf)
        for j in range(count):
            np.maximum(largest, (drawn[:, j : j + 1] - drawn) * weights[j], out=largest)
        exceeded = (largest >= statistic[i].max(axis=0)).sum(axis=0)
        found[i] = (1 + exceeded) / (1 + MULTIPLIERS)
    return found


def upper_limits(sampled: Sampled, confidence_level: float) -> Floats:
    """Upper limits of r_j - r_k by `projection_interval`, (samples, K, K)."""
    count = sampled.r.shape[-1]
    lower, upper = projection_interval(sampled.pairs, confidence_level=confidence_level)
    first, second = sampled.index
    found = np.zeros((*sampled.r.shape, count))
    found[..., first, second], found[..., second, first] = upper, -lower
    return found


def behind_lower(statistic: Floats, r: Floats, c: float) -> Floats:
    """Largest ``D_jk (1 - c / q_jk)`` over the metrics j that are ahead of k by more than c."""
    d = r[..., :, np.newaxis] - r[..., np.newaxis, :]
    counts = statistic > c
    limit = np.where(counts, d * (1 - c / np.where(counts, statistic, 1.0)), 0.0)
    return np.asarray(np.maximum(limit.max(axis=-2), 0.0))
