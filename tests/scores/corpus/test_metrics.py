"""Specifications of metrics, and their statistics as sacrebleu counts them."""

import numpy as np
import pytest

from supersample.engine.corpus_finalizers import corpus_finalizer
from supersample.errors import InputError
from supersample.scores.corpus.metrics import (
    BLEU,
    TER,
    ChrF,
    SegmentStatistics,
    metric_signature,
    parse_text_metric,
)

sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")

REFERENCES = [["the cat sat on a mat .", "yes !", ""], ["a cat sat there .", "no", "so"]]
OUTPUTS = [["the cat sat there .", "Yes !", "so"], ["a mat on a cat", "", "well , so"]]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bleu", BLEU()),
        ("BLEU:tokenizer=char, lowercase=yes", BLEU(tokenizer="char", lowercase=True)),
        (
            "bleu:max-order=2,smoothing=floor,smoothing_value=0.5",
            BLEU(2, "13a", False, "floor", 0.5),
        ),
        ("bleu:name=sentence,effective_order=true", BLEU(effective_order=True, name="sentence")),
        ("chrf:beta=3", ChrF(beta=3)),
        ("chrf++", ChrF(word_order=2)),
        ("chrf++:char_order=4", ChrF(char_order=4, word_order=2)),
        ("ter:case_sensitive=no,normalized=1", TER(normalized=True)),
    ],
)
def test_metrics_in_words(spec, expected):
    assert parse_text_metric(spec) == expected


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("meteor", "no corpus metric 'meteor'; there are bleu, chrf"),
        ("bleu:order=2", "bleu takes no option 'order=2'; options are max_order, tokenizer"),
        ("bleu:lowercase", "takes no option 'lowercase'"),
        ("bleu:lowercase=perhaps", "bleu:lowercase is yes or no, not 'perhaps'"),
        ("bleu:max_order=four", "bleu:max_order is a number, not 'four'"),
    ],
)
def test_bad_specifications_are_named(spec, message):
    with pytest.raises(InputError, match=message):
        parse_text_metric(spec)


def test_labels_of_chrf():
    assert [ChrF(word_order=n).label for n in (0, 1, 2)] == ["chrF", "chrF+", "chrF++"]
    assert ChrF(name="mine").label == "mine"


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (BLEU(), sacrebleu.metrics.BLEU()),
        (
            BLEU(3, "char", True, "floor", 0.2, True),
            sacrebleu.metrics.BLEU(True, False, "char", "floor", 0.2, 3, True),
        ),
        (ChrF(), sacrebleu.metrics.CHRF()),
        (ChrF(4, 2, 3, True, True), sacrebleu.metrics.CHRF(4, 2, 3, True, True)),
        (ChrF(smoothing="epsilon"), sacrebleu.metrics.CHRF(eps_smoothing=True)),
        (TER(), sacrebleu.metrics.TER()),
        (TER(True, True, True, True), sacrebleu.metrics.TER(True, True, True, True)),
    ],
)
@pytest.mark.parametrize("references", [REFERENCES[:1], REFERENCES])
def test_every_option_reaches_sacrebleu(metric, score, references):
    rows = SegmentStatistics(metric, OUTPUTS, references)(0, 3)
    parts = np.concatenate(
        [SegmentStatistics(metric, OUTPUTS, references)(i, i + 1) for i in range(3)]
    )
    np.testing.assert_array_equal(rows, parts)
    totals = rows.reshape(3, 2, len(metric.columns)).sum(axis=0)
    ours = corpus_finalizer(metric.finalizer, metric.options)(totals)
    theirs = [score.corpus_score(output, references).score for output in OUTPUTS]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    said = metric_signature(metric, references)
    assert said.endswith(str(score.get_signature()).replace("|", ","))


def test_signatures_say_what_sacrebleus_leaves_out():
    assert metric_signature(BLEU(max_order=3), REFERENCES).startswith("order:3,nrefs:2,")
    assert metric_signature(ChrF(beta=3), REFERENCES).startswith("beta:3,nrefs:2,")


def test_unknown_tokenizer():
    with pytest.raises(InputError, match="no tokenizer 'thirteen'; there are none, zh, 13a"):
        metric_signature(BLEU(tokenizer="thirteen"), REFERENCES)


def test_a_missing_extra_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(InputError, match=r"pip install 'supersample\[text\]'"):
        metric_signature(BLEU(), REFERENCES)


def test_a_tokenizer_that_lacks_its_package_says_so(monkeypatch):
    def lacking(*_, **__):
        raise RuntimeError("\nInstall like so.\n\n    pip install sacrebleu[ja]\n")

    monkeypatch.setattr(sacrebleu.metrics, "BLEU", lacking)
    lacking.TOKENIZERS = ["13a"]
    with pytest.raises(InputError, match=r"^BLEU: Install like so. pip install sacrebleu\[ja\]$"):
        metric_signature(BLEU(), REFERENCES)


@pytest.mark.parametrize("kind", [ImportError, OSError])
def test_a_tokenizer_that_lacks_its_library_or_model_says_so(monkeypatch, kind):
    def lacking(*_, **__):
        raise kind("\n\nPlease install\n\n  pip install sentencepiece ")

    monkeypatch.setattr(sacrebleu.metrics, "BLEU", lacking)
    lacking.TOKENIZERS = ["13a"]
    with pytest.raises(InputError, match=r"^BLEU: Please install pip install sentencepiece$"):
        metric_signature(BLEU(), REFERENCES)
