"""What the columns of a table are: by their names, by options, or by a guess that is said."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from supersample.errors import InputError, listed, quoted
from supersample.readers.columns import Wanted

ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "system": "system system_id system_name systemid sys sys_id mt_system model model_id "
        "model_name summarizer_id summarizer engine",
        "segment": "segment segment_id seg_id segid seg sid segment_number seg_num sentence_id "
        "sent_id sentence line_id line_number line item_id item instance_id example_id prompt_id "
        "prompt question_id question id position",
        "scorer": "scorer metric metric_name judge judge_model judge_name evaluator",
        "score": "score value metric_score judge_score judgment judgement rating",
        "document": "document document_id doc_id docid doc document_name",
        "domain": "domain genre",
        "language pair": "language_pair lang_pair langpair lp langs",
    }.items()
}
"""Names of columns by what they hold, the surest first."""
HUMAN = (
    *("human", "human_score", "human_scores", "human_rating", "human_mean", "human_preference"),
    *("preference", "gold", "mqm", "mqm_score", "esa", "esa_score", "da", "da_score", "da_sqm"),
)
"""Names of human scores, the surest first."""
_ROWS = ("", "index", "level_0", "row", "row_id")
_PAIRWISE = ({"model_a", "model_b"}, {"system_a", "system_b"}, {"system1", "system2"})


@dataclass(frozen=True)
class Header:
    """Names of a table's columns."""

    source: str
    written: Sequence[str]
    """Names as they stand in the file."""
    numeric: frozenset[str] = frozenset()
    """Those, in lower case, whose first values are numbers."""
    read_as: str = ""
    """What was guessed of the file before its columns."""
    decimal: str = "."

    @property
    def names(self) -> list[str]:
        """Names in lower case, without spaces around them."""
        return [str(name).strip().lower() for name in self.written]


@dataclass(frozen=True)
class Layout:
    """What the columns of a table of scores are."""

    labels: Mapping[str, str]
    """Column, in lower case, by role."""
    numbers: Mapping[str, str]
    """Columns of scores: the scorer by column; "" for the one that the scorer's column names."""
    read_as: str = ""
    decimal: str = "."

    def wanted(self) -> Wanted:
        """Columns to read."""
        certain = [
            self.labels[role] for role in ("system", "segment", "scorer") if role in self.labels
        ]
        notes = [column for column in self.labels.values() if column not in certain]
        return Wanted(tuple(certain), tuple(notes), tuple(self.numbers), decimal=self.decimal)


@dataclass(frozen=True)
class ColumnNames:
    """Names of columns that the user gave, by role."""

    given: Mapping[str, str] = field(default_factory=dict)

    def layout(self, header: Header, *, one_metric: bool = False) -> Layout:
        """Find what each column is.

        Parameters
        ----------
        header : Header
        one_metric : bool, default False
            Whether a table without a scorer is one of a single metric.

        Raises
        ------
        InputError
            With the columns and what mends it, if no reading fits.
        """
        _check_names(header)
        labels = {
            role: column
            for role in ROLES
            if role != "score" and (column := self._column(header, role)) is not None
        }
        self._check_labels(header, labels)
        score = self._column(header, "score")
        if score is not None and ("scorer" in labels or one_metric):
            taken = [*labels.values(), score]
            human = [name for name in header.names if name == "human" and name not in taken]
            numbers = {score: ""} | {name: name for name in human if name in header.numeric}
            said = _said(header, {**labels, "score": score}, "")
            return Layout(labels, numbers, said, header.decimal)
        labels.pop("scorer", None)
        return self._wide(header, labels)

    def systems_layout(self, header: Header) -> Layout:
        """Find the columns of a table with a row for each system and a column for each scorer."""
        _check_names(header)
        system = self._column(header, "system")
        if system is None:
            raise InputError(
                f"{header.source}, line 1: no column is the system; the header has "
                f"{listed(header.written)}; name it system"
            )
        return self._wide(header, {"system": system})

    def _column(self, header: Header, role: str) -> str | None:
        """Column of a role, in lower case."""
        names = header.names
        if role in self.given:
            asked = self.given[role].strip().lower()
            if asked not in names:
                option = role.replace(" ", "-")
                raise InputError(
                    f"{header.source}: no column {quoted(self.given[role])} for "
                    f"--{option}-column; there are {listed(header.written)}"
                )
            return asked
        taken = {name.strip().lower() for name in self.given.values()}
        plain = {_plain(name): name for name in reversed(names) if name not in taken}
        return next((plain[name] for name in ROLES[role] if name in plain), None)

    def _check_labels(self, header: Header, labels: Mapping[str, str]) -> None:
        missing = [role for role in ("system", "segment") if role not in labels]
        if not missing:
            return
        names = {_plain(name) for name in header.names}
        found = (
            f"{header.source}, line 1: no column is the {' or the '.join(missing)}; the header has "
        )
        found += listed(header.written)
        if any(pair <= names for pair in _PAIRWISE):
            raise InputError(
                f"{found}: these are preferences between two systems; give each system's score "
                "for each segment, such as its share of wins"
            )
        free = [name for name in header.names if name not in labels.values()]
        free.sort(key=lambda name: name in header.numeric)  # labels are rather texts
        named = zip(missing, [*free, "NAME", "NAME"], strict=False)
        options = " ".join(f"--{role}-column {name}" for role, name in named)
        nearest = " and ".join(f"{column} as the {role}" for role, column in labels.items())
        mend = f"nearest is {nearest}; say" if nearest else "say"
        alone = ""
        if missing == ["segment"]:
            alone = "; scores of systems alone are read by --system-scores"
        raise InputError(f"{found}: {mend} which it is, such as {options}{alone}")

    def _wide(self, header: Header, labels: Mapping[str, str]) -> Layout:
        """Read a column for each scorer."""
        free = [name for name in header.names if name not in labels.values()]
        free = [name for name in free if _plain(name) not in _ROWS]
        scorers = [name for name in free if name in header.numeric]
        if not scorers:
            raise InputError(
                f"{header.source}, line 1: no column has scores; the header names system, segment, "
                "scorer and score, or system, segment and a column for each scorer; here it has "
                f"{listed(header.written)}"
            )
        written = dict(zip(header.names, header.written, strict=True))
        columns = {name: str(written[name]).strip() for name in scorers}
        texts = [str(written[name]) for name in free if name not in scorers]
        more = "a column for each scorer"
        more += f", {listed(texts, 5)} left out" if texts else ""
        return Layout(labels, columns, _said(header, labels, more), header.decimal)


def human_name(scorers: Sequence[str], asked: str | None, source: str) -> str:
    """Name of the scorer that holds the human scores: the one asked for, or the only likely one."""
    wanted = "human" if asked is None else asked
    if wanted in scorers:
        return wanted
    likely = [name for name in scorers if name.lower() == wanted.lower()]
    if asked is None and not likely:
        likely = [name for name in scorers if _plain(name) in HUMAN]
    if len(likely) == 1:
        return likely[0]
    raise InputError(
        f"no scorer {quoted(wanted)} in {source}; there are {listed(scorers) or 'none'}; --human "
        "names the one that holds human scores; where these are in another file, read that one, "
        "and add metrics by --add-metric"
    )


def _check_names(header: Header) -> None:
    if not header.names:
        raise InputError(f"{header.source}, line 1: no columns; the first line names them")
    for name in header.names:
        if header.names.count(name) > 1:
            raise InputError(f"{header.source}, line 1: there are several columns {quoted(name)}")


def _said(header: Header, labels: Mapping[str, str], more: str) -> str:
    """Say what was guessed; nothing where the columns have the names of their roles."""
    guessed = [f"{column} as {role}" for role, column in labels.items() if column != role]
    return ", ".join(filter(None, [header.read_as, *guessed, more]))


def _plain(name: str) -> str:
    """Name without what programs write differently: 'SEG-ID' as 'seg_id'."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_").removeprefix("unnamed_0")


def numeric_columns(
    names: Sequence[str], rows: Iterable[Sequence[str]], missing: Sequence[str], decimal: str = "."
) -> frozenset[str]:
    """Columns, by their names in lower case, most of whose values are numbers.

    Others among them are refused when they are read: left out, they would not be missed.
    """
    numbers: Counter[str] = Counter()
    for row in rows:
        for name, cell in zip(names, row, strict=False):
            text = cell.strip()
            if text.lower() not in missing:
                numbers[name] += 1 if is_number(text, decimal) else -1
    return frozenset(name for name, surplus in numbers.items() if surplus > 0)


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a cell is a number."""
    try:
        float(text.replace(decimal, "."))
    except ValueError:
        return False
    return "_" not in text
