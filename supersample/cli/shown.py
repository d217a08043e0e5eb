"""Options that say how much of a ranking is printed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import print_tables

if TYPE_CHECKING:
    import xarray as xr


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

    def print_by_measure(self, ranking: "xr.Dataset", against: "xr.Dataset | None") -> None:
        """Print accuracies or agreement, or differences to the baseline, and what these say."""
        from supersample.presentation.screen import screen_of

        screen = screen_of(ranking, against)
        print_tables(*screen.tables, of=[ranking], lines=screen.lines, notes=screen.notes)


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
        from supersample.presentation.screen import screen_of

        chosen = {"full": self.full, "explain": self.explain, "of_hybrids": of_hybrids}
        screen = screen_of(ranking, against, exact, named=self.baseline is not None, **chosen)
        print_tables(*screen.tables, of=[ranking], lines=screen.lines, notes=screen.notes)


@dataclass(frozen=True)
class ShownIntervals(Shown):
    """How much is printed of intervals, which no baseline goes with."""

    baseline: Annotated[str | None, typer.Option(hidden=True)] = None
