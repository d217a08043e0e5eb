"""``supersample simulate``: the sampling distribution of r, and the intervals beside it."""

from typing import Annotated

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.options import ConfidenceLevel, FigureOutput, Seed


@app.command()
def simulate(
    *,
    r: float,
    n: Annotated[int, typer.Option("--systems")],
    draws: int = 100_000,
    population: int | None = None,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    output: FigureOutput,
) -> None:
    """Simulate the sampling distribution of r.

    Prints where the r of samples fall, exactly and simulated, beside Fisher's interval and the
    symmetric one. With --out, draws the distribution under the exact density.

    Parameters
    ----------
    r
        Correlation of metric and human scores.
    n
        Systems a sample, at least 4.
    draws
        Number of samples.
    population
        Draw from so many hypothetical systems, such as 10000, without replacement.
        [default: from an infinite normal population]
    """
    from supersample.presentation.studies import moments_line, sampling_table
    from supersample.results.outputs import write_sampling
    from supersample.sampling.distributions import intervals_of_r

    options = {"draws": draws, "systems": population, "seed": seed, "progress": not output.quiet}
    result = intervals_of_r(r, n, confidence_level=confidence_level, **options)  # type: ignore[arg-type]
    output.write(write_sampling, result)
    print_tables(sampling_table(result), of=[result], lines=[moments_line(result)])
