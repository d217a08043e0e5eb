"""Exact moments against loops over pairs, and against simulation."""

import numpy as np
import pytest

from supersample import MixHybrids, PairHybrids
from supersample.engine.additive import CorpusBLEU, combine, mean_columns
from supersample.engine.hybrid_designs import hybrid_scores, hybrid_source
from supersample.engine.moments import (
    MomentWeights,
    correlation_of,
    score_contributions,
    standard_errors,
    two_agreements,
)

DESIGNS = [PairHybrids(), PairHybrids(share=0.2), PairHybrids(share="uniform")]


def _scores(systems=6, units=40, scorers=3):
    rng = np.random.default_rng(4)
    return rng.normal(size=(systems, units, scorers)).cumsum(axis=2) + rng.normal(
        size=(systems, 1, scorers)
    )


def _statistics(scores):
    return combine([mean_columns(scores[:, :, k]) for k in range(scores.shape[2])])


def _by_loop(scores, shares):
    """Covariance over all pairs and the given equally likely shares of the first system."""
    systems, units, _ = scores.shape
    means, within = [], []
    for a in range(systems):
        for b in range(systems):
            if a == b:
                continue
            difference = scores[a] - scores[b]
            for p in shares:
                means.append(scores[b].mean(axis=0) + p * difference.mean(axis=0))
                within.append(p * (1 - p) * difference.T @ difference / units**2)
    return np.cov(np.array(means), rowvar=False, bias=True) + np.mean(within, axis=0)


@pytest.mark.parametrize(
    ("design", "shares"),
    [
        (PairHybrids(), [0.5]),
        (PairHybrids(share=0.2), [0.2, 0.8]),
        # Gauss-Legendre nodes integrate the quadratics in p exactly
        (PairHybrids(share="uniform"), (np.polynomial.legendre.leggauss(2)[0] + 1) / 2),
    ],
)
def test_exact_moments_equal_the_loop_over_pairs(design, shares):
    scores = _scores()
    mixture = design.mixture(_statistics(scores))
    expected = _by_loop(scores, shares)
    np.testing.assert_allclose(mixture.covariance, expected, rtol=1e-8, atol=1e-12)


def test_between_pairs_correlation_is_the_systems_own():
    scores = _scores()
    mixture = PairHybrids().mixture(_statistics(scores))
    own = np.corrcoef(scores.mean(axis=1), rowvar=False)
    np.testing.assert_allclose(correlation_of(mixture.between), own, rtol=1e-8)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("pairs", ["balanced", "random"])
def test_simulation_agrees_with_exact_moments(design, pairs):
    scores = _scores()
    drawn = PairHybrids(pairs=pairs, share=design.share)
    statistics = _statistics(scores)
    sample = hybrid_scores(hybrid_source(statistics, drawn, 11), 0, 1_000_000)
    expected = design.mixture(statistics).covariance
    r = correlation_of(expected)
    x = (sample - sample.mean(axis=0)) / np.sqrt(np.diag(expected))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        # influence of one hybrid on r_ij; its standard deviation gives the standard error
        influence = x[:, i] * x[:, j] - r[i, j] * (x[:, i] ** 2 + x[:, j] ** 2) / 2
        error = influence.std() / np.sqrt(len(x))
        assert abs(np.corrcoef(sample[:, i], sample[:, j])[0, 1] - r[i, j]) < 5 * error


def test_a_mix_of_all_systems_by_hand():
    scores = _scores(systems=3, units=5, scorers=2)
    mixture = MixHybrids().mixture(_statistics(scores))
    by_unit = [np.cov(scores[:, unit].T, bias=True) for unit in range(5)]
    np.testing.assert_allclose(mixture.within, np.sum(by_unit, axis=0) / 25, rtol=1e-8)
    np.testing.assert_allclose(mixture.between, 0, atol=1e-15)


@pytest.mark.parametrize(
    "design",
    [
        PairHybrids(),
        PairHybrids(pairs="random"),
        PairHybrids(share=0.2),
        PairHybrids(share="uniform"),
        MixHybrids(),
    ],
)
@pytest.mark.parametrize("gaps", [False, True])
def test_samples_scatter_about_the_exact_r_as_the_standard_error_says(design, gaps):
    scores = _scores(units=60)
    if gaps:
        scores[np.random.default_rng(1).random(scores.shape) < 0.1] = np.nan
    statistics = _statistics(scores)
    mixture = design.mixture(statistics)
    r = correlation_of(mixture.covariance)[0, 1:]
    samples, n = 120, 1800  # whole rotations of 15 pairs
    drawn = hybrid_scores(hybrid_source(statistics, design, 7), 0, samples * n)
    each = [np.corrcoef(part.T)[0, 1:] for part in np.split(drawn, samples)]
    error = standard_errors(mixture, r, n=n)
    assert (np.abs(np.mean(each, axis=0) - r) < 4.5 * error / np.sqrt(samples)).all()
    # a standard deviation over 120 samples is known to 6.5 %
    np.testing.assert_allclose(np.std(each, axis=0, ddof=1) / error, 1, atol=0.27)


def test_counts_that_no_system_has_do_not_spoil_a_corpus_metric():
    """BLEU of texts without any 4-gram matches: the score below a count of 0 is undefined."""
    rng = np.random.default_rng(0)
    columns = rng.integers(5, 9, (3, 20, 10)).astype(float)
    columns[..., 2:6] = np.minimum(columns[..., 2:6], columns[..., 6:])
    columns[..., 5] = 0.0
    columns[..., 1] = 1.0  # far from the kink of the brevity penalty
    bleu = CorpusBLEU()
    statistics = combine(
        [mean_columns(rng.normal(size=(3, 20))), (np.moveaxis(columns, -1, 0), bleu)]
    )
    mixture = PairHybrids().mixture(statistics)
    assert np.isfinite(mixture.covariance).all()
    drawn = hybrid_scores(hybrid_source(statistics, PairHybrids(), 3), 0, 20_000)
    np.testing.assert_allclose(drawn[:, 1].var(), mixture.covariance[1, 1], rtol=0.05)


def test_shares_are_of_unbiased_variances():
    """B is the variance of systems' means, S the mean over units of the variance of scores."""
    scores = _scores()
    statistics = _statistics(scores)
    found = two_agreements(statistics, MomentWeights(0.3, 0.7))
    of_scores = scores.mean(axis=1).var(axis=0, ddof=1)
    of_units = scores.var(axis=0, ddof=1).mean(axis=0)
    of_both = 0.3 * of_scores / (0.3 * of_scores + 0.7 * of_units)
    np.testing.assert_allclose(found.shares, of_both, rtol=1e-12)


@pytest.mark.parametrize("tangent", ["system", "common"])
def test_the_mean_of_contributions_is_the_score(tangent):
    """With gaps too."""
    gaps = _scores()
    gaps[1, :4, 0] = gaps[3, 2, 1] = np.nan
    statistics = _statistics(gaps)
    own = score_contributions(statistics, tangent)
    np.testing.assert_allclose(own.mean(axis=1), np.nanmean(gaps, axis=1), rtol=1e-7)


def test_contributions_with_gaps_vary_as_the_mean_does():
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
