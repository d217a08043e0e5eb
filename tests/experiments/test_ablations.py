"""Fewer systems, fewer segments: against the measures of the parts themselves."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import supersample as ss
from experiments.spa24.ablations import ablate_segments, ablate_systems
from supersample.engine.bootstrap import bootstrap_counts
from tests.toy_scores import scores_of, small

pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")

HUMAN, SCORE = small(seed=2, systems=6, segments=30, metrics=5)
SCORES = scores_of(HUMAN, SCORE)
MEASURES = ["PA", "SPA", "pdp", "MAE"]


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")
def test_all_subsets_of_few_systems_are_the_measures_of_them():
    ablation = ablate_systems(SCORES, MEASURES, sizes=[4])
    subsets = [list(chosen) for chosen in combinations(range(6), 4)]
    parts = np.array(
        [ss.agreement(SCORES.isel(system=s), MEASURES)["value"].squeeze() for s in subsets]
    )
    full = ss.agreement(SCORES, MEASURES)["value"].values.squeeze().round(12)
    assert ablation["subsets"].values.tolist() == [15]
    for k in range(len(MEASURES)):
        for name, r in (("pearson", pearsonr), ("spearman", spearmanr)):
            varied = [part[k] for part in parts.round(12) if np.ptp(part[k]) > 1e-9]
            values = [r(part, full[k])[0] for part in varied]
            own = ablation.isel(measure=k, size=0).sel(coefficient=name)
            found = [float(own[each]) for each in ("r", "lower", "upper")]
            expected = [np.mean(values), *np.quantile(values, [0.025, 0.975])]
            assert found == pytest.approx(expected, abs=1e-9)
            assert own["undefined"] == len(parts) - len(varied)


def test_all_systems_agree_with_themselves_and_more_agree_better():
    ablation = ablate_systems(ss.load_example(), sizes=[3, 8, 12], resamples=200)
    assert (ablation["r"].sel(size=12) == 1).all()
    assert ablation["subsets"].values.tolist() == [200, 200, 1]
    r = ablation["r"].sel(coefficient="pearson")
    assert (r.sel(size=3) < r.sel(size=8)).all()
    few, many = (ablate_systems(SCORES, sizes=[3], resamples=5, seed=s) for s in (0, 1))
    assert (few["r"] != many["r"]).any()


def test_subsets_whose_values_are_all_equal_are_counted():
    flat = scores_of(HUMAN, [HUMAN, 2 * HUMAN, -HUMAN])
    assert (ablate_systems(flat, sizes=[2, 5])["undefined"] == 0).all()
    same = ablate_systems(scores_of(HUMAN, [HUMAN, 2 * HUMAN]), sizes=[2, 5])
    assert (same["undefined"] == same["subsets"]).all()
    assert np.isnan(same["r"]).all()


@pytest.mark.filterwarnings("ignore::supersample.errors.OrientationWarning")
def test_a_bootstrap_replicate_is_the_measures_of_what_was_drawn():
    human = HUMAN.copy()
    human[0, 3] = np.nan  # pairs of systems are of 29 segments, translations of 30
    scores, options = scores_of(human, SCORE), {"metrics": ["m3", "m0"], "seed": 7}
    ablation = ablate_segments(scores, MEASURES, sizes=[12], resamples=1, **options)
    numbers = {"seed": 7, "replicates": np.zeros(1, dtype=np.uint64)}
    for k, measure in enumerate(MEASURES):
        kept = np.arange(30) if measure == "pdp" else np.delete(np.arange(30), 3)
        purpose = "bootstrap of segments"
        counts = bootstrap_counts(kept.size, purpose=purpose, draws=12, **numbers)[0]
        drawn = kept[np.repeat(np.arange(kept.size), counts.astype(int))]
        assert drawn.size == 12
        part = scores_of(human[:, drawn], SCORE[:, :, drawn])
        for name, given in (("accuracy", part), ("full", scores)):
            own = ablation[name].isel(measure=k).values.ravel()
            expected = ss.agreement(given, measure)["value"].values.ravel()[[3, 0]]
            np.testing.assert_allclose(own, expected, rtol=0, atol=1e-12)


def test_more_segments_give_shorter_intervals():
    ablation = ablate_segments(ss.load_example(), resamples=200)
    assert ablation["size"].values[-1] == 463
    width = ablation["upper"] - ablation["lower"]
    assert (width.isel(size=-1).mean("metric") < width.isel(size=0).mean("metric")).all()
    assert ((ablation["lower"] <= ablation["accuracy"]) & (ablation["accuracy"] <= 1)).all()
    one, same, other = (
        ablate_segments(SCORES, sizes=[10], resamples=20, seed=seed)["accuracy"].values
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
