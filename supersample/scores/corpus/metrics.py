"""Corpus metrics of texts: their options, and their statistics as sacrebleu counts them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from supersample.errors import InputError, listed

INSTALL = "corpus metrics of texts need sacrebleu: pip install 'supersample[text]'"
SWITCHES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


class TextMetric(Protocol):
    """A metric whose corpus score is a function of summed per-segment statistics."""

    @property
    def label(self) -> str:
        """Name in results."""
        ...

    @property
    def finalizer(self) -> str:
        """Name of the finalizer."""
        ...

    @property
    def options(self) -> dict[str, object]:
        """Options of the finalizer."""
        ...

    @property
    def unsigned(self) -> dict[str, object]:
        """What sacrebleu's signature does not say of these options."""
        ...

    @property
    def columns(self) -> list[str]:
        """What each statistic is."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Declared orientation."""
        ...

    @property
    def seconds_a_segment(self) -> float:
        """About how long sacrebleu counts; long ones are worth processes."""
        ...

    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's own metric with these options, the references taken in."""
        ...


@dataclass(frozen=True)
class BLEU:
    """Corpus BLEU (Papineni et al. 2002).

    Parameters
    ----------
    max_order : int, default 4
        The longest n-grams.
    tokenizer : str, default "13a"
        One of sacrebleu's: 13a, intl, zh, char, none, ...
    lowercase : bool, default False
    smoothing : {"exp", "floor", "add-k", "none"}, default "exp"
    smoothing_value : float, optional
        0.1 for "floor" and 1 for "add-k" by default.
    effective_order : bool, default False
    name : str, optional
        Name in results; "BLEU" by default.
    """

    max_order: int = 4
    tokenizer: str = "13a"
    lowercase: bool = False
    smoothing: str = "exp"
    smoothing_value: float | None = None
    effective_order: bool = False
    name: str | None = None

    finalizer = "BLEU"
    higher_is_better = True
    seconds_a_segment = 2e-4

    @property
    def label(self) -> str:
        """Name in results."""
        return self.name or "BLEU"

    @property
    def options(self) -> dict[str, object]:
        """Options of the finalizer."""
        names = ("max_order", "smoothing", "smoothing_value", "effective_order")
        return {name: getattr(self, name) for name in names}

    @property
    def unsigned(self) -> dict[str, object]:
        """The order is not in sacrebleu's signature."""
        return {} if self.max_order == 4 else {"order": self.max_order}

    @property
    def columns(self) -> list[str]:
        """Two lengths, and matches and n-grams of each order."""
        orders = range(1, self.max_order + 1)
        counts = [f"{what} {n}" for what in ("matches", "n-grams") for n in orders]
        return ["hypothesis length", "reference length", *counts]

    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's own metric with these options, the references taken in."""
        metrics = _import_metrics()
        there = list(metrics.BLEU.TOKENIZERS)
        if self.tokenizer not in there:
            raise InputError(f"no tokenizer '{self.tokenizer}'; there are {', '.join(there)}")
        return metrics.BLEU(
            lowercase=self.lowercase,
            force=True,
            tokenize=self.tokenizer,
            smooth_method=self.smoothing,
            smooth_value=self.smoothing_value,
            max_ngram_order=self.max_order,
            effective_order=self.effective_order,
            references=references,
        )


@dataclass(frozen=True)
class ChrF:
    """Corpus chrF, or chrF++ with words (Popović 2015, 2017).

    Parameters
    ----------
    char_order : int, default 6
        The longest character n-grams.
    word_order : int, default 0
        The longest word n-grams; 2 is chrF++.
    beta : int, default 2
        How much more recall counts than precision.
    lowercase : bool, default False
    whitespace : bool, default False
        Whether blanks are characters.
    smoothing : {"effective-order", "epsilon"}, default "effective-order"
    name : str, optional
        Name in results; "chrF", with a plus for each word order, by default.
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    smoothing: str = "effective-order"
    name: str | None = None

    finalizer = "chrF"
    higher_is_better = True
    seconds_a_segment = 8e-4

    @property
    def label(self) -> str:
        """Name in results."""
        return self.name or "chrF" + "+" * self.word_order

    @property
    def options(self) -> dict[str, object]:
        """Options of the finalizer."""
        names = ("char_order", "word_order", "beta", "smoothing")
        return {name: getattr(self, name) for name in names}

    @property
    def unsigned(self) -> dict[str, object]:
        """Beta is not in sacrebleu's signature."""
        return {} if self.beta == 2 else {"beta": self.beta}

    @property
    def columns(self) -> list[str]:
        """N-grams of the hypothesis, of the reference and of both, for each order."""
        orders = [f"characters {n + 1}" for n in range(self.char_order)]
        orders += [f"words {n + 1}" for n in range(self.word_order)]
        sides = ("hypothesis", "reference", "matches")
        return [f"{side} {order}" for order in orders for side in sides]

    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's own metric with these options, the references taken in."""
        return _import_metrics().CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.smoothing == "epsilon",
            references=references,
        )


@dataclass(frozen=True)
class TER:
    """Translation edit rate of the corpus (Snover et al. 2006); lower is better.

    Parameters
    ----------
    normalized : bool, default False
        Whether to tokenize as Tercom does.
    no_punct : bool, default False
        Whether to take out punctuation.
    asian_support : bool, default False
        Whether the two also treat Asian characters.
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

    @property
    def label(self) -> str:
        """Name in results."""
        return self.name or "TER"

    @property
    def options(self) -> dict[str, object]:
        """The finalizer takes none."""
        return {}

    @property
    def unsigned(self) -> dict[str, object]:
        """Sacrebleu's signature says all."""
        return {}

    @property
    def columns(self) -> list[str]:
        """Edits, and the mean length of the references."""
        return ["edits", "reference length"]

    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's own metric with these options, the references taken in."""
        return _import_metrics().TER(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
            references=references,
        )


PRESETS: dict[str, Callable[..., TextMetric]] = {
    "bleu": BLEU,
    "chrf": ChrF,
    "chrf++": lambda **options: ChrF(**{"word_order": 2, **options}),
    "ter": TER,
}


def parse_text_metric(spec: str) -> TextMetric:
    """Make a metric from ``name`` or ``name:option=value,option=value``.

    Parameters
    ----------
    spec : str
        A name among bleu, chrf, chrf++ and ter, and options of `BLEU`, `ChrF` or `TER`.

    Raises
    ------
    InputError
        If there is no such metric or option, or a value does not fit.

    Examples
    --------
    >>> parse_text_metric("bleu:tokenizer=char,lowercase=yes").lowercase
    True
    >>> parse_text_metric("chrf++").label
    'chrF++'
    """
    preset, _, rest = spec.partition(":")
    if preset.lower() not in PRESETS:
        raise InputError(f"no corpus metric '{preset}'; there are {', '.join(PRESETS)}")
    make = PRESETS[preset.lower()]
    known = {field.name: field.type for field in fields(make())}  # type: ignore[arg-type]
    options: dict[str, object] = {}
    for part in rest.split(",") if rest else []:
        name, equals, value = part.strip().partition("=")
        name = name.strip().replace("-", "_")
        if name not in known or not equals:
            raise InputError(
                f"{preset} takes no option '{part.strip()}'; options are {listed(list(known))}, as "
                "in bleu:tokenizer=char"
            )
        options[name] = _value(f"{preset}:{name}", known[name], value.strip())
    return make(**options)


def _value(where: str, kind: object, text: str) -> object:
    if kind is bool:
        if text.lower() not in SWITCHES:
            raise InputError(f"{where} is yes or no, not '{text}'")
        return SWITCHES[text.lower()]
    if kind is int or kind == float | None:
        try:
            return int(text) if kind is int else float(text)
        except ValueError as error:
            raise InputError(f"{where} is a number, not '{text}'") from error
    return text


def metric_signature(metric: TextMetric, references: Sequence[Sequence[str]]) -> str:
    """Sacrebleu's signature of a metric with these references, options joined by commas.

    Raises
    ------
    InputError
        If sacrebleu, or what one of its tokenizers needs, is not installed or cannot be fetched.
    """
    first = [lines[:1] for lines in references]
    try:
        signed = str(metric.sacrebleu(first).get_signature())
    # what some tokenizers need is not installed, or is a model that they fetch
    except (RuntimeError, ImportError, OSError) as error:
        raise InputError(f"{metric.label}: {' '.join(str(error).split())}") from error
    more = [f"{name}:{value}" for name, value in metric.unsigned.items()]
    return ",".join([*more, *signed.split("|")])


@dataclass(frozen=True)
class SegmentStatistics:
    """Statistics of all systems on a range of segments; picklable, for other processes.

    Parameters
    ----------
    metric : TextMetric
    hypotheses, references : sequence of sequence of str
        A text a segment, for each system and each reference.
    """

    metric: TextMetric
    hypotheses: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]]

    def __call__(self, start: int, stop: int) -> NDArray[np.float64]:
        """Rows of segments `start` to `stop` - 1: the systems' statistics after one another."""
        counter = self.metric.sacrebleu([lines[start:stop] for lines in self.references])
        # the references are in the metric, hence None
        rows = [counter._extract_corpus_statistics(h[start:stop], None) for h in self.hypotheses]
        return np.concatenate([np.array(own, dtype=np.float64) for own in rows], axis=1)


def _import_metrics() -> Any:
    try:
        import sacrebleu.metrics
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    return sacrebleu.metrics
