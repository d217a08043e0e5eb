"""Correlations over several language pairs or domains, and on average."""

import numpy as np
import pytest

import supersample as ss
from supersample.comparisons.correlations.by_formula import bases_of
from supersample.comparisons.scopes import compare_over_groups
from supersample.inference.two_correlations.averages import average_difference, set_differences
from supersample.inference.two_correlations.fisher_jackknife import score_pairs


def simulated(seed, systems=9, metrics=("a", "b", "c")):
    return ss.simulate_scores(
        systems=systems,
        segments=60,
        correlations=dict(zip(metrics, (0.9, 0.7, 0.3), strict=True)),
        seed=seed,
    )


def renamed(scores, suffix):
    return scores.assign_coords(system=[f"{name}{suffix}" for name in scores["system"].values])


PAIRS = {"one": simulated(1), "two": renamed(simulated(2, systems=12), " of two")}


def averaged(tables, systems, **options):
    first, second = np.triu_indices(tables[0].shape[1] - 1, 1)
    pairs = [score_pairs(table, first, second) for table in tables]
    return average_difference(set_differences(pairs, systems, **options))


def test_the_average_is_the_mean_of_what_each_pair_has_alone():
    found = compare_over_groups(PAIRS, n=500, seed=3)
    assert list(found["group"].values) == ["average", "one", "two"]
    assert list(found["basis"].values) == ["systems", "hybrids"]
    np.testing.assert_array_equal(found["n"][0], [[21, 9, 12], [1000, 500, 500]])
    for name, scores in PAIRS.items():
        alone = ss.correlations.compare_correlations(scores, method="fisher-jackknife").squeeze()
        own = found.sel(group=name, basis="systems").squeeze()
        np.testing.assert_array_equal(own["significant"], alone["significant"])
        for variable in (
            *("value", "lower", "upper", "difference"),
            *("difference_lower", "p_value", "p_simultaneous", "p_best"),
        ):
            np.testing.assert_allclose(own[variable], alone[variable], rtol=1e-9)
    assert np.isnan(found["p_value"].sel(basis="hybrids")).all()
    groups = found.sel(group=["one", "two"])
    for name in ("value", "difference"):
        mean = groups[name].mean("group")
        np.testing.assert_allclose(found[name].sel(group="average"), mean, atol=1e-14)
    own = groups.sel(basis="systems")
    below = np.sqrt(((own["value"] - own["lower"]) ** 2).sum("group")) / 2
    limit = found["lower"].sel(group="average", basis="systems")
    np.testing.assert_allclose(limit, own["value"].mean("group") - below)


def with_domains(scores):
    labels = np.where(np.arange(scores.sizes["segment"]) < 25, "news", "talks").astype(object)
    labels[-1] = "single"
    return scores.assign_coords(domain=("segment", labels.astype(str)))


def test_domains_share_their_systems():
    found = compare_over_groups(with_domains(PAIRS["two"]), by="domain", n=None)
    assert list(found["group"].values) == ["average", "news", "talks"]
    assert found.attrs["groups_left_out"] == "single"
    assert found.attrs["systems_shared"].startswith("all groups have the same systems")
    assert "by:domain" in found.attrs["signature"]
    own = found.sel(basis="systems")
    assert own["n"].values.ravel().tolist() == [12, 12, 12]
    apart = {}
    for name in ("news", "talks"):
        part = with_domains(PAIRS["two"])
        apart[name] = renamed(part.isel(segment=part["domain"].values == name), f" of {name}")
    other = compare_over_groups(apart, n=None).sel(basis="systems", group="average")
    width, narrower = ((x["upper"] - x["lower"]) for x in (own.sel(group="average"), other))
    assert (width > narrower).all()  # the same systems tell less


def test_one_file_under_four_names_gives_the_conclusions_of_one_file():
    scores = simulated(5, systems=12, metrics=("a", "b", "c"))
    found = compare_over_groups({f"name {i}": scores for i in range(4)}, n=None)
    alone = ss.correlations.compare_correlations(scores, method="fisher-jackknife").isel(
        basis=0, group=0
    )
    own = found.sel(group="average", basis="systems")
    for name in ("value", "lower", "upper", "difference_lower", "difference_upper", "p_value"):
        np.testing.assert_allclose(own[name], alone[name], atol=1e-9)
    for name in ("p_simultaneous", "p_best", "behind_lower", "behind_upper"):
        np.testing.assert_allclose(own[name], alone[name], atol=1e-9)
    assert "all groups have the same systems" in found.attrs["systems_shared"]


def test_weights_are_those_of_the_named_groups():
    found = compare_over_groups(PAIRS, n=None, weights={"two": 3}).sel(basis="systems")
    one, two = (found["value"].sel(group=name) for name in PAIRS)
    np.testing.assert_allclose(found["value"].sel(group="average"), (one + 3 * two) / 4)
    assert found.attrs["weights"] == "two 3"
    for weights, message in (
        ({"x": 1}, "no group is called 'x'; there are one, two"),
        ({"one": 0}, "the weight of 'one' is 0; it must be above 0"),
    ):
        with pytest.raises(ss.InputError, match=message):
            compare_over_groups(PAIRS, n=None, weights=weights)


def test_five_sets_and_more_say_something_of_new_ones():
    sets = {f"set {i}": renamed(simulated(i, systems=12), f" of {i}") for i in range(5)}
    found = compare_over_groups(sets, n=None)
    assert found["basis"].values.tolist() == ["systems", "sets"]
    new = found.sel(basis="sets", group="average")
    assert new["n"] == 5
    narrow = found.sel(basis="systems", group="average")
    for name in ("p_best", "p_value"):
        assert (new[name] >= narrow[name] - 1e-12).all()
    assert found["p_value"].sel(basis="sets", group="set 1").isnull().all()
    pair = new.sel(metric="a", other_metric="c")
    assert pair["prediction_lower"] <= pair["difference_lower"] < pair["difference_upper"]
    assert 0 <= pair["i_squared"] < 1
    assert ss.rank(found)["rank"].sel(basis="sets", group="average").values.ravel().tolist() == [
        1,
        2,
        3,
    ]


def test_only_metrics_of_all_pairs_are_averaged_and_corpora_rank():
    other = simulated(4, metrics=("c", "a", "new"))
    ranked = ss.rank(compare_over_groups({"one": PAIRS["one"], "other": other}, n=100))
    assert sorted(ranked["metric"].values) == ["a", "c"]
    assert ranked.attrs["metrics_left_out"] == "b (not in all), new (not in all)"
    assert ranked["rank"].dims == ("measure", "basis", "group", "metric")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare_over_groups(PAIRS["one"]), "split it by domain or document"),
        (lambda: compare_over_groups(PAIRS, by="domain"), "are already groups"),
        (lambda: compare_over_groups({}), "no Scores to compare"),
        (lambda: compare_over_groups({"average": PAIRS["one"]}), "'average' is the name of"),
        (lambda: compare_over_groups(PAIRS["one"], by="domain"), "have no domains"),
        (lambda: compare_over_groups(PAIRS["one"], by="topic"), "no label to group by 'topic'"),
        (
            lambda: compare_over_groups(ss.system_level_scores(PAIRS["one"]), by="domain"),
            "no segments to group by domain",
        ),
        (
            lambda: compare_over_groups(
                {"one": PAIRS["one"], "x": simulated(1, metrics=("x", "y", "z"))}, n=None
            ),
            "no metric is common to one, x",
        ),
    ],
)
def test_what_cannot_be_averaged_is_said(call, message):
    with pytest.raises(ss.InputError, match=message):
        call()


def test_groups_without_enough_human_scores_are_left_out_by_name():
    scores = with_domains(PAIRS["two"]).copy(deep=True)
    scores["human"][0, 25:58] = np.nan  # one rating of a system is left in "talks"
    found = compare_over_groups(scores, by="domain", mask="all", n=20)
    assert list(found["group"].values) == ["average", "news"]
    assert found.attrs["groups_left_out"] == "single, talks"


def test_an_average_concludes_on_all_metrics_at_once():
    found = compare_over_groups(PAIRS, n=None).sel(group="average").squeeze()
    p, at = found["p_value"].to_numpy(), np.triu_indices(3, 1)
    adjusted = found["p_simultaneous"].to_numpy()
    assert (adjusted[at] >= p[at] * (1 - 1e-9)).all()
    np.testing.assert_array_equal(adjusted, adjusted.T)
    expected = [1.0, p[0, 1], p[:2, 2].min()]  # a is ahead of b, both of c; for two others
    np.testing.assert_allclose(found["p_best"], expected)
    np.testing.assert_array_equal(found["significant"], (p <= 0.05) & ~np.eye(3, dtype=bool))


def test_domains_are_tested_with_their_systems_shared():
    found = compare_over_groups(with_domains(PAIRS["two"]), by="domain", n=None)
    tables = [
        bases_of(PAIRS["two"].isel(segment=part))[0].scores
        for part in (slice(0, 25), slice(25, 59))
    ]
    expected = averaged(tables, [np.arange(12)] * 2)
    own = found.sel(basis="systems", group="average", metric="a", other_metric="b")
    np.testing.assert_allclose(own["p_value"], expected.p_value[0])
    np.testing.assert_allclose(own["difference_upper"], expected.upper[0])


def test_a_group_whose_human_scores_do_not_vary_is_named():
    scores = ss.simulate_scores(systems=6, segments=20, correlations={"m": 0.9}, seed=1)
    scores = scores.assign_coords(domain=("segment", list("ab" * 10)))
    scores["human"] = scores["human"].where(scores["domain"] == "a", 1.0)
    with pytest.warns(ss.DegenerateScoreWarning, match="no r of m in b, so its average is un"):
        found = compare_over_groups(scores, by="domain", n=None)
    assert np.isnan(found["value"].sel(group="average")).all()
