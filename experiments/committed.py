"""Numbers that pages print, found in the committed files and the plans of the experiments.

A number is described by a table: `file` under experiments/ (or several), `where` (rows), `column`,
and `take` where several rows are left; or `value`, the name of a constant as
``package.module:NAME.field[1]``. It is printed `times` so much, with so many `digits`.
"""

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

ROOT = Path(__file__).parents[1]
Row = dict[str, str]

TAKE: dict[str, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "sum": sum,
    "count": len,
    "mean": lambda values: sum(values) / len(values),
    "within": lambda values: sum(0.93 <= value <= 0.97 for value in values),
    "above 0": lambda values: sum(value > 0 for value in values),
    "above 5 %": lambda values: sum(value > 0.05 for value in values),
    "above 7 %": lambda values: sum(value > 0.07 for value in values),
    "in 95 % at most": lambda values: float(np.quantile(values, 0.95)),
    "in 95 % at least": lambda values: float(np.quantile(values, 0.05)),
    "standard error of 5 %": lambda values: float(np.sqrt(0.05 * 0.95 / values[0])),
    "worst of a hundred rates of 5 %": lambda values: expected_worst(int(values[0])),
}


def expected_worst(samples: int, rates: int = 100) -> float:
    """Give the expected largest of some estimated rates whose true rate is 5 %."""
    below = binom.cdf(np.arange(samples), samples, 0.05) ** rates
    return float((1 - below).sum() / samples)


def rows_of(file: str, where: Mapping[str, str] | Sequence[tuple[str, str]] = ()) -> list[Row]:
    """Rows of a CSV file under experiments/ that have these values, or begin so before a ``*``.

    ``?*`` stands for any value, but not for an empty cell.
    """
    wanted = dict(where).items()
    return [row for row in _read(file) if all(_is(row[key], value) for key, value in wanted)]


@cache
def _read(file: str) -> list[Row]:
    with (ROOT / "experiments" / file).open() as stream:
        return list(csv.DictReader(stream))


def _is(cell: str, value: str) -> bool:
    if value == "?*":
        return cell != ""
    return cell.startswith(value[:-1]) if value.endswith("*") else cell == value


def value_of(of: Mapping[str, Any]) -> float:
    """Find one number, times what it is to be multiplied by."""
    if "value" in of:
        values = [_constant(of["value"])]
    else:
        files = [of["file"]] if isinstance(of["file"], str) else of["file"]
        rows = [row for file in files for row in rows_of(file, of.get("where", {}))]
        values = [float(row[of["column"]]) for row in rows]
        assert values, f"no rows of {of['file']} where {of.get('where')}"
    if "take" in of:
        values = [TAKE[of["take"]](values)]
    assert len(values) == 1, f"{len(values)} rows where {of.get('where')}"
    return float(values[0] * of.get("times", 1) + 1e-9)  # halves are rounded up


def printed(of: Mapping[str, Any]) -> str:
    """Find one number and print it."""
    return f"{value_of(of):,.{of.get('digits', 0)}f}"


def _constant(name: str) -> float:
    """Find a constant by its name; of one that holds several and has no place, how many."""
    parts = re.fullmatch(r"([\w.]+):([\w.]+)((?:\[\d+\])*)", name)
    assert parts, name
    found = attrgetter(parts[2])(import_module(parts[1]))
    for place in re.findall(r"\d+", parts[3]):
        found = found[int(place)]
    return len(found) if hasattr(found, "__len__") else found
