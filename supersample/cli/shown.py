"""Options that say how much of a ranking is printed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import print_tables

if TYPE_CHECKING:
    import xarray as xr

    from supersample.presentation.table import Table


@dataclass(frozen=True)
class Against:
    """What a ranking is compared with."""

    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC",
            help="Print the difference of every metric to this one, with p-values and, of r, "
            "interval and about how many systems would show it.",
        ),
    ] = None

    def compared(self, ranking: "xr.Dataset") -> "xr.Dataset | None":
        """Compare with the baseline, if one is named."""
        from supersample.results.baseline import compare_to_baseline

        return None if self.baseline is None else compare_to_baseline(ranking, self.baseline)

    def print_by_measure(
        self, ranking: "xr.Dataset", table: "Table", against: "xr.Dataset | None"
    ) -> None:
        """Print accuracies or agreement, or differences to the baseline, and what these say."""
        from supersample.presentation import accuracies, answers

        lines, tables = accuracies.summary_lines(ranking), [table]
        if against is not None:
            lines = [*answers.baseline_lines(against), *lines]
            tables = list(answers.baseline_tables(against).values())
        print_tables(*tables, of=[ranking], lines=lines)


@dataclass(frozen=True)
class Shown(Against):
    """How much of a ranking is printed, and what it is compared with."""

    full: Annotated[bool, typer.Option("--full", help="Print every basis and column.")] = False
    explain: Annotated[bool, typer.Option("--explain", help="Print how to read them.")] = False

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
        from supersample.presentation import answers, hybrids, rankings, survivors

        concludes = "group" not in ranking.dims and ranking.sizes["metric"] > 1
        every = rankings.printed_ranking(ranking, exact)
        lines = rankings.ranking_lines(ranking, exact, every_basis=self.full or of_hybrids)
        if self.full:
            tables = [every]
        elif against is not None and self.baseline is not None:
            tables = [answers.baseline_table(against)]
        else:
            tables = [answers.core_table(ranking)]
        if of_hybrids and not self.full:
            tables.append(answers.hybrids_table(ranking, exact))
        if against is not None and self.baseline is None:
            lines.insert(0, answers.difference_line(against))
        elif against is None:
            lines += survivors.added_lines(answers.leading_part(ranking))
        else:
            lines = [*answers.baseline_lines(against), *lines]
            tables += [answers.baseline_table(against)] if self.full else []
        notes = [note for table in tables[self.full :] for note in table.notes]
        notes += every.notes if self.explain else rankings.facts_to_know(ranking)
        if rankings.shows_two(ranking) and (of_hybrids or self.full or concludes):
            notes.append(hybrids.TWO_R_NOTE)
        notes += [] if self.full and self.explain else [answers.HINT]
        print_tables(*tables, of=[ranking], lines=lines, notes=notes)


@dataclass(frozen=True)
class ShownIntervals(Shown):
    """How much is printed of intervals, which no baseline goes with."""

    baseline: Annotated[str | None, typer.Option(hidden=True)] = None
