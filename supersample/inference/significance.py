"""From null replicates of a statistic's difference to p-values, counts and clusters of metrics."""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supersample.errors import InputError
from supersample.inference.monte_carlo import Estimator, p_values_of_counts

Alternative = Literal["two-sided", "greater", "less"]
TIE = 1e-10  # differences of accuracies or correlations closer than this are equal


def replicate_p_values(
    observed: ArrayLike,
    null: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    estimator: Estimator = "k/B",
    tie: float = TIE,
) -> NDArray[np.float64]:
    """p-values of observed differences from their null replicates, P(null >= observed).

    Parameters
    ----------
    observed : array_like, shape (...)
        Differences, first less second.
    null : array_like, shape (replicates, ...)
        The same differences after swapping (or any other null resampling).
    alternative : {"two-sided", "greater", "less"}
        Counted are null values at least as far from zero, as great, or as small.
    estimator : {"k/B", "(k+1)/(B+1)"}
        The plain share, as Deutsch et al. (2021), or the one that is never 0.
    tie : float
        Values closer than this to the observed one count as equal to it, so that ties are exact.
        0 compares in floating point as the values fall: two pairs of accuracies that differ by
        the same number of system pairs are then equal or not by accident of rounding.

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> replicate_p_values([0.2], [[0.1], [-0.3], [0.2], [0.0]])
    array([0.5])
    """
    x = np.asarray(observed, dtype=np.float64)
    y = np.asarray(null, dtype=np.float64)
    if alternative == "two-sided":
        reached = np.abs(y) >= np.abs(x) - tie
    elif alternative == "greater":
        reached = y >= x - tie
    elif alternative == "less":
        reached = y <= x + tie
    else:
        raise InputError(
            f"alternative {alternative!r} is not one of {', '.join(get_args(Alternative))}"
        )
    count = reached.sum(axis=0)
    return p_values_of_counts(
        count, np.zeros_like(count), y.shape[0], convention="at_least", estimator=estimator
    )


def greedy_clusters(
    values: ArrayLike, p_values: ArrayLike, *, alpha: float = 0.05
) -> NDArray[np.int64]:
    """Significance clusters as the metrics task assigns them.

    From the best metric down, each gets the current rank until one differs significantly from any
    metric of the current cluster; that one opens the next cluster (Thompson et al. 2024, section
    4.4). Metrics of different clusters may be statistically indistinguishable.

    Parameters
    ----------
    values : array_like, shape (metrics,)
        The higher the better.
    p_values : array_like, shape (metrics, metrics)
        Symmetric, two-sided; the diagonal is not read.
    alpha : float
        A difference is significant where p <= alpha.

    Returns
    -------
    ndarray of int, shape (metrics,)
        Cluster number of each metric, 1 the best. Metrics of equal value keep their given order.

    Examples
    --------
    >>> p = np.array([[1.0, 0.2, 0.01], [0.2, 1.0, 0.3], [0.01, 0.3, 1.0]])
    >>> greedy_clusters([0.9, 0.8, 0.7], p)
    array([1, 1, 2])
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(-np.asarray(values, dtype=np.float64), kind="stable")
    rank = np.empty(order.size, np.int64)
    current: list[np.intp] = []
    cluster = 1
    for metric in order:
        if current and (p[metric, current] <= alpha).any():
            cluster += 1
            current = []
        current.append(metric)
        rank[metric] = cluster
    return rank
