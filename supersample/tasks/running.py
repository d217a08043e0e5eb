"""Run shared tasks from their definition to the result: swap, compare and average."""

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from supersample.engine import Floats
from supersample.errors import (
    ApproximationWarning,
    check_choice,
    check_confidence_level,
    check_counted,
    check_names,
    listed,
    warn,
)
from supersample.execution.checksums import checksum, keyed
from supersample.execution.limits import check_memory
from supersample.execution.progress import Meter
from supersample.execution.workers import AnyWorkers, checked_workers, connect
from supersample.inference.arguments import Alternative
from supersample.inference.coefficients import pearson_with
from supersample.measures.soft_pairwise_accuracy import SMALL
from supersample.measures.swapped_sums import UnitSums, unit_sums
from supersample.presentation.labels import LEAD, WHOLE
from supersample.readers.added_metrics import Orientation
from supersample.readers.public_sets import set_facts
from supersample.readers.wmt import MetricKind
from supersample.results.pairs import ALTERNATIVES, difference_matrix, tested
from supersample.results.ranks_and_clusters import rank, warn_if_reversed
from supersample.results.variables import PAIR, result_attrs, result_variables
from supersample.scores.selection import AVERAGE, group_seed
from supersample.tasks.definitions import Source, Sources, SourceScores, Task, TaskSet, read_tasks
from supersample.tolerances import COPY

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
    measured: Sequence[Measured], *, draws: int, alternative: Alternative, confidence_level: float
) -> xr.Dataset:
    """Compare each pair of metrics in each task and on average; see `run_tasks`."""
    names = list(dict.fromkeys(m for each in measured for m in each.metrics))
    level = round(1.0 - confidence_level, 12)
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
        np.ones(len(values), np.bool_),
        alternative=alternative,
        estimator="(k+1)/(B+1)",
        significance_level=level,
        ties="exact",
    )
    found |= {
        "value": values,
        "difference_lower": difference - room,
        "difference_upper": difference + room,
    }
    of_tasks = {
        "identical": np.concatenate([identical.all(axis=0, keepdims=True), identical]),
        "weight": np.concatenate([[1.0], weights]),
    }
    labels = {"measure": [AVERAGE, *(each.task.label for each in measured)]}
    labels |= {"basis": [WHOLE], "group": [WHOLE]} | dict.fromkeys(PAIR, names)
    whole = {name: values[:, np.newaxis, np.newaxis] for name, values in found.items()}
    variables = result_variables(whole, LEAD) | result_variables(of_tasks, ("measure",))
    ranked = rank(xr.Dataset(variables, labels, {"significance_level": level}))
    # the weighted mean of the clusters over tasks is NaN if one is missing
    clusters = weights @ ranked["cluster"].isel(basis=0, group=0).to_numpy()[1:]
    return ranked.assign(result_variables({"average_rank": clusters})).assign_attrs(kind="task")


class _Job(NamedTuple):
    """A part of a task, and its scores."""

    part: UnitSums
    scores: SourceScores
    seed: int
    """Seed of the test set and language pair."""


def run_tasks(
    file: str | Path,
    directory: str | Path,
    *,
    language_pairs: Sequence[str] = (),
    metrics: MetricKind = "primary",
    added: Mapping[str, tuple[str, Orientation]] | None = None,
    lower_is_better: Sequence[str] = (),
    resamples: int = 1_000,
    seed: int = 0,
    alternative: Alternative = "greater",
    confidence_level: float = 0.95,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Compare metrics by the tasks of a shared task, and by their weighted average.

    Parameters
    ----------
    file : str or Path
        "wmt23", "wmt24", "wmt24-on-wmt23", "wmt25", "wmt26" or a TOML file; see `read_tasks`.
    directory : str or Path
        Folder of test sets, mt-metrics-eval v2.
    language_pairs : sequence of str
        Keep only these.
    metrics : {"primary", "reference", "reference-free", "all"}, default "primary"
        As in `read_mtme`. A metric without a score for a translation that people rated is left out
        of a task, and named in ``left_out``.
    added : mapping of str to (str, str), optional
        File and orientation of your metrics, by name, as in `add_metric`; "{pair}" in a file name
        stands for the language pair. Their system-level scores are means over all segments.
    lower_is_better : sequence of str
        Metrics of the sets for which higher scores mean worse translations.
    resamples : int, default 1_000
        Number of swaps for each pair of metrics.
    seed : int, default 0
        Seed; draw i depends only on (seed, i), the unit, the test set and the language pair.
    alternative : {"greater", "two-sided", "less"}, default "greater"
        Alternative of tests of two metrics; "greater" as in the shared tasks.
    confidence_level : float, default 0.95
        Level of intervals of differences; tests have 1 minus this level.
    workers, progress
        As in `hybrid_supersample`; the workers are started once.

    Returns
    -------
    xarray.Dataset
        Dim ``measure``: "average" first, then pooled tasks, then single pairs. ``value`` (metric),
        NaN if a metric lacks scores. Dims (metric, other_metric): ``difference``,
        ``difference_lower`` and ``difference_upper``, ``p_value``, ``p_holm``,
        ``significant`` and ``identical``; ``p_holm`` of m tests is at least m / (resamples + 1),
        and small only with many swaps; ``p_simultaneous`` and, along metric, ``p_best``, both
        two-sided for all metrics at once by the joint draws (see `compare`). Variables of `rank`,
        with metrics in order of the average; ``cluster`` is the rank that shared tasks print.
        ``weight`` (measure), ``average_rank``, ``baseline``, ``contrastive`` and
        ``reference_free`` (metric).

        The average uses statistics on a scale from 0 to 1; r becomes (r + 1) / 2. The limits of a
        difference are the difference plus and minus the `confidence_level` quantile of absolute
        differences after swaps: values that the test would not reject if its null distribution were
        shifted.

        Tests of the average are conservative if system- and segment-level tasks share a language
        pair: the levels are swapped independently, and their null differences are widened as if
        they were perfectly correlated, by the sum of their standard deviations divided by the root
        of the sum of squares (at most 1.41).

    Raises
    ------
    InputError
        If the task's file or scores have errors (names file and task), or an option is out of
        range.

    Warns
    -----
    ApproximationWarning
        As `agreement` for SPA.
    OrientationWarning
        If r over the systems of a language pair is clearly negative, or orientation is inferred.

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics using
    resampling methods", TACL 9, for swaps. Kocmi et al. (2021), "To ship or not to ship", WMT, for
    pooled pairwise accuracy. Freitag et al. (2023), "Results of WMT23 metrics shared task", WMT,
    for averages and clusters.

    Examples
    --------
    >>> run_tasks("wmt23", "nowhere")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    supersample.errors.InputError: ...no test set 'wmt23': there is no folder nowhere
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    check_counted("resamples", resamples)
    check_confidence_level(confidence_level)
    definition = read_tasks(file, language_pairs=language_pairs)
    workers = checked_workers(workers)
    sources = Sources(directory, metrics, added or {}, lower_is_better)
    jobs = {
        (t, s): _job(definition, t, s, sources, seed)
        for t, task in enumerate(definition.tasks)
        for s in range(len(task.sources))
    }
    names = dict.fromkeys(name for job in jobs.values() for name in job.scores.metrics)
    check_names("metric", lower_is_better, names)
    _check_size(jobs, len(definition.tasks), resamples)
    _warn_if_reversed(jobs, lower_is_better)
    _warn_if_dominated(definition, jobs)
    items = [(*at, name) for at, job in jobs.items() for name in job.scores.metrics]
    sums = {}
    with (
        connect(workers) as client,
        Meter("metrics in tasks" if progress else None, len(items)) as meter,
        closing(client.completed(partial(_compute, jobs, resamples), items, meter.show)) as results,
    ):
        for item, values in results:
            sums[item] = values
            meter.add(1)
    measured = [_measured(t, each, jobs, sums) for t, each in enumerate(definition.tasks)]
    tests: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    result = compare_tasks(measured, draws=resamples, **tests)
    facts = {"alternative": alternative, "significance_level": result.attrs["significance_level"]}
    facts |= {"confidence_level": confidence_level, "resamples": resamples, "seed": seed}
    return _described(result, definition, jobs, sources, list(added or {}), facts)


def _measured(
    t: int,
    task: Task,
    jobs: Mapping[tuple[int, int], _Job],
    sums: Mapping[tuple[int, int, str], Floats],
) -> Measured:
    """Gather a task's parts and their sums."""
    parts = {s: jobs[t, s] for s in range(len(task.sources))}
    of_parts = [{name: sums[t, s, name] for name in job.scores.metrics} for s, job in parts.items()]
    return Measured(task, [job.part for job in parts.values()], of_parts)


def _job(definition: TaskSet, t: int, s: int, sources: Sources, seed: int) -> _Job:
    task = definition.tasks[t]
    scores = sources.of(task, task.sources[s])
    part = unit_sums(task.measure, task.swap, scores.human)
    return _Job(part, scores, group_seed(seed, task.sources[s].name))


def _check_size(jobs: Mapping[tuple[int, int], _Job], tasks: int, resamples: int) -> None:
    """Refuse sums and differences after swaps that do not fit into memory."""
    metrics = max(len(job.scores.metrics) for job in jobs.values())
    needed = 16.0 * (1 + tasks) * resamples * (metrics * (metrics - 1) // 2)
    for job in jobs.values():
        rows = (1.0 + resamples) * len(job.scores.metrics) + job.part.units
        needed += 8.0 * rows * job.part.columns
    what = f"sums of {metrics} metrics under {resamples:,} swaps"
    check_memory(needed, what, "ask for fewer resamples, or keep fewer systems or metrics")


def _warn_if_reversed(jobs: Mapping[tuple[int, int], _Job], lower: Sequence[str]) -> None:
    """Warn of metrics whose r with people over systems of a language pair is clearly negative."""
    for job in jobs.values():
        if job.part.human.ndim == 1:
            names = np.array([*job.scores.metrics])
            r = pearson_with(job.part.human, np.stack([*job.scores.metrics.values()]))
            warn_if_reversed(names, ~np.isin(names, lower), r, job.part.human.size)


def _warn_if_dominated(definition: TaskSet, jobs: Mapping[tuple[int, int], _Job]) -> None:
    """Warn if few segments dominate, so that the normal p-values of SPA are inaccurate."""
    for (t, _), job in jobs.items():
        scorers = {"the human scores": job.part.human, **job.scores.metrics}
        errors = {name: job.part.error(scores) for name, scores in scorers.items()}
        worst = [f"{error:.3f} for {name}" for name, error in errors.items() if error > SMALL]
        if worst:
            text = (
                f"{definition.tasks[t].label}: few segments make most of the squared "
                "differences of systems, and the normal limit of p-values is off by up to "
                f"{listed(worst, 5)} on average over pairs"
            )
            warn(text, ApproximationWarning, stacklevel=3)


def _compute(
    jobs: Mapping[tuple[int, int], _Job], resamples: int, item: tuple[int, int, str]
) -> Floats:
    """Sum a metric's values in a part of a task; runs on a worker."""
    job = jobs[item[:2]]
    return job.part.sums(job.scores.metrics[item[2]], resamples, seed=job.seed)


def _described(
    result: xr.Dataset,
    definition: TaskSet,
    jobs: Mapping[tuple[int, int], _Job],
    sources: Sources,
    added: list[str],
    facts: dict[str, Any],
) -> xr.Dataset:
    """Add properties of metrics, and attributes."""
    names = [str(name) for name in result["metric"].to_numpy()]
    places: list[Source] = [s for task in definition.tasks for s in task.sources]
    known = [set_facts(source.test_set, source.language_pair) for source in places]
    primary = {name for each in known if each for name in each.primary}
    kinds = {
        "baseline": {name for each in known if each for name in each.baselines},
        "contrastive": {n for n in names if primary and n not in primary and n not in added},
        "reference_free": sources.reference_free,
    }
    flags = {kind: np.array([n in of for n in names]) for kind, of in kinds.items()}
    flags["higher_is_better"] = ~np.isin(names, sources.lower_is_better)
    result = result.assign(result_variables(flags))
    left = {
        f"{definition.tasks[t].sources[s].name}: {job.scores.left_out}": None
        for (t, s), job in jobs.items()
        if job.scores.left_out
    }
    attrs = {
        "title": definition.title,
        "human": ", ".join(dict.fromkeys(job.scores.gold for job in jobs.values())),
        "source": "; ".join(dict.fromkeys(source.name for source in places)),
        "left_out": "\n".join(left),
        "added_metrics": "\n".join(added),
        "added_notes": "\n".join(dict.fromkeys(filter(None, sources.notes.values()))),
    }
    codes = [
        checksum(repr(x.shape).encode() + np.ascontiguousarray(x).tobytes())
        for job in jobs.values()
        for x in (job.part.human, *job.scores.metrics.values())
    ]
    facts["scores"] = keyed(tasks=repr(definition.tasks), metrics=names, scores=codes)[:8]
    units = ",".join(dict.fromkeys(job.part.unit for job in jobs.values()))
    result = result.assign_coords(basis=[units])
    result.attrs = result_attrs(
        attrs,
        n=[len(definition.tasks)],
        counted=["tasks"],
        kind="task",
        statistic="weighted average",
        method=f"swapped {units}",
        **facts,
    )
    return result
