"""``supersample compare``: every kind of method, and the options that it takes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import supersample as ss


def test_compare_writes_what_rank_writes_but_hybrids(command):
    assert command("compare", "example", "--out", "out").done
    names = {path.name for path in Path("out").iterdir()}
    assert {"ranking.csv", "comparisons.json", "ranking.tex", "differences.png"} < names
    assert "hybrids.zarr" not in names


def test_two_metrics_are_compared_in_words(command, tmp_path):
    ss.write_scores(ss.load_example(), tmp_path / "scores.csv")
    table = ("compare", "scores.csv", "--human", "simulated", "-q")
    result = command(*table, "--metrics", "good-85,strong-95").done
    found = ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife").sel(
        metric="strong-95", measure="pearson", basis="systems", group="all"
    )
    own = found.sel(other_metric="good-85")
    lower, upper = (f"{float(own[f'difference_{side}']):.3f}" for side in ("lower", "upper"))
    p = f"p = {float(own['p_value']):.3g}"
    numbers = f"(95 % interval {lower} to {upper}, {p})"
    assert result.out.splitlines()[1] == (
        "Undecided on new systems (same segments): here strong-95's r is above "
        f"good-85's by {float(own['difference']):.3f} {numbers}. If their gap is as here, about "
        "27 systems in all (there are 12) would show it (80 % probability, by formula)."
    )
    assert "weak-40" not in result.out
    lines = result.out.splitlines()
    values = ss.rank(ss.system_level_scores(ss.load_example()))["value"].squeeze()
    r = ", ".join(f"{x} {float(values.sel(metric=x)):.4f}" for x in ("strong-95", "good-85"))
    assert f"r with people: {r}." in lines
    p, *more = lines[-1].split(". ")
    assert p.startswith("p, of this pair alone: how likely a gap this large or larger is if")
    assert more[0] == "All metrics against one: rank DATA --baseline METRIC"
    assert len(lines) <= 5
    assert "95 %, " not in result.out
    assert "95 %, " in command(*table, "--metrics", "good-85,strong-95", "--all").out


def test_an_added_metric_may_be_the_baseline_beside_metrics_to_keep(command, tmp_path):
    scores = ss.load_example()
    own = scores["score"].sel(metric="good-90", drop=True).rename("score").to_dataframe()
    own.reset_index()[["system", "segment", "score"]].to_csv(tmp_path / "mine.csv", index=False)
    options = ("--metrics", "strong-95,fair-70", "--add-metric", "mine.csv")
    result = command("compare", "example", *options, "--baseline", "mine").done
    assert "Difference from mine" in result.out


def test_what_was_added_is_compared_with_the_baseline_alone(command, tmp_path):
    scores = ss.load_example()
    for name in ("strong-98", "weak-40"):
        own = scores["score"].sel(metric=name, drop=True).to_series() + len(name)
        own.reset_index().to_csv(tmp_path / f"{name}.csv", index=False)
    mine = ("-a", "mine=strong-98.csv", "--higher-is-better")
    pair = command("compare", "example", "-q", *mine, "mine", "--metrics", "mine,good-90").out
    asked = ("rank", "example", "-q", "-b", "good-90", *mine, "mine")
    told = command(*asked).out.splitlines()
    assert told[:-1] == pair.splitlines()[:-1]
    assert "If their gap is as here, about " in told[1]
    assert told[-1].startswith("p, of this pair alone: ")
    assert " Ranking: --all. " in told[-1]
    every = command(*asked, "--all").out
    assert every.splitlines()[:2] == told[:2]
    assert "strong-95 agrees best with people here" in every
    asked = (*asked[:-1], "mine,other", "--add-metric", "other=weak-40.csv")
    two = command(*asked).out
    assert "corrected for 2 comparisons" in " ".join(two.split())
    assert "agrees best" not in two
    assert "strong-95" not in two


def test_a_margin_says_whether_one_metric_is_as_good_as_another(command):
    two = ("compare", "example", "-q", "--metrics", "strong-95,strong-98")
    level = "(each tested in one direction at 2.5 %)"
    out = command(*two, "--margin", 0.1, "--out", "o", "--figures", "none").out
    text = "strong-95 and strong-98 differ by less than 0.1"
    assert f"Shown on these systems, new documents: {text} {level}." in out
    text = "Undecided on new systems: either may be 0.1 or more worse than the other"
    assert f"{text} {level}." in out
    out = command("compare", "example", "-q", "--metrics", "strong-95,good-90", "--margin", 0.1).out
    text = "good-90 may be 0.1 or more worse than strong-95. Shown: strong-95 is not 0.1 or more"
    assert f"Undecided on these systems, new documents: {text} worse than good-90 {level}." in out
    out = command("compare", "example", "-q", "--metrics", "strong-95,weak-40", "--margin", 0.1).out
    text = "Shown on these systems, new documents: weak-40 is 0.1 or more worse than strong-95"
    assert f"{text} {level}." in out
    written = pd.read_csv("o/baseline.csv")
    inside = (written["lower"] > -0.1) & (written["upper"] < 0.1)
    assert written["equivalent"].tolist() == inside.tolist() == [False, True]
    out = command("compare", "example", "-q", "--baseline", "weak-40", "--margin", 0.1).out
    assert f"Not worse by 0.1 or more (each alone, {level[6:-1]}): strong-95, " in out
    for options, message in (
        (("--margin", 0.1), "a margin compares two metrics: keep two, or name a baseline"),
        ((*two[3:], "--margin", 0), "a margin is a number above 0, such as 0.02, not 0"),
    ):
        status, out, err = command("compare", "example", "-q", *options)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_a_margin_of_errors_is_crossed_by_larger_ones(command):
    """The smaller error is the better one: a margin is about being worse, whatever the sign."""
    scores = ss.make_system_scores(
        np.arange(30.0),
        np.array(
            [np.arange(30) + 0.5 * (-1.0) ** np.arange(30), np.arange(30) + np.arange(30) % 3]
        ),
        systems=[f"s{i}" for i in range(30)],
        metrics=["near", "far"],
    )
    compared = ss.compare(scores, "MAE", random="systems", method="student", resamples=99)
    found = ss.compare_to_baseline(compared, "far", margin=0.1)
    assert (found["difference"].item() < 0, found["not_worse"].item()) == (True, True)
    turned = ss.compare_to_baseline(compared, "near", margin=0.1).squeeze()
    assert (turned["not_worse"].item(), turned["equivalent"].item()) == (False, False)
    assert ss.show(found).answer
    with pytest.raises(ss.InputError, match="a margin needs an interval of the difference"):
        ss.compare_to_baseline(ss.compare(scores, "MAE", method="systems"), "far", margin=0.1)


def test_p_is_not_below_what_resamples_show(command):
    two = ("segments", "example", "-q", "--metrics", "strong-95,weak-40", "--random", "documents")
    out = command(*two, "--resamples", 199).out
    assert out.count(", p < 0.005)") == 3
    out = command("compare", "example", "-q", "--metrics", "strong-95,weak-40").out
    assert ", p = 0.00423).\n" in out
    assert out.count(", p < 0.001).\n") == 1
    beside = ("segments", "example", "-q", "--baseline", "weak-40", "--random", "documents")
    rows = command(*beside, "--resamples", 99).out.splitlines()
    assert any(
        row.startswith("strong-95 ") and row.endswith("< 0.01") for row in map(str.rstrip, rows)
    )


def test_two_metrics_have_their_difference_without_a_p_value(command):
    pair = ("compare", "example", "--metrics", "good-85,strong-95", "--random", "documents")
    out = command(*pair, "--method", "percentile", "--resamples", "19").out
    assert "strong-95's r minus good-85's: 0." in out
    assert "no p-value by this method" in out
