"""Options that several commands take, and groups of them, each declared once."""

import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import print_tables, say
from supersample.cli.commands import COMPUTATION, HYBRIDS, OPTIONS, OUTPUT, SCORES, SYSTEMS
from supersample.cli.effects import Effect, beside, flag, valued
from supersample.errors import InputError, quoted

if TYPE_CHECKING:
    import xarray as xr

    from supersample.execution.workers.workers import Workers
    from supersample.results.outputs import Figures, Results

ConfidenceLevel = Annotated[
    float,
    typer.Option(min=0, max=1, help="Level of intervals and tests.", rich_help_panel=OPTIONS),
]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"],
    typer.Option(help="Alternative hypothesis of tests; greater: the first of two is better."),
]
Units = Literal["systems", "segments", "documents", "systems+segments", "systems+documents"]
RandomUnit = Annotated[
    Units,
    typer.Option(help="What the bootstrap draws with replacement, the same for all scorers."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print only results, no progress.", rich_help_panel=OUTPUT),
]


class _Names(str):
    """Choices in a help text, looked up when it is printed."""

    names: Callable[[], Iterable[str]]

    def __format__(self, _: str) -> str:
        return f"<{'|'.join(self.names())}>"


def one_of(
    names: Callable[[], Iterable[str]],
    *,
    listed: Callable[[], Iterable[str]] | None = None,
    **more: Any,
) -> Any:
    """Make an option whose value is one of the names that a registry has when it is parsed.

    `names` is called only to check the option's value and to print the help, so it may import slow
    modules. A name without its year or its "bootstrap-" is accepted if only one name fits: zou is
    zou2007 in every command. The help has all names, or those that are `listed`; `more` is as for
    `typer.Option`.
    """

    def parse(value: str) -> str:
        choices = list(names())
        alike = alike_names(value, choices)
        if not alike:
            raise ValueError(f"{value!r} is not one of {', '.join(map(repr, choices))}.")
        return alike[0] if len(alike) == 1 else value

    choices = _Names("NAME")
    choices.names = listed or names
    complete: Any = {"autocompletion": lambda: list(names())}
    return typer.Option(parser=parse, metavar=choices, **complete, **more)


def alike_names(name: str, choices: Iterable[str]) -> list[str]:
    """Choices that a name means: itself, or those that add a year or "bootstrap-" to it."""
    found, bare = list(choices), name.removeprefix("bootstrap-")
    own = {each: each.removeprefix("bootstrap-") for each in found}
    alike = [each for each in found if bare in (own[each], own[each].rstrip("0123456789"))]
    return [name] if name in found else alike


def formula_names() -> list[str]:
    """Names of the registered tests and intervals of two overlapping correlations."""
    from supersample.inference.two_correlations.registry import OVERLAPPING

    return list(OVERLAPPING)


def coefficient_names() -> list[str]:
    """Names of the registered coefficients."""
    from supersample.inference.one_correlation.coefficients import COEFFICIENTS

    return list(COEFFICIENTS)


def _design_names() -> list[str]:
    from supersample.engine.designs import DESIGNS

    return list(DESIGNS)


_RARE: Any = typer.Option(rich_help_panel=SYSTEMS)


@dataclass(frozen=True, kw_only=True)
class Groups:
    """Groups that metrics are ranked in.

    Parameters
    ----------
    also : PAIR[:REFERENCE]
        Another language pair, or file, to average over; one or A,B.
    language_pairs : PAIRS
        Language pairs to average over: A,B or all.
    by
        Rank in each domain or document, and on average.
    same_system : OTHER=NAME
        Treat the system OTHER of some sets as the system NAME of other sets; one or A,B. Systems
        with the same name are always treated as one system.
    same_metric : OTHER=NAME
        Treat the metric OTHER of some sets as the metric NAME of other sets; one or A,B.
    """

    PANEL: ClassVar = SCORES
    also: list[str] | None = None
    language_pairs: str | None = None
    by: Literal["domain", "document"] | None = None
    same_system: Annotated[list[str] | None, _RARE, beside("also", "language_pairs")] = None
    same_metric: Annotated[list[str] | None, _RARE, beside("also", "language_pairs")] = None

    def matched(self, scores: Any) -> Any:
        """Give systems and metrics of several sets the names that are declared to be the same."""
        from supersample.scores.groups import with_same_names

        for option, dim in (("same_system", "system"), ("same_metric", "metric")):
            names = pairs_of(getattr(self, option), option)
            scores = with_same_names(scores, dim, names) if names else scores
        return scores


def pairs_of(texts: list[str] | None, option: str, kind: Callable[[str], Any] = str) -> Any:
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


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where results go: to the terminal, and to a folder, which is refused if it is unusable.

    Parameters
    ----------
    out
        Folder for data, tables and figures; made if it does not exist.
    overwrite
        Replace the results in the folder --out.
    """

    PANEL: ClassVar = OUTPUT
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None
    overwrite: Annotated[bool, typer.Option("--overwrite"), beside("out")] = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        if self.out is not None:  # before any work is spent
            from supersample.results.outputs import check_folder

            check_folder(self.out, overwrite=self.overwrite)

    def say(self, *lines: str) -> None:
        """Tell the person at the terminal, unless they want quiet."""
        say(*lines, quiet=self.quiet)

    def write(self, writer: Callable[..., list[str]], *results: Any, **options: Any) -> list[str]:
        """Write results to the folder, if there is one, and list the files."""
        if self.out is None:
            return []
        written = writer(self.out, *results, **options)
        self.say(f"written to {self.out}: {', '.join(written)}")
        return written


def command_line() -> str:
    """Write the command line that runs."""
    return shlex.join(["supersample", *sys.argv[1:]])


@dataclass(frozen=True, kw_only=True)
class PageOutput(Output):
    """Where results and a page of them go.

    Parameters
    ----------
    report
        With --out, write report.html, one page with all results.
    """

    report: Annotated[bool, beside("out")] = True

    def keep(self, results: "Results") -> list[str]:
        """Write results and a page of them, if there is a folder, and list the files."""
        from supersample.results.outputs import write_results
        from supersample.results.report import write_study

        written = self.write(write_results, results)
        if self.out is not None and self.report:
            path = self.out / "report.html"
            write_study(results, path, command=command_line(), written=written)
            self.say(f"report: {path}")
        return written

    def finish(self, *found: "xr.Dataset", full: bool = True) -> list[str]:
        """Print results, in brief unless all is asked for; write all of them, if asked."""
        from supersample.presentation.kinds import kind_of
        from supersample.presentation.table import leading_rows
        from supersample.results.outputs import results_of

        results, kind = results_of(*found), kind_of(found[0])
        if full or kind.brief is None:
            tables = map(leading_rows, results.pages.values())
            print_tables(*tables, of=results.signed, answer=results.answer)
        else:
            brief = kind.brief(*found)
            print_tables(*brief, answer=results.answer, notes=["All numbers: --full."])
        return self.keep(results)


@dataclass(frozen=True, kw_only=True)
class FigureOutput(PageOutput):
    """Where results and their page go, and which figures are among them.

    Parameters
    ----------
    figures : [main|all|none|NAMES]
        With --out, figures to draw: main (the most important ones), all, none, or names joined
        by commas, such as forest,scatter.
    figure_width : [acl1|acl2|INCHES]
        Width of figures: acl1, a column of ACL's style (3.03 inches); acl2, its page (6.3); or a
        number of inches.
    """

    figures: Annotated[str, beside("out")] = "main"
    figure_width: Annotated[
        str,
        beside("out"),
        Effect(lambda values: values["figures"] != "none", "does not go with --figures none"),
    ] = "acl2"

    def __post_init__(self) -> None:
        """Check the folder, the names and the width."""
        super().__post_init__()
        if self.out is not None:
            self._figures().check_kinds()

    def write(self, writer: Callable[..., list[str]], *results: Any, **options: Any) -> list[str]:
        """Write results and figures to the folder, if there is one, and list the files."""
        if self.out is None:
            return []
        written = super().write(writer, *results, figures=self._figures(), **options)
        left_out = getattr(written, "left_out", ())
        if left_out and self.figures == "main":
            self.say(f"figures that --figures all adds: {', '.join(left_out)}")
        return written

    def _figures(self) -> "Figures":
        from supersample.results.outputs import Figures

        return Figures(self.figures, self.figure_width)


@dataclass(frozen=True, kw_only=True)
class Means:
    """How original systems are scored.

    Parameters
    ----------
    mask
        Segments to use. common: those that people rated for every system; complete: those that
        every metric scored, too; all: every segment for metrics, rated segments for human scores.
    human_mean
        How a system's human score is averaged. ratings: over all ratings; segments: over the means
        of its segments.
    """

    PANEL: ClassVar = SYSTEMS
    mask: Literal["common", "complete", "all"] = "common"
    human_mean: Literal["ratings", "segments"] = "ratings"


@dataclass(frozen=True, kw_only=True)
class HybridOptions:
    """How hybrids are built.

    Parameters
    ----------
    hybrids
        Number of hybrid systems.  [default: 10000]
    design : NAME[:OPTION=VALUE,...]
        How hybrids are built. pairs: from two systems each; mix: from all systems; or the name of a
        registered design, with its options as in triples:share=0.4.
    pairs
        How the two systems of a hybrid are chosen. balanced: every pair equally often; random: by
        chance.
    share
        Probability that a segment comes from one of the two systems, such as 0.4; or uniform: a
        random probability for each hybrid.
    unit
        Unit that comes from one system as a whole.
    """

    PANEL: ClassVar = HYBRIDS
    hybrids: Annotated[int | None, typer.Option("--hybrids", "-n", rich_help_panel=OPTIONS)] = None
    seed: Seed = 0
    design: Annotated[str, typer.Option(autocompletion=_design_names)] = "pairs"
    pairs: Annotated[Literal["balanced", "random"], valued("design", "pairs")] = "balanced"
    share: Annotated[str, valued("design", "pairs")] = "0.5"
    unit: Annotated[
        Literal["segment", "document"],
        Effect(lambda values: "unit=" not in values["design"], "is also set by --design"),
    ] = "segment"

    def chosen(self, default: int = 10_000) -> dict[str, Any]:
        """Keyword arguments of verbs that build hybrids: n, seed and design."""
        from supersample.engine.designs import parse_design

        of_pairs = {"pairs": self.pairs, "share": self.share} if self.design == "pairs" else {}
        design = parse_design(self.design, unit=self.unit, **of_pairs)
        n = default if self.hybrids is None else self.hybrids
        return {"n": n, "seed": self.seed, "design": design}


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Workers that compute.

    Parameters
    ----------
    scheduler : [threads|processes|synchronous|slurm|tcp://HOST:PORT]
        Where to compute: in threads or processes of this machine, in one thread (synchronous), in
        jobs of SLURM, or by a dask scheduler. The results do not depend on it.
    workers
        Number of threads, processes, or SLURM jobs.  [default: processors; one job]
    memory
        Memory of each SLURM job, such as 4GB.
    walltime
        Time limit of each SLURM job, such as 01:00:00.
    queue
        SLURM partition for the jobs.
    """

    PANEL: ClassVar = COMPUTATION
    scheduler: str = "threads"
    workers: Annotated[int | None, typer.Option(min=1)] = None
    memory: str | None = None
    walltime: str | None = None
    queue: str | None = None

    def parsed(self) -> "Workers":
        """Make the workers."""
        from supersample.execution.workers.workers import Workers

        return Workers(*vars(self).values())


@dataclass(frozen=True, kw_only=True)
class PartOptions:
    """Which part of a run this process computes.

    Parameters
    ----------
    part
        Number of the part that this process computes, from 1 to --parts.
    parts
        Number of parts; each process computes one.
    """

    PANEL: ClassVar = COMPUTATION
    part: int | None = None
    parts: int | None = None

    def parsed(self) -> tuple[int, int] | None:
        """Part and number of parts, None for the whole run."""
        if (self.part is None) != (self.parts is None):
            raise InputError("--part and --parts go together, as in --part 1 --parts 4")
        return None if self.part is None or self.parts is None else (self.part, self.parts)
