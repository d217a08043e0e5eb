"""Correlations over several language pairs, or by domain, and their averages."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from supersample.comparisons.correlations.coefficients import correlate
from supersample.comparisons.correlations.differences import compare_correlations
from supersample.engine.designs import Design, PairHybrids
from supersample.engine.resamples import bootstrap_counts, jackknife_counts
from supersample.errors import (
    InputError,
    check_choice,
    check_confidence_level,
    told_elsewhere,
)
from supersample.execution.workers.workers import AnyWorkers, connect
from supersample.hybrids.samples import hybrid_supersample
from supersample.inference.arguments import Average, Interval
from supersample.inference.one_correlation.coefficients import weighted_pearson
from supersample.inference.one_correlation.intervals import mean_interval
from supersample.inference.resampling.intervals import bca_interval
from supersample.inference.two_correlations.statistics import difference_of_z
from supersample.measures.formulas import SYSTEM_METHOD, average_differences_of_r
from supersample.measures.systems import Correlation
from supersample.results.comparisons import difference_matrix, excludes_zero, is_significant
from supersample.results.ranking import warn_if_reversed
from supersample.results.signature import describe, signature
from supersample.results.variables import result_variables
from supersample.scores.groups import (
    AVERAGE,
    common_metrics,
    group_seed,
    named_scores,
    shared_facts,
    split_by,
    warn_if_undefined,
)
from supersample.scores.prepared import HumanMean
from supersample.scores.schema import validate_scores
from supersample.scores.selection import Mask, select_segments
from supersample.scores.system_level import SYSTEMS, bases_of, system_level_scores

METHODS = {"arithmetic": "zou2007", "fisher": "meng1992"}
"""Interval of a difference over hybrids of a group, whose mean over groups is the averages'."""
MOST_NAMED = 3  # groups whose partly scored metrics are named


def compare_over_groups(
    scores: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    by: str | None = None,
    average: Average = "arithmetic",
    n: int | None = 10_000,
    seed: int = 0,
    design: Design | None = None,
    mask: Mask = "common",
    human_mean: HumanMean = "ratings",
    confidence_level: float = 0.95,
    workers: AnyWorkers = "threads",
    progress: bool = False,
) -> xr.Dataset:
    """Compare metrics in each of several language pairs, domains or documents, and on average.

    Parameters
    ----------
    scores : xarray.Dataset or mapping of str to xarray.Dataset
        Scores, with `by`; or those of several language pairs by name, system-level scores perhaps.
    by : {"domain", "document"}, optional
        Label of segments that groups one set of Scores.
    average : {"arithmetic", "fisher"}, default "arithmetic"
        Mean of r over the groups, each weighing the same, as the WMT metrics task averages
        language pairs; or tanh of the mean of Fisher's z.
    n : int or None, default 10_000
        Hybrids of each group; None for correlations over the original systems alone.
    seed : int, default 0
        The seed of a group's hybrids is a function of this one and the group's name.
    design, mask, human_mean, workers, progress
        As for `hybrid_supersample`.
    confidence_level : float, default 0.95

    Returns
    -------
    xarray.Dataset
        Along ``basis`` and ``group``, the average first, for the metrics that all groups have:
        ``n``, ``value``, ``lower``, ``upper``, and along (metric, other_metric) ``difference``,
        ``difference_lower``, ``difference_upper`` (of r, or, for "fisher", of Fisher's z) and
        ``significant``. Over the systems differences are those of williams-jackknife in a group
        and of `average_difference` on average, with ``p_value``, ``p_simultaneous`` (adjusted for
        all pairs, on average by Holm) and ``p_best`` (metric), the p-value of being among the best;
        significant is p <= 1 - confidence_level, unadjusted. Over hybrids there are Zou's limits,
        or, for "fisher", those of Meng et al.; p-values are NaN, and significant is a difference
        whose limits exclude 0. `rank` takes it.

    Raises
    ------
    InputError
        If nothing is common to the groups, hybrids are asked for of system-level scores, or as
        `hybrid_supersample` and `compare_correlations`.

    Notes
    -----
    Groups of different language pairs have different systems and segments and count as independent:
    the limits of the average r follow from those of the groups (see `mean_interval`). Domains and
    documents share their systems, so over the systems those limits would be wrong; there they are
    of a bootstrap (BCa, 9,999 resamples) that draws systems once for all groups. Over hybrids,
    which are drawn for each group by itself, limits measure Monte-Carlo precision in either case.

    References
    ----------
    Zou (2007), "Toward using confidence intervals to compare correlations", Psychological Methods
    12. Meng, Rosenthal and Rubin (1992), "Comparing correlated correlation coefficients",
    Psychological Bulletin 111. Efron (1987), "Better bootstrap confidence intervals", JASA 82.

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
    means: dict[str, Any] = {"mask": mask, "human_mean": human_mean}
    found: dict[str, _Group] = {}
    with connect(workers) as client:
        build = {"n": n, "design": design, "workers": client, "progress": progress}
        for name, part in parts.items():
            seeded = None if n is None else {**build, "seed": group_seed(seed, name)}
            try:
                found[name] = _group(part, means, seeded, confidence_level)
            except InputError as error:
                raise InputError(f"{name}: {error}") from error
    metrics, alone = common_metrics({name: group.systems for name, group in found.items()})
    at = {"metric": metrics, "other_metric": metrics}
    compared = [
        compare_correlations(
            group.correlations.sel(at), method=METHODS[average], confidence_level=confidence_level
        )
        for group in found.values()
    ]
    r = {name: part["value"].to_numpy() for name, part in zip(found, compared, strict=True)}
    warn_if_undefined("r", r, metrics)
    _warn_if_reversed(compared, metrics)
    rows = [bases_of(group.systems.sel(metric=metrics))[0].scores for group in found.values()]
    how: dict[str, Any] = {
        "average": average,
        "seed": seed,
        "confidence_level": confidence_level,
    }
    result = _stacked(compared, list(found), rows, by is not None, **how)
    facts |= shared_facts([group.systems for group in found.values()])
    return _with_facts(
        result,
        facts | _gaps(found),
        **how,
        metrics_left_out=", ".join(f"{name} (not in all)" for name in alone),
        **({} if n is None else {"design": describe(design), "hybrids": n}),
    )


def _warn_if_reversed(compared: list[xr.Dataset], metrics: list[str]) -> None:
    """Name metrics whose mean r over the groups is clearly negative for so many systems."""
    of_systems = [part.sel(basis=SYSTEMS) for part in compared]
    r = np.mean([part["value"].to_numpy() for part in of_systems], axis=0)
    warn_if_reversed(np.array(metrics), r, min(int(part["n"]) for part in of_systems))


class _Group(NamedTuple):
    correlations: xr.Dataset
    systems: xr.Dataset


def _group(
    scores: xr.Dataset, means: dict[str, Any], build: dict[str, Any] | None, level: float
) -> _Group:
    """Correlations of one group, over hybrids too where they are built."""
    systems = system_level_scores(scores, **means)
    data = systems if build is None else hybrid_supersample(scores, **means, **build)
    with told_elsewhere():  # the average tells which metrics are reversed or undefined
        return _Group(correlate(data, confidence_level=level), systems)


def _gaps(groups: dict[str, _Group]) -> dict[str, str]:
    """Attribute that names the first groups with metrics scored on part of the segments."""
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
    """Scores by group, and attributes of the grouping."""
    if isinstance(scores, xr.Dataset):
        if by is None:
            raise InputError("one set of Scores is one group; name what to group it by")
        if "segment" not in scores.dims:
            raise InputError(f"system-level scores have no segments to group by {by}")
        validate_scores(scores)
        of_r = Correlation()
        return split_by(select_segments(scores, mask), by, of_r.usable, of_r.requirement)
    return named_scores(scores, by), {}


def _stacked(
    compared: list[xr.Dataset],
    names: list[str],
    rows: list[NDArray[np.float64]],
    shared: bool,
    *,
    average: Average,
    seed: int,
    confidence_level: float,
) -> xr.Dataset:
    """Stack the groups under their average; `rows` are the systems' scores of each group."""
    groups = {
        name: np.stack([part[name].to_numpy() for part in compared])
        for name in (*_AVERAGED, "significant", "n")
    }
    if average == "fisher":
        r = groups["value"]
        z = difference_of_z(r[..., :, np.newaxis], r[..., np.newaxis, :])
        groups["difference"] = np.where(groups["difference"] == 0, 0.0, z)  # copies are alike
    mean: dict[str, NDArray[Any]] = dict(averaged(groups, average))
    bases = [str(basis) for basis in compared[0]["basis"].to_numpy()]
    on_systems = bases.index(SYSTEMS)
    if shared:
        limits = limits_by_bootstrap(rows, average, seed, confidence_level)
        mean["lower"][on_systems], mean["upper"][on_systems] = limits
    identical = np.logical_and.reduce([part["identical"].to_numpy() for part in compared])
    for name in ("difference_lower", "difference_upper"):
        mean[name][:, identical & ~np.isnan(mean["difference"][0])] = 0.0
    mean["significant"] = excludes_zero(mean["difference_lower"], mean["difference_upper"])
    mean["n"] = groups["n"].sum(axis=0)
    stacked = {
        name: np.concatenate([mean[name][np.newaxis], of_groups]).swapaxes(0, 1)
        for name, of_groups in groups.items()
    }
    over_systems: dict[str, NDArray[Any]] = average_differences_of_r(
        rows, mean["value"][on_systems], average, shared, confidence_level
    )
    over_systems["significant"] = is_significant(over_systems["p_value"], 1.0 - confidence_level)
    for name, values in over_systems.items():
        if name not in stacked:
            stacked[name] = np.full((len(bases), *values.shape), np.nan)
        stacked[name][on_systems] = values
    of_metrics = {
        "identical": identical,
        "higher_is_better": compared[0]["higher_is_better"].to_numpy(),
    }
    metrics = compared[0]["metric"].to_numpy()
    return xr.Dataset(
        {**result_variables(stacked, ("basis", "group")), **result_variables(of_metrics)},
        coords={
            "basis": bases,
            "group": [AVERAGE, *names],
            "metric": metrics,
            "other_metric": metrics,
        },
    )


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
        "average_interval": (
            "bootstrap over the systems that all groups share (BCa)"
            if "by" in attrs
            else "groups taken as independent"
        ),
        "coefficient": "pearson",
        "alternative": "two-sided",
        "orientation": "declared",
    }
    sizes = [f"{groups} groups"]
    sizes += [f"{facts['hybrids']} hybrids each"] if "hybrids" in facts else []
    return result.assign_attrs(
        {**facts, "signature": signature(**{**facts, "n": ", ".join(sizes)})}
    )


RESAMPLES = 9_999


_SCALES: dict[str, Any] = {
    "arithmetic": (np.asarray, np.asarray),
    "fisher": (np.arctanh, np.tanh),
}


def averaged(
    stacked: dict[str, NDArray[np.float64]], average: str
) -> dict[str, NDArray[np.float64]]:
    """Average of r, limits of it and of differences, for independent groups."""
    forward, back = _SCALES[average]
    with np.errstate(divide="ignore"):
        r, lower, upper = (forward(stacked[name]) for name in ("value", "lower", "upper"))
    with np.errstate(invalid="ignore"):
        limits = mean_interval(r, lower, upper)
    centre = back(r.mean(axis=0))
    with np.errstate(invalid="ignore"):  # z of r = 1 is infinite
        apart = mean_interval(*(stacked[name] for name in _AVERAGED[3:]))
        if average == "fisher":
            differences = stacked["difference"].mean(axis=0)
        else:
            differences = difference_matrix(centre)
    return {
        "value": centre,
        "lower": back(limits.lower),
        "upper": back(limits.upper),
        "difference": differences,
        "difference_lower": apart.lower.copy(),
        "difference_upper": apart.upper.copy(),
    }


def limits_by_bootstrap(
    rows: list[NDArray[np.float64]], average: str, seed: int, confidence_level: float
) -> Interval:
    """Limits of the average r where all groups have the same systems."""
    forward, back = _SCALES[average]
    count = rows[0].shape[0]
    numbers = np.arange(RESAMPLES, dtype=np.uint64)
    drawn_counts = bootstrap_counts(
        count, seed=seed, replicates=numbers, purpose="bootstrap of systems of all groups"
    )

    def averages(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        # of two systems r is -1 or 1, and its z infinite: undefined where groups disagree
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.mean([forward(weighted_pearson(scores, counts)) for scores in rows], axis=0)
        return np.asarray(back(z))

    drawn, left_out = averages(drawn_counts), averages(jackknife_counts(count))
    estimate = averages(np.ones((1, count)))[0]

    return bca_interval(drawn, estimate, left_out, confidence_level=confidence_level)
