"""``supersample plan``: how many systems and segments to detect a difference."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.effects import Effect
from supersample.cli.options import ConfidenceLevel, Reader, Seed, with_source
from supersample.cli.parameters import (
    BOTH_R,
    METRIC_R,
    OTHER_R,
    Distribution,
    FigureOutput,
    NoiseOptions,
    Replicates,
    correlation_matrix,
    with_options,
)
from supersample.cli.source_options import SOURCE_OPTIONS
from supersample.errors import InputError

if TYPE_CHECKING:
    from supersample.sampling.populations import Population


@dataclass(frozen=True)
class Chosen:
    """The population: fitted to two metrics of a source, or chosen."""

    first: Annotated[
        str | None, typer.Option(help="Metric of the source to fit a population to.")
    ] = None
    second: Annotated[str | None, typer.Option(help="The metric that it is compared with.")] = None
    r: Annotated[float | None, typer.Option("--r", help=METRIC_R)] = None
    other_r: Annotated[float | None, typer.Option("--other-r", help=OTHER_R)] = None
    metric_r: Annotated[float | None, typer.Option("--metric-r", help=BOTH_R)] = None
    distribution: Annotated[Distribution, typer.Option(help="Of true scores.")] = "normal"

    def population(self, read: Reader, noise: NoiseOptions) -> "Population":
        """Make the population, or say which options are missing or too many."""
        from supersample.sampling.fitting import fit_population
        from supersample.sampling.populations import Population

        correlations = [x for x in (self.r, self.other_r, self.metric_r) if x is not None]
        if self.first is not None and self.second is not None and not correlations:
            both = [self.first, self.second]
            return fit_population(read(), method="segments", metrics=both)
        if self.first is not None or self.second is not None or len(correlations) < 3:
            raise InputError(
                "name --r, --other-r and --metric-r, or a source with --first and --second"
            )
        if read.has_source:
            raise InputError("a source goes with --first and --second, not with --r")
        matrix = correlation_matrix(*correlations)
        return Population(matrix, self.distribution, **vars(noise))


_CHOSEN = Effect(
    lambda values: values["first"] is None, "does not go with a source, to which it is fitted"
)
_FITTED = Effect(
    lambda values: values["r"] is None, "does not go with --r: it says how a source is read"
)
EFFECTS = dict.fromkeys(("distribution", "segment_deviation", "shared_noise"), _CHOSEN)
EFFECTS |= dict.fromkeys(SOURCE_OPTIONS, _FITTED)


@app.command(effects=EFFECTS)
@with_source
@with_options
def plan(
    read: Reader,
    *,
    chosen: Chosen,
    noise: NoiseOptions,
    number_of_systems: Annotated[
        list[int] | None,
        typer.Option(
            "--systems", help="Number of systems to try; repeatable.  [default: 5 to 150]"
        ),
    ] = None,
    number_of_segments: Annotated[
        list[int] | None,
        typer.Option(
            "--segments", help="Number of segments to try; repeatable.  [default: 100, 300, 1000]"
        ),
    ] = None,
    procedure: Annotated[
        str,
        typer.Option(
            help="Interval or test that is to find it, as for coverage. The default is made for "
            "normal populations, as are drawn; the test of compare, which allows for tails, "
            "needs somewhat more systems."
        ),
    ] = "zou:systems:observed",
    power: Annotated[float, typer.Option(help="Share of samples that are to find it.")] = 0.8,
    replicates: Replicates = 1_000,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    output: FigureOutput,
) -> None:
    """Plan how many systems and segments tell two metrics apart.

    The population is chosen by --r, --other-r and --metric-r, or fitted to the metrics --first and
    --second of a source.
    """
    from supersample.presentation.sampling import plan_table
    from supersample.results.outputs import write_plan
    from supersample.sampling.coverage import plan

    tried: dict[str, Any] = {"systems": number_of_systems, "segments": number_of_segments}
    result = plan(
        chosen.population(read, noise),
        by=procedure,
        power=power,
        replicates=replicates,
        confidence_level=confidence_level,
        seed=seed,
        progress=not output.quiet,
        **{name: numbers for name, numbers in tried.items() if numbers},
    )
    output.write(write_plan, result)
    print_tables(plan_table(result), of=[result])
