"""``supersample coverage``: how often intervals and tests keep their promise."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from supersample.cli.app import app, print_tables
from supersample.cli.options import ConfidenceLevel, Seed
from supersample.cli.parameters import (
    BOTH_R,
    METRIC_R,
    OTHER_R,
    FigureOutput,
    NoiseOptions,
    Replicates,
    correlation_matrix,
    with_options,
)

if TYPE_CHECKING:
    from supersample.sampling.coverage import Setting


@dataclass(frozen=True)
class SampleNoise(NoiseOptions):
    """Scores of segments, and which of them people gave."""

    human_levels: Annotated[
        int | None, typer.Option(help="Human scores of segments are so many whole numbers.")
    ] = None
    missing_ratings: Annotated[float, typer.Option(help="Share of missing ratings.")] = 0.0


@dataclass(frozen=True)
class Samples:
    """Populations and the sizes of samples from them."""

    r: Annotated[float, typer.Option("--r", help=METRIC_R)] = 0.9
    other_r: Annotated[float, typer.Option("--other-r", help=OTHER_R)] = 0.9
    metric_r: Annotated[float, typer.Option("--metric-r", help=BOTH_R)] = 0.85
    systems: Annotated[
        list[int] | None, typer.Option(help="Systems a sample; repeatable.  [default: 12]")
    ] = None
    segments: Annotated[
        list[int] | None, typer.Option(help="Segments; repeatable.  [default: 300]")
    ] = None
    distribution: Annotated[
        list[str] | None,
        typer.Option(
            help="Of true scores: normal, skewed, heavy-tailed, log-normal or uneven; repeatable.  "
            "[default: normal]"
        ),
    ] = None
    outliers: Annotated[
        Literal["none", "one", "some"], typer.Option(help="Systems much worse than the others.")
    ] = "none"

    def settings(self, noise: SampleNoise) -> "dict[str, Setting]":
        """Make every combination of a distribution and numbers of systems and segments."""
        from supersample.sampling.coverage import Setting
        from supersample.sampling.populations import Population

        names: list[Any] = self.distribution or ["normal"]
        sizes = self.systems or [12], self.segments or [300]
        matrix = correlation_matrix(self.r, self.other_r, self.metric_r)
        settings = {}
        for name, n, length in product(names, *sizes):
            population = Population(matrix, name, self.outliers, **vars(noise))
            settings[f"{name}, {n} systems, {length} segments"] = Setting(population, n, length)
        return settings


@app.command()
@with_options
def coverage(
    *,
    samples: Samples,
    noise: SampleNoise,
    procedure: Annotated[
        list[str] | None,
        typer.Option(
            help="Interval METHOD[:UNIT[:ESTIMAND]], such as bca:systems:observed, or test "
            "METHOD[:hybrids], such as williams1959; repeatable.  [default: a choice]"
        ),
    ] = None,
    replicates: Replicates = 2_000,
    resamples: Annotated[int, typer.Option(help="Bootstrap replicates in each sample.")] = 999,
    seed: Seed = 0,
    store: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps finished samples, which another run continues."),
    ] = None,
    confidence_level: ConfidenceLevel = 0.95,
    output: FigureOutput,
) -> None:
    """Measure coverage, type I error and power by simulation.

    Samples of systems are drawn from a population with chosen correlations, for every combination
    of the numbers of systems and segments and the distributions that are named.
    """
    from supersample.presentation.sampling import coverage_table
    from supersample.results.outputs import write_coverage
    from supersample.sampling.coverage import DEFAULT_PROCEDURES, coverage

    result = coverage(
        samples.settings(noise),
        procedure or DEFAULT_PROCEDURES,
        replicates=replicates,
        resamples=resamples,
        confidence_level=confidence_level,
        seed=seed,
        store=store,
        progress=not output.quiet,
    )
    output.write(write_coverage, result)
    tables = [coverage_table(result, quantity) for quantity in ("r", "difference")]
    print_tables(*tables, of=[result])
