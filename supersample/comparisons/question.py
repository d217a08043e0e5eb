"""What is asked of Scores, made and checked once by the verbs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from supersample.errors import InputError, check_choice, check_confidence_level, check_counted
from supersample.execution.workers import AnyWorkers
from supersample.inference.arguments import Alternative, Estimator
from supersample.measures.base import SCHEMES, Measure
from supersample.measures.registry import Measures, as_measures
from supersample.resampling import RANDOM, Bootstrap
from supersample.results.pairs import ALTERNATIVES, Ties
from supersample.scores.selection import Mask
from supersample.scores.system_level import SYSTEMS

INPUTS = "inputs"
"""Basis of swapped segments."""
SWAPS, DRAWS = 1_000, 999
"""Default numbers of resamples."""


class Way(NamedTuple):
    """How a measure is compared: by formula, by bootstrap, or by swaps."""

    kind: Literal["formula", "draw", "swap"]
    name: str

    def label(self, random: str | None) -> str:
        """Name in results, such as "bootstrap-student over segments"."""
        if self.kind == "draw":
            return f"bootstrap-{self.name} over {random}"
        return f"perm-{self.name}" if self.kind == "swap" else self.name

    def basis(self, random: str | None) -> str:
        """Label of what is new: units that are drawn or swapped, or systems."""
        if self.kind == "formula":
            return SYSTEMS
        return str(random) if self.kind == "draw" else self.name


@dataclass(frozen=True)
class Question:
    """How metrics are compared: the options of `compare`, checked.

    Raises
    ------
    InputError
        If an option is unknown, out of range or without effect, or a measure cannot be combined
        with what is random; the message names valid combinations.
    """

    measure: Measures
    random: str | None = None
    method: str | None = None
    alternative: Alternative = "two-sided"
    resamples: int | None = None
    seed: int = 0
    estimator: Estimator = "(k+1)/(B+1)"
    ties: Ties = "exact"
    confidence_level: float = 0.95
    mask: Mask | None = None
    by: str | None = None
    weights: Mapping[str, float] | None = None
    in_at_least: int | None = None
    workers: AnyWorkers = "threads"
    progress: bool = False

    def __post_init__(self) -> None:
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_choice("estimator", self.estimator, get_args(Estimator))
        check_choice("rule for ties", self.ties, get_args(Ties))
        check_confidence_level(self.confidence_level)
        # agreement has no ways
        if self.in_at_least is not None and (self.by or self.kinds != {"formula"}):
            raise InputError("only r over systems of several sets takes in_at_least; leave it out")
        if self.random is not None:
            check_choice("random unit", self.random, RANDOM)
        if self.resamples is not None:
            check_counted("resamples", self.resamples)
            if self.kinds == {"formula"}:
                name = self.ways[0].name
                raise InputError(f"{name} draws no resamples; leave resamples out")

    @cached_property
    def measures(self) -> list[Measure]:
        """The measures; the first one orders metrics."""
        return as_measures(self.measure)

    @cached_property
    def ways(self) -> list[Way]:
        """How each measure is compared."""
        return [self._way(each) for each in self.measures]

    @property
    def kinds(self) -> set[str]:
        """Kinds of the ways."""
        return {way.kind for way in self.ways}

    @property
    def significance_level(self) -> float:
        """Level of tests."""
        return round(1.0 - self.confidence_level, 12)

    @property
    def two_sided(self) -> bool:
        """Whether tests are two-sided, as intervals are."""
        return self.alternative == "two-sided"

    def over_new(self, unit: str, measure: Sequence[Measure]) -> "Question":
        """Ask for the bootstrap over new units of text, of the same Scores and groups."""
        return replace(
            self, measure=measure, random=unit, method=None, alternative="two-sided", resamples=None
        )

    @property
    def facts(self) -> dict[str, Any]:
        """Attributes of results: the method, and all options that had an effect."""
        told: dict[str, Any] = {
            "method": ",".join(dict.fromkeys(way.label(self.random) for way in self.ways)),
            "random": self.random,
            "seed": self.seed,
        }
        if self.kinds != {"formula"}:
            told["resamples"] = self.resamples or (SWAPS if "swap" in self.kinds else DRAWS)
        if "swap" in self.kinds:
            told |= {"estimator": self.estimator, "ties": self.ties}
        names = ("confidence_level", "significance_level", "alternative")
        told |= {name: getattr(self, name) for name in names}
        return {name: value for name, value in told.items() if value is not None}

    def _way(self, measure: Measure) -> Way:
        over_systems = self.random in (None, "systems") and measure.formulas
        if over_systems and (self.method is None or self.method in measure.formulas):
            return Way("formula", self.method or measure.formulas[0])
        if self.random is None:
            chosen = "inputs" if self.method is None else self.method
            check_choice("kind of swap", chosen, [*SCHEMES, *measure.formulas])
            return Way("swap", measure.scheme(chosen))
        if self.method is not None:
            check_choice("bootstrap method", self.method, get_args(Bootstrap))
        if not self.two_sided:
            text = f"intervals are two-sided; leave out the alternative '{self.alternative}'"
            raise InputError(text)
        if "systems" not in self.random:
            return Way("draw", self.method or "student")
        usual = "bca" if measure.level == "systems" else "percentile"
        return Way("draw", self.method or usual)
