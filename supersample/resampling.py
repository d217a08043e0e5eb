"""Intervals and tests that resample systems, or swap metrics' scores, and need no formula."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations import (
    ALTERNATIVES,
    COEFFICIENTS,
    check_choice,
    check_confidence_level,
    correlate,
    result_attrs,
    with_differences,
)
from supersample.data.corpus_statistics import corpus_metrics
from supersample.data.schema import HUMAN, SCORE, validate_scores
from supersample.data.selection import select_segments
from supersample.data.text import listed
from supersample.engine.resamples import bootstrap_counts, jackknife_counts
from supersample.engine.statistics import mean_statistics
from supersample.engine.swaps import Scheme, standardise, swap_masks, swapped_totals
from supersample.errors import InputError
from supersample.inference.arguments import Alternative
from supersample.inference.permutation import permutation_p_value
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
SCHEMES = ("systems", "inputs", "both")
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
    replicates = _Replicates(data, coefficient, method, resamples, seed, confidence_level)
    correlations = replicates.correlations
    lower, upper = replicates.interval(lambda r: r)
    result = correlations.assign(
        lower=(("basis", "metric"), lower[np.newaxis]),
        upper=(("basis", "metric"), upper[np.newaxis]),
        undefined=(("basis", "metric"), undefined_replicates(replicates.drawn)[np.newaxis]),
    )
    result.attrs = result_attrs(
        {**correlations.attrs, **replicates.facts},
        n=correlations["n"].to_numpy(),
        counted=[SYSTEMS],
        method=f"bootstrap-{method}",
        interval=f"bootstrap-{method}",
    )
    return result


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
        As `compare_correlations` on the basis "systems": ``difference``, ``difference_lower``,
        ``difference_upper``, and ``significant`` where the interval excludes zero. No p-values.

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
    correlations = replicates.correlations
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
        **replicates.facts,
    )


def compare_by_swapping(
    scores: xr.Dataset,
    *,
    scheme: Scheme = "inputs",
    coefficient: str = "pearson",
    alternative: Alternative = "two-sided",
    resamples: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Permutation tests of two metrics' correlations that swap their scores.

    Under the null hypothesis that two metrics agree with people equally well, their scores of the
    same translation may be exchanged. Scores are oriented as declared and standardised (z over all
    systems and segments of each metric) before they are swapped.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; segments that every system was rated for and every metric scored for every system.
    scheme : {"systems", "inputs", "both"}, default "inputs"
        PERM-SYSTEMS swaps all scores of a system, PERM-INPUTS all scores of a segment, PERM-BOTH
        each score by itself.
    coefficient : {"pearson", "spearman", "kendall"}, default "pearson"
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
    resamples : int, default 1_000
    seed : int, default 0
        Replicate i is a function of (seed, i) alone; all pairs of metrics share the masks.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        As `compare_correlations` on the basis "systems", p = (k + 1) / (B + 1).

    Raises
    ------
    InputError
        If an option is unknown, or `scores` are no Scores or have corpus metrics, which give no
        segment a score that could be swapped.

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics using
    resampling methods", TACL 9.

    Examples
    --------
    >>> from supersample import load_example
    >>> d = compare_by_swapping(load_example(), resamples=199)
    >>> float(d["p_value"].sel(metric="strong-95", other_metric="weak-40").item())
    0.005
    """
    check_choice("scheme", scheme, SCHEMES)
    check_choice("alternative", alternative, ALTERNATIVES)
    _check_resamples(resamples)
    if "segment" not in scores.dims:
        raise InputError("swapping needs segment-level Scores")
    corpus = corpus_metrics(scores)
    if corpus:
        raise InputError(
            f"{listed(corpus)} cannot be swapped with others: a corpus metric has no score of a "
            "segment; leave it out, or take its segment mean"
        )
    complete = complete_cases(scores)
    correlations = correlate(complete, coefficient=coefficient, confidence_level=confidence_level)
    [basis] = bases_of(complete)
    signs = np.where(complete["higher_is_better"].to_numpy(), 1.0, -1.0)[:, None, None]
    metric_scores = standardise(complete[SCORE.name].transpose(*SCORE.dims).to_numpy() * signs)
    masks = swap_masks(
        scheme,
        systems=complete.sizes["system"],
        segments=complete.sizes["segment"],
        seed=seed,
        replicates=np.arange(resamples, dtype=np.uint64),
    )
    swapped = swapped_totals(metric_scores, masks)
    totals = metric_scores.sum(axis=2)
    r = correlations["r"].to_numpy()[0]
    p = np.full((r.size, r.size), np.nan)
    with_human = _correlation_with(basis.scores[:, 0], COEFFICIENTS[coefficient])
    for i in range(r.size):
        for j in range(r.size):
            if i == j:
                p[i, j] = 1.0 if not np.isnan(r[i]) else np.nan
            elif i < j or alternative != "two-sided":
                moved = swapped[j] - swapped[i]
                null = with_human(totals[i] + moved) - with_human(totals[j] - moved)
                p[i, j] = permutation_p_value(r[i] - r[j], null, alternative=alternative)
                if alternative == "two-sided":
                    p[j, i] = p[i, j]
    p[correlations["identical"].to_numpy()] = 1.0
    return with_differences(
        correlations,
        {"difference": (r[:, None] - r[None, :])[np.newaxis], "p_value": p[np.newaxis]},
        (p < 1.0 - confidence_level)[np.newaxis],
        method=f"perm-{scheme}",
        alternative=alternative,
        confidence_level=confidence_level,
        resamples=resamples,
        seed=seed,
    )


def human_only_intervals(
    scores: xr.Dataset,
    *,
    resamples: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """WMT-style intervals, which resample the human scores alone and leave the metrics as they are.

    Segments are drawn with replacement for the human scores of all systems together; the metrics'
    scores of systems stay fixed. Such an interval says how sure the human scores of *these* systems
    are, not how sure the correlation is: it is far too narrow for that (Graham and Liu 2016,
    section 2.2), and its usual symmetric form can pass 1 (section 2.1). It is here to be shown
    beside others.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    resamples : int, default 1_000
    seed : int, default 0
        Replicate i is a function of (seed, i) alone.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        As `correlate` gives on the basis "systems", with these limits as ``lower`` and ``upper``,
        ``plus_minus`` (basis, metric), half their distance, and ``symmetric_lower`` and
        ``symmetric_upper``, r less and plus it, as WMT prints them.

    Raises
    ------
    InputError
        If `scores` are no Scores or `resamples` < 1.

    Examples
    --------
    >>> from supersample import correlate, load_example
    >>> narrow = human_only_intervals(load_example(), resamples=200)
    >>> fisher = correlate(load_example())
    >>> bool((narrow["upper"] - narrow["lower"] < fisher["upper"] - fisher["lower"]).all())
    True
    """
    _check_resamples(resamples)
    if "segment" not in scores.dims:
        raise InputError("human-only intervals need segment-level Scores")
    correlations = correlate(scores, confidence_level=confidence_level)
    selected = select_segments(scores)
    [basis] = bases_of(scores)
    sign = 1.0 if scores[HUMAN.name].attrs.get("higher_is_better", 1) else -1.0
    human = selected[HUMAN.name].transpose(*HUMAN.dims).to_numpy() * sign
    statistics, mean = mean_statistics(human)
    counts = bootstrap_counts(
        human.shape[1],
        seed=seed,
        replicates=np.arange(resamples, dtype=np.uint64),
        purpose="bootstrap of human segments",
    )
    drawn_humans = mean(np.einsum("bl,slk->bsk", counts, statistics, optimize=True))
    z = np.stack([_standard(drawn) for drawn in drawn_humans])
    metrics = _standard(basis.scores[:, 1:].T)
    replicates = z @ metrics.T
    lower, upper = percentile_interval(replicates, confidence_level=confidence_level)
    half = (upper - lower) / 2
    r = correlations["r"].to_numpy()
    new = {
        "lower": lower[np.newaxis],
        "upper": upper[np.newaxis],
        "plus_minus": half[np.newaxis],
        "symmetric_lower": r - half,
        "symmetric_upper": r + half,
    }
    result = correlations.assign({name: (("basis", "metric"), x) for name, x in new.items()})
    result.attrs = result_attrs(
        {**correlations.attrs, "resamples": resamples, "seed": seed},
        n=correlations["n"].to_numpy(),
        counted=[SYSTEMS],
        method="human-only",
        interval="human-only",
    )
    return result


def complete_cases(scores: xr.Dataset) -> xr.Dataset:
    """Scores on the segments that every system was rated for and every metric scored everywhere.

    Raises
    ------
    InputError
        If fewer than two segments are left, or `scores` are no Scores.
    """
    validate_scores(scores)
    selected = select_segments(scores)
    scored = selected[SCORE.name].notnull().all(("metric", "system")).to_numpy()
    if scored.sum() < 2:
        raise InputError(
            "fewer than two segments have the scores of every metric for every system; leave out "
            "the metrics that miss some"
        )
    left = selected.isel(segment=scored)
    if not scored.all():
        left.attrs["mask"] = f"{selected.attrs['mask']}, complete {int(scored.sum())}"
    return left


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
        _check_resamples(resamples)
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


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise InputError(f"at least one resample is needed, not {resamples}")


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre along the last axis and scale to unit length; NaN where nothing varies."""
    centred = values - values.mean(axis=-1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    constant = np.ptp(values, axis=-1, keepdims=True) == 0
    return np.asarray(centred / np.where(constant, np.nan, length))


def _correlation_with(
    human: NDArray[np.float64], coefficient: Any
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Make a function that correlates scores (replicates, systems) with the human ones."""

    def correlation(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        both = np.stack([np.broadcast_to(human, scores.shape), scores], axis=-1)
        return np.asarray(coefficient(both)[:, 0, 1])

    return correlation
