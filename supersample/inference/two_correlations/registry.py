"""Tests and intervals for two correlations, by name: one registration each."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, get_args

from supersample.errors import InputError, check_choice

if TYPE_CHECKING:
    from supersample.inference.arguments import Alternative, Floats, HypothesisTest, Interval

Family = Literal["overlapping", "non_overlapping", "independent"]


@dataclass(frozen=True)
class ComparisonMethod:
    """A test of two correlations, and its interval if it has one.

    Parameters
    ----------
    name : str
        First author and year.
    test : callable
        Takes the family's correlations and sample sizes (see
        `supersample.inference.two_correlations`) and the keyword ``alternative``; returns a
        `HypothesisTest`.
    interval : callable, optional
        Takes the same correlations and sizes and the keyword ``confidence_level``; returns an
        `Interval`.
    scale : {"r", "z"}, default "r"
        What the limits are of: the difference of the correlations, or of their Fisher's z.
    """

    name: str
    test: "Callable[..., HypothesisTest]"
    interval: "Callable[..., Interval] | None" = None
    scale: Literal["r", "z"] = "r"

    def of_every_two(
        self,
        r: "Floats",
        between: "Floats",
        n: int,
        *,
        alternative: "Alternative",
        confidence_level: float,
    ) -> "dict[str, Floats]":
        """Compare every two of several variables' correlations with one and the same variable.

        Correlations have the shape (variables,), those between the variables (variables,
        variables), as the statistics, p-values and perhaps limits of differences of the row's
        variable less the column's.
        """
        given = r[:, None], r[None, :], between, n
        test = self.test(*given, alternative=alternative)
        found = {"statistic": test.statistic, "p_value": test.p_value}
        if self.interval is not None:
            limits = self.interval(*given, confidence_level=confidence_level)
            found |= {"difference_lower": limits.lower, "difference_upper": limits.upper}
        return found


OVERLAPPING: dict[str, ComparisonMethod] = {}
"""By name, in the order of registration; arguments r12, r13, r23, n."""
NON_OVERLAPPING: dict[str, ComparisonMethod] = {}
"""Arguments r12, r34, r13, r14, r23, r24, n."""
INDEPENDENT: dict[str, ComparisonMethod] = {}
"""Arguments r1, r2, n1, n2."""

_FAMILIES: dict[str, dict[str, ComparisonMethod]] = {
    "overlapping": OVERLAPPING,
    "non_overlapping": NON_OVERLAPPING,
    "independent": INDEPENDENT,
}


def register_comparison(family: Family, method: ComparisonMethod) -> None:
    """Add a test, with its interval if it has one, to those of a family that have a name.

    Raises
    ------
    InputError
        If the family is unknown or the name is taken.

    Examples
    --------
    >>> register_comparison("overlapping", ComparisonMethod("williams1959", max))
    Traceback (most recent call last):
    supersample.errors.InputError: the overlapping method 'williams1959' is already registered
    """
    check_choice("family", family, _FAMILIES)
    if method.name in _FAMILIES[family]:
        raise InputError(f"the {family} method '{method.name}' is already registered")
    _FAMILIES[family][method.name] = method


@dataclass(frozen=True)
class _Formula:
    """A function of this package that is imported when it is called: names load no arrays."""

    module: str
    name: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        module = import_module(f"supersample.inference.two_correlations.{self.module}")
        return getattr(module, self.name)(*arguments, **options)


def _register(
    family: Family,
    names: str,
    *,
    module: str = "",
    test: str = "",
    interval: str = "",
    scale: Literal["r", "z"] = "r",
) -> None:
    """Register tests; functions are called as they are, and in the family's module, by default."""
    formula = partial(_Formula, module or family)
    for name in names.split():
        limits = formula(interval) if interval else None
        register_comparison(family, ComparisonMethod(name, formula(test or name), limits, scale))


_register("overlapping", "pearson1898 hotelling1940 williams1959 olkin1967")
_register("overlapping", "dunn1969 hendrickson1970 steiger1980")
_register("overlapping", "meng1992", interval="meng1992_interval", scale="z")
_register("overlapping", "hittner2003")
_register("non_overlapping", "pearson1898 dunn1969 steiger1980 raghunathan1996 silver2004")
_register("independent", "fisher1925")
for _family in get_args(Family):
    _register(_family, "zou2007", test="zou2007_test", interval="zou2007")
