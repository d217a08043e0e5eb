"""What commands that rank metrics print, and write with a page of it all."""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from supersample.cli.app import print_tables
from supersample.cli.commands import OUTPUT, TESTS
from supersample.cli.effects import beside
from supersample.cli.options import FigureOutput, Output

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr

    from supersample.comparisons.rankings import RankedHybrids


@dataclass(frozen=True, kw_only=True)
class Against:
    """What a ranking is compared with.

    Parameters
    ----------
    baseline : METRIC
        Print the difference of every metric to this one, with p-values and, of r, interval and
        about how many systems would show it.
    """

    baseline: str | None = None

    def compared(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named."""
        from supersample.results.baseline import compare_to_baseline

        return None if self.baseline is None else compare_to_baseline(ranking, self.baseline)

    def print_by_measure(self, ranking: "xr.Dataset", output: Output) -> "xr.Dataset | None":
        """Print a ranking by measures, or differences to the baseline, which are returned."""
        from supersample.presentation.labels import source_lines
        from supersample.presentation.screen import screen_of

        against = self.compared(ranking)
        output.say(*source_lines(ranking))
        screen = screen_of(ranking, against)
        print_tables(*screen.tables, of=[ranking], lines=screen.lines, notes=screen.notes)
        return against


@dataclass(frozen=True, kw_only=True)
class Shown(Against):
    """How much of a ranking is printed, and what it is compared with.

    Parameters
    ----------
    influence
        Print how r and significant differences by a formula (--method, if it is one, or zou2007)
        change without each system, one at a time.
    full
        Print every basis and column.
    explain
        Print how to read them.
    """

    influence: Annotated[bool, typer.Option("--influence", rich_help_panel=TESTS)] = False
    full: Annotated[bool, typer.Option("--full", rich_help_panel=OUTPUT)] = False
    explain: Annotated[bool, typer.Option("--explain", rich_help_panel=OUTPUT)] = False

    def against(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named, or one of two metrics with the other."""
        from supersample.results.baseline import compare_to_baseline

        if self.baseline is None and ranking.sizes["metric"] == 2 and "p_value" in ranking:
            return compare_to_baseline(ranking, str(ranking["metric"].to_numpy()[1]))
        return self.compared(ranking)

    def print(
        self,
        ranking: "xr.Dataset",
        exact: "xr.Dataset | None",
        against: "xr.Dataset | None",
        *,
        of_hybrids: bool = False,
    ) -> None:
        """Print tables, what they sum up to, and notes; perhaps a table of hybrids after these."""
        from supersample.presentation.screen import screen_of

        chosen = {"full": self.full, "explain": self.explain, "of_hybrids": of_hybrids}
        screen = screen_of(ranking, against, exact, named=self.baseline is not None, **chosen)
        print_tables(*screen.tables, of=[ranking], lines=screen.lines, notes=screen.notes)


def write_page(ranking: "xr.Dataset", path: "Path", **parts: Any) -> None:
    """Write the page of a ranking, with the command line that made it."""
    from supersample.results.report import write_report

    write_report(ranking, path, command=shlex.join(["supersample", *sys.argv[1:]]), **parts)


@dataclass(frozen=True, kw_only=True)
class ReportOutput(FigureOutput):
    """Where results of a ranking go, with a page of them.

    Parameters
    ----------
    report
        With --out, write report.html, one page of everything.
    """

    PANEL: ClassVar = OUTPUT
    report: Annotated[bool, beside("out")] = True

    def write_ranking(
        self,
        writer: Callable[..., list[str]],
        ranking: "xr.Dataset",
        *results: Any,
        against: "xr.Dataset | None",
        page: Callable[[], Mapping[str, Any]] = dict,
        **options: Any,
    ) -> None:
        """Write a ranking and further results to the folder, if there is one, and its page.

        `page` computes what the page shows besides.
        """
        options["progress"] = not self.quiet
        written = self.write(writer, ranking, *results, against=against, **options)
        if self.out is None or not self.report:
            return
        path = self.out / "report.html"
        write_page(ranking, path, written=written, against=against, **page())
        self.say(f"report: {path}")

    def show_ranking(
        self,
        ranked: "RankedHybrids",
        shown: Shown,
        *,
        of_hybrids: bool = False,
        method: str = "",
        page: Callable[..., Mapping[str, Any]] = lambda **_: {},
        **options: Any,
    ) -> None:
        """Print a ranking with what its reader must know, and write it.

        `method` is that of the influence of systems, if it is a formula; `page` gets the influence.
        """
        from supersample.presentation.influence import influence_table
        from supersample.presentation.labels import source_lines
        from supersample.results.outputs import write_comparison

        ranking, exact, sample = ranked[:3]
        against = shown.against(ranking)
        self.say(*source_lines(ranking))
        shown.print(ranking, exact, against, of_hybrids=of_hybrids)
        influence = None
        if shown.influence:
            from supersample.comparisons.report_parts import influence_of

            influence = influence_of(ranked, method)
            print_tables(influence_table(*influence), of=influence[:1])
            options["influence"] = influence
        baseline = against if shown.baseline is not None else None
        options |= {"exact": exact, "sample": sample, "against": baseline}
        page = partial(page, influence=influence)
        self.write_ranking(write_comparison, ranking, page=page, **options)
