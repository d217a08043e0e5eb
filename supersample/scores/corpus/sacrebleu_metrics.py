"""BLEU, chrF and TER of a corpus, as sacrebleu counts them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from supersample.errors import InputError, check_choice

INSTALL = "corpus metrics of texts need sacrebleu: pip install 'supersample[text]'"


class SacrebleuMetric(ABC):
    """A corpus metric whose statistics sacrebleu counts; see `TextMetric`."""

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

    @property
    def fields(self) -> dict[str, object]:
        """All options, by the names of the dataclass."""
        return {name: value for name, value in vars(self).items() if name != "name"}

    @property
    def unsigned(self) -> dict[str, object]:
        """Options that sacrebleu's signature leaves out."""
        return {}

    @abstractmethod
    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's metric with these options and references."""

    def counter(self, references: Sequence[Sequence[str]]) -> Callable[[Sequence[str]], Any]:
        """Make the function that counts the statistics of a system's texts."""
        metric = self.sacrebleu(references)
        # the references are in the metric, hence None
        return lambda hypothesis: metric._extract_corpus_statistics(hypothesis, None)

    def signature(self, references: Sequence[Sequence[str]]) -> str:
        """Sacrebleu's signature with these references, options joined by commas."""
        first = [lines[:1] for lines in references]
        try:
            signed = str(self.sacrebleu(first).get_signature())
        # some tokenizers need a package that is not installed, or a model that they fetch
        except (RuntimeError, ImportError, OSError) as error:
            raise InputError(f"{self.label}: {' '.join(str(error).split())}") from error
        more = [f"{name}:{value}" for name, value in self.unsigned.items()]
        return ",".join([*more, *signed.split("|")])


@dataclass(frozen=True)
class BLEU(SacrebleuMetric):
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
    finalizer_options = ("max_order", "smoothing", "smoothing_value", "effective_order")
    higher_is_better = True
    seconds_a_segment = 2e-4

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
        """Make sacrebleu's metric."""
        metrics = import_metrics()
        check_choice("tokenizer", self.tokenizer, metrics.BLEU.TOKENIZERS)
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
class ChrF(SacrebleuMetric):
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
    finalizer_options = ("char_order", "word_order", "beta", "smoothing")
    higher_is_better = True
    seconds_a_segment = 8e-4

    @property
    def label(self) -> str:
        """Name in results."""
        return self.name or "chrF" + "+" * self.word_order

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
        """Make sacrebleu's metric."""
        options = self.fields
        options["eps_smoothing"] = options.pop("smoothing") == "epsilon"
        return import_metrics().CHRF(**options, references=references)


@dataclass(frozen=True)
class TER(SacrebleuMetric):
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
    def columns(self) -> list[str]:
        """Edits, and the mean length of the references."""
        return ["edits", "reference length"]

    def sacrebleu(self, references: Sequence[Sequence[str]]) -> Any:
        """Make sacrebleu's metric."""
        return import_metrics().TER(**self.fields, references=references)


def import_metrics() -> Any:
    """Import sacrebleu's metrics, or say what to install."""
    try:
        import sacrebleu.metrics
    except ModuleNotFoundError as error:
        raise InputError(INSTALL) from error
    return sacrebleu.metrics
