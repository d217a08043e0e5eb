"""``supersample simulate``, ``plan`` and ``sweep``: studies of many samples."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supersample.cli.app import OUTPUT, Values, app, echo, say, stoppable
from supersample.cli.options import ConfidenceLevel, Output, Quiet, Seed, Text, WorkerOptions
from supersample.cli.people import Named
from supersample.cli.sources import SOURCE_OPTIONS, Reader, warn_of_copies
from supersample.errors import InputError

if TYPE_CHECKING:
    import xarray as xr

    from supersample.simulation.populations import Population


@app.command()
def simulate(
    *,
    r: float,
    n: Annotated[int, typer.Option("--systems")],
    replicates: int = 100_000,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    workers: WorkerOptions,
    output: Output,
) -> None:
    """Simulate the sampling distribution of r.

    Draws many samples of systems and computes r in each. Prints the range of r, exact and
    simulated, beside Fisher's interval and the symmetric interval. With --out, draws a histogram
    of r with the exact density.

    Parameters
    ----------
    r
        True correlation of a metric with human scores, such as 0.9.
    n
        Number of systems in a sample, at least 4.
    replicates
        Number of samples.
    """
    from supersample.simulation.distributions import intervals_of_r

    options: dict[str, Any] = {"replicates": replicates, "seed": seed}
    options |= {"workers": workers.parsed(), "progress": not output.quiet}
    result = intervals_of_r(r, n, confidence_level=confidence_level, **options)
    output.finish(result)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The population: fitted to two metrics of a source, or chosen by three correlations.

    Parameters
    ----------
    first
        Name of the first metric.
    second
        Name of the second metric, which is compared with the first.
    r
        True correlation of the first metric with people, such as 0.9.
    other_r
        True correlation of the second metric with people.
    metric_r
        True correlation of the two metrics with each other.
    segment_deviation
        Standard deviation of the segment scores of a system, in standard deviations of systems; 0
        for no noise.
    shared_noise
        Correlation of the noise of segment scores between any two scorers.
    """

    first: str | None = None
    second: str | None = None
    r: float | None = None
    other_r: float | None = None
    metric_r: float | None = None
    segment_deviation: float = 4.0
    shared_noise: float = 0.3

    def population(self, read: Reader) -> "tuple[Population, dict[str, Any]]":
        """Make the population, and say which segments and teams the data have, if it is fitted.

        Says which options are missing or too many.
        """
        from supersample.scores.selection import select_segments
        from supersample.simulation.populations import Population, fit_population

        r, other, between = chosen = self.r, self.other_r, self.metric_r
        if self.first is not None and self.second is not None and chosen == (None, None, None):
            scores, both = read(), [self.first, self.second]
            warn_of_copies(scores)
            common = select_segments(scores, "common").sizes["segment"]
            teams = scores.attrs.get("teams")
            return fit_population(scores, metrics=both), {"segments": common, "teams": teams}
        if self.first is not None or self.second is not None or None in chosen:
            raise InputError(
                "plan needs three correlations, such as --r 0.9 --other-r 0.8 --metric-r 0.8 (of "
                "the first metric with people, the second with people, and the two metrics), or a "
                "table and two of its metrics: plan DATA --first A --second B"
            )
        if read.data:
            raise InputError("a table needs --first and --second, two of its metrics, and no --r")
        matrix: Any = [[1.0, r, other], [r, 1.0, between], [other, between, 1.0]]
        return Population(matrix, self.segment_deviation, self.shared_noise), {}


_SIMULATED = (
    *("r", "systems", "sets", "replicates", "seed", "comparisons", "full"),
    *("scheduler", "workers"),
)


_OF_METRICS = (
    *("first", "second", "other_r", "metric_r", "segment_deviation", "shared_noise"),
    "segments",
)


def _idle(values: Values) -> Mapping[str, str]:
    """Find options without effect on this plan."""
    idle: dict[str, str] = {}
    if values["judge"]:
        idle |= dict.fromkeys((*_SIMULATED, *_OF_METRICS), "does not go with --judge")
    elif values["rater"]:
        idle |= dict.fromkeys(_SIMULATED, "does not go with --rater")
    else:
        idle["raters"] = "goes with --rater"
    if not values["judge"]:
        others = ("second", "segments", "rater", "power", *_SIMULATED) if values["width"] else ()
        idle |= dict.fromkeys(others, "does not go with --width, which is of r of --first")
    elif values["width"]:
        idle["power"] = "does not go with --width"
    else:
        idle["raters"] = "goes with --width: without it, those who answered are compared"
    if not values["sets"]:
        idle["error_correlation"] = "goes with --sets"
    if values["r"]:
        why = "does not go with --r: it says how to read a source"
        idle |= dict.fromkeys(SOURCE_OPTIONS, why)
    return idle


@app.command(idle=_idle)
def plan(
    read: Reader,
    *,
    chosen: Chosen,
    systems: list[int] | None = None,
    segments: list[int] | None = None,
    people: Named,
    judge: Text = None,
    width: float | None = None,
    raters: list[int] | None = None,
    sets: list[int] | None = None,
    error_correlation: float = 0.16,
    comparisons: int = 1,
    power: float = 0.8,
    replicates: int = 1_000,
    seed: Seed = 0,
    confidence_level: ConfidenceLevel = 0.95,
    workers: WorkerOptions,
    full: Annotated[bool, typer.Option("--full", rich_help_panel=OUTPUT)] = False,
    output: Output,
) -> None:
    """Plan how many systems, segments or people are needed.

    Give three correlations (--r, --other-r and --metric-r), or a source and two of its metrics
    (--first and --second). Prints how many systems are needed, so that the test of rank and
    compare shows the difference in a share --power of samples. With people (--rater), for numbers
    of people, too.

    With --judge and --width, as in plan sheet.csv --judge gpt --rater alice,bob --width 0.1: how
    many items, and people for each, until the interval of the judge's agreement with people that
    raters prints is so narrow. With --judge alone: how many items show whether it agrees with
    people as people do.

    Parameters
    ----------
    systems
        Number of systems to try; one or A,B.  [default: 5 to 600]
    segments
        Number of segments to try; one or A,B.  [default: 100, 300, 1000, and those of the source]
    judge : NAME
        The judge, as in raters.
    width
        Width that an interval is to have, such as 0.1: of the agreement of --judge with people, or
        of r of the metric --first over new systems.
    raters
        With --rater: number of people to try; one or A,B.  [default: 1, 2, 3, 5]
    sets
        Number of language pairs or sets to average over; one or A,B.  [default: 1]
    error_correlation
        Correlation of a metric's errors on one system between two sets.
    comparisons
        Number of metrics that are compared with the same baseline (Holm).
    power
        Share of samples in which the test should find the difference, of metrics or of a judge.
    replicates
        Number of samples of each size.
    full
        Print all numbers, such as power, and the signature.
    """
    asked: dict[str, Any] = {"power": power, "confidence_level": confidence_level}
    if judge is not None:
        from supersample.raters.agreement import plan_judge

        answers, names = people.answers(read, judge)
        asked |= {"width": width, "raters": raters or ()}
        output.finish(plan_judge(answers, judge, names, **asked), full=full)
        return
    if people.rater:
        tried = {"raters": raters, "segments": segments}
        output.finish(_campaign(read, people, chosen, **tried, **asked))
        return
    from supersample.simulation.planning import SEGMENTS, plan, plan_width

    if width is not None:
        if chosen.first is None:
            raise InputError("--width needs a metric (--first NAME), or a judge (--judge NAME)")
        how = {"width": width, "confidence_level": confidence_level}
        output.finish(plan_width(read(), chosen.first, **how), full=full)
        return
    population, own = chosen.population(read)
    if own and not segments:
        segments = [*SEGMENTS, own["segments"]]
    tried = {"systems": systems, "segments": segments, "sets": sets}
    options = asked | {name: numbers for name, numbers in tried.items() if numbers}
    options |= {"error_correlation": error_correlation, "comparisons": comparisons}
    options |= {"replicates": replicates, "seed": seed}
    options |= {"workers": workers.parsed(), "progress": not output.quiet}
    result = plan(population, **options).assign_attrs({name: x for name, x in own.items() if x})
    output.finish(result, full=full or bool(sets))


def _campaign(read: Reader, people: Named, chosen: Chosen, **asked: Any) -> "xr.Dataset":
    from supersample.raters.agreement import plan_campaign, reliability

    if chosen.first is None or chosen.second is None:
        raise InputError("--rater needs two metrics (--first A --second B), or a judge (--judge A)")
    measured = reliability(*people.beside(read))
    given = {name: value for name, value in asked.items() if value}
    return plan_campaign(measured, chosen.first, chosen.second, **given)


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument()],
    *,
    out: Path,
    workers: WorkerOptions,
    quiet: Quiet = False,
) -> None:
    """Rank metrics for combinations of inputs, designs and methods.

    A file names inputs, designs, seeds and methods; all their combinations are computed. With
    several seeds, prints how many different rankings there are, and which metrics change places.

    A sweep can be stopped at any time; the same command continues it, and finished combinations
    stay. If FILE then names more, only the new ones are computed. OUT/result.csv and
    OUT/result.zarr have all results.

    Parameters
    ----------
    file : FILE
        TOML file with inputs, designs, seeds and methods.
    out
        Folder for the results; an existing sweep is continued.
    """
    who = workers.parsed()
    from supersample.presentation.studies import sweep_lines
    from supersample.simulation.sweeps import sweep

    with stoppable(f"supersample sweep {file} --out {out}", out):
        result = sweep(file, out, workers=who, progress=not quiet)
    computed, total = result.attrs["computed"], result.attrs["combinations"]
    counts = f"{computed} combinations computed, {total - computed} finished before"
    say(counts, quiet=quiet)
    for line in [*sweep_lines(result), f"{out / 'result.csv'}"]:
        echo(line)
