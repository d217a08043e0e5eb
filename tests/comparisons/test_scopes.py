"""What any measure concludes on new systems, and on new sets, over several sets."""

import numpy as np
import pytest

import supersample as ss
from supersample.comparisons.scopes import rank_by_measures
from supersample.presentation.answer import verdict
from supersample.presentation.labels import leading_parts, parts_of

MEASURES = ["SPA", "PA", "acc_eq/item", "pdp/item", "MAE"]


def simulated(seed, systems=9):
    correlations = {"a": 0.9, "b": 0.7, "c": 0.3}
    scores = ss.simulate_scores(systems=systems, segments=40, correlations=correlations, seed=seed)
    return scores.drop_vars("document", errors="ignore")


def renamed(scores, end):
    return scores.assign_coords(system=[f"{name} {end}" for name in scores["system"].values])


def ranked(sets, measure=MEASURES, **options):
    swaps = {} if measure == "pearson" else {"resamples": 19}
    return rank_by_measures(sets, measure, **swaps, **options)


def test_one_set_under_four_names_gives_the_conclusions_of_one():
    scores = simulated(1)
    one, four = (ranked({f"set {i}": scores for i in range(count)}) for count in (1, 4))
    assert one["basis"].values.tolist() == ["segments", "systems"]
    for name in ("p_value", "difference_lower", "p_best", "behind_upper"):
        own = (each[name].sel(basis="systems", group="average") for each in (one, four))
        np.testing.assert_allclose(*own, atol=1e-9)
    assert one["difference_lower"].sel(basis="segments").isnull().all()
    np.testing.assert_array_equal(*(one["value"].sel(basis=x) for x in one["basis"].values))


def test_limits_of_errors_hold_their_differences():
    own = ranked({"x": simulated(1), "y": simulated(2)}).sel(basis="systems", group="average")
    assert (own["difference_lower"] <= own["difference"]).all()
    assert (own["difference"] <= own["difference_upper"]).all()
    apart = own["value"] - own["value"].rename(metric="other_metric")
    np.testing.assert_allclose(own["difference"], apart.transpose(*own["difference"].dims))
    assert own["may_be_best"].sel(metric="a").all()


def test_five_sets_say_something_of_new_ones():
    sets = {f"set {i}": renamed(simulated(i), i) for i in range(5)}
    found = ranked(sets, ["SPA", "pearson"])
    assert found["basis"].values.tolist() == ["segments", "systems", "sets"]
    new, old = (found.sel(basis=x, group="average") for x in ("sets", "systems"))
    assert (new["p_value"] >= old["p_value"] - 1e-12).all()
    assert new["tau"].notnull().all()
    assert (found["tested_by"].sel(basis="sets") == "student over sets").all()
    assert found["p_value"].sel(basis="sets", group="set 1").isnull().all()
    told = [line.split("  ")[1] for line in verdict(found)[1:] if line.startswith("  ")]
    expected = ["these systems, new segments", "new systems", "new sets"]
    assert [each.split(", these sets")[0] for each in told] == [*expected[:1], *expected[:0:-1]]


def test_pearson_has_its_closed_form_there():
    sets = {"x": simulated(1), "y": simulated(1)}
    r = ss.rank(sets, n=20).sel(measure="pearson", basis="systems", group="average")
    found = ranked(sets, ["SPA", "pearson"]).sel(measure="pearson", basis="systems")
    own = found.sel(group="average", metric=r["metric"], other_metric=r["other_metric"])
    for name in ("p_value", "p_best", "difference_upper"):
        np.testing.assert_allclose(own[name], r[name], rtol=1e-9)
    alone = ranked(sets, "pearson")
    assert alone["basis"].values.tolist() == ["systems"]


def test_each_measure_has_its_own_numbers_on_each_basis_in_any_order():
    sets = {"x": simulated(1), "y": simulated(2)}
    alone = {name: ranked(sets, name) for name in ("pearson", "PA")}
    for order in (["pearson", "PA"], ["PA", "pearson"]):
        found = ranked(sets, order)
        for name in order:
            for basis in found["basis"].values:
                own = found.sel(measure=name, basis=basis)
                if basis not in alone[name]["basis"]:
                    assert own["p_value"].isnull().all()
                    assert not own["significant"].any()
                    assert own["tested_by"] == ""
                    continue
                expected = alone[name].sel(measure=name, basis=basis)
                for x in ("value", "p_value", "p_best", "difference_upper", "significant"):
                    if x in expected:
                        np.testing.assert_array_equal(own[x], expected[x].reindex_like(own[x]))
                assert own["tested_by"] == expected["tested_by"]
        assert found["tested_by"].sel(measure="pearson", basis="systems") == "fisher-jackknife"
        assert found["tested_by"].sel(measure="PA", basis="systems") == "jackknife of systems"
        assert found["tested_by"].sel(measure="PA", basis="segments") == "perm-inputs"
        assert found["basis"].values[0] == alone[order[0]]["basis"].values[0]
        shown = {(x["measure"].item(), x["basis"].item()) for x in parts_of(found)}
        assert shown == {("pearson", "systems"), ("PA", "segments"), ("PA", "systems")}
        of_average = leading_parts(found, group=["average"])
        leading = {x["measure"].item(): x["basis"].item() for x in of_average}
        assert leading == {"pearson": "systems", "PA": found["basis"].values[0]}


def test_swaps_of_systems_are_beside_the_jackknife():
    sets = {"x": simulated(1), "y": simulated(2)}
    found, usual = ranked(sets, "spearman", method="systems"), ranked(sets, "spearman")
    assert found["basis"].values.tolist() == ["swapped systems", "systems"]
    assert found["tested_by"].values.tolist() == [["perm-systems", "jackknife of systems"]]
    own, expected = (each["p_value"].sel(basis="systems") for each in (found, usual))
    np.testing.assert_array_equal(own, expected)


def test_a_set_with_three_systems_is_the_reason_that_nothing_is_said():
    found = ranked({"x": simulated(1), "few": simulated(2, systems=3)}, "PA")
    assert found["basis"].values.tolist() == ["segments"]
    assert any("new systems" in x and "few has 3 systems" in x for x in verdict(found))


@pytest.mark.parametrize("measure", ["MAE", None])
def test_all_conclusions_rest_on_the_groups_of_the_average(measure):
    labels = np.repeat(["a", "b", "lone"], [20, 18, 2])
    documents = [f"{name} {i % 5}" for i, name in enumerate(labels)]
    scores = simulated(3).assign_coords(domain=("segment", labels), document=("segment", documents))
    if measure:  # "lone" has no complete case
        scores["score"][1, 2, 38] = scores["score"][2, 2, 39] = np.nan
    else:  # nor two segments that are rated for every system
        scores["human"][0, 39] = np.nan
    options = {"by": "domain", **({"resamples": 99} if measure else {"n": 100})}
    found = ss.rank(scores, measure, **options)
    assert found.attrs["groups_left_out"] == "lone"
    alone = ss.rank(scores.isel(segment=labels != "lone"), measure, **options)
    assert found["basis"].values.tolist() == alone["basis"].values.tolist()
    assert "documents" in found["basis"].values
    for name in ("value", "p_best", "behind_upper", "p_simultaneous"):
        np.testing.assert_array_equal(found[name], alone[name])


def test_outliers_of_sets_are_those_of_the_mask():
    first = ss.load_example()
    second = first.copy(deep=True)
    second["human"][{"system": 0}] = np.nan  # each segment lacks a system
    second["human"][{"system": 0, "segment": slice(0, 40)}] = first["human"][0, :40].values
    second["human"][{"system": 1, "segment": slice(0, 40)}] = np.nan
    found = ss.rank({"A": first, "B": second}, n=None, mask="all")
    assert found.attrs["mask"].startswith("all 500/500")
