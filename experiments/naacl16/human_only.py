"""WMT-style intervals, which resample only the human scores, for comparison with others."""

from typing import Literal

import numpy as np
import xarray as xr

from supersample.comparisons.correlations.by_formula import correlate
from supersample.engine import Floats
from supersample.engine.additive import mean_columns
from supersample.engine.bootstrap import bootstrap_counts, counted_sums
from supersample.errors import InputError, check_choice, check_confidence_level, check_counted
from supersample.inference.bootstrap_intervals import percentile_interval, undefined_replicates
from supersample.inference.coefficients import pearson_with
from supersample.presentation.labels import LEAD
from supersample.results.variables import result_attrs
from supersample.scores.ratings import TRANSLATION, place_ratings
from supersample.scores.schema import HUMAN
from supersample.scores.selection import Mask, select_segments
from supersample.scores.system_level import (
    SYSTEMS,
    HumanMean,
    human_columns,
    oriented_scores,
    system_level_scores,
)

HumanUnit = Literal["segments", "ratings", "assessors"]
UNITS = ("segments", "ratings", "assessors")
_AT_ONCE = 2**22  # largest number of counts in memory at a time


def human_only_intervals(
    scores: xr.Dataset,
    *,
    unit: HumanUnit = "segments",
    ratings: xr.Dataset | None = None,
    resamples: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
) -> xr.Dataset:
    """Compute WMT-style intervals, which resample only the human scores and keep the metrics fixed.

    Units are drawn with replacement, as many as there are, for the human scores of all systems
    together; the metrics' system scores stay fixed. Such an interval measures the precision of the
    human scores of *these* systems, not the precision of the correlation, for which it is far too
    narrow (Graham and Liu 2016, section 2.2). Its usual symmetric form can exceed 1 (section 2.1).
    Use it only for comparison with other intervals.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores; with `ratings`, the Scores that `rate_scores` made from them.
    unit : {"segments", "ratings", "assessors"}, default "segments"
        What is drawn: a segment with all its ratings; a single rating, as in the WMT metrics task;
        or an assessor with all their ratings, because ratings of one assessor are correlated.
    ratings : xarray.Dataset, optional
        The Ratings whose means are the human scores; needed to draw ratings or assessors.
    resamples : int, default 1_000
    seed : int, default 0
        Seed of the bootstrap; replicate i depends only on (seed, unit, i).
    confidence_level : float, default 0.95
    mask, human_mean
        As in `system_level_scores`. To draw ratings or assessors, `human_mean` must be "ratings".

    Returns
    -------
    xarray.Dataset
        As from `correlate` on the basis "systems", with these limits as ``lower`` and ``upper``;
        ``plus_minus`` (basis, metric), half of their distance; ``symmetric_lower`` and
        ``symmetric_upper``, r minus and plus it, as WMT prints them; ``undefined`` (basis, metric),
        how many replicates left a system without a rating or did not vary.

    Raises
    ------
    InputError
        If `scores` are not Scores, `resamples` < 1, the unit is unknown or needs `ratings`, or the
        means of `ratings` are not the human scores.

    Examples
    --------
    >>> from supersample import load_example
    >>> narrow = human_only_intervals(load_example(), resamples=200)
    >>> fisher = correlate(load_example())
    >>> bool((narrow["upper"] - narrow["lower"] < fisher["upper"] - fisher["lower"]).all())
    True
    """
    check_counted("resamples", resamples)
    check_choice("unit", unit, UNITS)
    check_confidence_level(confidence_level)
    if "segment" not in scores.dims:
        raise InputError("human-only intervals need segment-level Scores")
    selected = select_segments(scores, mask)
    systems = system_level_scores(selected, mask=mask, human_mean=human_mean)
    correlations = correlate(systems, confidence_level=confidence_level)
    if unit == "segments":
        sums = _segment_sums(selected, human_mean)
    elif human_mean != "ratings":
        raise InputError(f"to draw {unit}, human scores must be means over ratings, not segments")
    else:
        sums = _rating_sums(scores, selected, ratings, unit)
    sign = 1.0 if scores[HUMAN.name].attrs.get("higher_is_better", 1) else -1.0
    drawn = sign * _drawn_means(sums, unit, resamples, seed)
    metrics = oriented_scores(systems)[:, 1:].T
    replicates = np.stack([pearson_with(each, drawn) for each in metrics], axis=1)
    lower, upper = percentile_interval(replicates, confidence_level=confidence_level)
    half, of_metrics = (upper - lower) / 2, (*LEAD, "metric")
    r = correlations["value"].to_numpy()
    new = {
        "lower": np.broadcast_to(lower, r.shape),
        "upper": np.broadcast_to(upper, r.shape),
        "plus_minus": np.broadcast_to(half, r.shape),
        "symmetric_lower": r - half,
        "symmetric_upper": r + half,
        "undefined": np.broadcast_to(undefined_replicates(replicates), r.shape),
    }
    result = correlations.assign({name: (of_metrics, values) for name, values in new.items()})
    name = "human-only" if unit == "segments" else f"human-only by {unit}"
    result.attrs = result_attrs(
        {**correlations.attrs, "resamples": resamples, "seed": seed, "human_unit": unit},
        n=correlations["n"].to_numpy().ravel(),
        counted=[SYSTEMS],
        method=name,
        interval=name,
    )
    return result


def _segment_sums(selected: xr.Dataset, human_mean: HumanMean) -> Floats:
    """Sum and count human scores, shape (segments, systems, 2)."""
    columns, _ = mean_columns(*human_columns(selected, human_mean))
    return np.ascontiguousarray(np.stack(columns, axis=-1).swapaxes(0, 1))


def _rating_sums(
    scores: xr.Dataset, selected: xr.Dataset, ratings: xr.Dataset | None, unit: HumanUnit
) -> Floats:
    """Sum and count each unit's ratings, shape (units, systems, 2)."""
    if ratings is None:
        raise InputError(f"to draw {unit}, raw ratings are needed; these Scores have their means")
    placed = place_ratings(ratings, scores)
    counted = np.isin(placed["segment"].to_numpy(), selected["segment"].to_numpy())
    placed = placed.isel(row=counted & (placed["kind"].to_numpy() == TRANSLATION))
    systems = [str(name) for name in selected["system"].to_numpy()]
    place = {name: i for i, name in enumerate(systems)}
    system = np.array([place[str(name)] for name in placed["system"].to_numpy()], dtype=np.int64)
    if unit == "ratings":
        who = np.arange(system.size, dtype=np.int64)
    else:
        who = np.unique(placed["assessor"].to_numpy(), return_inverse=True)[1].astype(np.int64)
    sums = np.zeros((int(who.max(initial=-1)) + 1, len(systems), 2))
    np.add.at(sums[:, :, 0], (who, system), placed["rating"].to_numpy())
    np.add.at(sums[:, :, 1], (who, system), 1.0)
    _check_agree(sums, _segment_sums(selected, "ratings"))
    return sums


def _check_agree(sums: Floats, of_segments: Floats) -> None:
    """Refuse ratings whose means are not the human scores."""
    ours, theirs = sums.sum(axis=0), of_segments.sum(axis=0)
    if not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
        raise InputError(
            "the human scores are not the means of these ratings; use rate_scores first"
        )


def _drawn_means(sums: Floats, unit: HumanUnit, resamples: int, seed: int) -> Floats:
    """Human scores of systems in each replicate, shape (resamples, systems)."""
    units, systems, _ = sums.shape
    flat = sums.reshape(units, -1)
    rows = max(1, _AT_ONCE // units)
    purpose = f"bootstrap of human {unit}"
    numbers = np.arange(resamples, dtype=np.uint64)
    totals = []
    for start in range(0, resamples, rows):
        part = numbers[start : start + rows]
        counts = bootstrap_counts(units, seed=seed, replicates=part, purpose=purpose)
        totals.append(counted_sums(counts, flat))
    drawn = np.concatenate(totals).reshape(resamples, systems, 2)
    none = np.full(drawn.shape[:2], np.nan)
    return np.divide(drawn[..., 0], drawn[..., 1], out=none, where=drawn[..., 1] > 0)
