"""Thresholds of ties that were calibrated on other segments than they are used on."""

from typing import Literal, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.streams import stream_key, uniforms
from supersample.errors import InputError, check_names
from supersample.scores.selection import Mask
from supersample.segments.agreement import Found, compute, find_thresholds
from supersample.segments.inputs import Groups, Translations, groups_of
from supersample.segments.statistics import SegmentStatistic

CalibrateOn = xr.Dataset | Literal["half"]


class Transferred(NamedTuple):
    """Statistics with thresholds of elsewhere, and what calibrating on the data would add."""

    groups: Groups
    found: list[list[Found]]
    optimism: list[NDArray[np.float64]]
    """Of each statistic, along groups and metrics; NaN where nothing is calibrated."""


def transferred(
    groups: Groups, statistics: list[SegmentStatistic], on: CalibrateOn, mask: Mask
) -> Transferred:
    """Compute statistics of each group with thresholds calibrated on other Scores, or a half.

    "half" draws half of the segments (a function of the group's seed), calibrates on them, and
    leaves the other half to be tested.
    """
    if isinstance(on, str) and on != "half":
        raise InputError(f"ties are calibrated on other Scores or on a 'half', not on '{on}'")
    if not any(each.calibrated for each in statistics):
        raise InputError("nothing is calibrated: name the statistic acc_eq or tau_eq")
    elsewhere, tested = {}, {}
    for name, part in groups.of.items():
        if isinstance(on, str):
            elsewhere[name], tested[name] = part.of_segments(_half(part)), other_half(part)
        else:
            elsewhere[name], tested[name] = _of_scores(on, groups, mask), part
    found, optimism = [], []
    for statistic in statistics:
        row, gains = [], []
        for name, part in tested.items():
            thresholds = find_thresholds(elsewhere[name].by(statistic.grouping), statistic)
            there = compute(part, statistic, thresholds)
            row.append(there)
            own = compute(part, statistic).values if statistic.calibrated else np.nan
            gains.append(np.asarray(own - there.values))
        found.append(row)
        optimism.append(groups.over(gains))
    source = "half of the segments" if isinstance(on, str) else on.attrs.get("source", "others")
    attrs = {**groups.attrs, "calibrated_on": source}
    return Transferred(groups._replace(of=tested, attrs=attrs), found, optimism)


def other_half(part: Translations) -> Translations:
    """Keep the half of the segments that ties are not calibrated on."""
    return part.of_segments(~_half(part))


def _half(part: Translations) -> NDArray[np.bool_]:
    """Half of the segments that have translations, drawn without replacement."""
    usable = np.flatnonzero(part.keep.any(axis=0))
    if usable.size < 4:
        raise InputError(f"half of {usable.size} segments is too few to calibrate ties on")
    key = stream_key(part.seed, "calibration half")
    drawn = uniforms(key, np.zeros(1, np.uint64), usable.size)[0]
    half = np.zeros(part.keep.shape[1], np.bool_)
    half[usable[np.argsort(drawn, kind="stable")[: usable.size // 2]]] = True
    return half


def _of_scores(on: xr.Dataset, groups: Groups, mask: Mask) -> Translations:
    names = groups.coordinates()["metric"]
    if "metric" in on.coords:
        check_names(
            "metric", names, on["metric"].to_numpy().astype(str), "the calibration's Scores"
        )
        on = on.sel(metric=names)
    [part] = groups_of(on, mask=mask, by=None).of.values()
    return part
