"""``supersample simulate``: the sampling distribution of r, and the intervals beside it."""

from typing import Annotated

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.options import ConfidenceLevel, Seed
from supersample.cli.parameters import FigureOutput, with_options


@app.command()
@with_options
def simulate(
    *,
    r: Annotated[float, typer.Option("--r", help="Correlation of metric and human scores.")],
    n: Annotated[int, typer.Option("--systems", help="Systems a sample, at least 4.")],
    draws: Annotated[int, typer.Option(help="Number of samples.")] = 100_000,
    population: Annotated[
        int | None,
        typer.Option(
            help="Draw from so many hypothetical systems, such as 10000, without replacement.  "
            "[default: from an infinite normal population]"
        ),
    ] = None,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    output: FigureOutput,
) -> None:
    """Simulate the sampling distribution of r.

    Prints where the r of samples fall, exactly and simulated, beside Fisher's interval and the
    symmetric one. With --out, draws the distribution under the exact density.
    """
    from supersample.presentation.sampling import moments_line, sampling_table
    from supersample.results.outputs import write_sampling
    from supersample.sampling.distributions import intervals_of_r

    result = intervals_of_r(
        r,
        n,
        draws=draws,
        systems=population,
        confidence_level=confidence_level,
        seed=seed,
        progress=not output.quiet,
    )
    output.write(write_sampling, result)
    print_tables(sampling_table(result), of=[result], lines=[moments_line(result)])
