"""Compare metrics by any measure, with any random units: prepare groups, compare, make results."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.question import DRAWS, SWAPS, Question, Way
from supersample.engine import Floats
from supersample.errors import InputError, listed, warn
from supersample.execution.limits import check_memory
from supersample.execution.progress import tracked_map
from supersample.execution.workers import AnyWorkers, checked_workers, connect
from supersample.inference.arguments import Alternative, Estimator, Interval, Map
from supersample.inference.bootstrap_intervals import student_p_value, undefined_replicates
from supersample.inference.coefficients import pearson_with
from supersample.inference.comparisons_with_best import not_before_best
from supersample.measures.base import Measure, Measured
from supersample.measures.groups import Groups, groups_of
from supersample.measures.registry import Measures
from supersample.presentation.labels import AVERAGE, LEAD, NO_SYSTEMS, WHOLE
from supersample.resampling import FEWEST, Replicates, Sampler, Weights, averaged, joined, samplers
from supersample.results.pairs import (
    Ties,
    adjusted_p_values,
    concluded,
    difference_matrix,
    excludes_zero,
    identical_items,
    limit_matrices,
    pair_matrix,
    tested,
)
from supersample.results.ranks_and_clusters import warn_if_reversed
from supersample.results.variables import RESULT_VARIABLES, result_attrs, result_variables
from supersample.scores.selection import Mask, warn_if_undefined
from supersample.tolerances import VALUE_TIE

BYTES_A_DIFFERENCE = 64.0
"""Memory of p-values and intervals, per resample and pair of metrics."""
_AT_ONCE = 128  # replicates per block of a worker
_BLOCKS = 16  # most blocks of units that are left out; each takes two passes over all units


class Part(NamedTuple):
    """A measure prepared in every group, in the order of the groups."""

    measure: Measure
    groups: Groups
    prepared: list[Any]
    """Prepared data of each group."""
    of: list[Measured]

    @property
    def labels(self) -> list[str]:
        """Labels of groups in results; the average comes first."""
        return [AVERAGE, *self.groups.of] if self.groups.grouped else [WHOLE]

    @property
    def names(self) -> list[str]:
        """Metrics that the measure has."""
        return [str(name) for name in self.of[0].names]

    @property
    def sign(self) -> float:
        """Sign that makes larger values better."""
        return 1.0 if self.measure.larger_is_better else -1.0

    @property
    def values(self) -> Floats:
        """Values in every group and on average, (groups, metrics)."""
        return self.groups.over([each.values for each in self.of])


def agreement(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    measure: Measures = "pearson",
    *,
    mask: Mask | None = None,
    by: str | None = None,
    seed: int = 0,
) -> xr.Dataset:
    """Compute the agreement of each metric with people, by one or more measures.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores; or Scores of several language pairs by name: the metrics of all, and the average.
    measure : str, Measure or sequence of them, default "pearson"
        For example "pearson", "SPA", "acc_eq/item"; see `as_measure`.
    mask : {"common", "complete", "all"}, optional
        Segments to use (see `select_segments`); by default "all" for measures of
        translations, as in shared tasks, and "common" for others.
    by : {"domain", "document"}, optional
        Group segments by this label. Groups that are too small are left out; the attribute
        ``groups_left_out`` names them.
    seed : int, default 0
        Seed of Monte-Carlo p-values in SPA.

    Returns
    -------
    xarray.Dataset
        Dims (measure, basis, group, metric): ``basis`` is "all", and ``group`` too, unless there
        are several groups ("average" first). ``value``: the measure, with declared orientation, NaN
        if undefined. ``systems``, ``segments`` and ``translations``: their numbers (in the average,
        sums over groups). ``higher_is_better``.
        For measures of translations also ``threshold`` of ties, in the metric's units, and
        ``undefined_groups``, how many groups of translations are left out because they have no
        value.

    Raises
    ------
    InputError
        If Scores are invalid, an option is unknown, or no metric or group is left.

    Warns
    -----
    DegenerateScoreWarning
        If scores do not vary, or a metric has no value; the warning names the metrics.
    OrientationWarning
        If r of a metric over the systems is clearly negative, on average over groups.
    ApproximationWarning
        If a few units dominate, so that the normal p-values of SPA are inaccurate.

    Examples
    --------
    >>> from supersample import load_example
    >>> found = agreement(load_example(), ["pearson", "SPA", "acc_eq/item"])
    >>> found["value"].sel(metric="strong-95").squeeze().round(3).values.tolist()
    [0.928, 0.886, 0.61]
    """
    return dataset_of(parts_of(scores, Question(measure, mask=mask, by=by, seed=seed)))


def compare(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    measure: Measures = "pearson",
    *,
    random: str | None = None,
    method: str | None = None,
    alternative: Alternative = "two-sided",
    resamples: int | None = None,
    seed: int = 0,
    estimator: Estimator = "(k+1)/(B+1)",
    ties: Ties = "exact",
    confidence_level: float = 0.95,
    mask: Mask | None = None,
    by: str | None = None,
    weights: Mapping[str, float] | None = None,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Compare each pair of metrics by any measure: differences, intervals and p-values.

    Parameters
    ----------
    scores, measure, mask, by
        As in `agreement`. `rank` orders metrics by the first measure.
    random : str, optional
        What is drawn with replacement, the same for people and all metrics: "systems", "segments",
        "documents", "systems+segments" or "systems+documents". The result has intervals. Copies of
        a system, or of a translation, form no pairs. Calibrated thresholds of ties keep their
        values on all translations. Without `random`, Pearson's r is compared over the systems by
        fisher-jackknife; for other measures, the two metrics' scores are swapped, and the result
        has p-values.
    method : str, optional
        For Pearson's r over the systems: "fisher-jackknife" (default), whose interval is its test
        turned round, and whose level and coverage were measured by simulation for independent
        systems (``experiments/difference``); or a test of three correlations such as
        "williams1959".

        With `random`: "student" (Student's t with the standard deviation of the replicates; for
        values on Fisher's z scale), "percentile" or "bca". The default is "student" over
        segments and documents. If systems are drawn, it is "bca" for measures of systems and
        "percentile" for measures of translations, where a draw of only two systems has r = 1.

        Without `random`, the unit that two metrics swap: "inputs" (default for other measures), all
        scores of a segment (or of the unit of `PValues`), the only one for PA and SPA; "systems",
        all scores of a system; "both", each single score.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        For p-values; "greater": `metric` agrees better than `other_metric`.
    resamples : int, optional
        Default: 999 with `random`, else 1,000.
    seed : int, default 0
        Seed of all resamples. Resample i depends only on (seed, i), the random unit and the name of
        the group; all pairs of metrics share it.
    estimator : {"(k+1)/(B+1)", "k/B"}, default "(k+1)/(B+1)"
        For p-values of swaps; "k/B" is used in the papers and may be 0.
    ties : {"exact", "floating_point"}, default "exact"
        Whether differences within 1e-10 of the observed one count as equal to it ("exact"), or are
        compared as floating-point numbers. PA takes few values, so its number of significant pairs
        depends on this.
    confidence_level : float, default 0.95
        Level of intervals; p-values are significant up to 1 minus this level.
    weights : mapping of str to float, optional
        Weight of each group in the average, by default 1.
    workers : Workers, Client or str, default "threads"
        Workers that compute; results do not depend on them.
    progress : bool, default False
        Whether to show the remaining time on standard error during long work.

    Returns
    -------
    xarray.Dataset
        The result of `agreement` and, with dims (..., metric, other_metric), ``difference`` and
        ``significant``. ``basis`` says what is new: the random units, the swapped ones, or
        "systems"; with several, tests of a measure are NaN on those of the others, and
        ``tested_by`` (measure, basis) is empty. With `random`: ``lower`` and ``upper`` of values
        (NaN if all replicates are equal), ``difference_lower`` and ``difference_upper``, and
        ``undefined`` (metric), how many replicates have no value; a difference is significant if
        its interval excludes 0. Without `random`: ``p_value``, ``p_holm`` (corrected for all
        pairs). In both cases:
        ``p_simultaneous``, two-sided, corrected for all pairs by the step-down maximum over joint
        replicates, and ``p_best`` (metric), the p-value of the hypothesis that the metric is among
        the best; see `supersample.inference.p_values`. ``identical``: both metrics have the same
        scores, so they are exactly tied and never significant. The average over groups is the
        average of their replicates. Groups are resampled independently, except that systems of one
        name, and documents that groups of one set share, are drawn once. `rank` accepts the result.

        Intervals of SPA use normal p-values in every replicate.

    Raises
    ------
    InputError
        As `agreement`; or if an option is unknown or out of range, or a measure cannot be combined
        with `random`; the message names valid combinations.

    Notes
    -----
    The null hypothesis of swaps is that the two metrics' scores are exchangeable. Standardised
    scores are swapped (z over all systems and segments of each metric); errors in people's units
    are swapped unchanged. A corpus metric has no segment scores: what is swapped, and what PA and
    SPA compare, are the contributions of segments to its corpus score (jackknife pseudo-values).

    References
    ----------
    Deutsch, Dror and Roth (2021), "A statistical analysis of summarization evaluation metrics using
    resampling methods", TACL 9. Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving
    statistical significance in human evaluation of automatic metrics via soft pairwise accuracy",
    WMT, section 4.4. Swapping pairs: Freitag et al. (2023), WMT. Efron (1987), "Better bootstrap
    confidence intervals", JASA 82.

    Examples
    --------
    >>> from supersample import load_example
    >>> swapped = compare(load_example(), ["SPA", "PA"], resamples=199)
    >>> pair = {"metric": "strong-95", "other_metric": "weak-40"}
    >>> swapped["p_value"].sel(pair).squeeze().values.tolist()
    [0.005, 0.005]
    >>> drawn = compare(load_example(), "SPA", random="segments", resamples=199)
    >>> bool((drawn["lower"] < drawn["value"]).all())
    True
    """
    question = Question(
        measure, random, method, alternative, resamples, seed, estimator, ties, confidence_level,
        mask, by, weights, workers=workers, progress=progress,
    )  # fmt: skip
    return answered(scores, question)


def answered(scores: xr.Dataset | Mapping[str, xr.Dataset], question: Question) -> xr.Dataset:
    """Compare metrics as a question asks; see `compare`."""
    return compared_parts(compared_data(scores, question), question)


def compared_data(scores: xr.Dataset | Mapping[str, xr.Dataset], question: Question) -> list[Part]:
    """Prepare what a comparison uses: measures that swap scores use complete cases."""
    return parts_of(scores, question, [way.kind == "swap" for way in question.ways])


def compared_parts(parts: Sequence[Part], question: Question) -> xr.Dataset:
    """Compare metrics on prepared data."""
    ways = question.ways
    with connect(checked_workers(question.workers)) as client:
        if not client.shares_memory:
            raise InputError("metrics are compared by threads only; use workers='threads'")
        mapped = tracked_map(client.map, "steps" if question.progress else None)
        rows = [
            _compared(part, way, question, mapped) for part, way in zip(parts, ways, strict=True)
        ]
    bases = [way.basis(question.random) for way in ways]
    tests = [way.label(question.random) for way in ways]
    return dataset_of(parts, rows, bases, tests, **question.facts)


def _compared(part: Part, way: Way, question: Question, mapped: Map) -> dict[str, Any]:
    """Compute the result variables of one measure, without its values."""
    level = question.significance_level
    if way.kind == "draw":
        groups = _replicates(part, question, mapped)
        return _bounded(part, groups, way.name, question.confidence_level)
    if way.kind == "formula":
        how: dict[str, Any] = {"alternative": question.alternative}
        how |= {"confidence_level": question.confidence_level, "how": part.groups.how}
        found = part.measure.by_formula(part.of, way.name, how)
        if len(part.of) == 1:  # the only set is the average, too
            found = {name: np.stack([each] * len(part.labels)) for name, each in found.items()}
        same = part.groups.over_flags([identical_items(each.copies) for each in part.of])
        found = concluded(found, same, level, question.alternative)
        of_groups = part.groups.differences([each.values for each in part.of])
        return {**found, "difference": of_groups}
    scheme: Any = way.name
    resamples = question.resamples or SWAPS
    _check_pairs(part, resamples)
    null = [each.null_differences(scheme, resamples, mapped) for each in part.of]
    return tested(
        part.values,
        part.groups.over(null),
        np.asarray(part.measure.larger_is_better),
        alternative=question.alternative,
        estimator=question.estimator,
        significance_level=level,
        ties=question.ties,
    )


def _check_pairs(part: Part, resamples: int) -> None:
    """Refuse more pairs of metrics than fit into memory."""
    metrics = part.of[0].names.size
    pairs = metrics * (metrics - 1) // 2 * len(part.of)
    what = f"{resamples:,} resamples of {pairs:,} pairs"
    check_memory(BYTES_A_DIFFERENCE * pairs * resamples, what, "ask for fewer, or compare fewer")


def _bounded(part: Part, groups: Sequence[Replicates], method: str, level: float) -> dict[str, Any]:
    """Compute intervals of values and differences from replicates, in every group."""
    rows = [
        _of_replicates(part, own, drawn, method, level)
        for own, drawn in zip(part.values, groups, strict=True)
    ]
    found = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    if method == "student":
        limits = Interval(found["difference_lower"], found["difference_upper"])
        units = found["units"][..., np.newaxis, np.newaxis]
        p = student_p_value(limits, units, confidence_level=level)
        found |= {"p_value": p, **adjusted_p_values(p, "two-sided")}
    return found


def _of_replicates(
    part: Part, values: Floats, drawn: Replicates, method: str, level: float
) -> dict[str, Any]:
    """Intervals of one group, and tests of all its pairs at once."""
    limits = np.stack(drawn.of_values(method, level))  # none if no replicate differs from another
    lower, upper = np.where(np.ptp(limits, axis=0) > VALUE_TIE, limits, np.nan)
    below, above = limit_matrices(values, *drawn.of_differences(method, level))
    joint, best = drawn.joint_p_values(), drawn.with_best(part.sign, level)
    together = pair_matrix(values, 1.0, joint, joint)
    return {
        "lower": lower,
        "upper": upper,
        "undefined": undefined_replicates(drawn.drawn),
        "units": np.array(drawn.units),
        "difference": difference_matrix(values),
        "difference_lower": below,
        "difference_upper": above,
        "significant": excludes_zero(below, above),
        "p_simultaneous": not_before_best(part.sign * values, together, best),
        **best._asdict(),
    }


def _replicates(part: Part, question: Question, mapped: Map) -> list[Replicates]:
    """Replicates of every group; with several groups, the average comes first."""
    random, resamples = str(question.random), question.resamples or DRAWS
    _check_pairs(part, resamples)
    groups = part.groups
    few = groups.attrs.get(NO_SYSTEMS)
    if few and "systems" in random:
        raise InputError(f"no systems can be drawn: {few}")
    of_groups = samplers(
        random,
        [each.labels(random) for each in part.of],
        list(groups.seeds.values()),
        seed=question.seed,
        one_set=groups.one_set,
    )
    _warn_of_few(part, of_groups, random)
    found = [
        group_replicates(part.measure, each, drawing, resamples, mapped)
        for each, drawing in zip(part.of, of_groups, strict=True)
    ]
    if not groups.grouped:
        return found
    return [averaged(found, groups.weights, samplers=of_groups), *found]


def group_replicates(
    measure: Measure, measured: Measured, drawing: Sampler, resamples: int, mapped: Map = map
) -> Replicates:
    """Values of one group on resamples, on the data, and leaving out each unit in turn."""
    left_out = [
        in_blocks(
            measured,
            partial(drawing.left_out, kind),
            kind.drawn_from,
            mapped,
            max(_AT_ONCE, -(-kind.drawn_from // _BLOCKS)),
        )
        for kind in drawing.kinds
    ]
    return Replicates(
        in_blocks(measured, drawing.bootstrap, resamples, mapped),
        measured.values,
        joined(left_out, measured.values),
        drawing.units,
        measure.lowest,
        measure.highest,
    )


def in_blocks(
    measured: Measured,
    draw: Callable[[int, int], Weights],
    count: int,
    mapped: Map = map,
    at_once: int = _AT_ONCE,
) -> Floats:
    """Values of each metric on numbered draws, some at a time."""
    blocks = [(i, min(i + at_once, count)) for i in range(0, count, at_once)]
    return np.concatenate([*mapped(lambda block: measured.resampled(draw(*block)), blocks)])


def _warn_of_few(part: Part, of_groups: Sequence[Sampler], random: str) -> None:
    """Name groups with too few units for an interval."""
    names = zip(part.groups.of, of_groups, strict=True)
    few = {name: each.units for name, each in names if each.units < FEWEST}
    if not few:
        return
    text = f"intervals need at least {FEWEST} {random}: "
    if part.groups.grouped:
        text += f"{listed([f'{name} has {count}' for name, count in few.items()], 5)}; "
        text += "so the average has none"
    else:
        text += f"there are {few['']}"
    warn(text, UserWarning, stacklevel=5)


MOST_NAMED = 20  # groups whose systems without scores are named
MOST_GAPS = 3  # groups whose partly scored metrics are named


def parts_of(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    question: Question,
    complete: Sequence[bool] | None = None,
) -> list[Part]:
    """Prepare groups once for measures that use the same data, and compute the measures.

    `complete` says which measures use only segments that every metric scored; by default none.
    """
    prepared: dict[Hashable, tuple[Groups, dict[str, Any]]] = {}
    parts = []
    how = question.mask, question.by, question.seed
    averaged = {name: getattr(question, name) for name in ("weights", "in_at_least")}
    flags = [False] * len(question.measures) if complete is None else complete
    for measure, whole in zip(question.measures, flags, strict=True):
        reads = measure.reads, whole
        if reads not in prepared:
            groups = groups_of(scores, measure, *how, complete=whole, **averaged)
            arrays = groups.prepared(measure)
            prepared[reads] = groups, arrays
            measure.warn_of_scores(arrays)
        groups, arrays = prepared[reads]
        measure.warn_of_values(arrays)
        of_groups = list(arrays.values())
        parts.append(Part(measure, groups, of_groups, [measure.on(each) for each in of_groups]))
    _warn_if_reversed(parts)
    if any([*part.groups.of] != [*parts[0].groups.of] for part in parts):
        raise InputError("these measures need different groups; compare one measure at a time")
    return parts


def _warn_if_reversed(parts: Sequence[Part]) -> None:
    """Warn of metrics with clearly negative r over the systems of a set.

    r is that of the first measure over systems; of groups of one set, it is the average.
    """
    for part in parts:
        rows = [part.measure.system_rows(each) for each in part.prepared]
        groups = zip(part.groups.of, rows, strict=True)
        known = {name: each for name, each in groups if each is not None}
        if known:
            names, n = part.of[0].names, [len(each) for each in known.values()]
            r = np.array([pearson_with(each[:, 0], each[:, 1:].T) for each in known.values()])
            sets = [*known]
            if part.groups.one_set:
                r = np.nansum(r, axis=0) / np.maximum(np.isfinite(r).sum(axis=0), 1)
                n, sets = [min(n)], [""]
            warn_if_reversed(names, part.of[0].higher_is_better, r, n, sets)
            return


def all_names(parts: Sequence[Part]) -> list[str]:
    """Metrics of all measures, in order."""
    return list(dict.fromkeys(name for part in parts for name in part.names))


def placed(values: NDArray[Any], part: Part, names: Sequence[str], axes: int = 1) -> NDArray[Any]:
    """Place values of a measure's metrics, on the last axes, among all metrics.

    Numbers of metrics that a measure lacks, such as a corpus metric for segments, are NaN, or 0.
    """
    if part.names == names:
        return values
    at: Any = np.ix_(*[[names.index(name) for name in part.names]] * axes)
    blank = np.nan if values.dtype.kind == "f" else 0
    out = np.full((*values.shape[: values.ndim - axes], *[len(names)] * axes), blank, values.dtype)
    out[(..., *at)] = values
    return out


def _together(
    parts: Sequence[Part], rows: Sequence[Mapping[str, NDArray[Any]]]
) -> dict[str, NDArray[Any]]:
    """Stack the variables of all measures; what a measure lacks is NaN, 0 or False."""
    names, found = all_names(parts), {}
    for name in dict.fromkeys(name for row in rows for name in row):
        axes = len(RESULT_VARIABLES[name].dims)
        own = [
            placed(np.asarray(row[name]), part, names, axes) if name in row else None
            for part, row in zip(parts, rows, strict=True)
        ]
        first = next(each for each in own if each is not None)
        blank = np.full_like(first, np.nan if first.dtype.kind == "f" else 0)
        found[name] = np.stack([blank if each is None else each for each in own])
    return found


def dataset_of(
    parts: Sequence[Part],
    found: Sequence[Mapping[str, Any]] = (),
    bases: Sequence[str] = (),
    tests: Sequence[str] = (),
    **facts: Any,
) -> xr.Dataset:
    """Make the result of all measures: values, other variables, labels and attributes.

    `found`, `bases` and `tests` are those of each measure; what was not tested has one basis.
    """
    first, names = parts[0], all_names(parts)
    labels: dict[str, Any] = {"measure": [part.measure.name for part in parts]}
    labels |= {"basis": list(dict.fromkeys(bases)) or [WHOLE], "group": first.labels}
    labels["metric"] = names
    own = np.equal.outer(np.array(bases or [WHOLE] * len(parts)), np.array(labels["basis"]))
    for part in parts:
        _warn_if_undefined(part)
    rows = [{"value": part.values} for part in parts]
    for row, of_measure in zip(rows, found, strict=False):
        row |= of_measure
    orientation = _together(
        parts, [{"higher_is_better": part.of[0].higher_is_better} for part in parts]
    )
    variables = {
        **result_variables(_on_bases(_together(parts, rows), own), LEAD),
        **result_variables(_together(parts, [*map(_extras, parts)]), ("measure", "group")),
        **result_variables({name: every.any(axis=0) for name, every in orientation.items()}),
        **result_variables(
            {"larger_is_better": [part.measure.larger_is_better for part in parts]}, ("measure",)
        ),
    }
    if found:
        same = _identical(parts, names)
        variables |= result_variables({"identical": same}, ("group",))
        difference = variables["difference"]
        difference.values[same & (np.abs(difference.values) < VALUE_TIE)] = 0.0
        labels["other_metric"] = names
        tested = np.where(own, np.array(tests)[:, np.newaxis], "")
        labels["tested_by"] = ("measure", "basis"), tested
    result = xr.Dataset(variables, coords=labels)
    result.attrs = _attrs(parts, facts)
    return result


def _on_bases(found: Mapping[str, Any], own: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Add the axis of bases after that of measures.

    Each measure has its values on every basis, and its tests on its own one: others are NaN or
    False.
    """
    placed_on = {}
    for name, values in found.items():
        every = np.repeat(np.asarray(values)[:, np.newaxis], own.shape[1], axis=1)
        if name not in ("value", "difference"):
            every[~own] = np.nan if every.dtype.kind == "f" else 0
        placed_on[name] = every
    return placed_on


def _extras(part: Part) -> dict[str, NDArray[Any]]:
    """Further variables of a measure in every group, and the sizes of the groups."""
    found = {}
    for kind in part.of[0].extras:
        of_groups = [np.asarray(each.extras[kind]) for each in part.of]
        counts = of_groups[0].dtype.kind in "iu"
        found[kind] = part.groups.over_counts(of_groups) if counts else part.groups.over(of_groups)
        if kind == "threshold" and part.groups.grouped:
            found[kind][0] = np.nan  # thresholds have each group's own units
    for kind in part.of[0].sizes:
        found[kind] = part.groups.over_counts([each.sizes.get(kind, 0) for each in part.of])
    return found


def _identical(parts: Sequence[Part], names: Sequence[str]) -> NDArray[np.bool_]:
    """Whether two metrics have the same scores; for all groups first.

    Scores may differ by offset and scale, unless a measure depends on these.
    """
    part = next(part for part in parts if len(part.of[0].names) == len(names))
    flags = [identical_items(each.copies) for each in part.of]
    if not all(part.measure.free_of_scale for part in parts):
        for same, each in zip(flags, part.of, strict=True):
            for i, j in zip(*np.nonzero(same), strict=True):
                same[i, j] = all(map(np.array_equal, each.copies[i], each.copies[j]))
    return part.groups.over_flags(flags)


def _warn_if_undefined(part: Part) -> None:
    """Warn of metrics without a value in some group."""
    present = part.groups.present
    there = np.ones((len(part.of), 1), np.bool_) if present is None else present
    groups = zip(part.groups.of, part.of, there, strict=True)
    by_name = {name: np.where(own, each.values, 0.0) for name, each, own in groups}
    what = "r" if part.measure.name == "pearson" else part.measure.name
    warn_if_undefined(what, by_name, part.of[0].names.tolist())


def _by_group(part: Part, texts: Sequence[str], most: int) -> str:
    """Attribute: what is to say of each group, of the first ones of which there is something."""
    names = zip(part.groups.of, texts, strict=True)
    told = [f"{name}: {text}" if name else text for name, text in names if text]
    rest = len(told) - most
    return "; ".join(told[:most]) + (f"; and in {rest} more" if rest > 0 else "")


def _attrs(parts: Sequence[Part], facts: Mapping[str, Any]) -> dict[Any, Any]:
    """Attributes of a result: those of the Scores, how it was computed, and the signature."""
    groups = parts[0].groups
    attrs = dict(groups.attrs)
    if not groups.grouped:
        attrs = {**parts[0].of[0].scores.attrs, "scores": attrs["scores"]}
    else:
        gaps = [each.scores.attrs.get("partly_scored", "") for each in parts[0].of]
        attrs |= {"partly_scored": _by_group(parts[0], gaps, MOST_GAPS)} if any(gaps) else {}
    for part in parts:
        attrs |= part.measure.facts
        uncounted = [listed(each.uncounted_systems) for each in part.of]
        if any(uncounted):
            attrs["systems_uncounted"] = _by_group(part, uncounted, MOST_NAMED)
    sizes: dict[str, int] = {}
    for part in parts:
        counted = part.measure.level
        if "by" in groups.attrs:
            numbers = [each.sizes[counted] for each in part.of]
            total = sum(numbers) if counted == "translations" else numbers[0]
            sizes[f"{counted} in {len(numbers)} {groups.attrs['by']}s"] = total
        else:
            for name, each in zip(groups.of, part.of, strict=True):
                sizes[f"{counted} of {name}" if name else counted] = each.sizes[counted]
    names = ",".join(part.measure.name for part in parts)
    statistic = f"difference of {names}" if "method" in facts else names
    kind = "comparison" if "method" in facts else "agreement"
    told = {"kind": kind, "statistic": statistic, **facts}
    return result_attrs(attrs, n=sizes.values(), counted=sizes, **told)
