"""Headers of tables: find what their columns are, and choose the columns to read."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from supersample.errors import InputError, check_alike, listed, quoted, visible
from supersample.readers.text import MISSING, is_number

_NUMBERLIKE = re.compile(r"[+-]?[.,]?[0-9]|\W+$")  # beginning of a score in another notation


@dataclass(frozen=True)
class Wanted:
    """Columns to read, in lower case, by their new names.

    Parameters
    ----------
    labels : mapping of str to str
        Labels that are never empty.
    notes : mapping of str to str
        Labels that may be empty.
    numbers : mapping of str to str
    scorers : mapping of str to str
        Columns of scores by heading, instead of `numbers`, if each scorer has a column.
    missing : tuple of str
        Texts that mean a missing number, in lower case.
    decimal : str
        Decimal point or comma.
    read_as : str
        What was guessed about the file.
    """

    labels: Mapping[str, str]
    notes: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=lambda: {"score": "score"})
    scorers: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = MISSING
    decimal: str = "."
    read_as: str = ""

    @property
    def texts(self) -> dict[str, str]:
        """Columns of labels, empty or not."""
        return {**self.labels, **self.notes}

    @property
    def names(self) -> list[str]:
        """Names of the columns to read."""
        return list(dict.fromkeys([*self.texts.values(), *self.values.values()]))

    @property
    def values(self) -> Mapping[str, str]:
        """Columns of numbers."""
        return self.scorers or self.numbers


@dataclass(frozen=True)
class Header:
    """Names of a table's columns.

    Parameters
    ----------
    source : str
    written : sequence of str
        Names as written in the file.
    numeric : frozenset of str
        Names, in lower case, of columns whose first values are numbers.
    read_as : str
        What was guessed about the file, before its columns.
    decimal : str
        Decimal point or comma.
    cells : mapping of str to sequence of str
        First cells of the columns that were examined, by their names in lower case.
    missing : tuple of str
        Texts that mean a missing number, in lower case.
    """

    source: str
    written: Sequence[str]
    numeric: frozenset[str] = frozenset()
    read_as: str = ""
    decimal: str = "."
    cells: Mapping[str, Sequence[str]] = field(default_factory=dict)
    missing: tuple[str, ...] = MISSING

    @classmethod
    def of_cells(
        cls,
        source: str,
        written: Sequence[str],
        cells: Mapping[str, Sequence[str]],
        *,
        numeric: frozenset[str],
        **more: Any,
    ) -> "Header":
        """Make a header from the first cells of columns, which also show the columns of numbers.

        Most values of a column of numbers are numbers. Other values in it are refused when it is
        read; if the column were left out, nobody would notice.
        """
        header = cls(source, written, cells=cells, **more)
        surplus = {
            name: sum(1 if header.is_number(cell) else -1 for cell in header.values(name))
            for name in cells
        }
        return replace(header, numeric=numeric | {name for name in cells if surplus[name] > 0})

    def values(self, name: str) -> list[str]:
        """First cells of a column that are not missing."""
        return [cell for cell in self.cells.get(name, ()) if cell.lower() not in self.missing]

    def is_number(self, cell: str) -> bool:
        """Whether a cell is a number, or a percentage."""
        return is_number(cell.replace(self.decimal, ".").removesuffix("%"))

    def has_scores(self, labels: Mapping[str, str], role: str) -> bool:
        """Whether a column that is called as people or scorers has scores, not their names."""
        name = labels[role]
        texts = [x.replace(self.decimal, ".").removesuffix("%") for x in self.values(name)]
        if name not in self.numeric:
            return False
        if any(is_number(text) and not float(text).is_integer() for text in texts):
            return True
        if role == "assessor":
            return "score" not in labels and not name.endswith(("id", "by"))
        others = [self.cells.get(labels[x], ()) for x in labels if x not in (role, "score")]
        rows = list(zip(*others, strict=True))
        return len({*texts}) > 1 and len({*rows}) == len(rows)  # names occur with the same labels

    @cached_property
    def doubtful(self) -> dict[str, str]:
        """Columns that may have scores, although few cells are numbers, with one cell of each."""
        found = {}
        for name in (name for name in self.cells if name not in self.numeric):
            values = self.values(name)
            if 2 * sum(_NUMBERLIKE.match(cell) is not None for cell in values) >= len(values):
                found[name] = next((x for x in values if not self.is_number(x)), "")
        return found

    @cached_property
    def names(self) -> list[str]:
        """Names in lower case, without spaces around them."""
        return lowered(self.written)

    def check_once(self, names: Iterable[str]) -> None:
        """Refuse several columns of one of these names."""
        check_alike(f"{self.source}, line 1", _lowercase(self.written))
        counts = Counter(self.names)
        for name in names:
            if counts[name] > 1:
                raise InputError(
                    f"{self.source}, line 1: several columns are called {quoted(name)}; rename them"
                )


Choose = Callable[[Header], Wanted]  # turns a header into the columns wanted


def _lowercase(names: Iterable[object]) -> list[str]:
    return [str(name).strip().lower() for name in names]


def lowered(names: Iterable[object]) -> list[str]:
    """Names in lower case, without spaces around them or invisible characters."""
    return [visible(name) for name in _lowercase(names)]


def chooser(
    labels: Sequence[str], *, optional: Sequence[str] = (), numbers: Sequence[str], names: str
) -> Choose:
    """Choose columns by name: `labels`, `numbers`, and labels that may be absent or empty.

    `names` lists the expected columns, for the error message.
    """

    def choose(header: Header) -> Wanted:
        for name in (*labels, *numbers, *optional):
            if name not in header.names and name not in optional:
                raise InputError(
                    f"{header.source}, line 1: no column '{name}'; expected {names}; found "
                    f"{listed(header.names) or 'nothing'}"
                )
        header.check_once((*labels, *numbers, *optional))
        return Wanted(
            {name: name for name in labels},
            {name: name for name in optional if name in header.names},
            {name: name for name in numbers},
            decimal=header.decimal,
        )

    return choose
