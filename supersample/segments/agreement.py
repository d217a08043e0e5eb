"""Agreement of metrics with people on segments."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.inference.segments.statistics import Flat, calibrated_threshold, flat_parts, ratio
from supersample.results.variables import result_variables
from supersample.scores.groups import warn_if_undefined
from supersample.scores.selection import Mask
from supersample.segments.inputs import Groups, Translations, groups_of
from supersample.segments.statistics import SegmentStatistic, Statistics, as_statistics

DEFAULT = ("acc_eq/item", "pdp/item", "pearson/none")


class Found(NamedTuple):
    """One statistic of one group's metrics."""

    flat: Flat
    parts: NDArray[np.float64]
    """Shape (metrics, groups, 3); see `supersample.inference.segments.statistics`."""
    thresholds: NDArray[np.float64]

    @property
    def values(self) -> NDArray[np.float64]:
        """Value of each metric."""
        return ratio(self.parts.sum(axis=1))

    @property
    def undefined(self) -> NDArray[np.int64]:
        """How many groups of translations each metric has no value in."""
        return np.asarray((self.parts[..., 1:] == 0).any(axis=-1).sum(axis=1))


def segment_agreement(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    statistics: Statistics = DEFAULT,
    *,
    mask: Mask = "all",
    by: str | None = None,
) -> xr.Dataset:
    """Agreement of each metric with people on translations of segments.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, or those of several language pairs by name: metrics common to all, and the average.
    statistics : str, SegmentStatistic or sequence of them
        ``NAME/GROUPING``, by default "acc_eq/item", "pdp/item" and "pearson/none"; see
        `SegmentStatistic`. "acc_eq" and "tau_eq" calibrate ties on these very scores;
        `compare_segments` also on others, and says what calibrating on these adds.
    mask : {"all", "common", "complete"}, default "all"
        "all" takes every rated translation, as the shared task does; the others segments that were
        rated for every system (and scored by every metric). Of these, translations that every
        metric scored count, and the attribute ``mask`` says how many.
    by : {"domain", "document"}, optional
        Group segments by this label. Groups of one segment, or without two translations of one that
        people rated and every metric scored, are left out; the attribute ``groups_left_out`` names
        them.

    Returns
    -------
    xarray.Dataset
        Along ``meta_metric`` (the statistics), of several groups also ``group`` ("average" first),
        and ``metric``: ``agreement``, oriented as declared, NaN where no group of translations has
        a value; ``threshold`` of ties, in the metric's units (NaN for the average); and
        ``undefined_groups``, how many groups (segments, systems) have no value: people's or the
        metric's scores are constant, or there is one translation. They are left out of means over
        groups; of PDP and "kendall_like", which pool the pairs of all groups, they add what they
        have, such as the variance of the metric where people's scores are constant. And
        ``systems``, ``segments``, ``translations`` and ``higher_is_better``.

    Raises
    ------
    InputError
        If Scores are invalid, an option is unknown, or no segment has two translations that people
        rated and every metric scored.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter: meta-evaluating modern metrics with pairwise
    accuracy and tie calibration", EMNLP. DiIanni and Deutsch (2025), "Don't sweat the small stuff:
    segment-level meta-evaluation based on pairwise difference correlation", EMNLP.

    Examples
    --------
    >>> from supersample import load_example
    >>> agreement = segment_agreement(load_example(), "acc_eq")["agreement"]
    >>> round(float(agreement.sel(metric="strong-95").item()), 3)
    0.61
    """
    chosen = as_statistics(statistics)
    groups = groups_of(scores, mask=mask, by=by)
    found = [[compute(part, each) for part in groups.of.values()] for each in chosen]
    return agreement_dataset(groups, chosen, found)


def compute(
    part: Translations,
    statistic: SegmentStatistic,
    thresholds: NDArray[np.float64] | None = None,
) -> Found:
    """Compute a statistic of all metrics, with thresholds of ties or those found here."""
    flat = part.by(statistic.grouping)
    if thresholds is None:
        thresholds = find_thresholds(flat, statistic)
    return Found(flat, flat_parts(statistic.code, flat, thresholds), thresholds)


def find_thresholds(flat: Flat, statistic: SegmentStatistic) -> NDArray[np.float64]:
    """Thresholds of a statistic, (metrics,), calibrated on these scores if it is."""
    if not statistic.calibrated:
        return statistic.thresholds(len(flat.metrics))
    return np.array([calibrated_threshold(flat, k) for k in range(len(flat.metrics))])


def agreement_dataset(
    groups: Groups, statistics: list[SegmentStatistic], found: list[list[Found]], **facts: Any
) -> xr.Dataset:
    """Values, thresholds and undefined groups of each statistic, with labels and attributes."""
    lead = ("meta_metric", *groups.lead)
    values = {
        "agreement": [groups.over([each.values for each in row]) for row in found],
        "threshold": [groups.over([each.thresholds for each in row]) for row in found],
        "undefined_groups": [groups.over_counts([each.undefined for each in row]) for row in found],
    }
    metrics = groups.coordinates()["metric"]
    for statistic, row in zip(statistics, found, strict=True):
        missing = np.isnan([each.values for each in row])
        # a metric without any value is seen; one group's, and constant human scores, are not
        of_groups = np.where(missing & (~missing.all(axis=0) | missing.all()), np.nan, 0.0)
        warn_if_undefined(str(statistic), dict(zip(groups.of, of_groups, strict=True)), metrics)
    if groups.grouped:
        for thresholds in values["threshold"]:
            thresholds[0] = np.nan
    result = xr.Dataset(
        {
            **result_variables({name: np.stack(each) for name, each in values.items()}, lead),
            **groups.variables(),
        },
        coords={"meta_metric": [str(each) for each in statistics], **groups.coordinates()},
    )
    people = [each.human_threshold for each in statistics if each.name == "kendall_like"]
    if people:
        facts["human_threshold"] = people[0]
    result.attrs = groups.facts(statistic=",".join(map(str, statistics)), **facts)
    return result
