import numpy as np
import pytest

import supersample as ss
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation import rankings
from supersample.results.outputs import Figures, results_of, write_results
from tests.predictions import EVALUATION

EXAMPLE = ss.load_example()
COMPARED = ss.correlations.compare_correlations(EXAMPLE, method="fisher-jackknife")


def test_a_ranking_is_a_row_a_metric():
    ranking = ss.rank(EXAMPLE, n=60)
    frame = ss.to_frame(ranking)
    assert frame["metric"].tolist() == ranking["metric"].values.tolist()
    for basis in ("hybrids", "systems"):
        np.testing.assert_array_equal(
            frame[f"value_{basis}"], ranking["value"].sel(basis=basis).squeeze()
        )
    np.testing.assert_array_equal(
        frame["p_best_systems"], ranking["p_best"].sel(basis="systems").squeeze()
    )
    assert frame["value_systems"].dtype == np.float64


def test_comparisons_are_a_row_a_pair():
    frame = ss.to_frame(COMPARED)
    assert len(frame) == 28
    row = frame.iloc[3]
    own = COMPARED.sel(basis="systems", metric=row["metric"], other_metric=row["other_metric"])
    for name in ("difference", "p_value", "p_simultaneous"):
        assert row[name] == own[name].item()


def test_groups_accuracies_and_baselines_have_frames():
    groups = compare_over_groups({"x": EXAMPLE, "y": EXAMPLE}, n=None)
    assert len(ss.to_frame(ss.rank(groups))) == 3 * 8
    assert len(ss.to_frame(groups)) == 3 * 28
    accuracies = ss.compare(EXAMPLE, ["SPA", "PA"], resamples=9)
    assert len(ss.to_frame(ss.rank(accuracies))) == 8
    assert len(ss.to_frame(accuracies)) == 2 * 28
    assert len(ss.to_frame(ss.compare_to_baseline(groups, "good-90"))) == 3 * 7


def test_tables_for_papers():
    ranked = ss.rank(COMPARED)
    for result in (ranked, ss.compare_to_baseline(ranked, "good-90")):
        text = ss.to_latex(result, "mine")
        assert text.count(r" \\") == 9 - (result is not ranked)
        assert r"\label{tab:mine}" in text
        after = text.partition("\\end{table*}\n")[2].splitlines()
        assert after[-1] == f"% Signature: {ranked.attrs['signature']}"
        assert all(line.startswith("% ") for line in after)
    assert ss.to_latex(COMPARED) == ss.to_latex(ranked)


GROUPS = {"x": EXAMPLE, "y": EXAMPLE.isel(system=slice(10))}
UNRANKED = {
    "hybrids": lambda: ss.correlations.compare_correlations(ss.hybrid_supersample(EXAMPLE, n=60)),
    "groups": lambda: compare_over_groups(GROUPS, n=None),
    "bootstrap": lambda: ss.compare(EXAMPLE, "kendall", random="systems", resamples=30),
    "accuracies": lambda: ss.compare(GROUPS, ["SPA", "PA"], resamples=9),
    "segments": lambda: ss.compare(EXAMPLE, ["pdp", "acc_eq"], resamples=3),
    "segments' bootstrap": lambda: ss.compare(EXAMPLE, "pdp", random="segments", resamples=19),
}


@pytest.mark.parametrize("name", UNRANKED)
def test_a_comparison_prints_before_it_is_ranked(name, tmp_path):
    compared = UNRANKED[name]()
    ranked = ss.rank(compared)
    pairs = 28 * compared["difference"].size // 64
    assert len(ss.to_frame(compared)) == len(rankings.comparisons_table(ranked).rows) == pairs
    assert ss.to_latex(compared) == ss.to_latex(ranked)
    assert str(ss.show(compared)) == str(ss.show(ranked))
    page = ss.write_report(compared, tmp_path / "one.html").read_text()
    assert page == ss.write_report(ranked, tmp_path / "two.html").read_text()
    written = write_results(tmp_path / "out", results_of(compared), figures=Figures("none"))
    assert {"ranking.csv", "ranking.tex", "comparisons.csv"} < set(written)


@pytest.mark.parametrize(
    ("name", "at", "told"),
    [
        ("hybrids", {"basis": "systems"}, "here (r = "),
        ("groups", {"group": "y", "basis": "systems"}, "here (r = "),
        (
            "groups",
            {"group": "average", "basis": "systems"},
            "on average over sets (r = ",
        ),
        ("accuracies", {"measure": "PA", "group": "x"}, "here (PA = "),
    ],
)
def test_a_part_of_a_ranking_prints_too(name, at, told, tmp_path):
    part = ss.rank(UNRANKED[name]()).sel(at)
    assert len(ss.to_frame(part)) == 8
    assert ss.to_latex(part).count(r" \\") == 9
    assert told in str(ss.show(part))
    assert told in ss.write_report(part, tmp_path / "p.html").read_text()


def test_a_notebook_shows_the_table_and_what_it_sums_up_to():
    names = ["<b>", *COMPARED["metric"].values[1:]]
    ranking = ss.rank(COMPARED.assign_coords(metric=names, other_metric=names))
    shown = ss.show(COMPARED)
    first = ss.rank(COMPARED)["metric"].values[0]
    assert f"| {first} " in str(shown)
    assert "new systems, same segments  the best is one of 6 of 8 metrics" in str(shown)
    assert shown._repr_html_().count("<tr>") == 1 + 8
    assert "&lt;b&gt;" in ss.show(ranking)._repr_html_()
    against = ss.compare_to_baseline(COMPARED, "good-90")
    assert "differ from " in str(ss.show(against))
    assert "judged by HTER" in str(ss.show(EVALUATION))
    assert "judged by HTER" in ss.to_latex(EVALUATION)
    for refuse in (ss.show, ss.to_latex):
        with pytest.raises(ss.InputError, match="this is no result; expected"):
            refuse(EXAMPLE)
    with pytest.raises(ss.InputError, match="or a comparison"):
        ss.write_report(EVALUATION, "never.html")


def test_other_results_are_refused():
    with pytest.raises(ss.InputError, match="this is no result; expected"):
        ss.to_frame(EXAMPLE)
