import numpy as np
import pytest

from experiments.calibration.moment_products import (
    centre_over_systems,
    gram_products,
    product_pairs,
    score_products,
    unit_grams,
    unit_products,
)
from supersample.engine.additive import combine, mean_columns
from supersample.engine.hybrid_designs import MixHybrids, PairHybrids
from supersample.engine.moments import MomentWeights, score_contributions, true_weights

SYSTEMS, UNITS, SCORERS = 6, 9, 3


@pytest.fixture
def contributions():
    return np.random.default_rng(3).normal(size=(SYSTEMS, UNITS, SCORERS))


def drawn(counts):
    """Numbers of what is drawn, each as often as it is."""
    return np.repeat(np.arange(counts.size), counts.astype(int))


def covariance(scores, first, second):
    matrix = np.cov(scores, rowvar=False)
    return matrix[first, second]


COUNTS = np.array([[1, 1, 1, 1, 1, 1], [2, 0, 1, 3, 0, 0], [0, 1, 1, 1, 1, 2]], dtype=float)


def test_score_products_are_covariances_of_what_was_drawn(contributions):
    first, second = product_pairs(SCORERS)
    scores = contributions.mean(axis=1)
    products = score_products(scores, COUNTS, first, second)
    for own, counts in zip(products, COUNTS, strict=True):
        np.testing.assert_allclose(own, covariance(scores[drawn(counts)], first, second))


def test_unit_products_are_mean_covariances_of_what_was_drawn(contributions):
    first, second = product_pairs(SCORERS)
    centred = centre_over_systems(contributions)
    unit_counts = np.random.default_rng(5).integers(0, 3, size=(3, UNITS)).astype(float)
    products = unit_products(centred, COUNTS, unit_counts, first, second)
    for own, systems, units in zip(products, COUNTS, unit_counts, strict=True):
        each = [
            covariance(contributions[drawn(systems), unit], first, second) for unit in drawn(units)
        ]
        np.testing.assert_allclose(own, np.mean(each, axis=0))


def test_grams_give_the_products_over_all_units(contributions):
    pairs = product_pairs(SCORERS)
    centred = centre_over_systems(contributions)
    by_grams = gram_products(unit_grams(centred, *pairs), COUNTS, UNITS)
    by_units = unit_products(centred, COUNTS, np.ones((3, UNITS)), *pairs)
    np.testing.assert_allclose(by_grams, by_units, rtol=1e-12)


@pytest.mark.parametrize(
    "design", [PairHybrids(), PairHybrids(share=0.3), PairHybrids(share="uniform"), MixHybrids()]
)
def test_hybrid_weights_give_the_covariance_of_the_mixture(contributions, design):
    """Without a loop over pairs, and with one: two routes to the same covariance."""
    statistics = combine([mean_columns(contributions[..., k]) for k in range(SCORERS)])
    pairs = product_pairs(SCORERS)
    ones = np.ones((1, SYSTEMS))
    centred = centre_over_systems(contributions)
    weights = design.moment_weights(SYSTEMS, UNITS)
    scored = score_products(centred.mean(axis=1), ones, *pairs)
    products = weights.scores * scored
    products += weights.units * gram_products(unit_grams(centred, *pairs), ones, UNITS)
    expected = design.mixture(statistics).covariance[pairs[0], pairs[1]]
    np.testing.assert_allclose(products[0], expected, rtol=1e-9)


def test_true_weights_take_the_noise_of_units_off():
    """In the mean over many samples; observed scores keep it."""
    rng = np.random.default_rng(6)
    true, noise, units = 1.0, 4.0, 20
    kept = []
    for _ in range(2_000):
        scores = rng.normal(size=(8, 1)) + 2.0 * rng.normal(size=(8, units))
        centred = centre_over_systems(scores[..., np.newaxis])
        pairs = np.zeros(1, np.int64), np.zeros(1, np.int64)
        ones = np.ones((1, 8))
        b = score_products(centred.mean(axis=1), ones, *pairs)[0, 0]
        s = gram_products(unit_grams(centred, *pairs), ones, units)[0, 0]
        kept.append(
            [w.scores * b + w.units * s for w in (MomentWeights(1.0, 0.0), true_weights(units))]
        )
    observed, corrected = np.mean(kept, axis=0)
    error = np.std(kept, axis=0) / np.sqrt(len(kept))
    assert abs(observed - (true + noise / units)) < 4 * error[0]
    assert abs(corrected - true) < 4 * error[1]


@pytest.mark.parametrize("tangent", ["system", "common"])
def test_the_mean_of_contributions_is_the_score(contributions, tangent):
    """With gaps too."""
    gaps = contributions.copy()
    gaps[1, :4, 0] = gaps[3, 2, 1] = np.nan
    statistics = combine([mean_columns(gaps[..., k]) for k in range(SCORERS)])
    own = score_contributions(statistics, tangent)
    np.testing.assert_allclose(own.mean(axis=1), np.nanmean(gaps, axis=1), rtol=1e-7)


def test_contributions_with_gaps_vary_as_the_mean_does(contributions):
    """Drop one unit: to first order, the mean moves by what the unit contributed."""
    rng = np.random.default_rng(7)
    scores = rng.normal(size=(1, 4_000))
    scores[0, rng.random(4_000) < 0.3] = np.nan
    own = score_contributions(combine([mean_columns(scores)]), "system")[0, :, 0]
    mean = np.nanmean(scores)
    without = (np.nansum(scores) - np.nan_to_num(scores[0])) / (
        np.isfinite(scores).sum() - np.isfinite(scores[0])
    )
    moved = (own.sum() - own) / 3_999 - mean
    np.testing.assert_allclose(moved, without - mean, atol=2e-6)
