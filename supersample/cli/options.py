"""Options that several commands take, each declared once, and where results go."""

import shlex
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from supersample.cli.app import (
    COMPUTATION,
    HYBRIDS,
    OPTIONS,
    OUTPUT,
    SCORES,
    TESTS,
    beside,
    flag,
    print_tables,
    say,
)
from supersample.errors import InputError, check_confidence_level, check_names, options_of, quoted

if TYPE_CHECKING:
    import xarray as xr

    from supersample.comparisons.question import Question
    from supersample.comparisons.rankings import RankedHybrids
    from supersample.execution.workers import Workers
    from supersample.presentation.screen import Screen
    from supersample.results.outputs import Figures, Results


def option(text: str, panel: str = OPTIONS, *names: str, **facts: Any) -> Any:
    """Declare an option for `Annotated`: its help, panel and names."""
    return typer.Option(*names, help=text, rich_help_panel=panel, **facts)


Text = str | None
Texts = list[str] | None
ConfidenceLevel = Annotated[
    float, option("Level of intervals and tests.", callback=check_confidence_level)
]
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
    Texts,
    option("Language pair to read, such as en-de; A,B, or all there are, one by one.", SCORES),
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
        "a folder with a file for each system; A,B. One score of each system is enough for r over "
        "systems (rank, compare). {pair} in FILE stands for each language pair. Declare its "
        "orientation by --lower-is-better or --higher-is-better; otherwise it is inferred, with a "
        "warning.",
        SCORES,
        *("--add-metric", "-a"),
        metavar="[NAME=]FILE",
    ),
]


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
    design: str = "pairs"

    def chosen(self, default: int = 10_000) -> dict[str, Any]:
        """Keyword arguments of verbs that build hybrids: n, seed and design."""
        from supersample.engine.hybrid_designs import parse_design

        n = default if self.hybrids is None else self.hybrids
        return {"n": n, "seed": self.seed, "design": parse_design(self.design)}


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Workers that compute.

    Parameters
    ----------
    scheduler : NAME
        Where to compute: in threads or processes of this machine, in one thread (synchronous), in
        jobs of SLURM (dask's configuration jobqueue.slurm has their memory, time and queue), or by
        the dask scheduler at tcp://HOST:PORT. The results do not depend on it.
    workers
        Number of threads, processes, or SLURM jobs.  [default: processors; one job]
    """

    PANEL: ClassVar = COMPUTATION
    scheduler: str = "threads"
    workers: Annotated[int | None, typer.Option(min=1)] = None

    def parsed(self) -> "Workers":
        """Make the workers."""
        from supersample.execution.workers import Workers

        return Workers(self.scheduler, self.workers)


KINDS = ("reference", "reference-free", "all", "primary")
PAGE = "report.html"


def command_line() -> str:
    """Write the command line that runs."""
    return shlex.join(["supersample", *sys.argv[1:]])


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where results go: to the terminal, and with a page to a folder, refused if it is unusable.

    Parameters
    ----------
    out
        Folder for data, tables, figures and a page of all results; made if it does not exist.
    figures : WHICH[:width=WIDTH]
        With --out, figures to draw: main (the most important ones), all, none, or A,B, such as
        forest,scatter. PNG files have a title; PDF files, for papers, have none. WIDTH is acl2, a
        page of ACL's style (6.3 inches); acl1, its column (3.03); or a number of inches, as in
        main:width=acl1.
    """

    PANEL: ClassVar = OUTPUT
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None
    overwrite: Annotated[Overwrite, beside("out")] = False
    quiet: Quiet = False
    figures: Annotated[list[str] | None, beside("out")] = None

    def __post_init__(self) -> None:
        """Check the folder, the names and the width, before any work is spent."""
        if self.out is not None:
            from supersample.results.outputs import check_folder

            check_folder(self.out, overwrite=self.overwrite)
            self._figures().check_kinds()

    def say(self, *lines: str) -> None:
        """Tell the person at the terminal, unless they want quiet."""
        say(*lines, quiet=self.quiet)

    def write(self, results: "Results", **options: Any) -> list[str]:
        """Write results and figures to the folder, if there is one, and list the files."""
        if self.out is None:
            return []
        from supersample.results.outputs import write_results

        written = write_results(self.out, results, figures=self._figures(), **options)
        if written.left_out and self._figures().names == "main":
            self.say(f"further figures, by --figures all: {', '.join(written.left_out)}")
        return written

    def tell(self, written: list[str]) -> None:
        """Name what is read first: page, table, figure, and pairs for a paper; count the others."""
        ends = ".html", ".csv", ".png", "-pairs.tex"
        first = [[x for x in written if x.endswith(end)][:1] for end in ends]
        named = [name for each in first for name in each]
        rest = len(written) - len(named)
        more = f", and {rest} more {'file' if rest == 1 else 'files'}" if rest else ""
        if written:
            self.say(f"written to {self.out}: {', '.join(named)}{more}")

    def keep(self, results: "Results") -> None:
        """Write results and a page of them, if there is a folder."""
        from supersample.results.outputs import write_study

        written = self.write(results)
        if self.out is not None:
            write_study(results, self.out / PAGE, command=command_line(), written=written)
            written.append(PAGE)
        self.tell(written)

    def finish(self, *found: "xr.Dataset", full: bool = True) -> None:
        """Print results, in brief unless all is asked for; write all of them, if asked."""
        from supersample.presentation.registry import kind_of
        from supersample.presentation.table import leading_rows
        from supersample.results.outputs import results_of

        results, kind = results_of(*found), kind_of(found[0])
        if full or kind.brief is None:
            tables = map(leading_rows, results.pages.values())
            print_tables(*tables, of=results.signed, answer=results.answer)
        else:
            brief = kind.brief(*found)
            notes = [*(note for table in brief for note in table.notes), "All numbers: --full."]
            print_tables(*brief, answer=results.answer, notes=notes)
        self.keep(results)

    def _figures(self) -> "Figures":
        from supersample.results.outputs import Figures

        names, options = named_options(",".join(self.figures or ["main"]), "figures", ("width",))
        if names == "none" and options:
            raise InputError("--figures none draws nothing; leave its width out")
        return Figures(names, **options)


@dataclass(frozen=True, kw_only=True)
class Amount:
    """How much of a ranking is printed.

    Parameters
    ----------
    all
        Print every metric.
    full
        Print every table and column.
    explain
        Print what every term means.
    """

    all: Annotated[bool, typer.Option("--all", rich_help_panel=OUTPUT)] = False
    full: Annotated[bool, typer.Option("--full", rich_help_panel=OUTPUT)] = False
    explain: Annotated[bool, typer.Option("--explain", rich_help_panel=OUTPUT)] = False

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of `screen_of`."""
        return {"every_metric": self.all, "full": self.full, "explain": self.explain}


@dataclass(frozen=True, kw_only=True)
class Shown(Amount):
    """How much of a ranking is printed, and what it is compared with.

    Parameters
    ----------
    baseline : METRIC
        Compare with this one the metrics of --add-metric, or without these every metric: with
        p-values; for r also with intervals and about how many systems would be needed.
    margin : X
        Say whether a metric is as good as the other one of two, or as the baseline: not worse by
        more than this, such as 0.02, or equivalent.
    """

    baseline: Annotated[str | None, typer.Option("--baseline", "-b")] = None
    margin: Annotated[float | None, typer.Option(rich_help_panel=TESTS)] = None

    def compared(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named, or one of two metrics with the other."""
        from supersample.results.ranks_and_clusters import compare_to_baseline, pair_of

        if self.baseline is None:
            return pair_of(ranking, self.margin)
        return compare_to_baseline(ranking, self.baseline, margin=self.margin)


def print_screen(ranking: "xr.Dataset", screen: "Screen") -> None:
    """Print what is shown of a ranking, with its signature if it is asked for."""
    told = {"answer": screen.answer, "lines": screen.lines, "notes": screen.notes}
    print_tables(*screen.tables, of=[ranking] * screen.signed, **told)


def write_page(ranking: "xr.Dataset", folder: "Path", written: list[str], **parts: Any) -> str:
    """Write the page of a ranking, with the command line that made it; give its name."""
    from supersample.results.outputs import write_report

    write_report(ranking, folder / PAGE, command=command_line(), written=written, **parts)
    return PAGE


@dataclass(frozen=True, kw_only=True)
class ReportOutput(Output):
    """Where results of a ranking go, with a page of them."""

    def show_ranking(
        self,
        ranked: "RankedHybrids",
        scores: Any,
        question: "Question",
        shown: Shown,
        *,
        of_hybrids: bool = False,
        **options: Any,
    ) -> None:
        """Print a ranking with what its reader must know, and write it with its page."""
        from supersample.presentation.labels import source_lines
        from supersample.presentation.screen import screen_of
        from supersample.results.ranks_and_clusters import settles

        ranking, exact, sample = ranked[:3]
        against = shown.compared(ranking)
        self.say(*source_lines(ranking))
        chosen = {"of_hybrids": of_hybrids, **shown.chosen()}
        print_screen(ranking, screen_of(ranking, against, exact, settles(ranking), **chosen))
        if self.out is None:
            return
        from supersample.comparisons.rankings import page_parts
        from supersample.results.outputs import results_of

        hybrids = None if sample is None else sample.assign_attrs(kind="hybrids")
        named = against if shown.baseline is not None or shown.margin is not None else None
        further = [x for x in (hybrids, exact, named) if x is not None]
        results = results_of(ranking, *further)
        written = self.write(results, progress=not self.quiet, **options)
        parts = page_parts(ranked, scores, question)
        written.append(write_page(ranking, self.out, written, against=against, **parts))
        self.tell(written)
