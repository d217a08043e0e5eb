"""Bootstrap of agreement on segments: intervals of values and of differences of metrics."""

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.engine.resamples import bootstrap_counts, counted_sums, jackknife_counts
from supersample.errors import (
    InputError,
    check_choice,
    check_confidence_level,
    check_resamples,
    listed,
)
from supersample.execution.workers.workers import AnyWorkers, checked_workers, connect
from supersample.inference.arguments import VALUE_TIE as TIE
from supersample.inference.arguments import Interval
from supersample.inference.resampling.intervals import (
    bca_interval,
    percentile_interval,
    student_interval,
)
from supersample.inference.segments.statistics import ratio, weighted_values
from supersample.results.comparisons import difference_matrix, excludes_zero, limit_matrices
from supersample.results.variables import result_variables
from supersample.scores.selection import Mask
from supersample.segments.agreement import DEFAULT, Found, agreement_dataset, compute
from supersample.segments.comparisons import identical
from supersample.segments.inputs import Groups, groups_of
from supersample.segments.statistics import SegmentStatistic, Statistics, as_statistics

Drawn = Literal["segment", "document", "system"]
Method = Literal["student", "percentile", "bca"]
FEWEST = 4  # units that have an interval
_LARGEST = 1 - 2.0**-53  # r below 1


class Draws(NamedTuple):
    """Units of one group and how they are drawn."""

    labels: NDArray[np.int64]
    """Number of each translation's unit."""
    drawn_from: int
    """Units that are drawn; those of all groups, where groups share them."""
    units: int
    """Units of this group."""
    seed: int
    shared: bool
    """Whether all groups have the same draws."""
    unit: Drawn

    def counts(self, resamples: int) -> NDArray[np.float64]:
        """How often each unit is drawn, then with each left out; (resamples + units, units)."""
        numbers = np.arange(resamples, dtype=np.uint64)
        purpose = f"bootstrap of {self.unit}s" + (" of all groups" if self.shared else "")
        drawn = bootstrap_counts(
            self.drawn_from, seed=self.seed, replicates=numbers, purpose=purpose
        )
        return np.concatenate([drawn, jackknife_counts(self.drawn_from)])


class Replicates(NamedTuple):
    """Values of all metrics: drawn (replicates, metrics), themselves, and without each unit."""

    drawn: NDArray[np.float64]
    estimate: NDArray[np.float64]
    left_out: NDArray[np.float64]
    units: int
    """Of the group; of an average, those of the group with the fewest."""
    lowest: float
    """Least value of the statistic, whose largest is 1."""

    def of_values(self, method: str, level: float) -> Interval:
        """Interval of each value; Student's on Fisher's scale."""
        if method != "student":
            return self.interval(lambda x: x, method, level)
        middle, half = (1 + self.lowest) / 2, (1 - self.lowest) / 2
        limits = self.interval(lambda x: _z((x - middle) / half), method, level)
        return Interval(*(middle + half * np.tanh(limit) for limit in limits))

    def interval(
        self, of: Callable[[NDArray[np.float64]], NDArray[np.float64]], method: str, level: float
    ) -> Interval:
        """Interval of a function of values along the last axis; NaN of fewer than four units."""
        estimate = of(self.estimate)
        if self.units < FEWEST:
            return Interval(np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan))
        if method == "student":
            return student_interval(of(self.drawn), estimate, self.units, confidence_level=level)
        if method == "percentile":
            return percentile_interval(of(self.drawn), confidence_level=level)
        left_out = of(self.left_out)
        return bca_interval(of(self.drawn), estimate, left_out, confidence_level=level)


def bootstrap_segments(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    statistics: Statistics = DEFAULT,
    *,
    unit: Drawn = "segment",
    method: Method | None = None,
    resamples: int = 999,
    seed: int = 0,
    confidence_level: float = 0.95,
    mask: Mask = "all",
    by: str | None = None,
    workers: AnyWorkers = "threads",
) -> xr.Dataset:
    """Paired bootstrap of agreement on segments and of the difference of every two metrics.

    Over segments or documents it says how values would vary with other texts, for these systems;
    over systems, with other systems on these texts.

    Parameters
    ----------
    scores, statistics, mask, by
        As for `segment_agreement`. The average over groups is that of their replicates. Groups are
        drawn apart, but for what the groups of one set share, which is drawn once for all: systems,
        and documents where one has segments in several groups.
    unit : {"segment", "document", "system"}, default "segment"
        What is drawn with replacement, the same for people and all metrics. Copies of a translation
        form no pair. Calibrated thresholds stay what they are on all translations.
    method : {"student", "percentile", "bca"}, optional
        "student" is Student's t with the standard deviation of the replicates, for values on
        Fisher's scale. In simulations (`experiments/segment_tests`) of segments it kept its promise
        more often than the others, and is the default there and of documents. Of systems
        "percentile" is: draws of two systems alone have r of 1, which has no standard deviation.
    resamples : int, default 999
    seed : int, default 0
        Replicate i is a function of (seed, i), the unit and, drawn apart, a group's name alone.
    confidence_level : float, default 0.95
    workers : Workers, Client or str, default "threads"
        Threads of this process; results do not depend on their number.

    Returns
    -------
    xarray.Dataset
        What `segment_agreement` gives, with ``lower`` and ``upper`` (metric), and along (metric,
        other_metric) ``difference``, ``difference_lower``, ``difference_upper``, ``identical`` and
        ``significant``, where the interval of the difference leaves out 0. Limits of a group with
        fewer than four units are NaN, and so are those of an average with such a group; a warning
        names them. `rank` takes it.

    Raises
    ------
    InputError
        As `segment_agreement`; or if an option is unknown or out of range, or the Scores have no
        documents to draw.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals", JASA 82.

    Examples
    --------
    >>> from supersample import load_example
    >>> d = bootstrap_segments(load_example(), "pdp", resamples=199)
    >>> bool((d["lower"] < d["agreement"]).all())
    True
    """
    chosen = as_statistics(statistics)
    check_choice("unit of the bootstrap", unit, get_args(Drawn))
    if method is None:
        method = "percentile" if unit == "system" else "student"
    check_choice("bootstrap method", method, get_args(Method))
    check_resamples(resamples)
    check_confidence_level(confidence_level)
    workers = checked_workers(workers)
    groups = groups_of(scores, mask=mask, by=by, seed=seed)
    found = [[compute(part, each) for part in groups.of.values()] for each in chosen]
    drawn = [_draws(groups, row, unit, seed) for row in found]
    _warn_of_few(groups, drawn[0], unit)
    limits: dict[str, list[NDArray[np.float64]]] = {}
    with connect(workers) as client:
        if not client.shares_memory:
            raise InputError("the bootstrap over segments takes threads; workers='threads'")
        for statistic, row, draws in zip(chosen, found, drawn, strict=True):
            replicates = [
                _replicates(statistic, each, of_group, resamples, client.count)
                for each, of_group in zip(row, draws, strict=True)
            ]
            every = replicates
            if groups.grouped:
                every = [_average(replicates, draws[0].shared), *replicates]
            for name, values in _limits(every, groups.grouped, method, confidence_level):
                limits.setdefault(name, []).append(values)
    agreement = agreement_dataset(
        groups,
        chosen,
        found,
        method=f"bootstrap-{method} over {unit}s",
        resamples=resamples,
        seed=seed,
        confidence_level=confidence_level,
        significance_level=round(1 - confidence_level, 12),
        alternative="two-sided",
    )
    new: dict[str, Any] = {name: np.stack(values) for name, values in limits.items()}
    new["difference"] = difference_matrix(agreement["agreement"].to_numpy())
    new["significant"] = excludes_zero(new["difference_lower"], new["difference_upper"])
    same = result_variables({"identical": identical(groups)}, groups.lead)
    return agreement.assign(
        {**result_variables(new, ("meta_metric", *groups.lead)), **same}
    ).assign_coords(other_metric=agreement["metric"].to_numpy())


def _limits(
    every: list[Replicates], grouped: bool, method: str, level: float
) -> list[tuple[str, NDArray[np.float64]]]:
    """Limits of values and differences, of several groups the average's first."""
    first, second = np.triu_indices(every[0].estimate.size, 1)
    rows = []
    for each in every:
        values = each.of_values(method, level)
        pairs = each.interval(lambda x: _apart(x[..., first], x[..., second]), method, level)
        rows.append((*values, *limit_matrices(each.estimate, *pairs)))
    names = ("lower", "upper", "difference_lower", "difference_upper")
    columns = [np.stack(column) for column in zip(*rows, strict=True)]
    return [
        (name, column if grouped else column[0])
        for name, column in zip(names, columns, strict=True)
    ]


def _average(replicates: list[Replicates], shared: bool) -> Replicates:
    """Replicates of the average of groups, a unit of all or of any of them left out in turn."""
    count = len(replicates)
    estimate = np.mean([each.estimate for each in replicates], axis=0)
    if shared:
        left_out = np.mean([each.left_out for each in replicates], axis=0)
    else:
        changes = [(each.left_out - each.estimate) / count for each in replicates]
        left_out = np.concatenate([estimate + change for change in changes])
    return Replicates(
        np.mean([each.drawn for each in replicates], axis=0),
        estimate,
        left_out,
        min(each.units for each in replicates),
        replicates[0].lowest,
    )


def _replicates(
    statistic: SegmentStatistic, found: Found, draws: Draws, resamples: int, threads: int
) -> Replicates:
    counts, labels = draws.counts(resamples), draws.labels
    flat = found.flat
    of_groups = labels[flat.starts[:-1]]
    if (np.repeat(of_groups, flat.sizes) == labels).all():  # a group is drawn whole
        by_unit = np.zeros((draws.drawn_from, len(found.parts), 3))
        np.add.at(by_unit, of_groups, found.parts.swapaxes(0, 1))
        values = ratio(
            counted_sums(counts, by_unit.reshape(draws.drawn_from, -1)).reshape(
                -1, *by_unit.shape[1:]
            )
        )
    else:

        def of_metric(k: int) -> NDArray[np.float64]:
            threshold = float(found.thresholds[k])
            of_two = flat.human, flat.metrics[k]
            found_values = weighted_values(
                statistic.code, *of_two, flat.starts, counts, labels, threshold
            )
            return np.asarray(found_values)

        with ThreadPoolExecutor(threads) as pool:
            values = np.stack(list(pool.map(of_metric, range(len(flat.metrics)))), axis=1)
    drawn, left_out = values[:resamples], values[resamples:]
    return Replicates(drawn, found.values, left_out, draws.units, statistic.lowest)


def _apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Differences, 0 of what differs by rounding alone."""
    difference = a - b
    return np.where(np.abs(difference) < TIE, 0.0, difference)


def _z(r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fisher's z, finite also of r = 1."""
    return np.arctanh(np.clip(r, -_LARGEST, _LARGEST))


def _draws(groups: Groups, found: list[Found], unit: Drawn, seed: int) -> list[Draws]:
    """Find the units of each group's translations and how they are drawn."""
    parts = groups.of.values()
    labels: list[NDArray[Any]] = [
        each.flat.systems if unit == "system" else each.flat.segments for each in found
    ]
    if unit == "document":
        if any("document" not in part.scores.coords for part in parts):
            raise InputError("the unit is a document, but these Scores name no documents")
        labels = [
            part.scores["document"].to_numpy()[of_group]
            for part, of_group in zip(parts, labels, strict=True)
        ]
    names = [np.unique(of_group) for of_group in labels]
    every = np.unique(np.concatenate(labels))
    recur = every.size < sum(own.size for own in names)
    shared = unit != "segment" and "by" in groups.attrs and recur
    draws = []
    for part, of_group, own in zip(parts, labels, names, strict=True):
        drawn = every if shared else own
        numbers = np.searchsorted(drawn, of_group).astype(np.int64)
        keyed = seed if shared else part.seed
        draws.append(Draws(numbers, drawn.size, own.size, keyed, shared, unit))
    return draws


def _warn_of_few(groups: Groups, draws: list[Draws], unit: Drawn) -> None:
    """Name groups with too few units for an interval."""
    few = {
        name: each.units for name, each in zip(groups.of, draws, strict=True) if each.units < FEWEST
    }
    if not few:
        return
    text = f"no intervals of fewer than {FEWEST} {unit}s: "
    if groups.grouped:
        text += f"{listed([f'{name} has {count}' for name, count in few.items()], 5)}; "
        text += "so the average has none"
    else:
        text += f"there are {few['']}"
    warnings.warn(text, UserWarning, stacklevel=3)
