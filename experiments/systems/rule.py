"""The rule by which WMT24's general task ranked systems."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy import stats

import supersample as ss
from supersample.engine import Floats

ALPHA = 0.05


def wmt24_rule(scores: xr.Dataset) -> xr.Dataset:
    """Compute rank ranges and clusters by WMT24's rule, from the scores of each segment.

    The mean over domains; Wilcoxon's signed-rank test in each domain, combined by Stouffer's
    method; each pair alone at p < .05. As in the released scripts, a p-value of exactly .05 is
    neither a win nor a tie of clusters.

    Returns
    -------
    xarray.Dataset
        Along system: ``mean``, ``rank_first``, ``rank_last`` and ``cluster``; and ``p_value`` of
        pairs.

    References
    ----------
    Kocmi et al. (2024), "Findings of the WMT24 general machine translation shared task", and its
    released scripts (wmt24-news-systems).
    """
    systems = scores["system"].to_numpy()
    ranked = ss.rank_systems(scores, by="domain", random="segments").isel(group=0)
    value = ranked["mean"].sel(system=systems).to_numpy()
    rated = scores["human"].transpose("system", "segment").dropna("segment").to_numpy()
    domain = scores["domain"].to_numpy()[scores["human"].notnull().all("system").to_numpy()]
    p = np.ones((systems.size, systems.size))
    for a, b in zip(*np.triu_indices(systems.size, 1), strict=True):
        apart = rated[a] - rated[b]
        p[a, b] = p[b, a] = stouffer([_signed_rank(apart[domain == x]) for x in np.unique(domain)])
    wins = (p < ALPHA) & (value[:, np.newaxis] > value)
    order = np.argsort(-value, kind="stable")
    cluster, last, tied_until = np.ones(systems.size), 1, -1
    for place, a in enumerate(order):
        later = np.flatnonzero(p[a, order[place + 1 :]] > ALPHA)
        tied_until = max([tied_until if tied_until > place else -1, *(place + 1 + later)])
        cluster[a] = last
        last += tied_until == -1
    return xr.Dataset(
        {
            "mean": ("system", value),
            "rank_first": ("system", 1 + wins.sum(axis=0)),
            "rank_last": ("system", systems.size - wins.sum(axis=1)),
            "cluster": ("system", cluster),
            "p_value": (("system", "other_system"), p),
        },
        {"system": systems, "other_system": systems},
    )


def _signed_rank(differences: Floats) -> float:
    """Two-sided p-value of Wilcoxon's test; 1 if nothing differs."""
    return float(stats.wilcoxon(differences).pvalue) if differences.any() else 1.0


def stouffer(p_values: Sequence[float]) -> float:
    """Combine p-values: that of the sum of their normal quantiles.

    References
    ----------
    Stouffer et al. (1949), The American Soldier, volume 1.

    Examples
    --------
    >>> round(stouffer([0.04, 0.04]), 4)
    0.0066
    """
    return float(stats.norm.sf(stats.norm.isf(p_values).sum() / np.sqrt(len(p_values))))
