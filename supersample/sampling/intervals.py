"""The sampling distribution of r over samples of n systems, exact and drawn, and intervals."""

from operator import index
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError, check_confidence_level
from supersample.execution.workers.workers import AnyWorkers
from supersample.inference.one_correlation.intervals import (
    density_of_r,
    exact_interval,
    fisher_interval,
    moments_of_r,
    quantile_of_r,
    symmetric_interval,
)
from supersample.sampling.distributions import sampling_distribution
from supersample.sampling.population_sources import finite_population, hypothetical_systems
from supersample.sampling.populations import NormalPopulation, Population

SMALLEST_N = 4
_POINTS, _OUTER = 1001, 1e-6  # of the exact density, and what is left out of it to either side


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
    """Set the sampling distribution of r, exact and simulated, beside intervals.

    It answers two questions. Where do the r of samples fall if the population's is `r`: exactly
    (for a normal population), and simulated. And where may the population's be if a sample's is
    `r`: the exact interval, Fisher's, and the symmetric one.

    Parameters
    ----------
    r : float
        Correlation, in [-1, 1].
    n : int
        Systems a sample, at least 4.
    draws : int, default 100_000
        Samples that are simulated.
    systems : int, optional
        Draw them without replacement from so many hypothetical systems, whose r is exact, as
        Graham and Liu (2016) do with 10,000; from a normal population without end by default.
    confidence_level : float, default 0.95
    bins : int, default 200
        Of the histogram.
    seed : int, default 0
    workers, progress
        As for `sampling_distribution`.

    Returns
    -------
    xarray.Dataset
        ``lower`` and ``upper`` along ``interval``: "exact" and "simulated" of samples' r;
        "exact for rho", "fisher" and "symmetric" of the population's. ``mean``,
        ``standard_deviation`` and ``skewness`` along ``source``, exact and simulated; ``count``
        (bin) between ``edge`` (boundary); and the exact ``density`` (at).

    Raises
    ------
    InputError
        If r lies outside [-1, 1], n < 4, or as `sampling_distribution`.

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
        raise InputError(f"a correlation lies in [-1, 1], not {r}")
    if n < SMALLEST_N:
        raise InputError(f"n, the systems of a sample, is at least {SMALLEST_N} here, not {n}")
    population: Population = NormalPopulation(r)
    if systems is not None:
        population = finite_population(hypothetical_systems(r, size=systems, seed=seed))
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
    count, edges = np.histogram(drawn["r"], bins=bins, range=_range(drawn["r"].to_numpy()))
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
        attrs={**drawn.attrs, "r": r},
    )


def _points(r: float, n: int) -> NDArray[np.float64]:
    """Where the density is computed: evenly on Fisher's z scale, or both ends of a point mass."""
    outer = quantile_of_r([_OUTER, 1 - _OUTER], r, n)
    if abs(r) == 1:
        return outer
    return np.asarray(np.tanh(np.linspace(np.arctanh(outer[0]), np.arctanh(outer[1]), _POINTS)))


def _range(r: NDArray[np.float64]) -> tuple[float, float]:
    """Range of the draws, and something beside them where they are all the same."""
    low, high = float(np.nanmin(r)), float(np.nanmax(r))
    return (low, high) if low < high else (max(-1.0, low - 0.05), min(1.0, high + 0.05))
