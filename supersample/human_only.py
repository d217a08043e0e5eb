"""WMT-style intervals, which resample human scores alone, to be shown beside others."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.correlations import (
    correlate,
    result_attrs,
)
from supersample.data.schema import HUMAN, HUMAN_COUNT
from supersample.data.selection import select_segments
from supersample.engine.resamples import bootstrap_counts
from supersample.engine.statistics import mean_statistics
from supersample.errors import InputError
from supersample.inference.resampling_intervals import percentile_interval
from supersample.resampling import check_resamples
from supersample.system_level import SYSTEMS, bases_of


def human_only_intervals(
    scores: xr.Dataset,
    *,
    resamples: int = 1_000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> xr.Dataset:
    """WMT-style intervals, which resample the human scores alone and leave the metrics as they are.

    Segments are drawn with replacement for the human scores of all systems together, each with all
    its ratings (single ratings are not resampled); the metrics' scores of systems stay fixed. Such
    an interval says how sure the human scores of *these* systems are, not how sure the correlation
    is: it is far too narrow for that (Graham and Liu 2016, section 2.2), and its usual symmetric
    form can pass 1 (section 2.1). It is here to be shown beside others.

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
    check_resamples(resamples)
    if "segment" not in scores.dims:
        raise InputError("human-only intervals need segment-level Scores")
    correlations = correlate(scores, confidence_level=confidence_level)
    selected = select_segments(scores)
    [basis] = bases_of(scores)
    sign = 1.0 if scores[HUMAN.name].attrs.get("higher_is_better", 1) else -1.0
    human = selected[HUMAN.name].transpose(*HUMAN.dims).to_numpy() * sign
    ratings = None
    if HUMAN_COUNT.name in selected:
        ratings = selected[HUMAN_COUNT.name].transpose(*HUMAN.dims).to_numpy().astype(np.float64)
    statistics, mean = mean_statistics(human, ratings)
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


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centre along the last axis and scale to unit length; NaN where nothing varies."""
    centred = values - values.mean(axis=-1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    constant = np.ptp(values, axis=-1, keepdims=True) == 0
    return np.asarray(centred / np.where(constant, np.nan, length))
