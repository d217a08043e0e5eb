import re

import numpy as np
import pytest

import supersample as ss
from supersample import DegenerateScoreWarning
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation import answer as sentences
from supersample.presentation import notes, rankings
from supersample.presentation.answer import answer_table
from supersample.presentation.figures.rankings import plot_forest
from supersample.presentation.notes import PRECISION_NOTE
from supersample.presentation.table import to_csv
from tests.rankings import sample_and_ranking, scores_of

_, RANKING = sample_and_ranking(["a", "b", "c"], lower_is_better=("b",))


def fields(table):
    return [column.field for column in table.columns]


def values(table, field):
    return [row[fields(table).index(field)] for row in table.rows]


def test_rows_of_every_table_and_figure_are_in_the_printed_order():
    sample = ss.hybrid_supersample(ss.load_example(), n=300)
    ranking = ss.rank(ss.correlations.compare_correlations(sample))
    shown = values(rankings.ranking_table(ranking), "metric")
    names = [label.removesuffix(" ↓") for label in shown]
    over = {
        b: ranking["value"].sel(basis=b).values.ravel().tolist() for b in ("systems", "hybrids")
    }
    assert over["systems"] == sorted(over["systems"], reverse=True)
    assert over["hybrids"] != sorted(over["hybrids"], reverse=True)
    assert list(ranking["metric"].values) == names
    assert values(rankings.plain_ranking_table(ranking), "metric") == names
    assert values(answer_table(ranking, most=None)[0], "metric") == shown
    pairs = rankings.comparisons_table(ranking)
    assert values(pairs, "basis") == ["systems"] * 28 + ["hybrids"] * 28
    assert values(pairs, "metric")[:7] == [names[0]] * 7
    assert values(pairs, "other_metric")[:7] == names[1:]
    ticks = plot_forest(ranking).get_yticklabels()
    assert [tick.get_text() for tick in ticks] == shown


def test_the_printed_ranking_shows_r_with_limits_and_says_what_is_lower_is_better():
    table = rankings.ranking_table(RANKING)
    marked = {row[0] for row in table.rows}
    assert marked == {"a", "b ↓", "c"}
    part = RANKING.sel(basis="hybrids").squeeze()
    own = part.sel(metric=table.rows[0][0].removesuffix(" ↓"))
    shown = f"{own['value'].item():.3f} [{own['lower'].item():.3f}, {own['upper'].item():.3f}]"
    assert values(table, "value_hybrids")[0] == shown
    interval = "r with its own 95 % interval"
    assert table.caption == f"Agreement of 3 metrics with human scores over 8 systems; {interval}"
    assert "NAME ↓: lower scores are better; they are counted that way." in table.notes


def test_the_reader_is_told_what_hybrid_intervals_measure():
    assert PRECISION_NOTE in notes.notes_of(RANKING)
    alone = ss.rank(ss.correlations.compare_correlations(scores_of(["a", "b"])))
    assert PRECISION_NOTE not in notes.notes_of(alone)


def test_few_systems_have_no_interval():
    _, ranking = sample_and_ranking(["a", "b"], systems=3, n=10)
    assert "[" not in values(rankings.ranking_table(ranking), "value_systems")[0]


def test_what_is_undefined_prints_so_and_is_empty_in_numbers():
    with pytest.warns(DegenerateScoreWarning):
        _, ranking = sample_and_ranking(["a", "b"], flat=["a"])
    shown = rankings.ranking_table(ranking)
    assert shown.cells()[-1] == ["a", "", "undefined", "0", "", "", "undefined", "0", ""]
    last = to_csv(rankings.plain_ranking_table(ranking)).splitlines()[-1]
    assert last.startswith("a,true,,,,,0,,")
    first = to_csv(rankings.comparisons_table(ranking)).splitlines()[1]
    assert re.fullmatch("systems,8,b,a,,+false", first)


def test_pairs_that_differ_are_counted_once():
    for basis, line in zip(("systems", "hybrids"), sentences.counts_of(RANKING), strict=True):
        count = RANKING["significant"].sel(basis=basis).values.sum() // 2
        n = RANKING["n"].sel(basis=basis).item()
        adjusted = RANKING["p_holm"].sel(basis=basis).values.squeeze()
        left = int((np.triu(adjusted, 1)[np.triu_indices(3, 1)] <= 0.05).sum())
        assert line == (
            f"{n} {basis}: {count} of 3 pairs differ significantly, unadjusted (zou2007, "
            f"p ≤ 0.05), and make {RANKING['clusters'].sel(basis=basis).item()} clusters; "
            f"corrected by Holm's method: {left}"
        )


def test_a_baseline_is_told_in_words():
    compared = ss.correlations.compare_correlations(ss.load_example(), method="fisher-jackknife")
    found = ss.compare_to_baseline(ss.rank(compared), "good-90")
    [line] = sentences.pair_lines(found)
    assert not found["differs"].sel(basis="systems").any()
    assert line.startswith("None of 7 metrics is shown to differ from good-90 by r (Holm, 95 %)")
    found.attrs["added_metrics"] = "fair-70\ngood-90"
    [line] = sentences.pair_lines(found)
    own = found.sel(metric="fair-70").squeeze()
    difference, lower, upper = (float(own[name]) for name in rankings.DIFFERENCES)
    p = f"p = {float(own['p_value']):.3g}"
    limits = f"95 % interval {-upper:.3f} to {-lower:.3f}, {p}"
    assert f"good-90's r is above fair-70's by {-difference:.3f} ({limits}, " in line
    assert f", {float(own['p_baseline']):.3g} after Holm). If their gap is as here, about " in line
    assert line.endswith("(80 % probability, by formula, corrected for 7 comparisons (Holm)).")


def test_averages_are_told_against_a_baseline():
    scores = {name: scores_of(["a", "b"], systems=7 + i) for i, name in enumerate("uv")}
    names = [f"{name} of v" for name in scores["v"]["system"].values]
    scores["v"] = scores["v"].assign_coords(system=names)
    averaged = ss.rank(compare_over_groups(scores, n=30))
    values = averaged["value"].sel(basis="systems", group=[*"uv"]).squeeze()
    best, r = values.idxmax("metric").values, values.max("metric").values
    kept = averaged["may_be_best"].sel(basis="systems", group=[*"uv"]).sum("metric").values.ravel()
    told = " ".join(" ".join(sentences.verdict(averaged)).split())
    for k, name in enumerate("uv"):
        many = f"the best metric is one of {kept[k]} on new systems (95 % sure)"
        assert f" set {name} first here: {best[k]} ({r[k]:.3f}); {many}" in told
    found = ss.compare_to_baseline(averaged, "a")
    line = sentences.pair_lines(found)[0]
    assert line.startswith("Undecided on new systems (same segments), on average: here ")
    assert re.search("([ab])'s r is above (?!\\1)[ab]'s by 0", line)


def test_too_few_resamples_for_holm_are_told():
    found = ss.rank(ss.load_example(), ["PA", "pdp"], random=None, resamples=99)
    *of_each, told = sentences.pair_lines(ss.compare_to_baseline(found, "strong-98"))
    assert of_each[1:] == ["None of 7 metrics is shown to differ from strong-98 by pdp/item"]
    assert told.endswith("no p-value of 99 resamples can be below 0.07: add --resamples 280")
    enough = ss.rank(ss.load_example(), "PA", random=None, resamples=199)
    assert "--resamples" not in sentences.pair_lines(ss.compare_to_baseline(enough, "strong-98"))[0]


def test_nothing_is_concluded_beside_a_constant_baseline():
    scores = ss.load_example().copy(deep=True)
    scores["score"].loc["good-90"] = 1.0
    with pytest.warns(ss.DegenerateScoreWarning):
        found = ss.compare_to_baseline(ss.rank(scores, n=50), "good-90")
    told = "good-90 gives every system the same score, or lacks scores."
    assert sentences.pair_lines(found) == [f"No metric can be compared with good-90: {told}"]
    assert "(r = undefined)" in rankings.baseline_tables(found)[0].caption
