import numpy as np
import pytest

from supersample.engine.kernel import (
    REPLICATES_PER_BATCH,
    masked_sums,
    signed_sums_by_column,
)
from supersample.engine.streams import coin_words, pack_coins, stream_key, take_coins, unpack_coins

KEY = stream_key(3, "test")


@pytest.mark.parametrize("units", [1, 15, 16, 17, 63, 64, 65, 200])
@pytest.mark.parametrize("columns", [1, 31, 33])
def test_sums_are_those_of_a_matrix_product(units, columns):
    values = np.random.default_rng(0).normal(size=(units, columns))
    words = coin_words(KEY, np.arange(7, dtype=np.uint64), units)
    expected = unpack_coins(words, units).astype(float) @ values
    np.testing.assert_allclose(masked_sums(words, values), expected, atol=1e-13)


def test_sums_do_not_depend_on_blocks_of_replicates_or_columns():
    values = np.random.default_rng(0).normal(size=(101, 70))
    numbers = np.arange(REPLICATES_PER_BATCH + 40, dtype=np.uint64)
    whole = masked_sums(coin_words(KEY, numbers, 101), values)
    for rows in (slice(0, 3), slice(3, 40), slice(REPLICATES_PER_BATCH, None)):
        for columns in (slice(0, 1), slice(1, 70)):
            words = coin_words(KEY, numbers[rows], 101)
            block = masked_sums(words, np.ascontiguousarray(values[:, columns]))
            assert np.array_equal(block, whole[rows, columns])


def test_signed_sums_of_some_units_are_those_of_the_kernel():
    rng = np.random.default_rng(0)
    words = coin_words(KEY, np.arange(9, dtype=np.uint64), 100)
    for chosen, columns in ((100, 40), (65, 40), (33, 17), (1, 5), (0, 5), (64, 40)):
        values, units = rng.normal(size=(100, columns)), np.sort(rng.permutation(100)[:chosen])
        found = np.empty((columns, len(words)))
        signed_sums_by_column(take_coins(words, units), values, units, found)
        kept = masked_sums(take_coins(words, units), values[units])
        every = masked_sums(pack_coins(np.ones((1, chosen), bool)), values[units])
        np.testing.assert_array_equal(found, (2 * kept - every).T)


def test_coins_survive_packing():
    words = coin_words(KEY, np.arange(9, dtype=np.uint64), 77)
    assert np.array_equal(pack_coins(unpack_coins(words, 77)), words)
    assert not (words[:, 1] >> np.uint64(13)).any()


def test_coins_are_fair_and_independent():
    coins = unpack_coins(coin_words(KEY, np.arange(4000, dtype=np.uint64), 128), 128)
    # 512,000 fair coins: five standard errors of the mean are 0.0035
    assert abs(coins.mean() - 0.5) < 0.0035
    correlation = np.corrcoef(coins.T)[np.triu_indices(128, 1)]
    # of 8,128 correlations of 4,000 fair coins none should pass 5.5 / sqrt(4000)
    assert np.abs(correlation).max() < 0.087
