"""Which segments count: those that every system has a human score for, or all of them."""

from collections.abc import Sequence
from typing import Literal

import xarray as xr

from supersample.errors import InputError, listed
from supersample.scores.schema import HUMAN, SCORE, validate_scores

Mask = Literal["common", "all"]


def select_segments(scores: xr.Dataset, mask: Mask = "common") -> xr.Dataset:
    """Restrict Scores to the segments that are to be compared.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    mask : {"common", "all"}
        "common" keeps the segments that were rated for every system, for human and metric scores
        alike. "all" keeps every segment: metrics are read on all of them, and each system's human
        score on those of it that were rated, as shared tasks have it.

    Returns
    -------
    xarray.Dataset
        The Scores on those segments, with the mask and its size in the attribute ``mask``, for
        instance "common 460/557", or "all 557/557, human 460" where human scores are on fewer.

    Raises
    ------
    InputError
        If the mask is unknown or leaves fewer than two segments.

    Examples
    --------
    >>> from supersample.scores.simulation import load_example
    >>> select_segments(load_example()).attrs["mask"]
    'common 463/500'
    """
    total = scores.sizes["segment"]
    if mask == "common":
        rated = scores.variables[HUMAN.name].notnull().all("system").to_numpy()
        selected = scores if rated.all() else scores.isel(segment=rated)
    elif mask == "all":
        selected = scores
    else:
        raise InputError(f"the mask is 'common' or 'all', not {mask!r}")
    left = selected.sizes["segment"]
    if left < 2:
        raise InputError(
            f"only {left} of {total} segments were rated for every system; leave out a system "
            "that few segments were rated for, or use the mask 'all'"
        )
    if left == total and str(scores.attrs.get("mask", "")).startswith(mask):
        return selected  # selected before: its mask says of how many
    return selected.assign_attrs(mask=f"{mask} {left}/{total}{_rated(selected)}")


def _rated(scores: xr.Dataset) -> str:
    """How many segments human scores are on, where not on all: fewest and most of a system."""
    rated = scores[HUMAN.name].notnull().sum("segment").to_numpy()
    fewest, most = int(rated.min()), int(rated.max())
    if fewest == scores.sizes["segment"]:
        return ""
    return f", human {fewest}" if fewest == most else f", human {fewest}-{most}"


def keep_systems(
    scores: xr.Dataset, *, only: Sequence[str] = (), exclude: Sequence[str] = ()
) -> xr.Dataset:
    """Keep some systems of Scores or system-level scores; ``systems_left_out`` names the others.

    Parameters
    ----------
    scores : xarray.Dataset
    only : sequence of str
        Systems to keep; all when empty.
    exclude : sequence of str
        Systems to leave out.

    Raises
    ------
    InputError
        If a system is not there, or none is left.

    Examples
    --------
    >>> from supersample.scores.simulation import load_example
    >>> keep_systems(load_example(), exclude=["system-01"]).sizes["system"]
    11
    """
    there = [str(name) for name in scores["system"].to_numpy()]
    _check_there("system", (*only, *exclude), there)
    kept = [name for name in there if (not only or name in only) and name not in exclude]
    if not kept:
        raise InputError("no system is left")
    if kept == there:
        return scores
    left_out = [f"{name} (not asked for)" for name in there if name not in kept]
    said = [str(scores.attrs.get("systems_left_out") or ""), *left_out]
    return scores.sel(system=kept).assign_attrs(systems_left_out=", ".join(filter(None, said)))


def keep_metrics(scores: xr.Dataset, metrics: Sequence[str]) -> xr.Dataset:
    """Keep some metrics of Scores or system-level scores, in the order in which they are named.

    Raises
    ------
    InputError
        If a metric is not there, or named twice.

    Examples
    --------
    >>> from supersample.scores.simulation import load_example
    >>> keep_metrics(load_example(), ["good-90", "weak-40"])["metric"].values.tolist()
    ['good-90', 'weak-40']
    """
    _check_there("metric", metrics, [str(name) for name in scores["metric"].to_numpy()])
    if len(set(metrics)) < len(metrics):
        raise InputError(f"a metric is named twice: {', '.join(metrics)}")
    return scores.sel(metric=list(metrics))


def _check_there(what: str, asked: Sequence[str], there: Sequence[str]) -> None:
    for name in asked:
        if name not in there:
            raise InputError(f"no {what} '{name}'; there are {listed(there)}")


def complete_cases(scores: xr.Dataset, mask: Mask = "common") -> xr.Dataset:
    """Scores on the segments that every system was rated for and every metric scored everywhere.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    mask : {"common", "all"}, default "common"
        "all" drops the condition that every system was rated; see `select_segments`.

    Returns
    -------
    xarray.Dataset
        The Scores on those segments; where the metrics' scores cost some, the attribute ``mask``
        says how many are left, for instance "common 460/557, complete 450".

    Examples
    --------
    >>> from supersample.scores.simulation import load_example
    >>> complete_cases(load_example()).sizes["segment"]
    463
    """
    validate_scores(scores)
    selected = select_segments(scores, mask)
    there = selected[SCORE.name].notnull().transpose(*SCORE.dims)
    scored = there.all(("metric", "system")).to_numpy()
    if scored.sum() < 2:
        absent = ~there.any("segment").to_numpy()
        missing = [
            f"'{metric}' (none for {', '.join(scores['system'].to_numpy()[systems])})"
            for metric, systems in zip(scores["metric"].to_numpy(), absent, strict=True)
            if systems.any()
        ]
        raise InputError(
            "fewer than two segments have the scores of every metric for every system; leave out "
            + (f"the metric {', '.join(missing)}, or the systems" if missing else "some metrics")
        )
    left = selected.isel(segment=scored)
    if not scored.all():
        left.attrs["mask"] = f"{selected.attrs['mask']}, complete {int(scored.sum())}"
    return left
