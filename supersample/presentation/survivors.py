"""What is concluded of all metrics at once: which may be the best, and which pairs differ."""

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.presentation.labels import added_metrics, level_of, metric_labels, names_of

MOST_NAMES = 6
SMALLEST_N = 5

FIRST_NOTE = (
    "difference to the first: r over the systems less that of the first metric, with the "
    "unadjusted interval of the comparison over systems, which allows for tails."
)


def is_simultaneous(ranking: xr.Dataset) -> bool:
    """Whether a ranking has the p-values of `compare_over_systems`."""
    return "p_best" in ranking


def conclusion_on_systems(part: xr.Dataset) -> str:
    """Conclude on new systems from one basis: what survives the choice of the best and all pairs.

    '12 are evidence, adjusted for all metrics, that 2 of the 3 may be the best (A, B); 1 of 3 pairs
    differ, A from 1 of the 2 others'
    """
    n, told = int(part["n"]), told_of_all(part)
    if n < SMALLEST_N or not told:
        return f"{n} are too few to say anything"
    if part.sizes["metric"] == 2:
        return f"{n} are {told}"
    if False not in best_column(part):
        return f"{n} are no evidence, adjusted for all metrics, which is the best; {_wins(part)}"
    return f"{n} are evidence, adjusted for all metrics, that {told}"


def told_of_all(part: xr.Dataset) -> str:
    """Conclude on all metrics at once from their p-values; empty without two.

    'any of the 8 may be the best; no pair differs', or of two metrics 'no evidence that A agrees
    better than B'.
    """
    defined = ~np.isnan(part["p_best"].to_numpy())
    if defined.sum() < 2 or part.sizes["metric"] < 2:
        return ""
    if part.sizes["metric"] == 2:
        return _of_two(part)
    return f"{_set_of(part, defined)}; {_wins(part)}"


def best_column(part: xr.Dataset) -> list[bool | None]:
    """Whether each metric may be the best, after adjustment; None without a p-value."""
    p = part["p_best"].to_numpy()
    return [None if np.isnan(x) else bool(x > _alpha(part)) for x in p]


def survivors_line(ranking: xr.Dataset, basis: str) -> str:
    """Conclude on new systems (or what else is random) in a line of its own, after adjustment."""
    if ranking.sizes["metric"] < 2:
        return ""
    told = conclusion_on_systems(ranking.sel(basis=basis))
    return f"Of new {basis.replace('+', ' and ')}, {told} ({level_of(ranking)})."


def average_lines(ranking: xr.Dataset) -> list[str]:
    """Conclude on new systems from the average over groups, if it could be told."""
    told = told_of_all(ranking.sel(basis="systems").isel(group=0))
    adjusted = "" if ranking.sizes["metric"] == 2 else ", adjusted for all metrics"
    line = f"Of new systems, on average{adjusted}: {told} ({level_of(ranking)})."
    return [line] if told else []


def added_lines(part: xr.Dataset) -> list[str]:
    """Say of each added metric, among at least three, how many of the others it differs from.

    'mine ★, 2 of 5 by r: better than 1 of the 4 others, worse than none, adjusted for all metrics'
    """
    names, count = names_of(part, "metric"), part.sizes["metric"]
    if count < 3 or not is_simultaneous(part):
        return []
    differ, difference = _differ(part), part["difference"].to_numpy()
    lines = []
    for i in (names.index(name) for name in added_metrics(part) if name in names):
        label, rank = metric_labels(part)[i], float(part["rank"][i])
        if np.isnan(rank):
            lines.append(f"{label}: no r, for it does not vary or misses a score")
            continue
        better, worse = ((differ[i] & (sign * difference[i] > 0)).sum() for sign in (1, -1))
        counts = f"better than {better or 'none'} of the {count - 1} others, worse than "
        told = f"{counts}{worse or 'none'}" if better or worse else "no other differs from it"
        place = f"{label}, {rank:.0f} of {count} by r"
        adjusted = "adjusted for all metrics; --baseline compares with one alone"
        lines.append(f"{place}: {told}, {adjusted}")
    return lines


def surviving_pairs(part: xr.Dataset) -> int:
    """Count the pairs that differ after adjustment for all metrics."""
    return int(np.triu(_differ(part), 1).sum())


def _of_two(part: xr.Dataset) -> str:
    """Say whether there is evidence that the first of two metrics is better."""
    better = bool((_differ(part) & (part["difference"].to_numpy() > 0))[0, 1])
    names = metric_labels(part)
    return f"{'' if better else 'no '}evidence that {names[0]} agrees better than {names[1]}"


def _set_of(part: xr.Dataset, defined: NDArray[np.bool_]) -> str:
    """Name the metrics that may be the best."""
    kept = [bool(may) for may in best_column(part)]
    count = int(defined.sum())
    names = [name for name, keep in zip(metric_labels(part), kept, strict=True) if keep]
    if len(names) == count:
        return f"any of the {count} may be the best"
    if len(names) == 1:
        return f"{names[0]} is the best of the {count}"
    shown = ", ".join(names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{len(names)} of the {count} may be the best ({shown}{more})"


def _wins(part: xr.Dataset) -> str:
    """Count the pairs that differ, and those of the first metric."""
    pairs, count = surviving_pairs(part), part.sizes["metric"]
    if not pairs:
        return "no pair differs"
    ahead = int((_differ(part) & (part["difference"].to_numpy() > 0))[0].sum())
    return (
        f"{pairs} of {count * (count - 1) // 2} pairs differ, {metric_labels(part)[0]} from "
        f"{ahead or 'none'} of the {count - 1} others"
    )


def _differ(part: xr.Dataset) -> NDArray[np.bool_]:
    return np.asarray(part["p_simultaneous"].to_numpy() <= _alpha(part))


def _alpha(part: xr.Dataset) -> float:
    level = part.attrs.get("significance_level")
    return float(round(1 - part.attrs["confidence_level"], 12) if level is None else level)
