"""Hybrid designs: each is one class and one registration.

A design is a frozen dataclass that subclasses `Design`; its fields are its options. It defines from
which system each unit of a hybrid comes (`Design.origins`), and with which probabilities
(`Design.components`). Totals, exact moments and weights follow from these two. A design overrides
those for which it has a faster kernel or a closed form.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from supersample.engine.designs.base import Components, Design, Draw
from supersample.engine.designs.mix import MixHybrids
from supersample.engine.designs.pairs import PairHybrids
from supersample.errors import InputError, options_of, quoted

__all__ = [
    "DESIGNS",
    "Components",
    "Design",
    "Draw",
    "MixHybrids",
    "PairHybrids",
    "make_design",
    "parse_design",
    "register_design",
]

DESIGNS: dict[str, type[Design]] = {}
"""Designs by their names in files and commands."""


def register_design(name: str, design: type[Design]) -> None:
    """Register a design, so that it can be chosen by name and runs with it can be resumed.

    Parameters
    ----------
    name : str
        Name in commands and in files of sweeps. A run stores the name of the class.
    design : type
        A frozen dataclass that subclasses `Design`.

    Raises
    ------
    InputError
        If the name, or the class's name, is taken.
    """
    taken = {*DESIGNS, *(existing.__name__ for existing in DESIGNS.values())}
    for new in (name, design.__name__):
        if new in taken:
            raise InputError(f"the design '{new}' is already registered")
    DESIGNS[name] = design


def make_design(name: str, options: Mapping[str, Any]) -> Design:
    """Make a design from its registered name, or the name of its class, and its options.

    Raises
    ------
    InputError
        If the name or an option is unknown, or an option is out of range.

    Examples
    --------
    >>> make_design("pairs", {"share": 0.3})
    PairHybrids(pairs='balanced', share=0.3, unit='segment')
    """
    by_class = {design.__name__: design for design in DESIGNS.values()}
    design = DESIGNS.get(name) or by_class.get(name)
    if design is None:
        raise InputError(f"no design {quoted(name)}; there are {', '.join(DESIGNS)}")
    names = [field.name for field in fields(design)]  # type: ignore[arg-type]
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise InputError(
            f"the design '{name}' has no option {quoted(unknown[0])}; there are {', '.join(names)}"
        )
    return design(**options)


def parse_design(text: str) -> Design:
    """Make a design from its name, or ``name:option=value,option=value``.

    Parameters
    ----------
    text : str
        Values are read as whole numbers, other numbers, or else texts.

    Raises
    ------
    InputError
        As `make_design`, or if the text has another form.

    Examples
    --------
    >>> parse_design("pairs:share=0.3,pairs=random")
    PairHybrids(pairs='random', share=0.3, unit='segment')
    """
    name, options = options_of(text, "a design")
    return make_design(name, options)


register_design("pairs", PairHybrids)
register_design("mix", MixHybrids)
