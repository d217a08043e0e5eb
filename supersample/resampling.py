"""Bootstrap over systems: intervals of correlations and of their differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations import (
    COEFFICIENTS,
    check_choice,
    check_confidence_level,
    correlate,
    result_attrs,
    with_differences,
)
from supersample.engine.resamples import bootstrap_counts, jackknife_counts
from supersample.errors import InputError
from supersample.inference.resampling_intervals import (
    basic_interval,
    bca_interval,
    percentile_interval,
    undefined_replicates,
)
from supersample.inference.results import Interval
from supersample.inference.weighted import WEIGHTED_COEFFICIENTS
from supersample.system_level import SYSTEMS, bases_of, system_level

BOOTSTRAP_METHODS = ("percentile", "basic", "bca")
SMALLEST_N = 4


def bootstrap_intervals(
    data: xr.Dataset,
    *,
    coefficient: str = "pearson",
    method: str = "bca",
    resamples: int = 9_999,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Bootstrap over systems an interval for each metric's correlation with the human scores.

    Parameters
    ----------
    data : xarray.Dataset
        A sample, Scores or system-level scores; only original systems are drawn.
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
    method : {"percentile", "basic", "bca"}, default "bca"
        Quantiles of the replicates, reflected quantiles, or bias-corrected and accelerated ones.
    resamples : int, default 9_999
    seed : int, default 0
        Replicate i is a function of (seed, i) alone.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        As `correlate` gives on the basis "systems", with these limits and ``undefined`` (basis,
        metric), how many replicates had no r because what they drew did not vary; they are left
        out.

    Raises
    ------
    InputError
        As `correlate`; or if the method is unknown or `resamples` < 1.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals", JASA 82.

    Examples
    --------
    >>> from supersample import load_example
    >>> intervals = bootstrap_intervals(load_example(), resamples=999)
    >>> bool((intervals["lower"] < intervals["r"]).all())
    True
    """
    return _Replicates(
        data, coefficient, method, resamples, seed, confidence_level
    ).with_intervals()


def compare_by_bootstrap(
    data: xr.Dataset,
    *,
    coefficient: str = "pearson",
    method: str = "bca",
    resamples: int = 9_999,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Paired bootstrap over systems of the difference of every two metrics' correlations.

    Each replicate draws systems with replacement, the same for all scorers. A system drawn twice
    stays one system: its copies tie in ranks and form no pair for Kendall's tau.

    Parameters
    ----------
    data, coefficient, method, resamples, seed, confidence_level
        As for `bootstrap_intervals`.

    Returns
    -------
    xarray.Dataset
        What `bootstrap_intervals` gives and, as `compare_correlations`, ``difference``,
        ``difference_lower``, ``difference_upper``, and ``significant`` where the interval excludes
        zero. No p-values.

    Raises
    ------
    InputError
        As `bootstrap_intervals`.

    Examples
    --------
    >>> from supersample import load_example
    >>> d = compare_by_bootstrap(load_example(), resamples=999)
    >>> bool(d["significant"].sel(metric="strong-95", other_metric="weak-40").item())
    True
    """
    replicates = _Replicates(data, coefficient, method, resamples, seed, confidence_level)
    correlations = replicates.with_intervals()
    first, second = np.triu_indices(correlations.sizes["metric"], 1)
    lower, upper = replicates.interval(lambda r: r[..., first] - r[..., second])
    shape = (1, correlations.sizes["metric"], correlations.sizes["metric"])
    r = correlations["r"].to_numpy()
    values = {"difference": r[:, :, np.newaxis] - r[:, np.newaxis, :]}
    values["difference_lower"] = np.where(np.isnan(values["difference"]), np.nan, np.zeros(shape))
    values["difference_upper"] = values["difference_lower"].copy()
    values["difference_lower"][0, first, second] = lower
    values["difference_upper"][0, first, second] = upper
    values["difference_lower"][0, second, first] = -upper
    values["difference_upper"][0, second, first] = -lower
    significant = (values["difference_lower"] > 0) | (values["difference_upper"] < 0)
    return with_differences(
        correlations,
        values,
        significant,
        method=f"bootstrap-{method}",
        alternative="two-sided",
        confidence_level=confidence_level,
    )


class _Replicates:
    """Bootstrap replicates of r over systems, and intervals of what is computed from r."""

    def __init__(
        self,
        data: xr.Dataset,
        coefficient: str,
        method: str,
        resamples: int,
        seed: int,
        confidence_level: float,
    ) -> None:
        check_choice("coefficient", coefficient, COEFFICIENTS)
        check_choice("bootstrap method", method, BOOTSTRAP_METHODS)
        check_confidence_level(confidence_level)
        check_resamples(resamples)
        systems = system_level(data)
        self.correlations = correlate(
            data, coefficient=coefficient, bases=[SYSTEMS], confidence_level=confidence_level
        )
        [basis] = bases_of(systems, [SYSTEMS])
        n = basis.scores.shape[0]
        weighted = WEIGHTED_COEFFICIENTS[coefficient]
        numbers = np.arange(resamples, dtype=np.uint64)
        counts = bootstrap_counts(n, seed=seed, replicates=numbers, purpose="bootstrap of systems")
        self.method, self.confidence_level = method, confidence_level
        self.enough = n >= SMALLEST_N
        self.drawn = weighted(basis.scores, counts)
        self.estimate = weighted(basis.scores, np.ones((1, n)))[0]
        self.left_out = weighted(basis.scores, jackknife_counts(n))
        self.facts = {"resamples": resamples, "seed": seed}

    def with_intervals(self) -> xr.Dataset:
        """Correlations with bootstrap limits, and how many replicates have no r."""
        lower, upper = self.interval(lambda r: r)
        new = {"lower": lower, "upper": upper, "undefined": undefined_replicates(self.drawn)}
        result = self.correlations.assign(
            {name: (("basis", "metric"), values[np.newaxis]) for name, values in new.items()}
        )
        result.attrs = result_attrs(
            {**self.correlations.attrs, **self.facts},
            n=self.correlations["n"].to_numpy(),
            counted=[SYSTEMS],
            method=f"bootstrap-{self.method}",
            interval=f"bootstrap-{self.method}",
        )
        return result

    def interval(self, of: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Interval:
        """Interval of a function of r, along the last axis; NaN with fewer than four systems."""
        estimate = of(self.estimate)
        if not self.enough:
            return Interval(np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan))
        options: dict[str, Any] = {"confidence_level": self.confidence_level}
        if self.method == "percentile":
            return percentile_interval(of(self.drawn), **options)
        if self.method == "basic":
            return basic_interval(of(self.drawn), estimate, **options)
        return bca_interval(of(self.drawn), estimate, of(self.left_out), **options)


def check_resamples(resamples: int) -> None:
    """Refuse to resample less than once."""
    if resamples < 1:
        raise InputError(f"at least one resample is needed, not {resamples}")
