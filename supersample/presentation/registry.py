"""Kinds of results: one declaration each of all that is printed, written and drawn of a result.

A result names its kind in the attribute ``kind``. Print, data frames, CSV, JSON, Markdown, LaTeX,
the page and notebooks read the declaration.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import xarray as xr

from supersample.errors import InputError, quoted
from supersample.presentation.table import Column, Table, number_table

Maker = Callable[..., Any]
Each = str | Callable[..., Mapping[str, Mapping[str, Any]]]
WIDTHS = {"acl1": 3.03, "acl2": 6.3}
"""Widths in inches: a column and a page of ACL's style."""
Width = str | float
FORMS = ("numbers", "pages", "papers")
"""Forms of tables: for machines, readers and papers."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A table with one row for each place along dimensions of a result, as `number_table` does."""

    dims: Sequence[str]
    columns: Sequence[Column | str]
    caption: str = ""
    notes: Sequence[str] = ()

    def __call__(self, *results: xr.Dataset) -> Table:
        """Lay results out, one below the other."""
        return number_table(results, self.dims, self.columns, self.caption, self.notes)


@dataclass(frozen=True)
class Forms:
    """The forms of a table, made of a result of the kind.

    A form without a maker, or whose maker gives None, is left out.
    """

    pages: Maker | None = None
    """What readers see: print, Markdown, LaTeX, the page and notebooks."""
    numbers: Maker | None = None
    """What machines read: CSV, JSON and data frames, with plain names."""
    papers: Maker | None = None
    """LaTeX for a paper, in place of that of the page."""
    each: "Each" = ""
    """Dimension with a table for each label, which its makers take by this name; or a function of
    the results that gives what makers take, by the end of each file's name."""
    beside: Sequence[str] = ()
    """Kinds of further results that makers take after their own; None where there are none."""


@dataclass(frozen=True)
class Figure:
    """A figure, made of a result of the kind."""

    draw: str | Maker
    """The function, or "module.name" of the figures, which is imported when it draws."""
    each: "Each" = ""
    beside: Sequence[str] = ()
    main: int | None = None
    """How many of its drawings are drawn unless more are asked for; by default all."""

    def __call__(self, *of: Any, **options: Any) -> Any:
        """Draw the figure."""
        draw = named(f"figures.{self.draw}") if isinstance(self.draw, str) else self.draw
        return draw(*of, **options)


def named(name: str) -> Maker:
    """Import the function with this "module.name", whose module takes long or imports kinds."""
    module, _, function = name.rpartition(".")
    found: Maker = getattr(import_module(f"supersample.presentation.{module}"), function)
    return found


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of result: its sentences, tables, figures and the names of their files.

    Makers take the result, and results of the kinds beside it.
    """

    name: str
    """Attribute ``kind`` of results."""
    file: str = ""
    """Name of the Dataset in a folder; results without a name are not written."""
    title: str = ""
    """Title of the page."""
    answer: Maker = lambda *results: ()
    """Makes the sentences that come first."""
    tables: Mapping[str, Maker | Forms | tuple[Forms, ...]] = field(default_factory=dict)
    """Tables by the name of their files. A function makes what readers see and machines read."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """Figures by the name of their files."""
    brief: Maker | None = None
    """Makes the tables that are printed unless all are asked for."""
    screen: str = ""
    """"module.name" of what a notebook shows, if it is not the answer above all tables."""


def inches(width: Width) -> float:
    """Width of a figure in inches: "acl1" (3.03), "acl2" (6.3), or a number.

    >>> inches("acl1"), inches("4.5"), inches(5)
    (3.03, 4.5, 5.0)
    """
    try:
        found = WIDTHS[width] if isinstance(width, str) and width in WIDTHS else float(width)
    except ValueError:
        found = math.nan
    if not 1.5 <= found <= 60:
        raise InputError(f"a figure's width is acl1, acl2 or 1.5 to 60 inches, not '{width}'")
    return found


_KINDS: dict[str, Kind] = {}
_MODULES = {
    "supersample.presentation.rankings": (
        *("ranking", "task", "comparison", "agreement", "baseline", "hybrids"),
    ),
    "supersample.presentation.studies": (
        *("inspection", "exact", "tests", "sampling", "plan", "judge-plan", "width-plan", "sweep"),
    ),
    "supersample.presentation.systems": ("systems",),
    "supersample.presentation.raters": ("raters", "reliability", "campaign", "judge"),
    "supersample.quality_estimation.outputs": ("predictions", "evaluation", "rescaling"),
}
"""Where the kinds of this package are declared; a module is imported when it is needed."""


def register_kind(*kinds: Kind) -> None:
    """Declare kinds of results.

    Parameters
    ----------
    *kinds : Kind

    Raises
    ------
    InputError
        If a name is taken.

    Examples
    --------
    >>> import supersample as ss, xarray as xr
    >>> lengths = Rows(["system"], ["system", Column("words", number=".1f")])
    >>> register_kind(Kind(name="words", tables={"words": lengths}))
    >>> words = xr.Dataset({"words": ("system", [21.04])}, {"system": ["A"]}, {"kind": "words"})
    >>> print(ss.show(words))
    <BLANKLINE>
    | system | words |
    | ------ | ----: |
    | A      |  21.0 |
    <BLANKLINE>
    """
    for kind in kinds:
        if kind.name in _KINDS:
            raise InputError(f"the kind of result '{kind.name}' is already registered")
        _KINDS[kind.name] = kind


def kind_of(result: xr.Dataset) -> Kind:
    """Find the declaration of a result's kind; InputError for Datasets that are no results."""
    name = result.attrs.get("kind")
    for module, names in _MODULES.items():
        if name in names and name not in _KINDS:
            import_module(module)
    if name not in _KINDS:
        what = f"there is no kind of result {quoted(str(name))}" if name else "this is no result"
        raise InputError(f"{what}; expected what a verb of this package gave")
    return _KINDS[name]


def every_kind() -> list[Kind]:
    """Every declared kind."""
    for module in _MODULES:
        import_module(module)
    return [*_KINDS.values()]
