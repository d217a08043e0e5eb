import numpy as np
import pytest
from scipy import stats

from supersample.inference.coefficients import pearson, pearson_with


def test_pearson_agrees_with_scipy():
    values = np.random.default_rng(1).normal([0, 1e6, -3, 5], size=(17, 4))
    ours = pearson(values)
    for j in range(4):
        for k in range(4):
            assert ours[j, k] == pytest.approx(stats.pearsonr(values[:, j], values[:, k])[0])


def test_pearson_of_constant_and_missing_scores_is_nan():
    values = np.random.default_rng(3).normal(size=(10, 4))
    values[:, 1] = 0.1  # whose mean in doubles is not 0.1
    values[3, 2] = np.nan
    nan = np.isnan(pearson(values))
    assert nan[[1, 2]].all()
    assert nan[:, [1, 2]].all()
    assert not nan[np.ix_([0, 3], [0, 3])].any()


@pytest.mark.parametrize("seed", range(5))
def test_identical_scorers_have_identical_rows(seed):
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(3, 13, 23))
    values[..., 22] = values[..., 7] = values[..., 0]
    values[1, :, 5] = values[1, :, 4] * 2  # perfectly correlated, not identical
    ours = pearson(values)
    for twin in (7, 22):
        assert np.array_equal(ours[:, twin], ours[:, 0])
        assert np.array_equal(ours[:, :, twin], ours[:, :, 0])
        assert (ours[:, 0, twin] == 1).all()
    assert np.array_equal(ours, np.swapaxes(ours, -1, -2))
    assert (np.einsum("...kk->...k", ours) == 1).all()
    assert (np.abs(ours) <= 1).all()


def test_pearson_of_scores_far_from_zero():
    values = np.random.default_rng(5).integers(-9, 9, size=(8, 3)).astype(float)
    np.testing.assert_allclose(pearson(values + 2.0**40), pearson(values), atol=1e-14)


def test_one_scorer_with_all_others_is_a_row_of_the_matrix():
    values = np.random.default_rng(3).normal(1e6, 1, (6, 50))
    values[2] = 5.0
    values[3, 7] = np.nan
    expected = pearson(values.T)[0]
    np.testing.assert_allclose(pearson_with(values[0], values), expected, rtol=1e-12)
    assert np.isnan(pearson_with(np.ones(50), values)).all()
