"""Find systems that may be near-copies of one team, by their names and scores."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.engine.streams import stream_key, uniforms
from supersample.errors import InputError
from supersample.scores.schema import HUMAN, SCORE, TEAM
from supersample.scores.system_level import oriented_scores
from supersample.tolerances import SUM_TIE

_EXACT = 1e-9  # largest difference of distances due to rounding
_RELABELLED = 999
_ANONYMOUS = "online"  # WMT's name of different services
_SUSPICION = 0.05
"""Largest probability that systems with unrelated names are so close."""
CLOSE_SCORES, CLOSE_ERRORS = 0.7, 0.85
"""Largest mean distances within a group of near-copies, relative to that of other systems."""
_SEGMENTS = 50
"""Fewest segments with scores of all systems for a correlation of errors."""


def near_copies(scores: xr.Dataset) -> dict[str, list[str]]:
    """Find systems that may be near-copies that one team handed in, by their names and scores.

    Groups are systems whose names begin alike, up to the first hyphen or underscore. Their mean
    distance is compared with those of groups of the same sizes drawn at random. If it would be so
    small with a probability of at most 5 %, groups are named that are clearly closer than other
    pairs. `declare_teams` declares them: nothing is concluded from names alone.
    WMT's "online" systems are different services.

    The distance is 1 minus the correlation of two systems' scores over segments, less the mean of
    all systems, averaged over people and metrics; near-copies have less than 0.85 of the median
    distance of other pairs. With fewer than 50 segments it is that of the
    principal components of standardised scores of systems, each divided by the fourth root of its
    variance, and near-copies have less than 0.7.

    Returns
    -------
    dict of str to list of str
        Systems by the beginning of their names; empty if teams are declared.

    Examples
    --------
    >>> from supersample import load_example
    >>> near_copies(load_example())
    {}
    """
    if TEAM.name in scores.coords or scores.sizes["system"] < 3:
        return {}
    of_segments = (HUMAN.of(scores), *SCORE.of(scores)) if "segment" in scores.dims else ()
    distance, limit = distance_of_errors(of_segments), CLOSE_ERRORS
    if distance is None:
        try:
            rows = oriented_scores(scores)
        except InputError:  # the ranking says what is wrong
            return {}
        distance, limit = distance_of_scores(rows), CLOSE_SCORES
    return close_groups([str(name) for name in scores["system"].to_numpy()], distance, limit)


def distance_of_errors(scores: Iterable[Floats]) -> Floats | None:
    """Distances of systems by the scores (system, segment) of each scorer; None if too few."""
    correlations = []
    for values in scores:
        errors = values[:, np.isfinite(values).all(axis=0)]
        errors = errors - errors.mean(axis=0)
        if errors.shape[1] >= _SEGMENTS and errors.std(axis=1).min() > SUM_TIE * np.ptp(errors):
            correlations.append(np.corrcoef(errors))
    return 1 - np.mean(correlations, axis=0) if correlations else None


def distance_of_scores(rows: Floats) -> Floats:
    """Distances of systems by their scores (systems, scorers); see `near_copies`."""
    rows = rows[:, np.isfinite(rows).all(axis=0)]
    rows = rows[:, rows.std(axis=0) > 0]
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    directions, deviations, _ = np.linalg.svd(z, full_matrices=False)
    components = directions * np.sqrt(deviations)
    return np.asarray(np.sqrt(((components[:, np.newaxis] - components) ** 2).sum(axis=-1)))


def close_groups(systems: Sequence[str], distance: Floats, limit: float) -> dict[str, list[str]]:
    """Find groups of close systems by the beginnings of their names; see `near_copies`."""
    beginnings = [re.split("[-_]", name, maxsplit=1)[0] for name in systems]
    names, codes, counts = np.unique(beginnings, return_inverse=True, return_counts=True)
    of_teams = (counts > 1) & (np.char.lower(names) != _ANONYMOUS)
    groups = [np.flatnonzero(codes == i) for i in np.flatnonzero(of_teams)]
    if not groups or len(names) < 2:
        return {}
    apart = float(np.median(distance[codes[:, np.newaxis] != codes]))
    numbers = np.arange(_RELABELLED, dtype=np.uint64)
    order = np.argsort(uniforms(stream_key(0, "relabelled systems"), numbers, len(systems)))
    drawn = np.vstack([np.arange(len(systems)), order])  # the first ones are the systems themselves
    sums = [distance[drawn[:, of, None], drawn[:, None, of]].sum(axis=(1, 2)) for of in groups]
    means = np.stack([x / (of.size * (of.size - 1)) for x, of in zip(sums, groups, strict=True)], 1)
    together = np.log(np.maximum(means, _EXACT)).sum(axis=1)
    jointly = (together <= together[0] + _EXACT).mean()
    alone = (means <= means[0] + _EXACT).mean(axis=0)
    level = _SUSPICION if len(groups) == 1 else _SUSPICION / 2  # for each of two ways
    close = alone <= (2 * _SUSPICION if jointly <= level else level / len(groups))
    close &= means[0] < limit * apart
    return {
        beginnings[int(of[0])]: [systems[i] for i in of.tolist()]
        for of, near in zip(groups, close, strict=True)
        if near
    }
