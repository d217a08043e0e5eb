"""Corpus metrics of texts: what a metric is, the registry of metrics, and adding them to Scores.

A metric is a frozen dataclass of options (see `TextMetric`) with a finalizer, a function of summed
statistics. `register_corpus_metric` gives both a name. BLEU, chrF and TER are registered here;
sacrebleu counts their statistics.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.engine.additive import CorpusBLEU, CorpusChrF, CorpusTER, Finalizer
from supersample.errors import (
    InputError,
    check_choice,
    check_names,
    listed,
    options_of,
    quoted,
    shortened,
)
from supersample.execution.workers import AnyWorkers, compute_rows
from supersample.scores.alignment import lines_of_segments
from supersample.scores.schema import (
    SEGMENT_MEAN,
    SUFFIX,
    corpus_metrics,
    statistics_variable,
    validate_corpus_statistics,
    validate_start,
)

SWITCHES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}

INSTALL = "corpus metrics of texts need sacrebleu: pip install 'supersample[text]'"


class TextMetric(ABC):
    """A metric whose corpus score is a function of summed per-segment statistics.

    Attributes
    ----------
    finalizer
        Name of the finalizer, which is also that of the metric unless it has a `name`.
    finalizer_options
        Names of the options that the finalizer takes.
    higher_is_better
        Declared orientation.
    seconds_a_segment
        About how long counting takes; long counts are worth processes.
    """

    finalizer: ClassVar[str]
    finalizer_options: ClassVar[tuple[str, ...]] = ()
    higher_is_better: ClassVar[bool] = True
    seconds_a_segment: ClassVar[float]
    name: str | None

    @property
    def label(self) -> str:
        """Name in results."""
        return self.name or self.finalizer

    @property
    def options(self) -> dict[str, object]:
        """Options of the finalizer."""
        return {name: getattr(self, name) for name in self.finalizer_options}

    @abstractmethod
    def signature(self, references: Sequence[Sequence[str]]) -> str:
        """Options and versions that the statistics depend on."""

    @abstractmethod
    def counter(self, references: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], Any]:
        """Make the function that counts the statistics of a system's texts.

        It takes one text for each segment, as many as each reference has, and returns an array
        (segments, width of the finalizer) of finite numbers of at least 0.
        """


class SacrebleuMetric(TextMetric):
    """A corpus metric whose statistics sacrebleu counts, in its class of the finalizer's name."""

    unsigned: ClassVar[Mapping[str, str]] = {}
    """Options that sacrebleu's signature leaves out, and their names there."""

    @property
    def arguments(self) -> dict[str, Any]:
        """All options, by sacrebleu's names."""
        return {name: value for name, value in vars(self).items() if name != "name"}

    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's metric with these options and references."""
        metric = getattr(import_metrics(), self.finalizer.upper())
        return metric(**self.arguments, references=references)

    def counter(self, references: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], Any]:
        """Make the function that counts the statistics of a system's texts."""
        metric = self.sacrebleu(references)
        # None, because the metric has the references
        return lambda hypothesis: metric._extract_corpus_statistics(hypothesis, None)

    def signature(self, references: Sequence[Sequence[str]]) -> str:
        """Sacrebleu's signature with these references, options joined by commas."""
        first = [lines[:1] for lines in references]
        try:
            signed = str(self.sacrebleu(first).get_signature())
        # some tokenizers need a package that is not installed, or a model that they fetch
        except (RuntimeError, ImportError, OSError) as error:
            raise InputError(f"{self.label}: {' '.join(str(error).split())}") from error
        more = [
            f"{name}:{getattr(self, option)}"
            for option, name in self.unsigned.items()
            if getattr(self, option) != getattr(type(self), option)
        ]
        return ",".join([*more, *signed.split("|")])


@dataclass(frozen=True)
class BLEU(SacrebleuMetric):
    """Corpus BLEU (Papineni et al. 2002).

    Parameters
    ----------
    max_order : int, default 4
        Length of the longest n-grams.
    tokenizer : str, default "13a"
        A tokenizer of sacrebleu: 13a, intl, zh, char, none, ...
    lowercase : bool, default False
    name : str, optional
        Name in results; "BLEU" by default.
    """

    max_order: int = 4
    tokenizer: str = "13a"
    lowercase: bool = False
    name: str | None = None

    finalizer = "BLEU"
    finalizer_options = ("max_order",)
    seconds_a_segment = 2e-4

    unsigned = MappingProxyType({"max_order": "order"})

    @property
    def arguments(self) -> dict[str, Any]:
        """All options, by sacrebleu's names."""
        check_choice("tokenizer", self.tokenizer, import_metrics().BLEU.TOKENIZERS)
        named = {"tokenize": self.tokenizer, "max_ngram_order": self.max_order}
        return {**named, "lowercase": self.lowercase, "force": True}


@dataclass(frozen=True)
class ChrF(SacrebleuMetric):
    """Corpus chrF, or chrF++ with words (Popović 2015, 2017).

    Parameters
    ----------
    char_order : int, default 6
        Length of the longest character n-grams.
    word_order : int, default 0
        Length of the longest word n-grams; 2 gives chrF++.
    beta : int, default 2
        Weight of recall relative to precision.
    lowercase : bool, default False
    whitespace : bool, default False
        Whether blanks count as characters.
    name : str, optional
        Name in results; "chrF", with a plus for each word order, by default.
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    name: str | None = None

    finalizer = "chrF"
    finalizer_options = ("char_order", "word_order", "beta")
    seconds_a_segment = 8e-4

    @property
    def label(self) -> str:
        """Name in results."""
        return self.name or "chrF" + "+" * self.word_order

    unsigned = MappingProxyType({"beta": "beta"})


@dataclass(frozen=True)
class TER(SacrebleuMetric):
    """Translation edit rate of the corpus (Snover et al. 2006); lower is better.

    Parameters
    ----------
    normalized : bool, default False
        Whether to tokenize as Tercom does.
    no_punct : bool, default False
        Whether to remove punctuation.
    asian_support : bool, default False
        Whether both options also apply to Asian characters.
    case_sensitive : bool, default False
    name : str, optional
        Name in results; "TER" by default.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    name: str | None = None

    finalizer = "TER"
    higher_is_better = False
    seconds_a_segment = 1e-1


def import_metrics() -> Any:
    """Import sacrebleu's metrics; if it is missing, say what to install."""
    try:
        import sacrebleu.metrics
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    return sacrebleu.metrics


@dataclass(frozen=True)
class Texts:
    """Outputs of systems, and one or several references for each segment.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str
        Output of each system, one text per segment.
    references : sequence of sequence of str
        Each reference, one text per segment.
    reference : str, optional
        Name of the references in results.

    Raises
    ------
    InputError
        If there is no system or no reference, or their numbers of lines differ.

    Examples
    --------
    >>> Texts({"A": ["a b"], "B": ["b"]}, [["a c"]]).segments
    1
    >>> Texts({"A": ["a b"], "B": ["b", "c"]}, [["a c"]])
    Traceback (most recent call last):
    supersample.errors.InputError: texts of different lengths: 1 lines in system A, reference 1; 2
    lines in system B
    """

    hypotheses: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]]
    reference: str = ""

    def __post_init__(self) -> None:
        if not self.hypotheses:
            raise InputError("there are no texts of systems")
        if not self.references:
            raise InputError("there is no reference text; name at least one")
        systems = {f"system {name}": len(lines) for name, lines in self.hypotheses.items()}
        references = {f"reference {i}": len(r) for i, r in enumerate(self.references, start=1)}
        check_lengths({**systems, **references})

    @property
    def segments(self) -> int:
        """Number of lines of each text."""
        return len(self.references[0])


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse texts of different lengths, and say how many lines each has."""
    by_length: dict[int, list[str]] = {}
    for name, length in lengths.items():
        by_length.setdefault(length, []).append(name)
    if len(by_length) > 1:
        found = [f"{length} lines in {', '.join(same[:5])}" for length, same in by_length.items()]
        raise InputError(f"texts of different lengths: {'; '.join(found)}")


@dataclass(frozen=True)
class _Registered:
    metric: Callable[..., TextMetric]
    finalizer: Callable[..., Finalizer]
    options: Mapping[str, object] = field(default_factory=dict)


_METRICS: dict[str, _Registered] = {}


def register_corpus_metric(
    name: str,
    metric: Callable[..., TextMetric],
    finalizer: Callable[..., Finalizer],
    **options: object,
) -> None:
    """Register a corpus metric, or replace the one of its name.

    Parameters
    ----------
    name : str
        Name of the metric, also on the command line: ``--corpus-metric NAME``.
    metric : callable
        Class of the metric: a dataclass whose fields are options; see `TextMetric`.
    finalizer : callable
        Takes the metric's ``options`` and returns a function of summed statistics: a class like
        `supersample.engine.additive.Finalizer`. Scores refer to it by ``metric().finalizer``.
    **options
        Options that replace the metric's defaults under this name.
    """
    _METRICS[name.lower()] = _Registered(metric, finalizer, options)


register_corpus_metric("bleu", BLEU, CorpusBLEU)
register_corpus_metric("chrf", ChrF, CorpusChrF)
register_corpus_metric("chrf++", ChrF, CorpusChrF, word_order=2)
register_corpus_metric("ter", TER, CorpusTER)


def corpus_finalizer(name: str, options: Mapping[str, object]) -> Finalizer:
    """Make a finalizer from the name and options that are stored with statistics."""
    finalizers = {entry.metric().finalizer: entry.finalizer for entry in _METRICS.values()}
    check_names("finalizer", [name], finalizers)
    try:
        return finalizers[name](**options)
    except TypeError as error:
        taken = shortened(dict(options), 200)
        raise InputError(f"the finalizer {name} does not take {taken}") from error


def parse_text_metric(spec: str) -> TextMetric:
    """Make a metric from a registered name, or ``name:option=value,option=value``.

    Examples
    --------
    >>> parse_text_metric("bleu:tokenizer=char,lowercase=yes").lowercase
    True
    >>> parse_text_metric("chrf++").label
    'chrF++'
    """
    name, given = options_of(spec, "a corpus metric")
    check_names("corpus metric", [name.lower()], _METRICS)
    entry = _METRICS[name.lower()]
    kinds = {option.name: option.type for option in fields(entry.metric())}  # type: ignore[arg-type]
    options = dict(entry.options)
    for option, value in given.items():
        field_name = option.replace("-", "_")
        if field_name not in kinds:
            raise InputError(f"{name} has no option {quoted(option)}; options are {listed(kinds)}")
        options[field_name] = _value(f"{name}:{option}", kinds[field_name], value)
    return entry.metric(**options)


def _value(where: str, kind: object, value: Any) -> object:
    """Convert an option's text or number to its type."""
    if kind is bool and str(value).lower() not in SWITCHES:
        raise InputError(f"{where} must be yes or no, not {quoted(value)}")
    if kind in (int, float | None) and isinstance(value, str):
        raise InputError(f"{where} must be a number, not {quoted(value)}")
    if kind is bool:
        return SWITCHES[str(value).lower()]
    return value if kind in (int, float | None) else str(value)


@dataclass(frozen=True)
class SegmentStatistics:
    """Count statistics of all systems on a range of segments; picklable, for other processes.

    Attributes
    ----------
    hypotheses
        One text per segment, for each system.
    """

    metric: TextMetric
    hypotheses: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]]

    def __call__(self, start: int, stop: int) -> Floats:
        """Rows of segments `start` to `stop` - 1, statistics of all systems side by side."""
        count = self.metric.counter([lines[start:stop] for lines in self.references])
        rows = [np.array(count(texts[start:stop]), dtype=np.float64) for texts in self.hypotheses]
        return np.concatenate(rows, axis=1)


SEGMENTS_A_TASK = 32  # texts per task; a task of TER takes seconds
WORTH_PROCESSES = 30.0  # seconds of counting that make processes worth their start


def add_corpus_metrics(
    scores: xr.Dataset,
    texts: Texts,
    metrics: Sequence[TextMetric | str],
    *,
    workers: AnyWorkers | Literal["auto"] = "synchronous",
    progress: bool = False,
) -> xr.Dataset:
    """Add metrics that score a whole corpus, such as BLEU, to Scores.

    The score of a system, a hybrid or a permuted system is then exactly sacrebleu's score of its
    text: it is computed from sums of per-segment statistics, not as the mean of segment scores.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; they are not changed.
    texts : Texts
        Texts of all systems of the Scores, one line per segment; other systems are ignored.
        `lines_of_segments` says how lines are matched to segments.
    metrics : sequence of TextMetric or str
        `BLEU`, `ChrF` and `TER`, or the same as text: "bleu", "chrf", "chrf++", "ter",
        "bleu:tokenizer=char,name=BLEU-char".
    workers : Workers, Client, str or "auto", default "synchronous"
        Workers that count; the result does not depend on them. sacrebleu counts in Python, so only
        processes use several cores. "auto" uses processes if counting takes longer than starting
        them, as for TER.
    progress : bool, default False
        Whether to draw a progress bar on a terminal when it takes over two seconds.

    Returns
    -------
    xarray.Dataset
        The Scores with a variable ``<metric>_statistics`` for each metric; verbs treat it as one of
        the metrics. A segment-level metric of the same name is called "... (segment mean)".

    Raises
    ------
    InputError
        If the Scores are invalid, a system has no text, texts do not have one line per segment, a
        metric, option or tokenizer is unknown, or sacrebleu is not installed.

    References
    ----------
    Post (2018), "A call for clarity in reporting BLEU scores", WMT.

    Examples
    --------
    >>> from supersample import make_scores
    >>> from supersample.scores.corpus import Texts
    >>> from supersample.comparisons.correlations import correlate
    >>> texts = Texts(
    ...     {"A": ["the cat sat", "on a mat"], "B": ["a cat", "the mat"]},
    ...     [["the cat sat", "on the mat"]],
    ... )
    >>> scores = make_scores(
    ...     [[1.0, 0.9], [0.1, 0.2]], [[[1, 2], [0, 1]]], systems=["A", "B"], metrics=["BLEU"]
    ... )
    >>> scored = add_corpus_metrics(scores, texts, ["bleu:max_order=2"])
    >>> correlate(scored)["metric"].values.tolist()
    ['BLEU (segment mean)', 'BLEU']
    """
    validate_start(scores)
    systems = [str(name) for name in scores["system"].to_numpy()]
    check_names("text of", systems, texts.hypotheses)
    lines, _ = lines_of_segments(scores, texts.segments, "the texts")
    parsed = [parse_text_metric(name) if isinstance(name, str) else name for name in metrics]
    labels = [metric.label for metric in parsed]
    repeated = [label for label in labels if labels.count(label) > 1]
    if repeated:
        raise InputError(
            f"two corpus metrics are called {quoted(repeated[0])}; name one, as in bleu:name=BLEU-2"
        )
    for metric in parsed:
        corpus_finalizer(metric.finalizer, metric.options)  # raises on bad options before any work
    signatures = [metric.signature(texts.references) for metric in parsed]
    result = scores
    for metric, signature in zip(parsed, signatures, strict=True):
        placed = _statistics(metric, systems, texts, workers, progress)[:, lines]
        result = with_corpus_metric(result, metric, placed, signature, texts.reference)
    return result


def _statistics(
    metric: TextMetric,
    systems: Sequence[str],
    texts: Texts,
    workers: AnyWorkers | Literal["auto"],
    progress: bool,
) -> Floats:
    """Count statistics, shape (systems, segments, columns)."""
    width = corpus_finalizer(metric.finalizer, metric.options).width
    if workers == "auto":
        seconds = metric.seconds_a_segment * texts.segments * len(systems)
        workers = "processes" if seconds > WORTH_PROCESSES else "synchronous"
    hypotheses = [texts.hypotheses[name] for name in systems]
    rows = compute_rows(
        SegmentStatistics(metric, hypotheses, texts.references),
        texts.segments,
        len(systems) * width,
        workers=workers,
        progress=f"statistics of {metric.label}" if progress else None,
        chunk=SEGMENTS_A_TASK,
    )
    counted = rows.reshape(texts.segments, len(systems), width).swapaxes(0, 1)
    return np.ascontiguousarray(counted)


def with_corpus_metric(
    scores: xr.Dataset, of: TextMetric, values: Floats, signature: str, reference: str = ""
) -> xr.Dataset:
    """Add a corpus metric to Scores, and validate it.

    A segment-level metric of the same name is renamed: "BLEU" becomes "BLEU (segment mean)".
    `values` has the shape (systems, segments, width of the finalizer).
    """
    metric = of.label
    if metric in corpus_metrics(scores):
        raise InputError(f"there are two corpus metrics {quoted(metric)}; give one another name")
    if "/" in metric or not metric.isprintable() or not metric.strip():
        name = shortened(repr(metric))
        raise InputError(f"a corpus metric's name must be printable and without slash, not {name}")
    names = [str(name) for name in scores["metric"].to_numpy()]
    renamed = [name + SEGMENT_MEAN if name == metric else name for name in names]
    variable = statistics_variable(metric)
    width = corpus_finalizer(of.finalizer, of.options).width
    expected = (scores.sizes["system"], scores.sizes["segment"], width)
    if values.shape != expected:
        name = quoted(metric)
        raise InputError(f"statistics of {name} have shape {values.shape}, not {expected}")
    array = xr.Variable(
        variable.dims,
        values,
        {
            "units": variable.units,
            "long_name": variable.doc,
            "finalizer": of.finalizer,
            "options": json.dumps(of.options, sort_keys=True),
            "signature": signature,
            "higher_is_better": int(of.higher_is_better),
            "reference": reference,
        },
    )
    result = scores.assign_coords(metric=("metric", renamed, scores["metric"].attrs))
    result = result.assign({variable.name: array})
    signed = [f"{m}({result[m + SUFFIX].attrs['signature']})" for m in corpus_metrics(result)]
    result.attrs["corpus"] = "; ".join(signed)
    validate_corpus_statistics(result)
    return result
