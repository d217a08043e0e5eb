"""Human-only intervals, by hand and on real scores."""

import numpy as np
import pytest

import supersample as ss
from experiments.naacl16.human_only import human_only_intervals

EXAMPLE = ss.load_example()


def test_human_only_intervals_by_hand():
    scores = EXAMPLE.isel(metric=[0], segment=slice(60))
    ours = human_only_intervals(scores, resamples=4_000, seed=1)
    selected = ss.select_segments(scores)
    human, metric = selected["human"].values, selected["score"].values[0].mean(axis=1)
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(4_000):
        segments = rng.integers(0, human.shape[1], human.shape[1])
        draws.append(np.corrcoef(human[:, segments].mean(axis=1), metric)[0, 1])
    expected = np.quantile(draws, [0.025, 0.975])
    # two Monte-Carlo runs of 4,000: quantiles agree to a few percent of the spread
    assert float(ours["lower"].item()) == pytest.approx(expected[0], abs=0.1 * np.std(draws))
    assert float(ours["upper"].item()) == pytest.approx(expected[1], abs=0.1 * np.std(draws))
    half = (ours["upper"] - ours["lower"]) / 2
    np.testing.assert_allclose(ours["plus_minus"], half)
    np.testing.assert_allclose(ours["symmetric_upper"], ours["value"] + half)


@pytest.mark.real_data
def test_wmt23_human_only_intervals_are_narrower_and_their_plus_minus_passes_1(data_root):
    scores = ss.read_mtme(data_root / "mt-metrics-eval-v2", "wmt23", "en-de", metrics="all")
    narrow, fisher = human_only_intervals(scores), ss.correlations.correlate(scores)
    ratio = (fisher["upper"] - fisher["lower"]) / (narrow["upper"] - narrow["lower"])
    assert float(ratio.min()) > 1
    # the symmetric form passes 1 for the metric with the highest r
    assert float(narrow["upper"].max()) < 1 < float(narrow["symmetric_upper"].max())


def test_ratings_weigh_as_they_do_in_r():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 20, (12, EXAMPLE.sizes["segment"]))
    weighted = EXAMPLE.assign(human_count=(("system", "segment"), counts))
    interval = human_only_intervals(weighted, resamples=2_000)
    centre = (interval["lower"] + interval["upper"]) / 2
    # the drawn r scatter about the r they are drawn for
    assert float(np.abs(centre - interval["value"]).max()) < 0.03


def rated_example(per_segment=3):
    rng = np.random.default_rng(8)
    scores = EXAMPLE.isel(metric=[0, 3], segment=slice(30))
    rows = [
        (f"assessor-{rng.integers(0, 9)}", str(system), str(segment), rng.normal(i, 3))
        for i, system in enumerate(scores["system"].values)
        for segment in scores["segment"].values
        for _ in range(rng.integers(1, per_segment + 1))
    ]
    assessor, system, segment, rating = zip(*rows, strict=True)
    ratings = ss.make_ratings(rating, assessor=assessor, system=system, segment=segment)
    return ss.rate_scores(scores, ratings), ratings


@pytest.mark.parametrize("unit", ["ratings", "assessors"])
def test_ratings_and_assessors_are_drawn_as_by_hand(unit):
    scores, ratings = rated_example()
    ours = human_only_intervals(scores, ratings=ratings, unit=unit, resamples=4_000)
    np.testing.assert_array_equal(ours["value"], ss.correlations.correlate(scores)["value"])
    assert ours.attrs["interval"] == f"human-only by {unit}"
    metric = scores["score"].values[0].mean(axis=1)
    names = list(scores["system"].values)
    system = np.array([names.index(name) for name in ratings["system"].values])
    value = ratings["rating"].values
    rows = np.arange(value.size)
    who = rows if unit == "ratings" else np.unique(ratings["assessor"], return_inverse=True)[1]
    units = [np.flatnonzero(who == u) for u in range(who.max() + 1)]
    rng = np.random.default_rng(0)
    draws = []
    for _ in range(2_000):
        drawn = np.concatenate([units[u] for u in rng.integers(0, len(units), len(units))])
        count = np.bincount(system[drawn], minlength=12)
        total = np.bincount(system[drawn], value[drawn], minlength=12)
        draws.append(np.corrcoef(total / count, metric)[0, 1])
    expected = np.quantile(draws, [0.025, 0.975])
    # two Monte-Carlo runs: quantiles agree to a tenth or so of the spread
    limits = [ours[name].values.flat[0] for name in ("lower", "upper")]
    np.testing.assert_allclose(limits, expected, atol=0.15 * np.std(draws))


def test_a_replicate_that_leaves_a_system_without_ratings_is_counted():
    scores, ratings = rated_example()
    own = ratings["assessor"].values.copy()
    own[ratings["system"].values == "system-01"] = "alone"
    alone = ratings.assign_coords(assessor=("row", own))
    ours = human_only_intervals(scores, ratings=alone, unit="assessors", resamples=500)
    assert 0 < int(ours["undefined"].max()) < 500
    assert bool(ours["lower"].notnull().all())


def test_the_mask_says_which_ratings_are_drawn():
    scores, ratings = rated_example()
    gap = (ratings["system"].values == "system-02") & (ratings["segment"].values == "segment-003")
    fewer = ratings.isel(row=~gap)
    rated = ss.rate_scores(scores, fewer)
    common = human_only_intervals(rated, ratings=fewer, unit="ratings", resamples=50)
    whole = human_only_intervals(rated, ratings=fewer, unit="ratings", resamples=50, mask="all")
    assert common.attrs["mask"] == "common 29/30"
    assert whole.attrs["mask"] == "all 30/30, human 29-30"
    assert not np.array_equal(common["value"], whole["value"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "words"}, "no unit 'words'; there are segments, ratings, assessors"),
        ({"unit": "ratings"}, "to draw ratings, raw ratings are needed"),
        ({"unit": "ratings", "ratings": "own", "human_mean": "segments"}, "means over ratings"),
        ({"unit": "ratings", "ratings": "other"}, "not the means of these ratings"),
    ],
)
def test_units_that_cannot_be_drawn_are_refused(options, message):
    scores, ratings = rated_example()
    given = {"own": ratings, "other": ratings.assign(rating=ratings["rating"] + 1)}
    if "ratings" in options:
        options = {**options, "ratings": given[options["ratings"]]}
    with pytest.raises(ss.InputError, match=message):
        human_only_intervals(scores, **options)
