"""Fewer systems, fewer segments: against the verbs on the parts themselves."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import supersample as ss
from supersample.engine.resamples import bootstrap_counts
from supersample.errors import InputError
from tests.accuracies.test_pairwise import scores_of, small

HUMAN, SCORE = small(seed=2, systems=6, segments=30, metrics=5)
SCORES = scores_of(HUMAN, SCORE)


def accuracies(scores):
    return [
        verb(scores)["value"].values for verb in (ss.pairwise_accuracy, ss.soft_pairwise_accuracy)
    ]


def test_all_subsets_of_few_systems_are_the_verbs_on_them():
    ablation = ss.ablate_systems(SCORES, sizes=[4])
    full = accuracies(SCORES)
    parts = [accuracies(SCORES.isel(system=list(chosen))) for chosen in combinations(range(6), 4)]
    assert ablation["subsets"].values.tolist() == [len(parts)] == [15]
    for k in range(2):
        for name, r in (("pearson", pearsonr), ("spearman", spearmanr)):
            varied = [part[k] for part in parts if np.ptp(part[k]) > 1e-9]
            values = [r(part.round(12), full[k].round(12))[0] for part in varied]
            own = ablation.isel(measure=k, size=0).sel(coefficient=name)
            assert float(own["r"]) == pytest.approx(np.mean(values), abs=1e-9)
            assert float(own["lower"]) == pytest.approx(np.quantile(values, 0.025), abs=1e-9)
            assert own["undefined"] == len(parts) - len(varied)
            assert float(own["upper"]) == pytest.approx(np.quantile(values, 0.975), abs=1e-9)


def test_all_systems_agree_with_themselves_and_more_agree_better():
    ablation = ss.ablate_systems(ss.load_example(), sizes=[3, 8, 12], subsets_per_size=200)
    assert (ablation["r"].sel(size=12) == 1).all()
    assert ablation["subsets"].values.tolist() == [200, 200, 1]
    r = ablation["r"].sel(coefficient="pearson")
    assert (r.sel(size=3) < r.sel(size=8)).all()


def test_subsets_whose_accuracies_are_all_equal_are_counted():
    flat = scores_of(HUMAN, [HUMAN, 2 * HUMAN, -HUMAN])
    ablation = ss.ablate_systems(flat, sizes=[2, 5])
    assert (ablation["undefined"] == 0).all()
    same = ss.ablate_systems(scores_of(HUMAN, [HUMAN, 2 * HUMAN]), sizes=[2, 5])
    assert (same["undefined"] == same["subsets"]).all()
    assert np.isnan(same["r"]).all()


def test_a_bootstrap_replicate_is_the_verbs_on_what_was_drawn():
    ablation = ss.ablate_segments(SCORES, sizes=[12], resamples=1, metrics=["m3", "m0"], seed=7)
    counts = bootstrap_counts(
        30,
        seed=7,
        replicates=np.zeros(1, dtype=np.uint64),
        purpose="bootstrap of segments",
        draws=12,
    )
    drawn = np.repeat(np.arange(30), counts[0].astype(int))
    assert drawn.size == 12
    for k, expected in enumerate(accuracies(scores_of(HUMAN[:, drawn], SCORE[:, :, drawn]))):
        own = ablation["accuracy"].isel(measure=k, size=0)
        np.testing.assert_allclose(own, expected[[3, 0]], rtol=0, atol=1e-12)
    for k, expected in enumerate(accuracies(SCORES)):
        np.testing.assert_allclose(ablation["full"][k], expected[[3, 0]], rtol=0, atol=1e-12)


def test_more_segments_give_shorter_intervals():
    ablation = ss.ablate_segments(ss.load_example(), resamples=200)
    assert ablation["size"].values[-1] == 463
    width = ablation["upper"] - ablation["lower"]
    assert (width.isel(size=-1).mean("metric") < width.isel(size=0).mean("metric")).all()
    assert ((ablation["lower"] <= ablation["accuracy"]) & (ablation["accuracy"] <= 1)).all()


def test_the_seed_is_all_that_is_random():
    one, same, other = (
        ss.ablate_segments(SCORES, sizes=[10], resamples=20, seed=seed)["accuracy"].values
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    few, many = (ss.ablate_systems(SCORES, sizes=[3], subsets_per_size=5, seed=s) for s in (0, 1))
    assert (few["r"] != many["r"]).any()


@pytest.mark.parametrize(
    ("verb", "options", "said"),
    [
        (ss.ablate_systems, {"sizes": [1]}, "from 2 to 6"),
        (ss.ablate_systems, {"sizes": [7]}, "from 2 to 6"),
        (ss.ablate_systems, {"sizes": []}, "from 2 to 6"),
        (ss.ablate_systems, {"subsets_per_size": 0}, "at least one subset"),
        (ss.ablate_systems, {"p_values": "drawn"}, "no method of p-values"),
        (ss.ablate_segments, {"sizes": [1]}, "from 2 to"),
        (ss.ablate_segments, {"resamples": 0}, "at least one resample"),
        (ss.ablate_segments, {"metrics": ["x"]}, "no metric 'x'; there are m0"),
        (ss.ablate_segments, {"confidence_level": 2.0}, "confidence level"),
    ],
)
def test_what_cannot_be_ablated_is_refused(verb, options, said):
    with pytest.raises(InputError, match=said):
        verb(SCORES, **options)


def test_a_ranking_takes_two_metrics():
    with pytest.raises(InputError, match="at least two metrics"):
        ss.ablate_systems(SCORES.isel(metric=[0]))
