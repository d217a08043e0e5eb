"""``supersample plan``: how many systems and segments to detect a difference."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from supersample.cli.app import app, print_tables
from supersample.cli.effects import Effect
from supersample.cli.options import (
    ConfidenceLevel,
    Correlations,
    FigureOutput,
    NoiseOptions,
    Seed,
)
from supersample.cli.sources import SOURCE_OPTIONS, Reader
from supersample.errors import InputError

if TYPE_CHECKING:
    from supersample.sampling.populations import Population


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The population: fitted to two metrics of a source, or chosen.

    Parameters
    ----------
    first
        Metric of the source to fit a population to.
    second
        The metric that it is compared with.
    distribution
        Of true scores.
    """

    first: str | None = None
    second: str | None = None
    correlations: Correlations
    distribution: Literal["normal", "skewed", "heavy-tailed", "log-normal", "uneven"] = "normal"

    def population(self, read: Reader, noise: NoiseOptions) -> "Population":
        """Make the population, or say which options are missing or too many."""
        from supersample.sampling.fitting import fit_population
        from supersample.sampling.populations import Population

        correlations = [x for x in vars(self.correlations).values() if x is not None]
        if self.first is not None and self.second is not None and not correlations:
            both = [self.first, self.second]
            return fit_population(read(), method="segments", metrics=both)
        if self.first is not None or self.second is not None or len(correlations) < 3:
            raise InputError(
                "name --r, --other-r and --metric-r, or a source with --first and --second"
            )
        if read.has_source:
            raise InputError("a source goes with --first and --second, not with --r")
        matrix = self.correlations.matrix()
        return Population(matrix, self.distribution, **vars(noise))


@dataclass(frozen=True, kw_only=True)
class Study:
    """How samples are studied.

    Parameters
    ----------
    power
        Share of samples that are to find it.
    replicates
        Samples of each size.
    """

    power: float = 0.8
    replicates: int = 1_000
    seed: Seed = 0
    confidence_level: ConfidenceLevel = 0.95


_CHOSEN = Effect(
    lambda values: values["first"] is None, "does not go with a source, to which it is fitted"
)
_FITTED = Effect(
    lambda values: values["r"] is None, "does not go with --r: it says how a source is read"
)
EFFECTS = {
    **dict.fromkeys(("distribution", "segment_deviation", "shared_noise"), (_CHOSEN,)),
    **dict.fromkeys(SOURCE_OPTIONS, (_FITTED,)),
}


@app.command(effects=EFFECTS)
def plan(
    read: Reader,
    *,
    chosen: Chosen,
    noise: NoiseOptions,
    systems: list[int] | None = None,
    segments: list[int] | None = None,
    procedure: str = "zou:systems:observed",
    study: Study,
    output: FigureOutput,
) -> None:
    """Plan how many systems and segments tell two metrics apart.

    The population is chosen by --r, --other-r and --metric-r, or fitted to the metrics --first and
    --second of a source.

    Parameters
    ----------
    systems
        Number of systems to try; repeatable.  [default: 5 to 150]
    segments
        Number of segments to try; repeatable.  [default: 100, 300, 1000]
    procedure
        Interval or test that is to find it, as for coverage. The default is made for normal
        populations, as are drawn; the test of compare, which allows for tails, needs somewhat more
        systems.
    """
    from supersample.presentation.sampling import plan_table
    from supersample.results.outputs import write_plan
    from supersample.sampling.studies import plan

    tried = {"systems": systems, "segments": segments}
    options: dict[str, Any] = {name: numbers for name, numbers in tried.items() if numbers}
    options |= {**vars(study), "progress": not output.quiet}
    result = plan(chosen.population(read, noise), by=procedure, **options)
    output.write(write_plan, result)
    print_tables(plan_table(result), of=[result])
