"""``supersample coverage``: how often intervals and tests keep their promise."""

from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from supersample.cli.app import app, say
from supersample.cli.options import ConfidenceLevel, Out, Overwrite, Quiet, Seed, checked_folder
from supersample.cli.population_options import (
    HumanLevels,
    MissingRatings,
    OutliersName,
    Replicates,
    SegmentDeviation,
    SharedNoise,
    correlation_matrix,
)
from supersample.cli.printing import print_table


@app.command()
def coverage(
    *,
    r: Annotated[
        float,
        typer.Option("--r", help="Correlation of the first metric's true scores with people's."),
    ] = 0.9,
    other_r: Annotated[
        float, typer.Option("--other-r", help="Correlation of the second metric with people.")
    ] = 0.9,
    metric_r: Annotated[
        float, typer.Option("--metric-r", help="Correlation of both metrics with each other.")
    ] = 0.85,
    systems: Annotated[
        list[int] | None, typer.Option(help="Systems a sample; repeatable.  [default: 12]")
    ] = None,
    segments: Annotated[
        list[int] | None, typer.Option(help="Segments; repeatable.  [default: 300]")
    ] = None,
    distribution: Annotated[
        list[str] | None,
        typer.Option(
            help="Of true scores: normal, skewed, heavy-tailed, log-normal or uneven; repeatable.  "
            "[default: normal]"
        ),
    ] = None,
    outliers: Annotated[
        OutliersName, typer.Option(help="Systems much worse than the others.")
    ] = "none",
    segment_deviation: SegmentDeviation = 6.0,
    shared_noise: SharedNoise = 0.3,
    human_levels: HumanLevels = None,
    missing_ratings: MissingRatings = 0.0,
    procedure: Annotated[
        list[str] | None,
        typer.Option(
            help="Interval METHOD[:UNIT[:ESTIMAND]], such as bca:systems:observed, or test "
            "METHOD[:hybrids], such as williams1959; repeatable.  [default: a choice]",
            show_default=False,
        ),
    ] = None,
    replicates: Replicates = 2_000,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates in each sample.")] = 999,
    seed: Seed = 0,
    store: Annotated[
        Path | None,
        typer.Option(
            help="Folder that keeps finished samples, so that another run goes on with them.",
            show_default=False,
        ),
    ] = None,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Measure coverage, type I error and power of intervals and tests by simulation.

    Samples of systems are drawn from a population, whose correlations are known, for every
    combination of the numbers of systems and segments and the distributions that are named.
    """
    folder = checked_folder(out, overwrite)
    import supersample as ss
    from supersample.sampling.coverage import DEFAULT_PROCEDURES

    settings = {}
    names = distribution or ["normal"]
    for name, n, length in product(names, systems or [12], segments or [300]):
        population = ss.ScorePopulation(
            correlation_matrix(r, other_r, metric_r),
            name,  # type: ignore[arg-type]
            outliers,
            segment_deviation=segment_deviation,
            shared_noise=shared_noise,
            human_levels=human_levels,
            missing_ratings=missing_ratings,
        )
        settings[f"{name}, {n} systems, {length} segments"] = ss.Setting(population, n, length)
    found = ss.coverage(
        settings,
        procedure or DEFAULT_PROCEDURES,
        replicates=replicates,
        resamples=resamples,
        confidence_level=confidence_level,
        seed=seed,
        store=store,
        progress=not quiet,
    )
    from supersample.presentation.studies import coverage_table

    if folder is not None:
        from supersample.results.outputs import write_coverage

        written = write_coverage(folder, found)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    for quantity in ("r", "difference"):
        table = coverage_table(found, quantity)
        print_table(table)
    for line in table.notes:
        typer.echo(line)
    typer.echo(found.attrs["signature"])
