"""Which figures of a result are drawn, and how wide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

from supersample.errors import InputError, check_choice
from supersample.presentation.figures.widths import inches

_Ranked = Literal["forest", "differences", "significance", "correlations", "scatter", "comparisons"]
_Studied = Literal["components", "coverage", "rejections", "plan", "sampling", "influence"]
Kind = Literal[_Ranked, _Studied, "predictions", "densities"]
"""First word of the name of a figure; a dash and what it is of may follow."""

_CHOICES = ("main", "all", "none")


@dataclass(frozen=True)
class Figures:
    """Which figures are drawn, and how wide."""

    names: str = "main"
    """"main", "all", "none", or names with commas between; a name stands for those that begin with
    it and a dash, too."""
    width: str | float = "acl2"
    """"acl1" (3.03 inches), "acl2" (6.3 inches), or a number of inches."""

    def __post_init__(self) -> None:
        inches(self.width)

    def check_kinds(self) -> None:
        """Refuse names that no result has, before it is computed, by an InputError."""
        for name in self._listed():
            if not any(_stands_for(kind, name) for kind in get_args(Kind)):
                check_choice("kind of figure", name, get_args(Kind))

    def _listed(self) -> list[str]:
        if self.names in _CHOICES:
            return []
        names = self.names.split(",")
        for name in _CHOICES:
            if name in names:
                raise InputError(f"the figures '{name}' are asked for alone, not among others")
        return names

    def choose(self, existing: Sequence[str], main: Sequence[str]) -> list[str]:
        """Choose among the names of a result's figures; an InputError names an unknown one."""
        if self.names in _CHOICES:
            return [*{"main": main or existing, "all": existing, "none": ()}[self.names]]
        chosen = self._listed()
        for name in chosen:
            if not any(_stands_for(name, each) for each in existing):
                check_choice("figure", name, ["all", "none", *existing])
        return [each for each in existing if any(_stands_for(name, each) for name in chosen)]


MAIN = Figures()


def _stands_for(name: str, figure: str) -> bool:
    return figure == name or figure.startswith(f"{name}-")


def drawn_by(where: str, *of: Any, **options: Any) -> Callable[..., Any]:
    """Draw by a function, "module.name" of the figures, imported then: matplotlib takes long.

    What is returned takes the keyword ``width`` besides.
    """

    def draw(**width: Any) -> Any:
        module, name = where.split(".")
        function = getattr(import_module(f"supersample.presentation.figures.{module}"), name)
        return function(*of, **options, **width)

    return draw
