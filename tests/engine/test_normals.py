"""Normal numbers by position."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from supersample.engine.streams import (
    _middle,
    _tail,
    correlated_normals,
    correlation_factor,
    normals,
    stream_key,
)

REPLICATES = np.arange(2000, dtype=np.uint64)
KEY = stream_key(0, "test")


def test_the_quantile_is_the_normal_one():
    q = np.linspace(-0.425, 0.425, 501)
    np.testing.assert_allclose([_middle(x) for x in q], ndtri(0.5 + q), atol=2e-15)
    p = np.logspace(-16, np.log10(0.075), 501)
    np.testing.assert_allclose([_tail(x) for x in p], -ndtri(p), rtol=2e-15)


def test_numbers_are_standard_normal_and_depend_on_their_place_alone():
    numbers = normals(KEY, REPLICATES, 50)
    assert stats.kstest(numbers.ravel(), "norm").pvalue > 0.001
    assert abs(np.corrcoef(numbers.T) - np.eye(50)).max() < 5 / np.sqrt(2000)
    np.testing.assert_array_equal(normals(KEY, REPLICATES[7:9], 20), numbers[7:9, :20])
    assert not np.array_equal(normals(stream_key(1, "test"), REPLICATES, 50), numbers)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1, 0.9, 0.5], [0.9, 1, 0.3], [0.5, 0.3, 1]],
        [[1, 1, -1], [1, 1, -1], [-1, -1, 1]],  # singular
        np.corrcoef(np.random.default_rng(0).normal(size=(4, 8)).T),  # of rank 3 in 8 dimensions
    ],
)
def test_the_factor_gives_the_correlations_also_singular_ones(matrix):
    factor = correlation_factor(np.array(matrix, dtype=np.float64))
    np.testing.assert_allclose(factor @ factor.T, matrix, atol=1e-7)
    np.testing.assert_array_equal(factor, np.tril(factor))


def test_correlated_numbers_correlate_so_and_leaving_out_the_last_changes_nothing():
    matrix = np.array([[1, 0.9, 0.5], [0.9, 1, 0.3], [0.5, 0.3, 1]])
    factor = correlation_factor(matrix)
    keys = np.array([stream_key(0, name) for name in "abc"])
    samples = correlated_normals(keys, factor, REPLICATES, 20)
    pooled = np.swapaxes(samples, 0, 1).reshape(3, -1)
    np.testing.assert_allclose(np.corrcoef(pooled), matrix, atol=4 / np.sqrt(40_000))
    fewer = correlated_normals(keys[:2], factor[:2, :2], REPLICATES, 20)
    np.testing.assert_array_equal(samples[:, :2], fewer)
