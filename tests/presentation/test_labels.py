"""Labels of metrics and lines on the source of a ranking."""

import supersample as ss
from supersample.comparisons.scopes import compare_over_groups
from supersample.presentation.labels import (
    legend,
    marked_labels,
    segments_of,
    source_lines,
    without_marks,
)
from supersample.presentation.rankings import ranking_table
from tests.rankings import sample_and_ranking, scores_of

_, RANKING = sample_and_ranking(["a", "b", "c"], lower_is_better=("b",))


def test_the_source_is_said_with_what_was_left_out():
    lines = source_lines(
        RANKING.assign_attrs(
            source="wmt99 en-de", human="mqm", systems_left_out="refA", metrics_left_out=""
        )
    )
    assert lines == [
        "wmt99 en-de: 8 systems, 3 metrics, human scores 'mqm', "
        "40 of 40 segments (those rated for every system)",
        "systems left out: refA",
    ]


def test_segments_without_every_score_are_counted():
    assert segments_of("common 8/9, complete 7").endswith("system and scored by every metric)")
    assert segments_of("all 9/9, 17 of 18 rated") == "9 of 9 segments, 17 of 18 rated"


def test_groups_name_the_systems_of_each():
    parts = {"x": scores_of(["a", "b"]), "y": scores_of(["a", "b"], systems=6)}
    ranking = ss.rank(compare_over_groups(parts, n=None))
    assert source_lines(ranking)[0].endswith("; systems: x 8, y 6")


def test_notes_on_the_input_are_lines():
    noted = RANKING.assign_attrs(
        segment_order="of documents",
        names_matched="A = a",
        ratings_used=12,
        assessors_dropped="p1",
        added_notes="mine: x.csv\nyours: y.csv",
    )
    assert source_lines(noted)[1:] == [
        "order of the segments: of documents",
        "names matched between files: A = a",
        "human scores: means of 12 ratings",
        "assessors dropped by quality control: p1",
        "added mine: x.csv",
        "added yours: y.csv",
    ]


def test_marks_are_explained_and_can_be_removed():
    added = RANKING.assign_attrs(added_metrics="c")
    assert sorted(marked_labels(added)) == ["a", "b ↓", "c ◀"]
    assert [note.partition(":")[0] for note in legend(added)] == [
        "NAME ↓",
        "◀ was added to the metrics of the source.",
    ]
    assert legend(RANKING.drop_sel(metric="b")) == []
    plain = without_marks(ranking_table(added))
    assert {row[0] for row in plain.rows} == {"a", "b ↓", "c"}
