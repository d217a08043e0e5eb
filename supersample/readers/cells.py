"""Columns of tables: which a table has, which are wanted, and what is read from them.

A `Header` shows the first cells of a table's columns; functions choose the `Wanted` ones. What is
read becomes `Columns`, a data frame (labels are categories, numbers are floats), and
`Columns.cube` makes an array from them, with a dimension for each label.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import union_categoricals

from supersample.engine import Floats
from supersample.errors import (
    InputError,
    UncheckedWarning,
    check_alike,
    check_names,
    is_close,
    listed,
    plural,
    quoted,
    shortened,
    visible,
    warn,
)
from supersample.readers.text import MISSING, is_number
from supersample.scores.alignment import are_shifted, check_numbering, match_names, segment_numbers
from supersample.scores.schema import make_scores
from supersample.scores.system_level import make_system_scores

_NUMBERLIKE = re.compile(r"[+-]?[.,]?[0-9]|\W+$")  # beginning of a score in another notation
SPARSEST = 1000  # most array elements for each row of the table
AXES = ("scorer", "system", "segment")
Codes = NDArray[np.int64]
SystemScores = dict[str, Floats]


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
    """A table before its columns are chosen.

    Parameters
    ----------
    source : str
    head : Arrow table
        First rows of all columns, as written.
    read : callable
        Reads the chosen columns.
    read_as, decimal : str
        What was guessed about text: delimiter and decimal comma.
    missing : tuple of str
        Texts that mean a missing number, in lower case.
    """

    source: str
    head: Any
    read: "Callable[[Wanted], Columns]"
    read_as: str = ""
    decimal: str = "."
    missing: tuple[str, ...] = MISSING

    @property
    def written(self) -> list[str]:
        """Names as written in the file."""
        return list(self.head.column_names)

    @cached_property
    def names(self) -> list[str]:
        """Names in lower case, without spaces around them."""
        return lowered(self.written)

    @cached_property
    def cells(self) -> dict[str, list[str]]:
        """First cells of the columns."""
        columns = zip(self.names, self.head.columns, strict=True)
        return {name: [*map(cell_text, column.to_pylist())] for name, column in columns}

    @cached_property
    def numeric(self) -> frozenset[str]:
        """Columns of numbers: most of the first values are numbers.

        Other values in it are refused when it is read; if the column were left out, nobody would
        notice.
        """
        kinds = zip(self.names, self.head.schema.types, strict=True)
        typed = {name for name, kind in kinds if is_numeric(kind)}
        surplus = {
            name: sum(1 if self.is_number(cell) else -1 for cell in self.values(name))
            for name in self.cells
        }
        return frozenset(typed | {name for name in surplus if surplus[name] > 0})

    def has_close(self, names: Collection[str], known: Collection[str] = ()) -> bool:
        """Whether a column, but not a known one, has one of these names, perhaps misspelt."""
        pairs = [(x, y) for x in names for y in {*self.names} - {*known}]
        turned = ((x[:1], sorted(x)) == (y[:1], sorted(y)) for x, y in pairs)  # letters, as modle
        return any(turned) or any(is_close(x, y, least=0.85) for x, y in pairs)

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

    def check_once(self, names: Iterable[str]) -> None:
        """Refuse several columns of one of these names."""
        check_alike(f"{self.source}, line 1", _lowercase(self.written))
        counts = Counter(self.names)
        for name in names:
            if counts[name] > 1:
                raise InputError(
                    f"{self.source}, line 1: several columns are called {quoted(name)}; rename them"
                )


def is_numeric(kind: Any) -> bool:
    """Whether a type of Arrow is one of numbers."""
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def cell_text(value: object) -> str:
    """Text of a cell, or of a name in a dictionary."""
    return "" if value is None else str(value).strip()


def _lowercase(names: Iterable[object]) -> list[str]:
    return [str(name).strip().lower() for name in names]


def lowered(names: Iterable[object]) -> list[str]:
    """Names in lower case, without spaces around them or invisible characters."""
    return [visible(name) for name in _lowercase(names)]


Choose = Callable[[Header], Wanted]  # turns a header into the columns wanted


@dataclass(frozen=True)
class Columns:
    """Rows of files; each row has the score of one scorer.

    Parameters
    ----------
    source : str
    frame : pandas.DataFrame
        Labels are categories without unused ones; numbers are floats, NaN where missing.
    place : callable
        Place of a row in the file, by the frame's index: 'file, line 7'.
    read_as : str
        What was guessed about the file.
    positional : bool
        Whether segments are only identified by their place in the file.
    texts : mapping of str to str
        Columns that were not read, and one cell of each.
    left_out : str
        Scores that a format leaves out, with their numbers.
    """

    source: str
    frame: pd.DataFrame
    place: Callable[[int], str]
    read_as: str = ""
    positional: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)
    left_out: str = ""

    @property
    def scores(self) -> Floats:
        """Score of each row."""
        return np.asarray(self.frame["score"])

    @property
    def guess(self) -> str:
        """What was guessed about the file, for messages."""
        return f" (guessed: {self.read_as})" if self.read_as else ""

    def names(self, label: str) -> list[str]:
        """Different values of a label."""
        return list(self.frame[label].array.categories)

    def codes(self, label: str) -> Codes:
        """Code of each row's label."""
        return np.asarray(self.frame[label].array.codes, dtype=np.int64)

    def where(self, row: int) -> str:
        """Place of a row."""
        return self.place(int(self.frame.index[row]))

    def with_label(self, label: str, names: Sequence[str], codes: Codes) -> "Columns":
        """Add or replace a label; equal names become one."""
        return replace(self, frame=self.frame.assign(**{label: categories(names, codes)}))

    def with_one(self, label: str, name: str) -> "Columns":
        """Set a label to the same value in all rows."""
        return self.with_label(label, [name], np.zeros(len(self.frame), dtype=np.int64))

    def rows_where(self, chosen: NDArray[np.bool_]) -> "Columns":
        """Keep some rows and their labels, in order of appearance."""
        frame = self.frame[chosen]
        labels = {label: frame[label].array for label in _labels(frame)}
        used = {name: in_order(each.categories, each.codes) for name, each in labels.items()}
        return replace(self, frame=frame.assign(**used))

    def rows_with(self, label: str, asked: str | None) -> "Columns":
        """Keep the rows of one value of a label, such as a language pair: the given or only one."""
        names = self.names(label) if label in self.frame else []
        if asked is None and len(names) > 1:
            raise InputError(f"{self.source} has several {label}s: name one of {listed(names)}")
        if asked is None:
            return self
        if not names:
            raise InputError(f"{self.source} has no {label}s; leave {shortened(asked)} out")
        check_names(label, [asked], names, self.source)
        return self.rows_where(np.asarray(self.frame[label] == asked))

    def renamed(self, label: str, new: Mapping[str, str]) -> "Columns":
        """Rename values of a label; equal names become one."""
        names = [new.get(name, name) for name in self.names(label)]
        return self.with_label(label, names, self.codes(label))

    def each_name(self, read: Callable[[str], str]) -> "Columns":
        """Apply a function to every value of every label."""
        columns = self
        for label in _labels(self.frame):
            new = {name: read(name) for name in self.names(label) if read(name) != name}
            columns = columns.renamed(label, new) if new else columns
        return columns

    def label_pairs(self, first: str, second: str) -> tuple[list[tuple[str, str]], Codes]:
        """Pairs of two labels that occur in rows, in their order, and the code of each row's pair.

        A missing label counts as "".
        """
        columns = self
        for label in {first, second} - {*self.frame}:
            columns = columns.with_one(label, "")
        firsts, seconds = columns.names(first), columns.names(second)
        flat = columns.codes(first) * len(seconds) + columns.codes(second)
        used, codes = np.unique(flat, return_inverse=True)
        pairs = [divmod(int(code), len(seconds)) for code in used]
        return [(firsts[a], seconds[b]) for a, b in pairs], codes.astype(np.int64)

    def join_labels(self, label: str, between: str = ":") -> "Columns":
        """Prefix the segment's label with another label, if there is one."""
        pairs, codes = self.label_pairs(label, "segment")
        return self.with_label("segment", [between.join(filter(None, x)) for x in pairs], codes)

    def with_people(self, label: str, name: str, per: Sequence[str]) -> "Columns":
        """Add rows for the column "human", whose values repeat in the rows of every scorer."""
        people = replace(self, frame=self.frame.assign(score=self.frame["human"]))
        people = people.rows_where(~np.asarray(people.frame.duplicated([*per, "score"])))
        joined = join_columns([self, people.with_one(label, name)])
        return replace(joined, source=self.source, read_as=self.read_as)

    def labels_of(self, name: str, of: str = "segment", said: str = "") -> list[Any] | None:
        """Get the value of each segment (or system, ...) in a column, such as its document."""
        if name not in self.frame:
            return None
        things, column = self.codes(of), self.frame[name]
        values = self.codes(name) if column.dtype == "category" else column.to_numpy()
        first = np.zeros(len(self.names(of)), dtype=np.int64)
        first[things[::-1]] = np.arange(things.size)[::-1]  # keeps the first row of each
        earlier = values[first[things]]
        wrong = np.flatnonzero((values != earlier) & ~(np.isnan(values) & np.isnan(earlier)))
        if wrong.size:
            row = int(wrong[0])
            pair = (column.iloc[row], column.iloc[first[things[row]]])
            here, there = (quoted(x) if isinstance(x, str) else f"{x:g}" for x in pair)
            raise InputError(
                f"{self.where(row)}: {of} {quoted(self.frame[of].iloc[row])} has "
                f"{said or name} {here} here and {there} earlier"
            )
        return list(column.iloc[first])

    def texts_of(self, name: str) -> list[str]:
        """Document or domain of each segment; those without any are one group of this name."""
        labels = self.labels_of(name) or []
        if (lacking := labels.count("")) == len(labels):
            return []
        if lacking:
            told = f"{self.source}: segments without {name}: {lacking}, taken as one {name}"
            warn(told, UncheckedWarning, stacklevel=2)
        return [label or f"no {name}" for label in labels]

    def unordered(self) -> str:
        """Why segments, in order of appearance, are perhaps not in the order of the test set.

        Numbers in labels give that order. Without them, all rows must have the same order, and it
        must not be that of sorted labels, because sorting destroys the order.
        """
        names, codes = self.names("segment"), self.codes("segment")
        if segment_numbers(names) is not None:  # in any order
            return ""
        run = self.codes("scorer") * len(self.names("system")) + self.codes("system")
        rows = np.argsort(run, kind="stable")
        same = run[rows][1:] == run[rows][:-1]
        if (np.diff(codes[rows]) <= 0)[same].any():
            return f"rows of {self.source} have them in different orders"
        if names == sorted(names):
            return f"{self.source} has them sorted by label, not as they were"
        return ""

    def check_numbering(self, label: str, people: str) -> None:
        """Refuse scorers that count segments from another number than people do."""
        names, segments = self.names(label), np.array(self.names("segment"), dtype=object)
        scored = np.zeros((len(names), segments.size), dtype=bool)
        present = ~np.isnan(self.scores)
        scored[self.codes(label)[present], self.codes("segment")[present]] = True
        rated = scored[names.index(people)]
        others = segments[rated].tolist()
        for name, own in zip(names, scored, strict=True):
            if (own != rated).any() and are_shifted(segments[own].tolist(), others):
                what = f"{self.source}, {quoted(name)}"
                check_numbering(what, segments[own].tolist(), others, quoted(people))

    def _places(self, labels: Sequence[str]) -> tuple[Codes, int]:
        """Flat position of each row in an array along labels, and the number of positions."""
        flat, places = np.zeros(len(self.frame), dtype=np.int64), 1
        for label in labels:
            count = len(self.names(label))
            flat, places = flat * count + self.codes(label), places * count
        return flat, places

    def is_unique(self, labels: Sequence[str]) -> bool:
        """Whether all rows have different labels."""
        flat, places = self._places(labels)
        if places > SPARSEST * max(flat.size, SPARSEST):
            return bool(pd.Series(flat).is_unique)
        filled = np.zeros(places, dtype=bool)
        filled[flat] = True
        return bool(np.count_nonzero(filled) == flat.size)

    def merged(self, axes: Sequence[str]) -> "Columns":
        """Drop repeated scores; average rows of several assessors with the same labels."""
        frame, said = self.frame, [self.read_as]
        people = [label for label in ("assessor",) if label in frame]
        again = np.asarray(frame.duplicated([*axes, "score", *people]))
        if again.any():
            frame = frame[~again]
            said.append(plural(int(again.sum()), "scores left out that repeat others"))
        if people:
            means = frame.groupby([*axes], observed=True)["score"].transform("mean")
            frame = frame.assign(score=means)[~frame.duplicated([*axes])]
            said.append(f"means of {plural(self.frame['assessor'].nunique(), 'assessors')}")
        return replace(self, frame=frame, read_as=", ".join(filter(None, said)))

    def cube(self, axes: Sequence[str] = AXES) -> xr.DataArray:
        """Scores as an array along labels, by default (scorer, system, segment); gaps are NaN."""
        names = {axis: self.names(axis) for axis in axes}
        flat, places = self._places(axes)
        if places > SPARSEST * max(flat.size, SPARSEST):
            *most, least = (plural(len(each), f"{axis}s") for axis, each in names.items())
            raise InputError(
                f"{self.source}: only {plural(flat.size, 'rows')} for {', '.join(most)} and "
                f"{least}; check that each label is in its column, and that systems share the "
                f"labels of segments{self.guess}"
            )
        if not self.is_unique(axes):
            again = int(self.frame.duplicated([*axes]).argmax())
            scorer, *labels = (self.frame[axis].iloc[again] for axis in axes)
            at = ", ".join(f"{axis} {quoted(x)}" for axis, x in zip(axes[1:], labels, strict=True))
            what = f"a second score of {quoted(scorer)} for {at}; keep one, or average them"
            raise InputError(f"{self.where(again)}: {what}{self.guess}")
        cube = np.full([*map(len, names.values())], np.nan)
        cube.ravel()[flat] = self.scores
        return labelled(cube, names)


def categories(names: Sequence[str], codes: Codes) -> pd.Categorical:
    """Labels from codes; equal names become one."""
    held = [name.rstrip("\0") for name in names]  # arrays of texts lose trailing NULs
    merged, different = pd.factorize(np.array(held, dtype=object))
    return pd.Categorical.from_codes(merged[codes], pd.Index(different, dtype=object))


def in_order(names: Sequence[str], codes: Codes) -> pd.Categorical:
    """Labels from codes, in order of appearance; unused names are dropped."""
    codes, used = pd.factorize(codes)
    return categories([names[i] for i in used], codes)


def join_columns(files: Sequence[Columns]) -> Columns:
    """Concatenate columns of several files; a label that a file lacks is empty."""
    starts = np.cumsum([0, *(len(part.frame) for part in files)]).tolist()
    labels = dict.fromkeys(label for part in files for label in _labels(part.frame))
    columns: dict[str, Any] = {"score": np.concatenate([part.scores for part in files])}
    for label in labels:
        whole = (part if label in part.frame else part.with_one(label, "") for part in files)
        columns[label] = union_categoricals([part.frame[label].array for part in whole])

    def place(row: int) -> str:
        file = bisect_right(starts, row) - 1
        return files[file].where(row - starts[file])

    first, *others = dict.fromkeys(part.source for part in files)
    also = f" and {others[0] if len(others) == 1 else f'{len(others)} more'}" if others else ""
    return Columns(f"{first}{also}", pd.DataFrame(columns), place)


def _labels(frame: pd.DataFrame) -> list[str]:
    return [str(name) for name, kind in frame.dtypes.items() if kind == "category"]


def join_matched(
    files: Sequence[Columns], language_pair: str | None, test_set: str | None
) -> tuple[Columns, dict[str, str]]:
    """Join files of one language pair and test set, with the systems' names of earlier files.

    Names may begin or end with a test set or the file's language pair; see `match_names`. Names of
    other language pairs are not matched. Also returns the new name of each matched name.
    """
    pair = "language pair"
    of_pair = [part for part in files if language_pair in part.names(pair)]
    parts = [part.rows_with(pair, language_pair) for part in of_pair] or list(files)
    around = sorted(part.names("test set")[0] for part in parts)
    matched: dict[str, str] = {}
    earlier: dict[str, None] = {}
    for i, part in enumerate(parts):
        near = dict.fromkeys([*around, *part.names("test set"), *part.names(pair)])
        new = match_names(part.names("system"), earlier, list(near))
        parts[i] = part.renamed("system", new)
        matched |= new
        earlier |= dict.fromkeys(parts[i].names("system"))
    rows = join_columns(parts).rows_with(pair, language_pair)
    return rows.rows_with("test set", test_set), matched


def labelled(values: Floats, names: Mapping[str, Sequence[str]]) -> xr.DataArray:
    """Make an array with labels along each dimension."""
    coordinates = {dim: np.array(each, dtype=object) for dim, each in names.items()}
    return xr.DataArray(values, coordinates, list(names))


def make_dataset(
    human: ArrayLike, score: xr.DataArray, lower: Sequence[str], attrs: dict[str, Any], **more: Any
) -> xr.Dataset:
    """Make Scores or system-level scores from labelled arrays; attributes of None are left out."""
    metrics, systems, *segments = (score[dim].to_numpy().tolist() for dim in score.dims)
    if segments:
        more["segments"] = segments[0]
    make: Callable[..., xr.Dataset] = make_scores if segments else make_system_scores
    return make(
        np.asarray(human),
        score.to_numpy(),
        systems=systems,
        metrics=metrics,
        higher_is_better=[name not in lower for name in metrics],
        attrs={name: value for name, value in attrs.items() if value is not None},
        **more,
    )


def scores_by_system(columns: Columns, expected: int | None = None) -> SystemScores:
    """Scores of each system in row order; all have the expected or the same number."""
    by_system = {}
    codes, scores = columns.codes("system"), columns.scores
    expected = int(np.bincount(codes).max()) if expected is None else expected
    for code, system in enumerate(columns.names("system")):
        rows = np.flatnonzero(codes == code)
        if rows.size != expected:
            where = columns.where(int(rows[expected] if rows.size > expected else rows[-1]))
            counts = f"has {rows.size} scores, {expected} are expected"
            raise InputError(f"{where}: {quoted(system)} {counts}")
        by_system[system] = scores[rows]
    return by_system
