"""Scores that options name: of one registered source, with ratings, added and corpus metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from supersample.cli.effects import flag
from supersample.errors import InputError, quoted
from supersample.readers.registry import OPTIONS, ScoreReader, reader_of, registered_readers

if TYPE_CHECKING:
    import xarray as xr

Orientation = Literal["infer", "higher-is-better", "lower-is-better"]
_KINDS = ("reference", "reference-free", "all", "primary")


def source_readers() -> list[ScoreReader]:
    """Readers that have an option ``--NAME``."""
    return [reader for reader in registered_readers().values() if reader.help]


@dataclass(frozen=True)
class Source:
    """The source that options name, and what they say of it."""

    reader: ScoreReader
    argument: Any
    options: Mapping[str, Any]
    """By the names of `OPTIONS`; None or empty where not passed."""

    @classmethod
    def named(cls, values: Mapping[str, Any]) -> "Source":
        """Find the one source that is named."""
        chosen = [reader for reader in source_readers() if values[reader.name]]
        if (values["table"] is not None) + len(chosen) != 1:
            named = [
                f"{flag(reader.name)} {reader.metavar}"
                for reader in source_readers()
                if reader.argument != "nothing"
            ]
            raise InputError(
                f"name one source of scores: a table, {', '.join(named)}, or --example"
            )
        options = {name: values[name] for name in OPTIONS}
        if chosen:
            return cls(chosen[0], values[chosen[0].name], options)
        return cls(reader_of(values["table"]), values["table"], options)

    def read(self) -> "xr.Dataset":
        """Read the Scores, and keep the systems and metrics asked for."""
        from supersample.scores.selection import keep_metrics, keep_systems

        self._check()
        metrics, takes = self.options["metrics"], self.reader.takes
        scores = self.reader(self.argument, **self._passed())
        if "exclude" not in takes:
            scores = keep_systems(scores, exclude=self.options["exclude"])
        if "metrics" not in takes and metrics not in (None, "all"):
            scores = keep_metrics(scores, _names(metrics))
        if "only" not in takes and self.options["only"]:
            scores = keep_systems(scores, only=self.options["only"])
        return scores

    def _check(self) -> None:
        """Refuse options that are missing, or would have no effect."""
        name, takes = self._name(), self.reader.takes
        for option, value in self.options.items():
            if not value or option in (*takes, "metrics", "exclude", "only"):
                continue
            if option == "include":
                raise InputError(
                    f"--include does not go with {name}, which leaves no system out by itself; "
                    "--only names those to keep"
                )
            given = f"{next(iter(value))}_column" if option == "columns" else option
            raise InputError(f"{flag(given)} does not go with {name}; leave it out")
        missing = [option for option in self.reader.needs if self.options[option] is None]
        if missing:
            needs = " and ".join(map(flag, self.reader.needs))
            what = ": a file of human scores, or a metric" if missing == ["human"] else ""
            raise InputError(f"{name} also needs {needs}{what}")
        metrics = self.options["metrics"]
        if "metrics" not in takes and metrics in ("reference", "reference-free", "primary", "none"):
            raise InputError(f"--metrics {metrics} needs --mtme; name metrics, or say all")

    def _passed(self) -> dict[str, Any]:
        """Keyword arguments of the reader."""
        passed = {
            option: value
            for option, value in self.options.items()
            if option in self.reader.takes and value
        }
        if "include" in self.reader.takes:
            asked = dict.fromkeys([*self.options["include"], *self.options["only"]])
            passed["include"] = list(asked)
        if "metrics" in passed and passed["metrics"] not in _KINDS:
            passed["metrics"] = [] if passed["metrics"] == "none" else _names(passed["metrics"])
        return passed

    def _name(self) -> str:
        if self.reader.help:
            return flag(self.reader.name)
        if self.reader.name == "table":
            return "a table"
        return f"a {Path(self.argument).suffix.lower()} file"


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


@dataclass(frozen=True)
class RawRatings:
    """What options say of raw ratings that take the place of human scores."""

    file: str | None
    scale: Literal["z", "raw"]
    quality_control: Literal["wilcoxon", "t-test", "none"]

    def prepared(self, pair: str, language_pair: str | None = None) -> "xr.Dataset | None":
        """Ratings ready to be averaged, None without a file.

        `pair` stands for {pair} in the file's name; `language_pair` is that of its rows.
        """
        if self.file is None:
            return None
        from supersample.readers.ratings import read_appraise, read_ratings
        from supersample.scores.quality_control import prepare_ratings

        path = self.file.replace("{pair}", pair)
        appraise = path.lower().endswith(".csv") and not _has_header(path)
        if appraise:
            ratings = read_appraise(path, language_pair=language_pair)
        else:
            ratings = read_ratings(path)
        return prepare_ratings(ratings, quality_control=self.quality_control, scale=self.scale)


def _has_header(path: str) -> bool:
    """Whether the first line of a table names the columns of ratings; Appraise writes none."""
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace") as stream:
            names = [name.strip().strip('"').casefold() for name in stream.readline().split(",")]
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    return len(names) < 11 or {"assessor", "system", "segment", "score"} <= set(names)


def added_metrics(
    named: Sequence[str], lower: Sequence[str], higher: Sequence[str]
) -> dict[str, tuple[str, Orientation]]:
    """File and orientation of each metric to add, by name."""
    added: dict[str, tuple[str, Orientation]] = {}
    for text in named:
        name, equals, file = text.partition("=")
        name = name.strip()
        if not equals or not name or not file:
            raise InputError(f"--add-metric takes NAME=FILE, not {quoted(text)}")
        if name in added:
            raise InputError(f"--add-metric names {quoted(name)} twice")
        if name in lower and name in higher:
            raise InputError(f"{quoted(name)} cannot be lower-is-better and higher-is-better")
        orientation: Orientation = "infer"
        if name in lower:
            orientation = "lower-is-better"
        elif name in higher:
            orientation = "higher-is-better"
        added[name] = (file, orientation)
    for name in higher:
        if name not in added:
            raise InputError(
                f"--higher-is-better is of added metrics; {quoted(name)} is none, and all others "
                "are so unless --lower-is-better says otherwise"
            )
    return added


@dataclass(frozen=True)
class CorpusTexts:
    """What options say of corpus metrics."""

    metrics: list[str]
    hypotheses: list[str]
    references: list[str]
    cache: str | None

    def labels(self) -> list[str]:
        """Names that the corpus metrics get."""
        if not self.metrics:
            return []
        from supersample.scores.corpus.metrics import parse_text_metric

        return [parse_text_metric(spec).label for spec in self.metrics]

    def added_to(self, scores: "xr.Dataset", source: "Source", *, progress: bool) -> "xr.Dataset":
        """Add the corpus metrics asked for to Scores."""
        if not self.metrics:
            return scores
        from supersample.scores.corpus.adding import add_corpus_metrics

        if "segment" not in scores.dims:
            raise InputError("--corpus-metric needs segments; system-level scores have none")
        return add_corpus_metrics(
            scores,
            self._texts(scores, source),
            self.metrics,
            cache=Path(self.cache) if self.cache else "user",
            workers="auto",
            progress=progress,
        )

    def _texts(self, scores: "xr.Dataset", source: "Source") -> Any:
        from supersample.readers.texts import read_mtme_texts, read_texts

        systems = [str(name) for name in scores["system"].to_numpy()]
        files = _files_of(self.hypotheses, systems)
        if source.reader.name != "mtme" or files:
            if not files or not self.references:
                raise InputError(
                    "--corpus-metric needs the texts: --hypotheses SYSTEM=FILE for each system and "
                    "--references FILE, or those of --mtme"
                )
            return read_texts(files, self.references)
        if self.references:
            raise InputError("--references goes with --hypotheses; with --mtme name --reference")
        return read_mtme_texts(
            source.argument,
            source.options["test_set"],
            source.options["language_pair"],
            systems=systems,
            references=[str(scores.attrs["reference"])],
        )


def _files_of(hypotheses: list[str], systems: list[str]) -> dict[str, Path]:
    """Take SYSTEM=FILE apart."""
    files: dict[str, Path] = {}
    for text in hypotheses:
        system, equals, path = text.partition("=")
        if not equals or not path:
            raise InputError(f"--hypotheses is SYSTEM=FILE, not {quoted(text)}")
        if system not in systems:
            raise InputError(f"--hypotheses {text}: no system {quoted(system)} in the scores")
        if system in files:
            raise InputError(f"--hypotheses names two files of {quoted(system)}")
        files[system] = Path(path)
    return files
