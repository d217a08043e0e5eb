"""Contributions of segments to corpus scores, which metrics swap."""

import numpy as np
import pytest

from supersample.engine.additive import CorpusBLEU, CorpusChrF, CorpusTER
from supersample.engine.swaps import contributions

SYSTEMS, SEGMENTS = 4, 30


def counts(width, seed=0):
    """Counts that could be matches, n-grams and lengths, in the order of TER and chrF."""
    rng = np.random.default_rng(seed)
    values = rng.integers(10, 30, size=(SYSTEMS, SEGMENTS, width)).astype(float)
    if width > 2:
        values[..., 2::3] = rng.integers(0, 9, size=values[..., 2::3].shape)
    return values


@pytest.mark.parametrize("finalizer", [CorpusTER(), CorpusChrF(), CorpusBLEU()])
def test_contributions_average_to_the_score_and_say_what_a_segment_weighs(finalizer):
    values = counts(finalizer.width)
    if isinstance(finalizer, CorpusBLEU):
        values[..., 2:6] = np.minimum(values[..., 2:6], values[..., 6:])
    found = contributions(values, finalizer)
    totals = values.sum(axis=1)
    np.testing.assert_allclose(found.mean(axis=1), finalizer(totals), atol=1e-10)
    # the derivative of the score in the weight of a segment, times the number of segments
    step = 1e-6
    up, down = (finalizer(totals[:, None] + s * step * values) for s in (1, -1))
    influence = SEGMENTS * (up - down) / (2 * step)
    centred = found - found.mean(axis=1, keepdims=True)
    assert np.abs(centred - influence).max() < 0.1 * np.abs(influence).max()
    assert np.corrcoef(centred.ravel(), influence.ravel())[0, 1] > 0.99
