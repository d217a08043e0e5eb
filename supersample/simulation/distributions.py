"""The sampling distribution of r over samples of n systems, simulated and exact; intervals."""

from dataclasses import dataclass
from operator import index
from typing import Any

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import InputError, check_choice, check_confidence_level, check_counted
from supersample.execution.checksums import keyed
from supersample.execution.workers import AnyWorkers, compute_rows
from supersample.inference.coefficients import COEFFICIENTS, Coefficient
from supersample.inference.one_correlation import (
    density_of_r,
    fisher_interval,
    moments_of_r,
    quantile_of_r,
    symmetric_interval,
)
from supersample.results.variables import signature
from supersample.simulation.populations import Population
from supersample.tolerances import SUM_TIE

SMALLEST_N, LARGEST_N = 2, 2**20
SMALLEST_EXACT_N = 4
_SCORES_AT_ONCE = 2**19
_POINTS, _OUTER = 1001, 1e-6  # points of the exact density, and probability left out on either side


@dataclass(frozen=True)
class _SampledR:
    """Data for any block of draws; a call returns their correlations, (replicates, metrics)."""

    population: Population
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
    population: Population,
    n: int,
    replicates: int = 10_000,
    *,
    coefficient: str = "pearson",
    confidence_level: float = 0.95,
    seed: int = 0,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Draw samples of n systems, and correlate every metric with the human scores in each.

    Parameters
    ----------
    population : Population
        For example from `fit_population`. Samples have infinitely many segments.
    n : int
        Systems per sample, 2 to 2**20. r over 2 systems is -1 or 1.
    replicates : int, default 10_000
        Number of samples. The first samples of a larger run are those of a smaller one.
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
    confidence_level : float, default 0.95
        Share of the draws between ``lower`` and ``upper``; the other draws are split equally
        between the two sides.
    seed : int, default 0
        Seed. Draw i depends only on (seed, i), n and the population: it has the same bits for any
        `replicates` and workers.
    workers, progress
        As in `hybrid_supersample`.

    Returns
    -------
    xarray.Dataset
        Dim (metric): ``mean``, ``standard_deviation``, ``skewness``, ``lower`` and ``upper``;
        ``r`` (draw, metric).

    Raises
    ------
    InputError
        If n, `replicates` or an option is out of range.

    Examples
    --------
    >>> r = sampling_distribution(Population(0.91), n=5, replicates=20_000)
    >>> [round(float(r[name].item()), 1) for name in ("mean", "lower", "upper")]
    [0.9, 0.4, 1.0]
    """
    n, replicates = index(n), index(replicates)
    if not SMALLEST_N <= n <= LARGEST_N:
        raise InputError(f"a sample has {SMALLEST_N} to {LARGEST_N} systems (n), not {n}")
    check_counted("draws", replicates)
    check_choice("coefficient", coefficient, COEFFICIENTS)
    check_confidence_level(confidence_level)
    sampled = _SampledR(population, n, index(seed), COEFFICIENTS[coefficient])
    text = "draws" if progress else None
    r = compute_rows(sampled, replicates, len(population.metrics), workers=workers, progress=text)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    rows = [_summary(draws, tails) for draws in np.ascontiguousarray(r.T)]
    summaries = {name: ("metric", np.array([row[name] for row in rows])) for name in rows[0]}
    labels = {"draw": np.arange(replicates), "metric": np.array(population.metrics)}
    result = xr.Dataset({"r": (("draw", "metric"), r), **summaries}, labels)
    facts: dict[str, Any] = {"statistic": coefficient, "coefficient": coefficient}
    facts |= {"method": "sampling distribution", "population": population.describe()}
    facts["settings"] = keyed(**population.facts())[:8]
    facts |= {"draws": replicates, "seed": sampled.seed, "confidence_level": confidence_level}
    result.attrs = {**facts, "n": n, "signature": signature(**facts, n=f"{n} systems")}
    return result


def _summary(draws: Floats, tails: list[float]) -> dict[str, float]:
    """Moments and quantiles of draws."""
    lower, upper = np.quantile(draws, tails)
    mean, deviation, skewness = draws.min(), 0.0, np.nan
    if np.ptp(draws) > SUM_TIE:
        mean, deviation = draws.mean(), draws.std()
        skewness = ((draws - mean) ** 3).mean() / deviation**3
    summary = {"mean": mean, "standard_deviation": deviation, "skewness": skewness}
    return {**summary, "lower": lower, "upper": upper}


def intervals_of_r(
    r: float,
    n: int,
    *,
    replicates: int = 100_000,
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
    replicates : int, default 100_000
        Number of simulated samples.
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
    >>> found = intervals_of_r(0.91, 5, replicates=1000)
    >>> [round(float(x), 3) for x in found["lower"].sel(interval=["exact", "fisher"])]
    [0.425, 0.141]
    """
    n = index(n)
    check_confidence_level(confidence_level)
    if not -1 <= r <= 1:
        raise InputError(f"a correlation must be from -1 to 1, not {r}")
    if n < SMALLEST_EXACT_N:
        raise InputError(f"a sample here has at least {SMALLEST_EXACT_N} systems (n), not {n}")
    level: dict[str, Any] = {"confidence_level": confidence_level}
    drawn = sampling_distribution(
        Population(r), n, replicates, seed=seed, workers=workers, progress=progress, **level
    ).isel(metric=0)
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    limits = {
        "exact": quantile_of_r(tails, r, n),
        "simulated": [float(drawn["lower"]), float(drawn["upper"])],
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
        attrs={**drawn.attrs, "kind": "sampling", "r": r},
    )


def _points(r: float, n: int) -> Floats:
    """Points of the density: evenly spaced on Fisher's z scale, or both ends of a point mass."""
    outer = quantile_of_r([_OUTER, 1 - _OUTER], r, n)
    if abs(r) == 1:
        return outer
    return np.asarray(np.tanh(np.linspace(np.arctanh(outer[0]), np.arctanh(outer[1]), _POINTS)))


def _range(r: Floats, bins: int) -> tuple[float, float]:
    """Range of the draws, extended if they differ at most by rounding."""
    low, high = float(r.min()), float(r.max())
    return (
        (low, high) if high - low > 1e-14 * bins else (max(-1.0, low - 0.05), min(1.0, high + 0.05))
    )
