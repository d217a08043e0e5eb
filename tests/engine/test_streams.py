import numpy as np
import pytest
from scipy import stats

from supersample import InputError
from supersample.engine.streams import biased_words, stream_key, uniforms
from tests.engine import reference


def _replicates(*numbers):
    return np.array(numbers, dtype=np.uint64)


def test_keys_and_uniforms_equal_the_reference():
    for seed in (0, 1, 2**64 - 1):
        key = stream_key(seed, "share")
        assert int(key) == reference.key(seed, "share")
        drawn = uniforms(key, _replicates(0, 7, 2**44 - 1), 3)
        expected = [
            [reference.uniform(int(key), i, position) for position in range(3)]
            for i in (0, 7, 2**44 - 1)
        ]
        np.testing.assert_array_equal(drawn, expected)


def test_splitmix64_is_the_published_generator():
    # Recipe: the first three outputs of Vigna's public splitmix64.c from the state 1234567. It adds
    # gamma before it mixes; our word 0 does not, so the key is one gamma further.
    gamma = 0x9E3779B97F4A7C15
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert [reference.word(1234567 + gamma, 0, i) for i in range(3)] == published


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_has_64_bits(seed):
    with pytest.raises(InputError, match="a seed must be an integer"):
        stream_key(seed, "mask")


def test_uniforms_are_uniform_and_uncorrelated():
    drawn = uniforms(stream_key(3, "test"), np.arange(40_000, dtype=np.uint64), 4)
    assert stats.kstest(drawn.ravel(), "uniform").pvalue > 1e-4
    correlations = np.corrcoef(drawn, rowvar=False)[np.triu_indices(4, 1)]
    assert np.abs(correlations).max() < 4.5 / np.sqrt(40_000)
    lagged = np.corrcoef(drawn[:-1, 0], drawn[1:, 0])[0, 1]
    assert abs(lagged) < 4.5 / np.sqrt(40_000)


@pytest.mark.parametrize("share", [0.5, 0.25, 0.3, 1 / 3, 0.999, 2**-32])
def test_bits_equal_the_reference(share):
    threshold = int(share * 2**32)
    key = stream_key(5, "mask")
    replicates = _replicates(0, 1, 999)
    words = biased_words(key, replicates, np.full(3, threshold, dtype=np.uint64), 128)
    for h, replicate in enumerate(replicates):
        expected = reference.bits(int(key), int(replicate), threshold, 128)
        got = [bool(int(words[h, unit // 64]) >> (unit % 64) & 1) for unit in range(128)]
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.7])
def test_bits_have_their_share(share):
    thresholds = np.full(2000, int(share * 2**32), dtype=np.uint64)
    replicates = np.arange(2000, dtype=np.uint64)
    words = biased_words(stream_key(1, "mask"), replicates, thresholds, 640)
    ones = int(np.bitwise_count(words).sum())
    assert stats.binomtest(ones, 640 * 2000, share).pvalue > 1e-4
    by_unit = [int((words >> np.uint64(i) & np.uint64(1)).sum()) for i in range(64)]
    spread = (np.array(by_unit) - 20_000 * share) / np.sqrt(20_000 * share * (1 - share))
    assert stats.chi2.sf((spread**2).sum(), 64) > 1e-4
