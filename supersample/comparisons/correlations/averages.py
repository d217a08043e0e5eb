"""Correlations in several language pairs, domains or documents, and their averages."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.compare import on_basis, over_sets
from supersample.comparisons.correlations.by_formula import compare_correlations, correlate
from supersample.engine.designs import Design, PairHybrids
from supersample.errors import (
    InputError,
    check_choice,
    check_confidence_level,
    told_elsewhere,
)
from supersample.execution.checksums import content_code
from supersample.execution.workers import AnyWorkers, connect
from supersample.hybrids.samples import hybrid_supersample
from supersample.inference.arguments import Average
from supersample.inference.one_correlation.intervals import mean_interval, weighted_mean
from supersample.inference.two_correlations.statistics import difference_of_z
from supersample.inference.two_correlations.system_scores import SYSTEM_METHOD
from supersample.measures.formulas import (
    SCALES,
    AveragedR,
    differences_over_sets_of_r,
    limits_over_sets_of_r,
)
from supersample.measures.systems import Correlation
from supersample.results.pairs import difference_matrix, excludes_zero
from supersample.results.ranking import warn_if_opposite, warn_if_reversed
from supersample.results.variables import PAIR, describe, result_variables, signature
from supersample.scores.schema import validate_scores
from supersample.scores.selection import (
    AVERAGE,
    Mask,
    check_sizes,
    common_metrics,
    group_seed,
    named_scores,
    select_segments,
    shared_facts,
    split_by,
    told_weights,
    warn_if_undefined,
    weights_of,
    with_same_names,
)
from supersample.scores.system_level import SETS, SYSTEMS, HumanMean, bases_of, system_level_scores

METHODS = {"arithmetic": "zou2007", "fisher": "meng1992"}
"""Interval of a difference over hybrids of one group; its mean bounds the average."""
MOST_NAMED = 3  # most groups whose partly scored metrics are named


def compare_over_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None = None,
    average: Average = "arithmetic",
    weights: Mapping[str, float] | None = None,
    same_systems: Mapping[str, str] | None = None,
    same_metrics: Mapping[str, str] | None = None,
    in_at_least: int | None = None,
    n: int | None = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    confidence_level: float = 0.95,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Compare metrics in several language pairs, domains or documents, and on average.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, with `by`; or (system-level) Scores of several language pairs, by name.
    by : {"domain", "document"}, optional
        Label of segments that splits one set of Scores into groups.
    average : {"arithmetic", "fisher"}, default "arithmetic"
        Mean of r over the groups with equal weights, as the WMT metrics task averages language
        pairs; or tanh of the mean of Fisher's z.
    weights : mapping of str to float, optional
        Weight of each group in the average, by default 1.
    same_systems : mapping of str to str, optional
        Systems with different names in some Scores: the name to use, by the other name. A name is
        one system in all groups.
    same_metrics : mapping of str to str, optional
        The same for metrics.
    in_at_least : int, optional
        Compare the metrics of at least this many groups, each over the groups that have it, and a
        pair over the groups that have both; by default only metrics of all groups.
    n : int or None, default 10_000
        Number of hybrids of each group; None for correlations over the original systems only.
    seed : int, default 0
        Seed of the hybrids; a group's seed depends on it and on the group's name.
    design, mask, human_mean, workers, progress
        As in `hybrid_supersample`.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        Dims (basis, group, metric), the average first; by default for the metrics of all groups:
        ``n``, ``value``, ``lower``, ``upper``. Dims (..., metric, other_metric): ``difference``,
        ``difference_lower``, ``difference_upper`` (of r, or of Fisher's z for "fisher") and
        ``significant``. Over systems, the test is fisher-jackknife in a group and
        `average_difference` for the average, with ``p_value``, ``p_simultaneous`` (adjusted for all
        pairs; for the average by Holm) and ``p_best`` (metric), the p-value of the hypothesis that
        the metric is among the best; significant means unadjusted p <= 1 - confidence_level. Over
        hybrids, limits are Zou's, or those of Meng et al. for "fisher"; p-values are NaN, and a
        difference is significant if its limits exclude 0. `rank` accepts the result.

    Raises
    ------
    InputError
        If the groups have nothing in common, or hybrids are asked for from system-level scores; and
        as `hybrid_supersample` and `compare_correlations`.

    Notes
    -----
    Systems are clusters: systems of one name are one system in all groups, so their errors in the
    groups are dependent (see `supersample.inference.two_correlations.averages`). One file under two
    names gives the same conclusions as one file; groups with different systems are independent. n
    of the average counts different systems. Hybrids are drawn in each group separately; limits over
    them measure Monte-Carlo precision. With five groups or more, the basis "sets" gives conclusions
    for new language pairs (sets, domains, documents): the groups are a sample of groups. There
    ``tau``, the standard deviation of the true difference between groups, ``i_squared``,
    ``prediction_lower`` and ``prediction_upper`` say how much it varies.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. Meng, Rosenthal and Rubin (1992), "Comparing correlated correlation coefficients",
    Psychological Bulletin 111.

    Examples
    --------
    >>> from supersample import load_example
    >>> of_four = load_example().isel(segment=slice(40))
    >>> groups = compare_over_groups(of_four, by="document", n=None)
    >>> groups["group"].values[:3].tolist()
    ['average', 'document-01', 'document-02']
    """
    check_choice("average", average, METHODS)
    check_confidence_level(confidence_level)
    design = PairHybrids() if design is None else design
    parts, facts = _parts(scores, by, mask)
    parts = with_same_names(parts, "system", same_systems)
    parts = with_same_names(parts, "metric", same_metrics)
    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    build = None if n is None else {"n": n, "design": design, "seed": seed, "progress": progress}
    with connect(workers) as client:
        found = _found(parts, means, build, client, confidence_level)
    systems = {name: group.systems for name, group in found.items()}
    metrics, alone = common_metrics(systems, in_at_least)
    check_sizes(systems)
    compared = [
        compare_correlations(
            _with_metrics(group.correlations, metrics),
            method=METHODS[average],
            confidence_level=confidence_level,
        )
        for group in found.values()
    ]
    present = np.array([[name in part["metric"] for name in metrics] for part in systems.values()])
    _warn_of_r(dict(zip(found, compared, strict=True)), present, metrics)
    rows = [bases_of(part.reindex(metric=metrics))[0].scores for part in systems.values()]
    of_systems = [part["system"].to_numpy() for part in systems.values()]
    weighed = weights_of(weights, found)
    how = AveragedR(of_systems, average, weighed, None if present.all() else present)
    result = _stacked(compared, list(found), rows, how, confidence_level)
    facts |= shared_facts(list(systems.values())) | {"scores": content_code(parts)}
    return _with_facts(
        result,
        facts | _gaps(found),
        average=average,
        seed=seed,
        confidence_level=confidence_level,
        weights=told_weights(weights),
        in_part_of_the_sets=_in_part(metrics, present),
        metrics_left_out=_alone(alone, in_at_least),
        in_at_least="" if in_at_least is None else in_at_least,
        **({} if n is None else {"design": describe(design), "hybrids": n}),
    )


def _alone(metrics: list[str], in_at_least: int | None) -> str:
    where = "all" if in_at_least is None else str(in_at_least)
    return ", ".join(f"{name} (not in {where})" for name in metrics)


def _in_part(metrics: list[str], present: NDArray[np.bool_]) -> str:
    """Attribute: metrics that some sets lack, with the number of sets that have them."""
    counts = zip(metrics, present.sum(axis=0), strict=True)
    of = len(present)
    return ", ".join(f"{name} {count} of {of}" for name, count in counts if count < of)


def _with_metrics(correlations: xr.Dataset, metrics: list[str]) -> xr.Dataset:
    """Correlations of these metrics; NaN and not identical for metrics without correlations."""
    at = {"metric": metrics, "other_metric": metrics}
    if set(metrics) <= set(correlations["metric"].to_numpy()):
        return correlations.sel(at)
    flags = {name: correlations[name].dtype == bool for name in correlations.data_vars}
    blank = {name: False if flag else np.nan for name, flag in flags.items()}
    return correlations.reindex(at, fill_value=blank)


def _warn_of_r(
    compared: Mapping[str, xr.Dataset], present: NDArray[np.bool_], metrics: list[str]
) -> None:
    """Warn of metrics whose r is undefined in a group that has them, or negative."""
    parts = zip(compared.items(), present, strict=True)
    r = {name: np.where(own, part["value"], 0.0) for (name, part), own in parts}
    warn_if_undefined("r", r, metrics)
    _warn_if_reversed(compared, metrics)


def _warn_if_reversed(compared: Mapping[str, xr.Dataset], metrics: list[str]) -> None:
    """Warn of metrics with a clearly negative mean r over the groups, or with opposite signs."""
    of_systems = {name: part.sel(basis=SYSTEMS) for name, part in compared.items()}
    r = np.array([part["value"].to_numpy() for part in of_systems.values()])
    n = [int(part["n"]) for part in of_systems.values()]
    known = np.isfinite(r)
    mean = np.where(known, r, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    warn_if_reversed(np.array(metrics), mean, min(n))
    warn_if_opposite(metrics, r, n, list(of_systems))


def _found(
    parts: Mapping[str, xr.Dataset],
    means: dict[str, Any],
    build: dict[str, Any] | None,
    workers: AnyWorkers,
    level: float,
) -> "dict[str, _Group]":
    """Correlations of every group; the seed of its hybrids depends on the group's name."""
    found = {}
    for name, part in parts.items():
        own = build and {**build, "seed": group_seed(build["seed"], name), "workers": workers}
        try:
            found[name] = _group(part, means, own, level)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    return found


class _Group(NamedTuple):
    correlations: xr.Dataset
    systems: xr.Dataset


def _group(
    scores: xr.Dataset, means: dict[str, Any], build: dict[str, Any] | None, level: float
) -> _Group:
    """Correlations of one group; also over hybrids, if they are built."""
    systems = system_level_scores(scores, **means)
    data = systems if build is None else hybrid_supersample(scores, **means, **build)
    with told_elsewhere():  # the average warns of reversed and undefined metrics
        return _Group(correlate(data, confidence_level=level), systems)


def _gaps(groups: dict[str, _Group]) -> dict[str, str]:
    """Attribute: the first groups with metrics that lack scores of some segments."""
    gaps = [
        f"{name}: {group.systems.attrs['partly_scored']}"
        for name, group in groups.items()
        if "partly_scored" in group.systems.attrs
    ]
    if not gaps:
        return {}
    rest = len(gaps) - MOST_NAMED
    more = f"; and in {rest} more" if rest > 0 else ""
    return {"partly_scored": "; ".join(gaps[:MOST_NAMED]) + more}


def _parts(
    scores: xr.Dataset | Mapping[str, xr.Dataset], by: str | None, mask: Mask
) -> tuple[dict[str, xr.Dataset], dict[str, Any]]:
    """Scores by group, and attributes that describe the groups."""
    if isinstance(scores, xr.Dataset):
        if by is None:
            raise InputError("one set of Scores is one group; split it by domain or document")
        if "segment" not in scores.dims:
            raise InputError(f"system-level scores have no segments to group by {by}")
        validate_scores(scores)
        of_r = Correlation()
        selected = select_segments(scores, mask)
        return split_by(scores, selected, by, of_r.usable, of_r.requirement)
    return named_scores(scores, by), {}


def _stacked(
    compared: list[xr.Dataset],
    names: list[str],
    rows: list[NDArray[np.float64]],
    how: AveragedR,
    confidence_level: float,
) -> xr.Dataset:
    """Stack the average and the groups; `rows` are the systems' scores of each group."""
    groups = {
        name: np.stack([part[name].to_numpy() for part in compared])
        for name in (*_AVERAGED, "significant", "n")
    }
    r = groups["value"]
    if how.average == "fisher":
        z = difference_of_z(r[..., :, np.newaxis], r[..., np.newaxis, :])
        # copies have no difference
        groups["difference"] = np.where(groups["difference"] == 0, 0.0, z)
    mean: dict[str, NDArray[Any]] = averaged(groups, how)
    rests_on = how.weights_of_pairs(groups["value"].shape[-1]) > 0
    same = [part["identical"].to_numpy() for part in compared]
    identical = np.logical_and.reduce(same | ~rests_on) & rests_on.any(axis=0)
    for name in ("difference_lower", "difference_upper"):
        mean[name][:, identical & ~np.isnan(mean["difference"][0])] = 0.0
    mean["significant"] = excludes_zero(mean["difference_lower"], mean["difference_upper"])
    mean["n"] = groups["n"].sum(axis=0)
    stacked = {
        name: np.concatenate([mean[name][np.newaxis], of_groups]).swapaxes(0, 1)
        for name, of_groups in groups.items()
    }
    of_metrics = {
        "identical": identical,
        "higher_is_better": np.any([part["higher_is_better"] for part in compared], axis=0),
        "sets": rests_on.sum(axis=0),
    }
    if how.present is not None:
        of_metrics["in_sets"] = how.present.sum(axis=0)
    labels = {"group": [AVERAGE, *names], **dict.fromkeys(PAIR, compared[0]["metric"].to_numpy())}
    result = xr.Dataset(
        {**result_variables(stacked, ("basis", "group")), **result_variables(of_metrics)},
        {"basis": compared[0]["basis"].to_numpy().astype(str), **labels},
    )
    values, lower, upper = limits_over_sets_of_r(rows, how, confidence_level)
    sets = differences_over_sets_of_r(rows, how)
    found = over_sets(values, sets, labels, confidence_level)
    distinct = np.unique(np.concatenate(how.systems)).size
    more = {"lower": lower, "upper": upper, "n": [distinct, *map(len, how.systems)]}
    found[SYSTEMS].update(result_variables(more, ("group",)))
    if SETS in found:
        found[SETS]["n"] = "group", [len(names), *np.ones(len(names), np.int64)]
    for basis, each in found.items():
        result = on_basis(result, SYSTEMS, basis, each)
    return result


_AVERAGED = ("value", "lower", "upper", "difference", "difference_lower", "difference_upper")


def _with_facts(result: xr.Dataset, attrs: dict[str, Any], **more: Any) -> xr.Dataset:
    """Add the attributes of the result, and its signature."""
    facts = {**attrs, **{name: value for name, value in more.items() if value != ""}}
    groups = result.sizes["group"] - 1
    facts |= {
        "statistic": f"pearson, {facts['average']} mean over {groups} groups",
        "method": METHODS[facts["average"]] if "hybrids" in facts else SYSTEM_METHOD,
        "systems_method": SYSTEM_METHOD,
        "interval": "Fisher",
        "average_interval": "limits of the groups, with their systems as clusters by name",
        "coefficient": "pearson",
        "alternative": "two-sided",
        "orientation": "declared",
    }
    sizes = [f"{groups} groups"]
    sizes += [f"{facts['hybrids']} hybrids each"] if "hybrids" in facts else []
    return result.assign_attrs(
        {**facts, "signature": signature(**{**facts, "n": ", ".join(sizes)})}
    )


def averaged(stacked: dict[str, NDArray[Any]], how: AveragedR) -> dict[str, NDArray[Any]]:
    """Average r, with limits of it and of differences, over independent groups.

    Arrays have the shape (groups, basis, ...).
    """
    forward, back = SCALES[how.average]
    metrics = stacked["value"].shape[-1]
    centre, weights = how.averages(stacked["value"]), how.weights_of(metrics)[:, np.newaxis]
    of_pairs = how.weights_of_pairs(metrics)[:, np.newaxis]
    with np.errstate(divide="ignore"):
        r, lower, upper = (forward(stacked[name]) for name in ("value", "lower", "upper"))
    shape = stacked["difference"].shape
    with np.errstate(invalid="ignore"):  # Fisher's z of r = 1 is infinite
        limits = mean_interval(r, lower, upper, np.broadcast_to(weights, r.shape))
        estimate, below, above = (stacked[name] for name in _AVERAGED[3:])
        apart = mean_interval(estimate, below, above, np.broadcast_to(of_pairs, shape))
    differences = difference_matrix(centre)
    if how.average == "fisher" or how.present is not None:
        differences = weighted_mean(stacked["difference"], of_pairs)
    return {
        "value": centre,
        "lower": back(limits.lower),
        "upper": back(limits.upper),
        "difference": differences,
        "difference_lower": apart.lower.copy(),
        "difference_upper": apart.upper.copy(),
    }
