"""Specifications of metrics, and their statistics as sacrebleu counts them."""

from dataclasses import dataclass

import numpy as np
import pytest

import supersample as ss
from supersample import InputError
from supersample.cli import main
from supersample.scores.corpus import BLEU, TER, ChrF
from supersample.scores.corpus.metrics import (
    _METRICS,
    SegmentStatistics,
    TextMetric,
    corpus_finalizer,
    parse_text_metric,
    register_corpus_metric,
)

sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'text' is not installed")

REFERENCES = [["the cat sat on a mat .", "yes !", ""], ["a cat sat there .", "no", "so"]]
OUTPUTS = [["the cat sat there .", "Yes !", "so"], ["a mat on a cat", "", "well , so"]]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bleu", BLEU()),
        ("BLEU:tokenizer=char, lowercase=yes", BLEU(tokenizer="char", lowercase=True)),
        ("bleu:max_order=2,name=two", BLEU(2, name="two")),
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
        ("bleu:order=2", "bleu has no option 'order'; options are max_order, tokenizer"),
        ("bleu:lowercase", "no corpus metric 'bleu:lowercase'; there are bleu, chrf"),
        ("bleu:lowercase=perhaps", "bleu:lowercase must be yes or no, not 'perhaps'"),
        ("bleu:max_order=four", "bleu:max_order must be a number, not 'four'"),
    ],
)
def test_bad_specifications_are_named(spec, message):
    with pytest.raises(InputError, match=message):
        parse_text_metric(spec)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("METEOR", {}, "there are BLEU, chrF, TER"),
        ("TER", {"beta": 2}, "TER does not take {'beta': 2}"),
    ],
)
def test_unknown_finalizers_and_options_are_named(name, options, message):
    with pytest.raises(InputError, match=message):
        corpus_finalizer(name, options)


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (BLEU(), sacrebleu.metrics.BLEU()),
        (BLEU(3, "char", True), sacrebleu.metrics.BLEU(True, False, "char", max_ngram_order=3)),
        (ChrF(), sacrebleu.metrics.CHRF()),
        (ChrF(4, 2, 3, True, True), sacrebleu.metrics.CHRF(4, 2, 3, True, True)),
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
    totals = rows.reshape(3, 2, -1).sum(axis=0)
    ours = corpus_finalizer(metric.finalizer, metric.options)(totals)
    theirs = [score.corpus_score(output, references).score for output in OUTPUTS]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    said = metric.signature(references)
    assert said.endswith(str(score.get_signature()).replace("|", ","))


def test_a_missing_extra_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    with pytest.raises(InputError, match=r"pip install 'supersample\[text\]'"):
        BLEU().signature(REFERENCES)


def test_a_tokenizer_that_lacks_its_package_says_so(monkeypatch):
    def lacking(*_, **__):
        raise RuntimeError("\nInstall like so.\n\n    pip install sacrebleu[ja]\n")

    monkeypatch.setattr(sacrebleu.metrics, "BLEU", lacking)
    lacking.TOKENIZERS = ["13a"]
    with pytest.raises(InputError, match=r"^BLEU: Install like so. pip install sacrebleu\[ja\]$"):
        BLEU().signature(REFERENCES)


@pytest.mark.parametrize("kind", [ImportError, OSError])
def test_a_tokenizer_that_lacks_its_library_or_model_says_so(monkeypatch, kind):
    def lacking(*_, **__):
        raise kind("\n\nPlease install\n\n  pip install sentencepiece ")

    monkeypatch.setattr(sacrebleu.metrics, "BLEU", lacking)
    lacking.TOKENIZERS = ["13a"]
    with pytest.raises(InputError, match=r"^BLEU: Please install pip install sentencepiece$"):
        BLEU().signature(REFERENCES)


@dataclass(frozen=True)
class ExactMatches(TextMetric):
    """Share of segments that equal a reference: a metric of another package."""

    ignore_case: bool = False
    name: str = "exact"

    finalizer = "share"
    seconds_a_segment = 1e-6

    def signature(self, references):
        return f"nrefs:{len(references)},ignore_case:{self.ignore_case}"

    def counter(self, references):
        fold = str.casefold if self.ignore_case else str

        def count(hypothesis):
            translations = zip(hypothesis, *references, strict=True)
            return [(fold(text) in map(fold, given), 1) for text, *given in translations]

        return count


class Share:
    width = 2

    def __call__(self, totals):
        return totals[..., 0] / totals[..., 1]


@pytest.fixture
def exact():
    register_corpus_metric("exact", ExactMatches, Share)
    yield
    del _METRICS["exact"]


def test_a_metric_of_another_package_is_added_and_ranked(exact):
    same = ["a", "B", "c", "d", "e", "f"]
    outputs = {f"s{i}": [*same[:i], *"xxxxxx"[i:]] for i in range(2, 6)}
    human = [[float(i + j % 2) for j in range(6)] for i in range(4)]
    scores = ss.make_scores(human, np.empty((0, 4, 6)), systems=list(outputs), metrics=[])
    texts = ss.corpus.Texts(outputs, [[*"abcdef"]])
    asked = ["exact", "exact:ignore_case=yes,name=folded"]
    scored = ss.corpus.add_corpus_metrics(scores, texts, asked)
    assert scored.attrs["corpus"].startswith("exact(nrefs:1,ignore_case:False); folded(")
    systems = ss.system_level_scores(scored)["system_score"]
    np.testing.assert_allclose(systems.sel(metric="folded"), np.arange(2, 6) / 6)
    sample = ss.hybrid_supersample(scored, n=20, seed=0)
    ranking = ss.rank(ss.correlations.compare_correlations(sample))
    assert set(ranking["metric"].values) == {"exact", "folded"}


def test_the_command_line_takes_a_metric_of_another_package(exact, capsys, tmp_path):
    example = ss.load_example()
    options = []
    for i, name in enumerate(map(str, example["system"].values)):
        lines = ["same" if j % (i + 2) else "other" for j in range(example.sizes["segment"])]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
        options += ["--hypotheses", f"{name}={tmp_path / name}"]
    (tmp_path / "ref").write_text("same\n" * example.sizes["segment"])
    options += ["--references", tmp_path / "ref"]
    with pytest.raises(SystemExit) as end:
        main(
            [
                "inspect",
                "example",
                "--corpus-metric",
                "exact:name=mine",
                *map(str, options),
                "--all",
            ]
        )
    printed = capsys.readouterr()
    assert not end.value.code, printed.err
    assert "mine" in printed.out
