"""Small samples of system scores, shared by tests."""

import numpy as np
from scipy import integrate, stats


def metric_scores(n, noise, seed, *, quality_noise=0.1):
    """Scores (n, 1 + metrics): people, and metrics with errors of these standard deviations."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    errors = rng.normal(size=(n, len(noise))) * np.asarray(noise)
    human = quality + quality_noise * rng.normal(size=n)
    return np.column_stack([human, quality[:, np.newaxis] + errors])


def dunnett(largest, count):
    """Chance that the largest of count - 1 normals that correlate by 1/2 exceeds this."""
    others = max(count - 1, 1)

    def above(x):
        below = stats.norm.cdf(np.sqrt(2) * largest - x) ** others
        return stats.norm.pdf(x) * (1 - below)

    return integrate.quad(above, -9, 9, epsabs=1e-13, limit=200)[0]
