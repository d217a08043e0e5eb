"""``supersample test``: two correlations, entered as numbers, by every test and interval."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import app, help_if_bare, print_tables
from supersample.cli.commands import App
from supersample.cli.options import Alternative, ConfidenceLevel

if TYPE_CHECKING:
    import xarray as xr

test = App(invoke_without_command=True, rich_markup_mode=None)
app.add_typer(test, name="test")
R = Annotated[float, typer.Argument()]
N = Annotated[int, typer.Option("--systems", help="Number of systems that they rest on.")]


@test.callback()
def _group(context: typer.Context) -> None:
    """Compare two correlations that are entered as numbers.

    A negative number goes after --, as in: test overlapping --systems 12 -- 0.9 -0.2 0.1
    """
    help_if_bare(context)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every test."""

    alternative: Alternative = "two-sided"
    confidence_level: ConfidenceLevel = 0.95


@test.command()
def overlapping(r12: R, r13: R, r23: R, *, n: N, options: Options) -> None:
    """r12 against r13: two metrics with the same human scores.

    Parameters
    ----------
    r12
        Metric a with the human scores.
    r13
        Metric b with the human scores.
    r23
        Metric a with metric b.
    """
    from supersample.comparisons.correlations.from_numbers import compare_overlapping

    _print(compare_overlapping(r12, r13, r23, n, **vars(options)))


@test.command()
def non_overlapping(
    r12: R, r34: R, r13: R, r14: R, r23: R, r24: R, *, n: N, options: Options
) -> None:
    """r12 against r34 over the same systems: two metrics, each with its own human scores."""
    from supersample.comparisons.correlations.from_numbers import compare_non_overlapping

    _print(compare_non_overlapping(r12, r34, r13, r14, r23, r24, n, **vars(options)))


@test.command()
def independent(r1: R, r2: R, *, n1: int, n2: int, options: Options) -> None:
    """r1 against r2 over different systems, such as two language pairs.

    Parameters
    ----------
    n1
        Systems that r1 rests on.
    n2
        Systems that r2 rests on.
    """
    from supersample.comparisons.correlations.from_numbers import compare_independent

    _print(compare_independent(r1, r2, n1, n2, **vars(options)))


def _print(result: "xr.Dataset") -> None:
    from supersample.presentation.studies import numbers_table

    print_tables(numbers_table(result), of=[result])
