"""Options that several commands take, and groups of them, each declared once."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.commands import COMPUTATION, HYBRIDS, OPTIONS, OUTPUT, SCORES, TESTS, flag
from supersample.errors import InputError, check_names, options_of, quoted

if TYPE_CHECKING:
    from supersample.execution.workers import Workers


def option(text: str, panel: str = OPTIONS, *names: str, **facts: Any) -> Any:
    """Declare an option for `Annotated`: its help, panel and names."""
    return typer.Option(*names, help=text, rich_help_panel=panel, **facts)


Text = str | None
Texts = list[str] | None
ConfidenceLevel = Annotated[float, option("Level of intervals and tests.", min=0, max=1)]
Seed = Annotated[int, option("Seed of all random numbers.")]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"],
    option("Alternative hypothesis of tests; greater: the first of two is better.", TESTS),
]
Units = Literal["systems", "segments", "documents", "systems+segments", "systems+documents"]
Scale = Literal["nominal", "ordinal", "interval"]
Quiet = Annotated[bool, option("Print only results, no progress.", OUTPUT, "--quiet", "-q")]
Overwrite = Annotated[
    bool, option("Replace results that are there already.", OUTPUT, "--overwrite")
]
LanguagePairs = Annotated[
    Texts, option("Language pair to read, such as en-de; A,B or all ranks in each.", SCORES)
]
Metrics = Annotated[
    Texts,
    option(
        "Metrics to keep (added ones are always kept): A,B, all (the default), or none; of a set "
        "of mt-metrics-eval also reference, reference-free (-src), or primary (submissions and "
        "baselines).",
        SCORES,
    ),
]
LowerIsBetter = Annotated[
    Texts, option("Scorer whose higher scores mean worse translations; A,B.", SCORES)
]
HigherIsBetter = Annotated[
    Texts, option("Added metric whose higher scores are better; A,B.", SCORES)
]
AddMetric = Annotated[
    Texts,
    option(
        "Your metric, and what to call it: a table, .seg.score, lines of a system and a score, or "
        "a folder with a file for each system; A,B. {pair} in FILE stands for each language pair. "
        "Declare its orientation by --lower-is-better or "
        "--higher-is-better; otherwise it is inferred, with a warning.",
        SCORES,
        metavar="[NAME=]FILE",
    ),
]


class _Names(str):
    """Choices in a help text, looked up when it is printed."""

    names: Callable[[], Iterable[str]]

    def __format__(self, _: str) -> str:
        return f"<{'|'.join(self.names())}>"


def pairs_of(texts: Texts, option: str, kind: Callable[[str], Any] = str) -> Any:
    """Take texts like NAME=VALUE apart."""
    found = {}
    for text in texts or []:
        name, _, value = text.rpartition("=")
        if name in found:
            raise InputError(f"{flag(option)} names {quoted(name)} twice")
        with suppress(ValueError):
            found[name] = kind(value)
        if not name or not value or name not in found:
            raise InputError(f"{flag(option)} takes NAME=VALUE, not {quoted(text)}")
    return found


def named_options(text: str, option: str, taken: Iterable[str]) -> tuple[str, dict[str, Any]]:
    """Take VALUE:OPTION=VALUE,... apart; refuse options that are not `taken`."""
    name, options = options_of(text, flag(option))
    check_names("option", options, taken, flag(option))
    return name, options


@dataclass(frozen=True, kw_only=True)
class Means:
    """How original systems are scored.

    Parameters
    ----------
    mask
        Segments to use. common: those that people rated for every system; complete: those that
        every metric scored, too; all: every segment for metrics, rated segments for human scores.
        [default: common; of measures of translations all]
    human_mean
        How a system's human score is averaged. ratings: over all ratings; segments: over the means
        of its segments.
    """

    PANEL: ClassVar = SCORES
    mask: Literal["common", "complete", "all"] | None = None
    human_mean: Literal["ratings", "segments"] = "ratings"

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of verbs."""
        return {"mask": self.mask or "common", "human_mean": self.human_mean}


def _design_names() -> list[str]:
    from supersample.engine.designs import DESIGNS

    return list(DESIGNS)


@dataclass(frozen=True, kw_only=True)
class HybridOptions:
    """How hybrids are built.

    Parameters
    ----------
    hybrids
        Number of hybrid systems; 0 for none.  [default: 10000; of a run 1000000]
    design : NAME[:OPTION=VALUE,...]
        How hybrids are built. pairs: from two systems each; mix: from all systems; or the name of a
        registered design. With options, as in pairs:share=0.4,pairs=random,unit=document.
    """

    PANEL: ClassVar = HYBRIDS
    hybrids: Annotated[
        int | None, typer.Option("--hybrids", "-n", min=0, rich_help_panel=OPTIONS)
    ] = None
    seed: Seed = 0
    design: Annotated[str, typer.Option(autocompletion=_design_names)] = "pairs"

    def chosen(self, default: int = 10_000) -> dict[str, Any]:
        """Keyword arguments of verbs that build hybrids: n, seed and design."""
        from supersample.engine.designs import parse_design

        n = default if self.hybrids is None else self.hybrids
        return {"n": n, "seed": self.seed, "design": parse_design(self.design)}


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Workers that compute.

    Parameters
    ----------
    scheduler : [threads|processes|synchronous|slurm|tcp://HOST:PORT]
        Where to compute: in threads or processes of this machine, in one thread (synchronous), in
        jobs of SLURM (as in slurm:memory=4GB,walltime=01:00:00,queue=long), or by a dask scheduler.
        The results do not depend on it.
    workers
        Number of threads, processes, or SLURM jobs.  [default: processors; one job]
    """

    PANEL: ClassVar = COMPUTATION
    scheduler: str = "threads"
    workers: Annotated[int | None, typer.Option(min=1)] = None

    def parsed(self) -> "Workers":
        """Make the workers."""
        from supersample.execution.workers import Workers

        name, options = named_options(self.scheduler, "scheduler", ("memory", "walltime", "queue"))
        texts = {each: str(value) for each, value in options.items()}
        return Workers(name, self.workers, **texts)
