from functools import reduce

import numpy as np
import pytest

from supersample.engine.co_moments import co_moments, correlations, merged


@pytest.fixture
def scores():
    rng = np.random.default_rng(1)
    return 1e6 + rng.normal(size=(1_001, 4)) @ rng.normal(size=(4, 4))


def test_merged_blocks_are_the_whole(scores):
    """Far from zero, where sums of squares would lose ten digits."""
    whole = co_moments(scores)
    parts = reduce(merged, (co_moments(own) for own in np.split(scores, [1, 300, 700])))
    assert parts.rows == whole.rows == 1_001
    np.testing.assert_allclose(parts.means, scores.mean(axis=0), rtol=1e-13)
    np.testing.assert_allclose(parts.products / 1_000, np.cov(scores.T), atol=1e-9)
    np.testing.assert_allclose(correlations(parts), np.corrcoef(scores.T), atol=1e-9)


def test_what_does_not_vary_has_no_correlation(scores):
    scores[:, 2] = 0.1
    r = correlations(merged(co_moments(scores[:500]), co_moments(scores[500:])))
    assert np.isnan(r[2]).all()
    assert np.isnan(r[:, 2]).all()
    assert np.isfinite(r[[0, 1, 3]][:, [0, 1, 3]]).all()


def test_equal_and_opposite_scores_correlate_exactly(scores):
    scores[:, 1], scores[:, 2] = scores[:, 0], -scores[:, 0]
    r = correlations(merged(co_moments(scores[:500]), co_moments(scores[500:])))
    np.testing.assert_allclose(r[0, :3], [1, 1, -1], atol=1e-15)


def test_scores_very_far_from_zero_keep_their_correlation():
    """At 1e12 doubles still tell 1e-4 apart."""
    rng = np.random.default_rng(2)
    near = rng.normal(size=(2**16, 3)) @ rng.normal(size=(3, 3))
    parts = (co_moments(1e12 + half) for half in np.split(near, 2))
    np.testing.assert_allclose(correlations(reduce(merged, parts)), np.corrcoef(near.T), atol=1e-6)


@pytest.mark.parametrize("block", [0, 1])
def test_scores_are_the_same_where_they_are_in_both_blocks(scores, block):
    parts = np.split(scores, [500])
    scores[:, 1] = scores[:, 0]
    parts[block][7, 1] += 1.0
    parts[0][:, 3] = parts[0][:, 2]
    same = merged(*map(co_moments, parts)).same
    assert not same[0, 1]
    assert not same[2, 3]
    assert same.diagonal().all()
    parts[block][7, 1] -= 1.0
    assert merged(*map(co_moments, parts)).same[1, 0]


def test_extremes_are_those_of_each_scorer_and_missing_where_a_score_is(scores):
    scores[3, 1], scores[0, 2] = np.nan, np.nan
    found = co_moments(scores)
    np.testing.assert_array_equal(found.lowest, scores.min(axis=0))
    np.testing.assert_array_equal(found.highest, scores.max(axis=0))
    assert np.isnan(found.lowest).tolist() == [False, True, True, False]


def test_what_varies_between_blocks_alone_varies(scores):
    scores[:500, 2], scores[500:, 2] = 0.1, 0.2
    whole, parts = co_moments(scores), np.split(scores, [500])
    for order in (parts, parts[::-1]):
        both = merged(*map(co_moments, order))
        np.testing.assert_array_equal(both.lowest, whole.lowest)
        np.testing.assert_array_equal(both.highest, whole.highest)
        assert np.isfinite(correlations(both)).all()
