import numpy as np
import pytest

from supersample.engine.additive import Mean, combine, mean_columns, sum_over_units


def test_means_of_many_scorers_are_those_of_each():
    rng = np.random.default_rng(0)
    gappy = [np.where(rng.random((3, 9)) < 0.5, np.nan, rng.normal(size=(3, 9))) for _ in range(4)]
    gappy[2][1] = np.nan  # a system without any score
    parts = [mean_columns(scores) for scores in gappy]
    statistics = combine(parts)
    scores = statistics.finalize(statistics.values.sum(axis=1))
    each = [mean(np.stack(columns, axis=-1).sum(axis=1)) for columns, mean in parts]
    np.testing.assert_array_equal(scores, np.stack(each, axis=-1))
    assert np.isnan(scores[1, 2])


def test_statistics_must_be_finite_and_of_their_width():
    with pytest.raises(ValueError, match="finite"):
        combine([(np.full((2, 2, 2), np.nan), Mean())])
    with pytest.raises(ValueError, match="takes 2 columns"):
        combine([(np.zeros((3, 2, 2)), Mean())])


def test_documents_are_summed_in_the_order_of_segments():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3, 50, 2)) * 10.0 ** rng.integers(-8, 8, (3, 50, 2))
    units = rng.integers(0, 7, 50)
    expected = np.zeros((3, 7, 2))
    for segment, unit in enumerate(units):
        expected[:, unit] += values[:, segment]
    np.testing.assert_array_equal(sum_over_units(values, units, 7), expected)
