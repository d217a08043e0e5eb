"""How many items show how well a judge agrees with people."""

import numpy as np
import pytest

import supersample as ss
from supersample.raters import judge_agreement, plan_judge

BESIDE = "judge with people"


def answers_of(seed, items=80, people=3, systems=1, noise=0.8):
    """Answers of a judge and people on five levels; people agree better than the judge does."""
    rng = np.random.default_rng(seed)
    quality = rng.standard_normal(systems * items)
    spread = np.array([1.5 * noise, *people * [noise]])[:, np.newaxis]
    values = quality + spread * rng.standard_normal((people + 1, systems * items))
    levels = np.digitize(values, [-1.5, -0.5, 0.5, 1.5]).astype(float)
    labels = [(f"s{i % systems}", i // systems) for i in range(quality.size)]
    names = ["j", *(f"p{k}" for k in range(people))]
    labels = labels if systems > 1 else [item for _, item in labels]
    given = (dict(zip(labels, of, strict=True)) for of in levels)
    return dict(zip(names, given, strict=True))


@pytest.mark.parametrize(("people", "systems"), [(1, 1), (3, 1), (2, 4)])
def test_the_width_that_answers_have_needs_as_many_items_as_they_are(people, systems):
    answers = answers_of(1, people=people, systems=systems)
    found = judge_agreement(answers, "j").sel(compared=BESIDE)
    for statistic in found["statistic"].values:
        of = found.sel(statistic=statistic)
        width = float(of["upper"] - of["lower"])
        planned = plan_judge(answers, "j", width=width, raters=[people])
        assert planned["units_needed"].sel(statistic=statistic).item() == pytest.approx(80, abs=3)


def test_samples_of_the_planned_size_have_the_promised_width():
    answers = answers_of(2)
    planned = plan_judge(answers, "j", width=0.15, raters=[3]).sel(statistic="weighted kappa")
    values, rng = np.array([list(of.values()) for of in answers.values()]), np.random.default_rng(3)
    widths = []
    for _ in range(20):
        drawn = values[:, rng.integers(0, 80, int(planned["units_needed"].item()))]
        sample = {name: dict(enumerate(of)) for name, of in zip(answers, drawn, strict=True)}
        found = judge_agreement(sample, "j").sel(compared=BESIDE, statistic="weighted kappa")
        widths.append(float(found["upper"] - found["lower"]))
    assert np.mean(widths) == pytest.approx(0.15, rel=0.1)


def test_more_people_need_fewer_items_and_unlike_people_most():
    needed = plan_judge(answers_of(4, items=400), "j", width=0.1, raters=[4, 1, 2])["units_needed"]
    assert needed["raters"].values.tolist() == [1, 2, 4]
    assert (np.diff(needed.transpose("raters", "statistic"), axis=0) < 0).all()
    noisy = answers_of(4, items=400, noise=1.6)
    of_noisy = plan_judge(noisy, "j", width=0.1, raters=[1, 4])["units_needed"]
    saved, saved_noisy = (
        float(x.sel(raters=4, statistic="r") / x.sel(raters=1, statistic="r"))
        for x in (needed, of_noisy)
    )
    assert saved_noisy < saved


def test_power_is_how_often_the_difference_from_people_is_shown():
    answers = answers_of(5)
    planned = plan_judge(answers, "j", power=0.7).isel(statistic=0)
    assert planned.attrs["compared"] == "difference"
    values, rng = np.array([list(of.values()) for of in answers.values()]), np.random.default_rng(6)
    shown = []
    for _ in range(60):
        drawn = values[:, rng.integers(0, 80, int(planned["units_needed"].item()))]
        sample = {name: dict(enumerate(of)) for name, of in zip(answers, drawn, strict=True)}
        found = judge_agreement(sample, "j").isel(statistic=0).sel(compared="difference")
        shown.append(bool(found["upper"] < 0))
    assert np.mean(shown) == pytest.approx(0.7, abs=0.17)


def test_more_items_than_are_tried_are_said_to_be_many():
    found = plan_judge(answers_of(7), "j", width=0.001)
    assert found["units_needed"].isnull().all()
    answer = ss.show(found).answer[0]
    assert answer.startswith("More than 100,000 items in all (there are 80), judged by j and 3")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "a width is a number between 0 and 1"),
        ({"width": 0.1, "raters": [0]}, "raters are counted from 1"),
        ({"power": 1}, "the power is a number between 0 and 1"),
        ({"people": ["p0"], "width": 0.1, "raters": [2]}, "no two people answered the same items"),
        ({"people": ["p0"]}, "two people who answered the same items are needed"),
    ],
)
def test_plans_that_cannot_be_made(options, message):
    with pytest.raises(ss.InputError, match=message):
        plan_judge(answers_of(8), "j", **options)


def test_a_judge_who_gives_one_answer_is_no_plan():
    answers = answers_of(8)
    answers["j"] = dict.fromkeys(answers["j"], 1)
    with (
        pytest.warns(ss.DegenerateScoreWarning, match="j gave one answer"),
        pytest.raises(ss.InputError, match="'j', or each person, gave one answer to all items"),
    ):
        plan_judge(answers, "j", width=0.1)


def test_few_segments_are_no_plan():
    with pytest.raises(ss.InputError, match="6 segments are too few to plan from; 10 are needed"):
        plan_judge(answers_of(9, items=6, systems=5), "j", width=0.1)
