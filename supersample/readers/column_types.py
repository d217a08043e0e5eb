"""Columns of a long table as arrays: what is wanted of a table, and what was read."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MISSING = ("", "none", "nan", "na", "null")


@dataclass(frozen=True)
class Wanted:
    """Which columns are to be read."""

    labels: tuple[str, ...]
    """Never empty."""
    notes: tuple[str, ...]
    """Labels that may be empty."""
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """What was read: codes of each label, in order of appearance, and numbers, NaN for missing."""

    source: str
    names: dict[str, list[str]]
    codes: dict[str, NDArray[np.int64]]
    numbers: dict[str, NDArray[np.float64]]
    where: Callable[[int], str]
    """The place of a row: 'file, line 7'."""
