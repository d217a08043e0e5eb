"""Small samples of system scores, shared by tests."""

import numpy as np
from scipy import stats
from scipy.special import ndtr


def metric_scores(n, noise, seed, *, quality_noise=0.1):
    """Scores (n, 1 + metrics): people, and metrics with errors of these standard deviations."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    errors = rng.normal(size=(n, len(noise))) * np.asarray(noise)
    human = quality + quality_noise * rng.normal(size=n)
    return np.column_stack([human, quality[:, np.newaxis] + errors])


def dunnett(largest, count):
    """Chance that the largest of count - 1 normals that correlate by 1/2 exceeds this."""
    places, weights = np.polynomial.legendre.leggauss(200)
    x = 9 * places
    below = ndtr(np.sqrt(2) * largest - x) ** max(count - 1, 1)
    return 9 * weights @ (stats.norm.pdf(x) * (1 - below))
