"""``supersample inspect``: what is in a file or folder of scores."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from supersample.cli.app import app
from supersample.cli.options import with_source
from supersample.cli.printing import print_table

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def inspect(read: Callable[[], "xr.Dataset"]) -> None:
    """Say what scores there are: systems, metrics, what is missing, and what seems reversed."""
    import supersample as ss
    from supersample.presentation.inspection import inspection_tables

    for table in inspection_tables(ss.inspect_scores(read())):
        print_table(table)
        for line in table.notes:
            typer.echo(line)
