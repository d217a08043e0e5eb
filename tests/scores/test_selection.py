import numpy as np
import pytest

from supersample import InputError
from supersample.engine.additive import system_totals
from supersample.scores.schema import make_scores
from supersample.scores.selection import (
    complete_cases,
    keep_metrics,
    keep_systems,
    partly_scored,
    select_segments,
)
from supersample.scores.system_level import prepare_scores

NAN = np.nan


def scores(human):
    human = np.array(human)
    count = human.shape[1]
    return make_scores(
        human, np.arange(2.0 * count).reshape(1, 2, count), systems=["A", "B"], metrics=["m"]
    )


def test_the_common_mask_keeps_what_was_rated_for_every_system():
    selected = select_segments(scores([[1.0, NAN, 3.0, 4.0], [1.0, 2.0, NAN, 4.0]]))
    assert list(selected["segment"].values) == ["0", "3"]
    np.testing.assert_array_equal(selected["score"], [[[0.0, 3.0], [4.0, 7.0]]])
    assert selected.attrs["mask"] == "common 2/4"


def test_all_keeps_every_segment():
    selected = select_segments(scores([[1.0, NAN, 3.0], [1.0, 2.0, NAN]]), "all")
    assert selected.sizes["segment"] == 3
    assert selected.attrs["mask"] == "all 3/3, human 2"


def test_all_leaves_out_a_line_that_marks_test_data():
    marked = scores([[NAN, 2.0, 3.0], [NAN, 1.0, 2.0]])
    marked = marked.assign_coords(document=("segment", ["canary", "a", "a"]))
    selected = select_segments(marked, "all")
    assert selected["document"].values.tolist() == ["a", "a"]
    assert selected.attrs["mask"] == "all 2/3"
    assert select_segments(selected, "all").attrs["mask"] == "all 2/3"


def test_a_mask_of_one_segment_is_refused():
    with pytest.raises(InputError, match="only 1 of 3 segments were rated for every system"):
        select_segments(scores([[1.0, NAN, 3.0], [1.0, 2.0, NAN]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human_mean": "words"}, "human mean"),
        ({"mask": "rated"}, "no mask 'rated'; there are common, complete, all"),
        ({"unit": "document"}, "only one document"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    one = scores([[1.0, 2.0], [1.0, 2.0]]).assign_coords(document=("segment", ["d", "d"]))
    with pytest.raises(InputError, match=message):
        prepare_scores(one, **options)


def test_documents_sum_their_segments():
    two = scores([[1.0, 2.0, 3.0, 4.0], [2.0, NAN, 4.0, 6.0]])
    two = two.assign_coords(document=("segment", list("ddee")))
    of_segments, of_documents = (
        prepare_scores(two, mask="all", unit=unit).statistics for unit in ("segment", "document")
    )
    assert of_documents.values.shape[1] == 2
    np.testing.assert_allclose(
        *(of.finalize(system_totals(of.values)) for of in (of_segments, of_documents))
    )


def test_systems_and_metrics_are_kept_by_name():
    own = scores([[1.0, 2.0], [3.0, 4.0]])
    kept = keep_systems(own, only=["B"])
    assert list(kept["system"].values) == ["B"]
    assert kept.attrs["systems_left_out"] == "A (not asked for)"
    assert list(keep_systems(own, exclude=["B"])["system"].values) == ["A"]
    assert keep_systems(own).sizes["system"] == 2
    for call, message in (
        (lambda: keep_systems(own, only=["C"]), "no system 'C'; there are A, B"),
        (lambda: keep_systems(own, only=["A"], exclude=["A"]), "no system is left"),
        (lambda: keep_metrics(own, ["x"]), "no metric 'x'; there are m"),
        (lambda: keep_metrics(own, ["m", "m"]), "named twice"),
    ):
        with pytest.raises(InputError, match=message):
            call()


def _with_gaps():
    """Two metrics on different segments: of 4, a on 2 (1 of system B), b on the other 2."""
    score = np.arange(16.0).reshape(2, 2, 4)
    score[0, :, 2:] = score[0, 1, 1] = score[1, :, 0] = np.nan
    human = np.arange(8.0).reshape(2, 4)
    return make_scores(human, score, systems=["A", "B"], metrics=["a", "b"])


def test_metrics_scored_on_part_of_the_segments_are_named():
    prepared = prepare_scores(_with_gaps())
    gaps = "a on 1 to 2, b on 3 of 4 segments of a system; 0 segments have every score"
    assert prepared.attrs["partly_scored"] == partly_scored(prepared.scores) == gaps
    [whole] = [prepared.scores.sel(metric=["b"]).isel(segment=[1, 2, 3])]
    assert "partly_scored" not in prepare_scores(whole).attrs


def test_the_mask_of_complete_cases_keeps_what_every_metric_scored():
    scores = _with_gaps().isel(segment=[1, 2, 3, 3, 1]).assign_coords(segment=list("abcde"))
    scores["score"][0] = [[1, 2, 3, np.nan, 5], [5, 4, 3, 2, 1]]
    selected = select_segments(scores, "complete")
    assert selected["segment"].values.tolist() == ["a", "b", "c", "e"]
    assert selected.attrs["mask"] == "complete 4/5"
    assert "partly_scored" not in prepare_scores(scores, mask="complete").attrs
    again = select_segments(selected, "complete")
    assert again.attrs["mask"] == "complete 4/5"
    assert complete_cases(scores, "complete").attrs["mask"] == "complete 4/5"
    with pytest.raises(InputError, match="fewer than two segments have the scores of every metric"):
        select_segments(_with_gaps(), "complete")
