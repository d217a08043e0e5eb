"""People ranked among the metrics: as compare has it, as published, and at the edges."""

import numpy as np
import pytest
import scipy.stats

import supersample as ss
from supersample.raters import ceiling, plan_campaign, rank_raters, reliability, take_as_gold
from supersample.raters.agreement import error_variance, variance_components
from tests.conftest import DATA_ROOT

SCORES = ss.load_example()
PEOPLE = ["strong-95", "good-90", "fair-70"]
SYSTEMS = SCORES["system"].values.tolist()
RATERS = DATA_ROOT / "wmt23-raters"
MTME = DATA_ROOT / "mt-metrics-eval-v2"
needs_data = pytest.mark.skipif(not RATERS.is_dir(), reason="no evaluation data")

# SPA (1,000 permutations), acc_eq and r of scorers with col1 as gold, on segments rated in all
# three collections: mt-metrics-eval's own functions.
PUBLISHED = {
    "en-de": {
        "col2": (0.9316, 0.5771, 0.9761),
        "col3": (0.9351, 0.5842, 0.9479),
        "da-sqm": (0.9124, 0.4679, 0.9222),
        "GEMBA-MQM": (0.9450, 0.5852, 0.9865),
    },
    "zh-en": {
        "col2": (0.9518, 0.5290, 0.9888),
        "col3": (0.9554, 0.5165, 0.9886),
        "da-sqm": (0.8628, 0.3942, 0.8928),
        "GEMBA-MQM": (0.9319, 0.5280, 0.9894),
    },
}


def collections(pair, metrics=("GEMBA-MQM",)):
    scores = ss.read_mtme(MTME, "wmt23", pair, metrics=list(metrics))
    for k in (1, 2, 3):
        file = RATERS / f"{pair}.mqm-col{k}.seg.score"
        scores = ss.raters.add_rater(scores, f"col{k}", file)
    return scores


@needs_data
@pytest.mark.parametrize("pair", PUBLISHED)
def test_values_of_mt_metrics_eval(pair):
    scores = ss.raters.add_rater(
        collections(pair), "da-sqm", MTME / "wmt23" / "human-scores" / f"{pair}.da-sqm.seg.score"
    )
    golds = ss.raters.golds.golds_of(scores, ["col1", "col2", "col3"], "col1")
    found = ss.agreement(golds[0].scores, ["SPA", "acc_eq/item", "pearson"])["value"]
    for name, published in PUBLISHED[pair].items():
        ours = found.sel(metric=name).to_numpy().ravel()
        np.testing.assert_allclose(ours[0], published[0], rtol=0, atol=0.004)
        np.testing.assert_allclose(ours[1:], published[1:], rtol=0, atol=0.5e-4)


def test_people_stand_where_compare_puts_them():
    found = rank_raters(SCORES, PEOPLE, gold="strong-95", resamples=99, seed=3)
    scores = take_as_gold(SCORES, "strong-95")
    of_systems = ss.compare(scores).isel(measure=0)
    drawn = ss.compare(scores, random="documents", method="student", resamples=99, seed=3)
    drawn = drawn.isel(measure=0)
    assert found["person"].values.tolist() == PEOPLE[1:]
    for person in PEOPLE[1:]:
        for scorer in found["scorer"].values:
            if scorer == person:
                continue
            at = {"metric": scorer, "other_metric": person}
            ours = found.isel(measure=0).sel(scorer=scorer, person=person)
            assert ours["difference"] == pytest.approx(of_systems["difference"].sel(at).item())
            for scope, of in (("documents", drawn), ("systems", of_systems)):
                assert ours["p_value"].sel(scope=scope) == of["p_value"].sel(at)
    p = found["p_value"].isel(measure=0, scope=0).values
    adjusted = found["p_holm"].isel(measure=0, scope=0).values
    order = np.sort(p[np.isfinite(p)])
    assert np.nanmin(adjusted) == pytest.approx(order[0] * order.size)


def test_values_by_the_others_are_means_over_gold_standards():
    found = rank_raters(SCORES, PEOPLE, ["pearson", "PA"], resamples=49)
    values = []
    for person in PEOPLE:
        others = [name for name in PEOPLE if name != person]
        value = ss.agreement(take_as_gold(SCORES, others), ["pearson", "PA"])["value"].squeeze()
        values.append(value.sel(metric="weak-40"))
        np.testing.assert_array_equal(
            found["value"].sel(scorer=person), value.sel(metric=person), strict=False
        )
    np.testing.assert_allclose(found["value"].sel(scorer="weak-40"), np.mean(values, axis=0))
    assert found["gold"].values.tolist()[0] == "mean of all but strong-95"
    both = found["better_than"] + found["worse_than"]
    assert (both <= 3).all()


def crossed(rng, shape, components):
    """Scores (raters, systems, segments) of normal effects with these variances."""
    raters, systems, segments = shape
    sizes = [
        (1, systems, 1),
        (1, 1, segments),
        (raters, 1, 1),
        (1, systems, segments),
        (raters, systems, 1),
        (raters, 1, segments),
        shape,
    ]
    return sum(
        np.sqrt(c) * rng.standard_normal(size) for c, size in zip(components, sizes, strict=True)
    )


def test_components_are_unbiased():
    rng, wanted = np.random.default_rng(1), np.array([2.0, 1.0, 0.5, 3.0, 0.4, 0.8, 4.0])
    found = [variance_components(crossed(rng, (4, 12, 30), wanted)) for _ in range(400)]
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - wanted) < 4 * error).all()


def test_the_ceiling_is_what_a_perfect_metric_reaches():
    rng, wanted = np.random.default_rng(3), np.array([1.0, 1.0, 0.5, 4.0, 0.05, 0.8, 9.0])
    quality = rng.standard_normal((1, 4_000, 1))
    rest = crossed(rng, (2, 4_000, 50), [0, *wanted[1:]])
    human = (quality + rest).mean(axis=(0, 2))
    r = np.corrcoef(quality.ravel(), human)[0, 1]
    assert ceiling(wanted, 2, 50) == pytest.approx(r, abs=0.02)
    assert error_variance(wanted, 2, 50) == pytest.approx(human.var() - quality.var(), rel=0.1)


def test_reliability_is_as_each_part_by_itself():
    found = reliability(SCORES, PEOPLE)
    means = SCORES["score"].mean("segment")
    r = scipy.stats.pearsonr(means.sel(metric="strong-95"), means.sel(metric="fair-70")).statistic
    assert found["system_r"].sel(person="strong-95", other_person="fair-70") == pytest.approx(r)
    assert (found["lower"] <= found["true_r"]).all()
    assert (found["true_r"] <= found["upper"]).all()
    assert found["ceiling"].sel(knows="system")[0] < found["ceiling"].sel(knows="system")[1] < 1


def test_the_ranking_and_its_components_standardise_people_on_the_same_translations():
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(8, 1))
    score = np.stack([quality + x * rng.normal(size=(8, 90)) for x in (0.5, 2, 1, 1)])
    score[0, 0, :40], score[1, 3, 50:60] = np.nan, np.nan  # translations that one person lacks
    names = {"systems": [f"s{i}" for i in range(8)], "metrics": ["a", "b", "c", "m"]}
    scores = ss.make_scores(score[3], score, **names)
    found = reliability(scores, ["a", "b", "c"])
    assert int(found["segments"]) == 40
    by_their_mean = ss.agreement(take_as_gold(scores, ["a", "b", "c"]))
    np.testing.assert_allclose(found["r"], by_their_mean["value"].values.ravel(), rtol=1e-12)


def test_limits_of_r_without_noise_cover_it():
    rng, inside = np.random.default_rng(7), []
    for _ in range(60):
        quality, own = rng.standard_normal((2, 14))
        metric = 0.9 * quality + np.sqrt(1 - 0.81) * own
        people = quality[:, None] + crossed(rng, (3, 14, 60), [0, 1, 0.2, 2, 0.02, 1, 9])
        scored = metric[:, None] + 2 * rng.standard_normal((14, 60))
        values = np.concatenate([people, scored[np.newaxis]])
        names = [f"s{k}" for k in range(14)]
        scores = ss.make_scores(people[0], values, systems=names, metrics=["a", "b", "c", "m"])
        found = reliability(scores, ["a", "b", "c"])
        inside.append(found["lower"].item() <= 0.9 <= found["upper"].item())
    assert np.mean(inside) >= 0.88  # .95 less 2.5 standard deviations


def test_copies_in_teams_do_not_narrow_the_limits_of_r_without_noise():
    copies = [f"{x}*" for x in SYSTEMS]
    twice = SCORES.sel(system=2 * SYSTEMS).assign_coords(system=SYSTEMS + copies)
    pairs = {x: [x, f"{x}*"] for x in SYSTEMS}
    few = {"all": SYSTEMS[3:] + copies}
    alone, copied, in_pairs, in_few = (
        reliability(scores, PEOPLE)
        for scores in (SCORES, twice, ss.declare_teams(twice, pairs), ss.declare_teams(twice, few))
    )
    widths = [float((x["upper"] - x["lower"]).mean()) for x in (copied, alone, in_pairs)]
    assert widths[0] < 0.8 * widths[1] < widths[2]
    assert in_few["lower"].isnull().all()
    np.testing.assert_allclose(in_few["true_r"], copied["true_r"])


def test_a_campaign_needs_fewer_systems_with_more_raters_and_segments():
    measured = reliability(SCORES, ["strong-98", "strong-95"])
    plan = plan_campaign(measured, "good-90", "weak-40", raters=[1, 2, 4], segments=[50, 100, 400])
    needed = plan["systems_needed"]
    assert (needed.diff("raters") <= 0).all()
    assert (needed.diff("segments") <= 0).all()
    with pytest.raises(ss.InputError, match="agree equally"):
        plan_campaign(measured, "good-90", "good-90")
    with pytest.raises(ss.InputError, match="no metric 'x'"):
        plan_campaign(measured, "good-90", "x")
    for wrong in ([], [1.5], [0, 2], [2, float("nan")]):
        for what in ("raters", "segments"):
            with pytest.raises(ss.InputError, match=f"{what} are counted from 1"):
                plan_campaign(measured, "good-90", "weak-40", **{what: wrong})
