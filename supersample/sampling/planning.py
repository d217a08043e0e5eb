"""Plans: how many systems and segments show that one metric agrees better with people."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from supersample.engine import Floats
from supersample.errors import InputError, check_confidence_level, check_counted
from supersample.execution.workers.workers import AnyWorkers, compute_rows
from supersample.inference.two_correlations.power import is_shown
from supersample.inference.two_correlations.system_scores import sampled_pairs
from supersample.results.signature import signature
from supersample.sampling.populations import Population
from supersample.sampling.studies import Setting, estimand_values

SYSTEMS = (5, 8, 12, 20, 32, 50, 80, 150, 300, 600)
SEGMENTS = (100, 300, 1_000)
SETS, FEWEST_OF_SETS = (1, 2, 3, 4, 6, 8), 5
_AT_ONCE = 2**20  # scores of segments that are drawn together, 8 MB


def plan(
    population: Population,
    *,
    systems: Sequence[int] = SYSTEMS,
    segments: Sequence[int] = SEGMENTS,
    sets: Sequence[int] = SETS,
    error_correlation: float = 0.16,
    comparisons: int = 1,
    power: float = 0.8,
    replicates: int = 1_000,
    confidence_level: float = 0.95,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Find how many systems, and how many segments, it takes to show a difference of r.

    By simulation: samples of each size are drawn from the population, and compared as `rank` and
    `compare` do. A difference is shown where the test williams-jackknife rejects equality and the
    projection interval leaves out 0.

    Parameters
    ----------
    population : Population
        Chosen, or from `fit_population` with ``method="segments"``, with two metrics.
    systems, segments : sequence of int
        Sizes of samples; at least 5 systems and 2 segments.
    sets : sequence of int, default 1, 2, 3, 4, 6, 8
        Numbers of language pairs or test sets of one size, with the same systems, to average over.
    error_correlation : float, default 0.16
        Correlation of a metric's errors on one system between two sets; the default is the median
        of WMT23 en-de and zh-en.
    comparisons : int, default 1
        Metrics that are compared with the same baseline. The level of the test is divided by it, as
        Holm divides that of the first one.
    power : float, default 0.8
        Share of samples in which the difference is to be shown.
    replicates : int, default 1_000
        Samples of each size.
    confidence_level : float, default 0.95
        Of the interval; the test has 1 less it.
    seed : int, default 0
        Sample i is a function of (seed, i), the population and its sizes alone.
    workers, progress
        As for `hybrid_supersample`.

    Returns
    -------
    xarray.Dataset
        Along ``segments`` and ``systems``: ``power`` and its Monte-Carlo standard error
        ``power_error``. Along ``segments``: the ``difference`` of observed scores in the population
        (which segments' noise moves), and ``systems_needed``, how many systems reach the power,
        rounded up; between the sizes tried by a line of the power's normal quantile over the square
        root of the size; NaN where none of them does, and a bound where the smallest does. Along
        ``segments`` and ``sets``:
        ``systems_of_sets``, how many systems are needed in each of so many sets: the variance of an
        average of G sets of n systems is nearly proportional to (1 + (G - 1) e^2) / (G (n - 3)), e
        the correlation of errors, since the influence of a system is a product of two of its
        errors.

    Raises
    ------
    InputError
        If the population has no difference to show, or a number is out of range.

    Examples
    --------
    >>> apart = Population([[1, 0.95, 0.7], [0.95, 1, 0.7], [0.7, 0.7, 1]])
    >>> needed = plan(apart, systems=[8, 40], segments=[1000], replicates=200)["systems_needed"]
    >>> 8 < needed.item() < 40
    True
    """
    _check(power, sets, error_correlation, comparisons=comparisons, replicates=replicates)
    check_confidence_level(confidence_level)
    if not systems or not segments:
        raise InputError("a plan needs numbers of systems and of segments to try")
    sizes = sorted({int(n) for n in systems})
    lengths = sorted({int(n) for n in segments})
    if sizes[0] < 5:  # the jackknife
        raise InputError(f"a plan tries at least 5 systems, not {sizes[0]}")
    difference = np.array(
        [
            estimand_values(Setting(population, sizes[-1], length), seed)["observed"][1]
            for length in lengths
        ]
    )
    if np.abs(difference).max() < 1e-9:
        raise InputError("both metrics correlate equally with people: no difference to show")
    samples = _Samples(
        population, tuple(sizes), tuple(lengths), comparisons, confidence_level, seed
    )
    shown = compute_rows(
        samples,
        replicates,
        len(sizes) * len(lengths),
        workers=workers,
        progress="samples" if progress else None,
        chunk=max(1, min(100, -(-replicates // 8))),
    )
    reached = shown.mean(axis=0).reshape(len(lengths), len(sizes))
    needed = np.array([_needed(sizes, row, power, replicates) for row in reached])
    known = np.where(needed > sizes[0], needed, np.nan)  # else a bound
    facts: dict[str, Any] = {"statistic": "power", "method": "williams-jackknife"}
    facts |= {"population": population.describe(), "power": power, "replicates": replicates}
    facts |= {"confidence_level": confidence_level, "seed": seed}
    facts |= {"comparisons": comparisons, "error_correlation": error_correlation}
    return xr.Dataset(
        {
            "power": (("segments", "systems"), reached),
            "power_error": (("segments", "systems"), np.sqrt(reached * (1 - reached) / replicates)),
            "difference": ("segments", difference),
            "systems_needed": ("segments", needed),
            "systems_of_sets": (("segments", "sets"), _of_sets(known, sets, error_correlation)),
        },
        coords={"systems": sizes, "segments": lengths, "sets": sorted(set(sets))},
        attrs={**facts, "signature": signature(**facts, n=f"{replicates} samples")},
    )


def _check(power: float, sets: Sequence[int], error_correlation: float, **counts: int) -> None:
    """Refuse numbers that are out of range."""
    if not 0 < power < 1:
        raise InputError(f"the power is a share between 0 and 1, not {power}")
    if not 0 <= error_correlation <= 1:
        raise InputError(f"errors of two sets correlate by 0 to 1, not {error_correlation}")
    check_counted("sets", *sets)
    for what, number in counts.items():
        check_counted(what, number)


@dataclass(frozen=True)
class _Samples:
    """What any block of samples needs; a call gives a row a sample: which sizes show it."""

    population: Population
    sizes: tuple[int, ...]
    lengths: tuple[int, ...]
    comparisons: int
    confidence_level: float
    seed: int

    def __call__(self, start: int, stop: int) -> Floats:
        numbers = np.arange(start, stop, dtype=np.uint64)
        rule = partial(
            is_shown, comparisons=self.comparisons, confidence_level=self.confidence_level
        )
        rows = []
        for length in self.lengths:
            scores = _system_scores(self.population, self.seed, numbers, self.sizes[-1], length)
            # a sample of fewer systems is the beginning of that of more
            pairs = (sampled_pairs(scores[:, :n]) for n in self.sizes)
            rows += [rule(each) for each in pairs]
        return np.stack(rows, axis=1).astype(np.float64)


def _system_scores(
    population: Population, seed: int, numbers: Any, systems: int, segments: int
) -> Floats:
    """Scores of systems over so many segments, shape (samples, systems, scorers).

    The mean of the segments' normal noise is normal: it is drawn at once where that is all.
    """
    if population.human_levels is None and not population.missing_ratings:
        deviation = np.asarray(population.segment_deviation) / np.sqrt(segments)
        drawn = replace(population, segment_deviation=deviation)
        return drawn.draw(seed, numbers, systems, 1)[:, :, 0]
    step = max(1, _AT_ONCE // (systems * segments * 3))
    parts = [numbers[i : i + step] for i in range(0, len(numbers), step)]
    return np.concatenate([population.draw(seed, p, systems, segments).mean(axis=2) for p in parts])


def _of_sets(needed: Floats, sets: Sequence[int], error_correlation: float) -> Floats:
    """Systems needed in each of so many sets, (segments, sets), by those of one set."""
    shares = [(1 + (count - 1) * error_correlation**2) / count for count in sorted(set(sets))]
    systems = np.ceil(3 + np.multiply.outer(needed - 3, shares))
    return np.asarray(np.maximum(systems, FEWEST_OF_SETS))


def _needed(sizes: Sequence[int], reached: Floats, power: float, replicates: int) -> float:
    """Where power first reaches the one asked for, by lines between the sizes; NaN if never."""
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
