import re

import numpy as np
import pytest
import xarray as xr

import supersample as ss
from supersample.presentation import answer as sentences
from supersample.presentation import labels, notes, rankings
from supersample.presentation.answer import (
    added_lines,
    answer_table,
    behind_best,
    pair_lines,
    scopes_of,
    verdict,
)
from supersample.presentation.screen import screen_of
from supersample.results.variables import result_variables

YES, NO, VAGUE = "possible", "ruled out", "uncertain"


def ranked(p_best, beaten=(), n=12, r=None, lower=None):
    """Make a ranking over systems from p-values of being the best and pairs (better, worse)."""
    count = len(p_best)
    p = np.ones((count, count))
    for better, worse in beaten:
        p[better, worse] = p[worse, better] = 0.01
    r = np.linspace(0.9, 0.5, count) if r is None else np.array(r)
    found = {
        "n": n,
        "value": r,
        "lower": r - 0.1 if lower is None else np.array(lower),
        "upper": r + 0.05,
        "rank": np.argsort(np.argsort(-r)) + 1,
        "p_best": np.array(p_best, float),
        "p_simultaneous": p,
        "may_be_best": np.array(p_best) > 0.05,
        "differs_adjusted": p <= 0.05,
        "difference": r[:, np.newaxis] - r,
    }
    found["rank"] = found["rank"].astype(float)
    whole = {name: np.asarray(x)[np.newaxis, np.newaxis, np.newaxis] for name, x in found.items()}
    names = [f"m{i}" for i in range(count)]
    lead = {"measure": ["pearson"], "basis": ["systems"], "group": ["all"]}
    return xr.Dataset(
        result_variables(whole, labels.LEAD),
        {**lead, "metric": names, "other_metric": names},
        {"confidence_level": 0.95},
    )


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (ranked([1, 0.5, 0.06]), "any of the 3 metrics could be the best (at 95 %)"),
        (ranked([1, 0.5, 0.05]), "the best is one of 2 of 3 metrics (95 % sure)"),
        (ranked([1, 0.01, 0.01]), "the best is m0 (95 % sure)"),
        (ranked([1, 0.01]), "the best is m0 (95 % sure)"),
        (ranked([1, 0.3, 0.3], n=4), "not known: 4 systems, and at least 5 are needed"),
        (ranked([1, 0.01, np.nan]), "the best is m0 (95 % sure)"),
    ],
)
def test_what_is_concluded_on_new_systems(found, told):
    first, scope = verdict(found)
    assert first.removesuffix(" On new data:") == "m0 agrees best with people here (r = 0.900)."
    assert first.endswith(" On new data:") == ("not" not in told)
    assert scope.startswith("  new systems")
    assert scope.endswith(f"  {told}")
    assert verdict(found, named=True)[1].endswith(told.replace("s (95", "s: m0, m1 (95"))


def test_a_metric_that_is_compared_with_no_other_is_not_known():
    found = ranked([1, 0.01, np.nan, 0.3])
    [scope] = scopes_of(found)
    assert scope.cells() == [YES, NO, "not known", YES]
    [scope] = scopes_of(ranked([np.nan, 0.01, 1]))
    assert scope.told() == "the best is m2 (95 % sure)"


def test_a_metric_whose_own_interval_holds_0_has_too_little_data():
    found = ranked([1, 0.2, 0.01], lower=[0.7, -0.2, -0.3])
    assert scopes_of(found)[0].cells() == [YES, VAGUE, NO]


def test_what_is_told_of_an_added_metric():
    found = ranked([1, 0.5, 0.05], [(0, 1), (0, 2)]).squeeze()
    found.attrs["added_metrics"] = "m1"
    [line] = added_lines(found)
    assert line.startswith(
        "m1 ◀ has rank 2 of 3 by r; on new systems: better than none of the 2 others, worse than 1"
    )
    found.attrs["added_metrics"] = "m0"
    assert "better than 2 of the 2 others, worse than none (corrected" in added_lines(found)[0]
    equal = ranked([1, 0.5, 0.06]).squeeze().assign_attrs(added_metrics="m2")
    assert (
        "m2 ◀ has rank 3 of 3 by r; on new systems: no pair of it with another is told apart"
        in added_lines(equal)[0]
    )
    assert added_lines(found.isel(metric=[0, 1], other_metric=[0, 1])) == []


def test_of_an_added_metric_that_does_not_vary_is_told_that_it_has_no_r():
    scores = ss.load_example().isel(metric=slice(3))
    scores["score"][2] = 1.0
    with pytest.warns(ss.DegenerateScoreWarning):
        found = ss.rank(
            ss.correlations.compare_correlations(scores, method="fisher-jackknife")
        ).squeeze()
    name = scores["metric"].values[2]
    found.attrs["added_metrics"] = name
    assert added_lines(found) == [f"{name} ◀ has no r: its scores do not vary, or one is missing"]


@pytest.fixture(scope="module")
def ranking():
    return ss.rank(ss.load_example(), n=200)


def test_scopes_go_from_the_narrowest_to_the_broadest(ranking):
    first, *scopes = verdict(ranking)
    assert first.startswith("strong-95 agrees best with people here")
    assert [line.strip().split("  ")[0] for line in scopes] == [
        "these systems, new documents",
        "new systems, same segments",
    ]
    documents, systems = (int(scope.kept.sum()) for scope in scopes_of(ranking))
    assert 0 < documents <= systems < 8
    assert "corrected for comparing all metrics" in sentences.counts_of(ranking)[0]


def test_distances_behind_the_best_agree_with_what_is_ruled_out(ranking):
    for scope in scopes_of(ranking):
        lower, upper = (scope.part[name].to_numpy() for name in ("behind_lower", "behind_upper"))
        np.testing.assert_array_equal(lower > 0, ~scope.kept)
        assert (lower <= upper).all()
    [(column, cells)] = behind_best(labels.part_of(ranking))
    assert cells[0].startswith("up to 0.2")
    assert column.title == "behind best"
    assert "behind best" in [each.title for each in rankings.ranking_table(ranking).columns]


def test_hybrids_are_shown_where_they_are_asked_for(ranking):
    told = {asked: screen_of(ranking, of_hybrids=asked) for asked in (False, True)}
    for asked, screen in told.items():
        headings = [column.title for column in screen.tables[0].columns]
        assert ("r over hybrids" in headings) is asked
        assert headings[2:4] == ["r", "95 %, new systems"]


def test_rows_beyond_a_screen_fold(ranking):
    table, folded = answer_table(ranking, most=3)
    assert len(table.rows) == 3
    assert any("if systems are independent (no" in note for note in table.notes)
    documents, systems = (scope.kept[3:].sum() for scope in scopes_of(ranking))
    names = np.array(labels.marked_labels(ranking))[3:]
    few = [", ".join(names[scope.kept[3:]]) for scope in scopes_of(ranking)]
    told = f"{documents} on new documents: {few[0]}; {systems} on new systems: {few[1]}"
    assert folded == [f"5 more rows (could be the best: {told}): --all"]
    out = int((~np.any([scope.kept for scope in scopes_of(ranking)], axis=0))[::-1].argmin())
    _, folded = answer_table(ranking, most=8 - out)
    assert folded == ([f"{out} more row{'s' * (out > 1)} ruled out: --all"] if out else [])
    assert answer_table(ranking, most=None)[1] == []
    assert len(screen_of(ranking, every_metric=True).tables[0].rows) == 8


def test_what_would_tell_two_open_metrics_apart_is_what_their_comparison_says(ranking):
    pair = ranking["metric"].values[scopes_of(ranking)[-1].kept][:2].tolist()
    [told] = [note for note in ss.show(ranking).notes if "if their gap is as here" in note]
    alone = ss.rank(ss.keep_metrics(ss.load_example(), pair), n=0)
    needed = [re.findall(r"[\d,]+ \w+ in all", text) for text in (told, *ss.show(alone).answer)]
    assert needed[0] == needed[2] + needed[1]


def test_where_nothing_is_ruled_out_there_is_no_column_of_yes():
    table, _ = answer_table(ranked([1, 0.5, 0.06]))
    titles = [column.title for column in table.columns]
    assert titles == ["#", "metric", "r", "95 %, new systems"]


def test_what_lies_outside_the_measured_range_is_said(ranking):
    assert "r below 0.7" in notes.notes_of(ranking)[-1]


def test_a_single_metric_is_compared_with_none():
    alone = ss.rank(alone_scores(), n=50)
    row = alone.sel(metric="strong-98").squeeze()
    new, texts = (
        f"{float(at['lower']):.3f} to {float(at['upper']):.3f}"
        for at in (row.sel(basis=basis) for basis in ("systems", "documents"))
    )
    assert verdict(alone) == [
        f"strong-98 agrees with people here by r = {float(row['value'].sel(basis='systems')):.3f} "
        f"(12 systems; 95 % interval {texts} on these systems, new documents; {new} on new "
        "systems)."
    ]
    for measure in ("SPA", "acc_eq/item"):
        bounds = ss.compare(alone_scores(), measure, random="documents").squeeze()
        limits = f"{float(bounds['lower']):.3f} to {float(bounds['upper']):.3f}"
        told = " ".join(verdict(ss.rank(alone_scores(), measure, resamples=9)))
        assert f"interval {limits} on these systems, new documents). Nothing is known about" in told
    screen = ss.show(ss.rank(alone_scores(), ["SPA", "PA"], resamples=9))
    assert (" by PA = " in screen.answer[1], screen.tables, screen.notes) == (True, [], [])


def test_a_pair_is_told_by_any_measure_and_its_interval_agrees_with_its_test():
    pair = ss.keep_metrics(ss.load_example(), ["strong-95", "good-85"])
    bounds = ss.compare(pair, "SPA", random="documents").squeeze()
    of_pair = {"metric": "strong-95", "other_metric": "good-85"}
    limits = [float(bounds[f"difference_{end}"].sel(of_pair)) for end in ("lower", "upper")]
    [told] = pair_lines(ss.compare_to_baseline(ss.rank(pair, "SPA"), "good-85"))
    assert told.startswith("Yes: strong-95 agrees better with people than good-85 on these systems")
    assert f"(95 % interval {limits[0]:.3f} to {limits[1]:.3f}, p = " in told
    values = "SPA with people: strong-95 0.8856, good-85 0.8002."
    unknown = "Nothing is known about new systems: it takes the option --random systems."
    assert ss.show(ss.rank(pair, "SPA")).answer == [told, values, unknown]


def alone_scores():
    return ss.load_example().sel(metric=["strong-98"])


def test_one_pair_is_answered_in_a_sentence():
    scores = ss.load_example().sel(metric=["strong-95", "weak-40"])
    found = ss.compare_to_baseline(ss.rank(scores, n=50), "weak-40")
    documents, systems = pair_lines(found)
    row = found.sel(basis="systems", metric="strong-95").squeeze()
    by, low, high, p = (float(row[name]) for name in (*rankings.DIFFERENCES, "p_value"))
    told = "Yes: strong-95 agrees better with people than weak-40 on new systems (same segments)"
    assert (
        systems == f"{told}, by {by:.3f} in r (95 % interval {low:.3f} to {high:.3f}, p = {p:.3g})."
    )
    assert "on these systems, new documents, by" in documents
    turned = ss.compare_to_baseline(ss.rank(scores, n=50), "strong-95")
    assert pair_lines(turned) == [documents, systems]


def test_a_constant_metric_cannot_be_compared():
    scores = ss.load_example().sel(metric=["strong-95", "weak-40"])
    scores["score"][1] = 1.0
    with pytest.warns(ss.DegenerateScoreWarning):
        found = ss.compare_to_baseline(ss.rank(scores, n=50), "weak-40")
    assert pair_lines(found) == [
        "strong-95 and weak-40 cannot be compared: weak-40 gives every system the same score, or "
        "lacks scores."
    ]


def test_a_one_sided_pair_keeps_the_signs_of_its_interval():
    scores = ss.load_example().sel(metric=["strong-95", "useless-00"])
    compared = ss.correlations.compare_correlations(
        scores, method="fisher-jackknife", alternative="greater"
    )
    found = ss.compare_to_baseline(ss.rank(compared), "useless-00")
    row = found.sel(basis="systems", metric="strong-95").squeeze()
    assert bool(row["differs"])
    assert float(row["difference_lower"]) < 0
    assert f"interval {float(row['difference_lower']):.3f} to " in pair_lines(found)[0]


def test_a_scope_of_two_words_stays_on_its_line():
    both = ss.rank(ss.load_example(), "PA", random="systems+segments", resamples=99)
    table, told = answer_table(both, most=2)
    assert "alone may be, if systems and segments are independent (no" in table.notes[0]
    assert not any("\n" in line for line in [*told, *table.notes])


def test_a_folded_row_is_ruled_out_in_every_scope():
    few = ranked([1, 0.5, 0.06])
    narrow = few.copy(deep=True).assign_coords(basis=["documents"])
    narrow["p_best"][:] = [1, 0.01, 0.01]
    narrow["may_be_best"][:] = [True, False, False]
    both = xr.concat([few, narrow], "basis", coords="minimal", compat="override")
    none = "could be the best: 0 on new documents"
    assert answer_table(both, most=2)[1] == [f"1 more row ({none}): --all"]
    assert answer_table(narrow, most=2)[1] == ["1 more row ruled out: --all"]
