"""Corpus metrics that are swapped: means reduce to segment scores, parts to their own corpora."""

from dataclasses import dataclass

import numpy as np
import pytest

from supersample.engine.additive import CorpusBLEU, CorpusChrF, CorpusTER, mean_columns
from supersample.engine.buffers import Workspace
from supersample.engine.streams import take_coins
from supersample.engine.swaps import (
    exchange_differences,
    permutation_words,
    permuted_part,
    pseudo_values,
    scaled_corpus,
    swap_masks,
    swapped_parts,
)
from tests.sign_masks import sign_masks

SYSTEMS, SEGMENTS = 4, 30
RESAMPLES = np.arange(6, dtype=np.uint64)
SCHEMES = ["systems", "inputs", "both"]
LABELS = np.repeat(np.arange(10), 3)


def scores(seed=0):
    return np.random.default_rng(seed).normal(5, 2, size=(SYSTEMS, SEGMENTS))


def counts(width, seed=0):
    """Counts that could be matches, n-grams and lengths, in the order of TER and chrF."""
    rng = np.random.default_rng(seed)
    values = rng.integers(10, 30, size=(SYSTEMS, SEGMENTS, width)).astype(float)
    if width > 2:
        values[..., 2::3] = rng.integers(0, 9, size=values[..., 2::3].shape)
    return values


def as_mean(x, **options):
    columns, mean = mean_columns(x)
    return scaled_corpus(np.stack(columns, axis=-1), mean, higher_is_better=True, **options)


@pytest.mark.parametrize("finalizer", [CorpusTER(), CorpusChrF(), CorpusBLEU()])
def test_pseudo_values_average_to_the_score_and_say_what_a_segment_weighs(finalizer):
    values = counts(finalizer.width)
    if isinstance(finalizer, CorpusBLEU):
        values[..., 2:6] = np.minimum(values[..., 2:6], values[..., 6:])
    found = pseudo_values(values, finalizer)
    totals = values.sum(axis=1)
    np.testing.assert_allclose(found.mean(axis=1), finalizer(totals), atol=1e-10)
    # the derivative of the score in the weight of a segment, times the number of segments
    step = 1e-6
    up, down = (finalizer(totals[:, None] + s * step * values) for s in (1, -1))
    influence = SEGMENTS * (up - down) / (2 * step)
    centred = found - found.mean(axis=1, keepdims=True)
    assert np.abs(centred - influence).max() < 0.1 * np.abs(influence).max()
    assert np.corrcoef(centred.ravel(), influence.ravel())[0, 1] > 0.99


@pytest.mark.parametrize("scheme", SCHEMES)
def test_parts_are_scored_as_corpora_of_their_own(scheme):
    values = counts(2)
    units = SEGMENTS // 3
    metric = scaled_corpus(values, CorpusTER(), higher_is_better=False, units=LABELS)
    masks = swap_masks(scheme, systems=SYSTEMS, segments=units, seed=1, replicates=RESAMPLES)
    kept, brought = swapped_parts(metric, masks)
    for r, mask in enumerate(np.broadcast_to(masks, (RESAMPLES.size, SYSTEMS, units))):
        for i in range(SYSTEMS):
            for chosen, found in ((mask[i], brought), (~mask[i], kept)):
                rows = values[i][chosen[LABELS]]
                score = 100 * rows[:, 0].sum() / max(rows[:, 1].sum(), 1)
                z = (-score - metric.centre) / metric.spread
                assert found[r, i] == pytest.approx(len(rows) * z, abs=1e-9)


def test_permuted_parts_are_scored_as_corpora_of_their_own():
    values = counts(2, seed=1)
    metric = scaled_corpus(values, CorpusTER(), higher_is_better=False)
    numbers = np.arange(5, dtype=np.uint64)
    signs = sign_masks(SEGMENTS, seed=2, replicates=numbers)
    units = np.flatnonzero(np.arange(SEGMENTS) % 3)
    words = permutation_words(SEGMENTS, seed=2, replicates=numbers)
    _, null = permuted_part(metric, take_coins(words, units), units, Workspace())

    def rate(rows):
        return 100 * rows[:, 0].sum() / rows[:, 1].sum()

    for pair, (i, j) in enumerate(zip(*np.triu_indices(SYSTEMS, 1), strict=True)):
        for b, sign in enumerate(signs):
            own = np.where(sign[:, None] > 0, values[i], values[j])[units]
            other = np.where(sign[:, None] > 0, values[j], values[i])[units]
            expected = units.size * (rate(other) - rate(own)) / metric.spread
            assert null[pair, b] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("together", [1, 700, 10_000])
def test_permuted_parts_do_not_depend_on_how_many_pairs_are_scored_at_once(together, monkeypatch):
    values = counts(18, seed=1)
    metric = scaled_corpus(values, CorpusChrF(), higher_is_better=True)
    words = permutation_words(SEGMENTS, seed=2, replicates=np.arange(9, dtype=np.uint64))
    whole = np.arange(SEGMENTS)
    expected = permuted_part(metric, words, whole, Workspace())
    monkeypatch.setattr("supersample.engine.swaps._TOTALS", together)
    for found, value in zip(
        permuted_part(metric, words, whole, Workspace()), expected, strict=True
    ):
        np.testing.assert_array_equal(found, value)


def test_the_exchange_variance_is_that_of_permutations():
    """Of a pair whose difference the permutations give, to the first order and Monte-Carlo."""
    rng = np.random.default_rng(4)
    values = np.stack([rng.poisson(20, (2, 400)), rng.integers(30, 60, (2, 400))], axis=-1)
    metric = scaled_corpus(values.astype(float), CorpusTER(), higher_is_better=False)
    words = permutation_words(400, seed=0, replicates=np.arange(20_000, dtype=np.uint64))
    _, null = permuted_part(metric, words, np.arange(400), Workspace())
    expected = np.square(exchange_differences(metric)).sum()
    assert (null**2).mean() == pytest.approx(expected, rel=0.05)


@dataclass(frozen=True)
class TransposedRate:
    """Rate of two counts in an array whose last axis is not the one that memory has together."""

    width = 2

    def __call__(self, totals):
        errors, lengths = np.moveaxis(totals, -1, 0)
        return np.asfortranarray(100 * errors / lengths)


@dataclass(frozen=True)
class WholeRate:
    """Rate in whole percents, as integers."""

    width = 2

    def __call__(self, totals):
        return (100 * totals[..., 0] // totals[..., 1]).astype(np.int64)


@pytest.mark.parametrize("finalizer", [TransposedRate(), WholeRate()])
def test_finalizers_may_give_scores_in_any_layout_and_of_any_kind(finalizer):
    metric = scaled_corpus(counts(2), finalizer, higher_is_better=True)
    totals = counts(2, seed=1)[:, :6] + 1
    expected = (finalizer(totals) - metric.centre) / metric.spread * 30.0
    found = metric.scaled(totals, 30.0)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_an_empty_part_and_a_constant_metric_count_nothing():
    metric = as_mean(scores())
    assert metric.scaled(np.zeros((1, 2)), 0.0).tolist() == [0.0]
    constant = as_mean(np.ones((SYSTEMS, SEGMENTS)))
    masks = np.ones((1, 1, SEGMENTS), bool)
    for part in (*swapped_parts(constant, masks), exchange_differences(constant)):
        assert not part.any()
    assert not constant.magnitudes().any()
