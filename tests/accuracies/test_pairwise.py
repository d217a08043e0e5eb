"""What pairwise accuracies must be, whatever the scores: identities, order, gaps, extremes."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import permutation_test

import supersample as ss
from supersample.errors import InputError

# Scores of few segments, so that results can be counted by hand.
pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")

EXAMPLE = ss.load_example()
ROUTES = [
    ss.PValues(),
    ss.PValues("exact"),
    ss.PValues("monte_carlo", permutations=300),
    ss.PValues("monte_carlo", permutations=300, masks="independent"),
]


def scores_of(human, score, **options):
    human, score = np.asarray(human, float), np.asarray(score, float)
    systems, metrics = len(human), len(score)
    options.setdefault("metrics", [f"m{i}" for i in range(metrics)])
    return ss.make_scores(human, score, systems=[f"s{i}" for i in range(systems)], **options)


def small(seed=0, systems=6, segments=14, metrics=3):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    human = np.round(2 * (quality + rng.normal(size=(systems, segments))))
    score = quality + rng.normal(size=(metrics, systems, segments))
    return human, score


def spa(scores, **options):
    return ss.soft_pairwise_accuracy(scores, **options)["value"].values


def pa(scores, **options):
    return ss.pairwise_accuracy(scores, **options)["value"].values


@pytest.mark.parametrize("p_values", [*ROUTES[:3], ss.PValues("exact", "at_least")])
def test_people_against_themselves_agree_wholly(p_values):
    human, _ = small()
    scores = scores_of(human, [human, 3 * human - 7])
    np.testing.assert_allclose(spa(scores, p_values=p_values), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(pa(scores), 1.0)


@pytest.mark.parametrize("p_values", ROUTES)
def test_a_negated_metric_has_the_complementary_preferences(p_values):
    # SPA(-m) = mean(1 - |p_h + p_m - 1|), p-values of m from its components
    human, score = small()
    negated = spa(scores_of(human, -score), p_values=p_values)
    parts = ss.accuracy_components(scores_of(human, score), p_values=p_values).sel(measure="SPA")
    both = parts["human"] + parts["preference"] - 1
    expected = (1 - np.abs(both)).mean(("system", "other_system"))
    np.testing.assert_allclose(negated, expected, rtol=0, atol=1e-12)
    declared = scores_of(human, -score, higher_is_better=[False] * 3)
    np.testing.assert_allclose(
        spa(declared, p_values=p_values),
        spa(scores_of(human, score), p_values=p_values),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("p_values", ["normal", "exact"])
def test_rounded_mid_p_values_give_pa_and_halves_stay_halves(p_values):
    human, score = small()
    score[0] = np.round(score[0])
    score[1, 2] = score[1, 3] = 0.0
    scores = scores_of(human, score)
    parts = ss.accuracy_components(scores, p_values=p_values)
    p = parts[["human", "preference"]].sel(measure="SPA")
    halves = xr.where(np.abs(p - 0.5) < 1e-9, 0.5, np.round(p)).where(p.notnull())
    assert (halves == 0.5).any().to_array().any()
    agreement = 1 - np.abs(halves["human"] - halves["preference"])
    np.testing.assert_allclose(
        agreement.mean(("system", "other_system")), pa(scores), rtol=0, atol=1e-12
    )
    xr.testing.assert_allclose(
        halves.drop_vars("measure"),
        parts[["human", "preference"]].sel(measure="PA", drop=True),
    )


@pytest.mark.parametrize("p_values", ROUTES)
def test_the_order_of_systems_changes_nothing(p_values):
    human, score = small()
    score[0] = np.round(score[0])
    order = np.random.default_rng(1).permutation(len(human))
    given, moved = scores_of(human, score), scores_of(human[order], score[:, order])
    np.testing.assert_allclose(
        spa(given, p_values=p_values), spa(moved, p_values=p_values), rtol=0, atol=1e-12
    )
    np.testing.assert_array_equal(pa(given), pa(moved))


@pytest.mark.filterwarnings("ignore::supersample.errors.DegenerateScoreWarning")
def test_p_values_that_count_ties_whole_depend_on_the_order_of_systems():
    given = scores_of(np.ones((3, 4)), [np.arange(12).reshape(3, 4)])
    moved = given.isel(system=[2, 1, 0])
    whole = ss.PValues("exact", "at_least")
    assert spa(given, p_values=whole)[0] != spa(moved, p_values=whole)[0]
    assert pa(given, ties="up")[0] != pa(moved, ties="up")[0]


def test_the_order_of_segments_changes_only_drawn_p_values_and_those_within_their_error():
    human, score = small(segments=20)
    order = np.random.default_rng(1).permutation(20)
    given, moved = scores_of(human, score), scores_of(human[:, order], score[:, :, order])
    for p_values in ("normal", "exact"):
        np.testing.assert_allclose(
            spa(given, p_values=p_values), spa(moved, p_values=p_values), rtol=0, atol=1e-9
        )
    np.testing.assert_array_equal(pa(given), pa(moved))
    drawn = ss.PValues("monte_carlo", permutations=4000)
    parts = [ss.accuracy_components(x, p_values=drawn).sel(measure="SPA") for x in (given, moved)]
    gap = np.abs(parts[0]["preference"] - parts[1]["preference"]).max()
    assert 0 < gap < 5 * np.sqrt(2 * 0.25 / 4000)


def test_drawn_p_values_agree_with_scipy_within_monte_carlo_error():
    human, score = small(segments=30)
    parts = ss.accuracy_components(
        scores_of(human, score), p_values=ss.PValues("monte_carlo", "at_least", permutations=9999)
    ).sel(measure="SPA", metric="m0")
    order = np.argsort(-human.mean(axis=1), kind="stable")
    for i, j in [(0, 1), (0, 5), (2, 3)]:
        theirs = permutation_test(
            (score[0, order[i]], score[0, order[j]]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            alternative="greater",
            n_resamples=9999,
            vectorized=True,
            rng=np.random.default_rng(0),
        ).pvalue
        ours = float(parts["preference"][i, j])
        assert abs(ours - theirs) < 5 * np.sqrt(2 * 0.25 / 9999)


def test_a_seed_is_a_seed_and_masks_may_be_each_scorers_own():
    human, score = small()
    scores = scores_of(human, score)
    drawn = ss.PValues("monte_carlo", permutations=100)
    np.testing.assert_array_equal(
        spa(scores, p_values=drawn, seed=0), spa(scores, p_values=drawn, seed=0)
    )
    assert (spa(scores, p_values=drawn, seed=1) != spa(scores, p_values=drawn, seed=0)).any()
    own = ss.PValues("monte_carlo", permutations=100, masks="independent")
    assert (spa(scores, p_values=own) != spa(scores, p_values=drawn)).any()


def test_both_estimators_are_there_by_name():
    human, score = small()
    scores = scores_of(human, score)
    plain, counted = (
        ss.accuracy_components(
            scores, p_values=ss.PValues("monte_carlo", "at_least", estimator=estimator)
        )["human"].sel(measure="SPA")
        for estimator in ("k/B", "(k+1)/(B+1)")
    )
    xr.testing.assert_allclose(counted, (1000 * plain + 1) / 1001)


def test_documents_and_windows_are_permuted_whole():
    human, score = small(segments=12)
    documents = list("aabbccddeeff")
    scores = scores_of(human, score, document=documents)
    summed = scores_of(human.reshape(6, 6, 2).sum(axis=2), score.reshape(3, 6, 6, 2).sum(axis=3))
    for unit in ("document", 2):
        for method in ("normal", "exact"):
            np.testing.assert_allclose(
                spa(scores, p_values=ss.PValues(method, unit=unit)),
                spa(summed, p_values=method),
                rtol=0,
                atol=1e-12,
            )
    with pytest.raises(InputError, match="only one window of 12 segments"):
        spa(scores, p_values=ss.PValues(unit=12))
    with pytest.raises(InputError, match="name no documents"):
        spa(scores_of(human, score), p_values=ss.PValues(unit="document"))


def test_windows_are_numbered_before_segments_are_left_out():
    human, score = small(segments=12)
    human[0, 3] = np.nan
    labelled = scores_of(human, score, document=list("aabbccddeeff"))
    np.testing.assert_array_equal(
        spa(labelled, p_values=ss.PValues(unit=2)),
        spa(labelled, p_values=ss.PValues(unit="document")),
    )


def test_missing_scores_leave_their_segments_out_for_all():
    human, score = small()
    left = scores_of(human[:, 2:], score[:, :, 2:])
    human[0, 0] = np.nan
    score[2, 3, 1] = np.nan
    scores = scores_of(human, score)
    np.testing.assert_array_equal(spa(scores), spa(left))
    np.testing.assert_array_equal(pa(scores), pa(left))
    result = ss.soft_pairwise_accuracy(scores)
    assert result["segments"] == 12
    assert result.attrs["mask"] == "common 13/14, complete 12"


def test_a_metric_that_misses_a_system_is_named():
    human, score = small()
    score[1, 2] = np.nan
    with pytest.raises(InputError, match=r"leave out the metric 'm1' \(none for s2\)"):
        ss.pairwise_accuracy(scores_of(human, score))
    assert pa(scores_of(human, score).isel(metric=[0, 2])).shape == (2,)


def test_one_system_or_one_segment_is_refused():
    human, score = small()
    scores = scores_of(human, score)
    with pytest.raises(InputError, match="at least 2 systems are needed, there are 1"):
        ss.soft_pairwise_accuracy(scores.isel(system=[0]))
    with pytest.raises(InputError, match="at least 2 segments are needed, there are 1"):
        ss.soft_pairwise_accuracy(scores.isel(segment=[0]))
    human[:, 1:] = np.nan
    with pytest.raises(InputError, match="only 1 of 14 segments"):
        ss.pairwise_accuracy(scores_of(human, score))


@pytest.mark.parametrize("verb", [ss.soft_pairwise_accuracy, ss.pairwise_accuracy])
def test_constant_scores_are_warned_of(verb):
    human, score = small()
    score[1] = 3.3
    with pytest.warns(ss.DegenerateScoreWarning, match="prefer no system: m1$") as found:
        verb({"a": scores_of(human, score), "b": scores_of(human, small(seed=1)[1])})
    categories = [one.category for one in found]
    assert categories.count(ss.DegenerateScoreWarning) == 1  # of both groups
    with pytest.warns(ss.DegenerateScoreWarning, match="prefer no system: the human scores$"):
        verb(scores_of(np.ones_like(human), small()[1]))


@pytest.mark.filterwarnings("ignore::supersample.errors.DegenerateScoreWarning")
@pytest.mark.parametrize("method", ["normal", "exact", "monte_carlo"])
def test_constant_scores_prefer_nothing(method):
    human, score = small()
    score[0] = 3.3
    scores = scores_of(human, score)
    parts = ss.accuracy_components(scores, p_values=method).sel(metric="m0")
    upper = np.triu_indices(6, 1)
    assert (parts["preference"].values[:, *upper] == 0.5).all()
    expected = 1 - np.abs(parts["human"].sel(measure="SPA").values[upper] - 0.5).mean()
    assert spa(scores, p_values=method)[0] == pytest.approx(expected, abs=1e-12)
    flat = spa(scores_of(np.ones_like(human), [human, np.zeros_like(human)]), p_values=method)
    assert flat[1] == 1.0
    assert 0.5 <= flat[0] < 1.0


def test_components_stand_in_the_order_of_human_scores():
    parts = ss.accuracy_components(EXAMPLE)
    human = ss.select_segments(EXAMPLE)["human"].mean("segment").sel(system=parts["system"])
    assert (np.diff(human) < 0).all()
    upper = parts["human"].sel(measure="PA").values[np.triu_indices(12, 1)]
    np.testing.assert_array_equal(upper, 0.0)  # nobody is worse than the next
    means = parts["agreement"].mean(("system", "other_system"))
    np.testing.assert_allclose(means, parts["accuracy"])
    np.testing.assert_allclose(parts["accuracy"].sel(measure="SPA"), spa(EXAMPLE))
    np.testing.assert_array_equal(parts["accuracy"].sel(measure="PA"), pa(EXAMPLE))


def test_groups_are_what_their_segments_give_alone_and_their_mean():
    human, score = small(segments=14)
    domain = ["news"] * 8 + ["speech"] * 5 + ["lone"]
    scores = scores_of(human, score, domain=domain)
    for verb in (ss.pairwise_accuracy, ss.soft_pairwise_accuracy):
        grouped = verb(scores, by="domain")
        assert list(grouped["group"].values) == ["average", "news", "speech"]
        assert grouped.attrs["groups_left_out"] == "lone"
        for name in ("news", "speech"):
            alone = verb(scores.isel(segment=scores["domain"] == name))
            np.testing.assert_array_equal(grouped["value"].sel(group=name), alone["value"])
        np.testing.assert_allclose(
            grouped["value"].sel(group="average"),
            grouped["value"].sel(group=["news", "speech"]).mean("group"),
        )
        assert grouped["segments"].values.tolist() == [13, 8, 5]
        assert grouped["systems"].values.tolist() == [12, 6, 6]
    assert "|by:domain|" in grouped.attrs["signature"]
    assert "n:6 systems in 2 domains" in grouped.attrs["signature"]


def test_what_cannot_be_grouped_is_refused():
    human, score = small()
    scores = scores_of(human, score)
    with pytest.raises(InputError, match="name no domains to group by"):
        pa(scores, by="domain")
    with pytest.raises(InputError, match="no label to group by 'system'"):
        pa(scores, by="system")
    with pytest.raises(InputError, match="no document has two complete segments"):
        pa(scores_of(human, score, document=[str(i) for i in range(14)]), by="document")


def test_language_pairs_are_compared_on_what_is_common():
    human, score = small()
    other_human, other_score = small(seed=5, systems=4)
    pairs = {
        "aa-bb": scores_of(human, score, metrics=["a", "b", "c"]),
        "cc-dd": scores_of(other_human, other_score, metrics=["d", "c", "a"]),
    }
    result = ss.soft_pairwise_accuracy(pairs)
    assert list(result["metric"].values) == ["a", "c"]
    assert list(result["group"].values) == ["average", "aa-bb", "cc-dd"]
    assert result.attrs["metrics_left_out"] == "b (not in all), d (not in all)"
    assert "n:6 systems of aa-bb, 4 systems of cc-dd" in result.attrs["signature"]
    np.testing.assert_array_equal(result["value"].sel(group="cc-dd"), spa(pairs["cc-dd"])[[2, 1]])


def test_language_pairs_that_do_not_fit_are_refused():
    human, score = small()
    one = scores_of(human, score)
    with pytest.raises(InputError, match="no metric is common"):
        pa({"a": one, "b": scores_of(human, score, metrics=["x", "y", "z"])})
    with pytest.raises(InputError, match="'m1' is declared higher-is-better in some"):
        pa({"a": one, "b": scores_of(human, score, higher_is_better=[True, False, True])})
    with pytest.raises(InputError, match="groups already"):
        pa({"a": one}, by="domain")
    with pytest.raises(InputError, match="'average' names what is computed"):
        pa({"average": one})
    with pytest.raises(InputError, match="no Scores to compare"):
        pa({})
    gap = score.copy()
    gap[0, 0] = np.nan
    with pytest.raises(InputError, match=r"b: fewer than two segments .* 'm0' \(none for s0\)"):
        pa({"a": one, "b": scores_of(human, gap)})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "drawn"}, "no method of p-values 'drawn'"),
        ({"convention": "whole"}, "no convention of p-values 'whole'"),
        ({"unit": "word"}, "the unit is 'segment', 'document' or a number of segments"),
        ({"unit": 0}, "not 0"),
        ({"unit": True}, "not True"),
        ({"permutations": 0}, "permutations are 1 to"),
        ({"estimator": "k"}, "no estimator of p-values 'k'"),
        ({"masks": "own"}, "no sharing of masks 'own'"),
    ],
)
def test_unknown_options_of_p_values_are_refused(options, said):
    with pytest.raises(InputError, match=said):
        ss.PValues(**options)


def test_the_scores_are_left_as_they_were():
    before = EXAMPLE.copy(deep=True)
    ss.soft_pairwise_accuracy(EXAMPLE, p_values=ss.PValues(unit=5))
    ss.pairwise_accuracy(EXAMPLE, by="document")
    xr.testing.assert_identical(EXAMPLE, before)


def test_components_of_groups_are_of_what_is_ranked():
    # a metric that only one of them has is left out of both
    lacking = ss.load_example().drop_sel(metric="good-90").isel(segment=slice(300))
    parts = {"x": ss.load_example(), "y": lacking}
    drawn = ss.PValues("monte_carlo", permutations=50)
    ranked = ss.soft_pairwise_accuracy(parts, p_values=drawn)
    for name, own in ss.components_of_groups(parts, p_values=drawn).items():
        expected = ranked["value"].sel(group=name, metric=own["metric"].values)
        # the mean goes over systems in another order
        np.testing.assert_allclose(own["accuracy"].sel(measure="SPA"), expected, rtol=1e-14)


@pytest.mark.parametrize("p_values", ["normal", "monte_carlo", "exact"])
@pytest.mark.parametrize("offset", [1e12, -1e14])
def test_accuracies_do_not_depend_on_how_far_scores_lie_from_zero(offset, p_values):
    rng = np.random.default_rng(1)
    near = rng.normal(size=(3, 8, 28)) + np.linspace(0, 1, 8)[:, None]
    far = offset + near
    systems = [f"s{i}" for i in range(8)]
    moved, kept = (
        ss.make_scores(values[0], values[1:], systems=systems, metrics=["a", "b"])
        for values in (far, far - offset)
    )
    for verb in (lambda s: ss.soft_pairwise_accuracy(s, p_values=p_values), ss.pairwise_accuracy):
        difference = verb(moved)["value"] - verb(kept)["value"]
        assert np.abs(difference).max() < 1e-9


def test_one_giant_unit_is_warned_of():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2, 6, 60))
    values[1, :, 0] += 30 * np.arange(6)
    names = [f"s{i}" for i in range(6)]
    scores = ss.make_scores(values[0], values[1:], systems=names, metrics=["giant"])
    with pytest.warns(ss.ApproximationWarning, match=r"few segments .* to 0\.\d+ for giant on"):
        normal = ss.soft_pairwise_accuracy(scores)
    exact = ss.soft_pairwise_accuracy(scores, p_values="exact")  # and no warning
    assert abs(float(normal["value"][0] - exact["value"][0])) > 0.01
