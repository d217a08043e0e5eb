"""Results on the terminal."""

from typing import TYPE_CHECKING

import typer

from supersample.cli.app import say

if TYPE_CHECKING:
    import xarray as xr

    from supersample.presentation.table import Table


def print_ranking(ranking: "xr.Dataset", *, exact: "xr.Dataset | None" = None, quiet: bool) -> None:
    """Print a ranking as a table, with what its reader must know."""
    from supersample.presentation.rankings import (
        conclusion_line,
        printed_ranking,
        significance_line,
        source_lines,
    )

    for line in source_lines(ranking):
        say(line, quiet=quiet)
    table = printed_ranking(ranking, exact)
    print_table(table)
    for basis in ranking["basis"].to_numpy():
        typer.echo(significance_line(ranking, str(basis)))
    if exact is not None:
        from supersample.presentation.exact import exact_line

        typer.echo(exact_line(exact))
    conclusion = conclusion_line(ranking)
    if conclusion:
        typer.echo(conclusion)
    for line in table.notes:
        typer.echo(line)
    typer.echo(ranking.attrs["signature"])


def print_table(table: "Table") -> None:
    """Print a table in full width, whatever standard output is; its notes are the caller's."""
    from rich.console import Console

    from supersample.presentation.table import to_rich

    printed = to_rich(table)
    console = Console()
    if not console.is_terminal:
        console = Console(width=max(80, Console(width=1000).measure(printed).maximum))
    console.print(printed)


def system_bases(data: "xr.Dataset") -> list[str]:
    """Bases of the original systems: with, and where there are outliers also without them."""
    import supersample as ss

    found = bool(ss.outlier_systems(data)["outlier"].any())
    return ["systems", "systems without outliers"] if found else ["systems"]
