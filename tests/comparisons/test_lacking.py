"""What a system or a group lacks is undefined and named, or refused: no number is made of it."""

import numpy as np
import pytest

import supersample as ss
from supersample.resampling import Labels, Replicates, averaged, samplers

DRAWN = {"resamples": 29, "method": "percentile"}


def scores_of(seed=1, systems=6, segments=12, **changes):
    """Scores of two metrics in two domains; `changes` are places of missing scores."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(systems, segments)) + np.arange(systems)[:, np.newaxis]
    score = human + rng.normal(size=(2, systems, segments))
    for name, place in changes.items():
        {"human": human, "score": score}[name][place] = np.nan
    labels = {"systems": [f"s{i}" for i in range(systems)], "metrics": ["m1", "m2"]}
    domain = np.repeat(["news", "talks"], segments // 2)
    return ss.make_scores(human, score, higher_is_better=[True, True], domain=domain, **labels)


@pytest.mark.parametrize("measure", ["pearson", "spearman", "kendall"])
@pytest.mark.parametrize("random", ["segments", "systems", "systems+segments"])
def test_a_metric_without_a_systems_scores_has_no_correlation(measure, random):
    lacking = scores_of(score=(0, 3))
    with pytest.warns(ss.DegenerateScoreWarning, match="of m1"):
        found = ss.compare(lacking, measure, random=random, **DRAWN)
    assert np.isnan(found[["value", "lower", "upper"]].sel(metric="m1").to_array()).all()
    assert found["undefined"].sel(metric="m1") == 29
    whole = ss.compare(ss.keep_metrics(lacking, ["m2"]), measure, random=random, **DRAWN)
    for name in ("value", "lower", "upper"):
        np.testing.assert_array_equal(found[name].sel(metric="m2").item(), whole[name].item())


@pytest.mark.parametrize("measure", ["pearson", "spearman", "PA", "SPA", "MAE"])
def test_systems_that_nobody_rated_are_refused_by_name(measure):
    unrated = scores_of(human=3)
    with pytest.raises(
        ss.InputError, match=r"of 12 segments were rated .*; leave out s3, which nobody"
    ):
        ss.agreement(unrated, measure)
    refused = r"no human scores of s3; leave|SPA|PA .*leave out the mask 'all'"
    with pytest.raises(ss.InputError, match=refused):
        ss.agreement(unrated, measure, mask="all")


def test_systems_without_translations_that_count_are_named_in_each_group():
    for changes in ({"human": (3, slice(6, 12))}, {"score": (1, 3, slice(6, 12))}):
        found = ss.agreement(scores_of(**changes), ["acc_eq/item", "pearson/none"], by="domain")
        assert found.attrs["systems_uncounted"] == "talks: s3"
    assert "systems_uncounted" not in ss.agreement(scores_of(), "acc_eq/item").attrs


def test_only_what_sets_share_is_left_out_of_all_of_them_at_once():
    every = [Labels(np.array(list("abc")), np.arange(n), np.ones(n, bool)) for n in (2, 4)]
    of = samplers("systems+segments", every, [1, 2], seed=3)
    rows = [np.arange(k, dtype=float)[:, np.newaxis] for k in (5, 7)]
    groups = [Replicates(np.zeros((1, 1)), np.ones(1), x, 2, -1.0, 1.0) for x in rows]
    found = averaged(groups, [1, 3], samplers=of).left_out[:, 0]
    of_systems, first, second = [0, 1, 2], np.array([3, 4]), np.array([3, 4, 5, 6])
    expected = [*of_systems, *(1 + (first - 1) / 4), *(1 + 3 * (second - 1) / 4)]
    np.testing.assert_allclose(found, expected)


def test_sets_of_unequal_sizes_are_drawn_by_systems_and_segments():
    sets = {"a": scores_of(), "b": scores_of(2, segments=8)}
    found = ss.compare(sets, "spearman", random="systems+segments", resamples=29, method="bca")
    assert np.isfinite(found["difference_lower"].sel(metric="m1", other_metric="m2")).all()


def test_of_one_metric_with_a_value_none_could_be_best():
    with pytest.warns(ss.DegenerateScoreWarning, match="of m1"):
        ranking = ss.rank(scores_of(score=(0, 3)), measure="spearman", random="segments")
    said = repr(ss.show(ranking))
    assert "m2 and m1 cannot be compared: m1 gives every system the same score" in said
    assert "the best" not in said
