"""``supersample simulate``: the sampling distribution of r, and the intervals beside it."""

from typing import Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    ConfidenceLevel,
    Out,
    Overwrite,
    Quiet,
    Seed,
    checked_folder,
)
from supersample.cli.printing import print_table


@app.command()
def simulate(
    *,
    r: Annotated[float, typer.Option("--r", help="Correlation of metric and human scores.")],
    n: Annotated[int, typer.Option("--n", help="Systems a sample, at least 4.")],
    draws: Annotated[int, typer.Option(help="How many samples.")] = 100_000,
    systems: Annotated[
        int | None,
        typer.Option(
            help="Draw from so many hypothetical systems, such as 10000, without replacement.  "
            "[default: from a normal population without end]",
            show_default=False,
        ),
    ] = None,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Simulate the sampling distribution of r, and show how skewed it is.

    Prints where the r of samples fall, exactly and simulated, beside Fisher's interval and the
    symmetric one. With --out, draws the distribution with the exact density laid over.
    """
    folder = checked_folder(out, overwrite)
    import supersample as ss

    found = ss.intervals_of_r(
        r,
        n,
        draws=draws,
        systems=systems,
        confidence_level=confidence_level,
        seed=seed,
        progress=not quiet,
    )
    from supersample.presentation.sampling import moments_line, sampling_figure, sampling_table

    table = sampling_table(found)
    if folder is not None:
        from supersample.results.outputs import Results, write_results

        results = Results(
            datasets={"sampling": found},
            numbers={"intervals": table},
            pages={"intervals": table},
            figures={"sampling": sampling_figure(found)},
            facts=found.attrs,
        )
        written = write_results(folder, results)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_table(table)
    typer.echo(moments_line(found))
    for line in table.notes:
        typer.echo(line)
    typer.echo(found.attrs["signature"])
