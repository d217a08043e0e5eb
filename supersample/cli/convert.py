"""``supersample convert``: scores from one layout to another."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import Quiet, with_source

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def convert(
    read: Callable[[], "xr.Dataset"],
    *,
    to: Annotated[
        Path,
        typer.Option(
            help="File to write: .csv, .tsv, .jsonl, .parquet, .nc or .zarr; without a suffix a "
            "folder in the layout of mt-metrics-eval."
        ),
    ],
    quiet: Quiet = False,
) -> None:
    """Convert scores to another layout."""
    import supersample as ss

    scores = read()
    lost = ss.write_scores(scores, to)
    sizes = ", ".join(f"{size} {name}s" for name, size in scores.sizes.items())
    say(f"written to {to}: {sizes}", quiet=quiet)
    if lost:
        typer.echo(f"not in the file, to be said again: {lost}", err=True)
