"""Swapped scores of systems: drawn masks against all of them, and what is swapped at all."""

import numpy as np
import pytest

import supersample as ss
from supersample.engine.swaps import standardise
from supersample.scores.selection import complete_cases
from tests.toy_scores import scores_of

EXAMPLE = ss.load_example()


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_drawn_masks_agree_with_all_masks(coefficient):
    """PERM-SYSTEMS on 12 systems has 4,096 masks: p over all of them, ties counted exactly."""
    metrics, measure = EXAMPLE.isel(metric=[0, 1, 2, 3]), ss.measures.as_measure(coefficient)
    drawn = ss.compare(metrics, measure, method="systems", resamples=2_000)
    complete = complete_cases(metrics)
    scores = standardise(complete["score"].values).mean(axis=2)
    human = complete["human"].mean("segment").values
    masks = (np.arange(4096)[:, None] >> np.arange(12)) & 1 == 1
    for i, j in zip(*np.triu_indices(4, 1), strict=True):
        both = [np.where(masks, scores[b], scores[a]) for a, b in ((i, j), (j, i))]
        people = np.broadcast_to(human, both[0].shape)
        null = -np.diff(measure.of_systems(np.stack([people, *both], axis=-1)))[:, 0]
        exact = (np.abs(null) >= np.abs(null[0]) - 1e-9).mean()  # nothing is swapped in the first
        p = drawn["p_value"].values.squeeze()[i, j]
        assert abs(p - exact) < 5 * np.sqrt(exact * (1 - exact) / 2_000) + 1 / 2_000


def test_swapping_is_of_complete_cases():
    holed = EXAMPLE.copy(deep=True)
    holed["score"][2, 3, :100] = np.nan
    swapped = ss.compare(holed, method="inputs", resamples=9)
    assert swapped["segments"] < 400
    assert "complete" in swapped.attrs["mask"]
    holed["score"][2, 3, 1:] = np.nan
    with pytest.raises(ss.InputError, match="fewer than two segments"):
        ss.compare(holed, method="inputs", resamples=9)


def test_systems_alone_swap_systems_alone():
    systems = ss.system_level_scores(EXAMPLE)
    found = ss.compare(systems, ["kendall", "MAE"], method="systems", resamples=99)
    assert found["p_value"].sel(metric="strong-98", other_metric="weak-40")[0] < 0.1
    for method in ("inputs", "both"):
        with pytest.raises(
            ss.InputError, match="scores of segments are needed; scores of systems can be"
        ):
            ss.compare(systems, method=method)


@pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")
def test_equally_good_metrics_are_rarely_told_apart():
    claims = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        quality = rng.normal(size=(6, 1))
        human = quality + rng.standard_t(4, size=(6, 30))
        shared = rng.standard_t(4, size=(6, 30))
        score = quality + shared + rng.standard_t(4, size=(5, 6, 30))
        found = ss.compare(scores_of(human, score), "SPA", resamples=99, seed=seed)
        claims.append(bool((found["p_best"] <= 0.05).any()))
    assert np.mean(claims) <= 0.15  # 60 samples: 0.05 +- 0.085
