"""Corpus metrics that options ask for, and the texts they are computed from."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supersample.errors import InputError, quoted

if TYPE_CHECKING:
    import xarray as xr

    from supersample.cli.sources import Source


@dataclass(frozen=True)
class CorpusTexts:
    """What options say of corpus metrics."""

    metrics: list[str]
    hypotheses: list[str]
    references: list[Path]
    cache: Path | None

    def __post_init__(self) -> None:
        options = {
            "--hypotheses": self.hypotheses,
            "--references": self.references,
            "--text-cache": self.cache,
        }
        for name, value in options.items():
            if value and not self.metrics:
                raise InputError(f"{name} needs --corpus-metric, such as --corpus-metric bleu")

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
            cache=self.cache or "user",
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
            references=[source.options["reference"] or source.reader.defaults["reference"]],
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
