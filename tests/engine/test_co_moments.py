from functools import reduce

import numpy as np
import pytest

from supersample.engine.moments import co_moments, correlations, merged


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
