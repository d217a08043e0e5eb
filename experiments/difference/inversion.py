"""Count samples in which test and interval of a difference disagree about 0.

    python -m experiments.difference.inversion     # about a minute of one processor

Samples of 102 settings like those of the study, from another seed, at three levels.
"""

import sys

import numpy as np

from experiments.common import DATA
from experiments.difference.settings import settings
from supersample.inference.two_correlations.fisher_jackknife import (
    fisher_jackknife,
    fisher_jackknife_interval,
    sampled_pairs,
)

SEED, SETTINGS, SAMPLES = 4404, 34, 500
LEVELS = (0.8, 0.95, 0.996)


def count() -> tuple[int, int]:
    """Count samples, of metrics that are equal and that are not, and disagreements."""
    samples = disagreements = 0
    for i, two in enumerate(settings(SEED, SETTINGS, DATA).values()):
        rng, r = np.random.default_rng((SEED, i)), two.correlations()[0]
        for lower in (r, max(0.3, r - 1.5 * (1 - r))):
            pairs = sampled_pairs(two.with_r(r, lower).draw(rng, SAMPLES))
            p = fisher_jackknife(pairs).p_value
            for level in LEVELS:
                low, high = fisher_jackknife_interval(pairs, confidence_level=level)
                disagreements += int((((low > 0) | (high < 0)) != (p < 1 - level)).sum())
            samples += SAMPLES
    return samples, disagreements


if __name__ == "__main__":
    samples, disagreements = count()
    print(f"{samples:,} samples at {len(LEVELS)} levels: {disagreements} disagreements")
    sys.exit(int(disagreements > 0))
