"""Corpus metrics in Scores: declared, validated, and beside segment-level ones of the same name."""

import numpy as np
import pytest

from supersample import InputError
from supersample.engine.additive import CorpusTER
from supersample.scores.corpus import TER
from supersample.scores.corpus.metrics import with_corpus_metric
from supersample.scores.schema import all_metrics, corpus_metrics, make_scores, validate_scores
from supersample.scores.system_level import corpus_part

SCORES = make_scores(
    [[1.0, 2.0], [3.0, 4.0]],
    [[[1.0, 2.0], [2.0, 1.0]]],
    systems=["A", "B"],
    metrics=["TER"],
    higher_is_better=[False],
    reference=["refA"],
)
VALUES = np.arange(8.0).reshape(2, 2, 2)


def _with(name="TER", values=VALUES, scores=SCORES, reference=""):
    return with_corpus_metric(scores, TER(name=name), values, "by hand", reference)


def test_the_segment_level_metric_gives_way():
    before = SCORES.copy(deep=True)
    scores = _with(reference="refB")
    assert SCORES.identical(before)
    assert list(scores["metric"].values) == ["TER (segment mean)"]
    assert corpus_metrics(scores) == ["TER"]
    everything = all_metrics(scores)
    assert list(everything["metric"].values) == ["TER (segment mean)", "TER"]
    assert list(everything["reference"].values) == ["refA", "refB"]
    assert list(everything["higher_is_better"].values) == [False, False]
    values, finalizer = corpus_part(scores, "TER")
    assert isinstance(finalizer, CorpusTER)
    np.testing.assert_array_equal(values, VALUES)
    assert scores.attrs["corpus"] == "TER(by hand)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: _with(scores=_with()), "two corpus metrics 'TER'"),
        (lambda: _with(name="a/b"), "without slash"),
        (lambda: _with(name=" "), "printable"),
        (lambda: _with(values=VALUES[:1]), r"shape \(1, 2, 2\), not \(2, 2, 2\)"),
        (lambda: _with(values=-VALUES), "system 'A', segment '0', statistic 1"),
        (lambda: _with(values=np.where(VALUES == 7, np.nan, VALUES)), "system 'B', segment '1'"),
        (lambda: _with(values=VALUES.astype(int)), "dtype int64; Scores declare kind 'f'"),
    ],
)
def test_what_does_not_fit_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("attribute", ["finalizer", "options", "signature", "higher_is_better"])
def test_attributes_are_checked(attribute):
    scores = _with()
    del scores["TER_statistics"].attrs[attribute]
    with pytest.raises(InputError, match=f"lacks the attribute '{attribute}'"):
        validate_scores(scores)


def test_one_name_for_two_metrics_is_refused():
    scores = _with().assign_coords(metric=["TER"])
    with pytest.raises(InputError, match=r"call the latter 'TER \(segment mean\)'"):
        validate_scores(scores)
