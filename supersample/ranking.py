"""Rankings of metrics: ordered by r, with what differs significantly and clusters."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.errors import InputError


def rank(comparisons: xr.Dataset) -> xr.Dataset:
    """Rank metrics by their correlation with the human scores.

    Parameters
    ----------
    comparisons : xarray.Dataset
        What `compare_correlations` gave.

    Returns
    -------
    xarray.Dataset
        The comparisons with metrics in order of the first basis, highest r first, metrics without
        an r last, and for each basis:

        ``rank`` (basis, metric)
            1 for the highest r, equal for equal r, NaN without an r.
        ``wins_over`` (basis, metric, other_metric)
            Whether the metric's r is significantly higher than the other's.
        ``wins`` (basis, metric)
            How many metrics it is significantly better than; for information, not for the order.
        ``cluster`` (basis, metric)
            Greedy significance clusters, as WMT forms them: from the top down, a metric that is
            significantly worse than any metric of the current cluster opens the next one. Its known
            flaw: two metrics of one cluster may differ from different ones, and a metric in a lower
            cluster need not be significantly worse than all above it.

    Raises
    ------
    InputError
        If `comparisons` holds no significant differences to rank by.

    Examples
    --------
    >>> from supersample import compare_correlations, hybrid_supersample, load_example
    >>> ranking = rank(compare_correlations(hybrid_supersample(load_example(), n=1000)))
    >>> [str(metric) for metric in ranking["metric"].values[:2]]
    ['strong-95', 'errors-85']
    """
    if "significant" not in comparisons or "r" not in comparisons:
        raise InputError("expected what compare_correlations gives")
    leading = comparisons["r"].to_numpy()[0]
    order = np.argsort(np.where(np.isnan(leading), np.inf, -leading), kind="stable")
    ordered = comparisons.isel(metric=order, other_metric=order)
    r = ordered["r"].to_numpy()
    wins_over = ordered["significant"].to_numpy() & (ordered["difference"].to_numpy() > 0)
    pair = ("basis", "metric", "other_metric")
    return ordered.assign(
        rank=(("basis", "metric"), np.stack([_ranks(own) for own in r])),
        wins_over=(pair, wins_over),
        wins=(("basis", "metric"), wins_over.sum(axis=2)),
        cluster=(
            ("basis", "metric"),
            np.stack([greedy_clusters(own, wins) for own, wins in zip(r, wins_over, strict=True)]),
        ),
    )


def _ranks(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 + the number of metrics with a higher value; NaN stays NaN."""
    higher = (r[np.newaxis, :] > r[:, np.newaxis]).sum(axis=1)
    return np.where(np.isnan(r), np.nan, 1.0 + higher)


def greedy_clusters(
    values: NDArray[np.float64], wins_over: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Greedy significance clusters of metrics by value, highest first.

    Parameters
    ----------
    values : ndarray, shape (metrics,)
        What metrics are ordered by; NaN gets no cluster.
    wins_over : ndarray of bool, shape (metrics, metrics)
        Whether the row's metric is significantly better than the column's.

    Returns
    -------
    ndarray, shape (metrics,)
        Cluster numbers from 1, NaN where the value is.

    Examples
    --------
    >>> wins = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> greedy_clusters(np.array([0.9, 0.8, 0.7]), wins)
    array([1., 1., 2.])
    """
    clusters = np.full(values.shape, np.nan)
    members: list[int] = []
    number = 1
    for metric in np.argsort(-values, kind="stable"):
        if np.isnan(values[metric]):
            continue
        if wins_over[members, metric].any():
            number += 1
            members = []
        members.append(int(metric))
        clusters[metric] = number
    return clusters
