"""People among the metrics on the command line, golds of one's own, and what is refused."""

import csv
import json
import random
import re

import pandas as pd
import pytest

import supersample as ss
from tests.long_tables import rows_of

PEOPLE = ("--rater", "anna", "--rater", "ben", "--rater", "cara")
HUMAN = ("--human", "anna")


@pytest.fixture
def answers(tmp_path):
    """A table of three people, a judge and a metric, and a file of one person's scores."""
    draw, rows = random.Random(3), []
    for system in range(8):
        for segment in range(60):
            quality = 0.3 * system + draw.gauss(0, 1)
            people = [min(5, max(1, round(2 + quality + draw.gauss(0, 0.7)))) for _ in range(3)]
            scores = [round(quality + draw.gauss(0, noise), 3) for noise in (0.8, 3)]
            rows.append([f"S{system}", str(segment), *people, *scores])
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["system", "segment", "anna", "ben", "cara", "judge", "overlap"])
        table.writerows(rows)
    with (tmp_path / "ben.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["system", "segment", "score"])
        table.writerows([row[0], row[1], row[3]] for row in rows)
    return rows


def test_people_are_ranked_written_and_planned_by(command, answers, tmp_path):
    status, out, err = command("raters", "answers.csv", *HUMAN, *PEOPLE, "--out", "people")
    assert status == 0
    compared = "each person is compared with the mean of the others' standardised scores"
    assert f"8 systems, 60 of 60 segments (rated by all); {compared}" in err
    assert len(out.splitlines()) <= 40
    assert max(map(len, out.splitlines()[5:12])) <= 80
    for line in (
        "agrees best with people here",
        "r of each person with the mean of the others' standardised scores: ",
        "\n  new systems: ",
        "\nPeople (◆) and metrics\n",
        "\nBy an estimate of people's noise, a perfect metric, which knows the quality of every ",
        "; with 8 systems this is rough, and r can be above it.",
    ):
        assert line in out
    written = {path.name for path in (tmp_path / "people").iterdir()}
    assert {"raters.csv", "raters.pdf", "raters-pairs.csv", "components.csv"} <= written
    named = {row["scorer"] for row in rows_of(tmp_path / "people" / "raters.csv")}
    assert named == {"anna", "ben", "cara", "judge", "overlap"}
    two = ("--first", "judge", "--second", "overlap", "--raters", "2", "--segments", "50")
    status, out, _ = command("plan", "answers.csv", *PEOPLE, *two)
    assert status == 0
    assert "Systems needed to tell judge from overlap" in out


def test_data_files_hold_plain_names(command, answers, tmp_path):
    long = "a-metric-with-a-name-of-many-letters"
    table = pd.read_csv(tmp_path / "answers.csv").rename(columns={"overlap": long})
    table.to_csv(tmp_path / "answers.csv", index=False)
    status, out, _ = command("raters", "answers.csv", *HUMAN, *PEOPLE, "--out", "o", "--full")
    assert (status, "anna◆" in out) == (0, True)
    written, people = (pd.read_csv(tmp_path / "o" / f"{x}.csv") for x in ("raters", "people"))
    assert set(written["scorer"]) == {"anna", "ben", "cara", "judge", long}
    assert set(people["person"]) <= set(written["scorer"])
    rows = json.loads((tmp_path / "o" / "raters.json").read_text())
    assert "◆" not in json.dumps(rows, ensure_ascii=False)


def test_people_alone_are_compared_in_words(command, answers):
    people = [f"--rater={name}" for name in ("anna", "ben", "cara")]
    of_people = ("raters", "people.csv", *HUMAN, "-q")
    table = pd.read_csv("answers.csv")
    table.drop(columns=["judge", "overlap"]).to_csv("people.csv", index=False)
    lines = command(*of_people, *people).out.splitlines()
    assert lines[0].startswith("Any two people: r = ")
    assert "of each person with the mean of the others' standardised scores: " in lines[1]
    assert len(lines) == 3
    assert "anna◆" in command(*of_people, *people, "--all").out
    table[["system", "segment", "anna", "ben"]].to_csv("people.csv", index=False)
    lines = command(*of_people, *people[:2]).out.splitlines()
    assert lines[1].startswith("r of each person with the other person: anna 0.9")
    _, first, *_ = command("raters", "answers.csv", *HUMAN, *people[:2], "-q").out.splitlines()
    opposite = table.assign(anna=-table["ben"])[["system", "segment", "anna", "ben"]]
    opposite.to_csv("people.csv", index=False)
    assert "do not agree on systems beyond noise" in command(*of_people, *people[:2]).out
    assert first.startswith("Of the metrics, cara agrees best with people here (r = 0.9")


def test_metrics_are_named_beside_people(command, answers):
    two = ("raters", "answers.csv", *PEOPLE[:4])
    assert "; r of a metric is the average of its r with each person\n" in command(*two).err
    assert "; each person is compared with ben\n" in command(*two, "--gold", "ben").err
    table = pd.read_csv("answers.csv")
    table["noise"] = random.Random(1).choices(range(100), k=len(table))
    table.to_csv("answers.csv", index=False)
    told = command("raters", "answers.csv", *PEOPLE).out.splitlines()
    worse = "noise (than 3 of 3); no other difference from a person is shown."
    assert told[2] == f"  these systems, new segments: significantly worse than people: {worse}"


def test_one_metric_has_an_interval_in_the_first_sentence(command, answers):
    one = ("raters", "answers.csv", *PEOPLE, "--metrics", "judge")
    _, first, *_ = command(*one).out.splitlines()
    scores = ss.read_table("answers.csv", human="*")
    found = ss.raters.rank_raters(scores, ["anna", "ben", "cara"]).sel(scorer="judge")
    limits = " to ".join(f"{float(found[name].squeeze()):.3f}" for name in ("lower", "upper"))
    assert f"(interval over new systems {limits}). r of each person" in first
    _, first, *_ = command(*one, "--only", "S0,S1,S2,S3").out.splitlines()
    assert "(these 4 give no interval over new systems)" in first


def test_rows_of_many_people_are_folded(command):
    draw = random.Random(1)
    quality = [draw.gauss(0, 1) for _ in range(120)]
    table = {"system": [k // 20 for k in range(120)], "segment": [k % 20 for k in range(120)]}
    people = [f"p{k}" for k in range(15)]
    table |= {x: [q + draw.gauss(0, 1) for q in quality] for x in [*people, "m", "n"]}
    pd.DataFrame(table).to_csv("many.csv", index=False)
    out = command("raters", "many.csv", "--rater", ",".join(people)).out
    assert " and 11 more." in out.splitlines()[1]
    assert "5 more: --all" in out
    assert len(out.splitlines()) <= 40


def test_a_gold_standard_of_a_file(command, answers, tmp_path):
    options = ("--metrics", "judge,overlap", "--quiet", "-n", "200")
    text = (tmp_path / "answers.csv").read_text()
    (tmp_path / "with.csv").write_text(text.replace("anna,ben", "human,other", 1))
    of_file = command("rank", "with.csv", "--human", "ben.csv", *options)
    (tmp_path / "ben.csv").rename(tmp_path / "own.csv")
    without = command("rank", "answers.csv", "--human", "own.csv", *options)  # no human scores
    assert without.out == of_file.out
    of_column = command("rank", "answers.csv", "--human", "ben", *options)
    assert of_file.status == of_column.status == 0
    assert of_file.out == of_column.out


def test_several_gold_standards_are_ranked_by_and_averaged(command, answers):
    options = ("--metrics", "judge,overlap", "-n", "200")
    status, out, err = command("rank", "answers.csv", "--human", "anna,ben", *options)
    assert status == 0
    assert "on average" in out
    assert "human scores 'anna; ben'" in err
    status, _, err = command("compare", "answers.csv", "--human", "anna,ben,none", *options[:2])
    assert status == 2
    assert "none" in err


def test_people_among_the_metrics_are_named(command, answers):
    named = pd.read_csv("answers.csv").rename(columns={"ben": "rater_1", "cara": "expert"})
    named.to_csv("named.csv", index=False)
    status, _, err = command("rank", "named.csv", *HUMAN, "-n", "100")
    assert status == 0
    assert "warning: rater_1, expert may be people, not metrics" in err


def test_a_part_of_the_human_scores_is_refused_unless_allowed(command, answers):
    added = ("--add-metric", "copy=ben.csv", "--higher-is-better", "copy", "-n", "100")
    status, _, err = command("rank", "answers.csv", "--human", "ben", *added)
    assert status == 2
    assert "the human scores ben: copy is a linear function of them; agreement" in err
    assert err.endswith("or allow it by --allow-part copy\n")
    assert err.count("\n") == 1
    allowed = command("rank", "answers.csv", "--human", "ben", *added, "--allow-part", "copy")
    assert allowed.status == 0
    idle = command("rank", "answers.csv", *HUMAN, "--allow-part", "cara")
    assert (idle.status, idle.out) == (2, "")
    assert "cara is not a part of the human scores: do not allow it" in idle.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "or the people to rank among metrics: --rater NAME or"),
        (("--rater", "anna"), "name at least two raters (given: anna)"),
        (("--rater", "anna", "--rater", "nobody"), "no rater 'nobody'"),
        (("--rater", "anna", "--rater", "x="), "--rater takes NAME or NAME=FILE"),
        (("--rater", "anna", "--rater", "x=none.csv"), "there is no file none.csv"),
        ((*PEOPLE, "--gold", "judge"), "no rater 'judge'"),
        ((*PEOPLE, "--judge", "judge,overlap"), "compare DATA --metrics judge,overlap --human"),
    ],
)
def test_people_who_cannot_be_ranked(command, answers, arguments, message):
    status, _, err = command("raters", "answers.csv", *HUMAN, *arguments)
    assert status == 2
    assert message in err.splitlines()[-1]


def test_assessors_of_ratings_are_people(command, answers, tmp_path):
    with (tmp_path / "ratings.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["assessor", "system", "segment", "score"])
        for row in answers:
            table.writerows([name, row[0], row[1], row[k]] for name, k in (("p", 2), ("q", 4)))
    status, out, _ = command(
        "raters", "answers.csv", *HUMAN, "--metrics", "judge,overlap", "--ratings",
        "ratings.csv:scale=raw,quality_control=none",
    )  # fmt: skip
    assert status == 0
    assert "p◆" in out
    assert "q◆" in out
    chosen = ("--rater", "p", "--rater", "ben", "--metrics", "ben,judge,overlap")
    raw = ("--ratings", "ratings.csv:scale=raw,quality_control=none")
    status, out, _ = command("raters", "answers.csv", "--human", "cara", *raw, *chosen)
    assert status == 0
    assert "q" not in [line.split()[1] for line in out.splitlines() if "0." in line][4:]


def test_assessors_who_share_no_translation(command, answers, tmp_path):
    rows = [[("p", "q")[k % 2], row[0], row[1], row[2]] for k, row in enumerate(answers)]
    with (tmp_path / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["assessor", "system", "segment", "score"], *rows])
    options = ("--ratings", "ratings.csv:quality_control=none")
    status, _, err = command("raters", "answers.csv", *HUMAN, *options)
    assert status == 2
    last = err.splitlines()[-1]
    assert last.endswith("scored by all of p, q; no two share any, so they cannot be compared")


def test_scores_of_people_may_be_errors(command, answers, tmp_path):
    with (tmp_path / "errors.csv").open("w", newline="") as file:
        rows = ([row[0], row[1], -row[3]] for row in answers)
        csv.writer(file).writerows([["system", "segment", "score"], *rows])
    people = ("--rater", "anna", "--metrics", "judge,overlap")
    turned = ("--lower-is-better", "errors")
    right = command("raters", "answers.csv", *HUMAN, *people, "--rater", "errors=ben.csv")
    for rater in ("errors=errors.csv", "errors.csv"):
        found = command("raters", "answers.csv", *HUMAN, *people, "--rater", rater, *turned)
        assert found.out == right.out
    options = ("--metrics", "judge,overlap", "--quiet", "-n", "200")
    (tmp_path / "good").mkdir()
    (tmp_path / "ben.csv").rename(tmp_path / "good" / "errors.csv")
    of_errors = command("rank", "answers.csv", "--human", "errors.csv", *turned, *options)
    as_they_are = command("rank", "answers.csv", "--human", "good/errors.csv", *options)
    assert of_errors.status == as_they_are.status == 0
    assert of_errors.out == as_they_are.out


def judged(*columns, judge="gpt", noise=0.6, lenient=0.0):
    """A spreadsheet of 60 items: prompts, or models and prompts, people and a judge."""
    draw = random.Random(5)
    rows = []
    for k in range(60):
        quality = draw.gauss(3, 1)
        given = [min(5, max(1, round(quality + draw.gauss(0, 0.7)))) for _ in columns]
        own = min(5, max(1, round(quality + lenient + draw.gauss(0, noise))))
        rows.append({"prompt": f"p{k}", **dict(zip(columns, given, strict=True)), judge: own})
    return pd.DataFrame(rows)


def test_a_spreadsheet_answers_about_a_judge_at_once(command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = judged("alice", "bob", "carol", noise=0.4, lenient=0.3)
    table.loc[[3, 7], "bob"] = None
    table.to_csv("t.csv", index=False)
    status, out, err = command("raters", "t.csv", "--judge", "gpt", "--rater", "alice,bob,carol")
    assert (status, len(out.splitlines()) <= 40) == (0, True)
    assert err == "60 items; people: alice, bob, carol; ratings are ordered levels from 1 to 5\n"
    first, second, third, rest, fourth, *_ = lines = out.splitlines()
    assert first.startswith("gpt agrees with people on items: weighted kappa 0.6")
    assert second.startswith("  as well as people do?   undecided, difference ")
    assert third.endswith("person?   with an allowance of 20\xa0% (see below): yes, for each")
    assert rest == "  of the 3 people; without it: shown for none of them"
    assert fourth.startswith(
        "  is biased?              yes: too lenient (above people's ratings) on"
    )
    assert "\ndifference: over items that the judge and two people all rated, so" in out
    assert max(map(len, lines[:15])) <= 80
    written = command("raters", "t.csv", "--judge", "gpt", *RATERS, "--out", "o", "--full")
    assert written.status == 0
    names = {x.name for x in (tmp_path / "o").iterdir()}
    assert {"judge.csv", "bias.csv", "annotators.csv"} <= names
    rates = pd.read_csv("o/annotators.csv")[["winning_rate", "advantage"]]
    omega, rho = rates.iloc[1]
    assert f"(omega), the share of people whom it may replace: {omega:.3f}.\n" in written.out
    assert f"(rho), the mean of 'not worse': {rho:.3f}.\n" in written.out
    assert omega == 1 > rho > 0.5
    strict = command("raters", "t.csv", "--judge", "gpt", *RATERS, "--epsilon", "0")
    assert "may replace a person?   no: none of the 3 people\n" in strict.out


RATERS = ("--rater", "alice,bob,carol")


def test_the_only_person_who_can_be_tested_is_named(command):
    table = judged("alice", "bob", "carol", "dan", "eve", noise=0.1)
    table.loc[16:, ["bob", "carol"]] = table.loc[:15, ["dan", "eve"]] = None
    table.loc[32:, ["dan", "eve"]] = None
    table.to_csv("t.csv", index=False)
    out = command("raters", "t.csv", "--judge", "gpt", "--rater", "alice,bob,carol,dan,eve").out
    told = (
        "yes: alice (with and without the allowance of 20 %); too few items: bob, carol, dan, eve"
    )
    assert f"  may replace a person?   {told} " in " ".join(out.split("\n"))


def test_a_judge_who_is_always_one_above_is_biased_without_an_interval(command):
    table = judged("alice")
    table["gpt"] = table["alice"] + 1
    table.to_csv("t.csv", index=False)
    _, out, _ = command("raters", "t.csv", "--judge", "gpt", "--explain")
    assert "(above people's ratings) on average by 1.00 points (always the same)\n" in out
    assert "For a narrower interval: plan DATA --judge NAME --width W." in out
    assert "\nBiased: the judge's ratings minus the people's mean" in out


def test_a_model_with_the_same_bias_on_every_item_is_named(command):
    table = judged("alice")
    table["prompt"] = [f"p{k % 20}" for k in range(60)]
    table.insert(0, "model", [f"a to b to {k // 20}" for k in range(60)])
    table["gpt"] = table["alice"] + (table["model"] == "a to b to 2")
    table.to_csv("t.csv", index=False)
    out = " ".join(command("raters", "t.csv", "--judge", "gpt").out.split())
    first = "too lenient (above people's ratings) on a to b to 2 by 1.00 points (always the same)"
    assert f"yes: {first}, on average by 0.33 points (" in out
    assert "for each interval alone" not in out


def test_biases_that_are_not_named_are_counted(command):
    table = judged("alice").assign(model=[f"m{k % 6}" for k in range(60)])
    table["gpt"] = table["alice"] + 1 + [k // 6 % 2 for k in range(60)]
    table.to_csv("t.csv", index=False)
    assert "; 3 more: --full; 95" in command("raters", "t.csv", "--judge", "gpt").out


def test_two_answers_have_kappa_whatever_they_are(command):
    table = judged("alice", "bob")
    numbers = table[["alice", "bob", "gpt"]] > 3
    numbers.astype(int).to_csv("n.csv", index=False)
    numbers.replace({True: "yes", False: "no"}).to_csv("w.csv", index=False)
    (first, *_), _ = (
        command("raters", x, "--judge", "gpt", "--rater", "alice,bob").out.splitlines()
        for x in ("n.csv", "w.csv")
    )
    assert first.startswith("gpt agrees with people on items: Cohen's kappa 0.")
    assert command("raters", "n.csv", "--judge", "gpt", "--rater", "alice,bob").err == (
        "60 items; people: alice, bob; ratings are 0, 1\n"
    )
    turned = numbers.assign(gpt=~numbers["alice"], bob=numbers["alice"])
    turned.replace({True: "yes", False: "no"}).to_csv("w.csv", index=False)
    out = command("raters", "w.csv", "--judge", "gpt", "--rater", "alice,bob").out
    assert out.startswith("gpt is not shown to agree with people on items: Cohen's kappa -0.9")
    assert "  as well as people do?   worse, difference -1.9" in out


def test_one_person_is_enough_for_what_can_be_answered(command):
    table = judged("rating", judge="judge")
    table["prompt"] = [f"p{k // 3}" for k in range(60)]
    table.insert(0, "model", ["a", "b", "c"] * 20)
    table.loc[::3, "judge"] += 2
    table.to_csv("t.csv", index=False)
    status, out, err = command("raters", "t.csv", "--judge", "judge")
    assert status == 0
    people = "people: rating (as no --rater names them)"
    assert err.startswith(f"60 items (3 systems, 20 segments); {people}; ")
    assert "people with each other" not in out
    assert "  as well as people do?   needs two people who answered the same items\n" in out
    assert "  may replace a person?   not tested: needs 3 people\n" in out
    assert "yes: too lenient (above people's ratings) on a by 1." in out
    told = r", on average by 0\.\d+ points \(\S+ to \S+\); none shown elsewhere; 95 % for "
    assert re.search(told, out)
    assert "  ranks systems?          cannot be answered with 3 systems; only from 5 on\n" in out


def test_scores_of_any_source_are_answers_of_a_judge(command, answers):
    judged = command("raters", "answers.csv", *PEOPLE, "--judge", "judge")
    assert "judge agrees with people on items: r 0.7" in judged.out
    assert "  ranks systems?          yes: r = 0.9" in judged.out
    read = command("raters", "answers.csv", *HUMAN, *PEOPLE, "--judge", "judge")
    assert read.out == judged.out


def test_people_and_judges_of_two_files(command, tmp_path):
    people = {
        name: {str(i): (i + (i % 7 == k)) % 3 for i in range(60)} for k, name in enumerate("abc")
    }
    judges = {
        x: {str(i): "nmp"[(i * (x == "gpt")) % 3] for i in range(60)} for x in ("gpt", "all-n")
    }
    people = {x: {i: "nmp"[y] for i, y in of.items()} for x, of in people.items()}
    for name, given in (("people", people), ("judges", judges)):
        rows = [f"{who},{i},{answer}" for who, of in given.items() for i, answer in of.items()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["annotator,item,answer", *rows]))
    status, out, err = command("raters", "people.csv", "judges.csv", "--judge", "gpt", "--full")
    assert status == 0
    people = "people: a, b, c (as no --rater names them)"
    assert err == f"60 items; {people}; ratings are m, n, p\n"
    assert "gpt agrees with people on items: Cohen's kappa 0.775" in out
    assert "p (Benjamini-Yekutieli)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--judge", "alice", *RATERS), "'alice' is the judge and one of the people"),
        (("--judge", "gpt"), "t.csv: name the people, such as --rater alice,bob,carol"),
        (("--judge", "gtp", *RATERS), "answer, and no column 'gtp': did you mean 'gpt'? There"),
        (("--judge", "gpt", "--rater", "alice,dan"), "no column 'dan' in t.csv; there are prompt"),
        (("--judge", "gpt", *RATERS, "--team", "x=y"), "--team does not go with --judge"),
        (("--judge", "gpt", *RATERS, "-m", "SPA"), "--measure does not go with --judge"),
        (("--epsilon", "0.1", *RATERS), "--epsilon goes with --judge"),
        (("--judge", "gpt", *RATERS, "--epsilon", "2"), "epsilon is a number from 0 to below 1"),
        (("t.csv", "--judge", "gpt", *RATERS), "t.csv has answers of gpt, alice, bob, carol again"),
    ],
)
def test_judges_who_cannot_be_compared(command, arguments, message):
    judged("alice", "bob", "carol").to_csv("t.csv", index=False)
    status, out, err = command("raters", "t.csv", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_a_metric_that_is_a_gold_standard_is_refused_among_people_too(command, answers, tmp_path):
    people = ("--rater", "anna", "--rater", "other=ben.csv", "--gold", "other")
    refused = command("raters", "answers.csv", *HUMAN, *people)
    assert refused.status == 2
    assert "ben is a linear function of them" in refused.err.splitlines()[-1]
    assert command("raters", "answers.csv", *HUMAN, *people, "--allow-part", "ben").status == 0
    other = command("raters", "answers.csv", *HUMAN, *people, "--allow-part", "judge")
    assert other.status == 2
