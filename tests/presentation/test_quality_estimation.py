"""Tables of predictions: every number where it belongs, and what a reader must know."""

import csv
import io

import supersample as ss
from supersample.presentation import answer as sentences
from supersample.presentation import notes, rankings
from supersample.presentation import studies as tables
from supersample.presentation.table import to_csv
from tests.predictions import DATA, EVALUATION, GOLD, STUDY, best_first, predictions_of


def test_systems_stand_best_first_with_what_they_were_trained_on():
    rows = list(csv.DictReader(io.StringIO(to_csv(rankings.plain_ranking_table(EVALUATION)))))
    assert [row["gold"] for row in rows] == ["HTER"] * 5 + ["PET"] * 5
    for gold in ("HTER", "PET"):
        own = [row for row in rows if row["gold"] == gold]
        assert [row["system"] for row in own] == best_first(gold)
        assert {row["trained_on"] for row in own} == {row["predicts"] for row in own} == {"HTER"}
        assert all((row["mae"] == "") == (gold == "PET") for row in own)


def test_the_printed_table_says_what_a_reader_must_know():
    table = rankings.evaluation_table(EVALUATION, "HTER")
    assert table.cells()[0][:4] == [
        "1",
        "a-long-name-of-a-system-0",
        "HTER",
        "1.000 [1.000, 1.000]",
    ]
    assert "judged by HTER over 60 segments, Pearson's r with 95 % intervals (Fisher)" in (
        table.caption
    )
    assert notes.UNITS_NOTE in table.notes
    assert (
        "a-long-name-of-a-system-0 has r = 1 with HTER: its predictions differ from it only in "
        "location and scale, MAE 1.000."
    ) in table.notes
    assert "trained on" not in [
        column.title
        for column in rankings.evaluation_table(
            ss.quality_estimation.evaluate_predictions(predictions_of(trained=False)), "PET"
        ).columns
    ]


def test_opposite_and_few_are_said():
    data = ss.make_predictions([-GOLD[0, :3]], GOLD[:1, :3], systems=["a"], gold=["HTER"])
    told = notes.notes_of(ss.quality_estimation.evaluate_predictions(data))
    assert any("a has r = -1 with HTER" in note and "a negative scale" in note for note in told)
    assert "No interval or test with HTER: at least 4 segments are needed, there are 3." in told


def test_rescaling_shows_errors_and_that_r_stays():
    table = tables.rescaling_table(STUDY)
    rows = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert [row["system"] for row in rows[:5]] == best_first("HTER")
    for row in rows[:5]:
        own = STUDY.sel(gold="HTER", system=row["system"])
        assert float(row["mae_to_gold"]) == own["mae"].sel(rescaling="to gold").item()
        assert float(row["rmse_to_own"]) == own["rmse"].sel(rescaling="to own").item()
        assert float(row["change_of_r"]) == 0
    assert "0.5 of their standard deviation" in table.notes[0]


def test_lines_count_wins_and_segments():
    wins = int(EVALUATION["wins_over"].sel(gold="HTER").sum())
    assert sentences.counts_of(EVALUATION)[0] == (
        f"HTER: {wins} of 10 pairs differ significantly, unadjusted "
        "(williams1959, one-sided for the better of a pair, p ≤ 0.05)"
    )
    assert tables.source_line(DATA, EVALUATION) == (
        "predictions: 5 systems, 60 segments; judged by HTER 60/60, PET 60/60"
    )
