"""``supersample influence``: how much a ranking owes to each single system."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    FORMULAS,
    ConfidenceLevel,
    HumanMeanOption,
    MaskOption,
    Out,
    Overwrite,
    Quiet,
    checked_folder,
    with_source,
)
from supersample.cli.printing import print_table

if TYPE_CHECKING:
    import xarray as xr


@app.command()
@with_source
def influence(
    read: Callable[[], "xr.Dataset"],
    *,
    method: Annotated[
        FORMULAS, typer.Option(help="Interval or test of a difference of correlations.")
    ] = "zou2007",
    mask: MaskOption = "common",
    human_mean: HumanMeanOption = "ratings",
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Leave out one system after the other, and show what changes.

    Prints for each system how far its human score lies from the others, the largest change of any
    metric's r without it, and how many significant differences come or go.
    """
    folder = checked_folder(out, overwrite)
    scores = read()
    import supersample as ss

    scores = ss.system_level_scores(scores, mask=mask, human_mean=human_mean)
    left_out = ss.leave_one_out(scores, method=method, confidence_level=confidence_level)
    outliers = ss.outlier_systems(scores)
    from supersample.presentation.influence import influence_table

    if folder is not None:
        from supersample.results.outputs import write_influence

        written = write_influence(folder, left_out, outliers)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    table = influence_table(left_out, outliers)
    print_table(table)
    for line in table.notes:
        typer.echo(line)
    typer.echo(left_out.attrs["signature"])
