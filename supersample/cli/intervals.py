"""``supersample intervals``: every interval of each metric's correlation, side by side."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

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
    coefficient: Annotated[
        Literal["pearson", "spearman", "kendall"],
        typer.Option(help="Human-only intervals are shown for pearson alone."),
    ] = "pearson",
    resamples: Annotated[int, typer.Option(help="Of the bootstrap.")] = 9_999,
    unit: Annotated[
        Literal["system", "segment", "document"],
        typer.Option(help="What the bootstrap draws."),
    ] = "system",
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Show every interval of each metric's r over the original systems.

    Fisher's (for ranks with Bonett and Wright's variance), bootstrap over systems, segments or
    documents (percentile, basic, BCa), and, to be seen beside them, the WMT-style interval that
    resamples human scores alone. Always on the common mask.
    """
    folder = checked_folder(out, overwrite)
    scores = read()
    import supersample as ss
    from supersample.presentation.intervals import intervals_table

    drawn = [
        ss.bootstrap_intervals(
            scores,
            unit=unit,
            coefficient=coefficient,
            method=method,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        for method in ("percentile", "basic", "bca")
    ]
    formula = ss.correlate(scores, coefficient=coefficient, confidence_level=confidence_level)
    found = [formula, *drawn]
    if coefficient == "pearson" and "segment" in scores.dims:
        found.append(ss.human_only_intervals(scores, seed=seed, confidence_level=confidence_level))
    table = intervals_table(found)
    facts = {"signatures": [own.attrs["signature"] for own in found]}
    if folder is not None:
        from supersample.outputs import Results, write_results

        results = Results(numbers={"intervals": table}, pages={"intervals": table}, facts=facts)
        written = write_results(folder, results)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_table(table)
    for line in table.notes:
        typer.echo(line)
    for line in facts["signatures"]:
        typer.echo(line)
