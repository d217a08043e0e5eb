"""Read the oriented system-level and segment-level scores of a language pair for tasks."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, check_names, listed, quoted
from supersample.readers.added_metrics import Orientation, add_metric
from supersample.readers.public_sets import set_facts
from supersample.readers.text import read_raw
from supersample.readers.wmt import (
    MetricKind,
    chosen_or_standard,
    human_path,
    read_documents,
    read_mtme,
    read_pairs,
    set_folder,
)
from supersample.scores.schema import REFERENCE_FREE
from supersample.scores.system_level import orientation_signs
from supersample.tasks.definitions import Source, Task

Added = Mapping[str, tuple[str, Orientation]]
"""File and orientation of metrics to add, by name; {pair} in a file is the language pair."""
_KEYS = {
    "test set": "test_set",
    "language pair": "language_pairs",
    "reference": "reference",
    "human": "gold",
    "domain": "domain",
}


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
            With the line of the task's file, if a test set, language pair, gold, reference, system
            or domain does not exist; or if an added metric misses scores.
        """
        try:
            read = self._of_segments if task.of_segments else self._of_systems
            scores = read(source)
        except InputError as error:
            text = str(error)
            key = next((key for what, key in _KEYS.items() if what in text.partition(";")[0]), "")
            if text.startswith("no system "):
                key = "outliers" if source.outliers else "human_systems"
            if not key:  # the error is not in the task's file
                raise
            if key == "language_pairs":
                text += f"; name those by --language-pair {','.join(self._pairs(source))}"
            task.fail(key, text)
        return scores

    def _pairs(self, source: Source) -> list[str]:
        """Language pairs of the test set."""
        folder = set_folder(self._directory, source.test_set) / "documents"
        return sorted(path.stem for path in folder.glob("*.docs"))

    def _of_segments(self, source: Source) -> SourceScores:
        scores = self._read_segments(source)
        signs = orientation_signs(scores["human"], scores)
        human = scores["human"].transpose("system", "segment").to_numpy() * signs[0]
        values = scores["score"].transpose("metric", "system", "segment").to_numpy()
        if source.domain is not None:
            domains = scores["domain"].to_numpy().astype(str)
            check_names("domain", [source.domain], sorted(set(domains)), source.name)
            human = np.where(domains == source.domain, human, np.nan)
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
            domain=source.domain,
            **self._chosen_systems(source, level),
        )
        free = scores["reference"].to_numpy() == REFERENCE_FREE
        self.reference_free |= {name for name, f in zip(_names(scores), free, strict=True) if f}
        return scores

    def _read_segments(self, source: Source) -> xr.Dataset:
        whole = Source(**{**vars(source), "domain": None})
        if whole not in self._segments:
            scores = self._read(whole, "segment")
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
            self._segments[whole] = scores
        return self._segments[whole]

    def _added_means(self, source: Source, name: str, systems: list[str]) -> Floats:
        """System-level scores of an added metric: means over all segments (of the domain)."""
        scores = self._read_segments(source)
        if source.domain is not None:
            scores = scores.isel(segment=scores["domain"].to_numpy() == source.domain)
        check_names("system", systems, _systems(scores), f"the segment-level scores of {name}")
        chosen = scores["score"].sel(metric=name, system=systems).transpose("system", "segment")
        missing = int(np.isnan(chosen.to_numpy()).sum())
        if missing:
            raise InputError(_misses(name, source, missing))
        sign = 1.0 if bool(scores["higher_is_better"].sel(metric=name)) else -1.0
        return np.asarray(chosen.to_numpy().mean(axis=1) * sign)

    def _chosen_systems(self, source: Source, level: str) -> dict[str, list[str]]:
        """Systems to keep although they are left out by default, and systems to leave out."""
        facts = set_facts(source.test_set, source.language_pair)
        root = set_folder(self._directory, source.test_set)
        gold = source.gold or (facts.gold.get(level) if facts else None)
        read_documents(root, source.language_pair)  # raises if there is no such pair
        gold, *_ = chosen_or_standard(root, source.language_pair, gold, source.reference)
        level = "domain" if level == "system" and source.domain is not None else level
        path = human_path(root, source.language_pair, gold, level)
        scored = set() if level == "domain" else set(read_pairs(*read_raw(path)))
        people = source.human_systems
        if people is None:
            people = tuple(s for s in (facts.human_systems if facts else ()) if s in scored)
        kept: tuple[str, ...] = ()
        if source.outliers is not None and facts is not None:
            kept = tuple(s for s in facts.outliers if s not in source.outliers and s in scored)
        return {"include": [*people, *kept], "exclude": list(source.outliers or ())}

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
