import numpy as np
import pytest

from supersample import InputError
from supersample.scores.schema import SCORES, make_scores, validate_scores

HUMAN = np.array([[1.0, 2.0, np.nan], [3.0, 5.0, 4.0]])
SCORE = np.array([[[0.1, 0.2, 0.3], [0.4, np.nan, 0.6]]])
INFINITE = [[1.0, -np.inf], [1.0, 2.0]]
NAMES = {"systems": ["A", "B"], "metrics": ["m"]}


def scores(**options):
    return make_scores(HUMAN, SCORE, **{**NAMES, **options})


def test_arrays_and_labels_become_scores():
    made = scores(
        segments=["x", "y", "z"],
        higher_is_better=[False],
        human_count=[[1, 2, 0], [1, 1, 3]],
        document=["d", "d", "e"],
        domain=["news"] * 3,
        reference=["refA"],
        attrs={"source": "here"},
    )
    np.testing.assert_array_equal(made["human"], HUMAN)
    np.testing.assert_array_equal(made["score"], SCORE)
    assert made["score"].dims == ("metric", "system", "segment")
    assert not made["higher_is_better"].item()
    assert list(made["document"].values) == ["d", "d", "e"]
    assert made["reference"].item() == "refA"
    assert made.attrs == {"source": "here"}


def test_segments_are_numbered_and_metrics_higher_is_better_by_default():
    made = scores()
    assert list(made["segment"].values) == ["0", "1", "2"]
    assert made["higher_is_better"].values.all()
    assert made["human"].attrs["higher_is_better"] == 1
    assert scores(human_higher_is_better=False)["human"].attrs["higher_is_better"] == 0


def test_every_variable_carries_its_declaration():
    made = scores(human_count=np.ones((2, 3)), document=["d"] * 3)
    for variable in SCORES:
        if variable.name in made:
            assert made[variable.name].attrs["long_name"] == variable.doc
            assert made[variable.name].attrs["units"] == variable.units


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["A", "A"]}, "the system 'A' occurs more than once"),
        ({"systems": ["A", "B", "C"]}, "scores and labels do not fit together"),
        ({"metrics": []}, "do not fit together"),
        ({"segments": ["x", "y", "x"]}, "the segment 'x' occurs more than once"),
        ({"human_count": [[1, 0, 0], [1, 1, 1]]}, "'human_count' must be a positive number"),
        ({"human_count": [[1, 1, 0], [1, 1, np.inf]]}, "'human_count' must be a positive number"),
        ({"document": ["d"]}, "do not fit together"),
        ({"document": [1, 2, 3]}, r"'document' has dtype int64; Scores declare kind 'UOT'"),
    ],
)
def test_what_does_not_fit_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        scores(**options)


@pytest.mark.parametrize(
    ("human", "score", "message"),
    [
        (INFINITE, np.ones((1, 2, 2)), "in the human scores: system 'A', segment '1'"),
        (np.ones((2, 2)), [INFINITE], "in the metric 'm': system 'A', segment '1'"),
        (np.full((2, 2), np.nan), np.ones((1, 2, 2)), "no number in the human scores"),
        (np.ones((2, 2)), np.full((1, 2, 2), np.nan), "no number in the metric 'm'"),
        (np.ones((2, 1)), np.ones((1, 2, 1)), "at least 2 segments are needed, there are 1"),
        (np.ones(2), np.ones((1, 2, 2)), "do not fit"),
        ([["a", "b"], ["c", "d"]], np.ones((1, 2, 2)), "not numbers"),
        ([[1.0, 2.0], [3.0]], np.ones((1, 2, 2)), "not numbers"),
    ],
)
def test_scores_that_cannot_be_used_are_refused(human, score, message):
    with pytest.raises(InputError, match=message):
        make_scores(human, score, **NAMES)


def broken(change):
    made = scores()
    return {
        "lacks human": lambda: made.drop_vars("human"),
        "lacks labels": lambda: made.drop_vars("segment"),
        "whole numbers": lambda: made.assign(score=made["score"].fillna(0).astype(int)),
        "other dims": lambda: made.assign(human=made["human"].rename(segment="line")),
        "text": lambda: made.assign(higher_is_better=("metric", ["yes"])),
    }[change]()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("lacks human", r"Scores lack 'human' \('system', 'segment'\): mean human score"),
        ("lacks labels", "Scores lack labels for the dimension 'segment'"),
        ("whole numbers", "'score' has dtype int64; Scores declare kind 'f'"),
        ("other dims", "'human' has dimensions"),
        ("text", "'higher_is_better' has dtype"),
    ],
)
def test_a_dataset_that_is_no_scores_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        validate_scores(broken(change))
