"""Compare each pair of metrics in each task and on average, with the same swaps."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.inference.arguments import Alternative
from supersample.measures.sums import UnitSums
from supersample.results.pairs import difference_matrix, tested
from supersample.results.ranking import rank
from supersample.results.variables import result_variables
from supersample.scores.selection import AVERAGE
from supersample.tasks.definitions import Task

COPY = 1e-9  # sums of standardised scores that differ by less come from the same scores

Sums = Mapping[str, Floats]
"""Results of `UnitSums.sums`, by metric."""


class Measured(NamedTuple):
    """A task's parts, and the sums of each part's metrics."""

    task: Task
    parts: Sequence[UnitSums]
    sums: Sequence[Sums]

    @property
    def metrics(self) -> list[str]:
        """Metrics that every part has."""
        return [m for m in self.sums[0] if all(m in sums for sums in self.sums)]

    @property
    def drawn(self) -> list[tuple[str, str]]:
        """Language pair and unit of each part; parts with equal ones have the same draws."""
        sources = self.task.sources
        return [(s.name, part.unit) for s, part in zip(sources, self.parts, strict=True)]

    def mean(self, sums: Sequence[Floats]) -> Floats:
        """Statistic from each part's sums (draws, columns): the weighted mean of the parts."""
        weights = [part.weight for part in self.parts]
        found = [part.finish(each) for part, each in zip(self.parts, sums, strict=True)]
        total = sum(weight * each for weight, each in zip(weights, found, strict=True))
        return np.asarray(total / sum(weights))

    def value(self, metric: str) -> float:
        """Statistic of a metric."""
        return float(self.mean([sums[metric][:1] for sums in self.sums])[0])

    def nulls(self, first: str, second: str) -> list[Floats]:
        """Contribution of each part to the difference of two metrics after each swap."""
        total, found = sum(part.weight for part in self.parts), []
        for part, sums in zip(self.parts, self.sums, strict=True):
            left, right = part.swapped(sums[first], sums[second])
            found.append(part.weight / total * (left - right))
        return found

    def identical(self, first: str, second: str) -> bool:
        """Whether two metrics have the same scores except for offset and scale."""
        pairs = [(sums[first], sums[second]) for sums in self.sums]
        return all(float(np.abs(a - b).max()) <= COPY for a, b in pairs)


def _widened(nulls: Mapping[tuple[str, str], Floats]) -> float:
    """Bound how much correlation between units widens the null distribution of a sum.

    Parameters
    ----------
    nulls : mapping of (str, str) to ndarray, shape (draws,)
        Parts of the sum by language pair and unit. Different units of a language pair are drawn
        independently, but concern the same translations; their correlation is unknown and at
        most 1. So the standard deviation of their sum is at most the sum of their deviations.

    Returns
    -------
    float
        Ratio of standard deviations: 1 with one unit in each language pair, at most the square root
        of the number of units.
    """
    deviations: dict[str, list[float]] = {}
    for (source, _), null in nulls.items():
        deviations.setdefault(source, []).append(float(np.std(null)))
    apart = sum(each * each for of in deviations.values() for each in of)
    together = sum(sum(of) * sum(of) for of in deviations.values())
    return math.sqrt(together / apart) if apart > 0 else 1.0


def _null_differences(
    measured: Sequence[Measured], names: Sequence[str], weights: Floats, draws: int
) -> Floats:
    """Differences after each swap, (1 + tasks, draws, pairs); the average comes first."""
    pairs = list(combinations(names, 2))
    null = np.full((len(measured), draws, len(pairs)), np.nan)
    there = [set(each.metrics) for each in measured]
    widened = np.ones(len(pairs))
    for k, pair in enumerate(pairs):
        drawn: dict[tuple[str, str], Floats] = {}
        for t, each in enumerate(measured):
            if there[t].issuperset(pair):
                parts = each.nulls(*pair)
                null[t, :, k] = np.sum(parts, axis=0)
                for key, part in zip(each.drawn, parts, strict=True):
                    drawn[key] = drawn.get(key, np.zeros(draws)) + weights[t] * part
        widened[k] = _widened(drawn)
    return np.concatenate([widened * np.tensordot(weights, null, 1)[None], null])


def compare_tasks(
    measured: Sequence[Measured],
    *,
    draws: int,
    alternative: Alternative,
    significance_level: float,
    confidence_level: float,
) -> xr.Dataset:
    """Compare each pair of metrics in each task and on average; see `run_tasks`."""
    names = list(dict.fromkeys(m for each in measured for m in each.metrics))
    values = np.full((len(measured), len(names)), np.nan)
    identical = np.tile(np.eye(len(names), dtype=bool), (len(measured), 1, 1))
    for t, each in enumerate(measured):
        there = set(each.metrics)
        values[t] = [each.value(name) if name in there else np.nan for name in names]
        for i, j in combinations(range(len(names)), 2):
            if names[i] in there and names[j] in there:
                identical[t, i, j] = identical[t, j, i] = each.identical(names[i], names[j])
    weights = np.array([each.task.weight for each in measured])
    lowest = np.array([each.task.measure.lowest for each in measured])
    scales = 1.0 / (np.array([each.task.measure.highest for each in measured]) - lowest)
    average = weights @ ((values - lowest[:, None]) * scales[:, None])  # on a scale from 0 to 1
    values = np.concatenate([average[None], values])
    null = _null_differences(measured, names, weights * scales, draws)
    room = np.zeros((*values.shape, len(names)))
    first, second = np.triu_indices(len(names), 1)
    room[:, first, second] = np.quantile(np.abs(null), confidence_level, axis=1)
    room += room.swapaxes(1, 2)
    difference = difference_matrix(values)
    found = tested(
        values,
        null,
        null,
        np.ones(len(values), np.bool_),
        alternative=alternative,
        estimator="(k+1)/(B+1)",
        significance_level=significance_level,
        ties="exact",
    )
    found |= {
        "value": values,
        "difference_lower": difference - room,
        "difference_upper": difference + room,
        "identical": np.concatenate([identical.all(axis=0, keepdims=True), identical]),
        "weight": np.concatenate([[1.0], weights]),
    }
    labels = [AVERAGE, *(each.task.label for each in measured)]
    ranked = rank(
        xr.Dataset(
            result_variables(found, ("measure",)),
            coords={"measure": labels, "metric": names, "other_metric": names},
            attrs={"significance_level": significance_level},
        )
    )
    return ranked.assign(result_variables({"average_rank": _average_ranks(ranked, weights)}))


def _average_ranks(ranked: xr.Dataset, weights: Floats) -> Floats:
    """Weighted mean of the clusters over tasks; NaN if one is missing."""
    clusters = ranked["cluster"].transpose("measure", "metric").to_numpy()[1:]
    return np.asarray(weights @ clusters)
