"""Intervals and p-values from values of metrics on resamples, for every measure."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supersample.engine import Floats
from supersample.inference.arguments import VALUE_TIE, Interval
from supersample.inference.comparisons_with_best import WithBest, best_of_replicates, largest_shares
from supersample.inference.resampling.intervals import (
    basic_interval,
    bca_interval,
    percentile_interval,
    student_interval,
)
from supersample.inference.resampling.p_values import PairDifferences, step_down_p_values
from supersample.resampling.draws import Drawing

Bootstrap = Literal["student", "percentile", "basic", "bca"]
BOUNDED: tuple[Bootstrap, ...] = ("percentile", "basic", "bca")
"""Methods that assume no distribution."""
FEWEST = 4
"""Fewest units for an interval."""
ROUNDING = 1e-12
_PAIRS_AT_ONCE = 64  # differences of their replicates fit the cache
_LARGEST = 1 - 2.0**-53  # r below 1


class Replicates(NamedTuple):
    """Values of all metrics on resamples, on the data, and without each unit in turn."""

    drawn: Floats
    """Shape (replicates, metrics)."""
    estimate: Floats
    """Shape (metrics,)."""
    left_out: Floats
    """Shape (units, metrics); see `joined` for two kinds of unit."""
    units: int
    """Number of units of the scarcest kind; for an average, in the group with the fewest."""
    lowest: float
    highest: float
    """Range of the measure; infinite if unbounded."""

    def of_values(self, method: str, level: float) -> Interval:
        """Interval of each value; Student's is on Fisher's z scale if the range has bounds."""
        bounded = np.isfinite(self.highest - self.lowest)
        if method != "student" or not bounded:
            return self._interval(lambda x: x, method, level)
        middle = (self.highest + self.lowest) / 2
        half = (self.highest - self.lowest) / 2
        limits = self._interval(lambda x: _fisher_z((x - middle) / half), method, level)
        return Interval(*(middle + half * np.tanh(limit) for limit in limits))

    def of_differences(self, method: str, level: float) -> Interval:
        """Interval of the difference of each pair of metrics, shape (pairs,)."""
        pairs = np.stack(np.triu_indices(self.estimate.size, 1))
        parts = np.array_split(pairs, -(-pairs.shape[1] // _PAIRS_AT_ONCE) or 1, axis=1)
        limits = [self._interval(partial(_apart, pairs=part), method, level) for part in parts]
        return Interval(*(np.concatenate(each) for each in zip(*limits, strict=True)))

    def with_best(self, sign: float, level: float) -> WithBest:
        """Compare every metric with the best; `sign` makes larger values better."""
        if self.units < FEWEST:
            return WithBest(*(np.full(self.estimate.shape, np.nan) for _ in WithBest._fields))
        values = (sign * each for each in (self.estimate, self.drawn, self.left_out))
        return best_of_replicates(*values, units=self.units, confidence_level=level)

    def null_differences(self) -> PairDifferences:
        """Differences of each pair of metrics minus the observed difference.

        This approximates their joint distribution under the null hypothesis that all metrics are
        equal, with the variance of `best_of_replicates`.
        """
        first, second = np.triu_indices(self.estimate.size, 1)
        wider = np.sqrt(1 + largest_shares(self.left_out)[first, second])
        columns = np.ascontiguousarray((self.drawn - self.estimate).T)
        return PairDifferences(columns, first, second, wider)

    def joint_p_values(self) -> Floats:
        """p-values of each pair, corrected for all, (pairs,); NaN if a replicate is undefined."""
        null = self.null_differences()
        p = step_down_p_values(_apart(self.estimate, np.stack(null[1:3])), null)
        defined = np.isfinite(null.columns.sum(axis=1))
        return np.where(defined[null.first] & defined[null.second], p, np.nan)

    def _interval(self, of: Callable[[Floats], Floats], method: str, level: float) -> Interval:
        """Interval of a function of the values; NaN with fewer than four units."""
        estimate = of(self.estimate)
        if self.units < FEWEST:
            return Interval(np.full(estimate.shape, np.nan), np.full(estimate.shape, np.nan))
        drawn = of(self.drawn)
        # values that differ only by rounding are equal: rank statistics have few values
        drawn = np.where(np.abs(drawn - estimate) <= ROUNDING, estimate, drawn)
        if method == "student":
            return student_interval(drawn, estimate, self.units, confidence_level=level)
        if method == "percentile":
            return percentile_interval(drawn, confidence_level=level)
        if method == "basic":
            return basic_interval(drawn, estimate, confidence_level=level)
        return bca_interval(drawn, estimate, of(self.left_out), confidence_level=level)


def joined(left_out: Sequence[Floats], estimate: Floats) -> Floats:
    """Join the values leaving out each unit of one or two kinds, (units, metrics).

    With two kinds, deviations from the estimate are scaled by (n - 1) / n of the jackknife to their
    effect on the statistic, as BCa's acceleration adds two samples.

    References
    ----------
    Davison and Hinkley (1997), Bootstrap Methods and their Application, section 5.3.2.
    """
    if len(left_out) == 1:
        return left_out[0]
    return np.asarray(estimate + np.concatenate([_deviations(part) for part in left_out]))


def averaged(
    groups: Sequence[Replicates],
    weights: Sequence[float] | None = None,
    *,
    drawings: Sequence[Drawing],
) -> Replicates:
    """Compute replicates of the average over groups (default: equal weights).

    A kind of unit that groups share is left out of all groups at once, else of one after another.
    """

    def mean(values: Sequence[Floats]) -> Floats:
        return np.asarray(np.average(values, axis=0, weights=weights))

    estimate = mean([each.estimate for each in groups])
    shares = np.ones(len(groups)) if weights is None else np.asarray(weights)
    left_out = []
    for k, kind in enumerate(drawings[0].kinds):
        of_kind = [_of_kind(each, of, k) for each, of in zip(groups, drawings, strict=True)]
        if kind.shared:
            left_out.append(mean(of_kind))
            continue
        changes = zip(shares / shares.sum(), of_kind, groups, strict=True)
        left_out += [estimate + share * (part - each.estimate) for share, part, each in changes]
    return Replicates(
        mean([each.drawn for each in groups]),
        estimate,
        np.concatenate(left_out),
        min(each.units for each in groups),
        groups[0].lowest,
        groups[0].highest,
    )


def _of_kind(group: Replicates, drawing: Drawing, k: int) -> Floats:
    """Take the values of a group that leave out each unit of its kind number k."""
    ends = np.cumsum([0, *(kind.drawn_from for kind in drawing.kinds)])
    return group.left_out[ends[k] : ends[k + 1]]


def _deviations(left_out: Floats) -> Floats:
    n = left_out.shape[0]
    defined = ~np.isnan(left_out)
    mean = np.where(defined, left_out, 0.0).sum(axis=0) / np.maximum(defined.sum(axis=0), 1)
    return np.asarray((left_out - mean) * (n - 1) / n)


def _apart(values: Floats, pairs: NDArray[np.intp]) -> Floats:
    """Subtract the values of pairs of metrics; differences due to rounding are 0."""
    difference = np.take(values, pairs[0], axis=-1) - np.take(values, pairs[1], axis=-1)
    return np.where(np.abs(difference) < VALUE_TIE, 0.0, difference)


def _fisher_z(r: Floats) -> Floats:
    """Fisher's z, also finite for r = 1."""
    return np.arctanh(np.clip(r, -_LARGEST, _LARGEST))
