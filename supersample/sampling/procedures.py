"""Intervals and tests that studies try on samples, by name."""

from dataclasses import dataclass
from typing import Literal

from supersample.comparisons.correlations.interval_methods import IntervalMethod
from supersample.errors import check_choice
from supersample.inference.two_correlations.registry import OVERLAPPING


@dataclass(frozen=True)
class DependentTest:
    """A test of two dependent correlations, with n counting systems or hybrids.

    Parameters
    ----------
    method : str
        Name of an overlapping test, for instance "williams1959".
    unit : {"systems", "hybrids"}, default "systems"
        With hybrids, r are those of infinitely many hybrids and n is 10,000.

    Raises
    ------
    InputError
        If a name is unknown.
    """

    method: str
    unit: str = "systems"

    def __post_init__(self) -> None:
        check_choice("test", self.method, OVERLAPPING)
        check_choice("random unit", self.unit, ("systems", "hybrids"))

    def __str__(self) -> str:
        return f"{self.method}:{self.unit}"

    @property
    def estimand(self) -> Literal["observed", "hybrid"]:
        """Correlations that are tested: with n = hybrids those over infinitely many hybrids."""
        return "hybrid" if self.unit == "hybrids" else "observed"

    def n(self, systems: int, hybrids: int) -> int:
        """Sample size that the test counts: hybrids or systems."""
        return hybrids if self.unit == "hybrids" else systems


Procedure = IntervalMethod | DependentTest


def procedure(text: str) -> Procedure:
    """Read an interval, as `IntervalMethod.parse`, or a test, ``williams1959[:hybrids]``."""
    name, _, unit = text.partition(":")
    if name in OVERLAPPING:
        return DependentTest(name, unit or "systems")
    return IntervalMethod.parse(text)


DEFAULT_PROCEDURES = (
    "zou:systems:observed",
    "zou:hybrids:hybrid",
    "shrunken-jackknife:systems:observed",
    "bca:systems:observed",
    "williams1959:systems",
    "williams1959:hybrids",
)
