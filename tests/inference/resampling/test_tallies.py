"""Streams of draws against NumPy on all of them at once."""

import numpy as np
from scipy import stats

from supersample.inference.resampling.intervals import (
    add_draws,
    new_tally,
    tally_edges,
    tally_quantiles,
    tally_summary,
)

DRAWS = np.tanh(np.random.default_rng(1).normal(size=(20_000, 2)) * [0.5, 0.01] + [0.4, 2])
BOUND = np.ones(2)


def tallied(draws, parts, bins=2_000):
    tally = new_tally(draws[:4096], bins, BOUND)
    for part in np.array_split(draws, parts):
        add_draws(tally, np.ascontiguousarray(part))
    return tally


def test_quantiles_are_right_to_a_bin_and_moments_to_rounding():
    tally = tallied(DRAWS, 7)
    width = np.diff(tally.edges[:, :2], axis=1).ravel()
    for p in (0.0, 0.001, 0.025, 0.5, 0.999, 1.0):
        q = tally_quantiles(tally, p)[0]
        assert np.all((q - width > DRAWS).mean(axis=0) <= p)
        assert np.all((q + width >= DRAWS).mean(axis=0) >= p)
    summary = tally_summary(tally)
    np.testing.assert_allclose(summary.mean, DRAWS.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(summary.standard_deviation, DRAWS.std(axis=0), rtol=1e-11)
    np.testing.assert_allclose(summary.skewness, stats.skew(DRAWS, axis=0), rtol=1e-9)


def test_every_draw_is_counted_between_the_edges_it_lies_between():
    late = np.concatenate([DRAWS[:5000], [[-1.0, 1.0], [1.0, -1.0], [np.nan, 0.0]]])
    tally = tallied(late, 3, bins=50)
    np.testing.assert_array_equal(tally.undefined, [1, 0])
    np.testing.assert_array_equal(tally.counts.sum(axis=1), [5002, 5003])
    edges = tally_edges(tally)
    assert np.all(np.diff(edges, axis=1) >= 0)
    assert edges.min() == -1
    assert edges.max() == 1
    expected, _ = np.histogram(late[:, 1], edges[1])
    assert np.abs(tally.counts[1] - expected).max() <= 1  # a draw on an edge may go to either side


def test_columns_without_spread_or_without_draws():
    draws = np.column_stack([np.full(10, 0.3), np.full(10, np.nan)])
    tally = tallied(draws, 1, bins=5)
    mean, deviation, skewness = tally_summary(tally)
    np.testing.assert_array_equal(mean, [0.3, np.nan])
    np.testing.assert_array_equal(deviation[:1], [0])
    assert np.isnan(skewness).all()
    np.testing.assert_array_equal(tally_quantiles(tally, [0.1, 0.9]), [[0.3, np.nan]] * 2)
