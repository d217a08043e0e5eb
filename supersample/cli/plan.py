"""``supersample plan``: how many systems and segments to detect a difference."""

from typing import Annotated, Any

import typer

from supersample.cli.app import app, say
from supersample.cli.options import (
    ConfidenceLevel,
    Out,
    Overwrite,
    Quiet,
    Reader,
    Seed,
    checked_folder,
    with_source,
)
from supersample.cli.population_options import (
    DistributionName,
    MetricR,
    OtherR,
    R,
    Replicates,
    SegmentDeviation,
    SharedNoise,
    correlation_matrix,
)
from supersample.cli.printing import print_table
from supersample.errors import InputError


@app.command()
@with_source
def plan(
    read: Reader,
    *,
    context: typer.Context,
    first: Annotated[
        str | None, typer.Option(help="Metric of the source to fit a population to.")
    ] = None,
    second: Annotated[str | None, typer.Option(help="The metric that it is compared with.")] = None,
    r: R = None,
    other_r: OtherR = None,
    metric_r: MetricR = None,
    distribution: Annotated[DistributionName, typer.Option(help="Of true scores.")] = "normal",
    segment_deviation: SegmentDeviation = 6.0,
    shared_noise: SharedNoise = 0.3,
    number_of_systems: Annotated[
        list[int] | None,
        typer.Option("--n", help="Number of systems to try; repeatable.  [default: 5 to 150]"),
    ] = None,
    number_of_segments: Annotated[
        list[int] | None,
        typer.Option(
            "--segments", help="Number of segments to try; repeatable.  [default: 100, 300, 1000]"
        ),
    ] = None,
    by: Annotated[
        str, typer.Option(help="Interval or test that is to find it, as for coverage.")
    ] = "zou:systems:observed",
    power: Annotated[float, typer.Option(help="Share of samples that are to find it.")] = 0.8,
    replicates: Replicates = 1_000,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    out: Out = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Plan: how many systems and segments it takes to tell two metrics apart.

    The population is chosen by --r, --other-r and --metric-r, or fitted to the metrics --first and
    --second of a source.
    """
    folder = checked_folder(out, overwrite)
    import supersample as ss

    chosen = [r, other_r, metric_r]
    if first is not None and second is not None and not any(x is not None for x in chosen):
        for name in ("distribution", "segment_deviation", "shared_noise"):
            given = context.get_parameter_source(name)
            if given is not None and given.name != "DEFAULT":
                option = name.replace("_", "-")
                raise InputError(f"--{option} does not go with a source, to which it is fitted")
        population = ss.fit_score_population(read(), first, second)
    elif first is None and second is None and all(x is not None for x in chosen):
        if read.has_source:
            raise InputError("a source goes with --first and --second, not with --r")
        population = ss.ScorePopulation(
            correlation_matrix(*chosen),  # type: ignore[arg-type]
            distribution,
            segment_deviation=segment_deviation,
            shared_noise=shared_noise,
        )
    else:
        raise InputError(
            "say --r, --other-r and --metric-r, or name a source with --first and --second"
        )
    sizes: dict[str, Any] = {}
    if number_of_systems:
        sizes["systems"] = number_of_systems
    if number_of_segments:
        sizes["segments"] = number_of_segments
    found = ss.plan(
        population,
        by=by,
        power=power,
        replicates=replicates,
        confidence_level=confidence_level,
        seed=seed,
        progress=not quiet,
        **sizes,
    )
    from supersample.presentation.studies import plan_table

    table = plan_table(found)
    if folder is not None:
        from supersample.results.outputs import write_plan

        written = write_plan(folder, found)
        say(f"written to {folder}: {', '.join(written)}", quiet=quiet)
    print_table(table)
    for line in table.notes:
        typer.echo(line)
    typer.echo(found.attrs["signature"])
