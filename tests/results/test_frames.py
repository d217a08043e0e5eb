import numpy as np
import pytest

import supersample as ss

EXAMPLE = ss.load_example()
COMPARED = ss.compare_over_systems(EXAMPLE)


def test_a_ranking_is_a_row_a_metric():
    ranking = ss.rank(EXAMPLE, n=60)
    frame = ss.to_frame(ranking)
    assert frame["metric"].tolist() == ranking["metric"].values.tolist()
    for basis in ("hybrids", "systems"):
        np.testing.assert_array_equal(frame[f"value_{basis}"], ranking["value"].sel(basis=basis))
    np.testing.assert_array_equal(frame["p_best_systems"], ranking["p_best"].sel(basis="systems"))
    assert frame["value_systems"].dtype == np.float64


def test_comparisons_are_a_row_a_pair():
    frame = ss.to_frame(COMPARED)
    assert len(frame) == 28
    row = frame.iloc[3]
    own = COMPARED.sel(basis="systems", metric=row["metric"], other_metric=row["other_metric"])
    for name in ("difference", "p_value", "p_simultaneous"):
        assert row[name] == float(own[name])


def test_groups_accuracies_and_baselines_have_frames():
    groups = ss.compare_over_groups({"x": EXAMPLE, "y": EXAMPLE}, n=None)
    assert len(ss.to_frame(ss.rank(groups))) == 3 * 8
    assert len(ss.to_frame(groups)) == 3 * 28
    accuracies = ss.compare(EXAMPLE, ["SPA", "PA"], resamples=9)
    assert len(ss.to_frame(ss.rank(accuracies))) == 8
    assert len(ss.to_frame(accuracies)) == 2 * 28
    assert len(ss.to_frame(ss.compare_to_baseline(groups, "good-90"))) == 3 * 7


def test_segments_have_frames():
    agreement = ss.compare(EXAMPLE, "pdp", resamples=3)
    ranked = ss.to_frame(ss.rank(agreement))
    assert list(ranked["value_pdp/item"]) == sorted(ranked["value_pdp/item"])[::-1]
    assert len(ss.to_frame(agreement)) == 28
    assert r"\label{tab:pdp}" in ss.to_latex(ss.rank(agreement), "pdp")


def test_tables_for_papers():
    ranked = ss.rank(COMPARED)
    for result in (ranked, ss.compare_to_baseline(ranked, "good-90")):
        text = ss.to_latex(result, "mine")
        assert text.count(r" \\") == 9 - (result is not ranked)
        assert r"\label{tab:mine}" in text
        after = text.partition("\\end{table*}\n")[2].splitlines()
        assert after[-1].startswith("% Signature: ")
        assert all(line.startswith("% ") for line in after)
    accuracies = ss.rank(ss.compare(EXAMPLE, ["SPA", "PA"], resamples=9))
    assert "best by SPA?" in ss.to_latex(accuracies)
    assert ss.to_latex(COMPARED) == ss.to_latex(ranked)


def test_other_results_are_refused():
    with pytest.raises(ss.InputError, match="expected what rank"):
        ss.to_frame(EXAMPLE)
