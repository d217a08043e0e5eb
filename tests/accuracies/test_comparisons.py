"""Significance of differences of accuracies: definitions, identities, threads, groups."""

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.engine.swaps import standardise, swap_masks
from supersample.errors import InputError
from tests.accuracies.test_pairwise import scores_of, small

# Scores of few segments, so that results can be counted by hand.
pytestmark = pytest.mark.filterwarnings("ignore::supersample.errors.ApproximationWarning")

SCHEMES = ("inputs", "systems", "both")
ROUTES = [ss.PValues(), ss.PValues("monte_carlo", permutations=50)]
PAIR = {"metric": "m0", "other_metric": "m1"}


def compare(scores, **options):
    return ss.compare_accuracies(scores, **{"resamples": 99, **options})


def plain_null(human, score, scheme, p_values, resamples, seed, document=None):
    """Swap, then compute both accuracies anew with the verbs: the definition."""
    z = standardise(score)
    systems, segments = human.shape
    masks = swap_masks(
        scheme,
        systems=systems,
        segments=segments if document is None else len(set(document)),
        seed=seed,
        replicates=np.arange(resamples, dtype=np.uint64),
    )
    found = []
    for mask in masks:
        if document is not None:
            mask = mask[:, np.unique(document, return_inverse=True)[1]]
        both = [np.where(mask, z[1], z[0]), np.where(mask, z[0], z[1])]
        swapped = scores_of(human, both, document=document)
        soft = ss.soft_pairwise_accuracy(swapped, p_values=p_values, seed=seed)
        hard = ss.pairwise_accuracy(swapped)
        found.append([soft["value"].values, hard["value"].values])
    return np.array(found)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("p_values", ROUTES)
def test_p_values_are_those_of_the_definition(scheme, p_values):
    human, score = small(seed=3)
    score[1] = 0.1 * score[1] + human
    null = plain_null(human, score, scheme, p_values, 29, seed=2)
    options = {"scheme": scheme, "p_values": p_values, "resamples": 29, "seed": 2}
    compared = compare(scores_of(human, score), **options)
    for k, kind in enumerate(("SPA", "PA")):
        own = compared.sel(measure=kind, **PAIR)
        moved = null[:, k, 0] - null[:, k, 1]
        extreme = (np.abs(moved) >= abs(float(own["difference"])) - 1e-10).sum()
        assert float(own["p_value"]) == (extreme + 1) / 30


@pytest.mark.parametrize("scheme", ["inputs", "both"])
@pytest.mark.parametrize("convention", ["mid", "at_least"])
def test_systems_without_any_difference_count_by_the_convention(scheme, convention):
    human, score = small(seed=3)
    score[:, 1] = score[:, 0]
    score[:, 2] = score[:, 0]
    how = ss.PValues("normal", convention)
    null = plain_null(human, score, scheme, how, 29, seed=0)
    compared = compare(scores_of(human, score), scheme=scheme, p_values=how, resamples=29)
    own = compared.sel(measure="SPA", **PAIR)
    extreme = np.abs(null[:, 0, 0] - null[:, 0, 1]) >= abs(float(own["difference"])) - 1e-10
    assert float(own["p_value"]) == (extreme.sum() + 1) / 30


def test_one_sided_alternatives_count_their_side():
    human, score = small(seed=3)
    score[1] = 0.1 * score[1] + human
    null = plain_null(human, score, "inputs", "normal", 99, seed=0)
    moved = null[:, 0, 0] - null[:, 0, 1]
    for alternative, sign in (("greater", 1), ("less", -1)):
        own = compare(scores_of(human, score), alternative=alternative).sel(measure="SPA")
        difference = float(own["difference"].sel(PAIR))
        extreme = (sign * moved >= sign * difference - 1e-10).sum()
        assert float(own["p_value"].sel(PAIR)) == (extreme + 1) / 100
        other = {"metric": "m1", "other_metric": "m0"}
        extreme = (sign * -moved >= sign * -difference - 1e-10).sum()
        assert float(own["p_value"].sel(other)) == (extreme + 1) / 100


def test_accuracies_and_differences_are_those_of_the_verbs():
    compared = compare(ss.load_example())
    soft = ss.soft_pairwise_accuracy(ss.load_example())["value"]
    hard = ss.pairwise_accuracy(ss.load_example())["value"]
    np.testing.assert_array_equal(compared["value"], [soft, hard])
    np.testing.assert_array_equal(
        compared["difference"].sel(measure="SPA"), soft.values[:, None] - soft.values
    )
    p = compared["p_value"].values
    np.testing.assert_array_equal(p, p.swapaxes(1, 2))
    assert (np.diagonal(p, axis1=1, axis2=2) == 1).all()
    assert (compared["p_holm"] >= compared["p_value"]).all()
    np.testing.assert_array_equal(compared["significant"], (p <= 0.05) & ~np.eye(8, dtype=bool))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("p_values", ROUTES)
def test_a_duplicate_is_tied_exactly_and_never_significant(scheme, p_values):
    human, score = small(seed=1, segments=20)
    score = np.concatenate([score, score[:1], -3 * score[:1] + 1])
    scores = scores_of(human, score, higher_is_better=[True] * 4 + [False])
    for ties in ("exact", "floating_point"):
        ranking = ss.rank(
            compare(scores, scheme=scheme, p_values=p_values, significance_level=0.9, ties=ties)
        )
        twin = {"metric": "m0", "other_metric": "m3"}
        assert bool(ranking["identical"].sel(twin))
        assert bool(ranking["identical"].sel(metric="m0", other_metric="m4"))
        assert (ranking["difference"].sel(twin) == 0).all()
        assert (ranking["p_value"].sel(twin) == 1).all()
        assert not ranking["significant"].sel(twin).any()
        assert ranking["distinct_metrics"] == 3
        ranks = ranking["rank"].sel(metric=["m0", "m3", "m4"])
        assert (ranks == ranks.isel(metric=0)).all()
    rescaled = compare(scores, scheme=scheme, p_values=p_values)["p_value"]
    assert (rescaled.sel(metric="m0", other_metric="m4") == 1).all()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("p_values", ROUTES)
def test_threads_change_no_bit(scheme, p_values):
    scores = scores_of(*small(metrics=4))
    one, many = (
        compare(scores, scheme=scheme, p_values=p_values, workers=ss.Workers("threads", count))
        for count in (1, 3)
    )
    xr.testing.assert_identical(one, many)


def test_the_first_resamples_of_many_are_the_few():
    scores = scores_of(*small(metrics=4))
    few, many = (compare(scores, resamples=n)["p_value"] for n in (20, 60))
    counted = [np.round(few * 21 - 1), np.round(many * 61 - 1)]
    assert (counted[0] <= counted[1]).all()
    assert (counted[1] <= counted[0] + 40).all()


def test_the_order_of_metrics_and_systems_changes_nothing():
    human, score = small(metrics=4)
    given = compare(scores_of(human, score))
    order = [2, 0, 3, 1, 5, 4]
    moved = compare(scores_of(human[order], score[::-1, order], metrics=["m3", "m2", "m1", "m0"]))
    names = given["metric"].values
    moved = moved.sel(metric=names, other_metric=names)
    xr.testing.assert_allclose(given["p_value"], moved["p_value"])


@pytest.mark.parametrize("method", ["normal", "monte_carlo"])
def test_documents_are_swapped_whole(method):
    human, score = small(segments=12)
    how = ss.PValues(method, permutations=50, unit="document")
    null = plain_null(human, score, "inputs", how, 99, seed=0, document=list("aabbccddeeff"))
    compared = compare(scores_of(human, score, document=list("aabbccddeeff")), p_values=how)
    assert compared["segments"] == 12
    own = compared.sel(measure="SPA", **PAIR)
    extreme = np.abs(null[:, 0, 0] - null[:, 0, 1]) >= abs(float(own["difference"])) - 1e-10
    assert float(own["p_value"]) == (extreme.sum() + 1) / 100


def test_ties_in_floating_point_count_no_more_replicates():
    example = ss.load_example()
    exact, fallen = (
        ss.compare_accuracies(example, ties=ties, resamples=499)["p_value"]
        for ties in ("exact", "floating_point")
    )
    assert (fallen <= exact).all()
    # PA takes few values, and rounding makes some of its ties fall short
    assert (fallen < exact).sel(measure="PA").any()


def test_estimators_are_there_by_name():
    scores = scores_of(*small(metrics=4))
    counted, plain = (
        compare(scores, estimator=estimator)["p_value"] for estimator in ("(k+1)/(B+1)", "k/B")
    )
    xr.testing.assert_allclose(counted, (99 * plain + 1) / 100)
    assert "|estimator:k/B|" in compare(scores, estimator="k/B").attrs["signature"]


def test_the_average_of_language_pairs_is_tested_jointly():
    human, score = small(seed=3)
    other_human, other_score = small(seed=4, systems=5, segments=20)
    pairs = {"aa-bb": scores_of(human, score), "cc-dd": scores_of(other_human, other_score)}
    compared = compare(pairs)
    assert list(compared["group"].values) == ["average", "aa-bb", "cc-dd"]
    np.testing.assert_allclose(
        compared["value"].sel(group="average"),
        compared["value"].sel(group=["aa-bb", "cc-dd"]).mean("group"),
    )
    from supersample.scores.groups import group_seed

    nulls = [
        plain_null(h, s, "inputs", "normal", 99, seed=group_seed(0, name))
        for name, h, s in (("aa-bb", human, score), ("cc-dd", other_human, other_score))
    ]
    moved = np.mean([null[:, 0, 0] - null[:, 0, 1] for null in nulls], axis=0)
    own = compared.sel(group="average", measure="SPA", **PAIR)
    extreme = (np.abs(moved) >= abs(float(own["difference"])) - 1e-10).sum()
    assert float(own["p_value"]) == (extreme + 1) / 100
    swapped = compare({name: pairs[name] for name in ("cc-dd", "aa-bb")})
    xr.testing.assert_allclose(compared["p_value"], swapped["p_value"].sel(group=compared["group"]))


def test_identical_on_average_is_identical_in_every_group():
    human, score = small(segments=16)
    score[1, :, :8] = score[0, :, :8]
    scores = scores_of(human, score, domain=["a"] * 8 + ["b"] * 8)
    compared = compare(scores, by="domain")["identical"].sel(PAIR)
    assert compared.sel(group=["average", "a", "b"]).values.tolist() == [False, True, False]


def test_rank_takes_comparisons_of_groups():
    scores = scores_of(*small(segments=16), domain=["a"] * 8 + ["b"] * 8)
    ranking = ss.rank(compare(scores, by="domain"))
    leading = ranking["value"].sel(measure="SPA", group="average")
    assert (np.diff(leading) <= 0).all()
    assert ranking["cluster"].dims == ("measure", "group", "metric")
    for name in ("distinct_values", "significant_pairs", "clusters"):
        assert ranking[name].dims == ("measure", "group")
    assert ranking["distinct_metrics"].dims == ("group",)
    own = ranking.sel(measure="PA", group="b")
    assert int(own["significant_pairs"]) == np.triu(own["significant"], 1).sum()
    assert int(own["clusters"]) == own["cluster"].max()


def test_the_first_measure_orders_the_ranking():
    ranking = ss.rank(compare(ss.load_example(), measures=["PA"]))
    assert ranking["measure"].values.tolist() == ["PA"]
    assert (np.diff(ranking["value"].sel(measure="PA")) <= 0).all()


def test_constant_metrics_are_compared():
    human, score = small()
    score[0] = 2.0
    score[1] = 2.0
    scores = scores_of(human, score)
    with pytest.warns(ss.DegenerateScoreWarning, match="^scores that .* prefer no system: m0, m1$"):
        compared = compare(scores)
    assert (compared["p_value"].sel(PAIR) == 1).all()
    assert np.isfinite(compared["p_value"]).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measures": []}, "name the measures"),
        ({"measures": ["SPA", "SPA"]}, "each once"),
        ({"measures": ["KIT"]}, "no measure 'KIT'"),
        ({"scheme": "rows"}, "no scheme 'rows'"),
        ({"alternative": "more"}, "no alternative 'more'"),
        ({"estimator": "k"}, "no estimator 'k'"),
        ({"ties": "half"}, "no rule for ties 'half'"),
        ({"resamples": 0}, "at least one resample"),
        ({"workers": "processes"}, "compared by threads"),
        ({"significance_level": 1.0}, "between 0 and 1"),
        ({"p_values": ss.PValues("monte_carlo", masks="independent")}, "use shared masks"),
        ({"seed": -1}, "a seed is an integer"),
    ],
)
def test_what_cannot_be_compared_is_refused(options, said):
    with pytest.raises(InputError, match=said):
        compare(scores_of(*small()), **options)


def test_exact_accuracies_are_tested_by_normal_ones():
    scores = scores_of(*small())
    exact, normal = compare(scores, p_values="exact"), compare(scores)
    accuracy = ss.soft_pairwise_accuracy(scores, p_values="exact")["value"]
    np.testing.assert_array_equal(exact["value"].sel(measure="SPA"), accuracy)
    assert (exact["value"] != normal["value"]).sel(measure="SPA").any()
    np.testing.assert_array_equal(exact["p_value"], normal["p_value"])
    assert "PValues(exact" in exact.attrs["signature"]
