"""What is concluded of all metrics at once: which may be the best, and which pairs differ."""

import numpy as np
import xarray as xr

from supersample.presentation.labels import level_of, metric_labels

MOST_NAMES = 6
SMALLEST_N = 5

LESS_FIRST_NOTE = (
    "less first: r over the systems less that of the first metric, with the interval of "
    "`compare_over_systems`, which allows for tails."
)


def is_simultaneous(ranking: xr.Dataset) -> bool:
    """Whether a ranking has the p-values of `compare_over_systems`."""
    return "p_best" in ranking


def conclusion_on_systems(part: xr.Dataset) -> str:
    """Conclude on new systems from one basis: what survives the choice of the best and all pairs.

    'any of the 8 metrics may be the best, and no pair differs'
    """
    n, count = int(part["n"]), part.sizes["metric"]
    defined = ~np.isnan(part["p_best"].to_numpy())
    if n < SMALLEST_N or not defined.any():
        return f"{n} are too few to say anything"
    if count == 1:
        return f"{n} say nothing of a single metric's rivals"
    return f"{n} tell that {_set_of(part, defined)}, and {_wins(part)}"


def survivors_line(ranking: xr.Dataset, basis: str) -> str:
    """Conclude on new systems in a line of its own, after adjustment."""
    return (
        f"Of new systems, {conclusion_on_systems(ranking.sel(basis=basis))} after adjustment for "
        f"all metrics ({level_of(ranking)})."
    )


def _set_of(part: xr.Dataset, defined: np.ndarray) -> str:
    """Name the metrics that may be the best."""
    kept = part["p_best"].to_numpy() > _alpha(part)
    count = int(defined.sum())
    names = [name for name, keep in zip(metric_labels(part), kept, strict=True) if keep]
    if len(names) == count:
        return f"{'either' if count == 2 else 'any'} of the {count} metrics may be the best"
    if len(names) == 1:
        return f"{names[0]} is the best"
    shown = ", ".join(names[:MOST_NAMES])
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{len(names)} of the {count} metrics may be the best: {shown}{more}"


def _wins(part: xr.Dataset) -> str:
    """Count the pairs that differ, and those of the first metric."""
    count = part.sizes["metric"]
    differ = part["p_simultaneous"].to_numpy() <= _alpha(part)
    pairs = int(np.triu(differ, 1).sum())
    if not pairs:
        return "no pair differs"
    ahead = int((differ & (part["difference"].to_numpy() > 0))[0].sum())
    of_all = f"{pairs} of {count * (count - 1) // 2} pairs differ"
    return f"{of_all}: {metric_labels(part)[0]} is better than {ahead} of the {count - 1} others"


def _alpha(part: xr.Dataset) -> float:
    return float(round(1 - part.attrs["confidence_level"], 12))
