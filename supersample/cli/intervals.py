"""``supersample intervals``: every interval of each metric's correlation, side by side."""

from typing import Annotated, Literal

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.effects import valued
from supersample.cli.options import Reader, Seed, coefficient_names, one_of, with_source
from supersample.cli.parameters import Output, RandomOption, SystemOptions, with_options
from supersample.errors import InputError


@app.command(effects={"human_unit": valued("coefficient", "pearson")})
@with_source
@with_options
def intervals(
    read: Reader,
    *,
    coefficient: Annotated[
        str, one_of(coefficient_names, "Human-only intervals are shown for pearson alone.")
    ] = "pearson",
    resamples: Annotated[int, typer.Option(help="Of the bootstrap.")] = 9_999,
    random: RandomOption = "systems",
    human_unit: Annotated[
        Literal["segments", "ratings", "assessors"] | None,
        typer.Option(
            help="What human-only intervals draw.  [default: segments; with --ratings ratings]"
        ),
    ] = None,
    seed: Seed = 0,
    systems: SystemOptions,
    output: Output,
) -> None:
    """Show every interval of each metric's r, side by side.

    Fisher's (for ranks with Bonett and Wright's variance), bootstrap over systems, segments or
    documents (percentile, basic, BCa), and, for comparison, the WMT-style interval that resamples
    human scores alone, by segments, single ratings or assessors (the last two with --ratings).
    """
    scores = read()
    human_only = coefficient == "pearson" and "segment" in scores.dims
    if human_unit is not None and not human_only:
        raise InputError("--human-unit goes with segment-level scores; leave it out")
    from supersample.comparisons.rankings import every_interval
    from supersample.presentation.intervals import intervals_table
    from supersample.results.outputs import write_intervals

    found = every_interval(
        scores,
        coefficient=coefficient,
        resamples=resamples,
        random=random or "systems",
        human_unit=human_unit,
        ratings=read.ratings() if human_only else None,
        seed=seed,
        **vars(systems),
    )
    output.write(write_intervals, found)
    print_tables(intervals_table(found), of=found)
