"""Bootstrap over systems, segments or documents: intervals of correlations and differences."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations.correlate import BASIS, correlate, with_limits
from supersample.correlations.differences import with_differences
from supersample.engine.resamples import bootstrap_counts, counted_sums, jackknife_counts
from supersample.engine.statistics import Statistics
from supersample.errors import InputError, check_choice, check_confidence_level, check_resamples
from supersample.inference.arguments import Interval
from supersample.inference.one_correlation.registry import COEFFICIENTS
from supersample.inference.resampling.intervals import (
    basic_interval,
    bca_interval,
    percentile_interval,
    undefined_replicates,
)
from supersample.results.comparisons import difference_matrix, limit_matrices
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.prepared import HumanMean, PreparedScores, prepare_scores
from supersample.scores.selection import Mask
from supersample.scores.system_level import SYSTEMS, bases_of, system_level_scores

BOOTSTRAP_METHODS = ("percentile", "basic", "bca")
SMALLEST_N = 4
Resampled = Literal["system", "segment", "document"]
_REPLICATES_AT_ONCE = 256


class Replicates(NamedTuple):
    """Correlations with the human scores, along metrics in the last axis."""

    drawn: NDArray[np.float64]
    """Of each bootstrap replicate, shape (replicates, metrics)."""
    estimate: NDArray[np.float64]
    """On the data themselves."""
    left_out: NDArray[np.float64]
    """With each unit left out in its turn, shape (units, metrics)."""


def bootstrap_intervals(
    data: xr.Dataset,
    *,
    unit: Resampled = "system",
    coefficient: str = "pearson",
    method: str = "bca",
    resamples: int = 9_999,
    seed: int = 0,
    confidence_level: float = 0.95,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> xr.Dataset:
    """Bootstrap an interval for each metric's correlation with the human scores.

    Over systems it says how r would vary with other systems on these segments; over segments or
    documents, how r of these systems would vary with other texts to translate.

    Parameters
    ----------
    data : xarray.Dataset
        A sample, Scores or system-level scores; over segments, Scores.
    unit : {"system", "segment", "document"}, default "system"
        What is drawn with replacement: original systems, or segments or whole documents, the same
        for all systems and scorers. Scores are made anew of the sums over what was drawn, so that a
        corpus metric is that of the drawn corpus (see `add_corpus_metrics`).
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
    method : {"percentile", "basic", "bca"}, default "bca"
        Quantiles of the replicates, reflected quantiles, or bias-corrected and accelerated ones.
    resamples : int, default 9_999
    seed : int, default 0
        Replicate i is a function of (seed, i) alone.
    confidence_level : float, default 0.95
    mask, human_mean
        As for `system_level_scores`.

    Returns
    -------
    xarray.Dataset
        As `correlate` gives on the basis "systems", with these limits and ``undefined`` (basis,
        metric), how many replicates had no r because what they drew did not vary; they are left
        out.

    Raises
    ------
    InputError
        As `correlate`; or if the unit or method is unknown, `resamples` < 1, or there are no
        segments, or documents, to draw.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals", JASA 82.

    Examples
    --------
    >>> from supersample import load_example
    >>> intervals = bootstrap_intervals(load_example(), resamples=999)
    >>> bool((intervals["lower"] < intervals["value"]).all())
    True
    """
    drawn = draw_bootstrap(
        data,
        unit=unit,
        coefficient=coefficient,
        resamples=resamples,
        seed=seed,
        mask=mask,
        human_mean=human_mean,
    )
    return drawn.with_intervals(method, confidence_level)


def compare_by_bootstrap(
    data: xr.Dataset,
    *,
    unit: Resampled = "system",
    coefficient: str = "pearson",
    method: str = "bca",
    resamples: int = 9_999,
    seed: int = 0,
    confidence_level: float = 0.95,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> xr.Dataset:
    """Paired bootstrap of the difference of every two metrics' correlations.

    Each replicate draws systems, segments or documents with replacement, the same for all scorers.
    A system drawn twice stays one system: its copies tie in ranks and form no pair for Kendall's
    tau.

    Parameters
    ----------
    data, unit, coefficient, method, resamples, seed, confidence_level, mask, human_mean
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
    bootstrap = draw_bootstrap(
        data,
        unit=unit,
        coefficient=coefficient,
        resamples=resamples,
        seed=seed,
        mask=mask,
        human_mean=human_mean,
    )
    correlations = bootstrap.with_intervals(method, confidence_level)
    first, second = np.triu_indices(correlations.sizes["metric"], 1)
    limits = bootstrap.interval(lambda r: r[..., first] - r[..., second], method, confidence_level)
    r = correlations["value"].to_numpy()
    lower, upper = limit_matrices(r[0], *limits)
    values = {
        "difference": difference_matrix(r),
        "difference_lower": lower[np.newaxis],
        "difference_upper": upper[np.newaxis],
    }
    return with_differences(
        correlations,
        values,
        method=bootstrap.name_of(method),
        alternative="two-sided",
        confidence_level=confidence_level,
    )


@dataclass(frozen=True)
class Bootstrap:
    """Bootstrap replicates of r, drawn once for intervals by any method."""

    correlations: xr.Dataset
    """What `correlate` gives over the systems."""
    replicates: Replicates
    unit: Resampled
    facts: dict[str, Any]
    """Attributes for results: resamples, seed and what is resampled."""

    def name_of(self, method: str) -> str:
        """Name of the method, with the unit where systems are not what is drawn."""
        return f"bootstrap-{method}" + ("" if self.unit == "system" else f" over {self.unit}s")

    def with_intervals(self, method: str, confidence_level: float) -> xr.Dataset:
        """Correlations with bootstrap limits, and the number of replicates without r."""
        check_choice("bootstrap method", method, BOOTSTRAP_METHODS)
        check_confidence_level(confidence_level)
        lower, upper = self.interval(lambda r: r, method, confidence_level)
        undefined = undefined_replicates(self.replicates.drawn)
        new = {"lower": lower, "upper": upper, "undefined": undefined}
        result = with_limits(self.correlations, confidence_level).assign(
            result_variables({name: values[np.newaxis] for name, values in new.items()}, BASIS)
        )
        result.attrs = result_attrs(
            {**self.correlations.attrs, **self.facts},
            n=self.correlations["n"].to_numpy(),
            counted=[SYSTEMS],
            method=self.name_of(method),
            interval=self.name_of(method),
            confidence_level=confidence_level,
        )
        return result

    def interval(
        self,
        of: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        method: str,
        confidence_level: float,
    ) -> Interval:
        """Interval of a function of r, along the last axis; NaN with fewer than four units."""
        estimate = of(self.replicates.estimate)
        units = (int(self.correlations["n"].item()), len(self.replicates.left_out))
        if min(units) < SMALLEST_N:
            return Interval(np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan))
        drawn = of(self.replicates.drawn)
        options: dict[str, Any] = {"confidence_level": confidence_level}
        if method == "percentile":
            return percentile_interval(drawn, **options)
        if method == "basic":
            return basic_interval(drawn, estimate, **options)
        return bca_interval(drawn, estimate, of(self.replicates.left_out), **options)


def draw_bootstrap(
    data: xr.Dataset,
    *,
    unit: Resampled,
    coefficient: str,
    resamples: int,
    seed: int,
    mask: Mask,
    human_mean: HumanMean,
) -> Bootstrap:
    """Draw the replicates of `bootstrap_intervals`, whose options these are."""
    check_choice("coefficient", coefficient, COEFFICIENTS)
    check_choice("unit of the bootstrap", unit, get_args(Resampled))
    check_resamples(resamples)
    systems = system_level_scores(data, mask=mask, human_mean=human_mean)
    correlations = correlate(systems, coefficient=coefficient, bases=[SYSTEMS])
    if unit == "system":
        [basis] = bases_of(systems, [SYSTEMS])
        replicates = _over_systems(basis.scores, coefficient, resamples, seed)
    elif "segment" not in data.dims:
        raise InputError(f"a bootstrap over {unit}s takes Scores with segments")
    else:
        prepared = prepare_scores(data, unit=unit, mask=mask, human_mean=human_mean)
        replicates = resampled_over_segments(
            prepared, COEFFICIENTS[coefficient].matrix, unit=unit, resamples=resamples, seed=seed
        )
    facts = {"resamples": resamples, "seed": seed, "resampled": f"{unit}s"}
    return Bootstrap(correlations, replicates, unit, facts)


def _over_systems(
    scores: NDArray[np.float64], coefficient: str, resamples: int, seed: int
) -> Replicates:
    """Draw systems with replacement."""
    n = scores.shape[0]
    weighted = COEFFICIENTS[coefficient].weighted
    numbers = np.arange(resamples, dtype=np.uint64)
    counts = bootstrap_counts(n, seed=seed, replicates=numbers, purpose="bootstrap of systems")
    return Replicates(
        weighted(scores, counts),
        weighted(scores, np.ones((1, n)))[0],
        weighted(scores, jackknife_counts(n)),
    )


def resampled_over_segments(
    prepared: PreparedScores,
    coefficient: Any,
    *,
    unit: Resampled,
    resamples: int,
    seed: int,
) -> Replicates:
    """Draw segments or documents with replacement, the same for all systems and scorers.

    A replicate sums the statistics of what it drew and makes scores of the sums, so that a corpus
    metric is that of the drawn corpus, and a mean is over what was drawn.

    Parameters
    ----------
    prepared : PreparedScores
        By the unit.
    coefficient : callable
        From (..., systems, scorers) to correlations (..., scorers, scorers).
    unit : {"segment", "document"}
    resamples, seed : int
        Replicate i is a function of (seed, i) and the unit alone.
    """
    statistics = prepared.statistics
    units = statistics.values.shape[1]

    def r(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        systems = _scores(statistics, counts) * prepared.signs
        return np.asarray(coefficient(systems)[:, 0, 1:])

    drawn = []
    for start in range(0, resamples, _REPLICATES_AT_ONCE):
        numbers = np.arange(start, min(start + _REPLICATES_AT_ONCE, resamples), dtype=np.uint64)
        purpose = f"bootstrap of {unit}s"
        drawn.append(r(bootstrap_counts(units, seed=seed, replicates=numbers, purpose=purpose)))
    left_out = jackknife_counts(units)
    rows = range(0, units, _REPLICATES_AT_ONCE)
    return Replicates(
        np.concatenate(drawn),
        r(np.ones((1, units)))[0],
        np.concatenate([r(left_out[row : row + _REPLICATES_AT_ONCE]) for row in rows]),
    )


def _scores(statistics: Statistics, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of systems on drawn units, shape (replicates, systems, scorers)."""
    systems, units, columns = statistics.values.shape
    by_unit = np.ascontiguousarray(statistics.values.swapaxes(0, 1).reshape(units, -1))
    totals = counted_sums(counts, by_unit).reshape(len(counts), systems, columns)
    return statistics.finalize(totals)
