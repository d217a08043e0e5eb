"""``supersample intervals``: every interval of each metric's correlation, side by side."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    ConfidenceLevel,
    Out,
    Overwrite,
    Quiet,
    Seed,
    checked_folder,
    with_source,
)
from supersample.cli.printing import print_table

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def intervals(
    read: Callable[[], "xr.Dataset"],
    *,
    resamples: Annotated[int, typer.Option(help="Of the bootstrap over systems.")] = 9_999,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Show every interval of each metric's r over the original systems.

    Fisher's, bootstrap over systems (percentile, basic, BCa), and, to be seen beside them, the
    WMT-style interval that resamples human scores alone.
    """
    folder = checked_folder(out, overwrite)
    scores = read()
    import supersample as ss
    from supersample.presentation.intervals import intervals_table

    drawn = [
        ss.bootstrap_intervals(
            scores,
            method=method,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        for method in ("percentile", "basic", "bca")
    ]
    table = intervals_table(
        [ss.correlate(scores, confidence_level=confidence_level), *drawn],
        None
        if "system_score" in scores
        else ss.human_only_intervals(scores, seed=seed, confidence_level=confidence_level),
    )
    if folder is not None:
        from supersample.outputs import Results, write_results

        results = Results(
            numbers={"intervals": table}, pages={"intervals": table}, facts=drawn[-1].attrs
        )
        written = write_results(folder, results)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_table(table)
    for line in table.notes:
        typer.echo(line)
    typer.echo(drawn[-1].attrs["signature"])
