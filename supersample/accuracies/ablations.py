"""How stable accuracies are with fewer systems or fewer segments."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.accuracies.inputs import (
    Comparable,
    comparable_groups,
    rounded_preferences,
    soft_preferences,
)
from supersample.accuracies.p_values import PValues, as_p_values
from supersample.accuracies.pairwise import HARD, SOFT, SYSTEMS
from supersample.engine.corpus_swaps import ScaledCorpus, exchange_differences
from supersample.engine.resamples import bootstrap_counts, counted_sums, subsets
from supersample.errors import InputError, check_choice, check_confidence_level
from supersample.inference.accuracies.agreement import mean_agreement
from supersample.inference.accuracies.sign_flip import (
    normal_p_values_of_moments,
    pair_differences,
    system_pairs,
)
from supersample.inference.arguments import SUM_TIE as TIE
from supersample.inference.one_correlation.coefficients import pearson, spearman
from supersample.inference.resampling.intervals import percentile_interval
from supersample.results.signature import describe, result_attrs

KINDS = [HARD, SOFT]
MOST_RESAMPLES = 1 << 20


def ablate_systems(
    scores: xr.Dataset,
    *,
    sizes: Sequence[int] | None = None,
    p_values: PValues | str = "normal",
    subsets_per_size: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """How well the ranking of metrics on some of the systems agrees with that on all of them.

    For each number of systems, subsets are drawn without replacement; PA and SPA of all metrics on
    a subset are correlated with those on all systems (Thompson et al. 2024, section 4.1). Segments
    stay as they are.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, read as by `pairwise_accuracy`.
    sizes : sequence of int, optional
        Numbers of systems, from 2; 3 to all but one by default.
    p_values : PValues or {"normal", "monte_carlo", "exact"}, default "normal"
        Of SPA.
    subsets_per_size : int, default 1_000
        Where there are no more subsets than this, each is taken once.
    seed : int, default 0
    confidence_level : float, default 0.95
        Share of the subsets between ``lower`` and ``upper``.

    Returns
    -------
    xarray.Dataset
        Along ``meta_metric`` ("PA", "SPA"), ``coefficient`` ("pearson" between accuracies,
        "spearman" between ranks, that is, Pearson's r of ranks) and ``size``: ``r``, its mean over
        subsets, ``lower`` and ``upper``, between which lies the share of subsets; and
        ``undefined``, how many subsets had no r as all their accuracies are equal. ``subsets``
        (size), how many there were.

    Raises
    ------
    InputError
        As `soft_pairwise_accuracy`; with fewer than two metrics; or if a size is not among 2 to the
        number of systems.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), section 4.1 and Figure 2.

    Examples
    --------
    >>> from supersample import load_example
    >>> ablation = ablate_systems(load_example(), sizes=[6, 11])
    >>> ablation["subsets"].values.tolist()  # of 924 and 12 possible ones
    [924, 12]
    """
    options = as_p_values(p_values)
    check_confidence_level(confidence_level)
    _check_count("subset of each size", subsets_per_size)
    [group] = comparable_groups(scores, by=None, unit=options.unit, seed=seed).of.values()
    systems, metrics = group.human.shape[0], len(group.names)
    if metrics < 2:
        raise InputError("a ranking takes at least two metrics")
    chosen = list(range(3, systems)) if sizes is None else [index(size) for size in sizes]
    if not chosen or min(chosen) < 2 or max(chosen) > systems:
        raise InputError(f"sizes are numbers of systems, from 2 to {systems}, not {chosen}")
    kinds = [rounded_preferences(group), soft_preferences(group, options)]
    agreement = np.stack([1.0 - np.abs(kind[0] - kind[1:]) for kind in kinds])
    first, second = system_pairs(systems)
    found = np.empty((3, len(KINDS), 2, len(chosen)))
    undefined = np.empty(found.shape[1:], np.int64)
    counts = []
    for s, size in enumerate(chosen):
        marks = subsets(
            systems, size, seed=seed, most=subsets_per_size, purpose="subset of systems"
        )
        counts.append(len(marks))
        both = (marks[:, first] & marks[:, second]).astype(np.float64)
        for k in range(len(KINDS)):
            r = _with_full(agreement[k], both)
            undefined[k, :, s] = np.isnan(r).sum(axis=0)
            found[:, k, :, s] = _mean_and_limits(r, confidence_level)
    dims = ("meta_metric", "coefficient", "size")
    labels = ("r", "lower", "upper")
    result = xr.Dataset(
        {
            **{name: (dims, values) for name, values in zip(labels, found, strict=True)},
            "undefined": (dims, undefined),
            "subsets": ("size", counts),
        },
        coords={"meta_metric": KINDS, "coefficient": ["pearson", "spearman"], "size": chosen},
    )
    facts = {"subsets_per_size": subsets_per_size, "confidence_level": confidence_level}
    result.attrs = _facts(group, "stability of PA and SPA", "fewer systems", options, seed, **facts)
    return result


def ablate_segments(
    scores: xr.Dataset,
    *,
    sizes: Sequence[int] | None = None,
    metrics: Sequence[str] | None = None,
    resamples: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """Bootstrap intervals of PA and SPA with fewer, or more, segments.

    A replicate draws so many segments with replacement, the same for all systems and scorers, and
    computes both accuracies on them (Thompson et al. 2024, section 4.2), SPA with normal p-values:
    a segment that was drawn twice counts, and is permuted, as two.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores, read as by `pairwise_accuracy`; which segments are complete is settled by all
        metrics.
    sizes : sequence of int, optional
        Numbers of segments, from 2; ten steps up to all of them by default.
    metrics : sequence of str, optional
        Metrics to show; all by default.
    resamples : int, default 1_000
    seed : int, default 0
        Replicate i is a function of (seed, i) alone; of sizes, the smaller one's draws are the
        first of the larger one's.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        Along ``meta_metric`` ("PA", "SPA"), ``metric`` and ``size``: ``accuracy``, the mean of the
        replicates, ``lower`` and ``upper``, their quantiles. And ``full`` (meta_metric, metric),
        the accuracies on all segments.

    Raises
    ------
    InputError
        As `pairwise_accuracy`; or if a metric is unknown or a number out of range.

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), section 4.2 and Figure 3.

    Examples
    --------
    >>> from supersample import load_example
    >>> ablation = ablate_segments(load_example(), sizes=[50, 400], resamples=200)
    >>> width = (ablation["upper"] - ablation["lower"]).sel(meta_metric="SPA", metric="strong-95")
    >>> bool(width[0] > width[1])
    True
    """
    check_confidence_level(confidence_level)
    _check_count("resample", resamples)
    [group] = comparable_groups(scores, by=None, seed=seed).of.values()
    segments = group.human.shape[1]
    names = [str(name) for name in group.names]
    shown = names if metrics is None else list(metrics)
    for name in shown or [""]:
        check_choice("metric", name, names)
    if sizes is None:
        chosen = sorted({max(2, round(segments * step / 10)) for step in range(1, 11)})
    else:
        chosen = [index(size) for size in sizes]
    if not chosen or min(chosen) < 2 or max(chosen) > MOST_RESAMPLES:
        raise InputError(f"sizes are numbers of segments, from 2 to {MOST_RESAMPLES:,}")
    count = len(group.metrics)
    numbers = sorted({names.index(name) for name in shown})  # corpus metrics come last
    of_segments = [group.metrics[number] for number in numbers if number < count]
    differences = pair_differences(np.stack([group.human, *of_segments]))
    corpus = [group.corpus[number - count] for number in numbers if number >= count]
    place = [numbers.index(names.index(name)) for name in shown]
    found = np.empty((3, len(KINDS), len(shown), len(chosen)))
    for s, size in enumerate(chosen):
        counts = bootstrap_counts(
            segments,
            seed=seed,
            replicates=np.arange(resamples, dtype=np.uint64),
            purpose="bootstrap of segments",
            draws=size,
        )
        drawn = resampled_accuracies(differences, corpus, counts)[..., place]
        for k in range(len(KINDS)):
            found[:, k, :, s] = _mean_and_limits(drawn[k], confidence_level)
    full = resampled_accuracies(differences, corpus, np.ones((1, segments)))[:, 0, place]
    dims = ("meta_metric", "metric", "size")
    labels = ("accuracy", "lower", "upper")
    result = xr.Dataset(
        {
            **{name: (dims, values) for name, values in zip(labels, found, strict=True)},
            "full": (("meta_metric", "metric"), full),
        },
        coords={"meta_metric": KINDS, "metric": shown, "size": chosen},
    )
    facts = {"resamples": resamples, "confidence_level": confidence_level}
    options = PValues()
    result.attrs = _facts(group, "PA and SPA", "bootstrap-percentile", options, seed, **facts)
    return result


def _with_full(agreement: NDArray[np.float64], both: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate accuracies on subsets with those on all systems, (subsets, 2 coefficients)."""
    full = agreement.mean(axis=1)
    # einsum without optimisation: one fixed order of summation, no BLAS
    part = np.einsum("mp,sp->sm", agreement, both) / both.sum(axis=1, keepdims=True)
    part, full = part.round(12), full.round(12)  # equal but for rounding is equal in rank
    stacked = np.stack([np.broadcast_to(full, part.shape), part], axis=-1)
    return np.stack([pearson(stacked)[:, 0, 1], spearman(stacked)[:, 0, 1]], axis=-1)


def _mean_and_limits(
    replicates: NDArray[np.float64], confidence_level: float
) -> NDArray[np.float64]:
    """Mean and quantiles over the first axis, shape (3, ...); NaN replicates are left out."""
    defined = ~np.isnan(replicates)
    total = np.where(defined, replicates, 0.0).sum(axis=0)
    number = defined.sum(axis=0)
    mean = np.where(number > 0, total / np.maximum(number, 1), np.nan)
    limits = percentile_interval(replicates, confidence_level=confidence_level)
    return np.stack([mean, limits[0], limits[1]])


def _check_count(what: str, number: int) -> None:
    if not 1 <= number <= MOST_RESAMPLES:
        raise InputError(f"at least one {what} is needed and at most {MOST_RESAMPLES:,}")


def _facts(
    group: Comparable, statistic: str, method: str, p_values: PValues, seed: int, **facts: Any
) -> dict[Any, Any]:
    systems = np.array([group.human.shape[0]])
    return result_attrs(
        {**group.scores.attrs, **facts},
        n=systems,
        counted=[SYSTEMS],
        statistic=statistic,
        method=method,
        design=describe(p_values),
        seed=seed,
    )


def resampled_accuracies(
    differences: NDArray[np.float64],
    corpus: Sequence[ScaledCorpus],
    counts: NDArray[np.float64],
) -> NDArray[np.float64]:
    """PA and SPA of each replicate, p-values being normal.

    Parameters
    ----------
    differences : ndarray, shape (1 + metrics, pairs, segments)
        Paired differences of segment scores, the human ones first.
    corpus : sequence of ScaledCorpus
        Corpus metrics, which follow the others; every replicate is scored as the corpus it is.
    counts : ndarray, shape (replicates, segments)
        How often each segment is drawn.

    Returns
    -------
    ndarray, shape (2, replicates, metrics)
    """
    scorers, pairs, segments = differences.shape
    flat = differences.reshape(scorers * pairs, segments).T
    moments = counted_sums(counts, np.ascontiguousarray(np.hstack([flat, flat * flat])))
    shape = (len(counts), 2, scorers, pairs)
    sums, squares = np.moveaxis(moments.reshape(shape), 1, 0)
    # sum |d| is at most this, by Cauchy and Schwarz
    slack = TIE * np.sqrt(counts.sum(axis=1)[:, None, None] * squares)
    for metric in corpus:
        of_corpus = _corpus_moments(metric, counts)
        sums, squares, slack = (
            np.concatenate([all_, new[:, None]], axis=1)
            for all_, new in zip((sums, squares, slack), of_corpus, strict=True)
        )
    rounded = np.where(np.abs(sums) <= slack, 0.5, np.where(sums > 0, 0.0, 1.0))
    p = normal_p_values_of_moments(sums, squares)
    return np.stack([mean_agreement(kind[:, :1], kind[:, 1:]) for kind in (rounded, p)])


def _corpus_moments(
    metric: ScaledCorpus, counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Sum d, sum d^2 and what a tie may leave of the former, each (replicates, pairs)."""
    systems, segments, columns = metric.values.shape
    first, second = system_pairs(systems)
    by_segment = np.ascontiguousarray(metric.values.swapaxes(0, 1).reshape(segments, -1))
    totals = counted_sums(counts, by_segment).reshape(len(counts), systems, columns)
    scores = metric.scaled(totals, counts.sum(axis=1)[:, np.newaxis])
    squared = np.ascontiguousarray(np.square(exchange_differences(metric)).T)
    room = TIE * metric.magnitudes()
    slack = np.broadcast_to(room[first] + room[second], (len(counts), first.size))
    return scores[:, first] - scores[:, second], counted_sums(counts, squared), slack
