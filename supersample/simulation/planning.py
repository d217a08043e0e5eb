"""Plan how many systems and segments are needed to show that one metric is better."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from supersample.comparisons.compare import compare
from supersample.engine import Floats
from supersample.engine.moments import correlation_of
from supersample.errors import InputError, check_confidence_level, check_counted
from supersample.execution.checksums import keyed
from supersample.execution.workers import AnyWorkers, compute_rows
from supersample.inference.systems_needed import check_power, systems_for_width
from supersample.inference.two_correlations.averages import set_differences
from supersample.inference.two_correlations.fisher_jackknife import fisher_jackknife, sampled_pairs
from supersample.inference.two_correlations.shared_formulas import t_test
from supersample.results.variables import result_attrs, signature
from supersample.scores.selection import keep_metrics
from supersample.simulation.populations import Population, exact_moments

SYSTEMS = (5, 8, 12, 20, 32, 50, 80, 150, 300, 600)
SEGMENTS = (100, 300, 1_000)
FEWEST_SYSTEMS = 5


def plan(
    population: Population,
    *,
    systems: Sequence[int] = SYSTEMS,
    segments: Sequence[int] = SEGMENTS,
    sets: Sequence[int] = (1,),
    error_correlation: float = 0.16,
    comparisons: int = 1,
    power: float = 0.8,
    replicates: int = 1_000,
    confidence_level: float = 0.95,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Find how many systems and segments are needed to show a difference of r.

    It simulates: samples of each size are drawn from the population, and compared as `rank` and
    `compare` do. A difference is shown if the test fisher-jackknife rejects equality.

    Parameters
    ----------
    population : Population
        Population with two metrics, for example from `fit_population`. Its systems are independent.
    systems, segments : sequence of int
        Sizes of samples; at least 5 systems and 2 segments.
    sets : sequence of int, default 1
        Numbers of language pairs or test sets to average over, with the same systems and size.
        Systems are equally good in all sets; errors correlate by `error_correlation`.
    error_correlation : float, default 0.16
        Correlation of a metric's errors on one system between two sets; the default is the median
        of WMT23 en-de and zh-en.
    comparisons : int, default 1
        Number of metrics that are compared with the same baseline. The level of the test is divided
        by it, as Holm's method does for the smallest p-value.
    power : float, default 0.8
        Share of samples in which the difference should be shown.
    replicates : int, default 1_000
        Number of samples of each size.
    confidence_level : float, default 0.95
        1 minus the level of the test.
    seed : int, default 0
        Seed; sample i depends only on (seed, i), the population and its sizes.
    workers, progress
        As in `hybrid_supersample`.

    Returns
    -------
    xarray.Dataset
        Dims (segments, systems): ``power`` and its Monte-Carlo standard error ``power_error``.
        Dim (segments): ``difference``, the difference of r of observed scores in the population
        (which depends on the noise of segments); ``systems_needed``, the number of systems that
        reaches the power, rounded up. Between tried sizes, the normal quantile of the power is
        interpolated linearly in the square root of the size; the number is NaN if no size reaches
        the power, and an upper bound if the smallest size does. Dims (segments, sets):
        ``systems_of_sets``, the number of systems needed in each of this many sets: that
        of the average over the sets, from samples of sizes nearby. It is NaN if that of one set is
        NaN or a bound. Attributes:
        ``metrics``, the names of the two metrics; ``true_r``, their r over true scores;
        ``segment_deviation``, that of each scorer.

    Raises
    ------
    InputError
        If the population has no difference, or a number is out of range.

    Examples
    --------
    >>> apart = Population([[1, 0.95, 0.7], [0.95, 1, 0.7], [0.7, 0.7, 1]])
    >>> needed = plan(apart, systems=[8, 40], segments=[1000], replicates=200)["systems_needed"]
    >>> 8 < needed.item() < 40
    True
    """
    _check(power, sets, error_correlation, comparisons=comparisons, replicates=replicates)
    check_confidence_level(confidence_level)
    sizes, lengths = _tried(systems, segments)
    difference = np.array([_difference(population, length) for length in lengths])
    if np.abs(difference).max() < 1e-9:
        raise InputError("both metrics correlate equally with people; choose two that differ")
    level = round(1 - confidence_level, 12) / comparisons
    samples = _Samples(population, 1, tuple(sizes), tuple(lengths), level, seed)

    how: dict[str, Any] = {"replicates": replicates, "workers": workers, "progress": progress}
    reached = _shares(samples, **how)
    needed = np.array([_needed(sizes, row, power, replicates) for row in reached])
    known = np.where(needed > sizes[0], needed, np.nan)  # otherwise it is a bound
    of_sets = np.repeat(known[:, np.newaxis], len(set(sets)), axis=1)
    for (row, column), alone in np.ndenumerate(of_sets):
        count = sorted(set(sets))[column]
        if count > 1 and not np.isnan(alone):
            near = _near(float(alone), count)
            several = _of_several(population, count, error_correlation)
            own = replace(samples, population=several, sets=count, sizes=near)
            found = _shares(replace(own, lengths=(lengths[row],)), **how)[0]
            of_sets[row, column] = _needed(near, found, power, replicates)
    facts: dict[str, Any] = {"kind": "plan", "statistic": "power", "method": "fisher-jackknife"}
    facts |= {"population": population.describe(), "power": power, "replicates": replicates}
    facts |= {"metrics": [*population.metrics], "confidence_level": confidence_level, "seed": seed}
    facts |= {"comparisons": comparisons, "error_correlation": error_correlation}
    facts["true_r"] = np.asarray(population.correlation)[0, 1:].tolist()
    facts["metric_r"] = float(np.asarray(population.correlation)[1, 2])
    facts["segment_deviation"] = np.asarray(population.segment_deviation).tolist()
    asked = {"sizes": sizes, "lengths": lengths, "sets": list(sets), "power": power}
    asked |= {"comparisons": comparisons, "errors": error_correlation}
    facts["settings"] = keyed(population=population.facts(), **asked)[:8]
    return xr.Dataset(
        {
            "power": (("segments", "systems"), reached),
            "power_error": (("segments", "systems"), np.sqrt(reached * (1 - reached) / replicates)),
            "difference": ("segments", difference),
            "systems_needed": ("segments", needed),
            "systems_of_sets": (("segments", "sets"), of_sets),
        },
        coords={"systems": sizes, "segments": lengths, "sets": sorted(set(sets))},
        attrs={**facts, "signature": signature(**facts, n=f"{replicates} samples")},
    )


def plan_width(
    scores: xr.Dataset, metric: str, *, width: float, confidence_level: float = 0.95
) -> xr.Dataset:
    """Find how many systems give the interval of a metric's r this width.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores with this metric.
    metric : str
        The metric, whose r over these systems is taken as the true one.
    width : float
        Width that the interval of r over new systems is to have on average, such as 0.1.
    confidence_level : float, default 0.95
        Level of the interval.

    Returns
    -------
    xarray.Dataset
        Dim (metric): ``value``, r here; ``lower`` and ``upper``, its interval here; and
        ``systems_needed``, for independent systems with normal scores and as many segments; NaN if
        more than 10,000 are.

    Raises
    ------
    InputError
        If the metric does not exist or has no r below 1, or the width is not between 0 and 1.

    Examples
    --------
    >>> from supersample import load_example
    >>> plan_width(load_example(), "strong-95", width=0.1)["systems_needed"].item()
    45.0
    """
    if not 0 < width < 1:
        raise InputError(f"a width is a number between 0 and 1, such as 0.1, not {width}")
    found = compare(keep_metrics(scores, [metric]), confidence_level=confidence_level)
    found = found.isel(measure=0, basis=0, group=0)
    r = found["value"].item()
    if not abs(r) < 1:
        raise InputError(f"r of {metric} is undefined or exactly 1, which shows no noise")
    needed = systems_for_width(r, width, confidence_level=confidence_level)
    shown = found[["value", "lower", "upper", "systems"]]
    told: dict[str, Any] = {"kind": "width-plan", "statistic": "width of r", "width": width}
    told |= {"n": [found["systems"].item()], "counted": ["systems"]}
    attrs = result_attrs(found.attrs, confidence_level=confidence_level, **told)
    return shown.assign(systems_needed=("metric", [needed])).assign_attrs(attrs)


def _check(power: float, sets: Sequence[int], error_correlation: float, **counts: int) -> None:
    """Refuse numbers that are out of range."""
    check_power(power)
    if not 0 <= error_correlation <= 1:
        raise InputError(f"the correlation of errors must be from 0 to 1, not {error_correlation}")
    check_counted("sets", *sets)
    for what, number in counts.items():
        check_counted(what, number)


def _tried(systems: Sequence[int], segments: Sequence[int]) -> tuple[list[int], list[int]]:
    """Numbers of systems and of segments to try, each once and in order."""
    if not systems or not segments:
        raise InputError("a plan needs numbers of systems and of segments to try")
    sizes = sorted({int(n) for n in systems})
    lengths = sorted({int(n) for n in segments})
    if sizes[0] < FEWEST_SYSTEMS or lengths[0] < 2:  # the jackknife needs five
        few = f"{sizes[0]} systems and {lengths[0]} segments"
        raise InputError(f"a plan needs at least 5 systems and 2 segments, not {few}")
    return sizes, lengths


@dataclass(frozen=True)
class _Samples:
    """Data for any block of samples; a call returns one row per sample: which sizes show it."""

    population: Population
    """With the people and the two metrics of each set as scorers."""
    sets: int
    sizes: tuple[int, ...]
    lengths: tuple[int, ...]
    level: float
    seed: int

    def __call__(self, start: int, stop: int) -> Floats:
        numbers = np.arange(start, stop, dtype=np.uint64)
        rows = []
        for length in self.lengths:
            scores = _system_scores(self.population, self.seed, numbers, self.sizes[-1], length)
            of_sets = np.split(scores, self.sets, axis=2)
            # a smaller sample is the beginning of a larger one
            rows += [self._shown([own[:, :n] for own in of_sets]) for n in self.sizes]
        return np.stack(rows, axis=1).astype(np.float64)

    def _shown(self, of_sets: list[Floats]) -> Floats:
        """Whether the test, of the average if there are several, shows each sample's difference."""
        pairs = [sampled_pairs(scores) for scores in of_sets]
        if self.sets == 1:
            return np.asarray(fisher_jackknife(pairs[0]).p_value <= self.level)
        found = set_differences(pairs, [np.arange(pairs[0].n)] * self.sets)
        p = t_test(found.t(), found.mean_freedom, "two-sided").p_value
        return np.asarray(p <= self.level)


def _shares(samples: _Samples, *, replicates: int, workers: AnyWorkers, progress: bool) -> Floats:
    """Share of samples in which the difference is shown, (lengths, sizes)."""
    shape = len(samples.lengths), len(samples.sizes)
    shown = compute_rows(
        samples,
        replicates,
        shape[0] * shape[1],
        workers=workers,
        progress="samples" if progress else None,
        chunk=max(1, min(100, -(-replicates // 8))),
    )
    return np.asarray(shown.mean(axis=0).reshape(shape))


def _difference(population: Population, segments: int) -> float:
    """Difference of r of observed scores in the population."""
    first, second = correlation_of(exact_moments(population, segments)[0])[0, 1:]
    return float(first - second)


def _system_scores(
    population: Population, seed: int, numbers: Any, systems: int, segments: int
) -> Floats:
    """System scores over a number of segments, shape (samples, systems, scorers).

    The mean of normal noise over segments is normal: it is drawn directly.
    """
    deviation = np.asarray(population.segment_deviation) / np.sqrt(segments)
    drawn = replace(population, segment_deviation=deviation)
    return drawn.draw(seed, numbers, systems, 1)[:, :, 0]


def _of_several(population: Population, sets: int, of_errors: float) -> Population:
    """Make a population whose scorers are those of each set in turn.

    A system's quality is the same in all sets, and the noise of segments is each set's own.
    """
    correlation = np.asarray(population.correlation)
    shared = np.outer(correlation[0], correlation[0])
    between = shared + of_errors * (correlation - shared)
    alone = np.eye(sets)
    return replace(
        population,
        correlation=np.kron(1 - alone, between) + np.kron(alone, correlation),
        segment_deviation=np.tile(np.asarray(population.segment_deviation), sets),
        shared_noise=np.kron(alone, np.asarray(population.shared_noise)),
        metrics=(),
    )


def _near(needed: float, sets: int) -> tuple[int, ...]:
    """Sizes between those of independent and of equal sets, with a margin; few are all tried."""
    least = max(0.8 * needed / sets, FEWEST_SYSTEMS)
    return tuple(np.unique(np.geomspace(least, 1.25 * needed, 9).astype(np.int64)).tolist())


def _needed(sizes: Sequence[int], reached: Floats, power: float, replicates: int) -> float:
    """Size that first reaches the power, interpolated linearly; NaN if none does."""
    enough = np.flatnonzero(reached >= power)
    if enough.size == 0:
        return np.nan
    i = int(enough[0])
    if i == 0:
        return float(sizes[0])
    # the normal quantile of power is nearly linear in the square root of n
    least = 0.5 / replicates
    quantiles = ndtri(np.clip(reached[i - 1 : i + 1], least, 1 - least))
    root = np.interp(ndtri(power), quantiles, np.sqrt(sizes[i - 1 : i + 1]))
    return float(np.ceil(root**2))
