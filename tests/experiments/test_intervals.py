"""Intervals of r for three estimands, by exact moments: what `coverage` studies."""

import numpy as np
import pytest

import supersample as ss
from experiments.calibration.evidence import Evidence, MomentResampling
from experiments.calibration.interval_methods import IntervalMethod, interval_of_r
from supersample.engine.bootstrap import bootstrap_counts
from supersample.engine.moments import score_contributions
from supersample.scores.system_level import prepare_scores


@pytest.fixture(scope="module")
def scores():
    return ss.simulate_scores(
        systems=7,
        segments=40,
        correlations={"a": 0.9, "b": 0.6, "c": 0.2},
        segment_deviation=1.0,
        seed=3,
        lower_is_better=("b",),
    )


def moments(scores, estimand, design=None, seed=0):
    design = design or ss.PairHybrids()
    prepared = prepare_scores(scores, unit=design.unit)
    tangent = "common" if estimand == "hybrid" else "system"
    contributions = score_contributions(prepared.statistics, tangent) * prepared.signs
    return MomentResampling(contributions, estimand, design, seed)


@pytest.mark.parametrize(
    "design",
    [
        ss.PairHybrids(),
        ss.PairHybrids(share="uniform"),
        ss.PairHybrids(unit="document"),
        ss.MixHybrids(),
    ],
)
def test_hybrid_correlations_are_the_exact_ones(scores, design):
    own = moments(scores, "hybrid", design).correlations()[0, 1:]
    exact = ss.exact_hybrid_correlations(scores, design=design)["r"]
    np.testing.assert_allclose(own, exact, atol=1e-9)


@pytest.mark.parametrize("estimand", ["observed", "hybrid", "true"])
@pytest.mark.parametrize("unit", ["systems", "segments", "systems+segments"])
def test_a_replicate_is_the_correlation_of_what_it_drew(scores, unit, estimand):
    whole = moments(scores, estimand, seed=5)
    replicates = whole.drawn(unit, 6)
    for number in range(6):
        numbers = np.array([number], dtype=np.uint64)
        systems, segments = np.arange(7), np.arange(40)
        if "systems" in unit:
            counts = bootstrap_counts(7, seed=5, replicates=numbers, purpose="bootstrap of systems")
            systems = np.repeat(systems, counts[0].astype(int))
        if "segments" in unit:
            counts = bootstrap_counts(40, seed=5, replicates=numbers, purpose="bootstrap of units")
            segments = np.repeat(segments, counts[0].astype(int))
        taken = whole.contributions[systems][:, segments]
        own = MomentResampling(taken, estimand).correlations()[0, 1:]
        np.testing.assert_allclose(replicates[number], own, atol=1e-9)


def test_true_correlations_are_recovered():
    """r of 40 systems over few noisy segments is attenuated; the correction takes that off."""
    noisy = ss.simulate_scores(
        systems=400, segments=30, correlations={"a": 0.95}, shared_noise=0.0, seed=8
    )
    observed, true = (
        moments(noisy, estimand).correlations()[0, 1] for estimand in ("observed", "true")
    )
    assert observed < 0.93 < true < 0.97


def test_the_jackknife_over_documents_is_as_wide_as_new_documents_ask():
    """Mean of its variance, by the scatter of z over draws of 8 documents; 1 but for curvature."""
    rng = np.random.default_rng(5)
    true = rng.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], size=12)
    z, variances = [], []
    for _ in range(400):
        own = true[:, np.newaxis] + 0.3 * rng.normal(size=(12, 8, 2))
        evidence = Evidence(own, own, ss.PairHybrids())
        lower, upper = interval_of_r(IntervalMethod.parse("jackknife:documents"), evidence)
        z.append(np.arctanh(evidence.correlations("observed")[0, 1]))
        quantile = 2.3646  # Student's t with 7 degrees of freedom
        variances.append(((np.arctanh(upper[0]) - np.arctanh(lower[0])) / 2 / quantile) ** 2)
    assert 0.85 < np.mean(variances) / np.var(z) < 1.2
