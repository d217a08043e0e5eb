"""Corpus metrics that options ask for: which texts they need, and adding them to Scores."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supersample.cli.sources import Source
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Corpus:
    """Corpus metrics and where their texts are."""

    metrics: list[Any]
    hypotheses: list[str]
    references: list[Any]
    text_cache: Any
    mtme: Path | None

    def check(self) -> None:
        """Refuse texts that no metric asks for."""
        if self.metrics:
            return
        of_texts = {
            "--hypotheses": self.hypotheses,
            "--references": self.references,
            "--text-cache": self.text_cache,
        }
        for name, value in of_texts.items():
            if value:
                raise InputError(f"{name} needs --corpus-metric, such as --corpus-metric bleu")

    def add_to(self, scores: "xr.Dataset", source: Source, *, progress: bool) -> "xr.Dataset":
        """Add the metrics, if there are any, to Scores."""
        if not self.metrics:
            return scores
        import supersample as ss

        systems = [str(name) for name in scores["system"].to_numpy()]
        files = _files_of(self.hypotheses, systems)
        if self.mtme is None or files:
            if not files or not self.references:
                raise InputError(
                    "--corpus-metric needs the texts: --hypotheses SYSTEM=FILE for each system and "
                    "--references FILE, or those of --mtme"
                )
            texts = ss.read_texts(files, self.references)
        elif self.references:
            raise InputError("--references goes with --hypotheses; with --mtme name --reference")
        else:
            texts = ss.read_mtme_texts(
                self.mtme,
                str(source.test_set),
                str(source.language_pair),
                systems=systems,
                references=[source.reference or "refA"],
            )
        return ss.add_corpus_metrics(
            scores,
            texts,
            self.metrics,
            cache=self.text_cache or "user",
            scheduler="auto",
            progress=progress,
        )


def _files_of(hypotheses: list[str], systems: list[str]) -> dict[str, Path]:
    """Take SYSTEM=FILE apart."""
    files: dict[str, Path] = {}
    for given in hypotheses:
        system, equals, path = given.partition("=")
        if not equals or not path:
            raise InputError(f"--hypotheses is SYSTEM=FILE, not '{given}'")
        if system not in systems:
            raise InputError(f"--hypotheses {given}: no system '{system}' in the scores")
        if system in files:
            raise InputError(f"--hypotheses names two files of '{system}'")
        files[system] = Path(path)
    return files
