"""``supersample coverage``: how often intervals and tests keep their promise."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from supersample.cli.app import app, print_tables
from supersample.cli.options import (
    ConfidenceLevel,
    Correlations,
    FigureOutput,
    NoiseOptions,
    Seed,
)

if TYPE_CHECKING:
    from supersample.sampling.studies import Setting


@dataclass(frozen=True, kw_only=True)
class SampleNoise(NoiseOptions):
    """Scores of segments, and which of them people gave.

    Parameters
    ----------
    human_levels
        Human scores of segments are so many whole numbers.
    missing_ratings
        Share of missing ratings.
    """

    human_levels: int | None = None
    missing_ratings: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Populations and the sizes of samples from them.

    Parameters
    ----------
    systems
        Systems of a sample; repeatable.  [default: 12]
    segments
        Segments; repeatable.  [default: 300]
    distribution
        Of true scores: normal, skewed, heavy-tailed, log-normal or uneven; repeatable.
        [default: normal]
    outliers
        Systems much worse than the others.
    """

    correlations: Correlations
    systems: list[int] | None = None
    segments: list[int] | None = None
    distribution: list[str] | None = None
    outliers: Literal["none", "one", "some"] = "none"

    def settings(self, noise: SampleNoise) -> "dict[str, Setting]":
        """Make every combination of a distribution and numbers of systems and segments."""
        from supersample.sampling.populations import Population
        from supersample.sampling.studies import Setting

        names: list[Any] = self.distribution or ["normal"]
        sizes = self.systems or [12], self.segments or [300]
        matrix = self.correlations.matrix(0.9, 0.9, 0.85)
        settings = {}
        for name, n, length in product(names, *sizes):
            population = Population(matrix, name, self.outliers, **vars(noise))
            settings[f"{name}, {n} systems, {length} segments"] = Setting(population, n, length)
        return settings


@dataclass(frozen=True, kw_only=True)
class Study:
    """How samples are studied.

    Parameters
    ----------
    replicates
        Samples of each size.
    resamples
        Bootstrap replicates in each sample.
    store
        Folder that keeps finished samples, which another run continues.
    """

    replicates: int = 2_000
    resamples: int = 999
    seed: Seed = 0
    store: Path | None = None
    confidence_level: ConfidenceLevel = 0.95


@app.command()
def coverage(
    *,
    samples: Samples,
    noise: SampleNoise,
    procedure: list[str] | None = None,
    study: Study,
    output: FigureOutput,
) -> None:
    """Measure coverage, type I error and power by simulation.

    Samples of systems are drawn from a population with chosen correlations (--r 0.9, --other-r 0.9
    and --metric-r 0.85 by default), for every combination of the numbers of systems and segments
    and the distributions that are named.

    Parameters
    ----------
    procedure
        Interval METHOD[:UNIT[:ESTIMAND]], such as bca:systems:observed, or test METHOD[:hybrids],
        such as williams1959; repeatable.  [default: a choice]
    """
    from supersample.presentation.sampling import coverage_table
    from supersample.results.outputs import write_coverage
    from supersample.sampling.studies import DEFAULT_PROCEDURES, coverage

    procedures = procedure or DEFAULT_PROCEDURES
    options = {**vars(study), "progress": not output.quiet}
    result = coverage(samples.settings(noise), procedures, **options)
    output.write(write_coverage, result)
    tables = [coverage_table(result, quantity) for quantity in ("r", "difference")]
    print_tables(*tables, of=[result])
