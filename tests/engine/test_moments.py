"""Closed forms against loops over pairs, and against simulation."""

import numpy as np
import pytest

from supersample.engine.designs import PairHybrids
from supersample.engine.hybrids import hybrid_scores, hybrid_source
from supersample.engine.moments import correlation_of, pair_hybrid_moments
from supersample.engine.statistics import combine, mean_statistics

DESIGNS = [PairHybrids(), PairHybrids(share=0.2), PairHybrids(share="uniform")]


def _scores(systems=6, units=40, scorers=3):
    rng = np.random.default_rng(4)
    return rng.normal(size=(systems, units, scorers)).cumsum(axis=2) + rng.normal(
        size=(systems, 1, scorers)
    )


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
def test_closed_form_equals_the_loop_over_pairs(design, shares):
    scores = _scores()
    moments = pair_hybrid_moments(scores, design)
    np.testing.assert_allclose(moments.covariance, _by_loop(scores, shares), rtol=1e-12)


def test_between_pairs_correlation_is_the_systems_own():
    scores = _scores()
    moments = pair_hybrid_moments(scores, PairHybrids())
    own = np.corrcoef(scores.mean(axis=1), rowvar=False)
    np.testing.assert_allclose(correlation_of(moments.between), own, rtol=1e-12)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("pairs", ["balanced", "random"])
def test_simulation_agrees_with_the_closed_form(design, pairs):
    scores = _scores()
    drawn = PairHybrids(pairs=pairs, share=design.share)
    parts = [mean_statistics(scores[:, :, k]) for k in range(3)]
    sample = hybrid_scores(hybrid_source(combine(parts), drawn, 11), 0, 200_000)
    expected = pair_hybrid_moments(scores, design).covariance
    r = correlation_of(expected)
    x = (sample - sample.mean(axis=0)) / np.sqrt(np.diag(expected))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        # influence of one hybrid on r_ij; its standard deviation gives the standard error
        influence = x[:, i] * x[:, j] - r[i, j] * (x[:, i] ** 2 + x[:, j] ** 2) / 2
        error = influence.std() / np.sqrt(len(x))
        assert abs(np.corrcoef(sample[:, i], sample[:, j])[0, 1] - r[i, j]) < 5 * error


def test_scorers_without_variance_have_no_correlation():
    scores = _scores()
    scores[:, :, 1] = 2.0
    r = correlation_of(pair_hybrid_moments(scores, PairHybrids()).covariance)
    assert np.isnan(r[1]).all()
    assert np.isnan(r[:, 1]).all()
    assert r[0, 0] == pytest.approx(1.0)
