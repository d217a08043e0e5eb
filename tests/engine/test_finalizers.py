"""Finalizers against sacrebleu's own corpus scores, on small corpora of every shape."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from supersample import InputError
from supersample.engine.additive import (
    CorpusBLEU,
    CorpusChrF,
    CorpusTER,
)

sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")
BLEU, CHRF, TER = sacrebleu.metrics.BLEU, sacrebleu.metrics.CHRF, sacrebleu.metrics.TER

# few words and letters, so that some n-grams match and some do not, and empty lines
LINES = st.lists(st.sampled_from(["a", "b", "ab", "Ba", ".", "(b)"]), max_size=7).map(" ".join)


@st.composite
def corpora(draw, references=None):
    segments = draw(st.integers(1, 4))
    number = draw(st.integers(1, 3)) if references is None else references
    lines = st.lists(LINES, min_size=segments, max_size=segments)
    return draw(lines), [draw(lines) for _ in range(number)]


def _totals(metric, corpus):
    statistics = metric._extract_corpus_statistics(*corpus)
    return np.array(statistics, dtype=np.float64).sum(axis=0)


def _agree(finalizer, metric, corpus):
    hypotheses, references = corpus
    expected = metric.corpus_score(hypotheses, references).score
    totals = _totals(metric, corpus)
    before = totals.copy()
    np.testing.assert_allclose(finalizer(totals), expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(totals, before)


@given(
    corpus=corpora(),
    order=st.integers(1, 5),
)
def test_bleu_is_sacrebleus(corpus, order):
    _agree(CorpusBLEU(order), BLEU(max_ngram_order=order, force=True), corpus)


@given(
    corpus=corpora(),
    char_order=st.integers(1, 6),
    word_order=st.integers(0, 2),
    beta=st.integers(1, 3),
)
def test_chrf_is_sacrebleus(corpus, char_order, word_order, beta):
    _agree(CorpusChrF(char_order, word_order, beta), CHRF(char_order, word_order, beta), corpus)


@given(corpus=corpora())
def test_ter_is_sacrebleus(corpus):
    _agree(CorpusTER(), TER(), corpus)


CORNERS = {
    "no match": (["a b c d"], [["x y z w"]]),
    "empty hypothesis": ([""], [["a b"]]),
    "empty reference": (["a b"], [[""]]),
    "length 0": (["", ""], [["", ""]]),
    "one short line": (["a b"], [["a b"]]),
    "no bigram": (["a", "b"], [["a", "x"]]),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_corners_are_sacrebleus(corner):
    corpus = CORNERS[corner]
    _agree(CorpusBLEU(), BLEU(), corpus)
    _agree(CorpusChrF(), CHRF(), corpus)
    _agree(CorpusChrF(word_order=2), CHRF(word_order=2), corpus)
    _agree(CorpusTER(), TER(), corpus)


@pytest.mark.parametrize(
    "finalizer",
    [
        CorpusBLEU(),
        CorpusBLEU(2),
        CorpusChrF(word_order=2),
        CorpusTER(),
    ],
)
def test_leading_axes_go_one_by_one_and_fractions_count(finalizer):
    rng = np.random.default_rng(0)
    totals = rng.uniform(0, 9, (4, 3, finalizer.width)) * (rng.random((4, 3, 1)) < 0.8)
    totals[..., 2::3] *= rng.random((4, 3, 1)) < 0.7
    scores = finalizer(totals)
    assert scores.shape == (4, 3)
    each = [[finalizer(totals[i, j]) for j in range(3)] for i in range(4)]
    np.testing.assert_array_equal(scores, each)
    assert (finalizer(totals + 0.25) != finalizer(totals)).any()
    many = np.tile(totals, (150, 1, 1))  # more than a compiled loop takes at once
    np.testing.assert_array_equal(finalizer(many), np.tile(scores, (150, 1)))
    statistics_first = np.moveaxis(np.ascontiguousarray(np.moveaxis(totals, -1, 0)), 0, -1)
    np.testing.assert_array_equal(finalizer(statistics_first), scores)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CorpusBLEU(max_order=0), "max_order is 1 to 100, not 0"),
        (lambda: CorpusBLEU(max_order=4.0), "max_order is 1 to 100, not 4.0"),
        (lambda: CorpusChrF(char_order=0), "char_order is 1 to 100, not 0"),
        (lambda: CorpusChrF(word_order=-1), "word_order is 0 to 100, not -1"),
    ],
)
def test_bad_options_are_named(make, message):
    with pytest.raises(InputError, match=message):
        make()
