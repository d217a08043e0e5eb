"""Bootstrap over systems, segments or documents: intervals of correlations and differences."""

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations.correlate import BASIS, COEFFICIENTS, correlate
from supersample.correlations.differences import with_differences
from supersample.correlations.segment_resamples import (
    Replicates,
    Resampled,
    resampled_over_segments,
)
from supersample.engine.resamples import bootstrap_counts, jackknife_counts
from supersample.errors import InputError, check_choice, check_confidence_level, check_resamples
from supersample.inference.one_correlation.weighted import WEIGHTED_COEFFICIENTS
from supersample.inference.resampling.intervals import (
    basic_interval,
    bca_interval,
    percentile_interval,
    undefined_replicates,
)
from supersample.inference.results import Interval
from supersample.results.comparisons import difference_matrix, limit_matrices
from supersample.results.signature import result_attrs
from supersample.results.variables import result_variables
from supersample.scores.prepared import HumanMean, prepare_scores
from supersample.scores.selection import Mask
from supersample.scores.system_level import SYSTEMS, bases_of, system_level_scores

BOOTSTRAP_METHODS = ("percentile", "basic", "bca")
SMALLEST_N = 4


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
    documents, how r of these very systems would vary with other texts to translate. Neither says
    what the other does.

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
    >>> bool((intervals["lower"] < intervals["r"]).all())
    True
    """
    return _Replicates(
        data, unit, coefficient, method, resamples, seed, confidence_level, mask, human_mean
    ).with_intervals()


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
    replicates = _Replicates(
        data, unit, coefficient, method, resamples, seed, confidence_level, mask, human_mean
    )
    correlations = replicates.with_intervals()
    first, second = np.triu_indices(correlations.sizes["metric"], 1)
    limits = replicates.interval(lambda r: r[..., first] - r[..., second])
    r = correlations["r"].to_numpy()
    lower, upper = limit_matrices(r[0], *limits)
    values = {
        "difference": difference_matrix(r),
        "difference_lower": lower[np.newaxis],
        "difference_upper": upper[np.newaxis],
    }
    return with_differences(
        correlations,
        values,
        method=replicates.name,
        alternative="two-sided",
        confidence_level=confidence_level,
    )


class _Replicates:
    """Bootstrap replicates of r over systems, and intervals of what is computed from r."""

    def __init__(
        self,
        data: xr.Dataset,
        unit: Resampled,
        coefficient: str,
        method: str,
        resamples: int,
        seed: int,
        confidence_level: float,
        mask: Mask,
        human_mean: HumanMean,
    ) -> None:
        check_choice("coefficient", coefficient, COEFFICIENTS)
        check_choice("unit of the bootstrap", unit, get_args(Resampled))
        check_choice("bootstrap method", method, BOOTSTRAP_METHODS)
        check_confidence_level(confidence_level)
        check_resamples(resamples)
        systems = system_level_scores(data, mask=mask, human_mean=human_mean)
        self.correlations = correlate(
            systems, coefficient=coefficient, bases=[SYSTEMS], confidence_level=confidence_level
        )
        [basis] = bases_of(systems, [SYSTEMS])
        if unit == "system":
            self.of = _over_systems(basis.scores, coefficient, resamples, seed)
        else:
            if "segment" not in data.dims:
                raise InputError(f"a bootstrap over {unit}s takes Scores with segments")
            prepared = prepare_scores(data, unit=unit, mask=mask, human_mean=human_mean)
            self.of = resampled_over_segments(
                prepared, COEFFICIENTS[coefficient], unit=unit, resamples=resamples, seed=seed
            )
        self.method, self.confidence_level = method, confidence_level
        self.name = f"bootstrap-{method}" + ("" if unit == "system" else f" over {unit}s")
        self.enough = min(basis.scores.shape[0], len(self.of.left_out)) >= SMALLEST_N
        self.facts = {"resamples": resamples, "seed": seed, "resampled": f"{unit}s"}

    def with_intervals(self) -> xr.Dataset:
        """Correlations with bootstrap limits, and how many replicates have no r."""
        lower, upper = self.interval(lambda r: r)
        undefined = undefined_replicates(self.of.drawn)
        new = {"lower": lower, "upper": upper, "undefined": undefined}
        result = self.correlations.assign(
            result_variables({name: values[np.newaxis] for name, values in new.items()}, BASIS)
        )
        result.attrs = result_attrs(
            {**self.correlations.attrs, **self.facts},
            n=self.correlations["n"].to_numpy(),
            counted=[SYSTEMS],
            method=self.name,
            interval=self.name,
        )
        return result

    def interval(self, of: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Interval:
        """Interval of a function of r, along the last axis; NaN with fewer than four units."""
        estimate = of(self.of.estimate)
        if not self.enough:
            return Interval(np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan))
        options: dict[str, Any] = {"confidence_level": self.confidence_level}
        if self.method == "percentile":
            return percentile_interval(of(self.of.drawn), **options)
        if self.method == "basic":
            return basic_interval(of(self.of.drawn), estimate, **options)
        return bca_interval(of(self.of.drawn), estimate, of(self.of.left_out), **options)


def _over_systems(
    scores: NDArray[np.float64], coefficient: str, resamples: int, seed: int
) -> Replicates:
    """Draw systems with replacement."""
    n = scores.shape[0]
    weighted = WEIGHTED_COEFFICIENTS[coefficient]
    numbers = np.arange(resamples, dtype=np.uint64)
    counts = bootstrap_counts(n, seed=seed, replicates=numbers, purpose="bootstrap of systems")
    return Replicates(
        weighted(scores, counts),
        weighted(scores, np.ones((1, n)))[0],
        weighted(scores, jackknife_counts(n)),
    )
