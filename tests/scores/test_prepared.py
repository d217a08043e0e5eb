"""Prepared Scores: one validation, one mask, statistics by unit, orientation."""

import numpy as np
import pytest

import supersample as ss
from supersample.engine.additive import system_totals
from supersample.scores.system_level import prepare_scores

HUMAN = np.array([[1.0, 2.0, 3.0, 4.0], [2.0, np.nan, 4.0, 6.0]])
SCORE = np.array([[[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, np.nan]]])
SCORES = ss.make_scores(
    HUMAN,
    SCORE,
    systems=["A", "B"],
    metrics=["error"],
    higher_is_better=[False],
    human_count=[[1, 1, 2, 1], [1, 1, 1, 3]],
    document=["d", "d", "e", "e"],
)


def _systems(prepared):
    return prepared.statistics.finalize(system_totals(prepared.statistics.values))


def test_documents_sum_their_segments():
    by_segment = prepare_scores(SCORES, mask="all")
    by_document = prepare_scores(SCORES, mask="all", unit="document")
    assert by_document.statistics.values.shape[1] == 2
    np.testing.assert_allclose(_systems(by_document), _systems(by_segment))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human_mean": "words"}, "human mean"),
        ({"mask": "none"}, "no mask 'none'; there are"),
        ({"unit": "document"}, "only one document"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    scores = SCORES.assign_coords(document=("segment", ["d"] * 4))
    with pytest.raises(ss.InputError, match=message):
        prepare_scores(scores, **options)
