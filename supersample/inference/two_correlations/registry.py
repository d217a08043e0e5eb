"""Tests and intervals for two correlations, by name: one registration each."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from supersample.errors import InputError, check_choice
from supersample.inference.arguments import HypothesisTest, Interval
from supersample.inference.two_correlations import independent, meng, non_overlapping, overlapping

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
    test: Callable[..., HypothesisTest]
    interval: Callable[..., Interval] | None = None
    scale: Literal["r", "z"] = "r"


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
    >>> register_comparison("overlapping", ComparisonMethod("williams1959", overlapping.dunn1969))
    Traceback (most recent call last):
    supersample.errors.InputError: the overlapping method 'williams1959' is already registered
    """
    check_choice("family", family, _FAMILIES)
    if method.name in _FAMILIES[family]:
        raise InputError(f"the {family} method '{method.name}' is already registered")
    _FAMILIES[family][method.name] = method


for _method in (
    ComparisonMethod("pearson1898", overlapping.pearson1898),
    ComparisonMethod("hotelling1940", overlapping.hotelling1940),
    ComparisonMethod("williams1959", overlapping.williams1959),
    ComparisonMethod("olkin1967", overlapping.olkin1967),
    ComparisonMethod("dunn1969", overlapping.dunn1969),
    ComparisonMethod("hendrickson1970", overlapping.hendrickson1970),
    ComparisonMethod("steiger1980", overlapping.steiger1980),
    ComparisonMethod("meng1992", meng.meng1992, meng.meng1992_interval, "z"),
    ComparisonMethod("hittner2003", overlapping.hittner2003),
    ComparisonMethod("zou2007", overlapping.zou2007_test, overlapping.zou2007),
):
    register_comparison("overlapping", _method)

for _method in (
    ComparisonMethod("pearson1898", non_overlapping.pearson1898),
    ComparisonMethod("dunn1969", non_overlapping.dunn1969),
    ComparisonMethod("steiger1980", non_overlapping.steiger1980),
    ComparisonMethod("raghunathan1996", non_overlapping.raghunathan1996),
    ComparisonMethod("silver2004", non_overlapping.silver2004),
    ComparisonMethod("zou2007", non_overlapping.zou2007_test, non_overlapping.zou2007),
):
    register_comparison("non_overlapping", _method)

for _method in (
    ComparisonMethod("fisher1925", independent.fisher1925),
    ComparisonMethod("zou2007", independent.zou2007_test, independent.zou2007),
):
    register_comparison("independent", _method)
