"""Judges: published figures, and implementations of their own."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import xarray as xr

import supersample as ss
from supersample.raters import judge_agreement
from supersample.raters.golds import add_rater
from supersample.readers.tables import read_answers
from tests.conftest import DATA_ROOT
from tests.newcomers.files import DATA

ANSWERS = DATA_ROOT / "alt-test"
BESIDE = "judge with people"


@pytest.mark.skipif(not ANSWERS.is_dir(), reason="no evaluation data")
def test_published_winning_rates_and_advantages():
    # Calderon, Reichart and Dror (2025), 10K Prompts: epsilon .15, numbers by rmse, items of two
    # people and more
    files = (ANSWERS / f"10k_prompts.{who}_annotations.json" for who in ("human", "llm"))
    people, judges = (json.loads(file.read_text()) for file in files)
    how = {"people": [*people], "epsilon": 0.15, "fewest_people": 2}
    published = {"gpt-4o": (0.69, 0.76), "gpt-4o-mini": (0.92, 0.80), "llama-31": (0.15, 0.67)}
    for judge, (omega, rho) in published.items():
        with pytest.warns(
            ss.ApproximationWarning, match="of 14 raters with .* only the first 13 are"
        ):
            of = judge_agreement({**people, **judges}, judge, **how)
        assert of["winning_rate"].round(2) == omega
        assert of["advantage"].round(2) == rho


def answers_of(rng, annotators, items, noise):
    truth = rng.integers(0, 4, items)
    wrong = rng.random((annotators, items)) < noise
    given = np.where(wrong, rng.integers(0, 4, (annotators, items)), truth)
    return {f"p{k}": dict(enumerate(map(int, row))) for k, row in enumerate(given)}


def by_system(answers, n):
    """The same answers to pairs of one of n systems and a segment."""
    return {x: {(f"s{i % n}", i // n): a for i, a in of.items()} for x, of in answers.items()}


@pytest.mark.parametrize("systems", [1, 6])
def test_the_test_is_a_t_test_of_advantages_by_segment(systems):
    answers = answers_of(np.random.default_rng(6), 5, 60, 0.4)
    of = by_system(answers, systems) if systems > 1 else answers
    found = judge_agreement(of, "p0", scale="nominal", epsilon=0.1)
    given = np.array([[*of.values()] for of in answers.values()])
    for k in range(1, 5):
        ours, theirs = ((np.delete(given, [0, k], 0) == given[j]).mean(axis=0) for j in (0, k))
        ahead = (1.0 * (theirs >= ours) - 1.0 * (ours >= theirs)).reshape(-1, systems)
        p = scipy.stats.ttest_1samp(ahead.mean(axis=1), 0.1, alternative="less").pvalue
        assert found["p_value"].sel(annotator=f"p{k}").item() == pytest.approx(p, rel=1e-10)


def test_segments_that_differ_inside_only_are_tested_by_signs():
    own = {i: i % 4 for i in range(60)}  # the judge is wrong on the first of six systems
    answers = dict.fromkeys("abc", own) | {"d": {i: own[i] for i in range(54)}}
    judge = {i: x + (i % 6 == 0) for i, x in own.items()}
    found = judge_agreement(by_system(answers | {"j": judge}, 6), "j")
    assert found["p_value"].values.tolist() == [2.0**-9] * 3
    assert "; too few items or segments: d" in str(ss.show(found))


def test_a_judge_whose_numbers_nobody_gave_is_compared_by_distance():
    people = answers_of(np.random.default_rng(8), 3, 60, 0.2)
    answers = people | {"j": {item: answer + 0.25 for item, answer in people["p0"].items()}}
    assert judge_agreement(answers, "j")["advantage"].notnull()
    with pytest.raises(ss.InputError, match="no answer of 'j' equals a person's"):
        judge_agreement(answers, "j", scale="nominal")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judge": "k"}, "no judge 'k'"),
        ({"epsilon": 1.0}, "epsilon is a number"),
        ({"people": ["p0", "p0"]}, "a rater is named twice among p0, p0"),
        ({"people": ["p1", "j"]}, "'j' is the judge and one of the people"),
        ({"epsilon": np.nan}, "epsilon is a number"),
        ({"confidence_level": np.nan}, "confidence level must be between 0 and 1"),
        ({"fewest_people": 1}, "fewest_people is a whole number from 2"),
        ({"fewest_people": 2.5}, "takes a whole number as fewest_people, not 2.5"),
    ],
)
def test_judges_that_cannot_be_tested(change, message):
    people = answers_of(np.random.default_rng(1), 3, 60, 0.2)
    options = {"answers": {**people, "j": people["p0"]}, "judge": "j", **change}
    with pytest.raises(ss.InputError, match=message):
        judge_agreement(options.pop("answers"), options.pop("judge"), **options)


def tables(seed):
    """Answers of a judge j and people, on a scale by turns, partly missing or by system."""
    rng = np.random.default_rng(seed)
    items, people = int(rng.integers(25, 50)), int(rng.integers(2, 5))
    quality = rng.standard_normal(items)
    values = quality + rng.uniform(0.4, 1.2, (people + 1, 1)) * rng.standard_normal(
        (people + 1, items)
    )
    if seed % 3:
        values = np.digitize(values, [-1, 0, 1] if seed % 3 == 1 else [0.3]).astype(float)
    if seed % 2:
        values[rng.random(values.shape) < 0.15] = np.nan
    values = values[:, np.isfinite(values).any(axis=0)]
    items = values.shape[1]
    labels = [*range(items)] if seed % 4 < 2 else [(f"s{i % 2}", i // 2) for i in range(items)]
    names = ["j", *(f"p{k}" for k in range(people))]
    return values, labels, names


def of_two(x, y):
    """Agreement of two raters by each statistic's definition, on items that both answered."""
    here = np.isfinite(x) & np.isfinite(y)
    x, y = x[here], y[here]
    apart = np.subtract.outer(x, y) ** 2
    kappa = 1 - np.mean((x - y) ** 2) / apart.mean()
    return np.array([np.corrcoef(x, y)[0, 1], np.mean(x == y), kappa])


def of_three(values, judge, other, gold):
    here = np.isfinite(values[[judge, other, gold]]).all(axis=0)
    part = values[:, here]
    return of_two(part[judge], part[gold]) - of_two(part[other], part[gold])


def agreed(values):
    """Agreement with people, among people, and the difference, item by item."""
    people = range(1, len(values))
    pairs = [(j, k) for j in people for k in people if j != k]
    judge = np.mean([of_two(values[0], values[k]) for k in people], axis=0)
    among = np.mean([of_two(values[j], values[k]) for j, k in pairs if j < k], axis=0)
    return np.array([judge, among, ahead(values)])


def ahead(values):
    """How much more the judge agrees with a person than another person does, on average."""
    people = range(1, len(values))
    return np.mean([of_three(values, 0, j, k) for j in people for k in people if j != k], axis=0)


@pytest.mark.parametrize("seed", range(6))
def test_agreement_and_its_limits_by_another_route(seed):
    values, labels, names = tables(seed)
    answers = {x: dict(zip(labels, of, strict=True)) for x, of in zip(names, values, strict=True)}
    found = judge_agreement(answers, "j", scale="ordinal")
    rows = ["r", "exact agreement", "weighted kappa"]
    ours = found[["value", "lower", "upper"]].sel(statistic=rows)
    ours = ours.transpose("compared", "statistic")
    value = agreed(values)
    np.testing.assert_allclose(ours["value"], value, atol=1e-9)
    units = np.array([x[1] if isinstance(x, tuple) else x for x in labels])
    own, people = np.isfinite(values[0]), np.isfinite(values[1:]).sum(axis=0)
    for row, here in enumerate((own & (people > 0), people > 1, own & (people > 1))):
        used = np.unique(units[here])
        if row == 2:
            low, high = limits_of_difference(value[row], values[:, own], units[own])
        else:
            left = np.array([agreed(values[:, units != unit])[row] for unit in used])
            low, high = limits_of(value[row], left)
        np.testing.assert_allclose(ours["lower"][row], low, atol=1e-6)
        np.testing.assert_allclose(ours["upper"][row], high, atol=1e-6)


def variance_of(left):
    return (len(left) - 1) / len(left) * ((left - left.mean(axis=0)) ** 2).sum(axis=0)


def limits_of(value, left):
    """Limits of r, share and kappa by the jackknife."""
    t = scipy.stats.t.ppf(0.975, len(left) - 1)
    z, arm = np.arctanh(value), t * np.sqrt(variance_of(np.arctanh(left)))
    share = value[1]
    size = share * (1 - share) / max(variance_of(left)[1], 1e-300) or len(left)
    sides = []
    for side in (-1, 1):
        limits = np.tanh(z + side * arm)
        root = t * np.sqrt(share * (1 - share) / size + t**2 / (4 * size**2))
        limits[1] = (share + t**2 / (2 * size) + side * root) / (1 + t**2 / size)
        sides.append(limits)
    return sides


def limits_of_difference(value, values, units):
    """Limits with the variance of a unit, of the judge or of everybody in the judge's place."""
    each, counts = [], []
    for rater in range(len(values)):
        turned = np.roll(values, -rater, axis=0)
        here = np.isfinite(turned[0]) & (np.isfinite(turned[1:]).sum(axis=0) > 1)
        used = np.unique(units[here])
        left = np.array([ahead(turned[:, units != unit]) for unit in used])
        each.append(used.size * variance_of(left))
        counts.append(used.size)
    largest = np.maximum(each[0], np.mean(each, axis=0))
    largest[largest == 0] = np.nan
    arm = scipy.stats.t.ppf(0.975, counts[0] - 1) * np.sqrt(largest / counts[0])
    return value - arm, value + arm


@pytest.mark.filterwarnings("ignore:.*is it a copy:supersample.errors.UncheckedWarning")
@pytest.mark.filterwarnings("ignore:.*gave one:supersample.errors.DegenerateScoreWarning")
def test_an_equal_judge_is_seldom_called_better():
    # words of which one is rare; the jackknife of the judge alone said better in 7 of these
    better = 0
    for seed in range(70):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=25) + 0.5 * rng.normal(size=(7, 25)) > 1
        names = ["j", *"abcdef"]
        answers = {x: dict(enumerate(map(str, of))) for x, of in zip(names, values, strict=True)}
        try:
            found = judge_agreement(answers, "j").sel(compared="difference")
        except ss.InputError:  # all gave one answer
            continue
        better += bool(found["lower"][0] > 0)
    assert better <= 3


def test_limits_are_those_of_a_bootstrap_where_items_are_many():
    rng = np.random.default_rng(4)
    quality = rng.standard_normal(1_500)
    values = np.digitize(quality + 0.8 * rng.standard_normal((3, 1_500)), [-1, 0, 1]).astype(float)
    answers = {name: dict(enumerate(of)) for name, of in zip("jab", values, strict=True)}
    found = judge_agreement(answers, "j").sel(compared=BESIDE)
    drawn = []
    for _ in range(4_000):
        x, a, b = values[:, rng.integers(0, 1_500, 1_500)]
        cells = [np.bincount((4 * x + y).astype(int), minlength=16).reshape(4, 4) for y in (a, b)]
        drawn.append(np.mean([_kappa(each / 1_500) for each in cells]))
    wanted = np.quantile(drawn, [0.025, 0.975])
    ours = [float(found[name].sel(statistic="weighted kappa")) for name in ("lower", "upper")]
    np.testing.assert_allclose(ours, wanted, atol=0.005)


def _kappa(share):
    weights = np.subtract.outer(np.arange(4), np.arange(4)) ** 2
    chance = np.outer(share.sum(axis=1), share.sum(axis=0))
    return 1 - (weights * share).sum() / (weights * chance).sum()


def test_kappas_are_those_of_statsmodels():
    cohens_kappa = pytest.importorskip("statsmodels.stats.inter_rater").cohens_kappa
    rng = np.random.default_rng(0)
    two = {name: dict(enumerate(rng.integers(0, 3, 80))) for name in "ja"}
    counts = np.zeros((3, 3))
    np.add.at(counts, (list(two["j"].values()), list(two["a"].values())), 1)
    for scale, weights in (("nominal", {}), ("ordinal", {"wt": "quadratic"})):
        found = judge_agreement(two, "j", scale=scale)["value"].sel(compared=BESIDE)
        kappa = cohens_kappa(counts, return_results=False, **weights)
        assert float(found[0]) == pytest.approx(kappa, abs=1e-9)


def test_bias_is_the_mean_difference_by_system_and_answer():
    rng = np.random.default_rng(2)
    items = [(system, i) for system in "ABC" for i in range(40)]
    quality = rng.standard_normal((3, 40)).repeat(1)
    people = {name: np.round(3 + quality + 0.5 * rng.standard_normal(120)) for name in "pq"}
    judge = np.round(3 + quality + 0.5 * rng.standard_normal(120)) + np.repeat([1, 0, 0], 40)
    answers = {x: dict(zip(items, of, strict=True)) for x, of in (people | {"j": judge}).items()}
    found = judge_agreement(answers, "j")
    ahead = judge - (people["p"] + people["q"]) / 2
    assert found["place"].values.tolist() == ["all items", "A", "B", "C"]
    of_a = scipy.stats.ttest_1samp(ahead[:40], 0)
    limits = [float(found[f"bias_{x}"].sel(place="A")) for x in ("lower", "upper")]
    np.testing.assert_allclose(limits, of_a.confidence_interval(), rtol=1e-9)
    assert float(found["bias_p_holm"].sel(place="A")) == pytest.approx(3 * of_a.pvalue)
    words = {
        name: {i: "yes" if x > 3 else "no" for i, x in of.items()} for name, of in answers.items()
    }
    found = judge_agreement(words, "j")
    share = np.mean([np.mean(people[x] > 3) for x in "pq"])
    assert float(found["bias"].sel(place="yes")) == pytest.approx(np.mean(judge > 3) - share)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"j": {0: 1, 1: 2}}, "the judge 'j' shares 2 items with p0, p1, p2; 10 are"),
        ({"j": dict.fromkeys(range(60), "good")}, "'j' answered 'good' to '0', and other answers"),
        (
            {"p0": {i: 100 * i for i in range(60)}},
            "p0 answered from 0 to 5900, and the other people from 0 to",
        ),
    ],
)
def test_answers_that_cannot_be_compared(change, message):
    answers = answers_of(np.random.default_rng(1), 4, 60, 0.2)
    with pytest.raises(ss.InputError, match=message):
        judge_agreement({**answers, "j": answers["p3"], **change}, "j", ["p0", "p1", "p2"])


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_kappa_of_a_rater_who_gives_one_answer_is_zero_and_r_is_of_the_others(scale):
    answers = noisy(11)
    answers["p2"], two = dict.fromkeys(range(60), 4.0), ["p0", "p1"]
    told = r"p2 gave one answer to all items that another rater answered: kappa of the two is 0, r"
    with pytest.warns(ss.DegenerateScoreWarning, match=told):
        found = judge_agreement(answers, "j", scale=scale)
    without = judge_agreement(answers, "j", two, scale=scale)
    for compared, share in ((BESIDE, 2 / 3), ("people with each other", 1 / 3)):
        ours, others = (x["value"].sel(compared=compared) for x in (found, without))
        assert float(ours[0]) == pytest.approx(share * float(others[0]))
        if scale == "ordinal":
            assert float(ours.sel(statistic="r")) == pytest.approx(float(others.sel(statistic="r")))
    assert found["lower"].notnull().all()
    answers["j"] = answers["p2"]
    with pytest.warns(ss.DegenerateScoreWarning, match="j gave one answer to all items"):
        shown = str(ss.show(judge_agreement(answers, "j", two, scale=scale)))
    assert "kappa 0.000 (no interval: j, or each person, gave one rating to all items)" in shown
    with (
        pytest.warns(ss.DegenerateScoreWarning),
        pytest.raises(ss.InputError, match="'j', or each person, gave one answer to all items"),
    ):
        judge_agreement(answers, "j", two, scale="interval")


def test_words_are_spelt_alike():
    people = {"a": dict.fromkeys(range(20), "Yes") | {3: "no"}, "b": dict.fromkeys(range(20), "no")}
    people["b"][2] = "Yes"
    with pytest.raises(ss.InputError, match="the answers 'Yes' and 'yes': spell answers alike"):
        judge_agreement({**people, "j": people["a"] | {5: "yes"}}, "j")
    texts = {i: f"a text {i}" for i in range(200)}
    with pytest.raises(ss.InputError, match="200 different answers, such as 'a text 0': name col"):
        judge_agreement({"a": texts, "j": texts | {5: "a text 6"}}, "j")


def test_a_judge_on_another_scale_is_correlated_only():
    people = answers_of(np.random.default_rng(1), 3, 60, 0.2)
    judge = {item: 20.0 * answer + 30 for item, answer in people["p0"].items()}
    found = judge_agreement({**people, "j": judge}, "j")
    assert found["statistic"].values.tolist() == ["r"]
    told = "it answered from 30 to 90, and people from 0 to 3"
    assert found.attrs["untested"] == told
    assert f"not tested: {told}\n" in str(ss.show(found))


@pytest.mark.parametrize(
    ("change", "alike"),
    [
        ({"p0": lambda x: max(x, 4)}, True),  # of 1 to 5, one person uses the upper part
        ({f"p{k}": lambda x: max(x, 4) for k in range(3)}, True),
        ({"j": lambda x: (x - 1) * 25}, False),
    ],
)
def test_people_who_use_a_part_of_the_levels_are_on_one_scale(change, alike):
    answers = noisy(9)
    for name, changed in change.items():
        answers[name] = {i: changed(x) for i, x in answers[name].items()}
    found = judge_agreement(answers, "j")
    assert ("bias" in found) == alike
    assert found.attrs["levels"] == "1, 5"


def test_people_with_different_noise_are_on_one_scale_and_a_declared_scale_is_believed():
    rng = np.random.default_rng(5)

    def answers(draw, **scales):
        return {name: dict(enumerate(draw(k, 40))) for name, k in scales.items()}

    numbers = answers(lambda k, n: rng.normal(0, k, n), a=1, b=2.2, j=1)
    assert judge_agreement(numbers, "j").attrs["statistic"] == "r"
    with pytest.raises(ss.InputError, match="b answered from 0"):
        judge_agreement(answers(lambda k, n: rng.uniform(0, k, n), a=1, b=3, j=1), "j")
    assert judge_agreement(answers(lambda k, n: rng.uniform(0, k, n), a=1, b=1, j=3), "j").untested
    part = noisy(9)
    part["p0"] = {i: min(max(x, 3), 4) for i, x in part["p0"].items()}
    with pytest.raises(ss.InputError, match="on one scale: if they are, declare it, as by --scale"):
        judge_agreement(part, "j", ["p0", "p1"])
    assert "bias" in judge_agreement(part, "j", ["p0", "p1"], scale="ordinal")


def test_answers_are_read(tmp_path):
    long = tmp_path / "a.csv"
    long.write_text("annotator,item,answer\np,1,3\np,2,4\n")
    assert read_answers(long) == {"p": {"1": 3, "2": 4}}
    long.write_text("annotator,item,answer\np,1,3\np,1,4\n")
    with pytest.raises(ss.InputError, match="line 3: p answered 1 before"):
        read_answers(long)


def test_spreadsheets_are_read_as_people_write_them(tmp_path):
    """A row for each item; columns of people and judges have their names."""
    table = pd.DataFrame({"Model": ["m", "n", "m"], "prompt": ["a", "a", "b"]})
    table = table.assign(rating=[1, 2, None], judge=[1, 3, 2])
    wanted = {
        "judge": {("m", "a"): 1.0, ("n", "a"): 3.0, ("m", "b"): 2.0},
        "rating": {("m", "a"): 1.0, ("n", "a"): 2.0},
    }
    assert read_answers(table, "judge") == wanted
    table.to_csv(tmp_path / "t.csv", index=False)
    assert read_answers(tmp_path / "t.csv", "judge") == wanted
    for given in (["yes", "no", ""], [1.0, 2.0, None]):
        rows = pd.DataFrame({"alice": given, "gpt": [*given[:2], given[0]]})
        found = read_answers(rows, "gpt", ["alice"])  # without items, rows are items
        assert len(found["gpt"]) == 3
        assert list(found["alice"]) == list(found["gpt"])[:2]
    german = "prompt;human;gpt\n1;2,5;3\n2;1,5;2\n"
    (tmp_path / "g.csv").write_text(german)
    assert read_answers(tmp_path / "g.csv", "gpt")["human"] == {"1": 2.5, "2": 1.5}


def test_a_workbook_is_read_as_the_same_text():
    pytest.importorskip("python_calamine", reason="the extra 'excel' is not installed")
    of_text, of_sheet = (read_answers(DATA / f"wide.{x}", "BLEU") for x in ("csv", "xlsx"))
    assert of_text == of_sheet


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prompt,a,b,gpt\n1,2,3,4\n", "name the people, such as --rater a,b"),
        ("prompt,human,other\n1,2,3\n", "item and answer, and no column 'gpt'; there are prompt"),
        ("prompt,human,gpt\n1,2,3\n1,4,5\n", "line 3: gpt answered 1 before; keep one, or name"),
        ("promt,human,gpt\n1,2,3\n", "is 'promt' the segment"),
        ("prompt,modle,human,gpt\n1,a,2,3\n", "is 'modle' the system"),
        ("prompt,human,gpt\n1,2,good\n2,4,bad\n", "line 2: the score 'good' is not a number"),
        ("prompt,human,gpt\n1,2,3\n2,4,bad\n3,4,4\n4,4,4\n", "line 3"),
    ],
)
def test_spreadsheets_that_cannot_be_read(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ss.InputError, match=message):
        read_answers(tmp_path / "t.csv", "gpt")


def test_an_unknown_person_is_told_each_column_once():
    table = pd.DataFrame({"prompt": ["a", "b"], "Human": [1, 2], "gpt": [2, 1]})
    with pytest.raises(ss.InputError) as told:
        read_answers(table, "gpt", ["zoe"])
    assert str(told.value).endswith("there are prompt, Human, gpt")
    with pytest.raises(ss.InputError) as told:
        add_rater(ss.load_example(), "zoe")
    assert str(told.value).count("human") == 1


@pytest.mark.parametrize("absent", [None, np.nan, pd.NA, np.ma.masked])
def test_absent_answers_do_not_count(absent):
    people = answers_of(np.random.default_rng(3), 3, 60, 0.2)
    judge = {"j": answers_of(np.random.default_rng(4), 1, 60, 0.2)["p0"]}
    without = {name: {i: x for i, x in of.items() if i > 5} for name, of in people.items()}
    gaps = {name: of | dict.fromkeys(range(6), absent) for name, of in people.items()}
    found, expected = (judge_agreement({**x, **judge}, "j") for x in (gaps, without))
    xr.testing.assert_allclose(found, expected)


def divided(answers, number):
    return {name: {i: x / number for i, x in of.items()} for name, of in answers.items()}


def noisy(seed, items=60, people=3):
    """Ordinal answers of people, and of a judge j that is about as good."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 1, items)
    given = np.clip(np.round(quality + rng.normal(0, 0.7, (people + 1, items))), 1, 5)
    names = ["j", *(f"p{k}" for k in range(people))]
    return {name: dict(enumerate(of)) for name, of in zip(names, given, strict=True)}


@pytest.mark.parametrize("number", [10, 3, 100])
def test_answers_in_another_unit_change_no_verdict(number):
    answers = noisy(3, items=150, people=4)
    found = judge_agreement(answers, "j", scale="ordinal")
    other = judge_agreement(divided(answers, number), "j", scale="ordinal")
    names = ["annotator_advantage", "p_value", "p_by", "wins", "passes", "value", "bias_p_holm"]
    xr.testing.assert_allclose(found[names], other[names])


def test_items_of_the_judge_alone_change_nothing():
    answers = noisy(1, items=12)
    more = answers | {"j": answers["j"] | {f"prompt {k}": 9.0 for k in range(500)}}
    answers, more = (
        {name: {str(i): x for i, x in of.items()} for name, of in each.items()}
        for each in (answers, more)
    )
    found = judge_agreement(answers, "j")
    xr.testing.assert_identical(judge_agreement(more, "j"), found)
    assert (int(found["answered"]), int(found["units"])) == (12, 12)


def test_counts_are_of_items_that_the_judge_and_a_person_answered():
    answers = noisy(2, items=40)
    answers["j"] = {i: x for i, x in answers["j"].items() if i >= 10}
    found = judge_agreement(answers, "j")
    assert (int(found["answered"]), int(found["units"])) == (30, 30)
    both = judge_agreement({x: answers[x] for x in ("p0", "p1")}, "p0", ["p1"], scale="ordinal")
    people = {"people": ["p0", "p1"]}
    beside = judge_agreement(answers, "j", **people).sel(compared="people with each other")
    for name in ("value", "lower", "upper"):  # of all items that the two people answered
        np.testing.assert_allclose(beside[name], both[name].sel(compared=BESIDE))


def test_a_bias_of_rounding_is_none():
    a, b = {}, {}
    for k in range(30):  # 0.1 and 0.3 by people, and sums that miss them by rounding
        a[k], b[k] = (0.3, 0.1 + 0.2) if k % 2 else (0.1, 0.1)
    found = judge_agreement({"p": a, "j": b}, "j", scale="ordinal").sel(place="all items")
    assert (float(found["bias"]), float(found["bias_p_holm"])) == (0, 1)


@pytest.mark.parametrize("change", [lambda x: 1e6 * x, lambda x: 1e7 + x, lambda x: x / 1e6])
def test_r_does_not_depend_on_the_judges_scale(change):
    answers = noisy(4)
    expected = judge_agreement(answers, "j").sel(statistic="r", compared=BESIDE)
    scaled = answers | {"j": {i: change(x) for i, x in answers["j"].items()}}
    found = judge_agreement(scaled, "j").sel(statistic="r", compared=BESIDE)
    for name in ("value", "lower", "upper"):
        assert float(found[name]) == pytest.approx(float(expected[name]), abs=1e-9)


@pytest.mark.filterwarnings("ignore:.*is it a copy:supersample.errors.UncheckedWarning")
@pytest.mark.parametrize("sign", [1, -1])
def test_full_agreement_has_no_interval(sign):
    own = {i: float(i % 5) for i in range(12)}
    answers = {"p": own, "q": own | {3: 2.0}, "j": {i: 2 + sign * (x - 2) for i, x in own.items()}}
    found = judge_agreement(answers, "j", ["p"])
    r = found.sel(statistic="r", compared=BESIDE)
    assert float(r["value"]) == pytest.approx(sign)
    assert r["lower"].isnull()
    assert r["upper"].isnull()
    if sign > 0:  # Wilson's interval of a share of 1 has a width
        assert float(found["lower"].sel(statistic="exact agreement", compared=BESIDE)) < 0.9
        assert "no interval: at 1 exactly" in str(ss.show(found))


@pytest.mark.parametrize("sign", [1, -1])
def test_one_item_of_disagreement_has_the_limits_of_a_share(sign):
    # items 0 to 39 agree but for item 7: Wilson's interval, with kappa's own jackknife variance
    own = {i: float(1 + i % 5) for i in range(40)}
    answers = {"p": own | {7: 4.0}, "j": {i: 3 + sign * (x - 3) for i, x in own.items()}}
    found = judge_agreement(answers, "j").sel(compared=BESIDE)
    values = np.array([[*answers[name].values()] for name in "jp"])
    left = np.array([of_two(*np.delete(values, k, axis=1)) for k in range(40)])
    name = "weighted kappa" if sign > 0 else "r"
    k = ["r", "exact agreement", "weighted kappa"].index(name)
    size = abs(of_two(*values)[k])
    n, t = size * (1 - size) / variance_of(left)[k], scipy.stats.t.ppf(0.975, 39)
    ends = np.roots([1 + t**2 / n, -(2 * size + t**2 / n), size**2])
    limits = sorted(sign * ends)
    ours = found[["lower", "upper"]].sel(statistic=name)
    np.testing.assert_allclose([float(ours["lower"]), float(ours["upper"])], limits, atol=1e-9)
    assert min(abs(ends)) > 0.9
    assert ("j agrees with people on items: " in str(ss.show(judge_agreement(answers, "j")))) == (
        sign > 0
    )


def test_rounding_changes_no_scale():
    # the judge's highest number, 4, is half the people's range above their highest one
    answers = {"p": {i: 1.0 + i % 3 for i in range(40)}}
    answers["j"] = answers["p"] | {0: 4.0}
    for number in (1, 3, 7, 10, 100):
        assert "bias" in judge_agreement(divided(answers, number), "j")


def test_the_order_of_rows_and_people_changes_no_checksum():
    answers = noisy(5)
    turned = {name: dict(reversed(of.items())) for name, of in reversed(answers.items())}
    found, other = (judge_agreement(each, "j") for each in (answers, turned))
    assert found.attrs["scores"] == other.attrs["scores"]
    answers["p1"][0] += 1
    assert judge_agreement(answers, "j").attrs["scores"] != found.attrs["scores"]


@pytest.mark.parametrize("segments", [9, 10])
def test_an_interval_needs_ten_units(segments):
    found = judge_agreement(by_system(noisy(6, items=4 * segments), 4), "j")
    told = "needs 30 items of 10 segments by 3 people; a person has at most 36, of 9 segments"
    assert found.attrs["untested"] == told * (segments < 10)
    few = judge_agreement(noisy(6, items=25), "j").attrs["untested"]
    assert few == "needs 30 items by 3 people; a person has at most 25"
    assert {*found["lower"].isnull().values.ravel()} == {segments < 10}


@pytest.mark.filterwarnings("ignore:.*is it a copy:supersample.errors.UncheckedWarning")
def test_systems_in_the_same_order_by_the_same_means_have_no_interval_of_r():
    own = {(f"s{i % 5}", i // 5): float(1 + i % 5) for i in range(60)}
    words = {item: "badcef"[int(answer)] for item, answer in own.items()}
    of_numbers, of_words = (
        str(ss.show(judge_agreement({"p": x, "j": x}, "j"))) for x in (own, words)
    )
    told = "ranks systems?          r = 1.000 with people's mean (no interval; 5 systems)"
    assert told in of_numbers
    own[("s0", 0)], equal = 2.0, {item: 1.0 + item[1] % 3 for item in own}
    of_equal = str(ss.show(judge_agreement({"p": own, "j": equal}, "j")))
    assert "ranks systems?          cannot be answered: their means are equal" in of_equal
    assert "ranks systems?          cannot be answered: these ratings have no order" in of_words


@pytest.mark.parametrize("items", [9, 10])
def test_people_who_share_few_items_are_not_compared(items):
    answers = noisy(7)
    answers["p1"] = {i: x for i, x in answers["p1"].items() if i >= 30}
    answers["p0"] = {i: x for i, x in answers["p0"].items() if i < 30 + items}
    found = judge_agreement(answers, "j", ["p0", "p1"])["value"]
    assert bool(found.sel(compared="people with each other").isnull().all()) == (items < 10)


@pytest.mark.parametrize("items", [29, 30])
def test_an_annotator_with_few_items_is_not_tested(items):
    answers = noisy(8, people=4)
    answers["p3"] = {i: x for i, x in answers["p3"].items() if i < items}
    found = judge_agreement(answers, "j")
    assert ("p3" in found["annotator"]) == (items >= 30)
    assert found.attrs["untested"] == ("p3" if items < 30 else "")


def test_raters_who_are_not_tried_in_the_place_of_the_judge_are_told():
    judge_agreement(noisy(8, people=12), "j")
    with pytest.warns(ss.ApproximationWarning, match="of 14 raters with .* only the first 13 are"):
        judge_agreement(noisy(8, people=13), "j")


def test_a_judge_who_may_be_a_copy_of_a_person_is_named():
    rng = np.random.default_rng(0)
    people = {name: dict(enumerate(rng.integers(1, 6, 40).tolist())) for name in "abc"}
    with pytest.warns(ss.UncheckedWarning, match=r"'j' gives every answer of 'b'; is it a copy\?"):
        judge_agreement({**people, "j": people["b"]}, "j")


def test_one_item_that_makes_a_low_r_shows_no_agreement():
    """Without the one answer of 300, r is 1: a share's limits would begin above 0."""
    people = {k: k % 5 for k in range(20)}
    found = ss.raters.judge_agreement({"a": people, "gpt": people | {4: 300}}, "gpt")
    own = found.sel(statistic="r", compared="judge with people")
    assert not own["lower"] > 0


def test_a_longer_scale_is_another_one_also_without_the_lowest_level():
    people = {name: {k: 2 + (k + j) % 4 for k in range(60)} for j, name in enumerate("ab")}
    longer = {k: 1 + (k * 7) % 10 for k in range(60)}
    found = ss.raters.judge_agreement({**people, "gpt": longer}, "gpt")
    assert "on another scale" in str(found.attrs) or "1 to 10" in str(found.attrs)


def test_verdicts_follow_their_numbers():
    found = judge_agreement(noisy(6), "j")
    one = found["wins"].copy(data=[True, False, False])
    ends = {"system_r": 0.9, "system_r_lower": -0.1, "system_r_upper": 0.99, "systems": 6}
    failed = found.assign(wins=one, strict_wins=one & False, passes=False, **ends)
    told = "\n".join(ss.show(failed).answer)
    assert "see below): no, shown for 1 of the 3 people; without it: shown for none" in told
    assert "ranks systems?          undecided (r may be 0): r = 0.900 with" in told
    assert "systems?          no: r = " in str(ss.show(failed.assign(system_r_upper=-0.05)).answer)
