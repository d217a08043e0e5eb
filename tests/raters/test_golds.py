"""Gold standards made of scorers, raters and assessors set beside the metrics, and parts found."""

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.raters import add_rater, take_as_gold
from supersample.raters.golds import add_assessors, golds_of
from supersample.scores.inspection import named_as_people, parts_of_human, refuse_parts

SCORES = ss.load_example()
PEOPLE = ["strong-95", "good-90", "fair-70"]


def of(scores, name):
    return scores["score"].sel(metric=name, drop=True)


def test_several_scorers_have_the_same_weight_whatever_their_scales():
    wider = SCORES.copy(deep=True)
    wider["score"].loc[{"metric": "good-90"}] = 1_000 * of(SCORES, "good-90") - 7
    made, same = (take_as_gold(each, PEOPLE)["human"] for each in (SCORES, wider))
    np.testing.assert_allclose(made, same, rtol=0, atol=1e-11)
    z = [(x - x.mean()) / x.std() for x in (of(SCORES, name).to_numpy() for name in PEOPLE)]
    np.testing.assert_allclose(made, np.mean(z, axis=0), rtol=0, atol=1e-12)


def test_people_are_taken_where_all_of_them_scored():
    gaps = SCORES.copy(deep=True)
    gaps["score"].loc[{"metric": "good-90", "segment": SCORES["segment"][:40]}] = np.nan
    gaps["score"].loc[{"metric": "fair-70", "system": "system-02"}] = np.nan
    [gold] = golds_of(gaps, PEOPLE, "strong-95")
    assert "system-02" not in gold.scores["system"].values
    assert gold.scores["human"].notnull().sum() == 11 * 460
    assert "system-02 (not scored by everybody)" in gold.scores.attrs["systems_left_out"]


def test_raters_without_overlap_or_of_one_system():
    first = SCORES["segment"] < "segment-250"
    apart = SCORES.copy(deep=True)
    apart["score"] = apart["score"].where(
        ~((apart["metric"] == "good-90") & first | (apart["metric"] == "fair-70") & ~first)
    )
    common = apart["score"].sel(metric=PEOPLE).notnull().astype(int)
    shared = {x: int((common.sel(metric="strong-95") * common.sel(metric=x)).sum()) for x in PEOPLE}
    most = max((x for x in PEOPLE if x != "strong-95"), key=shared.__getitem__)
    told = f"the most that two share is {shared[most]}, by --rater strong-95,{most}"
    with pytest.raises(ss.InputError, match=f"no translation was scored by all of .*; {told}$"):
        golds_of(apart, PEOPLE, "others")
    one = SCORES.copy(deep=True)
    one["score"] = one["score"].where((one["metric"] != "good-90") | (one["system"] == "system-01"))
    with pytest.raises(ss.InputError, match="'good-90' scored fewer than two systems"):
        golds_of(one, PEOPLE, "others")
    tied = SCORES.copy(deep=True)
    tied["score"].loc[{"metric": "good-90"}] = 3.0
    with pytest.raises(ss.InputError, match="'good-90' gave all translations the same score"):
        golds_of(tied, PEOPLE, "others")


def test_the_human_scores_stand_among_the_metrics():
    added = add_rater(SCORES, "human")
    xr.testing.assert_equal(of(added, "human").rename("human"), SCORES["human"].drop_attrs())
    with pytest.raises(ss.InputError, match="no rater 'noone'"):
        add_rater(SCORES, "noone")


def test_assessors_are_scorers():
    rows = [(a, s, i) for a in "ab" for s in SCORES["system"].values for i in ("1", "2")]
    places = zip(*rows, strict=True)
    assessor, system, segment = map(list, places)
    values = [len(a) + int(s[-2:]) + int(i) for a, s, i in rows]
    ratings = ss.make_ratings(values, assessor=assessor, system=system, segment=segment)
    labelled = SCORES.assign_coords(segment=[str(k) for k in range(1, 501)])
    added, names = add_assessors(labelled, ratings)
    assert names == ["a", "b"]
    np.testing.assert_array_equal(of(added, "a")[:, 0], [2 + k for k in range(1, 13)])
    assert of(added, "b").notnull().sum() == 24


def made(human, values, metrics):
    systems = [f"s{k}" for k in range(len(human))]
    return ss.make_scores(human, values, systems=systems, metrics=metrics)


def test_a_linear_function_and_known_parts_are_found_exactly():
    human = SCORES["human"].fillna(0.0)
    same = SCORES.assign(human=human)
    same["score"].loc[{"metric": "good-90"}] = 3 * human - 1
    assert parts_of_human(same) == {"good-90": "is a linear function of them"}
    mean = 0.3 * of(SCORES, "good-90") + 0.7 * of(SCORES, "fair-70")
    found = parts_of_human(SCORES.assign(human=mean))
    assert found == dict.fromkeys(["good-90", "fair-70"], "is a part of them, exactly")
    near = SCORES.assign(human=human)
    noise = np.random.default_rng(1).standard_normal(human.shape)
    near["score"].loc[{"metric": "good-90"}] = human + 1e-3 * float(human.std()) * noise
    assert not parts_of_human(near)


def test_parts_are_refused_unless_allowed():
    scores = SCORES.assign(human=of(SCORES, "good-90"))
    with pytest.raises(
        ss.InputError, match=r"good-90 is a linear function of .* --allow-part good-90"
    ):
        refuse_parts([scores])
    refuse_parts([scores], ("good-90",))
    refuse_parts([scores, SCORES], ("good-90",))
    with pytest.raises(ss.InputError, match=r"weak-40 is not a part of .*: do not allow it"):
        refuse_parts([scores], ("good-90", "weak-40"))
    refuse_parts([scores], ("good-90", "weak-40"), some_elsewhere=True)


def test_a_metric_that_is_the_mean_of_several_gold_standards_is_refused():
    noise = np.random.default_rng(3).standard_normal(SCORES["human"].shape)
    other = SCORES.assign(human=SCORES["human"] + noise)
    golds = [each.copy(deep=True) for each in (SCORES, other)]
    mean = (SCORES["human"] + other["human"]) / 2
    for each in golds:
        each["score"].loc[{"metric": "good-90"}] = mean
        assert not parts_of_human(each)
    with pytest.raises(ss.InputError, match="good-90 is made of several gold standards"):
        refuse_parts(golds)
    refuse_parts(golds, ("good-90",))
    refuse_parts([SCORES, other])


def test_people_among_metrics_are_named():
    names = ["fluency", "rater_2", "human-B", "BLEU", "LLM judge", "two"]
    assert named_as_people(names) == names[:3]
