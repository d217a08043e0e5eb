"""Which segments count: the common mask of those that every system has a human score for."""

from typing import Literal

import xarray as xr

from supersample.data.corpus_statistics import corpus_metrics
from supersample.data.schema import HUMAN, SCORE, validate_scores
from supersample.data.text import listed
from supersample.errors import InputError

Mask = Literal["common", "all"]


def select_segments(scores: xr.Dataset, mask: Mask = "common") -> xr.Dataset:
    """Restrict Scores to the segments that are to be compared.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.
    mask : {"common", "all"}
        "common" keeps the segments that were rated for every system; "all" keeps every segment,
        so that each system's human score is over what was rated of it.

    Returns
    -------
    xarray.Dataset
        The Scores on those segments, with the mask and its size in the attribute ``mask``, for
        instance "common 460/557".

    Raises
    ------
    InputError
        If the mask is unknown or leaves fewer than two segments.

    Examples
    --------
    >>> from supersample.data.simulation import load_example
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
    return selected.assign_attrs(mask=f"{mask} {left}/{total}")


def complete_cases(scores: xr.Dataset) -> xr.Dataset:
    """Scores on the segments that every system was rated for and every metric scored everywhere.

    Parameters
    ----------
    scores : xarray.Dataset
        Scores.

    Returns
    -------
    xarray.Dataset
        The Scores on those segments; where the metrics' scores cost some, the attribute ``mask``
        says how many are left, for instance "common 460/557, complete 450".

    Raises
    ------
    InputError
        If `scores` are no Scores, or have corpus metrics, which give no segment a score; or fewer
        than two segments are left; the message names the metrics that have no score at all of
        some system.

    Examples
    --------
    >>> from supersample.data.simulation import load_example
    >>> complete_cases(load_example()).sizes["segment"]
    463
    """
    validate_scores(scores)
    corpus = corpus_metrics(scores)
    if corpus:
        raise InputError(
            f"{listed(corpus)} cannot be compared by segments: a corpus metric has no score of a "
            "segment; leave it out, take its segment mean, or see corpus_accuracy"
        )
    selected = select_segments(scores)
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
