"""The sampling distribution of r over samples of n systems, simulated and exact; intervals."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from operator import index
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.errors import (
    DegenerateScoreWarning,
    InputError,
    check_choice,
    check_confidence_level,
    warn,
)
from supersample.execution.checksums import content_code, keyed
from supersample.execution.workers import AnyWorkers, checked_workers, compute_rows, connect
from supersample.inference.one_correlation.coefficients import COEFFICIENTS, Coefficient
from supersample.inference.one_correlation.intervals import (
    density_of_r,
    exact_interval,
    fisher_interval,
    moments_of_r,
    quantile_of_r,
    symmetric_interval,
)
from supersample.inference.resampling.intervals import (
    Tally,
    add_draws,
    new_tally,
    tally_edges,
    tally_quantiles,
    tally_summary,
)
from supersample.results.variables import signature
from supersample.simulation.populations import (
    AnyPopulation,
    FinitePopulation,
    Population,
    hypothetical_systems,
)

SMALLEST_N, LARGEST_N = 2, 2**20
LARGEST_DRAWS = 2**44
FIRST_DRAWS = 4096  # draws that set the range of the histograms
SMALLEST_EXACT_N = 4
_SCORES_AT_ONCE = 2**19
_TALLIED_AT_ONCE = 2**18
_BLOCK_AT_ONCE = 2**16
_POINTS, _OUTER = 1001, 1e-6  # points of the exact density, and probability left out on either side
_Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class _Drawing:
    """Data for any block of draws; a call returns their correlations, (replicates, metrics)."""

    population: AnyPopulation
    n: int
    seed: int
    coefficient: Coefficient

    def __call__(self, start: int, stop: int) -> Floats:
        scorers = 1 + len(self.population.metrics)
        step = max(1, _SCORES_AT_ONCE // (self.n * scorers))
        out = np.empty((stop - start, scorers - 1))
        for first in range(start, stop, step):
            replicates = np.arange(first, min(first + step, stop), dtype=np.uint64)
            samples = np.swapaxes(self.population.draw(self.seed, replicates, self.n), 1, 2)
            r = self.coefficient.of_samples(np.ascontiguousarray(samples))
            out[first - start : first - start + replicates.size] = r
        return out


def sampling_distribution(
    population: AnyPopulation,
    n: int,
    draws: int = 10_000,
    *,
    coefficient: str = "pearson",
    keep: Literal["draws", "histogram"] = "draws",
    bins: int = 2_000,
    confidence_level: float = 0.95,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Draw samples of n systems, and correlate every metric with the human scores in each.

    Parameters
    ----------
    population : Population, FinitePopulation or HybridPopulation
        For example from `fit_population`. Samples of a `Population` have infinitely many segments.
    n : int
        Systems per sample, 2 to 2**20. r over 2 systems is -1 or 1.
    draws : int, default 10_000
        Number of samples. The first samples of a larger run are those of a smaller one.
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
    keep : {"draws", "histogram"}, default "draws"
        Whether to keep every draw, or only their histogram, in constant memory.
    bins : int, default 2_000
        Bins of histograms, over at most twice the range of the first 4,096 draws; one more bin on
        either side counts the values outside.
    confidence_level : float, default 0.95
        Share of the draws between ``lower`` and ``upper``; the other draws are split equally
        between the two sides.
    seed : int, default 0
        Seed. Draw i depends only on (seed, i), n and the population: it has the same bits for any
        `draws` and workers.
    workers, progress
        As in `hybrid_supersample`.

    Returns
    -------
    xarray.Dataset
        Dim (metric): ``population_r`` (NaN if unknown), ``mean``, ``standard_deviation``,
        ``skewness``, ``lower`` and ``upper``; ``undefined``, the number of draws without r because
        scores do not vary (they are left out); the histogram ``count`` (metric, bin) between
        ``edge`` (metric, boundary). With ``keep="draws"`` also ``r`` (draw, metric).

        With several metrics also dim (pair), with coordinates ``first`` and ``second``: the same
        variables for the differences of r, first minus second in the same draw; their names begin
        with ``difference_``.

        Quantiles come from the draws if these are kept, else from the histogram (to one bin).

    Raises
    ------
    InputError
        If n, `draws`, `bins` or an option is out of range, or the population has fewer than n
        systems.

    Warns
    -----
    DegenerateScoreWarning
        If a metric has no r in any draw, because scores do not vary.

    Examples
    --------
    >>> r = sampling_distribution(Population(0.91), n=5, draws=20_000)
    >>> [round(float(r[name].item()), 1) for name in ("mean", "lower", "upper")]
    [0.9, 0.4, 1.0]
    """
    n, draws, bins = index(n), index(draws), index(bins)
    _check(population, n, draws, bins)
    check_choice("coefficient", coefficient, COEFFICIENTS)
    check_choice("way to keep draws:", keep, ("draws", "histogram"))
    check_confidence_level(confidence_level)
    workers = checked_workers(workers)
    drawing = _Drawing(population, n, index(seed), COEFFICIENTS[coefficient])
    metrics = population.metrics
    kept = None
    if keep == "draws":
        text = "draws" if progress else None
        kept = compute_rows(drawing, draws, len(metrics), workers=workers, progress=text)
    parts = _streamed(drawing, draws, workers) if kept is None else [kept]
    pairs = np.triu_indices(len(metrics), 1)
    tally = _tally(parts, drawing(0, min(draws, FIRST_DRAWS)), pairs, bins)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    limits = tally_quantiles(tally, tails) if kept is None else _quantiles(kept, pairs, tails)
    result = _dataset(population, pairs, tally, limits)
    result["population_r"] = ("metric", population.coefficients(coefficient))
    if kept is not None:
        result["r"] = (("draw", "metric"), kept)
        result = result.assign_coords(draw=np.arange(draws))
    _warn_undefined(result, draws)
    facts: dict[str, Any] = {"statistic": coefficient, "coefficient": coefficient}
    facts |= {"method": "sampling distribution", "population": population.describe()}
    facts["settings"] = _code(population)
    facts |= {"draws": draws, "seed": drawing.seed, "confidence_level": confidence_level}
    result.attrs = {**facts, "n": n, "signature": signature(**facts, n=f"{n} systems")}
    return result


def _check(population: AnyPopulation, n: int, draws: int, bins: int) -> None:
    if not SMALLEST_N <= n <= LARGEST_N:
        raise InputError(f"a sample has {SMALLEST_N} to {LARGEST_N} systems (n), not {n}")
    if population.size is not None and n > population.size:
        raise InputError(f"{n} systems cannot be drawn without replacement from {population.size}")
    if not 1 <= draws <= LARGEST_DRAWS:
        raise InputError(f"draws, the number of samples, must be at least 1, not {draws}")
    if bins < 1:
        raise InputError(f"bins, the number of bins, must be at least 1, not {bins}")


def _shifted(drawing: _Drawing, offset: int, start: int, stop: int) -> Floats:
    return drawing(offset + start, offset + stop)


def _streamed(drawing: _Drawing, draws: int, workers: AnyWorkers) -> Iterator[Floats]:
    """Yield correlations in order; each worker computes one block at a time."""
    width = len(drawing.population.metrics)
    with connect(workers) as client:
        at_once = _BLOCK_AT_ONCE * client.count
        for start in range(0, draws, at_once):
            count = min(at_once, draws - start)
            block = partial(_shifted, drawing, start)
            yield compute_rows(block, count, width, workers=client)


def _tally(parts: Iterable[Floats], first: Floats, pairs: _Pairs, bins: int) -> Tally:
    """Tally correlations and, after them, their differences."""
    bound = np.repeat([1.0, 2.0], [first.shape[1], pairs[0].size])
    tally = new_tally(_with_differences(first, pairs), bins, bound)
    step = max(1, _TALLIED_AT_ONCE // tally.undefined.size)
    for part in parts:
        for start in range(0, part.shape[0], step):
            add_draws(tally, _with_differences(part[start : start + step], pairs))
    return tally


def _with_differences(r: Floats, pairs: _Pairs) -> Floats:
    return np.concatenate([r, r[:, pairs[0]] - r[:, pairs[1]]], axis=1)


def _quantiles(r: Floats, pairs: _Pairs, probabilities: list[float]) -> Floats:
    """Quantiles of the defined draws and differences, (probabilities, columns)."""
    columns = np.ascontiguousarray(r.T)
    differences = (columns[a] - columns[b] for a, b in zip(*pairs, strict=True))
    found = []
    for column in (*columns, *differences):
        defined = column[~np.isnan(column)]
        found.append(np.quantile(defined, probabilities) if defined.size else [np.nan] * 2)
    return np.array(found).T


def _dataset(population: AnyPopulation, pairs: _Pairs, tally: Tally, limits: Floats) -> xr.Dataset:
    """Make the result: summaries of correlations along metrics, of differences along pairs."""
    metrics = np.array(population.metrics)
    columns = tally_summary(tally)._asdict() | {"lower": limits[0], "upper": limits[1]}
    columns["undefined"] = tally.undefined
    edges = tally_edges(tally)
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"metric": metrics}
    parts = [("", "metric", slice(metrics.size))]
    if metrics.size > 1:
        parts.append(("difference_", "pair", slice(metrics.size, None)))
        coordinates["first"] = ("pair", metrics[pairs[0]])
        coordinates["second"] = ("pair", metrics[pairs[1]])
    for prefix, along, part in parts:
        variables |= {f"{prefix}{name}": (along, values[part]) for name, values in columns.items()}
        variables[f"{prefix}count"] = ((along, "bin"), tally.counts[part])
        variables[f"{prefix}edge"] = ((along, "boundary"), edges[part])
    return xr.Dataset(variables, coords=coordinates)


def _warn_undefined(result: xr.Dataset, draws: int) -> None:
    never = result["undefined"].to_numpy() == draws
    if never.any():
        names = ", ".join(result["metric"].to_numpy()[never])
        text = f"no draw has a correlation, because scores do not vary: {names}"
        warn(text, DegenerateScoreWarning, stacklevel=3)


def _code(population: AnyPopulation) -> str:
    """Checksum of all that defines a population, for signatures."""
    if isinstance(population, Population):
        return keyed(**population.facts())[:8]
    if not isinstance(population, FinitePopulation):
        return keyed(population=population.describe())[:8]
    scores = population.scores
    if not isinstance(scores, xr.Dataset):
        scores = xr.DataArray(np.asarray(scores)).to_dataset(name="scores")
    return keyed(population=population.describe(), scores=content_code(scores))[:8]


def intervals_of_r(
    r: float,
    n: int,
    *,
    draws: int = 100_000,
    systems: int | None = None,
    confidence_level: float = 0.95,
    bins: int = 200,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Compare intervals of r with its sampling distribution, exact and simulated.

    It answers two questions. If the r of a normal population is `r`, where do the r of samples fall
    (exactly, and simulated)? If the r of a sample is `r`, where may the r of the population be (by
    the exact interval, Fisher's, and the symmetric one)?

    Parameters
    ----------
    r : float
        Correlation, in [-1, 1].
    n : int
        Systems per sample, at least 4.
    draws : int, default 100_000
        Number of simulated samples.
    systems : int, optional
        If given, draw samples without replacement from this many hypothetical systems, whose r is
        exactly `r`, as Graham and Liu (2016) do with 10,000; by default from an infinite normal
        population.
    confidence_level : float, default 0.95
    bins : int, default 200
        Bins of the histogram.
    seed : int, default 0
    workers, progress
        As in `sampling_distribution`.

    Returns
    -------
    xarray.Dataset
        ``lower`` and ``upper`` (interval): "exact" and "simulated" for r of samples; "exact for
        rho", "fisher" and "symmetric" for r of the population. ``mean``, ``standard_deviation``
        and ``skewness`` (source), exact and simulated; ``count`` (bin) between ``edge``
        (boundary); the exact ``density`` (at).

    Raises
    ------
    InputError
        If r is outside [-1, 1] or n < 4; and as `sampling_distribution`.

    References
    ----------
    Graham and Liu (2016), NAACL, section 2.1 and Figures 1 and 2; Hotelling (1953), JRSS B 15.

    Examples
    --------
    >>> found = intervals_of_r(0.91, 5, draws=1000)
    >>> [round(float(x), 3) for x in found["lower"].sel(interval=["exact", "fisher"])]
    [0.425, 0.141]
    """
    n = index(n)
    check_confidence_level(confidence_level)
    if not -1 <= r <= 1:
        raise InputError(f"a correlation must be from -1 to 1, not {r}")
    if n < SMALLEST_EXACT_N:
        raise InputError(f"a sample here has at least {SMALLEST_EXACT_N} systems (n), not {n}")
    population: AnyPopulation = Population(r)
    if systems is not None:
        population = FinitePopulation(hypothetical_systems(r, size=systems, seed=seed))
    level: dict[str, Any] = {"confidence_level": confidence_level}
    drawn = sampling_distribution(
        population, n, draws, seed=seed, workers=workers, progress=progress, **level
    ).isel(metric=0)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    limits = {
        "exact": quantile_of_r(tails, r, n),
        "simulated": [float(drawn["lower"]), float(drawn["upper"])],
        "exact for rho": exact_interval(r, n, **level),
        "fisher": fisher_interval(r, n, **level),
        "symmetric": symmetric_interval(r, n, **level),
    }
    mean, variance, skewness = moments_of_r(r, n)
    exact = {"mean": mean, "standard_deviation": np.sqrt(variance), "skewness": skewness}
    at = _points(r, n)
    count, edges = np.histogram(drawn["r"], bins=bins, range=_range(drawn["r"].to_numpy(), bins))
    bounds = np.array([np.asarray(pair, dtype=np.float64) for pair in limits.values()]).T
    return xr.Dataset(
        {
            "lower": ("interval", bounds[0]),
            "upper": ("interval", bounds[1]),
            **{name: ("source", [float(x), float(drawn[name])]) for name, x in exact.items()},
            "count": ("bin", count),
            "edge": ("boundary", edges),
            "density": ("at", density_of_r(at, r, n)),
        },
        coords={"interval": list(limits), "source": ["exact", "simulated"], "at": at},
        attrs={**drawn.attrs, "kind": "sampling", "r": r}
        | ({} if systems is None else {"hypothetical": systems}),
    )


def _points(r: float, n: int) -> Floats:
    """Points of the density: evenly spaced on Fisher's z scale, or both ends of a point mass."""
    outer = quantile_of_r([_OUTER, 1 - _OUTER], r, n)
    if abs(r) == 1:
        return outer
    return np.asarray(np.tanh(np.linspace(np.arctanh(outer[0]), np.arctanh(outer[1]), _POINTS)))


def _range(r: Floats, bins: int) -> tuple[float, float]:
    """Range of the draws, extended if they differ at most by rounding."""
    low, high = float(np.nanmin(r)), float(np.nanmax(r))
    return (
        (low, high) if high - low > 1e-14 * bins else (max(-1.0, low - 0.05), min(1.0, high + 0.05))
    )
