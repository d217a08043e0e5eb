"""A corpus metric whose score is known to be a mean, to hold the general routes to."""

from types import SimpleNamespace

import numpy as np

from supersample.scores.corpus.metrics import with_corpus_metric


def mean_as_corpus_metric(scores, metric):
    """Put a segment-level metric in again, as "... again": TER is a mean of its own kind."""
    values = scores["score"].sel(metric=metric).values
    low = values.min() - 1.0  # statistics are not negative
    return with_corpus_metric(
        scores,
        SimpleNamespace(
            label=f"{metric} again",
            finalizer="TER",
            options={},
            higher_is_better=bool(scores["higher_is_better"].sel(metric=metric)),
        ),
        np.stack([values - low, np.ones_like(values)], axis=-1),
        "mean",
    )
