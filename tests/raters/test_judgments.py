"""Judges: published figures, and implementations of their own."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import xarray as xr

import supersample as ss
from supersample.raters import alternative_annotator_test, chance_corrected
from supersample.readers.ratings import read_answers
from tests.conftest import DATA_ROOT

ANSWERS = DATA_ROOT / "alt-test"


@pytest.mark.skipif(not ANSWERS.is_dir(), reason="no evaluation data")
def test_published_winning_rates_and_advantages():
    # Calderon, Reichart and Dror (2025), 10K Prompts: epsilon .15, numbers by rmse, items of two
    # people and more
    people, judges = (
        read_answers(ANSWERS / f"10k_prompts.{who}_annotations.json") for who in ("human", "llm")
    )
    how = {"epsilon": 0.15, "alignment": "rmse", "fewest_people": 2}
    found = alternative_annotator_test(people, judges, **how)
    published = {"gpt-4o": (0.69, 0.76), "gpt-4o-mini": (0.92, 0.80), "llama-31": (0.15, 0.67)}
    for judge, (omega, rho) in published.items():
        of = found.sel(judge=judge)
        assert of["winning_rate"].round(2) == omega
        assert of["advantage"].round(2) == rho


def answers_of(rng, annotators, items, noise):
    truth = rng.integers(0, 4, items)
    wrong = rng.random((annotators, items)) < noise
    given = np.where(wrong, rng.integers(0, 4, (annotators, items)), truth)
    return {f"p{k}": dict(enumerate(map(int, row))) for k, row in enumerate(given)}


def test_the_level_where_a_judge_is_worse_by_epsilon():
    # a judge whose advantages are rarer than the annotators' by epsilon passes in at most 5 %
    rng, passed, epsilon = np.random.default_rng(5), [], 0.2
    for _ in range(200):
        people = answers_of(rng, 3, 60, 0.3)
        judge = answers_of(rng, 1, 60, 1.0)["p0"]  # answers at random
        found = alternative_annotator_test(people, {"j": judge}, epsilon=epsilon)
        passed.append(found["wins"].values.any())
    assert np.mean(passed) <= 0.05


def test_the_test_is_a_t_test_of_advantages():
    people = answers_of(np.random.default_rng(6), 4, 80, 0.4)
    judge = answers_of(np.random.default_rng(7), 1, 80, 0.6)["p0"]
    found = alternative_annotator_test(people, {"j": judge}, epsilon=0.1)
    for name in people:
        others = np.array([list(people[x].values()) for x in people if x != name])
        ours = (others == list(judge.values())).mean(axis=0)
        theirs = (others == list(people[name].values())).mean(axis=0)
        ahead = 1.0 * (theirs >= ours) - 1.0 * (ours >= theirs)
        p = scipy.stats.ttest_1samp(ahead, 0.1, alternative="less").pvalue
        assert found["p_value"].sel(annotator=name).item() == pytest.approx(p, rel=1e-10)


def test_a_judge_whose_numbers_nobody_gave_is_compared_by_distance():
    people = answers_of(np.random.default_rng(8), 3, 60, 0.2)
    judge = {"j": {item: answer + 0.25 for item, answer in people["p0"].items()}}
    assert alternative_annotator_test(people, judge, alignment="rmse")["advantage"].notnull()
    with pytest.raises(ss.InputError, match="no answer of 'j' equals a person's"):
        alternative_annotator_test(people, judge)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"people": {"a": {1: 2}, "b": {1: 2}}}, "no annotator answered 30 items"),
        ({"judges": {}}, "name at least one judge"),
        ({"judges": {"j": {0: 1}}}, "judge 'j' answered 1 items of 'p0'; 30 are needed"),
        ({"epsilon": 1.0}, "epsilon is a number"),
        ({"judges": {"j": dict.fromkeys(range(60), "x")}, "alignment": "rmse"}, "must be numbers"),
        ({"judges": {"p1": {0: 1}}}, "p1 is among the judges and the people"),
        ({"epsilon": np.nan}, "epsilon is a number"),
        ({"confidence_level": np.nan}, "confidence level must be between 0 and 1"),
        ({"confidence_level": 1.0}, "confidence level must be between 0 and 1"),
        ({"fewest_people": 1}, "fewest_people is a whole number from 2"),
        ({"fewest_people": 2.5}, "takes a whole number as fewest_people, not 2.5"),
    ],
)
def test_judges_that_cannot_be_tested(change, message):
    people = answers_of(np.random.default_rng(1), 3, 60, 0.2)
    options = {"people": people, "judges": {"j": people["p0"]}, **change}
    with pytest.raises(ss.InputError, match=message):
        alternative_annotator_test(options.pop("people"), options.pop("judges"), **options)


def alpha_of(table, distance):
    """Krippendorff's alpha by his definition: observed and expected disagreement of pairs."""
    units = [column[~np.isnan(column)] for column in table.T]
    units = [unit for unit in units if unit.size > 1]
    within = sum(
        sum(distance(a, b) for a, b in itertools.permutations(unit, 2)) / (unit.size - 1)
        for unit in units
    )
    values = np.concatenate(units)
    between = sum(distance(a, b) for a, b in itertools.permutations(values, 2))
    return 1 - within / (between / (values.size - 1))


def kappa_of(a, b, weight):
    """Cohen's kappa: observed and expected mean weight of disagreement."""
    observed = np.mean([weight(x, y) for x, y in zip(a, b, strict=True)])
    return 1 - observed / np.mean([weight(x, y) for x in a for y in b])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_agreement_beyond_chance_by_its_definition(seed, scale):
    pytest.importorskip("krippendorff")
    pytest.importorskip("statsmodels")
    rng = np.random.default_rng(seed)
    people = answers_of(rng, 3, 25, 0.5)
    for answers in people.values():
        for item in rng.permutation(25)[:5]:
            answers.pop(int(item))
    table = np.array([[of.get(i, np.nan) for i in range(25)] for of in people.values()])

    def apart(x, y):
        return float(x != y) if scale == "nominal" else (x - y) ** 2

    found = chance_corrected(people, scale=scale)
    assert found["alpha"] == pytest.approx(alpha_of(table, apart), abs=1e-6)
    both = ~np.isnan(table[:2]).any(axis=0)
    kappa = kappa_of(table[0, both], table[1, both], apart)
    assert found["kappa"].sel(annotator="p0", other_annotator="p1") == pytest.approx(
        kappa, abs=1e-6
    )
    assert found["items"].sel(annotator="p0", other_annotator="p1") == both.sum()


@pytest.mark.parametrize(
    ("people", "message"),
    [
        ({"a": {1: "x"}}, "agreement needs two annotators"),
        ({"a": {1: "x"}, "b": {2: "y"}}, "no item was answered by two of a, b"),
        ({"a": {1: "x"}, "b": {1: "x"}}, "all answers to items that several"),
        ({"a": {1: "x", 2: "y"}, "b": {1: "x"}}, "several people answered are the same"),
    ],
)
def test_agreement_that_is_not_defined(people, message):
    pytest.importorskip("krippendorff")
    pytest.importorskip("statsmodels")
    with pytest.raises(ss.InputError, match=message):
        chance_corrected(people)


def test_answers_are_read(tmp_path):
    nested, long = tmp_path / "a.json", tmp_path / "a.csv"
    nested.write_text(json.dumps({"p": {"1": 3, "2": 4}}))
    long.write_text("annotator,item,answer\np,1,3\np,2,4\n")
    assert read_answers(nested) == {"p": {"1": 3, "2": 4}}
    assert read_answers(long) == {"p": {"1": 3, "2": 4}}
    nested.write_text(json.dumps({"p": {"1": "yes", "2": None, "3": float("nan"), "4": ""}}))
    assert read_answers(nested) == {"p": {"1": "yes"}}
    nested.write_text(json.dumps({"p": {"1": ["yes"]}}))
    with pytest.raises(ss.InputError, match="the answer to 1 must be a number"):
        read_answers(nested)
    long.write_text("annotator,item,answer\np,1,3\np,1,4\n")
    with pytest.raises(ss.InputError, match="line 3: p answered 1 before"):
        read_answers(long)
    nested.write_text('{"p": 3}')
    with pytest.raises(ss.InputError, match="expected answers as "):
        read_answers(nested)


@pytest.mark.parametrize("absent", [None, np.nan, pd.NA, np.ma.masked])
def test_absent_answers_do_not_count(absent):
    people = answers_of(np.random.default_rng(3), 3, 60, 0.2)
    judge = {"j": answers_of(np.random.default_rng(4), 1, 60, 0.2)["p0"]}
    without = {name: {i: x for i, x in of.items() if i > 5} for name, of in people.items()}
    gaps = {name: of | dict.fromkeys(range(6), absent) for name, of in people.items()}
    found, expected = (alternative_annotator_test(x, judge) for x in (gaps, without))
    xr.testing.assert_equal(found, expected)
