"""Where results go: to the terminal, and to a folder with files, figures and a page of them."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from supersample.cli.app import print_tables, say
from supersample.cli.commands import OUTPUT, TESTS, Effect, Values, beside
from supersample.cli.options import Overwrite, Quiet, named_options
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

    from supersample.comparisons.rankings import RankedHybrids
    from supersample.presentation.screen import Screen
    from supersample.presentation.table import Table
    from supersample.results.outputs import Figures, Results

KINDS = ("reference", "reference-free", "all", "primary")
_DECIDING = 10  # segments or documents on a terminal


def command_line() -> str:
    """Write the command line that runs."""
    return shlex.join(["supersample", *sys.argv[1:]])


@dataclass(frozen=True, kw_only=True)
class FolderOutput:
    """Where results go: to the terminal, and to a folder, which is refused if it is unusable.

    Parameters
    ----------
    out
        Folder for data, tables and figures; made if it does not exist.
    """

    PANEL: ClassVar = OUTPUT
    out: Annotated[Path | None, typer.Option("--out", "-o")] = None
    overwrite: Annotated[Overwrite, beside("out")] = False
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


@dataclass(frozen=True, kw_only=True)
class PageOutput(FolderOutput):
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
    figures : [main|all|none|NAMES][:width=WIDTH]
        With --out, figures to draw: main (the most important ones), all, none, or A,B, such as
        forest,scatter. Their width is acl2, a page of ACL's style (6.3 inches); acl1, its column
        (3.03); or a number of inches, as in main:width=acl1.
    """

    figures: Annotated[list[str] | None, beside("out")] = None

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
        if left_out and self._figures().names == "main":
            self.say(f"figures that --figures all adds: {', '.join(left_out)}")
        return written

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


def _kept(values: Values) -> bool:
    """Whether --metrics may keep the baseline; kinds and added metrics have no names here."""
    named = values.get("metrics") or ["all"]
    more = values.get("add_metric") or values.get("corpus_metric")
    return bool(more) or named[0] in KINDS or values["baseline"] in named


@dataclass(frozen=True, kw_only=True)
class Shown(Amount):
    """How much of a ranking is printed, and what it is compared with.

    Parameters
    ----------
    baseline : METRIC
        Print how each metric differs from this one, with p-values; for r also with intervals
        and about how many systems would be needed.
    influence
        Print how r and significant differences change when one system is left out (by --method
        if it is a formula, else by zou2007); with several sets, when one set is left out.
    """

    baseline: Annotated[
        str | None,
        Effect(_kept, "names a metric that --metrics does not keep; name it there, too"),
    ] = None
    influence: Annotated[bool, typer.Option("--influence", rich_help_panel=TESTS)] = False

    def compared(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named, or one of two metrics with the other by r."""
        from supersample.results.ranking import compare_to_baseline

        two = ranking.sizes["metric"] == 2 and "p_value" in ranking
        if self.baseline is None and two and "basis" in ranking.dims:
            return compare_to_baseline(ranking, str(ranking["metric"].to_numpy()[1]))
        return None if self.baseline is None else compare_to_baseline(ranking, self.baseline)

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of `screen_of`."""
        return {"named": self.baseline is not None} | super().chosen()


def print_screen(ranking: "xr.Dataset", screen: "Screen") -> None:
    """Print what is shown of a ranking, with its signature if it is asked for."""
    signed = [ranking] if screen.signed else []
    told = {"answer": screen.answer, "lines": screen.lines, "notes": screen.notes}
    print_tables(*screen.tables, of=signed, **told)


def write_page(ranking: "xr.Dataset", path: "Path", **parts: Any) -> None:
    """Write the page of a ranking, with the command line that made it."""
    from supersample.results.report import write_report

    write_report(ranking, path, command=command_line(), **parts)


@dataclass(frozen=True, kw_only=True)
class ReportOutput(FigureOutput):
    """Where results of a ranking go, with a page of them."""

    def show_ranking(
        self,
        ranked: "RankedHybrids",
        shown: Shown,
        *,
        of_hybrids: bool = False,
        method: str = "",
        files: Callable[[], Mapping[str, Any]] = dict,
        page: Callable[..., Mapping[str, Any]] = lambda **_: {},
        deciding: "Table | None" = None,
        **options: Any,
    ) -> None:
        """Print a ranking with what its reader must know, and write it with its page.

        `method` is that of the influence, if it is a formula; `files` computes what else is
        written, and `page`, from the influence, what else the page shows.
        """
        from supersample.presentation.labels import source_lines
        from supersample.presentation.screen import screen_of
        from supersample.results.outputs import write_comparison

        ranking, exact, sample = ranked[:3]
        against = shown.compared(ranking)
        self.say(*source_lines(ranking))
        screen = screen_of(ranking, against, exact, of_hybrids=of_hybrids, **shown.chosen())
        print_screen(ranking, screen)
        influence: Any = None
        if shown.influence and ranked.systems is not None:
            from supersample.comparisons.influence import influence_of
            from supersample.presentation.influence import influence_table

            influence = influence_of(ranked, method)
            print_tables(influence_table(*influence), of=influence[:1])
        if deciding is not None:
            print_tables(deciding.first(_DECIDING))
        against = against if shown.baseline is not None else None
        options |= {"exact": exact, "sample": sample, "influence": influence, "against": against}
        options |= {"deciding": deciding, "progress": not self.quiet}
        if self.out is None:
            return
        written = self.write(write_comparison, ranking, **options, **files())
        if self.report:
            path = self.out / "report.html"
            parts = page(influence=influence)
            write_page(ranking, path, written=written, against=against, **parts)
            self.say(f"report: {path}")
