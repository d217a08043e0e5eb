"""Definitions of shared tasks in TOML files, whose errors name the task, and their scores."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import (
    InputError,
    check_choice,
    check_format,
    check_names,
    listed,
    quoted,
    shortened,
)
from supersample.measures.base import Measure
from supersample.measures.registry import as_measure, measure_names
from supersample.measures.swapped_sums import task_units
from supersample.readers.added_metrics import Orientation, add_metric
from supersample.readers.public_sets import set_facts
from supersample.readers.text import read_toml
from supersample.readers.wmt import (
    MetricKind,
    chosen_or_standard,
    human_path,
    read_mtme,
    read_segment_scores,
    set_folder,
)
from supersample.scores.schema import REFERENCE_FREE
from supersample.scores.system_level import orientation_signs

FOLDER = Path(__file__).with_name("definitions")
_OF_SETS = ("gold", "reference")
_DEFAULTS = ("test_set", "language_pairs", *_OF_SETS)
_OF_TASKS = (*_DEFAULTS, "measure", "swap", "weight")


@dataclass(frozen=True)
class Source:
    """Scores of a language pair; None means the standard of the public set."""

    test_set: str
    language_pair: str
    gold: str | None = None
    reference: str | None = None

    @property
    def name(self) -> str:
        """Test set and language pair."""
        return f"{self.test_set} {self.language_pair}"

    @property
    def options(self) -> list[str]:
        """Options that are not standard, as text."""
        given = {name: getattr(self, name) for name in _OF_SETS}
        return [f"{name} {value}" for name, value in given.items() if value is not None]


@dataclass(frozen=True)
class Task:
    """One column of the table: a measure on the scores of one or several language pairs."""

    measure: Measure
    sources: tuple[Source, ...]
    """Several sources for PA, which pools their pairs of systems."""
    swap: str
    """Units that two metrics swap."""
    weight: float = 1.0

    @property
    def label(self) -> str:
        """Test set, language pairs, measure, and options that are not standard."""
        first = self.sources[0]
        pairs = ",".join(source.language_pair for source in self.sources)
        swap = [] if self.swap == task_units(self.measure)[0] else [f"swap {self.swap}"]
        return " ".join([first.test_set, pairs, self.measure.name, *first.options, *swap])

    @property
    def of_segments(self) -> bool:
        """Whether segment scores are used; otherwise published system scores are used."""
        return self.swap != "systems"


@dataclass(frozen=True)
class TaskSet:
    """The tasks of a table."""

    title: str
    tasks: tuple[Task, ...]


def task_names() -> list[str]:
    """Names of the definitions that come with the package.

    Examples
    --------
    >>> task_names()
    ['wmt23', 'wmt24', 'wmt24-on-wmt23', 'wmt25', 'wmt26']
    """
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read_tasks(file: str | Path, *, language_pairs: Sequence[str] = ()) -> TaskSet:
    """Read the definition of a shared task.

    Parameters
    ----------
    file : str or Path
        Name of a definition that comes with the package (see `task_names`), or a TOML file. It has
        ``[[task]]`` tables with these keys. ``measure`` (see `as_measure`): a measure of systems,
        SPA, a measure of translations by item, or "pearson/none". ``test_set`` and
        ``language_pairs``. Optional, by default the standard of the set: ``gold`` and
        ``reference``. Optional ``swap``, the unit that tests swap ("segments" for translations;
        mt-metrics-eval uses "scores" for "pearson/none" and "pairs" for acc_eq). Optional
        ``weight`` of each language pair (1). PA pools the pairs of systems of its language pairs
        in one task; other measures have one task for each language pair. Above the tables, write a
        ``title``, keys that all tasks share, and optionally ``format`` (1), the number of this
        format.
    language_pairs : sequence of str
        Keep only these.

    Returns
    -------
    TaskSet
        Pooled tasks first, then tasks of single pairs; weights add up to 1.

    Raises
    ------
    InputError
        If something is unknown, missing, of a wrong type or out of range; names file and task.

    Examples
    --------
    >>> tasks = read_tasks("wmt23").tasks
    >>> print(len(tasks), tasks[0].label, tasks[0].weight)
    10 wmt23 en-de,he-en,zh-en PA 0.25
    """
    path = FOLDER / f"{file}.toml" if str(file) in task_names() else Path(file)
    if not path.is_file() and not path.suffix:
        check_names("task", [str(file)], task_names(), "the package, nor a file of this name")
    content = read_toml(path)[1]
    tasks = _tasks_of(path, content, language_pairs)
    order = list(dict.fromkeys(s.name for task in tasks for s in task.sources))
    tasks.sort(key=lambda t: -1 if len(t.sources) > 1 else order.index(t.sources[0].name))
    total = sum(task.weight for task in tasks)
    weighted = [replace(task, weight=task.weight / total) for task in tasks]
    return TaskSet(content.get("title", path.stem), tuple(weighted))


@contextmanager
def _errors_of(where: str) -> Iterator[None]:
    """Add the place in the file to errors."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _tasks_of(path: Path, content: Mapping[str, Any], language_pairs: Sequence[str]) -> list[Task]:
    """All tasks of a file, without duplicates."""
    check_format(path, "shared task", content.get("format", 1))
    with _errors_of(str(path)):
        check_names("key", content, ["title", *_DEFAULTS, "task", "format"])
        shared = {name: value for name, value in content.items() if name in _DEFAULTS}
        _check_types({**shared, "title": content.get("title", "")})
        entries = content.get("task")
        if not isinstance(entries, list) or not entries:
            raise InputError("there is no task: write [[task]] and its keys below it")
        if not all(isinstance(entry, dict) for entry in entries):
            raise InputError("a task is a table: write [[task]] and its keys below it")
    tasks: dict[str, Task] = {}
    found: set[str] = set()
    for number, entry in enumerate(entries, start=1):
        with _errors_of(f"{path}, task {number}"):
            for task in _tasks(shared, entry, set(language_pairs)):
                if task.label in tasks:  # even with another weight
                    raise InputError(f"the task {quoted(task.label)} is defined twice")
                tasks[task.label] = task
        found |= {*entry.get("language_pairs", shared.get("language_pairs", ()))}
    check_names("language pair", language_pairs, sorted(found), str(path))
    return [*tasks.values()]


def _tasks(shared: Mapping[str, Any], entry: Mapping[str, Any], named: set[str]) -> list[Task]:
    """Tasks of one table."""
    check_names("key of a task", entry, _OF_TASKS)
    _check_types(entry)
    values = {**shared, **entry}
    for key in ("test_set", "language_pairs", "measure"):
        if key not in values:
            raise InputError(f"the task has no {key}")
    measure = as_measure(values["measure"])
    units = task_units(measure)
    if not units:
        known = [each for each in measure_names() if task_units(as_measure(each))]
        raise InputError(f"tasks cannot test {measure}; they test {listed(known)}")
    swap = values.get("swap", units[0])
    check_choice(f"unit to swap of {measure}", swap, units)
    pairs = values["language_pairs"]
    if not pairs or len(set(pairs)) < len(pairs):
        raise InputError("name the language pairs, each once")
    pairs = [pair for pair in pairs if not named or pair in named]
    options: dict[str, Any] = {name: values.get(name) for name in _OF_SETS}
    sources = [Source(values["test_set"], pair, **options) for pair in pairs]
    pooled = measure.name == "PA"
    each = [tuple(sources)] if pooled else [(source,) for source in sources]
    weight = values.get("weight", 1)
    return [Task(measure, some, swap, weight * len(some)) for some in each if some]


def _check_types(values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if key == "weight":
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            wanted, fits = "a number above 0", is_number and 0 < value < float("inf")
        elif key == "language_pairs":
            are_texts = isinstance(value, list) and all(isinstance(v, str) for v in value)
            wanted, fits = "a list of texts", are_texts
        else:
            wanted, fits = "a text", isinstance(value, str)
        if not fits:
            raise InputError(f"{key} must be {wanted}, not {shortened(repr(value))}")


Added = Mapping[str, tuple[str, Orientation]]
"""File and orientation of metrics to add, by name; {pair} in a file is the language pair."""


class SourceScores(NamedTuple):
    """Scores of one language pair for a task; larger is better."""

    systems: list[str]
    human: Floats
    """Shape (systems,), or (systems, segments) with NaN where nobody rated."""
    metrics: dict[str, Floats]
    """Scores by metric, with the shape of `human`."""
    left_out: str
    """Metrics and systems left out, and why."""
    gold: str = ""
    """Name of the human scores."""


class Sources:
    """Reads the scores of tasks, each file once."""

    def __init__(
        self, directory: str | Path, metrics: MetricKind, added: Added, lower: Sequence[str]
    ) -> None:
        for name in lower:
            if name in added:
                raise InputError(
                    f"the orientation of the added metric {quoted(name)} is declared with its "
                    'file, ("FILE", "lower-is-better"), not among the metrics of the sets'
                )
        self._directory = directory
        self._lower = lower
        self._metrics = metrics
        self._added = added
        self._segments: dict[Source, xr.Dataset] = {}
        self._systems: dict[Source, xr.Dataset] = {}
        self._higher: dict[str, bool] = {}
        self.notes: dict[str, str] = {}
        """Notes on how metrics were added, by name."""
        self.reference_free: set[str] = set()

    def of(self, task: Task, source: Source) -> SourceScores:
        """Scores of a source at the level of a task's measure.

        Raises
        ------
        InputError
            If a test set, language pair, gold or reference does not exist; or if an added metric
            misses scores.
        """
        folder = set_folder(self._directory, source.test_set) / "documents"
        there = sorted(path.stem for path in folder.glob("*.docs"))
        if source.language_pair not in there:
            raise InputError(
                f"no language pair {quoted(source.language_pair)} in {folder}; for the table of "
                f"those that are there, add --language-pair all, or {','.join(there)}"
            )
        return (self._of_segments if task.of_segments else self._of_systems)(source)

    def _of_segments(self, source: Source) -> SourceScores:
        scores = self._read_segments(source)
        signs = orientation_signs(scores["human"], scores)
        human = scores["human"].transpose("system", "segment").to_numpy() * signs[0]
        values = scores["score"].transpose("metric", "system", "segment").to_numpy()
        rated = ~np.isnan(human)
        metrics, left = {}, []
        for name, sign, each in zip(_names(scores), signs[1:], values, strict=True):
            missing = int(np.isnan(each[rated]).sum())
            if missing and name in self._added:
                raise InputError(_misses(name, source, missing))
            if missing:
                left.append(f"{name} (no score of {missing} of {rated.sum()} translations)")
            else:
                metrics[name] = np.where(rated, each, 0.0) * sign * self._turned(name)
        gold = str(scores.attrs["human"])
        return SourceScores(_systems(scores), human, metrics, _left_out(scores, left), gold)

    def _of_systems(self, source: Source) -> SourceScores:
        if source not in self._systems:
            self._systems[source] = self._read(source, "system")
        scores = self._systems[source]
        of_sets = zip(_names(scores), scores["system_score"].to_numpy().T, strict=True)
        values = {name: each * self._turned(name) for name, each in of_sets}
        for name in self._added:
            values[name] = self._added_means(source, name, _systems(scores))
        human = scores["system_human"].to_numpy()
        gold = str(scores.attrs["human"])
        return SourceScores(_systems(scores), human, values, _left_out(scores, []), gold)

    def _read(self, source: Source, level: Literal["system", "segment"]) -> xr.Dataset:
        """Read the scores of the set, and note its reference-free metrics."""
        scores = read_mtme(
            self._directory,
            source.test_set,
            source.language_pair,
            human=source.gold,
            reference=source.reference,
            metrics=self._metrics,
            level=level,
            include=self._people(source, level),
        )
        free = scores["reference"].to_numpy() == REFERENCE_FREE
        self.reference_free |= {name for name, f in zip(_names(scores), free, strict=True) if f}
        return scores

    def _read_segments(self, source: Source) -> xr.Dataset:
        if source not in self._segments:
            scores = self._read(source, "segment")
            for name, (file, orientation) in self._added.items():
                path = file.replace("{pair}", source.language_pair)
                scores = add_metric(scores, name, path, orientation=orientation)
                higher = bool(scores["higher_is_better"].sel(metric=name))
                if self._higher.setdefault(name, higher) != higher:
                    raise InputError(
                        f"the orientation of {quoted(name)} is inferred otherwise on {source.name} "
                        "than before; declare it"
                    )
            for note in str(scores.attrs.get("added_notes", "")).split("\n"):
                self.notes.setdefault(f"{source.name} {note}", note)
            self._segments[source] = scores
        return self._segments[source]

    def _added_means(self, source: Source, name: str, systems: list[str]) -> Floats:
        """System-level scores of an added metric: means over all segments."""
        scores = self._read_segments(source)
        check_names("system", systems, _systems(scores), f"the segment-level scores of {name}")
        chosen = scores["score"].sel(metric=name, system=systems).transpose("system", "segment")
        missing = int(np.isnan(chosen.to_numpy()).sum())
        if missing:
            raise InputError(_misses(name, source, missing))
        sign = 1.0 if bool(scores["higher_is_better"].sel(metric=name)) else -1.0
        return np.asarray(chosen.to_numpy().mean(axis=1) * sign)

    def _people(self, source: Source, level: str) -> list[str]:
        """List the human translations that people scored, which take part in the shared task."""
        facts = set_facts(source.test_set, source.language_pair)
        if facts is None:
            return []
        root = set_folder(self._directory, source.test_set)
        gold = source.gold or facts.gold.get(level)
        gold, *_ = chosen_or_standard(root, source.language_pair, gold, source.reference)
        scored = read_segment_scores(human_path(root, source.language_pair, gold, level))
        return [name for name in facts.human_systems if name in scored]

    @property
    def lower_is_better(self) -> list[str]:
        """Metrics for which lower is better, by declaration or inference."""
        return [*self._lower, *(name for name, higher in self._higher.items() if not higher)]

    def _turned(self, name: str) -> float:
        """Sign of a metric of the set: -1 if lower is better."""
        return -1.0 if name in self._lower else 1.0


def _names(scores: xr.Dataset) -> list[str]:
    return [str(name) for name in scores["metric"].to_numpy()]


def _systems(scores: xr.Dataset) -> list[str]:
    return [str(name) for name in scores["system"].to_numpy()]


def _misses(name: str, source: Source, missing: int) -> str:
    return (
        f"the added metric {quoted(name)} has no score of {missing} translations of {source.name}"
    )


def _left_out(scores: xr.Dataset, metrics: list[str]) -> str:
    left = [scores.attrs.get("metrics_left_out", ""), listed(metrics)]
    texts = {"systems": scores.attrs.get("systems_left_out", ""), "metrics": "; ".join(left)}
    return "; ".join(f"{k} left out: {v.strip('; ')}" for k, v in texts.items() if v.strip("; "))
