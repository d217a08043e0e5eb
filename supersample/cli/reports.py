"""Output of the commands that rank metrics: what they print, and the page that they write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supersample.cli.app import print_tables
from supersample.cli.commands import OUTPUT, TESTS, several
from supersample.cli.effects import Effect, Values
from supersample.cli.options import FigureOutput, command_line
from supersample.cli.sources import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr

    from supersample.comparisons.rankings import RankedHybrids
    from supersample.presentation.screen import Screen
    from supersample.presentation.table import Table

_DECIDING = 10  # segments or documents on a terminal


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
    named = values.get("metrics") or "all"
    more = values.get("add_metric") or values.get("corpus_metric")
    kept = several(named)
    return bool(more) or named in KINDS or values["baseline"] in kept


_NOT_KEPT = Effect(
    _kept,
    "goes with a metric that --metrics keeps",
    "--metrics does not keep the baseline {baseline}: write --metrics {metrics},{baseline}, or "
    "leave out --baseline",
)


@dataclass(frozen=True, kw_only=True)
class Against(Amount):
    """How much of a ranking is printed, and what it is compared with.

    Parameters
    ----------
    baseline : METRIC
        Print how each metric differs from this one, with p-values; for r also with intervals
        and about how many systems would be needed.
    """

    baseline: Annotated[str | None, _NOT_KEPT] = None

    def compared(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named."""
        from supersample.results.baseline import compare_to_baseline

        return None if self.baseline is None else compare_to_baseline(ranking, self.baseline)

    def chosen(self) -> dict[str, Any]:
        """Make keyword arguments of `screen_of`."""
        return {"named": self.baseline is not None} | super().chosen()


@dataclass(frozen=True, kw_only=True)
class Shown(Against):
    """How much of a ranking by r is printed.

    Parameters
    ----------
    influence
        Print how r and significant differences change when one system is left out (by --method
        if it is a formula, else by zou2007); with several sets, when one set is left out.
    """

    influence: Annotated[bool, typer.Option("--influence", rich_help_panel=TESTS)] = False

    def compared(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named, or one of two metrics with the other by r."""
        from supersample.results.baseline import compare_to_baseline

        two = ranking.sizes["metric"] == 2 and "p_value" in ranking
        if self.baseline is None and two and "basis" in ranking.dims:
            return compare_to_baseline(ranking, str(ranking["metric"].to_numpy()[1]))
        return super().compared(ranking)


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

    def print_ranking(
        self,
        ranking: "xr.Dataset",
        shown: Against,
        exact: "xr.Dataset | None" = None,
        *,
        of_hybrids: bool = False,
    ) -> "xr.Dataset | None":
        """Print a ranking with what its reader must know; give its comparison with a baseline."""
        from supersample.presentation.labels import source_lines
        from supersample.presentation.screen import screen_of

        against = shown.compared(ranking)
        self.say(*source_lines(ranking))
        screen = screen_of(ranking, against, exact, of_hybrids=of_hybrids, **shown.chosen())
        print_screen(ranking, screen)
        return against if shown.baseline is not None else None

    def write_ranking(
        self,
        ranking: "xr.Dataset",
        *,
        against: "xr.Dataset | None",
        page: Callable[[], Mapping[str, Any]] = dict,
        **options: Any,
    ) -> None:
        """Write a ranking to the folder, if there is one, and its page.

        `page` computes what else the page shows.
        """
        from supersample.results.outputs import write_comparison

        options |= {"against": against, "progress": not self.quiet}
        written = self.write(write_comparison, ranking, **options)
        if self.out is not None and self.report:
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
        deciding: "Table | None" = None,
        **options: Any,
    ) -> None:
        """Print a ranking and the influence of systems, if it is asked for, and write it.

        `method` is that of the influence, if it is a formula; `page` gets the influence.
        """
        ranking, exact, sample = ranked[:3]
        against = self.print_ranking(ranking, shown, exact, of_hybrids=of_hybrids)
        influence = None
        if shown.influence and ranked.systems is not None:
            from supersample.comparisons.report_parts import influence_of
            from supersample.presentation.influence import influence_table

            influence = influence_of(ranked, method)
            print_tables(influence_table(*influence), of=influence[:1])
        if deciding is not None:
            print_tables(deciding.first(_DECIDING))
        options |= {"exact": exact, "sample": sample, "influence": influence}
        options["deciding"] = deciding
        self.write_ranking(
            ranking, against=against, page=partial(page, influence=influence), **options
        )
