"""Texts, and corpus metrics of them by name: what a metric is, their registry, their statistics.

A metric is a frozen dataclass of options (see `TextMetric`) with a finalizer, a function of summed
statistics. `register_corpus_metric` gives both a name; sacrebleu's metrics are registered here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supersample.engine.finalizers import CorpusBLEU, CorpusChrF, CorpusTER, Finalizer
from supersample.errors import InputError, check_names, listed, quoted, shortened
from supersample.scores.corpus.sacrebleu_metrics import BLEU, TER, ChrF

SWITCHES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True)
class Texts:
    """Outputs of systems, and one or several references of each segment.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str
        Each system's output, a text a segment.
    references : sequence of sequence of str
        Each reference, a text a segment.
    reference : str, optional
        What to call the references in results.

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
        """How many lines each text has."""
        return len(self.references[0])


def check_lengths(lengths: Mapping[str, int]) -> None:
    """Refuse texts of different lengths, saying which have how many lines."""
    by_length: dict[int, list[str]] = {}
    for name, length in lengths.items():
        by_length.setdefault(length, []).append(name)
    if len(by_length) > 1:
        found = [f"{length} lines in {_in_a_row(same)}" for length, same in by_length.items()]
        raise InputError(f"texts of different lengths: {'; '.join(found)}")


def _in_a_row(names: Sequence[str], most: int = 5) -> str:
    """Names in a row, uncut, as paths must be; the first ones where there are many."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


class TextMetric(Protocol):
    """A metric whose corpus score is a function of summed per-segment statistics."""

    @property
    def label(self) -> str:
        """Name in results."""

    @property
    def finalizer(self) -> str:
        """Name of the finalizer."""

    @property
    def options(self) -> dict[str, object]:
        """Options of the finalizer."""

    @property
    def columns(self) -> list[str]:
        """What each statistic is."""

    @property
    def higher_is_better(self) -> bool:
        """Declared orientation."""

    @property
    def seconds_a_segment(self) -> float:
        """About how long counting takes; long counts are worth processes."""

    def signature(self, references: Sequence[Sequence[str]]) -> str:
        """Options and versions that the statistics depend on."""

    def counter(self, references: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], Any]:
        """Make the function that counts the statistics of a system's texts.

        From a text a segment, as many as each reference has, to an array (segments, columns) of
        finite numbers of at least 0.
        """


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
        Name in words and on the command line: ``--corpus-metric NAME``.
    metric : callable
        The metric's class: a dataclass whose fields are options; see `TextMetric`.
    finalizer : callable
        From the metric's ``options`` to a function of summed statistics: a class as
        `supersample.engine.finalizers.Finalizer`. Scores refer to it by ``metric().finalizer``.
    **options
        Options that differ from the metric's defaults under this name.
    """
    _METRICS[name.lower()] = _Registered(metric, finalizer, options)


def unregister_corpus_metric(name: str) -> None:
    """Remove a corpus metric."""
    del _METRICS[name.lower()]


register_corpus_metric("bleu", BLEU, CorpusBLEU)
register_corpus_metric("chrf", ChrF, CorpusChrF)
register_corpus_metric("chrf++", ChrF, CorpusChrF, word_order=2)
register_corpus_metric("ter", TER, CorpusTER)


def corpus_finalizer(name: str, options: Mapping[str, object]) -> Finalizer:
    """Make a finalizer from its name and options, as they stand beside statistics."""
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
    name, _, rest = spec.partition(":")
    check_names("corpus metric", [name.lower()], _METRICS)
    entry = _METRICS[name.lower()]
    kinds = {option.name: option.type for option in fields(entry.metric())}  # type: ignore[arg-type]
    options = dict(entry.options)
    for part in rest.split(",") if rest else []:
        option, equals, value = part.strip().partition("=")
        option = option.strip().replace("-", "_")
        if option not in kinds or not equals:
            raise InputError(
                f"{name} takes no option {quoted(part.strip())}; options are {listed(kinds)}, as "
                "in bleu:tokenizer=char"
            )
        options[option] = _value(f"{name}:{option}", kinds[option], value.strip())
    return entry.metric(**options)


def _value(where: str, kind: object, text: str) -> object:
    if kind is bool:
        if text.lower() not in SWITCHES:
            raise InputError(f"{where} is yes or no, not {quoted(text)}")
        return SWITCHES[text.lower()]
    if kind is int or kind == float | None:
        try:
            return int(text) if kind is int else float(text)
        except ValueError as error:
            raise InputError(f"{where} is a number, not {quoted(text)}") from error
    return text


@dataclass(frozen=True)
class SegmentStatistics:
    """Statistics of all systems on a range of segments; picklable, for other processes."""

    metric: TextMetric
    hypotheses: Sequence[Sequence[str]]
    """A text a segment, for each system."""
    references: Sequence[Sequence[str]]

    def __call__(self, start: int, stop: int) -> NDArray[np.float64]:
        """Rows of segments `start` to `stop` - 1: the systems' statistics after one another."""
        count = self.metric.counter([lines[start:stop] for lines in self.references])
        rows = [np.array(count(texts[start:stop]), dtype=np.float64) for texts in self.hypotheses]
        return np.concatenate(rows, axis=1)
