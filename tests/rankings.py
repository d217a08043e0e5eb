"""Rankings for the tests of what is made of them."""

import numpy as np

import supersample as ss


def scores_of(metrics, *, systems=8, flat=(), **options):
    """Simulated scores of metrics of these names; those in `flat` do not vary."""
    spread = np.linspace(0.95, 0.2, len(metrics))
    made = ss.simulate_scores(
        systems=systems,
        segments=40,
        correlations=dict(zip(metrics, map(float, spread), strict=True)),
        segment_deviation=0.5,
        seed=7,
        **options,
    )
    for name in flat:
        made["score"].loc[{"metric": name}] = 3.0
    return made


def sample_and_ranking(metrics, *, n=60, method="zou2007", **options):
    sample = ss.hybrid_supersample(scores_of(metrics, **options), n=n, seed=0)
    return sample, ss.rank(ss.correlations.compare_correlations(sample, method=method))
