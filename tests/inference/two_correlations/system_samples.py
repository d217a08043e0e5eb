"""Small samples of system scores, shared by tests."""

import numpy as np


def metric_scores(n, noise, seed, *, quality_noise=0.1):
    """Scores (n, 1 + metrics): people, and metrics with errors of these standard deviations."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    errors = rng.normal(size=(n, len(noise))) * np.asarray(noise)
    human = quality + quality_noise * rng.normal(size=n)
    return np.column_stack([human, quality[:, np.newaxis] + errors])
